"""Slices at dynamic places: starts are clamped so that the slice fits, as XLA does it."""

import numpy as np

from ..errors import ShapeError
from ..frontend.affine import interval
from ..frontend.builder import current
from ..frontend.reference import is_reference
from ..ops.index_templates import Span
from .wrapping import lax, normal_axes, storable


def place(start, size, length):
    """A slice of `length` elements of an axis of `size`; a negative start counts from the end, and is moved until the slice fits."""
    if not is_reference(start):
        start = int(start)
        start = min(max(start + size if start < 0 else start, 0), size - length)
        return slice(start, start + length)
    if length == size:
        return slice(None)
    if start.known is not None and not start.storage.varies:
        return place(start.known, size, length)
    found = interval(current(), start) or (-size, size)
    if found[0] < 0 and start.dtype.kind != "u":
        start = np.where(start < 0, start + size, start)
    if found[0] < 0 or found[1] > size - length:
        start = np.clip(start, 0, size - length)
    return Span(start, length)


def index_of(shape, starts, sizes, what):
    """The index of a slice of `sizes` at `starts`."""
    starts = list(starts) if isinstance(starts, list | tuple) else [starts[k] for k in range(np.shape(starts)[0])]
    if not len(shape) == len(starts) == len(sizes):
        raise ShapeError(f"{what} of an array of {len(shape)} axes with {len(starts)} starts and {len(sizes)} sizes", "Give one of each per axis.")
    for size, length in zip(shape, sizes):
        if length > size:
            raise ShapeError(f"{what}: a slice of shape {tuple(sizes)} does not fit into an array of shape {tuple(shape)}", "Use smaller sizes.")
    return tuple(place(start, size, int(length)) for start, size, length in zip(starts, shape, sizes))


def read(x, index):
    """x[index], where x becomes part of the program if the index is abstract."""
    if any(isinstance(e, Span) for e in index) and not is_reference(x):
        x = current().operand(np.asarray(x))
    return x[index]


def changed(x, index, update):
    """A copy of x with the elements at the index replaced."""
    out = storable(x, update, *(e.start for e in index if isinstance(e, Span)))
    out[index] = update if is_reference(update) or out.dtype == getattr(update, "dtype", None) else np.asarray(update).astype(out.dtype)
    return out


@lax
def dynamic_slice(operand, start_indices, slice_sizes):
    """A slice of static sizes at dynamic starts."""
    return read(operand, index_of(np.shape(operand), start_indices, slice_sizes, "dynamic_slice"))


@lax
def dynamic_update_slice(operand, update, start_indices):
    """The array with `update` written at dynamic starts."""
    return changed(operand, index_of(np.shape(operand), start_indices, np.shape(update), "dynamic_update_slice"), update)


def along(x, axis, entry):
    return (*(slice(None),) * axis, entry, *(slice(None),) * (np.ndim(x) - axis - 1))


@lax
def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0):
    """`dynamic_slice` along one axis."""
    axis, = normal_axes(axis, np.ndim(operand), "dynamic_slice_in_dim")
    return read(operand, along(operand, axis, place(start_index, np.shape(operand)[axis], slice_size)))


@lax
def dynamic_index_in_dim(operand, index, axis=0, keepdims=True):
    """One element along an axis, at a dynamic index that is clamped into range."""
    axis, = normal_axes(axis, np.ndim(operand), "dynamic_index_in_dim")
    found = read(operand, along(operand, axis, place(index, np.shape(operand)[axis], 1)))
    return found if keepdims else np.squeeze(found, axis)


@lax
def dynamic_update_slice_in_dim(operand, update, start_index, axis):
    """`dynamic_update_slice` along one axis."""
    axis, = normal_axes(axis, np.ndim(operand), "dynamic_update_slice_in_dim")
    return changed(operand, along(operand, axis, place(start_index, np.shape(operand)[axis], np.shape(update)[axis])), update)


@lax
def dynamic_update_index_in_dim(operand, update, index, axis):
    """The array with one element along an axis replaced; `update` may lack that axis."""
    axis, = normal_axes(axis, np.ndim(operand), "dynamic_update_index_in_dim")
    if np.ndim(update) != np.ndim(operand):
        update = np.expand_dims(update, axis)
    return changed(operand, along(operand, axis, place(index, np.shape(operand)[axis], 1)), update)


@lax
def slice_(operand, start_indices, limit_indices, strides=None):
    """A static slice."""
    strides = strides or (1,) * np.ndim(operand)
    return operand[tuple(slice(int(a), int(b), int(s)) for a, b, s in zip(start_indices, limit_indices, strides, strict=True))]


@lax
def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """A static slice along one axis."""
    axis, = normal_axes(axis, np.ndim(operand), "slice_in_dim")
    return operand[along(operand, axis, slice(start_index, limit_index, stride))]


@lax
def index_in_dim(operand, index, axis=0, keepdims=True):
    """One element along an axis, at a static index."""
    axis, = normal_axes(axis, np.ndim(operand), "index_in_dim")
    size = np.shape(operand)[axis]
    if not -size <= index < size:
        raise ShapeError(f"index_in_dim: index {index} is out of range for an axis of size {size}", "Use dynamic_index_in_dim to clamp it.")
    index %= size
    return operand[along(operand, axis, slice(index, index + 1) if keepdims else index)]


@lax
def index_take(src, idxs, axes):
    """Elements of `src` at index arrays along axes, which come first in the result."""
    ndim = np.ndim(src)
    axes = normal_axes(axes, ndim, "index_take")
    others = [k for k in range(ndim) if k not in axes]
    return np.transpose(src, (*axes, *others))[tuple(idxs)]


__all__ = ["dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim", "dynamic_update_slice",
           "dynamic_update_slice_in_dim", "index_in_dim", "index_take", "slice_in_dim"]
