"""Cumulative sums, products and extrema, differences, gradients and integrals along an axis; ufunc.reduce, accumulate, outer."""

import operator

import numpy as np

from ..core import Aval
from ..errors import TransformError
from . import complexes, extrema, integers, logic, rounding, trigonometry  # noqa: F401  (`outer` is declared for each of their ufuncs)
from .attainment import attains, farthest
from .batching import batched_along
from .creation import dtype_text
from .op import TABLE, Op, aval_of, function, op, register
from .reductions import dtype_of, masked, normal_axis, sum_dtype

DOUBLING = 32
"""Recurrences longer than this are solved in log2(n) steps instead of by a matrix of products."""


def along(axis, part, ndim):
    """The index that takes `part` (a slice or int) of one axis and all of the others."""
    return (*(slice(None),) * axis, part, *(slice(None),) * (ndim - axis - 1))


def _text(name, x, axis, dtype=None):
    parts = ["{0}"]
    if len(x.shape) > 1:
        parts.append(f"axis={axis}")
    if dtype is not None:
        parts.append(f"dtype={dtype_text(dtype)}")
    return f"np.{name}({', '.join(parts)})"


def _samples(rng):
    return [((rng.uniform(0.3, 2.0, (3, 4)),), {"axis": a, "dtype": None}) for a in (0, 1)]


def _infer(x, axis, dtype):
    return Aval(x.shape, sum_dtype(x.dtype) if dtype is None else dtype)


def _lower(kind):
    def lower(hlo, out, x, axis, dtype):
        return hlo.cumulative(hlo.convert(x, out.dtype), axis, kind)
    return lower


# sums and products ---------------------------------------------------------------------
@op(linear="jointly")
class cumsum:
    infer, lower, samples = _infer, _lower("add"), _samples
    batch = batched_along("cumsum", "axis")

    def impl(x, axis, dtype):
        return np.cumsum(x, axis=axis, dtype=dtype)

    def vjp(g, x, out, axis, dtype):
        return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)

    def notation(x, axis, dtype):
        return _text("cumsum", x, axis, dtype)


def recurrence(a, b):
    """s with s[0] = b[0] and s[k] = a[k] * s[k - 1] + b[k] along the last axis."""
    n = a.shape[-1]
    if n <= DOUBLING:
        below = np.tril(np.ones((n, n), dtype=bool), -1)
        factors = np.cumprod(np.where(below, np.expand_dims(a, -1), 1), axis=-2)
        factors = np.where(np.tri(n, dtype=bool), factors, 0)
        return np.sum(factors * np.expand_dims(b, -2), axis=-1)
    shift = 1
    while shift < n:
        late = np.concatenate([np.zeros_like(b[..., :shift]), b[..., :-shift]], axis=-1)
        b = b + a * late
        a = a * np.concatenate([np.ones_like(a[..., :shift]), a[..., :-shift]], axis=-1)
        shift *= 2
    return b


def _exclusive(x):
    """Along the last axis: 1, x[0], x[0] x[1]..."""
    return np.cumprod(np.concatenate([np.ones_like(x[..., :1]), x[..., :-1]], axis=-1), axis=-1)


@op()
class cumprod:
    infer, lower, samples = _infer, _lower("multiply"), _samples
    batch = batched_along("cumprod", "axis")

    def impl(x, axis, dtype):
        return np.cumprod(x, axis=axis, dtype=dtype)

    def vjp(g, x, out, axis, dtype):
        x, g = np.moveaxis(x, axis, -1), np.moveaxis(g, axis, -1)
        later = np.concatenate([np.ones_like(x[..., :1]), x[..., :0:-1]], axis=-1)
        total = recurrence(later, g[..., ::-1])[..., ::-1]
        return np.moveaxis(_exclusive(x) * total, -1, axis)

    def jvp(dots, x, out, axis, dtype):
        x, x_dot = np.moveaxis(x, axis, -1), np.moveaxis(dots[0], axis, -1)
        return np.moveaxis(recurrence(x, _exclusive(x) * x_dot), -1, axis)

    def notation(x, axis, dtype):
        return _text("cumprod", x, axis, dtype)


def _declare_scan(fn, method=True):
    name = fn.__name__

    def user(a, axis=None, dtype=None, out=None):
        a, axis = (np.ravel(a), 0) if axis is None else (a, normal_axis(axis, np.ndim(a)))
        return TABLE[name].bind(a, axis=axis, dtype=dtype_of(dtype))
    user.__name__, user.__doc__ = name, f"np.{name}."
    function(fn, method=name, array=True)(user)


_declare_scan(np.cumsum)
_declare_scan(np.cumprod)


@function(np.nancumsum, array=True)
def nancumsum(a, axis=None, dtype=None, out=None):
    """np.nancumsum: nan counts as 0."""
    return np.cumsum(np.where(np.isnan(a), 0, a), axis, dtype)


