"""Batching of index templates: one more leading axis, the lanes, on the array, on index operands, or on both."""

import numpy as np

from ...core import Hole
from ...errors import SizesByLane, TransformError
from ...ops.composition import Selection, inverse
from ...ops.index_templates import FULL, Window, advanced_dims, advanced_place, covered, fill, is_advanced, result_shape
from ...ops.op import aval_of, lookup


def batch_index(template, operands, axes, lanes, array_batched):
    """The selection that reads all lanes at once.

    `axes` says of every operand whether it has a leading axis of lanes (0) or not (None). Of the array with its lanes first
    (or without, `array_batched` False), `array[template'].transpose(order)` has the lanes first, then the axes of one lane's result.
    """
    single = [Lane(o, a) for o, a in zip(operands, axes, strict=True)]
    if all(a is None for a in axes):
        return _only_array(template, operands)
    if any(o.dtype == bool for o in single):
        raise TransformError("a boolean mask as an index together with an index that differs from lane to lane",
                             "Use np.where(mask, x, y) instead of a mask in brackets.")
    windows = [k for k, e in enumerate(template) if isinstance(e, Window) and axes[e.position] == 0]
    block = len(advanced_dims(template, single)) if is_advanced(template, single) else 0
    new_template, new_operands = list(template), list(operands)
    for k, entry in enumerate(template):
        if isinstance(entry, Hole | Window):
            p = entry.position
            new_operands[p] = _spread(operands[p], single[p], block, len(windows))
            if k in windows:
                new_template[k] = Hole(p)
                new_operands[p] = _every(new_operands[p], entry.length, len(windows) - windows.index(k) - 1)
    if array_batched:
        new_template.insert(0, Hole(len(new_operands)))
        new_operands.append(np.reshape(np.arange(lanes), (lanes,) + (1,) * (block + len(windows))))
    order = _order(template, new_template, windows, block)
    return Selection(tuple(new_template), tuple(new_operands), order)


class Lane:
    """Shape and dtype of one lane of an operand, and whether there are others."""

    def __init__(self, operand, axis):
        aval = aval_of(operand)
        self.batched, self.dtype, self.shape = axis == 0, aval.dtype, aval.shape if axis is None else aval.shape[1:]


def _only_array(template, operands):
    """The index is the same for all lanes: a whole axis in front."""
    new = (FULL, *template)
    kept = sum(not isinstance(e, int | Hole) for e in new)
    if not is_advanced(template, operands):
        return Selection(new, tuple(operands), tuple(range(kept)))
    block, place = len(advanced_dims(template, operands)), advanced_place(new)
    ndim = kept + block
    if place:
        return Selection(new, tuple(operands), tuple(range(ndim)))
    return Selection(new, tuple(operands), (block, *range(block), *range(block + 1, ndim)))


def _spread(operand, single, block, windows):
    """An operand whose axes are (lanes, the block of arrays, one axis per window)."""
    if not single.batched:
        return np.reshape(operand, (*single.shape, *(1,) * windows)) if windows and single.shape else operand
    shape = (1,) * (block - len(single.shape)) + tuple(single.shape) + (1,) * windows
    return np.reshape(operand, (-1, *shape)) if shape else operand


def _every(start, length, behind):
    """All positions of a window, on its own axis."""
    return start + np.reshape(np.arange(length), (length,) + (1,) * behind)


def _order(template, new, windows, block):
    """Where the axes of (lanes, one lane's result) stand in the result of the new template."""
    kept = [k for k, e in enumerate(template) if not isinstance(e, int | Hole)]
    arrays = [("block", n) for n in range(block)]
    natural = [k for k in kept if k not in windows]
    place = advanced_place(new)
    natural[place:place] = ["lanes", *arrays, *windows]
    wanted = list(kept)
    at = advanced_place(template) if block else 0
    wanted[at:at] = arrays
    return tuple(natural.index(k) for k in ["lanes", *wanted])


