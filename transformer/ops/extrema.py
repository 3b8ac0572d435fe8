"""Larger, smaller, clipped; signs. Ties share the cotangent evenly."""

import math

import ml_dtypes
import numpy as np

from ..core import is_floating, is_real
from .elementwise import is_literal, like_result
from .op import TABLE, Op, elementwise, function, infer_elementwise, piecewise_constant, register
from .samples import ANY, PAIR, uniform


def above(g, x, y):
    """The cotangent where x > y, half of it at a tie."""
    return np.where(x > y, g, np.where(x == y, 0.5 * g, 0))


@elementwise(np.maximum, lower="maximum", samples=PAIR, masking=True)
class maximum:
    def d_x(g, x, y, out):
        return above(g, x, y)

    def d_y(g, x, y, out):
        return above(g, y, x)


@elementwise(np.minimum, lower="minimum", samples=PAIR, masking=True)
class minimum:
    def d_x(g, x, y, out):
        return above(g, y, x)

    def d_y(g, x, y, out):
        return above(g, x, y)


def _ignoring_nan(kind):
    def lower(hlo, out, x, y):
        x, y = like_result(hlo, out, x, y)
        both = hlo.binary(kind, x, y)
        if not is_floating(out.dtype):
            return both
        return hlo.select(hlo.compare("NE", x, x), y, hlo.select(hlo.compare("NE", y, y), x, both))
    return lower


class _TakenOf:
    """fmax and fmin: a nan operand is never taken."""

    def d_x(g, x, y, out):
        return np.where(x == y, 0.5 * g, np.where(x == out, g, 0))

    def d_y(g, x, y, out):
        return np.where(x == y, 0.5 * g, np.where(y == out, g, 0))


elementwise(np.fmax, lower=_ignoring_nan("maximum"), samples=PAIR, masking=True, nonfinite=True, name="fmax")(_TakenOf)
elementwise(np.fmin, lower=_ignoring_nan("minimum"), samples=PAIR, masking=True, nonfinite=True, name="fmin")(_TakenOf)


# clip -------------------------------------------------------------------------------
class _Clip:
    def d_x(g, x, lo, hi, out):
        if is_literal(lo) and is_literal(hi) and lo < hi:
            return np.where((x > lo) & (x < hi), g, np.where((x == lo) | (x == hi), 0.5 * g, 0))
        return above(above(g, hi, np.maximum(x, lo)), x, lo)

    def d_lo(g, x, lo, hi, out):
        return above(above(g, hi, np.maximum(x, lo)), lo, x)

    def d_hi(g, x, lo, hi, out):
        return above(g, np.maximum(x, lo), hi)

    def lower(hlo, out, x, lo, hi):
        x, lo, hi = like_result(hlo, out, x, lo, hi)
        return hlo.minimum(hlo.maximum(x, lo), hi)

    def infer(*avals):
        return infer_elementwise(np._core.umath.clip, avals)


register(Op("clip", np.clip, _Clip.infer, _Clip.lower, partials=(_Clip.d_x, _Clip.d_lo, _Clip.d_hi), masking=True,
            samples=uniform((-2.0, 2.0), (-1.0, -0.5), (0.5, 1.0))))


@function(np.clip, method="clip")
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, dtype=None):
    """np.clip; a missing bound does not bind."""
    lo, hi = (a_min if min is None else min), (a_max if max is None else max)
    if lo is None or hi is None:
        clipped = np.maximum(a, lo) if lo is not None else np.minimum(a, hi) if hi is not None else np.copy(a)
    else:
        clipped = TABLE["clip"].bind(a, lo, hi)
    return clipped if dtype is None else np.astype(clipped, dtype)


# signs ------------------------------------------------------------------------------
def lower_signbit(hlo, out, x):
    """Whether the sign bit is set (of -0.0 and nan too)."""
    if not is_real(x.dtype):
        return hlo.broadcast_to(hlo.compare("LT", x, hlo.full(x.shape, 0, x.dtype)), out.shape)
    bits = hlo.op("bitcast_convert", [x], x.shape, np.dtype(f"i{x.dtype.itemsize}"))
    return hlo.broadcast_to(hlo.compare("LT", bits, hlo.full(x.shape, 0, bits.dtype)), out.shape)


