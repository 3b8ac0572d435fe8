"""XLA's general gather and scatter, by index arrays."""

import enum
from typing import NamedTuple

import numpy as np

from .. import eager
from ..core import is_floating
from ..errors import ShapeError, TypeMismatch
from ..frontend.reference import is_reference
from .wrapping import dtype_of, lax


class GatherDimensionNumbers(NamedTuple):
    """offset_dims: axes of the result that come from slices; collapsed_slice_dims: axes of the operand that vanish (slices of size 1);

    start_index_map: the operand's axis for each component of an index.
    """

    offset_dims: tuple
    collapsed_slice_dims: tuple
    start_index_map: tuple
    operand_batching_dims: tuple = ()
    start_indices_batching_dims: tuple = ()


class ScatterDimensionNumbers(NamedTuple):
    """update_window_dims: axes of the updates that are windows; inserted_window_dims: axes of the operand without one (size 1);

    scatter_dims_to_operand_dims: the operand's axis for each component of an index.
    """

    update_window_dims: tuple
    inserted_window_dims: tuple
    scatter_dims_to_operand_dims: tuple
    operand_batching_dims: tuple = ()
    scatter_indices_batching_dims: tuple = ()


class GatherScatterMode(enum.Enum):
    """What an index out of range means: it is moved into range, left out (reads nan or 0), or promised not to occur."""

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2
    ONE_HOT = 3

    @staticmethod
    def from_any(value):
        """A mode from its spelling."""
        if isinstance(value, GatherScatterMode):
            return value
        names = {None: "FILL_OR_DROP", "fill": "FILL_OR_DROP", "drop": "FILL_OR_DROP", "clip": "CLIP", "promise_in_bounds": "PROMISE_IN_BOUNDS"}
        if value not in names:
            raise TypeMismatch(f"mode {value!r} of a gather or scatter is not known", "Use 'clip', 'fill', 'drop' or 'promise_in_bounds'.")
        return GatherScatterMode[names[value]]


def refuse_batching(numbers):
    if numbers[3] or numbers[4]:
        raise TypeMismatch("batching dimensions of gather and scatter are not known here", "Use vmap around a gather without them.")


def starts_of(indices, axes, shape, sizes, mode):
    """(the start along each axis as an array of the batch's shape, whether each slice is in range or None)."""
    starts, inside = {}, None
    for k, axis in enumerate(axes):
        start, limit = indices[..., k], shape[axis] - sizes[axis]
        if mode is not GatherScatterMode.PROMISE_IN_BOUNDS:
            fits = np.logical_and(start >= 0, start <= limit)
            inside = fits if inside is None else np.logical_and(inside, fits)
            start = np.clip(start, 0, limit)
        starts[axis] = start
    return starts, inside if mode is GatherScatterMode.FILL_OR_DROP else None


def window_index(starts, shape, sizes, kept, batch):
    """Index arrays of the batch's axes followed by those of the windows."""
    index = []
    for axis in range(len(shape)):
        entry = np.arange(sizes[axis]).reshape([-1 if a == axis else 1 for a in kept]) if axis in kept else np.zeros((1,) * len(kept), int)
        if axis in starts:
            entry = np.reshape(starts[axis], (*np.shape(starts[axis]), *(1,) * len(kept))) + entry
        else:
            entry = np.broadcast_to(entry, (*(1,) * batch, *entry.shape))
        index.append(entry)
    return tuple(index)


def gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False, indices_are_sorted=False, mode=None, fill_value=None):
    """Slices of `operand` at the indices in the last axis of `start_indices`."""
    refuse_batching(dimension_numbers)
    return gathered(operand, start_indices, dimension_numbers, tuple(slice_sizes), GatherScatterMode.from_any(mode), fill_value)


@lax
def gathered(operand, indices, numbers, sizes, mode, fill_value):
    shape, batch = np.shape(operand), np.ndim(indices) - 1
    if len(sizes) != len(shape) or any(s > n for s, n in zip(sizes, shape)):
        raise ShapeError(f"gather: slices of sizes {sizes} do not fit an array of shape {shape}", "Give a size for each axis, at most the axis's.")
    kept = [a for a in range(len(shape)) if a not in numbers.collapsed_slice_dims]
    starts, inside = starts_of(indices, numbers.start_index_map, shape, sizes, mode)
    found = operand[window_index(starts, shape, sizes, kept, batch)]
    found = np.broadcast_to(found, (*np.shape(indices)[:-1], *(sizes[a] for a in kept)))
    if inside is not None:
        fill = missing(dtype_of(operand)) if fill_value is None else fill_value
        found = np.where(np.reshape(inside, (*np.shape(inside), *(1,) * len(kept))), found, np.asarray(fill, dtype_of(operand)))
    offsets = list(numbers.offset_dims)
    others = [a for a in range(np.ndim(found)) if a not in offsets]
    order = [None] * np.ndim(found)
    for source, place in enumerate([*others, *offsets]):
        order[place] = source
    return np.transpose(found, tuple(order))


def missing(dtype):
    return np.nan if is_floating(dtype) else np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max if dtype.kind == "u" else True


def scattering(name, method, doc):
    """A scatter that combines elements by a method of `x.at[...]`."""
    def scatter(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False, mode=None):
        refuse_batching(dimension_numbers)
        return scattered(operand, scatter_indices, updates, dimension_numbers, GatherScatterMode.from_any(mode), method)
    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = doc
    return scatter


@lax
def scattered(operand, indices, updates, numbers, mode, method):
    shape, batch = np.shape(operand), np.ndim(indices) - 1
    windows = list(numbers.update_window_dims)
    kept = [a for a in range(len(shape)) if a not in numbers.inserted_window_dims]
    sizes = [1] * len(shape)
    for axis, place in zip(kept, windows):
        sizes[axis] = np.shape(updates)[place]
    others = [a for a in range(np.ndim(updates)) if a not in windows]
    updates = np.transpose(updates, (*others, *windows))
    starts, inside = starts_of(indices, numbers.scatter_dims_to_operand_dims, shape, sizes, mode)
    if inside is not None:
        first = numbers.scatter_dims_to_operand_dims[0]
        starts[first] = np.where(inside, starts[first], shape[first])
    index = np.broadcast_arrays(*window_index(starts, shape, sizes, kept, batch)) if not is_reference(indices) else \
        window_index(starts, shape, sizes, kept, batch)
    target = operand if is_reference(operand) else eager.new_array(operand)
    found = getattr(target.at[tuple(index)], method)(updates, mode="drop" if inside is not None else None)
    return found if is_reference(found) else np.asarray(found)


scatter = scattering("scatter", "set", "The operand with slices replaced by updates.")
scatter_add = scattering("scatter_add", "add", "The operand with updates added to slices.")
scatter_sub = scattering("scatter_sub", "subtract", "The operand with updates subtracted from slices.")
scatter_mul = scattering("scatter_mul", "multiply", "The operand with slices multiplied by updates.")
scatter_min = scattering("scatter_min", "min", "The operand with slices replaced by the smaller of them and updates.")
scatter_max = scattering("scatter_max", "max", "The operand with slices replaced by the larger of them and updates.")

__all__ = ["GatherDimensionNumbers", "GatherScatterMode", "ScatterDimensionNumbers", "gather", "scatter", "scatter_add", "scatter_max",
           "scatter_min", "scatter_mul", "scatter_sub"]
