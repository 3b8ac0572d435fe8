"""Arithmetic, powers, exponentials and logarithms, element by element.

Each operand has one rule, the contribution `g * partial`; forward and reverse mode both derive from it.
"""

import math

import numpy as np

from .op import TABLE, Op, elementwise, infer_elementwise, register
from .samples import ANY, PAIR, POSITIVE, uniform

LN2, LN10 = math.log(2.0), math.log(10.0)


def is_literal(value):
    """Whether an operand of a rule is a number known when transforming."""
    return isinstance(value, bool | int | float | complex | np.number)


def at_result_type(kind):
    """Lowering that casts the operands to the result's dtype first (int / int is float)."""
    def lower(hlo, out, *operands):
        return hlo.elementwise(kind, out, *(hlo.convert(x, out.dtype) for x in operands))
    return lower


def like_result(hlo, out, *operands):
    """The operands in the shape and dtype of the result."""
    return [hlo.broadcast_to(hlo.convert(x, out.dtype), out.shape) for x in operands]


# arithmetic -------------------------------------------------------------------
@elementwise(np.add, lower="add", symbol="+", samples=PAIR)
class add:
    def d_x(g, x, y, out):
        return g

    def d_y(g, x, y, out):
        return g


@elementwise(np.subtract, lower="subtract", symbol="-", samples=PAIR)
class subtract:
    def d_x(g, x, y, out):
        return g

    def d_y(g, x, y, out):
        return -g


@elementwise(np.multiply, lower="multiply", symbol="*", samples=PAIR, singular="operands")
class multiply:
    def d_x(g, x, y, out):
        return g * y

    def d_y(g, x, y, out):
        return g * x


def _singular_ratio(x, y):
    """A division by a number other than zero has finite partials, whatever is divided."""
    return not (is_literal(y) and y != 0 and np.isfinite(y))


@elementwise(np.divide, lower=at_result_type("divide"), symbol="/", samples=uniform((-2.0, 2.0), (0.5, 2.0)), singular=_singular_ratio)
class divide:
    def d_x(g, x, y, out):
        return g / y

    def d_y(g, x, y, out):
        if is_literal(x):
            return -(g * x) / y ** 2
        return -(g * out / y)


@elementwise(np.negative, lower="negate", symbol="-", samples=ANY)
def negative(g, x, out):
    return -g


@elementwise(np.positive, lower=lambda hlo, out, x: hlo.convert(x, out.dtype), samples=ANY)
def positive(g, x, out):
    return g


def _lower_reciprocal(hlo, out, x):
    return hlo.elementwise("divide", out, hlo.full(out.shape, 1, out.dtype), x)


@elementwise(np.reciprocal, lower=_lower_reciprocal, samples=POSITIVE, singular=True)
def reciprocal(g, x, out):
    return -g * out ** 2


@elementwise(np.square, lower=lambda hlo, out, x: hlo.multiply(x, x), samples=ANY, singular="operands")
def square(g, x, out):
    return 2 * g * x


# powers -----------------------------------------------------------------------
def _singular_power(x, y):
    """Positive whole literal exponents have finite partials at finite numbers; others have none at negative ones."""
    return "operands" if is_literal(y) and np.real(y) >= 1 and y == round(np.real(y)) else True


class _Power:
    def d_x(g, x, y, out):
        if not is_literal(y):
            return g * y * x ** np.where(y == 0, 1, y - 1)
        if y == 0:
            return np.zeros_like(g)
        if y == 1:
            return g
        return y * g * x if y == 2 else y * g * x ** (y - 1)

    def d_y(g, x, y, out):
        if is_literal(x) and x != 0:
            return g * out * np.log(x, dtype=out.dtype)
        return g * out * np.log(np.where(x == 0, 1, x))


