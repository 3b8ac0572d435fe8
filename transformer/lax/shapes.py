"""Making and reshaping arrays under XLA's names."""

import operator

import numpy as np

from .. import eager
from ..errors import ShapeError, TypeMismatch
from .wrapping import cast, dtype_of, lax, normal_axes, storable


@lax
def broadcast(operand, sizes):
    """New axes of these sizes in front."""
    return np.broadcast_to(operand, (*sizes, *np.shape(operand)))


@lax
def broadcast_like(arr, like_arr):
    """An array broadcast to the shape of another one."""
    return np.broadcast_to(arr, np.shape(like_arr))


@lax
def broadcast_in_dim(operand, shape, broadcast_dimensions):
    """The array with its axis k as axis broadcast_dimensions[k] of `shape`."""
    if len(broadcast_dimensions) != np.ndim(operand):
        raise ShapeError(f"broadcast_in_dim: {len(broadcast_dimensions)} dimensions for an array of {np.ndim(operand)} axes", "Give one per axis.")
    middle = [1] * len(shape)
    for size, axis in zip(np.shape(operand), broadcast_dimensions):
        middle[axis] = size
    return np.broadcast_to(np.reshape(operand, tuple(middle)), tuple(shape))


@lax
def broadcast_to_rank(x, rank):
    """New axes of size 1 in front, up to `rank` axes."""
    return np.reshape(x, (*(1,) * (rank - np.ndim(x)), *np.shape(x)))


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes broadcast to."""
    return np.broadcast_shapes(*shapes)


@lax
def expand_dims(array, dimensions):
    """Axes of size 1 at these places of the result."""
    return np.expand_dims(array, tuple(dimensions))


@lax
def squeeze(array, dimensions=None):
    """The array without these axes of size 1."""
    if dimensions is None:
        return np.squeeze(array)
    return np.squeeze(array, normal_axes(dimensions, np.ndim(array), "squeeze")) if np.ndim(array) else array


@lax
def reshape(operand, new_sizes, dimensions=None):
    """The array in another shape; dimensions: the order in which its axes are read first."""
    if dimensions is not None:
        operand = np.transpose(operand, tuple(dimensions))
    return np.reshape(operand, tuple(map(operator.index, new_sizes)))


@lax
def collapse(operand, start_dimension, stop_dimension=None):
    """The axes start, ..., stop - 1 as one."""
    shape, ndim = np.shape(operand), np.ndim(operand)
    start, stop = range(ndim)[start_dimension], ndim if stop_dimension is None else range(ndim + 1)[stop_dimension]
    return np.reshape(operand, (*shape[:start], int(np.prod(shape[start:stop], dtype=int)), *shape[stop:]))


@lax
def transpose(operand, permutation):
    """Axis permutation[k] of the array as axis k."""
    return np.transpose(operand, tuple(permutation))


@lax
def rev(operand, dimensions):
    """The array backwards along some axes."""
    return np.flip(operand, tuple(dimensions))


@lax
def concatenate(operands, dimension):
    """Arrays joined along an axis."""
    return np.concatenate(list(operands), axis=dimension)


@lax
def split(operand, sizes, axis=0):
    """Consecutive parts of these sizes along an axis, as a list."""
    if sum(sizes) != np.shape(operand)[axis]:
        raise ShapeError(f"split: the sizes {tuple(sizes)} do not add up to {np.shape(operand)[axis]}", "Give sizes for the whole axis.")
    return list(np.split(operand, np.cumsum(sizes)[:-1].tolist(), axis=axis))


@lax
def stack(operands, axis=0):
    """Arrays of one shape along a new axis."""
    return np.stack(list(operands), axis=axis)


@lax
def unstack(operand, axis=0):
    """The elements along an axis, as a tuple."""
    return tuple(np.moveaxis(operand, axis, 0))


@lax
def tile(operand, reps):
    """The array repeated along each axis."""
    return np.tile(operand, tuple(reps))


@lax
def pad(operand, padding_value, padding_config):
    """The array with (low, high, interior) elements added per axis; negative low and high cut elements off."""
    config = [tuple(map(int, c)) for c in padding_config]
    if len(config) != np.ndim(operand):
        raise ShapeError(f"pad: {len(config)} triples for an array of {np.ndim(operand)} axes", "Give (low, high, interior) for each axis.")
    spread = [max(0, n + max(0, n - 1) * i) for n, (_, _, i) in zip(np.shape(operand), config)]
    low = [max(0, a) for a, _, _ in config]
    whole = [n + a + max(0, b) for n, a, (_, b, _) in zip(spread, low, config)]
    out = storable(np.broadcast_to(cast(padding_value, dtype_of(operand)), tuple(whole)), operand)
    out[tuple(slice(a, a + n, i + 1) for a, n, (_, _, i) in zip(low, spread, config))] = operand
    return out[tuple(slice(max(0, -a), n + min(0, b)) for n, (a, b, _) in zip(whole, config))]


def iota(dtype, size):
    """0, 1, ..., size - 1."""
    return eager.new_array(np.arange(size), dtype=eager.array_dtype(dtype))


def broadcasted_iota(dtype, shape, dimension):
    """An array of `shape` whose elements are their index along an axis."""
    column = np.arange(shape[dimension]).reshape([-1 if k == dimension else 1 for k in range(len(shape))])
    return eager.new_array(np.broadcast_to(column, shape), dtype=eager.array_dtype(dtype))


def full(shape, fill_value, dtype=None, *, sharding=None):
    """An array of one value."""
    from .. import numpy as jnp
    return jnp.full(shape, fill_value, dtype)


def empty(shape, dtype=None, *, out_sharding=None):
    """An array whose contents do not matter."""
    return full(shape, 0, dtype)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """An array of one value with the shape and dtype of `x`."""
    from .. import numpy as jnp
    return jnp.full(np.shape(x) if shape is None else shape, fill_value, dtype_of(x) if dtype is None else dtype)


def dtype(x):
    """The dtype of an array or number."""
    if not hasattr(x, "dtype") and not isinstance(x, bool | int | float | complex):
        raise TypeMismatch(f"a value of type {type(x).__name__} has no dtype", "Pass an array or a number.")
    return eager.array_dtype(dtype_of(x))


__all__ = ["broadcast_like",
           "broadcast", "broadcast_in_dim", "broadcast_shapes", "broadcast_to_rank", "broadcasted_iota", "collapse", "concatenate", "dtype",
           "empty", "expand_dims", "full", "full_like", "iota", "pad", "reshape", "rev", "split", "squeeze", "stack", "tile", "transpose",
           "unstack"]