piecewise_constant(np.signbit, lower_signbit, samples=ANY)


def lower_copysign(hlo, out, x, y):
    x, y = like_result(hlo, out, x, y)
    size = hlo.abs(x)
    return hlo.select(lower_signbit(hlo, y, y), hlo.negate(size), size)


@elementwise(np.copysign, lower=lower_copysign, samples=PAIR)
class copysign:
    def d_x(g, x, y, out):
        return g * np.sign(x) * np.copysign(1, y)


@elementwise(np.fabs, lower="abs", samples=ANY)
def fabs(g, x, out):
    return g * np.sign(x)


def _lower_heaviside(hlo, out, x, y):
    x, y = like_result(hlo, out, x, y)
    step = hlo.convert(hlo.compare("GT", x, 0.0), out.dtype)
    kept = hlo.select(hlo.compare("NE", x, x), x, step)
    return hlo.select(hlo.compare("EQ", x, 0.0), y, kept)


@elementwise(np.heaviside, lower=_lower_heaviside, samples=PAIR, masking=True)
class heaviside:
    def d_y(g, x, y, out):
        return np.where(x == 0, g, 0)


# nan_to_num --------------------------------------------------------------------------
class _NanToNum:
    def impl(x, nan, posinf, neginf):
        return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)

    def infer(x, nan, posinf, neginf):
        return x

    def d_x(g, x, out, nan, posinf, neginf):
        return np.where(np.isfinite(x), g, 0)

    def lower(hlo, out, x, nan, posinf, neginf):
        if not is_real(out.dtype):
            return x
        info = ml_dtypes.finfo(out.dtype)
        fills = [nan, *map(float, (info.max if posinf is None else posinf, info.min if neginf is None else neginf))]
        nan, posinf, neginf = (hlo.full(out.shape, v, out.dtype) for v in fills)
        x = hlo.select(hlo.compare("EQ", x, hlo.full(out.shape, math.inf, out.dtype)), posinf, x)
        x = hlo.select(hlo.compare("EQ", x, hlo.full(out.shape, -math.inf, out.dtype)), neginf, x)
        return hlo.select(hlo.compare("NE", x, x), nan, x)

    def notation(x, nan, posinf, neginf):
        fills = {"nan": None if nan == 0.0 else nan, "posinf": posinf, "neginf": neginf}
        given = [f"{k}={v!r}" for k, v in fills.items() if v is not None]
        return f"np.nan_to_num({', '.join(['{0}', *given])})"

    def samples(rng):
        x = rng.uniform(-2.0, 2.0, (2, 3))
        return [((x,), {"nan": 0.0, "posinf": None, "neginf": None}), ((x,), {"nan": 1.5, "posinf": 3.0, "neginf": -3.0})]


register(Op("nan_to_num", _NanToNum.impl, _NanToNum.infer, _NanToNum.lower, partials=(_NanToNum.d_x,), masking=True, nonfinite=True,
            notation=_NanToNum.notation, samples=_NanToNum.samples))


@function(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """np.nan_to_num of real numbers, real and imaginary parts apart for complex ones."""
    if np.iscomplexobj(x):
        result = nan_to_num(np.real(x), True, nan, posinf, neginf) + 1j * nan_to_num(np.imag(x), True, nan, posinf, neginf)
    elif all(v is None or is_literal(v) for v in (nan, posinf, neginf)):
        result = TABLE["nan_to_num"].bind(x, nan=nan, posinf=posinf, neginf=neginf)
    else:
        result = _nan_to_array(x, nan, posinf, neginf)
    if copy:
        return result
    x[...] = result
    return x


def _nan_to_array(x, nan, posinf, neginf):
    x = np.where(np.isnan(x), nan, x)
    info = ml_dtypes.finfo(x.dtype)
    x = np.where(x == np.inf, info.max if posinf is None else posinf, x)
    return np.where(x == -np.inf, info.min if neginf is None else neginf, x)


__all__ = ["above", "lower_copysign", "lower_signbit"]
