"""Reductions: sum, product, extrema, truth, positions of extrema."""

import operator

import numpy as np

from ..core import Aval, is_floating, is_real
from ..errors import AxisMismatch, NeedStatic, ShapeError, TransformError
from .attainment import attains, extreme, farthest
from .batching import batched_along, later
from .creation import dtype_text
from .op import TABLE, Op, aval_of, broadcast, function, op, register

BOOL, INT = np.dtype(bool), np.dtype(np.int64)


# axes ---------------------------------------------------------------------------------
def axes_of(axis, ndim):
    """A user's `axis` as a sorted tuple of non-negative ints; None means all axes."""
    if axis is None:
        return tuple(range(ndim))
    out = [normal_axis(a, ndim) for a in (axis if isinstance(axis, tuple | list) else (axis,))]
    if len(set(out)) < len(out):
        raise ShapeError(f"axis {axis} names an axis twice", "Name each axis once.")
    return tuple(sorted(out))


def normal_axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisMismatch(f"axis {axis} is out of range for an array of {ndim} dimensions", "Axes run from 0, or from -1 backwards.")
    return axis % ndim


def reduced_shape(shape, axis, keepdims):
    if keepdims:
        return tuple(1 if i in axis else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axis)


def spread(value, x, axis, keepdims):
    """A reduced value with its axes put back as size 1, so that it broadcasts against `x`."""
    if keepdims or not np.ndim(value):
        return value
    return np.expand_dims(value, axis)


def reduction_text(name, x, axis, keepdims, dtype=None):
    """np.sum({0}, axis=1, keepdims=True): arguments that say nothing are left out."""
    parts = ["{0}"]
    if len(axis) != len(x.shape):
        parts.append(f"axis={axis[0] if len(axis) == 1 else axis}")
    if dtype is not None:
        parts.append(f"dtype={dtype_text(dtype)}")
    if keepdims:
        parts.append("keepdims=True")
    return f"np.{name}({', '.join(parts)})"


def sum_dtype(dtype):
    """NumPy's accumulator: small integers and bools add up as int64 (uint64 if unsigned)."""
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    return INT if dtype.kind in "bi" else dtype


def reduction_samples(rng):
    x = rng.uniform(0.3, 2.0, (2, 3, 4)) * rng.choice([-1.0, 1.0], (2, 3, 4))
    cases = [(0, 1, 2), (1,), (0, 2)]
    return [((x,), {"axis": a, "keepdims": k}) for a in cases for k in (False, True)]


def _with_dtype(samples):
    return lambda rng: [(args, {**params, "dtype": None}) for args, params in samples(rng)]


def masked(a, where, fill):
    """`a` with the neutral element where `where` is False."""
    return a if where is True else np.where(where, a, fill)


def reduce_keywords(a, axis, keepdims):
    return {"axis": axes_of(axis, len(aval_of(a).shape)), "keepdims": bool(keepdims)}


def dtype_of(dtype):
    return None if dtype is None else np.dtype(dtype)


# sum ------------------------------------------------------------------------------------
@op(linear="jointly")
class sum:
    def impl(x, axis, keepdims, dtype):
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=dtype)

    def infer(x, axis, keepdims, dtype):
        return Aval(reduced_shape(x.shape, axis, keepdims), sum_dtype(x.dtype) if dtype is None else dtype)

    def lower(hlo, out, x, axis, keepdims, dtype):
        return hlo.reshape(hlo.reduce(hlo.convert(x, out.dtype), 0, axis, "add"), out.shape)

    def vjp(g, x, out, axis, keepdims, dtype):
        spread_out = spread(g, x, axis, keepdims)
        if None in np.shape(x):
            return np.zeros_like(x) + spread_out
        return np.broadcast_to(spread_out, np.shape(x))

    def batch(axes, x, axis, keepdims, dtype):
        return TABLE["sum"].bind(x, axis=later(axis), keepdims=keepdims, dtype=dtype), 0

    def notation(x, axis, keepdims, dtype):
        return reduction_text("sum", x, axis, keepdims, dtype)

    samples = _with_dtype(reduction_samples)


