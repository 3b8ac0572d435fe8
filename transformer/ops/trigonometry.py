"""Trigonometric and hyperbolic functions, their inverses, and sinc."""

import math

import numpy as np

from ..core import Aval
from .elementwise import at_result_type
from .op import TABLE, elementwise, function, op, result_dtype
from .samples import ANY, PAIR, uniform

INSIDE = uniform((-0.9, 0.9))
ABOVE_ONE = uniform((1.2, 3.0))


# circular -------------------------------------------------------------------------
@elementwise(np.sin, lower=at_result_type("sine"), samples=ANY)
def sin(g, x, out):
    return g * np.cos(x)


@elementwise(np.cos, lower=at_result_type("cosine"), samples=ANY)
def cos(g, x, out):
    return -g * np.sin(x)


@elementwise(np.tan, lower=at_result_type("tan"), samples=uniform((-1.2, 1.2)), singular=True)
def tan(g, x, out):
    return g * (1 + out ** 2)


@elementwise(np.arcsin, lower=at_result_type("chlo.asin"), samples=INSIDE, singular=True)
def arcsin(g, x, out):
    return g / np.sqrt(1 - x ** 2)


@elementwise(np.arccos, lower=at_result_type("chlo.acos"), samples=INSIDE, singular=True)
def arccos(g, x, out):
    return -g / np.sqrt(1 - x ** 2)


@elementwise(np.arctan, lower=at_result_type("chlo.atan"), samples=ANY)
def arctan(g, x, out):
    return g / (1 + x ** 2)


@elementwise(np.arctan2, lower=at_result_type("atan2"), samples=PAIR, singular=True)
class arctan2:
    def d_x(g, x, y, out):
        return g * y / (x ** 2 + y ** 2)

    def d_y(g, x, y, out):
        return -g * x / (x ** 2 + y ** 2)


# hyperbolic -----------------------------------------------------------------------
@elementwise(np.sinh, lower=at_result_type("chlo.sinh"), samples=ANY, singular=True)
def sinh(g, x, out):
    return g * np.cosh(x)


@elementwise(np.cosh, lower=at_result_type("chlo.cosh"), samples=ANY, singular=True)
def cosh(g, x, out):
    return g * np.sinh(x)


@elementwise(np.tanh, lower=at_result_type("tanh"), samples=ANY)
def tanh(g, x, out):
    return g * (1 - out ** 2)


@elementwise(np.arcsinh, lower=at_result_type("chlo.asinh"), samples=ANY)
def arcsinh(g, x, out):
    return g / np.sqrt(x ** 2 + 1)


@elementwise(np.arccosh, lower=at_result_type("chlo.acosh"), samples=ABOVE_ONE, singular=True)
def arccosh(g, x, out):
    return g / (np.sqrt(x - 1) * np.sqrt(x + 1))


@elementwise(np.arctanh, lower=at_result_type("chlo.atanh"), samples=INSIDE, singular=True)
def arctanh(g, x, out):
    return g / (1 - x ** 2)


# units ------------------------------------------------------------------------------
def _scaled(factor):
    def lower(hlo, out, x):
        return hlo.multiply(hlo.convert(x, out.dtype), hlo.full(out.shape, factor, out.dtype))

    def partial(g, x, out):
        return factor * g
    return lower, partial


for _ufunc, _factor in [(np.degrees, 180.0 / math.pi), (np.rad2deg, 180.0 / math.pi),
                        (np.radians, math.pi / 180.0), (np.deg2rad, math.pi / 180.0)]:
    _lower, _partial = _scaled(_factor)
    elementwise(_ufunc, lower=_lower, samples=ANY, name=_ufunc.__name__)(_partial)


# functions of special shape -----------------------------------------------------------
def _sinc_partial(g, x, out):
    """(cos(pi x) - sinc(x)) / x; near 0 its series, whose own derivatives are right there too."""
    near = np.abs(x) < 1e-3
    safe = np.where(near, 1.0, x)
    series = -(math.pi ** 2 / 3) * x + (math.pi ** 4 / 30) * x ** 3 - (math.pi ** 6 / 840) * x ** 5
    return g * np.where(near, series, (np.cos(math.pi * safe) - np.sinc(safe)) / safe)


def _lower_sinc(hlo, out, x):
    x = hlo.convert(x, out.dtype)
    zero = hlo.compare("EQ", x, hlo.full(out.shape, 0, out.dtype))
    angle = hlo.multiply(hlo.select(zero, hlo.full(out.shape, 1, out.dtype), x), hlo.full(out.shape, math.pi, out.dtype))
    return hlo.select(zero, hlo.full(out.shape, 1, out.dtype), hlo.divide(hlo.sin(angle), angle))


def _infer_inexact(x):
    return Aval(x.shape, result_dtype(x, Aval((), np.dtype(np.float64), True)))


@op()
class sinc:
    impl, infer, lower, partials = np.sinc, _infer_inexact, _lower_sinc, (_sinc_partial,)
    samples = uniform((-2.0, 2.0))


function(np.sinc)(TABLE["sinc"].bind)


NODES = 512
"""Points of the trapezoidal rule for I0(x) = mean of exp(x cos t): exact to rounding up to the overflow of float64."""


def cosines():
    """cos t at the nodes."""
    return np.cos(2 * math.pi * np.arange(NODES) / NODES)


def _i0_partial(g, x, out):
    """I1(x), the mean of cos(t) exp(x cos t) over a period."""
    c = cosines()
    return g * np.mean(c * np.exp(np.expand_dims(x, -1) * c), axis=-1)


def _lower_i0(hlo, out, x):
    x = hlo.convert(x, out.dtype)
    shape = (*out.shape, NODES)
    spread = hlo.broadcast_in_dim(x, shape, range(x.ndim))
    nodes = hlo.broadcast_to(hlo.constant(cosines(), out.dtype), shape)
    total = hlo.reduce(hlo.exp(hlo.multiply(spread, nodes)), None, (x.ndim,), "add")
    return hlo.divide(total, hlo.full(out.shape, NODES, out.dtype))


@op()
class i0:
    impl, infer, lower, partials = np.i0, _infer_inexact, _lower_i0, (_i0_partial,)
    samples = uniform((-2.0, 2.0))


function(np.i0)(TABLE["i0"].bind)