def _lower_power(hlo, out, x, y):
    """Integer powers by squaring where the exponent is a small literal, so that they are exact."""
    exponent = y.literal
    if exponent is None or exponent != int(exponent.real) or not 0 <= exponent.real <= 32:
        return at_result_type("power")(hlo, out, x, y)
    base = hlo.broadcast_to(hlo.convert(x, out.dtype), out.shape)
    exponent, result = int(exponent.real), None
    if exponent == 0:
        return hlo.full(out.shape, 1, out.dtype)
    while exponent:
        if exponent & 1:
            result = base if result is None else hlo.multiply(result, base)
        exponent >>= 1
        base = hlo.multiply(base, base) if exponent else base
    return result


_power_samples = uniform((0.3, 2.0), (-2.0, 2.0))


def _literal_powers(rng):
    x = rng.uniform(0.5, 2.0, (2, 3))
    return [*_power_samples(rng), *(((x, p), {}) for p in (0, 1, 2, 3, -1, 0.5, -1.5)), ((2.0, x), {})]


class _RootPower:
    """A power from 1/2 to 1 of a sum of squares: the derivative at 0 is 0."""

    def d_x(g, x, y, out):
        return y * g * np.where(x == 0, np.inf, x) ** (y - 1)

    def infer(x, y):
        return infer_elementwise(np.power, (x, y))

    def samples(rng):
        return [((x, 0.5), params) for (x,), params in POSITIVE(rng)]

    def of_squares(x, y):
        return TABLE["root_power"] if is_literal(y) and np.isrealobj(y) and 0.5 <= y < 1 else None


register(Op("root_power", np.power, _RootPower.infer, _lower_power, partials=(_RootPower.d_x, _Power.d_y), symbol="**",
            samples=_RootPower.samples))
elementwise(np.power, lower=_lower_power, symbol="**", samples=_literal_powers, singular=_singular_power, of_squares=_RootPower.of_squares,
            name="power")(_Power)
elementwise(np.float_power, lower=_lower_power, samples=_power_samples, singular=_singular_power, name="float_power")(_Power)


class _Root:
    """Square root of a sum of squares: the derivative at 0 is 0."""

    def d_x(g, x, out):
        return 0.5 * g / np.where(out == 0, np.inf, out)

    def infer(x):
        return infer_elementwise(np.sqrt, (x,))

    def of_squares(x):
        return TABLE["root"]


root = register(Op("root", np.sqrt, _Root.infer, at_result_type("sqrt"), partials=(_Root.d_x,), notation=lambda x: "np.sqrt({0})",
                   samples=POSITIVE)).bind


@elementwise(np.sqrt, lower=at_result_type("sqrt"), samples=POSITIVE, singular=True, of_squares=_Root.of_squares)
def sqrt(g, x, out):
    return 0.5 * g / out


@elementwise(np.cbrt, lower=at_result_type("cbrt"), samples=POSITIVE, singular=True)
def cbrt(g, x, out):
    return g / (3 * out ** 2)


def _lower_hypot(hlo, out, x, y):
    """Scaled by the larger one, so that squares do not overflow."""
    x, y = (hlo.abs(hlo.broadcast_to(hlo.convert(v, out.dtype), out.shape)) for v in (x, y))
    big, small = hlo.maximum(x, y), hlo.minimum(x, y)
    plain = hlo.or_(hlo.compare("EQ", big, 0.0), hlo.compare("EQ", big, math.inf))
    ratio = hlo.divide(small, hlo.select(plain, hlo.full(out.shape, 1, out.dtype), big))
    length = hlo.multiply(big, hlo.sqrt(hlo.add(hlo.multiply(ratio, ratio), 1.0)))
    infinite = hlo.or_(hlo.compare("EQ", x, math.inf), hlo.compare("EQ", y, math.inf))
    return hlo.select(infinite, hlo.full(out.shape, math.inf, out.dtype), hlo.select(plain, big, length))


