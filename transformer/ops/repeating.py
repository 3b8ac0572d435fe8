"""Repeating, padding and rolling."""

import numpy as np

from ..core import Aval
from ..errors import TransformError
from .batching import batched_along
from .op import TABLE, aval_of, function, is_reference, lookup, op
from .pad_modes import STATISTICS, padded
from .shaping import coerced, normal_axes, normal_axis


def _length(shape, axis, size):
    return (*shape[:axis], size, *shape[axis + 1:])


def _axis_text(axis, ndim):
    return "" if ndim == 1 else f", axis={axis}"


@op(linear="jointly")
class repeat:
    """Each element of an axis `repeats` times (an int, or a tuple with one int per element)."""

    samples = [((np.array([1.0, 2.0, 3.0]),), {"repeats": 2, "axis": 0}), ((np.arange(6.0).reshape(2, 3),), {"repeats": (2, 0, 1), "axis": 1})]
    batch = batched_along("repeat", "axis")

    def impl(x, repeats, axis):
        return np.repeat(x, repeats, axis)

    def infer(x, repeats, axis):
        n = x.shape[axis]
        size = sum(repeats) if isinstance(repeats, tuple) else None if n is None else n * repeats
        return Aval(_length(x.shape, axis, size), x.dtype)

    def lower(hlo, out, x, repeats, axis):
        if isinstance(repeats, tuple):
            return _take_static(hlo, x, np.repeat(np.arange(x.shape[axis]), repeats), axis)
        shape = (*x.shape[: axis + 1], repeats, *x.shape[axis + 1:])
        dims = [k if k <= axis else k + 1 for k in range(x.ndim)]
        return hlo.reshape(hlo.broadcast_in_dim(x, shape, dims), out.shape)

    def vjp(g, x, out, repeats, axis):
        shape = np.shape(x)
        if isinstance(repeats, int):
            return np.sum(np.reshape(g, (*shape[: axis + 1], repeats, *shape[axis + 1:])), axis=axis + 1)
        x_bar = np.zeros_like(x)
        np.add.at(x_bar, (*(slice(None),) * axis, np.repeat(np.arange(shape[axis]), repeats)), g)
        return x_bar

    def notation(x, repeats, axis):
        return f"np.repeat({{0}}, {list(repeats) if isinstance(repeats, tuple) else repeats}{_axis_text(axis, len(x.shape))})"


def _take_static(hlo, x, where, axis):
    """Elements of an axis at static positions."""
    indices = hlo.constant(np.asarray(where, np.int64).reshape(-1, 1))
    return hlo.gather(x, indices, offset_dims=tuple(k for k in range(x.ndim) if k != axis), collapsed_slice_dims=(axis,),
                      start_index_map=(axis,), slice_sizes=_length(x.shape, axis, 1))


@op(linear="jointly")
class tile:
    """The array `reps[k]` times along every axis k."""

    samples = [((np.array([1.0, 2.0]),), {"reps": (3,)}), ((np.arange(6.0).reshape(2, 3),), {"reps": (2, 1)})]

    def impl(x, reps):
        return np.tile(x, reps)

    def infer(x, reps):
        return Aval(tuple(None if n is None else n * r for n, r in zip(x.shape, reps, strict=True)), x.dtype)

    def lower(hlo, out, x, reps):
        shape = [d for r, n in zip(reps, x.shape, strict=True) for d in (r, n)]
        return hlo.reshape(hlo.broadcast_in_dim(x, shape, range(1, 2 * x.ndim, 2)), out.shape)

    def vjp(g, x, out, reps):
        shape = tuple(d for r, n in zip(reps, np.shape(x), strict=True) for d in (r, n))
        return np.sum(np.reshape(g, shape), axis=tuple(range(0, len(shape), 2)))

    def batch(axes, x, reps):
        return TABLE["tile"].bind(x, reps=(1, *reps)), 0

    def notation(x, reps):
        return f"np.tile({{0}}, {reps[0] if len(reps) == 1 else reps})"