@function(np.nancumprod, array=True)
def nancumprod(a, axis=None, dtype=None, out=None):
    """np.nancumprod: nan counts as 1."""
    return np.cumprod(np.where(np.isnan(a), 1, a), axis, dtype)


@function(np.cumulative_sum, array=True)
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """np.cumulative_sum."""
    return _cumulative(np.cumsum, np.zeros_like, x, axis, dtype, include_initial)


@function(np.cumulative_prod, array=True)
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """np.cumulative_prod."""
    return _cumulative(np.cumprod, np.ones_like, x, axis, dtype, include_initial)


def _cumulative(scan, first, x, axis, dtype, include_initial):
    if axis is None and np.ndim(x) != 1:
        raise TransformError(f"np.cumulative_{scan.__name__[3:]} needs axis= for an array of {np.ndim(x)} dimensions", "Pass axis=.")
    axis = 0 if axis is None else normal_axis(axis, np.ndim(x))
    total = scan(x, axis=axis, dtype=dtype)
    if not include_initial:
        return total
    return np.concatenate([first(total[along(axis, slice(0, 1), np.ndim(x))]), total], axis=axis)


# running extrema -------------------------------------------------------------------------
def _hits(kind, x, out):
    """hit[..., i, k]: whether running extremum k is element i; along the last axis of both."""
    n = np.shape(x)[-1]
    before = np.tril(np.ones((n, n), dtype=bool)).T
    elements = np.where(before, np.expand_dims(x, -1), farthest(x.dtype, kind == "min"))
    return attains(kind, elements, np.expand_dims(out, -2)) & before


def _declare_running(name, ufunc, kind):
    def impl(x, axis):
        return ufunc.accumulate(x, axis=axis)

    def lower(hlo, out, x, axis):
        return hlo.cumulative(x, axis, kind)

    def infer(x, axis):
        return Aval(x.shape, x.dtype)

    def notation(x, axis):
        return _text(f"{ufunc.__name__}.accumulate", x, axis)

    def samples(rng):
        return [((rng.uniform(-2.0, 2.0, (3, 4)),), {"axis": a}) for a in (0, 1)]

    def vjp(g, x, out, axis):
        x, out, g = (np.moveaxis(v, axis, -1) for v in (x, out, g))
        hit = _hits(kind[:3], x, out)
        share = g / np.sum(hit, axis=-2, dtype=g.dtype)
        return np.moveaxis(np.sum(np.where(hit, np.expand_dims(share, -2), 0), axis=-1), -1, axis)

    def jvp(dots, x, out, axis):
        x, out, x_dot = (np.moveaxis(v, axis, -1) for v in (x, out, dots[0]))
        hit = _hits(kind[:3], x, out)
        total = np.sum(np.where(hit, np.expand_dims(x_dot, -1), 0), axis=-2)
        return np.moveaxis(total / np.sum(hit, axis=-2, dtype=x_dot.dtype), -1, axis)

    register(Op(name, impl, infer, lower, vjp=vjp, jvp=jvp, batch=batched_along(name, "axis"), notation=notation, samples=samples,
                masking=True))

    def user(array, axis=0, dtype=None, out=None):
        return TABLE[name].bind(array, axis=normal_axis(axis, np.ndim(array)))
    function(ufunc.accumulate, array=True)(user)


_declare_running("running_max", np.maximum, "maximum")
_declare_running("running_min", np.minimum, "minimum")


