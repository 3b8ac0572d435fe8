"""Sums, products and extrema of the rows of an array that belong together (`transformer.ops.segment_sum` and its like).

    segment_sum(data, [0, 0, 1], 2)              (data[0] + data[1], data[2])
"""

import numpy as np

from . import numpy as jnp
from .errors import TransformError
from .frontend.reference import is_reference


def count_of(segment_ids, num_segments):
    """The number of segments: one more than the largest id unless it is given."""
    if num_segments is not None:
        return int(num_segments)
    if is_reference(segment_ids):
        raise TransformError("the number of segments depends on the values of segment_ids", "Pass num_segments.")
    ids = np.asarray(segment_ids)
    return int(ids.max()) + 1 if ids.size else 0


def identity(dtype, name):
    """What a segment without rows holds."""
    if name in ("add", "multiply"):
        return 0 if name == "add" else 1
    if dtype.kind == "b":
        return name == "min"
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if name == "min" else np.iinfo(dtype).min
    return np.inf if name == "min" else -np.inf


def segments(name, data, segment_ids, num_segments):
    """Rows joined by `x.at[...].name`; ids out of range are dropped."""
    count = count_of(segment_ids, num_segments)
    data, ids = jnp.asarray(data), jnp.asarray(segment_ids)
    out = jnp.full((count, *data.shape[ids.ndim:]), identity(data.dtype, name), data.dtype)
    return getattr(out.at[jnp.where(ids < 0, count, ids)], name)(data, mode="drop")


def segment_sum(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None):
    """The sum of the rows of `data` with each id: (num_segments, *data.shape[1:]), in data's dtype.

    segment_ids: an integer per row; rows with an id outside of [0, num_segments) count nowhere. num_segments: an int (default: the
    largest id + 1, which compiled code cannot know). The other arguments steer how XLA computes and are accepted.
    Raises TransformError where the number of segments is not known.

    >>> segment_sum(np.arange(5), np.array([0, 0, 1, 1, 2]))
    Array([1, 5, 4], dtype=int32)
    """
    return segments("add", data, segment_ids, num_segments)


def segment_prod(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None):
    """The product of the rows with each id; see `segment_sum`. A segment without rows is 1."""
    return segments("multiply", data, segment_ids, num_segments)


def segment_max(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None):
    """The largest of the rows with each id; see `segment_sum`. A segment without rows is the least number of the dtype."""
    return segments("max", data, segment_ids, num_segments)


def segment_min(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False, bucket_size=None, mode=None):
    """The smallest of the rows with each id; see `segment_sum`. A segment without rows is the greatest number of the dtype."""
    return segments("min", data, segment_ids, num_segments)


__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]
