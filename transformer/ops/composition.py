"""Composition of views: an index into a view of an array as an index into the array itself.

A chain of basic indexing, transposes and new axes is kept as one `Selection` of its base: `base[template].transpose(order)`.

    A[i][j]           A[i, j]
    A[1:-1][2]        A[3]
    A.T[j]            A[:, j]
"""

from typing import NamedTuple

import numpy as np

from ..core import Hole
from .index_templates import FULL, Window, advanced_dims, advanced_place, covered, is_advanced


class Selection(NamedTuple):
    """`base[template].transpose(order)`, the holes of the template being filled from `operands`."""

    template: tuple
    operands: tuple
    order: tuple


class Item:
    """An entry of the template under construction: the entry, its operand, and the size of its axis in the base."""

    def __init__(self, entry, operand=None, size=None):
        self.entry, self.operand, self.size = entry, operand, size

    @property
    def keeps_axis(self):
        return not isinstance(self.entry, int | Hole)


def whole(ndim):
    """The selection of everything."""
    return Selection((FULL,) * ndim, (), tuple(range(ndim)))


def compose(first, second, shape):
    """The selection `view[second.template]` of a base of `shape`, `view` being its selection `first`; None if there is none.

    `first` is basic; `second` may be advanced and its order is applied last.
    """
    items = _items(first, shape)
    kept = [item for item in items if item.keeps_axis]
    axes = iter([kept[k] for k in first.order])
    results, last = [], None
    for entry in second.template:
        if entry is None:
            item = Item(None)
            items.insert(0 if last is None else items.index(last) + 1, item)
        else:
            operand = second.operands[entry.position] if isinstance(entry, Hole | Window) else None
            item = _step(items, axes, entry, operand)
            if item is None:
                return None
        if item.keeps_axis:
            results.append(item)
            last = item
    return _finish(items, results, second)


def _items(selection, shape):
    sizes = iter(shape)
    return [Item(e, selection.operands[e.position] if isinstance(e, Hole | Window) else None, None if e is None else next(sizes))
            for e in selection.template]


def _step(items, axes, entry, operand):
    """Apply one entry of the second index to the next axis (or axes, for a mask); the item that it became, or None."""
    if isinstance(entry, Hole) and operand.dtype == bool:
        return _cover(items, [next(axes) for _ in range(covered(operand))], entry, operand)
    item = next(axes)
    if isinstance(entry, slice) and entry == FULL:
        return item
    if item.entry is None:
        return _index_new_axis(items, item, entry)
    if isinstance(item.entry, slice) and item.entry == FULL:
        item.entry, item.operand = entry, operand
        return item
    return (_index_window if isinstance(item.entry, Window) else _index_slice)(item, entry, operand)


def _cover(items, covers, entry, operand):
    """Put a mask in the place of neighbouring whole axes."""
    if not covers or any(not isinstance(i.entry, slice) or i.entry != FULL for i in covers):
        return None
    at = items.index(covers[0])
    if items[at: at + len(covers)] != covers:
        return None
    covers[0].entry, covers[0].operand = entry, operand
    del items[at + 1: at + len(covers)]
    return covers[0]


def _index_new_axis(items, item, entry):
    if isinstance(entry, int):
        items.remove(item)
        return Item(entry)
    if isinstance(entry, slice) and len(range(1)[entry]) == 1:
        return item
    return None


def _index_slice(item, entry, operand):
    if item.size is None:
        return None
    chosen = range(*item.entry.indices(item.size))
    if isinstance(entry, int):
        item.entry = chosen[entry]
    elif isinstance(entry, slice):
        item.entry = as_slice(chosen[entry], item.size)
    elif isinstance(entry, Window) and chosen.step == 1:
        item.entry, item.operand = entry, operand + chosen.start
    elif isinstance(operand, np.ndarray):
        item.entry, item.operand = entry, np.asarray(chosen)[operand]
    else:
        return None
    return item


def as_slice(chosen, size):
    """The canonical slice that takes the elements of a range."""
    if not chosen:
        return slice(0, 0, 1)
    start, stop, step = chosen.start, chosen[-1] + (1 if chosen.step > 0 else -1), chosen.step
    if (start, stop, step) == (0, size, 1):
        return FULL
    return slice(start, None if stop < 0 else stop, step)


def _index_window(item, entry, operand):
    if isinstance(entry, int):
        item.entry, item.operand = Hole(0), item.operand + entry
    elif isinstance(entry, slice) and entry.step == 1:
        item.entry, item.operand = Window(0, entry.stop - entry.start), item.operand + entry.start
    else:
        return None
    return item


def _finish(items, results, second):
    """Number the operands of the new template, and find the order in which its axes give those of the second index."""
    template, operands = [], []
    for item in items:
        entry = item.entry
        if isinstance(entry, Hole | Window):
            entry = entry._replace(position=len(operands))
            operands.append(item.operand)
        template.append(entry)
    natural, wanted, width = [id(i) for i in items if i.keeps_axis], [id(i) for i in results], {}
    if is_advanced(second.template, second.operands):
        natural.insert(advanced_place(template), "arrays")
        wanted.insert(advanced_place(second.template), "arrays")
        width["arrays"] = len(advanced_dims(template, operands))
    starts = dict(zip(natural, np.cumsum([0, *(width.get(k, 1) for k in natural)]).tolist(), strict=False))
    order = [starts[k] + n for k in wanted for n in range(width.get(k, 1))]
    return Selection(tuple(template), tuple(operands), tuple(order[k] for k in second.order))


def inverse(order):
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))
