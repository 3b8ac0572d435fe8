"""Functions whose result has a size that depends on values: with `size=` the size is static, and what is left over is filled.

Without `size` they are NumPy's; inside of compiled functions, which need static shapes, that is an error with advice.
"""

import operator

import numpy as np

from .. import eager
from ..eager import Function
from ..errors import AxisMismatch, ShapeError, TypeMismatch
from ..ops import op as optable

_table = {f: Function(f) for f in (np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.bincount, np.where, np.repeat, np.compress,
                                              np.extract, np.histogram, np.digitize)}


# positions --------------------------------------------------------------------------------------------------------------
def positions(mask, size, fill):
    """Positions (in the flattened array) of the first `size` true entries; then `fill`."""
    mask = np.ravel(mask)
    count, length = np.sum(mask), np.shape(mask)[0]
    order = optable.lookup(np.argsort)(np.logical_not(mask), stable=True)
    order = order[:size] if size <= length else np.concatenate([order, np.zeros(size - length, np.int64)])
    return np.where(np.arange(size) < count, order, fill), np.arange(size) < count


def sized_nonzero(a, size, fill_value):
    shape = np.shape(a) or (1,)
    flat, valid = positions(a != 0, size, 0)
    fill = fill_value if isinstance(fill_value, tuple) else (0 if fill_value is None else fill_value,) * len(shape)
    if len(fill) != len(shape):
        raise TypeMismatch(f"nonzero of an array of {len(shape)} axes got a fill_value of {len(fill)} numbers", "Give one for each axis.")
    found, rest = [], flat
    for n in reversed(shape):
        found.insert(0, rest % max(n, 1))
        rest = rest // max(n, 1)
    return tuple(np.where(valid, f, value) for f, value in zip(found, fill))


def nonzero(a, *, size=None, fill_value=None):
    """Indices of the nonzero elements, one array per axis; with `size` exactly that many."""
    if size is None:
        return _table[np.nonzero].call((a,), {})
    return eager.call(sized_nonzero, (a, operator.index(size), fill_value), {})


def flatnonzero(a, *, size=None, fill_value=None):
    """Indices of the nonzero elements of the flattened array."""
    if size is None:
        return _table[np.flatnonzero].call((a,), {})
    return nonzero(eager.call(optable.FUNCTIONS[np.ravel], (a,), {}), size=size, fill_value=fill_value)[0]


def argwhere(a, *, size=None, fill_value=None):
    """Indices of the nonzero elements, one row each."""
    if size is None:
        return _table[np.argwhere].call((a,), {})
    found = nonzero(a, size=size, fill_value=fill_value)
    return eager.call(optable.FUNCTIONS[np.stack], (list(found),), {"axis": 1})


def where(condition, x=None, y=None, /, *, size=None, fill_value=None):
    """Elements of x where the condition holds, else of y; with the condition alone, as `nonzero`."""
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise TypeMismatch("where takes one or three arguments", "Pass both x and y, or neither.")
    return eager.call(_table[np.where].implementation, (condition, x, y), {}, True)


def sized_extract(condition, arr, size, fill_value):
    flat, valid = positions(condition, size, 0)
    return np.where(valid, np.ravel(arr)[flat], np.asarray(fill_value, optable.aval_of(arr).dtype))


def extract(condition, arr, *, size=None, fill_value=0):
    """The elements of the flattened array where the condition holds."""
    if size is None:
        return _table[np.extract].call((condition, arr), {})
    return eager.call(sized_extract, (condition, arr, operator.index(size), fill_value), {})


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    """Slices along an axis where the condition holds."""
    if size is None:
        return _table[np.compress].call((condition, a), {"axis": axis})
    if axis is not None:
        raise TypeMismatch("compress takes size= only without an axis", "Flatten the array, or leave size out.")
    return extract(condition, a, size=size, fill_value=fill_value)


