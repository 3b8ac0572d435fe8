"""Rounding, division with remainder, and the parts of a floating-point number."""

import math

import numpy as np

from ..core import Aval, is_floating, is_real
from .elementwise import like_result
from .extrema import lower_copysign
from .op import TABLE, Op, elementwise, function, op, piecewise_constant, register
from .samples import ANY, PAIR, uniform


# rounding -------------------------------------------------------------------------
def lower_trunc(hlo, out, x):
    return hlo.select(hlo.compare("LT", x, hlo.full(x.shape, 0, x.dtype)), hlo.ceil(x), hlo.floor(x))


def _of_floats(lower):
    """Integers and bools are round already."""
    def rule(hlo, out, x):
        x = hlo.convert(x, out.dtype)
        if out.dtype.kind == "c":
            return hlo.complex(lower(hlo, out, hlo.real(x)), lower(hlo, out, hlo.imag(x)))
        return lower(hlo, out, x) if is_real(out.dtype) else x
    return rule


for _ufunc, _lower in [(np.floor, lambda hlo, out, x: hlo.floor(x)), (np.ceil, lambda hlo, out, x: hlo.ceil(x)),
                       (np.trunc, lower_trunc), (np.rint, lambda hlo, out, x: hlo.round(x))]:
    piecewise_constant(_ufunc, _of_floats(_lower), samples=ANY)


def _round_samples(rng):
    x = rng.uniform(-2.0, 2.0, (2, 3))
    return [((x,), {"decimals": d}) for d in (0, 2)] + [((100 * x,), {"decimals": -1})]


@op(differentiable=False)
class round:
    partials = (None,)
    samples = _round_samples

    def impl(x, decimals):
        return np.round(x, decimals)

    def infer(x, decimals):
        return Aval(x.shape, np.dtype(np.float16) if x.dtype.kind == "b" else x.dtype)

    def lower(hlo, out, x, decimals):
        if out.dtype.kind in "iu" and decimals >= 0:
            return x
        dtype = out.dtype if is_floating(out.dtype) else np.dtype(np.float64)
        scale = hlo.full(out.shape, 10.0 ** abs(decimals), dtype)
        up, down = (hlo.multiply, hlo.divide) if decimals >= 0 else (hlo.divide, hlo.multiply)
        return hlo.convert(down(hlo.round(up(hlo.convert(x, dtype), scale)), scale), out.dtype)

    def notation(x, decimals):
        return f"np.round({{0}}, {decimals})" if decimals else "np.round({0})"


@function(np.round, np.around, method="round")
def round_(a, decimals=0, out=None):
    """np.round, to even at ties."""
    if np.iscomplexobj(a):
        return round_(np.real(a), decimals) + 1j * round_(np.imag(a), decimals)
    return TABLE["round"].bind(a, decimals=int(decimals))


@function(np.fix)
def fix(x, out=None):
    """np.fix: towards zero."""
    return np.trunc(x)


# division with remainder ------------------------------------------------------------
def _nonzero_divisor(hlo, x, y):
    zero = hlo.compare("EQ", y, hlo.full(y.shape, 0, y.dtype))
    return zero, hlo.select(zero, hlo.full(y.shape, 1, y.dtype), y)


def _borrows(hlo, rest, y):
    """Where a truncated division has to step down to become a floored one."""
    zero = hlo.full(y.shape, 0, y.dtype)
    differ = hlo.compare("NE", hlo.compare("LT", rest, zero), hlo.compare("LT", y, zero))
    return hlo.and_(hlo.compare("NE", rest, zero), differ)


def _lower_floor_divide(hlo, out, x, y):
    x, y = like_result(hlo, out, x, y)
    if is_real(out.dtype):
        return _floor_divide_floats(hlo, out, x, y)
    zero, y = _nonzero_divisor(hlo, x, y)
    quotient = hlo.divide(x, y)
    if out.dtype.kind == "i":
        borrow = _borrows(hlo, hlo.op("remainder", [x, y], x.shape, x.dtype), y)
        quotient = hlo.subtract(quotient, hlo.convert(borrow, out.dtype))
    return hlo.select(zero, hlo.full(out.shape, 0, out.dtype), quotient)


