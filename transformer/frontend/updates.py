"""`x.at[index].set(value)` and its kin: a new array with some elements changed, `x` left as it is.

They work on references and on NumPy arrays alike. Repeated indices count as often as they occur. What an index out of range means is
said by `mode`: "drop" leaves the update out, "clip" takes the nearest valid place, and without a mode it is an IndexError.
"""

import numpy as np

from ..core import Aval, For, Move
from ..errors import TypeMismatch
from ..ops import op as optable
from . import promotion
from .reference import is_device_array, is_reference

MODES = {None: "raise", "promise_in_bounds": "raise", "raise": "raise", "drop": "drop", "fill": "drop", "clip": "clip"}


class At:
    """`x.at`; index it. `finish` makes the result of an ndarray."""

    __slots__ = ("array", "finish")
    __transformer_opaque__ = True

    def __init__(self, array, finish=None):
        self.array, self.finish = array, finish

    def __getitem__(self, index):
        return Updates(self.array, on_host(index), self.finish)


def on_host(index):
    """An index with NumPy arrays in place of device arrays."""
    if isinstance(index, tuple):
        return tuple(map(on_host, index))
    return np.asarray(index) if is_device_array(index) else index


class Updates:
    """`x.at[index]`: each method returns a new array."""

    __slots__ = ("array", "done", "index")
    __transformer_opaque__ = True

    def __init__(self, array, index, finish):
        self.array, self.index, self.done = array, index, finish

    def start(self, values=None):
        """A copy of the array that may be stored into."""
        if not is_reference(self.array) and not optable.holds_reference(as_list(self.index)) and not optable.holds_reference(values):
            return np.array(self.array)
        from .builder import current
        builder = current()
        ref = builder.operand(self.array)
        name = builder.fresh(ref.hint or builder.hints.get(ref.storage.name, "x"), Aval(ref.shape, ref.dtype))
        builder.add(Move(name, builder.read(ref)))
        copy = builder.reference(name)
        copy.storage.jnp = promotion.mark_of(ref) or promotion.STRONG
        return copy

    def finish(self, result):
        return result if is_reference(result) else self.done(result)

    def set(self, values, *, mode=None, **hints):
        """The values stored at the index."""
        return self.changed(mode, hints, _store, values)

    def add(self, values, *, mode=None, **hints):
        """The values added at the index."""
        return self.changed(mode, hints, _accumulate, values)

    def subtract(self, values, *, mode=None, **hints):
        """The values subtracted at the index."""
        return self.changed(mode, hints, _accumulate, np.negative(values))

    def multiply(self, values, *, mode=None, **hints):
        """The elements at the index times the values."""
        return self.combined(np.multiply, values, mode, hints)

    mul = multiply

    def divide(self, values, *, mode=None, **hints):
        """The elements at the index divided by the values."""
        return self.combined(np.divide, values, mode, hints)

    def power(self, values, *, mode=None, **hints):
        """The elements at the index to the power of the values."""
        return self.combined(np.power, values, mode, hints)

    def min(self, values, *, mode=None, **hints):
        """The smaller of the elements at the index and the values."""
        return self.combined(np.minimum, values, mode, hints)

    def max(self, values, *, mode=None, **hints):
        """The larger of the elements at the index and the values."""
        return self.combined(np.maximum, values, mode, hints)

    def apply(self, func, *, mode=None, **hints):
        """`func` of the elements at the index."""
        return self.changed(mode, hints, lambda x, index, values: _store(x, index, func(x[index])), None)

    def get(self, *, mode=None, fill_value=None, **hints):
        """The elements at the index. mode "fill" (or a fill_value): what is out of range reads as `fill_value` (default nan, 0 or False)."""
        _check_hints(hints)
        x = self.start(fill_value)
        if mode == "fill" or fill_value is not None:
            index, inside = _clipped(x, self.index)
            fill = np.asarray(_missing(x.dtype), x.dtype) if fill_value is None else _fitting(x, fill_value)
            found = x[index]
            return self.finish(found if inside is None else np.where(_spread(inside, found), found, fill))
        return self.finish(x[_clipped(x, self.index)[0] if mode == "clip" else self.index])

    def changed(self, mode, hints, change, values):
        _check_hints(hints)
        if mode not in MODES:
            raise TypeMismatch(f"mode {mode!r} of an update is not known", f"Known: {', '.join(m for m in MODES if m)}.")
        x, index = self.start(values), self.index
        if MODES[mode] == "clip":
            index = _clipped(x, index)[0]
        elif MODES[mode] == "drop":
            _, inside = _clipped(x, index)
            if inside is not None:
                return self.finish(_dropping(x, index, inside, change, values))
        result = change(x, index, values)
        return self.finish(x if result is None else result)

    def combined(self, ufunc, values, mode, hints):
        return self.changed(mode, hints, lambda x, index, values: _combine(ufunc, x, index, values), values)