def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    """Elements repeated; with `total_repeat_length` the counts may be computed values."""
    if total_repeat_length is None:
        return _table[np.repeat].call((a, repeats), {"axis": axis})
    return eager.call(sized_repeat, (a, repeats, axis, operator.index(total_repeat_length)), {})


def sized_repeat(a, repeats, axis, total):
    if axis is None:
        a, axis = np.ravel(a), 0
    n = np.shape(a)[axis]
    ends = np.cumsum(np.broadcast_to(repeats, (n,)))
    where = np.minimum(optable.lookup(np.searchsorted)(ends, np.arange(total), side="right"), n - 1)
    return np.take(a, where, axis=axis)


# sets -------------------------------------------------------------------------------------------------------------------
def differs(ordered, equal_nan):
    """Which elements (or rows) are not the one before; nan sorts last and is equal to nan if `equal_nan`."""
    new = ordered[1:] != ordered[:-1]
    if equal_nan and optable.aval_of(ordered).dtype.kind in "fcV":
        new = new & ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    return new


def sized_unique(x, size, fill_value, equal_nan=True, axis=None):
    """(values, position of the first occurrence, inverse, counts) of the unique elements, or slices along an axis, `size` of each."""
    x = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    length = np.shape(x)[0]
    if np.ndim(x) == 1:
        order = optable.lookup(np.argsort)(x, stable=True)
        new = differs(x[order], equal_nan)
    else:
        rows = np.reshape(x, (length, -1))
        order = optable.lookup(np.lexsort)(np.transpose(rows)[::-1])
        new = np.any(differs(rows[order], equal_nan), axis=1)
    new = np.concatenate([np.ones(1, bool), new])[:length]
    starts, valid = positions(new, size, 0)
    values = x[order[starts]]
    fill = values[0] if fill_value is None else np.asarray(fill_value, optable.aval_of(x).dtype)
    inverse = (np.cumsum(new) - 1)[optable.lookup(np.argsort)(order)]
    ends = np.where(np.arange(size) + 1 < np.sum(new), np.concatenate([starts[1:], np.zeros(1, np.int64)]), length)
    values = np.where(np.reshape(valid, (-1,) + (1,) * (np.ndim(x) - 1)), values, fill)
    return values if axis is None else np.moveaxis(values, 0, axis), order[starts], inverse, np.where(valid, ends - starts, 0)


def filled_unique(ar, size, fill_value, axis):
    """`sized_unique` of no elements."""
    if fill_value is None and size:
        raise ShapeError("unique of no elements with a size needs a fill_value", "Pass fill_value=.")
    shape = (size,) if axis is None else tuple(size if k == axis % np.ndim(ar) else n for k, n in enumerate(np.shape(ar)))
    none = eager.new_array(np.zeros(size, np.int64))
    return eager.new_array(np.full(shape, fill_value or 0, optable.aval_of(ar).dtype)), none, none[:0], none


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None, fill_value=None,
           sorted=True):
    """The sorted unique elements, or slices along an axis; with `size` exactly that many, the rest being `fill_value` (default: the smallest)."""
    if axis is not None and not -np.ndim(ar) <= axis < np.ndim(ar):
        raise AxisMismatch(f"unique along axis {axis} of an array of {np.ndim(ar)} axes", "Name an axis that it has.")
    if size is None:
        return _table[np.unique].call((ar, return_index, return_inverse, return_counts, axis), {"equal_nan": equal_nan})
    size = operator.index(size)
    if not all(np.shape(ar)):
        values, index, inverse, counts = filled_unique(ar, size, fill_value, axis)
    else:
        values, index, inverse, counts = eager.call(sized_unique, (ar, size, fill_value, equal_nan, axis), {})
        inverse = inverse.reshape(np.shape(ar)) if axis is None else inverse
    wanted = [v for v, asked in ((index, return_index), (inverse, return_inverse), (counts, return_counts)) if asked]
    return (values, *wanted) if wanted else values


def unique_values(x, /, *, size=None, fill_value=None):
    """The sorted unique elements."""
    return unique(x, size=size, fill_value=fill_value)


