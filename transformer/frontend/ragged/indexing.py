"""Reading and storing at indices that leave axes of unknown length: slices with abstract bounds, masks, ragged index arrays."""

import operator
from typing import Any, NamedTuple

import numpy as np

from ...errors import IndexMismatch, NeedStatic
from ...ops import op as optable
from ...ops.index_templates import Span as Window
from .. import affine, views
from ..reference import is_reference
from . import extents as ext
from .arrays import FINITE, RAW, UNKNOWN, Ragged, is_ragged, ragged_of
from .functions import align, extent_of, spread, to_extent

FULL = slice(None)


class Plan(NamedTuple):
    """An index taken apart: the index into the static array, the extents of the result, whether it is a copy in NumPy, for a mask
    of several axes (its first axis, their number), and the axes of the array that ragged index arrays pick from."""

    entries: tuple
    extents: tuple
    copies: bool = False
    merged: Any = None
    picked: tuple = ()


def concerns(index):
    """Whether an index holds ragged arrays."""
    return any(map(is_ragged, index)) if isinstance(index, tuple) else is_ragged(index)


def has_mask(index):
    """Whether an index holds an abstract mask."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(is_reference(p) and p.shape and p.dtype == bool and p.known is None for p in parts)


def read(x, index):
    """`x[index]`."""
    plan = parse(ragged_of(x), index)
    array = views.read(ragged_of(x).array, plan.entries)
    if not any(e is not None for e in plan.extents):
        return array
    if plan.merged:
        at, axes = plan.merged
        array = np.reshape(array, (*array.shape[:at], -1, *array.shape[at + axes:]))
    state = x.state if is_ragged(x) and not plan.copies else RAW
    result = Ragged(array, plan.extents, state)
    return Ragged(result.masked(0), plan.extents, FINITE) if plan.copies else result


def expanded(index, ndim):
    """The parts of an index, one for each axis or new axis, without an Ellipsis."""
    parts = list(index) if isinstance(index, tuple) else [index]
    parts = [np.asarray(p) if isinstance(p, list) and not optable.holds_reference(p) else p for p in parts]
    named = sum(width(p) for p in parts)
    if named > ndim:
        raise IndexMismatch(f"an array of {ndim} axes is indexed with {named} indices", "Leave some out.")
    if not any(p is Ellipsis for p in parts):
        parts.append(Ellipsis)
    at = next(k for k, p in enumerate(parts) if p is Ellipsis)
    return [*parts[:at], *[FULL] * (ndim - named), *parts[at + 1:]]


def width(part):
    """The number of axes that a part covers."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if is_mask(part) else 1


def parse(x, index):
    """The Plan of an index into a Ragged."""
    parts, axis = expanded(index, x.ndim), 0
    entries, extents, copies, merged, picks = [], [], False, None, []
    for part in parts:
        if part is None:
            entries.append(None)
            extents.append(None)
            continue
        if isinstance(part, slice):
            entry, extent = sliced(x, axis, part)
            entries.append(entry)
            extents.append(extent)
        elif is_mask(part):
            copies = True
            if part.ndim > 1:
                merged = (len(extents), part.ndim)
            entries.extend([FULL] * part.ndim)
            extents.append(chosen(x, axis, part))
        elif is_scalar(part):
            entries.append(part if x.extents[axis] is None else place(x, axis, part))
        else:
            picks.append((len(entries), len(extents), axis))
            entries.append(part)
        axis += width(part)
    check_order(parts, copies, picks)
    return with_picks(x, entries, extents, picks) if picks else Plan(tuple(entries), tuple(extents), copies, merged)


def is_scalar(part):
    return isinstance(part, int | np.integer) or is_reference(part) and not part.shape


def check_order(parts, copies, picks):
    """Array indices that are no neighbours would move the axes around."""
    where = [k for k, p in enumerate(parts) if p is not None and not isinstance(p, slice)]
    if (copies or picks) and where != list(range(where[0], where[-1] + 1)) or copies and (picks or sum(map(is_mask, parts)) > 1):
        raise NeedStatic(None, UNKNOWN)


def is_mask(part):
    return getattr(getattr(part, "dtype", None), "kind", "") == "b"


def with_picks(x, entries, extents, picks):
    """The Plan where index arrays pick elements: they have one axis together, whose extent is theirs."""
    arrays = [ragged_of(entries[k]) for k, _, _ in picks]
    if any(a.ndim != 1 for a in arrays) or any(x.extents[axis] is not None for _, _, axis in picks):
        raise NeedStatic(x.array, UNKNOWN)
    arrays, (extent,) = align(arrays)
    for (k, _, _), array in zip(picks, arrays):
        entries[k] = array.masked(0)
    scalars_before = [k for k, e in enumerate(entries[:picks[0][0]]) if is_scalar(e)]
    at = picks[0][1] if not scalars_before else sum(not is_scalar(e) for e in entries[:scalars_before[0]])
    extents = [*extents[:at], extent, *extents[at:]]
    return Plan(tuple(entries), tuple(extents), True, None, tuple((k, axis) for k, _, axis in picks))