HINTS = {"indices_are_sorted", "unique_indices", "wrap_negative_indices", "out_sharding"}


def _check_hints(hints):
    unknown = set(hints) - HINTS
    if unknown:
        raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r} of an update")


# stores -----------------------------------------------------------------------------------------------------------------
def _fitting(x, values):
    """Values in the dtype of the array; JAX casts silently."""
    if is_device_array(values) and not is_reference(x):
        values = np.asarray(values)
    if optable.aval_of(values).dtype == x.dtype if not isinstance(values, list | tuple) else False:
        return values
    return np.astype(np.asarray(values), x.dtype) if not is_reference(values) else optable.TABLE["astype"].bind(values, dtype=x.dtype)


def _store(x, index, values):
    x[index] = _fitting(x, values)


def _accumulate(x, index, values):
    values = _fitting(x, values)
    if is_reference(x):
        x.accumulate(index, values)
    else:
        np.add.at(x, index, values)


def _combine(ufunc, x, index, values):
    """`x[index] = ufunc(x[index], values)`, one element after the other where indices may repeat."""
    values = _fitting(x, values)
    if not is_reference(x) and not (ufunc is np.divide and x.dtype.kind in "iub") and x.dtype.kind != "V":
        ufunc.at(x, index, values)
    elif may_repeat(index):
        return _one_by_one(ufunc, x, index, values)
    elif is_single_mask(index) and np.ndim(values) <= x.ndim - np.ndim(as_list(index)[0]):
        mask = as_list(index)[0]
        spread = np.reshape(mask, np.shape(mask) + (1,) * (x.ndim - np.ndim(mask)))
        x[...] = np.where(spread, _fitting(x, optable.lookup(ufunc)(x, values)), x)
    else:
        x[index] = _fitting(x, optable.lookup(ufunc)(x[index], values))


COMBINING = (np.multiply, np.divide, np.maximum, np.minimum, np.power)
"""The ufuncs whose `at` is an update."""


def combine_at(ufunc, a, indices, b):
    """`ufunc.at(a, indices, b)`: stores into the reference `a`."""
    result = np.result_type(a.dtype, b.dtype if hasattr(b, "dtype") else np.asarray(b).dtype)
    result = np.dtype(np.float64) if ufunc is np.divide and result.kind in "iub" else result
    if not np.can_cast(result, a.dtype, "same_kind"):
        raise TypeMismatch(f"np.{ufunc.__name__}.at stores {result} into an array of {a.dtype}", "Convert one of them with .astype().")
    changed = _combine(ufunc, a, indices, b)
    if changed is not None:
        a[...] = changed


def _one_by_one(ufunc, x, index, values):
    """The array after a loop over the selected places, in order."""
    from .builder import current
    builder = current()
    places = builder.operand(np.arange(x.size).reshape(x.shape))[index]
    values = builder.operand(np.ravel(np.broadcast_to(builder.operand(values), places.shape)))
    places = builder.operand(np.ravel(places))
    flat = Updates(np.reshape(x, (-1,)), (), None).start()
    with builder.nested() as block:
        name = builder.fresh("i", Aval((), np.dtype(np.int64), True))
        place = places[builder.reference(name)]
        flat[place] = optable.lookup(ufunc)(flat[place], values[builder.reference(name)])
    builder.add(For(name, 0, places.shape[0], 1, block))
    return np.reshape(flat, x.shape)


