"""Lists and tuples at positions that only the running program knows: an item read or stored, items in the order of abstract keys.

Items that are alike (numbers or arrays of one shape, tuples of such) are stacked, and the stack is indexed; an index out of range
is an IndexError as in any array.
"""

import numpy as np

from ...errors import NeedStatic
from ...ops.op import lookup
from ..promotion import mark_of
from ..reference import is_reference
from . import branches, choices, expressions
from .state import is_numeric, rebuild

LIMIT = 256
"""Number of items up to which they are stacked at each access."""


def pick(ev, items, index, node):
    """The item at an abstract position."""
    if is_reference(index) and index.known is not None:
        return items[int(index.known)]
    chosen = choices.among(ev, items, index, node)
    if chosen is not None:
        return chosen
    at = lambda stack, weak: plain(expressions.load_item(ev, stack, index, node), weak)
    return as_item(items, select(ev, items, index, at, lambda options: choices.among(ev, options, index, node)))


def permute(ev, items, order, node):
    """The items in another order; `order` is an array of their positions."""
    if is_reference(order) and order.known is not None:
        return [items[int(k)] for k in order.known]
    at = lambda stack, weak: [plain(v, weak) for v in expressions.load_item(ev, stack, order, node)]
    columns = select(ev, items, order, at, lambda options: [choices.among(ev, options, order[k], node) for k in range(len(items))])
    return rows(columns, len(items))


def select(ev, items, index, pick_from, choose_from):
    """`pick_from(stack, weak)` of the stack of each leaf, in the structure of an item; `choose_from(options)` of texts and their like."""
    first = items[0] if items else None
    if 0 < len(items) <= LIMIT and all(map(is_numeric, items)) and len({ev.aval(v).shape for v in items}) == 1:
        weak = all(ev.aval(v).weak for v in items)
        return pick_from(np.stack(items) if any(map(is_reference, items)) else np.array(items), weak)
    if 0 < len(items) and all(type(v) is type(first) and isinstance(v, tuple) and len(v) == len(first) for v in items):
        return Columns(select(ev, [v[k] for v in items], index, pick_from, choose_from) for k in range(len(first)))
    if choices.are_options(ev, items) and not ev.decided_by_integers(index):
        return choose_from(items)
    raise NeedStatic(index, "the position in a list of items that are not alike")


class Columns(list):
    """What is selected of the parts of a tuple."""


def as_item(items, selected):
    if not isinstance(selected, Columns):
        return selected
    return rebuild(items[0], [as_item([v[k] for v in items], part) for k, part in enumerate(selected)])


def rows(columns, count):
    if not isinstance(columns, Columns):
        return columns
    parts = [rows(part, count) for part in columns]
    return [tuple(part[i] for part in parts) for i in range(count)]


def plain(value, weak):
    """A Python number where the items were such."""
    if not weak or not is_reference(value) or value.weak:
        return value
    return lookup({"b": bool, "i": int, "u": int, "f": float, "c": complex}[value.dtype.kind])(value)


def put(ev, items, index, value):
    """Store into a list at an abstract position."""
    avals = [ev.aval(v) for v in (*items, value) if is_numeric(v)]
    if len(avals) != len(items) + 1 or len({a.shape for a in avals}) > 1 or not 0 < len(items) <= LIMIT:
        raise NeedStatic(index, "the position in a list of items that are not alike")
    joined, mark = avals[-1], mark_of(value)
    for item, aval in zip(items, avals):
        joined, mark = branches.join_marked(joined, aval, mark, mark_of(item))
    stack = np.stack([*items, value])[:-1].astype(joined.dtype)
    stack[index] = value
    items[:] = [plain(stack[k], joined.weak) for k in range(len(items))]


def order(keys, reverse=False):
    """The positions of keys (numbers, or tuples of them) in ascending order; equal ones stay in place, also in reverse."""
    columns = [np.stack(part) for part in (zip(*keys) if isinstance(keys[0], tuple) else [keys])]
    if reverse:
        columns = [column[::-1] for column in columns]
    found = np.argsort(columns[0], kind="stable") if len(columns) == 1 else np.lexsort(tuple(columns[::-1]))
    return len(keys) - 1 - found[::-1] if reverse else found


def comparable(keys):
    """Whether keys are numbers, or tuples of as many numbers, some of them abstract."""
    if not keys or not all(type(k) is type(keys[0]) for k in keys if isinstance(k, tuple)):
        return False
    if isinstance(keys[0], tuple):
        return all(isinstance(k, tuple) and len(k) == len(keys[0]) and all(map(is_scalar, k)) for k in keys) and any(
            is_reference(v) for k in keys for v in k)
    return all(map(is_scalar, keys)) and any(map(is_reference, keys))


def is_scalar(value):
    return is_numeric(value) and np.ndim(value) == 0


__all__ = ["comparable", "order", "permute", "pick", "put"]
