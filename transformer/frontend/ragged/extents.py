"""Extents: which places of a static axis count, and how elements go from the places of one extent to those of another."""

from typing import Any, NamedTuple

import numpy as np

from ...core import Effect, If
from ...errors import NeedStatic, ShapeError
from ...ops.op import TABLE
from .. import affine
from ..reference import is_reference


class Span(NamedTuple):
    """The places from lo to hi (ints or references, 0 <= lo, hi <= size) of an axis of `size`."""

    lo: Any
    hi: Any
    size: int


class Chosen(NamedTuple):
    """The places where a mask (a reference of shape (size,)) is set."""

    mask: Any
    size: int


def current():
    from ..builder import current
    return current()


def constant(array):
    return current().constant(array)


def valid(extent):
    """Where the places count: a bool array of the axis's size."""
    if isinstance(extent, Chosen):
        return extent.mask
    starts, stops = (is_reference(extent.lo) or extent.lo > 0), (is_reference(extent.hi) or extent.hi < extent.size)
    if not starts and not stops:
        return constant(np.ones(extent.size, bool))
    bounds = [b for b, given in ((extent.lo, starts), (extent.hi, stops)) if given]
    return TABLE["places"].bind(*bounds, size=extent.size, starts=starts, stops=stops)


def count(extent):
    """The number of places that count."""
    if isinstance(extent, Chosen):
        return np.sum(extent.mask)
    if not is_reference(extent.lo) and not is_reference(extent.hi):
        return max(extent.hi - extent.lo, 0)
    length = extent.hi - extent.lo if is_reference(extent.lo) or extent.lo else extent.hi
    return length if is_ordered(extent) else np.maximum(length, 0)


def is_ordered(extent):
    """Whether lo <= hi is certain."""
    builder = current()
    gap = affine.difference(builder, extent.hi, extent.lo)
    if gap is not None:
        return gap >= 0
    low, high = affine.interval(builder, extent.lo), affine.interval(builder, extent.hi)
    return not is_reference(extent.lo) and extent.lo == 0 or None not in (low, high) and low[1] <= high[0]


def is_filled(extent):
    """Whether it is certain that some place counts."""
    if isinstance(extent, Chosen):
        return False
    gap = affine.difference(current(), extent.hi, extent.lo)
    if gap is not None:
        return gap > 0
    low, high = affine.interval(current(), extent.lo), affine.interval(current(), extent.hi)
    return None not in (low, high) and low[1] < high[0]


def first(extent):
    """A place that counts, if any does (some place otherwise)."""
    if isinstance(extent, Chosen):
        return np.argmax(extent.mask)
    if not is_reference(extent.lo):
        return min(extent.lo, extent.size - 1)
    bounds = affine.interval(current(), extent.lo)
    return extent.lo if bounds is not None and bounds[1] < extent.size else np.minimum(extent.lo, extent.size - 1)


def same(one, two):
    """Whether two extents are certain to be the same places (of axes that may differ in size)."""
    if isinstance(one, Chosen) or isinstance(two, Chosen):
        return type(one) is type(two) and one.size == two.size and affine.same_value(current(), one.mask, two.mask)
    return all(affine.same_value(current(), a, b) for a, b in zip(one[:2], two[:2]))


def same_count(one, two):
    """Whether two extents are certain to have as many places."""
    if same(one, two):
        return True
    if isinstance(one, Chosen) or isinstance(two, Chosen):
        return False
    terms = [affine.affine(current(), b) for b in (one.hi, one.lo, two.hi, two.lo)]
    return None not in terms and affine.combine(terms[0], terms[1], -1) == affine.combine(terms[2], terms[3], -1)


def require_same_count(one, two):
    """Certain that two extents have as many places, or a ValueError when the program runs."""
    if same_count(one, two):
        return
    a, b = count(one), count(two)
    known = [v.known if is_reference(v) else v for v in (a, b)]
    if None not in known:
        if known[0] != known[1]:
            raise ShapeError(f"arrays of lengths {known[0]} and {known[1]} do not fit together", "Elementwise operations need equal sizes.")
        return
    refuse_lengths(a != b)


def refuse_lengths(test):
    """A ValueError of the program where `test` holds: lengths differ."""
    check(test, "ValueError('operands could not be broadcast together')", ValueError)


def check(test, text, exception):
    """A deferred error of the program where `test` holds."""
    builder = current()
    atom = builder.read(test)
    with builder.nested() as block:
        builder.add(Effect("raise", (), {"text": f"raise {text}", "exception": exception}))
    builder.add(If(atom, block, []))


# moving elements ----------------------------------------------------------------------------------------------------------
def along(axis, entry, ndim):
    """An index that is `entry` at one axis."""
    return (*(slice(None),) * axis, entry, *(slice(None),) * (ndim - axis - 1))


def padded(array, axis, before, after):
    width = [(before, after) if k == axis else (0, 0) for k in range(array.ndim)]
    return np.pad(array, width)


def moved(array, axis, old, new):
    """The elements at the places of `old`, in order, at the places of `new`."""
    if array.shape[axis] != old.size:
        raise NeedStatic(array, "an array of unknown length")
    if same(old, new):
        return resized(array, axis, new.size)
    if isinstance(old, Span) and isinstance(new, Span):
        return shifted(array, axis, old, new)
    if isinstance(old, Chosen):
        array = np.take(array, ranked(old), axis=axis)
        old = Span(0, count(old), old.size)
        return moved(array, axis, old, new)
    array = moved(array, axis, old, Span(0, count(old), new.size))
    return np.take(array, np.maximum(np.cumsum(new.mask) - 1, 0), axis=axis)


def resized(array, axis, size):
    have = array.shape[axis]
    if have == size:
        return array
    return array[along(axis, slice(0, size), array.ndim)] if have > size else padded(array, axis, 0, size - have)


def shifted(array, axis, old, new):
    """From one range of places to another."""
    from ...ops.index_templates import Span as Window
    if not is_reference(old.lo) and not is_reference(new.lo) and old.lo == new.lo:
        return resized(array, axis, new.size)
    before = new.size if is_reference(new.lo) or new.lo else 0
    wide = padded(array, axis, before, new.size)
    start = old.lo - new.lo + before
    if not is_reference(start):
        return wide[along(axis, slice(start, start + new.size), array.ndim)]
    return wide[along(axis, Window(start, new.size), array.ndim)]


def ranked(extent):
    """The chosen places in order, then anything."""
    places = np.where(extent.mask, np.cumsum(extent.mask) - 1, extent.size)
    order = current().constant(np.zeros(extent.size + 1, np.int64))
    order[places] = constant(np.arange(extent.size))
    return order[:extent.size]