@op(linear="jointly")
class roll:
    """Every axis in `axis` shifted round by the static amounts `shift`."""

    cheap = True
    samples = [((np.array([1.0, 2.0, 3.0]),), {"shift": (1,), "axis": (0,)}), ((np.arange(6.0).reshape(2, 3),), {"shift": (1, -2), "axis": (0, 1)})]

    def impl(x, shift, axis):
        return np.roll(x, shift, axis)

    def infer(x, shift, axis):
        return Aval(x.shape, x.dtype)

    def lower(hlo, out, x, shift, axis):
        for amount, k in zip(shift, axis, strict=True):
            n = x.shape[k]
            cut = -amount % n if n else 0
            if cut:
                zeros, ones = [0] * x.ndim, list(x.shape)
                x = hlo.concatenate([hlo.slice(x, _length(zeros, k, cut), ones), hlo.slice(x, zeros, _length(ones, k, cut))], k)
        return x

    def vjp(g, x, out, shift, axis):
        return TABLE["roll"].bind(g, shift=tuple(-s for s in shift), axis=axis)

    def batch(axes, x, shift, axis):
        return TABLE["roll"].bind(x, shift=shift, axis=tuple(k + 1 for k in axis)), 0

    def notation(x, shift, axis):
        if len(axis) == 1:
            return f"np.roll({{0}}, {shift[0]}{_axis_text(axis[0], len(x.shape))})"
        return f"np.roll({{0}}, {shift}, axis={axis})"


@op()
class pad:
    """np.pad with static widths (one pair per axis). mode constant (with the number `value`), edge, reflect, symmetric or wrap."""

    cheap = True

    samples = [((np.array([1.0, 2.0, 3.0]),), {"width": ((1, 2),), "mode": m, "value": 0}) for m in ("constant", "edge", "reflect", "symmetric", "wrap")] + [
        ((np.arange(6.0).reshape(2, 3),), {"width": ((0, 1), (2, 0)), "mode": "constant", "value": 1.5})]

    def impl(x, width, mode, value):
        return np.pad(x, width, mode, constant_values=value) if mode == "constant" else np.pad(x, width, mode)

    def infer(x, width, mode, value):
        return Aval(tuple(None if n is None else n + lo + hi for n, (lo, hi) in zip(x.shape, width, strict=True)), x.dtype)

    def lower(hlo, out, x, width, mode, value):
        if mode == "constant":
            return hlo.pad(x, hlo.constant(value, x.dtype), [lo for lo, _ in width], [hi for _, hi in width])
        for k, pair in enumerate(width):
            if pair != (0, 0):
                x = _take_static(hlo, x, np.pad(np.arange(x.shape[k]), pair, mode), k)
        return x

    def vjp(g, x, out, width, mode, value):
        if mode == "constant":
            return g[tuple(slice(lo, lo + n) for n, (lo, _) in zip(np.shape(x), width, strict=True))]
        for k, pair in enumerate(width):
            if pair != (0, 0):
                where = np.pad(np.arange(np.shape(x)[k]), pair, mode)
                part = np.zeros_like(g[(*(slice(None),) * k, slice(0, np.shape(x)[k]))])
                np.add.at(part, (*(slice(None),) * k, where), g)
                g = part
        return g

    def jvp(dots, x, out, width, mode, value):
        return TABLE["pad"].bind(dots[0], width=width, mode=mode, value=0)

    def batch(axes, x, width, mode, value):
        return TABLE["pad"].bind(x, width=((0, 0), *width), mode=mode, value=value), 0

    def notation(x, width, mode, value):
        pairs = width[0] if len(width) == 1 else width
        if len(set(width)) == 1:
            pairs = width[0][0] if width[0][0] == width[0][1] else width[0]
        extra = "" if mode == "constant" else f', mode="{mode}"'
        fill = repr(value).replace("inf", "np.inf").replace("nan", "np.nan")
        return f"np.pad({{0}}, {pairs}{extra}{f', constant_values={fill}' if value else ''})"


# functions ----------------------------------------------------------------------------------------------------------------

@function(np.repeat)
def _repeat(a, repeats, axis=None):
    a = coerced(a)
    if axis is None:
        a, axis = lookup(np.ravel)(a), 0
    repeats = tuple(int(r) for r in repeats) if np.ndim(repeats) else int(repeats)
    axis = normal_axis(axis, np.ndim(a))
    if isinstance(repeats, tuple) and len(repeats) == 1:
        repeats = repeats[0]
    return TABLE["repeat"].bind(a if np.ndim(a) else lookup(np.reshape)(a, (1,)), repeats=repeats, axis=axis)