def _floor_divide_floats(hlo, out, x, y):
    """NumPy's way: (x - x % y) / y is nearly an integer; round it to the nearest."""
    rest = hlo.op("remainder", [x, y], x.shape, x.dtype)
    quotient = hlo.divide(hlo.subtract(x, rest), y)
    quotient = hlo.subtract(quotient, hlo.convert(_borrows(hlo, rest, y), out.dtype))
    down = hlo.floor(quotient)
    up = hlo.convert(hlo.compare("GT", hlo.subtract(quotient, down), 0.5), out.dtype)
    plain = hlo.divide(x, y)
    signed_zero = lower_copysign(hlo, out, hlo.full(out.shape, 0, out.dtype), plain)
    whole = hlo.select(hlo.compare("EQ", quotient, 0.0), signed_zero, hlo.add(down, up))
    return hlo.select(hlo.compare("EQ", y, 0.0), plain, whole)


piecewise_constant(np.floor_divide, _lower_floor_divide, symbol="//", samples=uniform((-5.0, 5.0), (0.5, 2.0)))


def _lower_remainder(hlo, out, x, y):
    x, y = like_result(hlo, out, x, y)
    if is_real(out.dtype):
        rest = hlo.op("remainder", [x, y], x.shape, x.dtype)
        floored = hlo.select(_borrows(hlo, rest, y), hlo.add(rest, y), rest)
        signed_zero = lower_copysign(hlo, out, hlo.full(out.shape, 0, out.dtype), y)
        return hlo.select(hlo.compare("EQ", floored, 0.0), signed_zero, floored)
    zero, y = _nonzero_divisor(hlo, x, y)
    rest = hlo.op("remainder", [x, y], x.shape, x.dtype)
    if out.dtype.kind == "i":
        rest = hlo.select(_borrows(hlo, rest, y), hlo.add(rest, y), rest)
    return hlo.select(zero, hlo.full(out.shape, 0, out.dtype), rest)