# slices -------------------------------------------------------------------------------------------------------------------
def sliced(x, axis, part):
    """(entry, extent) of a slice."""
    size = x.array.shape[axis]
    if x.extents[axis] is not None:
        return within(x.extents[axis], part, x)
    if not any(is_reference(b) and b.known is None for b in (part.start, part.stop, part.step)):
        return part, None
    step = 1 if part.step is None else operator.index(part.step)
    length = part.start.window(part.stop, size) if step == 1 and is_reference(part.start) and part.stop is not None else None
    if length is not None:
        return Window(part.start, length), None
    if step < 0:
        return reversed_slice(part, step, size, x)
    span = ext.Span(bound(part.start, size, 0), bound(part.stop, size, size), size)
    return FULL, span if step == 1 else every(span, step)


def every(span, step):
    """Each step-th place of a span."""
    at = ext.constant(np.arange(span.size))
    return ext.Chosen(ext.valid(span) & ((at - span.lo) % step == 0), span.size)


def reversed_slice(part, step, size, x):
    """A slice that runs backwards, as the reversed slice of the same places."""
    if step != -1 or any(b is not None and not is_nonnegative(b) for b in (part.start, part.stop)):
        raise NeedStatic(x.array, UNKNOWN)
    forward = slice(None if part.stop is None else part.stop + 1, None if part.start is None else part.start + 1)
    span = ext.Span(bound(forward.start, size, 0), bound(forward.stop, size, size), size)
    return slice(None, None, -1), ext.Span(size - span.hi, size - span.lo, size)


def is_nonnegative(value):
    found = affine.interval(ext.current(), value)
    return found is not None and found[0] >= 0


def bound(value, size, default):
    """A slice bound as a place between 0 and size."""
    if value is None:
        return default
    known = value.known if is_reference(value) else value
    if known is not None:
        known = operator.index(known[()] if is_reference(value) else known)
        return slice(known, None).indices(size)[0]
    affine.prefer_static(ext.current(), value)
    if value.dtype.kind not in "iu":
        raise TypeError("slice indices must be integers")
    low, high = affine.interval(ext.current(), value) or (-1, size + 1)
    if low < 0:
        value = np.maximum(np.where(value < 0, value + size, value), 0)
    return np.minimum(value, size) if high > size else value


def within(extent, part, x):
    """A slice of an axis that has an extent already."""
    step = 1 if part.step is None else operator.index(part.step)
    if step == -1 and part.start is None and part.stop is None:
        from .functions import flipped
        return slice(None, None, -1), flipped(extent)
    if part.start is None and part.stop is None and step == 1:
        return FULL, extent
    if step != 1 or isinstance(extent, ext.Chosen):
        raise NeedStatic(x.array, UNKNOWN)
    lo = extent.lo if part.start is None else relative(extent, part.start)
    hi = extent.hi if part.stop is None else relative(extent, part.stop)
    return FULL, ext.Span(lo, hi, extent.size)


def relative(extent, value):
    """A bound that counts from the first place of an extent, or back from its end."""
    known = value.known if is_reference(value) else value
    if known is not None and known < 0:
        return np.maximum(extent.hi + value, extent.lo)
    if known is None and not is_nonnegative(value):
        n = ext.count(extent)
        value = np.maximum(np.where(value < 0, value + n, value), 0)
    return np.minimum(extent.lo + value, np.maximum(extent.hi, extent.lo))


def chosen(x, axis, mask):
    """The extent of a boolean mask."""
    if is_ragged(mask):
        if mask.ndim != 1:
            raise NeedStatic(mask.array, UNKNOWN)
        return chosen_again(mask, extent_of(x, axis))
    shape = x.array.shape[axis: axis + mask.ndim]
    if any(e is not None for e in x.extents[axis: axis + mask.ndim]):
        raise NeedStatic(x.array, UNKNOWN)
    if tuple(mask.shape) != tuple(shape):
        raise IndexMismatch(f"a boolean index of shape {mask.shape} does not match the axes {shape} that it covers", "Compare the shapes.")
    mask = ext.constant(mask) if isinstance(mask, np.ndarray) else mask
    mask = np.ravel(mask) if mask.ndim > 1 else mask
    return ext.Chosen(mask, mask.shape[0])