@op()
class sum_where:
    """np.sum with where= and initial=, which NumPy adds in an order of its own. Operands: array, mask, initial value."""

    masking = True

    def impl(x, where, initial, axis, keepdims, dtype):
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=dtype, where=where, initial=initial)

    def infer(x, where, initial, axis, keepdims, dtype):
        return TABLE["sum"].infer(Aval(broadcast(x.shape, where.shape), x.dtype), axis, keepdims, dtype)

    def lower(hlo, out, x, where, initial, axis, keepdims, dtype):
        shape = broadcast(x.shape, where.shape)
        zero = hlo.full(shape, 0, out.dtype)
        kept = hlo.select(hlo.broadcast_to(where, shape), hlo.broadcast_to(hlo.convert(x, out.dtype), shape), zero)
        total = hlo.reshape(hlo.reduce(kept, 0, axis, "add"), out.shape)
        return hlo.add(total, hlo.broadcast_to(hlo.convert(initial, out.dtype), out.shape))

    def vjp(g, x, where, initial, out, axis, keepdims, dtype):
        return np.where(where, spread(g, x, axis, keepdims), 0), None, np.sum(g)

    def jvp(dots, x, where, initial, out, axis, keepdims, dtype):
        first = 0 if dots[2] is None else dots[2]
        if dots[0] is None:
            return np.broadcast_to(first, np.shape(out))
        return np.sum(np.where(where, dots[0], 0), axis=axis, keepdims=keepdims) + first

    def batch(axes, x, where, initial, axis, keepdims, dtype):
        x = np.where(where, x, 0) if axes[1] is None else np.where(where, x if axes[0] == 0 else np.expand_dims(x, 0), 0)
        if axes[0] is None and axes[1] is None:
            x = np.broadcast_to(x, (np.shape(initial)[0], *np.shape(x)))
        total = np.sum(x, axis=later(axis), keepdims=keepdims, dtype=dtype)
        return total + (np.reshape(initial, (-1, *(1,) * (np.ndim(total) - 1))) if axes[2] == 0 else initial), 0

    def notation(x, where, initial, axis, keepdims, dtype):
        return reduction_text("sum", x, axis, keepdims, dtype)[:-1] + ", where={1}, initial={2})"

    def samples(rng):
        x, mask = rng.uniform(-2.0, 2.0, (3, 4)), rng.uniform(size=(3, 4)) > 0.4
        return [((x, mask, rng.uniform()), {"axis": a, "keepdims": False, "dtype": None}) for a in [(0, 1), (1,)]]


@function(np.sum, method="sum", array=True)
def sum_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.sum."""
    keywords = {**reduce_keywords(a, axis, keepdims), "dtype": dtype_of(dtype)}
    if where is True and initial is None:
        return TABLE["sum"].bind(a, **keywords)
    if where is not True and np.ndim(where) < np.ndim(a):
        where = np.broadcast_to(where, np.shape(a))
    return TABLE["sum_where"].bind(a, where, 0 if initial is None else initial, **keywords)


# prod -----------------------------------------------------------------------------------
def _in_one_axis(x, axis):
    """The reduced axes of `x` as one last axis."""
    kept = tuple(a for a in range(np.ndim(x)) if a not in axis)
    moved = np.transpose(x, kept + axis) if kept + axis != tuple(range(np.ndim(x))) else x
    return np.reshape(moved, (*(np.shape(x)[a] for a in kept), -1)) if len(axis) != 1 else moved, kept


def _back_to_axes(flat, x, axis, kept):
    shape = [np.shape(x)[a] for a in kept + axis]
    return np.transpose(np.reshape(flat, shape), tuple(int(a) for a in np.argsort(kept + axis)))


def products_of_others(x, axis):
    """At every element the product of the others along `axis`: no division, so zeros do no harm."""
    if not axis:
        return np.ones_like(x)
    flat, kept = _in_one_axis(x, axis)
    ones = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([ones, flat[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([ones, flat[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return _back_to_axes(before * after, x, axis, kept)


@op()
class prod:
    def impl(x, axis, keepdims, dtype):
        return np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype)

    infer = TABLE["sum"].infer
    samples = TABLE["sum"].samples

    def lower(hlo, out, x, axis, keepdims, dtype):
        return hlo.reshape(hlo.reduce(hlo.convert(x, out.dtype), 1, axis, "multiply"), out.shape)

    def vjp(g, x, out, axis, keepdims, dtype):
        return spread(g, x, axis, keepdims) * products_of_others(x, axis)

    def jvp(dots, x, out, axis, keepdims, dtype):
        return np.sum(dots[0] * products_of_others(x, axis), axis=axis, keepdims=keepdims)

    def batch(axes, x, axis, keepdims, dtype):
        return TABLE["prod"].bind(x, axis=later(axis), keepdims=keepdims, dtype=dtype), 0

    def notation(x, axis, keepdims, dtype):
        return reduction_text("prod", x, axis, keepdims, dtype)


@function(np.prod, method="prod", array=True)
def prod_(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.prod."""
    a = masked(a, where, 1)
    total = TABLE["prod"].bind(a, **reduce_keywords(a, axis, keepdims), dtype=dtype_of(dtype))
    return total if initial is None else initial * total