@function(np.tile)
def _tile(A, reps):
    A = coerced(A)
    reps = tuple(map(int, reps)) if np.ndim(reps) else (int(reps),)
    ndim = max(len(reps), np.ndim(A))
    A = lookup(np.reshape)(A, (1,) * (ndim - np.ndim(A)) + np.shape(A))
    return TABLE["tile"].bind(A, reps=(1,) * (ndim - len(reps)) + reps)


@function(np.roll)
def _roll(a, shift, axis=None):
    a = coerced(a)
    if axis is None:
        flat = lookup(np.ravel)(a)
        return lookup(np.reshape)(_roll(flat, shift, 0), np.shape(a))
    axes = normal_axes(axis, np.ndim(a)) if not isinstance(axis, tuple) or len(set(axis)) == len(axis) else axis
    if is_reference(shift) and shift.known is None:
        return _roll_abstract(a, shift, axes)
    shifts = tuple(map(int, shift)) if np.ndim(shift) else (int(shift),) * len(axes)
    return TABLE["roll"].bind(a, shift=shifts, axis=axes * len(shifts) if len(axes) == 1 else axes)


def _roll_abstract(a, shift, axes):
    if len(axes) != 1 or np.ndim(shift):
        raise TransformError("np.roll of several axes by amounts that are not known before the function runs", "Roll one axis after the other.")
    n = np.shape(a)[axes[0]]
    return lookup(np.take)(a, (np.arange(n) - shift) % n, axes[0])


def widths(pad_width, ndim):
    """The pairs of np.pad's pad_width, one per axis."""
    if isinstance(pad_width, dict):
        given = {normal_axis(k, ndim): v for k, v in pad_width.items()}
        return tuple(widths(given.get(k, 0), 1)[0] for k in range(ndim))
    return tuple((int(lo), int(hi)) for lo, hi in np.broadcast_to(np.asarray(pad_width), (ndim, 2)))


MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "empty")


@function(np.pad)
def _pad(array, pad_width, mode="constant", *, constant_values=0, reflect_type="even", stat_length=None, end_values=0):
    array = coerced(array)
    if mode in (*STATISTICS, "linear_ramp") or reflect_type == "odd" and mode in ("reflect", "symmetric"):
        return padded(array, widths(pad_width, np.ndim(array)), mode, stat_length, end_values)
    if mode not in MODES or reflect_type != "even":
        raise TransformError(f"np.pad with mode={mode!r}, reflect_type={reflect_type!r} is not known", f"Known modes: {', '.join(MODES)}.")
    width = widths(pad_width, np.ndim(array))
    if is_reference(constant_values) or np.ndim(constant_values):
        return _pad_with(array, width, constant_values)
    value = constant_values if mode == "constant" else 0
    return TABLE["pad"].bind(array, width=width, mode="constant" if mode == "empty" else mode, value=value)


def _pad_with(array, width, values):
    """Constant padding with one abstract number, or with static pairs: later axes win in the corners."""
    pairs = [(values, values)] * len(width) if is_reference(values) else np.broadcast_to(values, (len(width), 2)).tolist()
    dtype = aval_of(array).dtype
    for k, ((lo, hi), (first, last)) in enumerate(zip(width, pairs, strict=True)):
        ends = [lookup(np.astype)(lookup(np.broadcast_to)(lookup(np.asarray)(v), _length(np.shape(array), k, n)), dtype)
                for v, n in ((first, lo), (last, hi))]
        array = lookup(np.concatenate)([ends[0], array, ends[1]], k)
    return array


@function(np.resize)
def _resize(a, new_shape):
    a = lookup(np.ravel)(coerced(a))
    shape = (int(new_shape),) if np.ndim(new_shape) == 0 else tuple(map(int, new_shape))
    where = np.arange(int(np.prod(shape, dtype=int))) % max(1, np.size(a))
    return lookup(np.reshape)(lookup(np.take)(a, where), shape)
