"""Gather, scatter and dynamic slices: thin wrappers that compute result shapes and write the dimension numbers."""

from .literals import ints_text, list_text

COMBINE = {"set": None, "add": "add", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum", "and": "and", "or": "or"}


def _numbers(**lists):
    return ", ".join(f"{k} = {list_text(v) if not isinstance(v, int) else v}" for k, v in lists.items())


def _flag(value):
    return "true" if value else "false"


def gather(hlo, x, indices, *, offset_dims=(), collapsed_slice_dims=(), operand_batching_dims=(), start_indices_batching_dims=(),
           start_index_map=(), index_vector_dim=None, slice_sizes, indices_are_sorted=False):
    """StableHLO gather; starts are clamped by XLA so that each slice fits. index_vector_dim defaults to the last axis of `indices`."""
    vector = indices.ndim - 1 if index_vector_dim is None else index_vector_dim
    numbers = _numbers(offset_dims=offset_dims, collapsed_slice_dims=collapsed_slice_dims, operand_batching_dims=operand_batching_dims,
                       start_indices_batching_dims=start_indices_batching_dims, start_index_map=start_index_map, index_vector_dim=vector)
    batch = iter(n for a, n in enumerate(indices.shape) if a != vector)
    gone = {*collapsed_slice_dims, *operand_batching_dims}
    window = iter(n for a, n in enumerate(slice_sizes) if a not in gone)
    ndim = indices.ndim - (vector < indices.ndim) + len(offset_dims)
    shape = tuple(next(window) if a in offset_dims else next(batch) for a in range(ndim))
    attrs = (f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {ints_text(slice_sizes)}, "
             f"indices_are_sorted = {_flag(indices_are_sorted)}")
    return hlo.op("gather", [x, indices], shape, x.dtype, attrs)


def scatter(hlo, x, indices, updates, kind="set", *, update_window_dims=(), inserted_window_dims=(), input_batching_dims=(),
            scatter_indices_batching_dims=(), scatter_dims_to_operand_dims=(), index_vector_dim=None, indices_are_sorted=False,
            unique_indices=False):
    """StableHLO scatter; updates out of range are skipped by XLA. kind: set (the last wins on CPU), add, multiply, maximum, minimum."""
    vector = indices.ndim - 1 if index_vector_dim is None else index_vector_dim
    numbers = _numbers(update_window_dims=update_window_dims, inserted_window_dims=inserted_window_dims,
                       input_batching_dims=input_batching_dims, scatter_indices_batching_dims=scatter_indices_batching_dims,
                       scatter_dims_to_operand_dims=scatter_dims_to_operand_dims, index_vector_dim=vector)
    combine = COMBINE[kind]

    def body(old, new):
        return [new if combine is None else hlo.op(combine, [old, new], (), x.dtype)]
    region = hlo.region([((), x.dtype)] * 2, body, isolated=True)
    attrs = (f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = {_flag(indices_are_sorted)}, "
             f"unique_indices = {_flag(unique_indices)}")
    return hlo.op("scatter", [x, indices, updates], x.shape, x.dtype, attrs, [region])


def _starts(hlo, starts):
    """Start indices as int64 scalars (32-bit indices would wrap silently for large values)."""
    return [hlo.convert(s, "int64") if hasattr(s, "name") else hlo.constant(s, "int64") for s in starts]


def dynamic_slice(hlo, x, starts, sizes):
    """The slice of the given sizes at `starts` (one scalar value or int per axis), which XLA clamps so that it fits."""
    return hlo.op("dynamic_slice", [x, *_starts(hlo, starts)], tuple(sizes), x.dtype, f"slice_sizes = {ints_text(sizes)}")


def dynamic_update_slice(hlo, x, update, starts):
    """`x` with `update` (same rank) written at `starts`, which XLA clamps so that it fits."""
    return hlo.op("dynamic_update_slice", [x, update, *_starts(hlo, starts)], x.shape, x.dtype)