def chosen_again(mask, own):
    """The extent of a mask that is itself of unknown length, on an axis of extent `own`. Arrays of one extent get one extent."""
    builder, version = ext.current(), mask.array.storage.version
    for old, at, block, found in mask.memo:
        if old == version and ext.same(at, own) and at.size == own.size and any(block is b for b in builder.stack):
            builder.reused.append((mask.array.storage, version, block))
            return found
    ext.require_same_count(own, extent_of(mask, 0))
    found = ext.Chosen(to_extent(mask, 0, own).masked(False), own.size)
    mask.memo.append((version, own, builder.block, found))
    return found


def place(x, axis, k):
    """The place in the static array of element k of an axis that has an extent; an IndexError of the program if there is none."""
    extent = x.extents[axis]
    n = ext.count(extent)
    known = k.known if is_reference(k) else k
    if known is not None:
        known = int(known)
        ext.check(n <= known if known >= 0 else n < -known, "IndexError('index out of bounds')", IndexError)
        k = known if known >= 0 else n + known
    else:
        k = k if is_nonnegative(k) else np.where(k < 0, k + n, k)
        ext.check(np.logical_or(k < 0, k >= n), "IndexError('index out of bounds')", IndexError)
    found = extent.lo + k if isinstance(extent, ext.Span) else ext.ranked(extent)[k]
    return np.minimum(np.maximum(found, 0), extent.size - 1) if is_reference(found) else found


# stores -------------------------------------------------------------------------------------------------------------------
def store(x, index, value, mode="set"):
    """`x[index] = value`, or `np.add.at(x, index, value)` for mode "add"."""
    x = ragged_of(x)
    plan = parse(x, index)
    value = ragged_of(value)
    if plan.picked:
        return scatter(x, plan, value, mode)
    if not any(e is not None for e in plan.extents) and not any(e is not None for e in value.extents):
        return views.store(x.array, plan.entries, value.array, mode)
    region = views.read(x.array, plan.entries)
    valid = Ragged(flat(region, plan), plan.extents).valid()
    new = fitted(value, plan, flat(region, plan).shape)
    if plan.merged:
        valid, new = (unflat(v, region, plan) for v in (valid, new))
    new = in_dtype(new, region.dtype)
    if valid is not None:
        new = np.where(valid, new, region if mode == "set" else 0)
    views.store(x.array, plan.entries, new, mode)


def flat(region, plan):
    if not plan.merged:
        return region
    at, axes = plan.merged
    return np.reshape(region, (*region.shape[:at], -1, *region.shape[at + axes:]))


def unflat(value, region, plan):
    """A value against the region whose mask covers several axes: those axes are restored."""
    at, axes = plan.merged
    rest = region.ndim - at - axes
    have = value.ndim if is_reference(value) else 0
    where = have - rest - 1
    if where < 0:
        return value
    dims = region.shape[at: at + axes] if value.shape[where] != 1 else (1,) * axes
    return np.reshape(value, (*value.shape[:where], *dims, *value.shape[where + 1:]))


def in_dtype(value, dtype):
    """A value in the dtype of the array that it is stored into; numbers and what does not fit stay as they are."""
    have = optable.aval_of(value)
    if have.weak or have.dtype == dtype or have.dtype.kind == "c" and dtype.kind != "c":
        return value
    return value.astype(dtype) if is_reference(value) else np.asarray(value).astype(dtype)[()]


def fitted(value, plan, shape):
    """The static array of a value whose elements stand where those that they replace do."""
    if not is_reference(value.array):
        return value.array
    for back in range(1, min(value.ndim, len(shape)) + 1):
        axis, extent, size = value.ndim - back, plan.extents[-back], shape[-back]
        if value.extents[axis] is None and (extent is None or value.array.shape[axis] == 1):
            continue
        target = ext.Span(0, size, size) if extent is None else extent
        value = spread(value, axis, target)
    return value.array


def scatter(x, plan, value, mode):
    """A store at ragged index arrays: places that do not count go to one more row, which is cut off again."""
    k, axis = plan.picked[0]
    at = next(i for i, e in enumerate(plan.extents) if e is not None)
    size, ndim = x.array.shape[axis], x.ndim
    wide = np.copy(np.pad(x.array, [(0, int(a == axis)) for a in range(ndim)]))
    entries = list(plan.entries)
    extent = plan.extents[at]
    inside = entries[k] if is_never_negative(entries[k]) else np.where(entries[k] < 0, entries[k] + size, entries[k])
    entries[k] = np.where(ext.valid(extent), inside, size)
    shape = views.read(wide, tuple(entries)).shape
    views.store(wide, tuple(entries), in_dtype(fitted(value, plan, shape), x.dtype), mode)
    x.array[...] = wide[ext.along(axis, slice(0, size), ndim)]


def is_never_negative(index):
    return index.dtype.kind == "u"