def unique_counts(x, /, *, size=None, fill_value=None):
    """(values, counts)."""
    return UniqueCounts(*unique(x, return_counts=True, size=size, fill_value=fill_value))


def unique_inverse(x, /, *, size=None, fill_value=None):
    """(values, inverse_indices)."""
    return UniqueInverse(*unique(x, return_inverse=True, size=size, fill_value=fill_value))


def unique_all(x, /, *, size=None, fill_value=None):
    """(values, indices, inverse_indices, counts)."""
    return UniqueAll(*unique(x, True, True, True, size=size, fill_value=fill_value))


UniqueCounts, UniqueInverse, UniqueAll = (type(getattr(np, f"unique_{n}")(np.zeros(1))) for n in ("counts", "inverse", "all"))


def sized_selection(a, b, size, fill_value, keep):
    """The unique elements of both arrays that `keep(in a, in b)` selects."""
    both = np.concatenate([np.ravel(a), np.ravel(b)])
    values, _, _, counts = sized_unique(both, np.shape(both)[0], None)
    kept = np.logical_and(counts > 0, keep(np.isin(values, a), np.isin(values, b)))
    flat, valid = positions(kept, size, 0)
    found = values[flat]
    return np.where(valid, found, found[0] if fill_value is None else np.asarray(fill_value, optable.aval_of(both).dtype))


def union1d(ar1, ar2, *, size=None, fill_value=None):
    """The sorted unique elements of either array."""
    flat = [eager.call(optable.FUNCTIONS[np.ravel], (a,), {}) for a in (ar1, ar2)]
    return unique(eager.call(optable.FUNCTIONS[np.concatenate], (flat,), {}), size=size, fill_value=fill_value)


def _set_function(name, keep):
    function = getattr(np, name)

    def call(ar1, ar2, assume_unique=False, *, size=None, fill_value=None, **kwargs):
        if size is None:
            return eager.call(function, (ar1, ar2, assume_unique), kwargs)
        return eager.call(sized_selection, (ar1, ar2, operator.index(size), fill_value, keep), {})
    call.__name__ = call.__qualname__ = name
    call.__module__, call.__doc__ = "transformer.numpy", f"`numpy.{name}`, with a static size if one is given."
    return call


intersect1d = _set_function("intersect1d", np.logical_and)
setxor1d = _set_function("setxor1d", np.logical_xor)
setdiff1d = _set_function("setdiff1d", lambda a, b: np.logical_and(a, np.logical_not(b)))


# counting ---------------------------------------------------------------------------------------------------------------
def bincount(x, weights=None, minlength=0, *, length=None):
    """How often each integer occurs; with `length` exactly that many counts."""
    if length is None:
        if not any(map(optable.holds_reference, (x, weights))):
            counts = eager.call(np.bincount, (x, weights, minlength), {})
        else:
            counts = _table[np.bincount].call((x, weights, minlength), {})
        return counts if weights is None else counts.astype(optable.aval_of(weights).dtype)
    return eager.call(sized_bincount, (x, weights, operator.index(length)), {})


def sized_bincount(x, weights, length):
    x = np.ravel(x)
    inside = np.logical_and(x >= 0, x < length)
    dtype = np.int64 if weights is None else optable.aval_of(weights).dtype
    one = np.where(inside, np.asarray(1, np.int64) if weights is None else np.ravel(weights), 0)
    hits = np.equal(np.expand_dims(np.where(inside, x, 0), 1), np.arange(length))
    return np.sum(np.where(hits, np.expand_dims(one, 1), 0), axis=0).astype(dtype)


def histogram(a, bins=10, range=None, weights=None, density=None):
    """(counts, edges)."""
    counts, edges = _table[np.histogram].call((a, bins, range, density, weights), {})
    return counts.astype(eager.array_dtype(float)) if counts.dtype.kind in "iu" else counts, edges


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of equal bins."""
    return eager.call(optable.FUNCTIONS[np.histogram_bin_edges], (a, bins, range, weights), {})
