"""Reductions: sum, product, extrema, truth."""

import operator

import numpy as np

from ..core import Aval
from ..errors import IndexMismatch, TransformError
from .op import TABLE, aval_of, function, op


def axes_of(axis, ndim):
    """A user's `axis` as a sorted tuple of non-negative ints; None means all axes."""
    if axis is None:
        return tuple(range(ndim))
    given = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    out = []
    for a in given:
        a = operator.index(a)
        if not -ndim <= a < ndim:
            raise IndexMismatch(f"axis {a} is out of range for an array of {ndim} dimensions", "Axes run from 0, or from -1 backwards.")
        out.append(a % ndim)
    if len(set(out)) < len(out):
        raise TransformError(f"axis {axis} names an axis twice", "Name each axis once.")
    return tuple(sorted(out))


def reduced_shape(shape, axis, keepdims):
    if keepdims:
        return tuple(1 if i in axis else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axis)


def spread(value, x, axis, keepdims):
    """A reduced value with its axes put back as size 1, so that it broadcasts against `x`."""
    if keepdims or not axis or np.ndim(value) == np.ndim(x):
        return value
    return np.expand_dims(value, axis) if np.ndim(value) else value


def reduction_text(name, x, axis, keepdims, dtype=None):
    """np.sum({0}, axis=1, keepdims=True): arguments that say nothing are left out."""
    parts = ["{0}"]
    if len(axis) != len(x.shape):
        parts.append(f"axis={axis[0] if len(axis) == 1 else axis}")
    if dtype is not None:
        from .creation import dtype_text
        parts.append(f"dtype={dtype_text(dtype)}")
    if keepdims:
        parts.append("keepdims=True")
    return f"np.{name}({', '.join(parts)})"


def sum_dtype(dtype):
    """NumPy's accumulator: small integers and bools add up as int64 (uint64 if unsigned)."""
    if dtype.kind in "bi" and dtype.itemsize < 8:
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" and dtype.itemsize < 8 else dtype


def shifted(axis):
    """Reduced axes of an operand that has got a batch axis in front."""
    return tuple(a + 1 for a in axis)


def reduction_samples(rng):
    x = rng.uniform(-2.0, 2.0, (2, 3, 4))
    return [((x,), {"axis": a, "keepdims": k, "dtype": None}) for a in [(0, 1, 2), (1,), (0, 2)] for k in (False, True)]


@op(linear="jointly")
class sum:
    def impl(x, axis, keepdims, dtype):
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=dtype)

    def infer(x, axis, keepdims, dtype):
        return Aval(reduced_shape(x.shape, axis, keepdims), sum_dtype(x.dtype) if dtype is None else np.dtype(dtype))

    def lower(hlo, out, x, axis, keepdims, dtype):
        total = hlo.reduce(hlo.convert(x, out.dtype), hlo.constant(0, out.dtype), axis, "add")
        return hlo.reshape(total, out.shape)

    def vjp(g, x, out, axis, keepdims, dtype):
        return np.broadcast_to(spread(g, x, axis, keepdims), np.shape(x))

    def batch(axes, x, axis, keepdims, dtype):
        return TABLE["sum"].bind(x, axis=shifted(axis), keepdims=keepdims, dtype=dtype), 0

    def notation(x, axis, keepdims, dtype):
        return reduction_text("sum", x, axis, keepdims, dtype)

    samples = reduction_samples


@function(np.sum, method="sum")
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.sum."""
    if where is not True:
        a = np.where(where, a, 0)
    axis = axes_of(axis, len(aval_of(a).shape))
    total = TABLE["sum"].bind(a, axis=axis, keepdims=bool(keepdims), dtype=None if dtype is None else np.dtype(dtype))
    return total if initial is None else initial + total
