"""Arithmetic, powers, exponentials and logarithms, element by element.

Each operand has one rule, the contribution `g * partial`; forward and reverse mode both derive from it.
"""

import numpy as np

from .op import elementwise, piecewise_constant
from .samples import ANY, PAIR, POSITIVE, uniform

NUMBER = bool | int | float | complex | np.number


def is_literal(value):
    """Whether an operand of a rule is a number known when transforming."""
    return isinstance(value, NUMBER)


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


@elementwise(np.multiply, lower="multiply", symbol="*", samples=PAIR, singular=True)
class multiply:
    def d_x(g, x, y, out):
        return g * y

    def d_y(g, x, y, out):
        return g * x


def _lower_divide(hlo, out, x, y):
    return hlo.elementwise("divide", out, hlo.convert(x, out.dtype), hlo.convert(y, out.dtype))


@elementwise(np.divide, lower=_lower_divide, symbol="/", samples=uniform((-2.0, 2.0), (0.5, 2.0)), singular=True)
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


def _lower_power(hlo, out, x, y):
    return hlo.elementwise("power", out, hlo.convert(x, out.dtype), hlo.convert(y, out.dtype))


class power_rules:
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


elementwise(np.power, lower=_lower_power, symbol="**", samples=uniform((0.3, 2.0), (-2.0, 2.0)), singular=True,
            name="power")(power_rules)


# exponentials and logarithms --------------------------------------------------
@elementwise(np.exp, lower="exponential", samples=ANY, singular=True)
def exp(g, x, out):
    return g * out


@elementwise(np.log, lower="log", samples=POSITIVE, singular=True)
def log(g, x, out):
    return g / x


@elementwise(np.sqrt, lower="sqrt", samples=POSITIVE, singular=True)
def sqrt(g, x, out):
    return 0.5 * g / out


# ties share -------------------------------------------------------------------
def _shared(g, x, y, out):
    """The cotangent where `x` is the result; half of it where `y` is too."""
    return np.where(x == y, 0.5 * g, np.where(x == out, g, 0))


class maximum_rules:
    def d_x(g, x, y, out):
        return _shared(g, x, y, out)

    def d_y(g, x, y, out):
        return _shared(g, y, x, out)


elementwise(np.maximum, lower="maximum", samples=PAIR, masking=True, name="maximum")(maximum_rules)
elementwise(np.minimum, lower="minimum", samples=PAIR, masking=True, name="minimum")(maximum_rules)


__all__ = ["is_literal", "piecewise_constant"]