def as_list(index):
    return list(index) if isinstance(index, tuple) else [index]


def is_mask(part):
    if isinstance(part, list) and not optable.holds_reference(part):
        part = np.asarray(part)
    return isinstance(part, bool) or (hasattr(part, "dtype") and part.dtype == np.dtype(bool))


def is_single_mask(index):
    parts = as_list(index)
    return len(parts) == 1 and is_mask(parts[0]) and np.ndim(parts[0]) > 0


def may_repeat(index):
    """Whether an index may select an element twice: it holds integer arrays that are not known to be free of repetition."""
    arrays = [p for p in as_list(index) if not isinstance(p, slice | int | type(None) | type(...)) and np.ndim(p) and not is_mask(p)]
    if not arrays:
        return False
    known = [p.known if is_reference(p) else np.asarray(p) for p in arrays]
    if any(k is None for k in known):
        return True
    rows = np.stack([k.ravel() for k in np.broadcast_arrays(*known)], 1)
    return bool((rows < 0).any() and (rows >= 0).any()) or len(np.unique(rows, axis=0)) < len(rows)


# indices out of range -------------------------------------------------------------------------------------------------------
def _parts(x, index):
    """(the parts of an index, [(place, part, axis)] of its integers and integer arrays)."""
    parts = as_list(index)
    counts = [0 if p is None else (np.ndim(p) or 1) if is_mask(p) else 1 for p in parts]
    for k, part in enumerate(parts):
        if part is Ellipsis:
            counts[k] = x.ndim - (sum(counts) - 1)
    axis, found = 0, []
    for k, (part, count) in enumerate(zip(parts, counts)):
        if not isinstance(part, slice | type(None) | type(...)) and not is_mask(part):
            found.append((k, part if is_reference(part) else np.asarray(part), axis))
        axis += count
    return parts, found


def _clipped(x, index):
    """(the index with its integers in range, where they were in range or None if that is certain)."""
    parts, found = _parts(x, index)
    inside = None
    for k, part, axis in found:
        size = x.shape[axis]
        known = part.known if is_reference(part) else part
        if known is not None and bool(((known >= -size) & (known < size)).all()):
            continue
        fits = np.logical_and(part >= -size, part < size)
        inside = fits if inside is None else np.logical_and(inside, fits)
        parts[k] = np.clip(np.where(part < 0, part + size, part), 0, max(size - 1, 0))
    return tuple(parts), inside


def _spread(inside, found):
    """A condition on the indexed axes, which come first, broadcast over the axes that follow them."""
    return np.reshape(inside, np.shape(inside) + (1,) * (np.ndim(found) - np.ndim(inside)))


def _missing(dtype):
    """What JAX reads out of range."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
    return True if dtype.kind == "b" else np.nan


def _dropping(x, index, inside, change, values):
    """The changed array where some indices may be out of range: those go to one more row, which is cut off again."""
    parts, found = _parts(x, index)
    axes = {axis for _, _, axis in found}
    padded = np.pad(x, [(0, 1) if k in axes else (0, 0) for k in range(x.ndim)])
    padded = Updates(padded, (), None).start(values) if is_reference(padded) else padded
    for k, part, axis in found:
        size = x.shape[axis]
        parts[k] = np.where(inside, np.where(part < 0, part + size, part), size)
    result = change(padded, tuple(parts), values)
    return (padded if result is None else result)[tuple(slice(0, n) for n in x.shape)]


def _at(ref):
    """`x.at`."""
    return At(ref)


optable.METHODS["at"] = _at
optable.ATTRIBUTES.add("at")