# reduce, accumulate, outer of ufuncs ---------------------------------------------------------
def _declare_reduce(ufunc, reduction):
    def user(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        keywords = {} if dtype is None else {"dtype": dtype}
        if initial is not None:
            keywords["initial"] = initial
        return reduction(array, axis=axis, keepdims=keepdims, where=where, **keywords)
    user.__doc__ = f"np.{ufunc.__name__}.reduce."
    function(ufunc.reduce, array=True)(user)


for _ufunc, _reduction in [(np.add, np.sum), (np.multiply, np.prod), (np.maximum, np.max), (np.minimum, np.min),
                           (np.fmax, np.nanmax), (np.fmin, np.nanmin), (np.logical_and, np.all), (np.logical_or, np.any)]:
    _declare_reduce(_ufunc, _reduction)


def _declare_accumulate(ufunc, scan):
    def user(array, axis=0, dtype=None, out=None):
        return scan(array, axis=axis, dtype=dtype)
    user.__doc__ = f"np.{ufunc.__name__}.accumulate."
    function(ufunc.accumulate, array=True)(user)


_declare_accumulate(np.add, np.cumsum)
_declare_accumulate(np.multiply, np.cumprod)


@function(np.logical_or.accumulate, array=True)
def logical_or_accumulate(array, axis=0, dtype=None, out=None):
    """np.logical_or.accumulate."""
    return np.maximum.accumulate(np.astype(array, bool), axis=axis)


@function(np.logical_and.accumulate, array=True)
def logical_and_accumulate(array, axis=0, dtype=None, out=None):
    """np.logical_and.accumulate."""
    return np.minimum.accumulate(np.astype(array, bool), axis=axis)


@function(np.logaddexp.reduce, array=True)
def logaddexp_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.logaddexp.reduce: the logarithm of a sum of exponentials, shifted by the maximum."""
    array = masked(array, where, -np.inf)
    top = np.max(array, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(array - top), axis=axis, keepdims=True)) + top
    total = total if keepdims else np.squeeze(total, axis=axis)
    return total if initial is None else np.logaddexp(initial, total)


def _declare_outer(ufunc):
    def user(A, B, **kwargs):
        column = np.reshape(A, (*np.shape(A), *(1,) * np.ndim(B))) if np.ndim(B) else A
        return ufunc(column, B, **kwargs)
    user.__doc__ = f"np.{ufunc.__name__}.outer."
    function(ufunc.outer, array=True)(user)


for _entry in list(TABLE.values()):
    if isinstance(_entry.impl, np.ufunc) and _entry.impl.nin == 2 and _entry.impl.signature is None:
        _declare_outer(_entry.impl)


# differences ----------------------------------------------------------------------------------
@function(np.diff, array=True)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """np.diff; of bools whether neighbours differ."""
    axis = normal_axis(axis, np.ndim(a))
    if prepend is not None or append is not None:
        ends = [_as_slab(a, v, axis) for v in (prepend, append)]
        a = np.concatenate([v for v in (ends[0], a, ends[1]) if v is not None], axis=axis)
    for _ in range(operator.index(n)):
        later, earlier = (a[along(axis, part, np.ndim(a))] for part in (slice(1, None), slice(None, -1)))
        a = later != earlier if aval_of(a).dtype == bool else later - earlier
    return a


def _as_slab(a, value, axis):
    if value is None or np.ndim(value):
        return value
    shape = list(np.shape(a))
    shape[axis] = 1
    return np.broadcast_to(value, tuple(shape))


@function(np.ediff1d, array=True)
def ediff1d(ary, to_end=None, to_begin=None):
    """np.ediff1d."""
    flat = np.ravel(ary)
    parts = [to_begin, flat[1:] - flat[:-1], to_end]
    parts = [np.ravel(p) for p in parts if p is not None]
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


@function(np.gradient, array=True)
def gradient(f, *varargs, axis=None, edge_order=1):
    """np.gradient: central differences inside, one-sided ones of order `edge_order` at the ends."""
    ndim = np.ndim(f)
    axes = tuple(range(ndim)) if axis is None else tuple(normal_axis(a, ndim) for a in (axis if isinstance(axis, tuple) else (axis,)))
    steps = varargs * len(axes) if len(varargs) == 1 and not np.ndim(varargs[0]) else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise TransformError("np.gradient needs one spacing, or one for each axis", "Pass as many as there are axes.")
    found = [_gradient_along(f, h, a, edge_order) for a, h in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _gradient_along(f, h, axis, edge_order):
    n = np.shape(f)[axis]
    if n < edge_order + 1:
        raise TransformError(f"np.gradient needs at least {edge_order + 1} elements along axis {axis}", "Give it a longer array.")
    if aval_of(f).dtype.kind in "iub":
        f = np.astype(f, float)

    def take(part):
        return f[along(axis, part, np.ndim(f))]
    uneven = np.ndim(h) > 0
    steps = np.diff(h) if uneven else h
    inner = _uneven_inner(take, steps, axis, np.ndim(f)) if uneven else (take(slice(2, None)) - take(slice(None, -2))) / (2.0 * steps)
    ends = [_gradient_end(take, steps, uneven, edge_order, last) for last in (False, True)]
    return np.concatenate([ends[0], inner, ends[1]], axis=axis)


def _uneven_inner(take, steps, axis, ndim):
    """Second-order differences on a grid of uneven steps."""
    shape = (*(1,) * axis, -1, *(1,) * (ndim - axis - 1))
    before, after = np.reshape(steps[:-1], shape), np.reshape(steps[1:], shape)
    a = -after / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    return a * take(slice(None, -2)) + b * take(slice(1, -1)) + c * take(slice(2, None))


def _gradient_end(take, steps, uneven, edge_order, last):
    """The one-sided difference at the first or last element."""
    near, next_, third = (slice(-1, None), slice(-2, -1), slice(-3, -2)) if last else (slice(0, 1), slice(1, 2), slice(2, 3))
    if edge_order == 1:
        h = (steps[-1] if last else steps[0]) if uneven else steps
        return (take(near) - take(next_)) / h if last else (take(next_) - take(near)) / h
    if uneven:
        one, two = (steps[-1], steps[-2]) if last else (steps[0], steps[1])
        a, b, c = (2.0 * one + two) / (one * (one + two)), (one + two) / (one * two), one / (two * (one + two))
    else:
        a, b, c = 1.5 / steps, 2.0 / steps, 0.5 / steps
    if last:
        return c * take(third) - b * take(next_) + a * take(near)
    return -a * take(near) + b * take(next_) - c * take(third)