@elementwise(np.hypot, lower=_lower_hypot, samples=PAIR)
class hypot:
    def d_x(g, x, y, out):
        return g * x / np.where(out == 0, 1, out)

    def d_y(g, x, y, out):
        return g * y / np.where(out == 0, 1, out)


# exponentials and logarithms --------------------------------------------------
@elementwise(np.exp, lower=at_result_type("exponential"), samples=ANY, singular=True)
def exp(g, x, out):
    return g * out


def _lower_exp2(hlo, out, x):
    return hlo.power(hlo.full(out.shape, 2, out.dtype), hlo.convert(x, out.dtype))


@elementwise(np.exp2, lower=_lower_exp2, samples=ANY, singular=True)
def exp2(g, x, out):
    return LN2 * g * out


@elementwise(np.expm1, lower=at_result_type("exponential_minus_one"), samples=ANY, singular=True)
def expm1(g, x, out):
    return g * (out + 1)


@elementwise(np.log, lower=at_result_type("log"), samples=POSITIVE, singular=True)
def log(g, x, out):
    return g / x


def _log_to_base(natural):
    def lower(hlo, out, x):
        log = hlo.log(hlo.convert(x, out.dtype))
        return hlo.divide(log, hlo.full(out.shape, natural, out.dtype))
    return lower


def _lower_log2(hlo, out, x):
    """Exponent and mantissa apart, so that powers of two are exact."""
    if out.dtype.name not in ("float32", "float64"):
        return _log_to_base(LN2)(hlo, out, x)
    from .rounding import lower_frexp
    x = hlo.convert(x, out.dtype)
    mantissa, exponent = lower_frexp(hlo, x)
    low = hlo.compare("LT", mantissa, math.sqrt(0.5))
    mantissa = hlo.select(low, hlo.multiply(mantissa, 2.0), mantissa)
    exponent = hlo.subtract(hlo.convert(exponent, out.dtype), hlo.convert(low, out.dtype))
    return hlo.add(exponent, _log_to_base(LN2)(hlo, out, mantissa))


@elementwise(np.log2, lower=_lower_log2, samples=POSITIVE, singular=True)
def log2(g, x, out):
    return g / (LN2 * x)


@elementwise(np.log10, lower=_log_to_base(LN10), samples=POSITIVE, singular=True)
def log10(g, x, out):
    return g / (LN10 * x)


@elementwise(np.log1p, lower=at_result_type("log_plus_one"), samples=POSITIVE, singular=True)
def log1p(g, x, out):
    return g / (1 + x)


def _lower_logaddexp(unit):
    """max + log(1 + exp(-|difference|)) in the given unit (ln 2 for base 2); equal infinities stay."""
    def lower(hlo, out, x, y):
        x, y = like_result(hlo, out, x, y)
        gap = hlo.negate(hlo.abs(hlo.subtract(x, y)))
        rest = hlo.log1p(hlo.exp(gap if unit == 1 else hlo.multiply(gap, unit)))
        total = hlo.add(hlo.maximum(x, y), rest if unit == 1 else hlo.divide(rest, unit))
        doubled = hlo.add(x, math.log(2.0) / unit)
        return hlo.select(hlo.compare("EQ", x, y), doubled, total)
    return lower


@elementwise(np.logaddexp, lower=_lower_logaddexp(1), samples=PAIR)
class logaddexp:
    def d_x(g, x, y, out):
        return g * np.exp(np.where(x == out, 0, x - out))

    def d_y(g, x, y, out):
        return g * np.exp(np.where(y == out, 0, y - out))


@elementwise(np.logaddexp2, lower=_lower_logaddexp(LN2), samples=PAIR)
class logaddexp2:
    def d_x(g, x, y, out):
        return g * np.exp2(np.where(x == out, 0, x - out))

    def d_y(g, x, y, out):
        return g * np.exp2(np.where(y == out, 0, y - out))


__all__ = ["LN10", "LN2", "at_result_type", "is_literal", "root"]