@elementwise(np.remainder, lower=_lower_remainder, symbol="%", samples=uniform((-5.0, 5.0), (0.7, 2.0)))
class remainder:
    def d_x(g, x, y, out):
        return g

    def d_y(g, x, y, out):
        return -g * (x // y)


def _lower_fmod(hlo, out, x, y):
    x, y = like_result(hlo, out, x, y)
    if is_real(out.dtype):
        return hlo.op("remainder", [x, y], x.shape, x.dtype)
    zero, y = _nonzero_divisor(hlo, x, y)
    return hlo.select(zero, hlo.full(out.shape, 0, out.dtype), hlo.op("remainder", [x, y], x.shape, x.dtype))


@elementwise(np.fmod, lower=_lower_fmod, samples=uniform((-5.0, 5.0), (0.7, 2.0)))
class fmod:
    def d_x(g, x, y, out):
        return g

    def d_y(g, x, y, out):
        return -g * np.trunc(x / y)


@function(np.divmod)
def divmod_(x, y):
    """np.divmod: the pair (x // y, x % y)."""
    return x // y, x % y


# parts of a float -----------------------------------------------------------------------
LAYOUT = {"float16": (np.dtype(np.int16), 10, 15), "float32": (np.dtype(np.int32), 23, 127), "float64": (np.dtype(np.int64), 52, 1023),
          "bfloat16": (np.dtype(np.int16), 7, 127)}
"""dtype -> integer of that size, mantissa bits, exponent bias."""


def lower_frexp(hlo, x):
    """Mantissa in [0.5, 1) and int32 exponent; 0, nan and infinities keep themselves and 0."""
    integer, bits, bias = LAYOUT[x.dtype.name]

    def full(value, dtype=integer):
        return hlo.full(x.shape, value, dtype)
    tiny = hlo.compare("LT", hlo.abs(x), full(2.0 ** (1 - bias), x.dtype))
    scaled = hlo.select(tiny, hlo.multiply(x, full(2.0 ** (bits + 1), x.dtype)), x)
    raw = hlo.op("bitcast_convert", [scaled], x.shape, integer)
    field = 2 * bias + 1
    exponent = hlo.and_(hlo.op("shift_right_logical", [raw, full(bits)], x.shape, integer), full(field))
    inside = hlo.or_(hlo.and_(raw, full(~(field << bits))), full((bias - 1) << bits))
    mantissa = hlo.op("bitcast_convert", [inside], x.shape, x.dtype)
    shift = hlo.select(tiny, full(bias - 1 + bits + 1), full(bias - 1))
    exponent = hlo.subtract(exponent, shift)
    plain = hlo.or_(hlo.compare("EQ", x, full(0, x.dtype)), hlo.not_(hlo.is_finite(x)))
    exponent = hlo.select(plain, full(0), exponent)
    return hlo.select(plain, x, mantissa), hlo.convert(exponent, np.dtype(np.int32))


class _FrexpMantissa:
    def d_x(g, x, out):
        return np.ldexp(g, -np.frexp(x)[1])


def _part(name, impl, position, lower, partial, text):
    """One result of a ufunc with two results, as an op."""
    ufunc = getattr(np, impl)

    def infer(x):
        return Aval(x.shape, ufunc.resolve_dtypes((x.dtype, None, None))[1 + position])

    def run(x):
        return ufunc(x)[position]
    register(Op(name, run, infer, lower, partials=(partial,), notation=lambda x: text, samples=ANY,
                differentiable=partial is not None))


def _lower_mantissa(hlo, out, x):
    return lower_frexp(hlo, hlo.convert(x, out.dtype))[0]


def _lower_exponent(hlo, out, x):
    x = x if is_real(x.dtype) else hlo.convert(x, np.dtype(np.float64))
    return lower_frexp(hlo, x)[1]


def _lower_fraction(hlo, out, x):
    x = hlo.convert(x, out.dtype)
    rest = hlo.subtract(x, lower_trunc(hlo, out, x))
    infinite = hlo.compare("EQ", hlo.abs(x), hlo.full(out.shape, math.inf, out.dtype))
    return lower_copysign(hlo, out, hlo.select(infinite, hlo.full(out.shape, 0, out.dtype), rest), x)


def _lower_whole(hlo, out, x):
    x = hlo.convert(x, out.dtype)
    return lower_copysign(hlo, out, lower_trunc(hlo, out, x), x)


def _fraction_partial(g, x, out):
    return g


_part("frexp_mantissa", "frexp", 0, _lower_mantissa, _FrexpMantissa.d_x, "np.frexp({0})[0]")
_part("frexp_exponent", "frexp", 1, _lower_exponent, None, "np.frexp({0})[1]")
_part("modf_fraction", "modf", 0, _lower_fraction, _fraction_partial, "np.modf({0})[0]")
_part("modf_whole", "modf", 1, _lower_whole, None, "np.modf({0})[1]")


@function(np.frexp)
def frexp(x):
    """np.frexp: (mantissa, exponent)."""
    return TABLE["frexp_mantissa"].bind(x), TABLE["frexp_exponent"].bind(x)


@function(np.modf)
def modf(x):
    """np.modf: (fractional part, whole part)."""
    return TABLE["modf_fraction"].bind(x), TABLE["modf_whole"].bind(x)


def _power_of_two(hlo, exponent, dtype):
    """2.0 ** exponent for exponents of normal numbers, exactly."""
    integer, bits, bias = LAYOUT[dtype.name]
    raw = hlo.add(hlo.convert(exponent, integer), hlo.full(exponent.shape, bias, integer))
    raw = hlo.op("shift_left", [raw, hlo.full(exponent.shape, bits, integer)], exponent.shape, integer)
    return hlo.op("bitcast_convert", [raw], exponent.shape, dtype)


def _lower_ldexp(hlo, out, x, y):
    x = hlo.broadcast_to(hlo.convert(x, out.dtype), out.shape)
    limit = 3 * (LAYOUT[out.dtype.name][2] - 1)
    left = hlo.clamp(-limit, hlo.broadcast_to(hlo.convert(y, np.dtype(np.int64)), out.shape), limit)
    for parts in (3, 2, 1):
        step = hlo.divide(left, hlo.full(out.shape, parts, left.dtype))
        x, left = hlo.multiply(x, _power_of_two(hlo, step, out.dtype)), hlo.subtract(left, step)
    return x


def _ldexp_samples(rng):
    return [((rng.uniform(-2.0, 2.0, (2, 3)), rng.integers(-5, 5, (3,))), {})]


@elementwise(np.ldexp, lower=_lower_ldexp, samples=_ldexp_samples, promotes=(0,))
class ldexp:
    def d_x(g, x, y, out):
        return np.ldexp(g, y)


@elementwise(np.nextafter, lower=lambda hlo, out, x, y: hlo.op("chlo.next_after", like_result(hlo, out, x, y), out.shape, out.dtype),
             samples=PAIR)
class nextafter:
    def d_x(g, x, y, out):
        return g


def _lower_spacing(hlo, out, x):
    x = hlo.convert(x, out.dtype)
    away = lower_copysign(hlo, out, hlo.full(out.shape, math.inf, out.dtype), x)
    return hlo.subtract(hlo.op("chlo.next_after", [x, away], out.shape, out.dtype), x)


piecewise_constant(np.spacing, _lower_spacing, samples=ANY)


__all__ = ["lower_frexp", "lower_trunc"]
