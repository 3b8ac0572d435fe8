"""Functions that change an array in place: np.add.at, np.put, np.copyto and their like."""

import numpy as np

from ..errors import TransformError
from .op import function, is_reference, lookup
from .shaping import coerced


def accumulate(a, indices, b):
    """Add `b` at `indices`; repeated indices count as often as they occur."""
    if not is_reference(a):
        raise TransformError("np.add.at on an array that is known before the function runs",
                             "Make the array inside the function, for instance with np.zeros.")
    a.accumulate(indices, b)


@function(np.add.at)
def add_at(a, indices, b):
    accumulate(a, indices, b)


@function(np.subtract.at)
def subtract_at(a, indices, b):
    accumulate(a, indices, -b if is_reference(b) else np.negative(b))


@function(np.put, method="put")
def put(a, ind, v, mode="raise"):
    """Store into the flattened array; `v` is repeated as often as needed."""
    count = int(np.size(ind))
    v = lookup(np.ravel)(v)
    if np.size(v) != count:
        v = lookup(np.resize)(v, (count,))
    flat = lookup(np.reshape)(a, (-1,))
    flat[lookup(np.ravel)(wrapped(ind, np.size(a), mode))] = v


def wrapped(ind, size, mode):
    """Indices as modes "wrap" and "clip" of np.take and np.put bring them into range."""
    if mode == "raise":
        return ind
    return lookup(np.remainder)(ind, size) if mode == "wrap" else lookup(np.clip)(ind, 0, size - 1)


@function(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    if axis is None:
        arr, axis = lookup(np.reshape)(arr, (-1,)), 0
    arr[along(np.shape(indices), np.ndim(arr), axis, indices)] = values


def along(shape, ndim, axis, indices):
    """The index that takes `indices` along an axis and runs over the others."""
    axis %= ndim
    grid = np.ix_(*(np.arange(n) for n in shape))
    return tuple(indices if k == axis else grid[k] for k in range(ndim))


@function(np.copyto)
def copyto(dst, src, casting="same_kind", where=True):
    dst[...] = src if where is True else lookup(np.where)(where, src, dst)


@function(np.putmask)
def putmask(a, mask, values):
    """Where the mask is set, the element of `values` (repeated) at the same flat position."""
    values = coerced(values)
    if np.size(values) != 1:
        values = lookup(np.reshape)(lookup(np.resize)(values, (np.size(a),)), np.shape(a))
    a[...] = lookup(np.where)(mask, values, a)


@function(np.place)
def place(arr, mask, vals):
    """Where the mask is set, the next of `vals`, which start again when they are used up."""
    vals = coerced(vals)
    count = np.size(vals)
    if count == 1:
        arr[...] = lookup(np.where)(mask, lookup(np.reshape)(vals, ()), arr)
        return
    rank = lookup(np.cumsum)(lookup(np.astype)(lookup(np.ravel)(mask), int)) - 1
    chosen = lookup(np.take)(lookup(np.ravel)(vals), rank % count)
    arr[...] = lookup(np.where)(mask, lookup(np.reshape)(chosen, np.shape(arr)), arr)


@function(np.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    shape = np.shape(a)
    if len(shape) < 2 or wrap or len(shape) > 2 and len(set(shape)) > 1:
        raise TransformError(f"np.fill_diagonal of an array of shape {shape}" + (" with wrap" if wrap else ""),
                             "It needs at least two axes, of equal sizes where there are more, and wrap=False.")
    where = np.arange(min(shape))
    if np.ndim(val) and np.size(val) != where.size:
        val = lookup(np.resize)(val, (where.size,))
    a[(where,) * len(shape)] = val