def batch_read(axes, a, *operands, index):
    """`a[index]` of every lane; `axes` are those of the array and the index operands (0 or None)."""
    batched = [x for x, axis in zip((a, *operands), axes, strict=True) if axis == 0]
    lanes = np.shape(batched[0])[0]
    if any(axis == 0 and aval_of(o).dtype == bool for o, axis in zip(operands, axes[1:], strict=True)):
        raise SizesByLane("a read at a boolean mask that differs from lane to lane has results of different sizes",
                          "Use np.where(mask, x, 0), or np.sum(..., where=mask).")
    template, operands, order = batch_index(index, operands, axes[1:], lanes, axes[0] == 0)
    result = a[fill(template, operands)]
    return (result if order == tuple(range(len(order))) else np.transpose(result, order)), 0


def batch_store(target, index, operands, axes, value, value_axis, mode="set"):
    """Store into all lanes of `target` (a reference with its lanes first): the Update `target[index] = value` of every lane.

    `axes` are those of the index operands, `value_axis` that of the value (0 or None).
    """
    if any(axis == 0 and aval_of(o).dtype == bool for o, axis in zip(operands, axes, strict=True)):
        return _store_masked(target, index, operands, axes, value, value_axis, mode)
    lanes, shape = np.shape(target)[0], np.shape(target)[1:]
    single = [Lane(o, a) for o, a in zip(operands, axes, strict=True)]
    ndim = len(result_shape(index, shape, single))
    template, operands, order = batch_index(index, operands, axes, lanes, True)
    value = with_lanes(value, value_axis, ndim)
    if order != tuple(range(len(order))) and np.ndim(value):
        value = np.reshape(value, (1,) * (len(order) - np.ndim(value)) + np.shape(value))
        value = np.transpose(value, inverse(order))
    put(target, fill(template, operands), value, mode)


def put(target, index, value, mode):
    if mode == "add":
        lookup(np.add.at)(target, index, value)
    else:
        target[index] = value


def with_lanes(value, axis, ndim):
    """A value whose lanes stand before `ndim` axes of one lane, so that it broadcasts."""
    if axis is None:
        return value
    missing = ndim - (np.ndim(value) - 1)
    return np.reshape(value, (np.shape(value)[0], *(1,) * missing, *np.shape(value)[1:])) if missing > 0 else value


def _store_masked(target, index, operands, axes, value, value_axis, mode):
    """A mask per lane: where(mask, value, old) over the part of the array that the rest of the index takes."""
    single = [Lane(o, a) for o, a in zip(operands, axes, strict=True)]
    k, entry = next((k, e) for k, e in enumerate(index) if isinstance(e, Hole) and single[e.position].dtype == bool)
    width, rest = covered(single[entry.position]), [*index[:k], *index[k + 1:]]
    if is_advanced(rest, single) or any(axes[e.position] == 0 for e in rest if isinstance(e, Hole | Window)):
        raise TransformError("a store at a boolean mask that differs from lane to lane, together with other index arrays",
                             "Use np.where(mask, value, x) instead of a mask in brackets.")
    part = target[fill((FULL, *index[:k], *(FULL,) * width, *index[k + 1:]), operands)]
    before, behind = (sum(not isinstance(e, int | Hole) for e in some) for some in (index[:k], index[k + 1:]))
    mask = operands[entry.position]
    mask = np.reshape(mask, (np.shape(mask)[0], *(1,) * before, *np.shape(mask)[1:], *(1,) * behind))
    value = _around_mask(value, value_axis, before, width, behind, advanced_place(index) == before)
    new = part + value if mode == "add" else value
    part[...] = np.where(mask, new, part)


def _around_mask(value, axis, before, width, behind, in_place):
    """A value that is stored at a mask, with the axes of the mask in place of the one axis of its True elements."""
    shape = np.shape(value) if axis is None else np.shape(value)[1:]
    at = len(shape) - behind - 1
    if at >= 0 and (not in_place or shape[at] != 1) or (not in_place and before and shape):
        raise SizesByLane("a store at a boolean mask that differs from lane to lane, with a value as long as the mask has True",
                          "Use np.where(mask, value, x), with a value of x's shape.")
    if at >= 0:
        value = np.reshape(value, (*np.shape(value)[: len(np.shape(value)) - behind - 1], *(1,) * width, *shape[at + 1:]))
    return with_lanes(value, axis, before + width + behind)