# max, min -------------------------------------------------------------------------------
def hits(name, x, out, axis, keepdims):
    """Where the extremum is taken, and how often, in the dtype of `x`."""
    hit = attains(name, x, spread(out, x, axis, keepdims))
    dtype = None if x.dtype == np.float64 else x.dtype
    return hit, np.sum(hit, axis=axis, keepdims=keepdims, dtype=dtype)


def _declare_extremum(name, kind, ignore_nan):
    run = getattr(np, name)

    def impl(x, axis, keepdims):
        return run(x, axis=axis, keepdims=keepdims)

    def infer(x, axis, keepdims):
        if any(x.shape[a] == 0 for a in axis):
            raise ShapeError(f"np.{name} of an empty array has no value", "Pass initial=.")
        return Aval(reduced_shape(x.shape, axis, keepdims), x.dtype)

    def lower(hlo, out, x, axis, keepdims):
        return hlo.reshape(extreme(hlo, x, kind, ignore_nan, axis), out.shape)

    def vjp(g, x, out, axis, keepdims):
        hit, count = hits(name, x, out, axis, keepdims)
        return np.where(hit, spread(g / count, x, axis, keepdims), 0)

    def jvp(dots, x, out, axis, keepdims):
        hit, count = hits(name, x, out, axis, keepdims)
        return np.sum(np.where(hit, dots[0], 0), axis=axis, keepdims=keepdims) / count

    def notation(x, axis, keepdims):
        return reduction_text(name, x, axis, keepdims)

    register(Op(name, impl, infer, lower, vjp=vjp, jvp=jvp, batch=batched_along(name, "axis"), notation=notation,
                samples=reduction_samples, masking=True, nonfinite=ignore_nan))


for _name, _kind in [("max", "maximum"), ("min", "minimum")]:
    _declare_extremum(_name, _kind, ignore_nan=False)
    _declare_extremum(f"nan{_name}", _kind, ignore_nan=True)


def _extremum(name, a, axis, keepdims, initial, where):
    pair = np.fmax if name == "nanmax" else np.fmin if name == "nanmin" else np.maximum if name == "max" else np.minimum
    if where is not True and initial is None:
        raise TransformError(f"np.{name} with where= needs initial=", "Pass initial=.")
    a = masked(a, where, initial)
    keywords = reduce_keywords(a, axis, keepdims)
    if initial is None:
        return TABLE[name].bind(a, **keywords)
    if any(np.shape(a)[k] == 0 for k in keywords["axis"]):
        return np.full(reduced_shape(np.shape(a), **keywords), initial, dtype=aval_of(a).dtype)
    return pair(TABLE[name].bind(never_empty(a, keywords["axis"], name.endswith("min")), **keywords), initial)


def never_empty(a, axes, largest):
    """The array with one more element that is no extremum along an axis of unknown length, which may have none."""
    shape, unknown = np.shape(a), [k for k in axes if np.shape(a)[k] is None]
    if not unknown:
        return a
    if shape.count(None) > 1 or aval_of(a).dtype.kind == "c":
        raise NeedStatic(a, "the number of elements along an axis that a mask has selected from")
    return np.concatenate([a, np.full([n or 1 for n in shape], farthest(aval_of(a).dtype, largest), aval_of(a).dtype)], axis=unknown[0])


@function(np.max, np.amax, method="max", array=True)
def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.max."""
    return _extremum("max", a, axis, keepdims, initial, where)


@function(np.min, np.amin, method="min", array=True)
def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.min."""
    return _extremum("min", a, axis, keepdims, initial, where)


@function(np.nanmax, array=True)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.nanmax."""
    return _extremum("nanmax" if is_floating(aval_of(a).dtype) else "max", a, axis, keepdims, initial, where)


@function(np.nanmin, array=True)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """np.nanmin."""
    return _extremum("nanmin" if is_floating(aval_of(a).dtype) else "min", a, axis, keepdims, initial, where)


# truth ------------------------------------------------------------------------------------
def _declare_truth(name, kind):
    run = getattr(np, name)

    def impl(x, axis, keepdims):
        return run(x, axis=axis, keepdims=keepdims)

    def infer(x, axis, keepdims):
        return Aval(reduced_shape(x.shape, axis, keepdims), BOOL)

    def lower(hlo, out, x, axis, keepdims):
        return hlo.reshape(hlo.reduce(hlo.convert(x, BOOL), None, axis, kind), out.shape)

    def notation(x, axis, keepdims):
        return reduction_text(name, x, axis, keepdims)

    def samples(rng):
        return [((x > 0.5,), params) for (x,), params in reduction_samples(rng)]

    register(Op(name, impl, infer, lower, batch=batched_along(name, "axis"), notation=notation, samples=samples, differentiable=False))

    def user(a, axis=None, out=None, keepdims=False, where=True):
        a = masked(a, where, name == "all")
        return TABLE[name].bind(a, **reduce_keywords(a, axis, keepdims))
    user.__name__, user.__doc__ = name, f"np.{name}."
    function(run, method=name, array=True)(user)


_declare_truth("any", "or")
_declare_truth("all", "and")


@function(np.count_nonzero, array=True)
def count_nonzero(a, axis=None, keepdims=False):
    """np.count_nonzero."""
    return np.sum(a if aval_of(a).dtype == BOOL else a != 0, axis=axis, keepdims=keepdims)


# positions of extrema -----------------------------------------------------------------------
def _declare_position(name, kind, ignore_nan):
    run = getattr(np, name)

    def impl(x, axis, keepdims):
        return run(x, axis=axis, keepdims=keepdims)

    def infer(x, axis, keepdims):
        if x.shape[axis] == 0:
            raise ShapeError(f"np.{name} of an empty array has no value", "Give it at least one element.")
        return Aval(reduced_shape(x.shape, (axis,), keepdims), INT)

    def lower(hlo, out, x, axis, keepdims):
        if ignore_nan and is_real(x.dtype):
            worst = hlo.full(x.shape, -np.inf if kind == "max" else np.inf, x.dtype)
            x = hlo.select(hlo.compare("NE", x, x), worst, x)
        return hlo.reshape(hlo.argreduce(x, axis, kind), out.shape)

    def notation(x, axis, keepdims):
        return reduction_text(name, x, (axis,), keepdims)

    def samples(rng):
        x = rng.uniform(-2.0, 2.0, (2, 3, 4))
        return [((x,), {"axis": a, "keepdims": k}) for a, k in [(1, False), (2, True)]]

    register(Op(name, impl, infer, lower, batch=batched_along(name, "axis"), notation=notation, samples=samples, differentiable=False))

    def user(a, axis=None, out=None, *, keepdims=False):
        ndim = np.ndim(a)
        if axis is not None:
            return TABLE[name].bind(a, axis=normal_axis(axis, ndim), keepdims=bool(keepdims))
        found = TABLE[name].bind(np.ravel(a) if ndim != 1 else a, axis=0, keepdims=False)
        return np.reshape(found, (1,) * ndim) if keepdims else found
    user.__name__, user.__doc__ = name, f"np.{name}."
    function(run, method=None if ignore_nan else name, array=True)(user)


for _kind in ("max", "min"):
    _declare_position(f"arg{_kind}", _kind, ignore_nan=False)
    _declare_position(f"nanarg{_kind}", _kind, ignore_nan=True)


__all__ = ["axes_of", "normal_axis", "reduced_shape", "spread"]
