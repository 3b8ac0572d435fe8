"""scipy.special: error, gamma, logistic and Bessel functions; logsumexp and softmax."""

import math

import numpy as np
import scipy.special as sp

from ...core import Aval
from ...errors import TransformError
from ..batching import batched_along
from ..elementwise import at_result_type
from ..linear_algebra import inexact
from ..op import TABLE, Op, elementwise, function, op, register
from ..reductions import axes_of, reduced_shape, spread
from ..samples import ANY, POSITIVE, POSITIVE_PAIR, uniform
from ..scalars import lower_gamma
from ..trigonometry import NODES, cosines
from .uncompiled import not_compiled

SQRT_PI = math.sqrt(math.pi)
PROBABILITIES = uniform((0.1, 0.9))


def special(ufunc, lower, samples=ANY, **attributes):
    """Declare a ufunc of scipy.special; it prints under its full name."""
    return elementwise(ufunc, lower=lower, samples=samples, name=f"special_{ufunc.__name__}", notation=text_of(ufunc), **attributes)


def text_of(ufunc):
    """The notation of a ufunc of scipy.special."""
    holes = ", ".join(f"{{{k}}}" for k in range(ufunc.nin))
    return lambda *avals: f"scipy.special.{ufunc.__name__}({holes})"


def at_orders(point, *orders):
    """Samples with an array of points in a range, after operands (orders) that are given numbers."""
    def draw(rng):
        return [((*order, rng.uniform(*point, shape)), {}) for order in orders for shape in ((2, 3), ())]
    return draw


def of_order(ufunc, order, rule, samples, **attributes):
    """Declare a function of an order, which is not differentiated, and an argument; its derivative is `rule` (order, x, result)."""
    class declaration:
        d_x = unknown(ufunc, order)

        def d_y(g, n, x, out):
            return g * rule(n, x, out)

    special(ufunc, not_compiled(ufunc), samples, **attributes)(declaration)


def unknown(fn, operand):
    """The rule of an operand for whose derivative no closed form is known."""
    def rule(g, *operands):
        raise TransformError(f"the derivative of scipy.special.{fn.__name__} by its {operand} is not known to transformer",
                             f"Differentiate by the other arguments, and keep the {operand} fixed.")
    return rule


def at_type(rule):
    """A lowering whose operands have the result's dtype and shape."""
    def lower(hlo, out, *operands):
        return rule(hlo, *(hlo.broadcast_to(hlo.convert(x, out.dtype), out.shape) for x in operands))
    return lower


# error functions ------------------------------------------------------------------------
@special(sp.erf, at_result_type("chlo.erf"))
def erf(g, x, out):
    return (2 / SQRT_PI) * g * np.exp(-x ** 2)


@special(sp.erfc, at_result_type("chlo.erfc"))
def erfc(g, x, out):
    return -(2 / SQRT_PI) * g * np.exp(-x ** 2)


@special(sp.erfinv, at_result_type("chlo.erf_inv"), uniform((-0.9, 0.9)), singular=True)
def erfinv(g, x, out):
    return (SQRT_PI / 2) * g * np.exp(out ** 2)


def _lower_ndtr(hlo, x):
    scaled = hlo.multiply(x, -math.sqrt(0.5))
    return hlo.multiply(hlo.op("chlo.erfc", [scaled], x.shape, x.dtype), 0.5)


@special(sp.ndtr, at_type(_lower_ndtr))
def ndtr(g, x, out):
    return (1 / math.sqrt(2 * math.pi)) * g * np.exp(-0.5 * x ** 2)


def lower_log_ndtr(hlo, x):
    """log of ndtr; far to the left its asymptotic series, far to the right log1p of the complement."""
    far = -20.0 if x.dtype == np.float64 else -8.0
    left = hlo.compare("LT", x, far)
    safe = hlo.select(left, x, hlo.full(x.shape, far, x.dtype))
    inverse = hlo.divide(hlo.full(x.shape, 1, x.dtype), hlo.multiply(safe, safe))
    series = hlo.full(x.shape, 0, x.dtype)
    for k in (11, 9, 7, 5, 3, 1):
        series = hlo.multiply(hlo.multiply(inverse, -float(k)), hlo.add(series, 1.0))
    tail = hlo.subtract(hlo.multiply(hlo.multiply(safe, safe), -0.5), hlo.log(hlo.negate(safe)))
    tail = hlo.add(hlo.subtract(tail, 0.5 * math.log(2 * math.pi)), hlo.log1p(series))
    middle = hlo.log(_lower_ndtr(hlo, hlo.select(left, hlo.full(x.shape, 0, x.dtype), x)))
    right = hlo.log1p(hlo.negate(_lower_ndtr(hlo, hlo.negate(x))))
    return hlo.select(left, tail, hlo.select(hlo.compare("GT", x, 0.0), right, middle))


@special(sp.log_ndtr, at_type(lower_log_ndtr))
def log_ndtr(g, x, out):
    return (1 / math.sqrt(2 * math.pi)) * g * np.exp(-0.5 * x ** 2 - out)


# gamma functions ----------------------------------------------------------------------------
@special(sp.gammaln, at_result_type("chlo.lgamma"), POSITIVE, singular=True)
def gammaln(g, x, out):
    return g * sp.digamma(x)


@special(sp.gamma, at_type(lower_gamma), POSITIVE, singular=True)
def gamma(g, x, out):
    return g * out * sp.digamma(x)


@special(sp.digamma, at_result_type("chlo.digamma"), POSITIVE, singular=True)
def digamma(g, x, out):
    return g * polygamma_(1, x)


class _Polygamma:
    def impl(x, n):
        return sp.polygamma(n, x)[()]

    def infer(x, n):
        return Aval(x.shape, np.dtype(np.float64))

    def lower(hlo, out, x, n):
        x = hlo.convert(x, out.dtype)
        return hlo.op("chlo.polygamma", [hlo.full(x.shape, n, x.dtype), x], x.shape, x.dtype)

    def d_x(g, x, out, n):
        return g * polygamma_(n + 1, x)

    def notation(x, n):
        return f"scipy.special.polygamma({n}, {{0}})"

    def samples(rng):
        return [((rng.uniform(0.5, 2.0, (2, 3)),), {"n": n}) for n in (1, 2)]


register(Op("special_polygamma", _Polygamma.impl, _Polygamma.infer, _Polygamma.lower, partials=(_Polygamma.d_x,),
            notation=_Polygamma.notation, samples=_Polygamma.samples, singular=True))


@function(sp.polygamma)
def polygamma_(n, x):
    """scipy.special.polygamma of a static order."""
    return sp.digamma(x) if n == 0 else TABLE["special_polygamma"].bind(x, n=int(n))


def _lower_betaln(hlo, x, y):
    def lgamma(v):
        return hlo.op("chlo.lgamma", [v], v.shape, v.dtype)
    return hlo.subtract(hlo.add(lgamma(x), lgamma(y)), lgamma(hlo.add(x, y)))


@special(sp.betaln, at_type(_lower_betaln), POSITIVE_PAIR, singular=True)
class betaln:
    def d_x(g, x, y, out):
        return g * (sp.digamma(x) - sp.digamma(x + y))

    def d_y(g, x, y, out):
        return g * (sp.digamma(y) - sp.digamma(x + y))


@special(sp.beta, at_type(lambda hlo, x, y: hlo.exp(_lower_betaln(hlo, x, y))), POSITIVE_PAIR, singular=True)
class beta:
    def d_x(g, x, y, out):
        return g * out * (sp.digamma(x) - sp.digamma(x + y))

    def d_y(g, x, y, out):
        return g * out * (sp.digamma(y) - sp.digamma(x + y))


# logistic functions and entropies --------------------------------------------------------------
@special(sp.expit, at_result_type("logistic"))
def expit(g, x, out):
    return g * out * (1 - out)


def _lower_logit(hlo, x):
    return hlo.subtract(hlo.log(x), hlo.log1p(hlo.negate(x)))


@special(sp.logit, at_type(_lower_logit), PROBABILITIES, singular=True)
def logit(g, x, out):
    return g / (x * (1 - x))


def _lower_log_expit(hlo, x):
    small = hlo.minimum(x, hlo.full(x.shape, 0, x.dtype))
    return hlo.subtract(small, hlo.log1p(hlo.exp(hlo.negate(hlo.abs(x)))))


@special(sp.log_expit, at_type(_lower_log_expit))
def log_expit(g, x, out):
    return g * sp.expit(-x)


def _times_log(log):
    """x * log(y), and 0 where x is 0."""
    def rule(hlo, x, y):
        zero = hlo.full(x.shape, 0, x.dtype)
        nothing = hlo.and_(hlo.compare("EQ", x, zero), hlo.compare("EQ", y, y))
        return hlo.select(nothing, zero, hlo.multiply(x, log(hlo, y)))
    return at_type(rule)


@special(sp.xlogy, _times_log(lambda hlo, y: hlo.log(y)), POSITIVE_PAIR, singular=True)
class xlogy:
    def d_x(g, x, y, out):
        return g * np.log(y)

    def d_y(g, x, y, out):
        return g * np.where(x == 0, 0, x / y)


@special(sp.xlog1py, _times_log(lambda hlo, y: hlo.log1p(y)), POSITIVE_PAIR, singular=True)
class xlog1py:
    def d_x(g, x, y, out):
        return g * np.log1p(y)

    def d_y(g, x, y, out):
        return g * np.where(x == 0, 0, x / (1 + y))


def _lower_entr(hlo, x):
    zero = hlo.full(x.shape, 0, x.dtype)
    value = hlo.negate(hlo.multiply(x, hlo.log(x)))
    below = hlo.select(hlo.compare("LT", x, zero), hlo.full(x.shape, -math.inf, x.dtype), value)
    return hlo.select(hlo.compare("EQ", x, zero), zero, below)


@special(sp.entr, at_type(_lower_entr), POSITIVE, singular=True)
def entr(g, x, out):
    return -g * (np.log(x) + 1)


def _lower_relative(hlo, x, y):
    """x log(x / y) where both are positive; 0 at x = 0 <= y; else infinite."""
    zero = hlo.full(x.shape, 0, x.dtype)
    inside = hlo.and_(hlo.compare("GT", x, zero), hlo.compare("GT", y, zero))
    nothing = hlo.and_(hlo.compare("EQ", x, zero), hlo.compare("GE", y, zero))
    value = hlo.multiply(x, hlo.subtract(hlo.log(x), hlo.log(y)))
    outside = hlo.select(nothing, zero, hlo.full(x.shape, math.inf, x.dtype))
    unordered = hlo.or_(hlo.compare("NE", x, x), hlo.compare("NE", y, y))
    return hlo.select(inside, value, hlo.select(unordered, hlo.add(x, y), outside))


@special(sp.rel_entr, at_type(_lower_relative), POSITIVE_PAIR, singular=True)
class rel_entr:
    def d_x(g, x, y, out):
        return g * (np.log(x / y) + 1)

    def d_y(g, x, y, out):
        return -g * x / y


@special(sp.kl_div, at_type(lambda hlo, x, y: hlo.add(hlo.subtract(_lower_relative(hlo, x, y), x), y)), POSITIVE_PAIR, singular=True)
class kl_div:
    def d_x(g, x, y, out):
        return g * np.log(x / y)

    def d_y(g, x, y, out):
        return g * (1 - x / y)


# Bessel functions ---------------------------------------------------------------------------------
def _mean_over_period(weight, scaled):
    """(1 / n) sum of weight(t) exp(x cos t - |x| if scaled): the trapezoidal rule, exact to rounding up to |x| of about 700."""
    def rule(hlo, x):
        shape = (*x.shape, NODES)
        nodes = hlo.broadcast_to(hlo.constant(cosines(), x.dtype), shape)
        wide = hlo.broadcast_in_dim(x, shape, range(x.ndim))
        exponent = hlo.multiply(wide, nodes)
        exponent = hlo.subtract(exponent, hlo.abs(wide)) if scaled else exponent
        terms = hlo.multiply(hlo.exp(exponent), nodes) if weight else hlo.exp(exponent)
        return hlo.divide(hlo.reduce(terms, None, (x.ndim,), "add"), hlo.full(x.shape, NODES, x.dtype))
    return at_type(rule)


@special(sp.i0, _mean_over_period(0, False))
def i0(g, x, out):
    return g * sp.i1(x)


@special(sp.i0e, _mean_over_period(0, True))
def i0e(g, x, out):
    return g * (sp.i1e(x) - np.sign(x) * out)


def _over(out, x):
    """out / x, and its limit 1 / 2 at 0."""
    return np.where(x == 0, 0.5, out / np.where(x == 0, 1, x))


@special(sp.i1, _mean_over_period(1, False))
def i1(g, x, out):
    return g * (sp.i0(x) - _over(out, x))


@special(sp.i1e, _mean_over_period(1, True))
def i1e(g, x, out):
    return g * (sp.i0e(x) - np.sign(x) * out - _over(out, x))


# logsumexp, softmax ----------------------------------------------------------------------------------
def _text(name, x, axis, keepdims=False):
    parts = ["{0}"] + ([f"axis={axis[0] if len(axis) == 1 else axis}"] if len(axis) != len(x.shape) else [])
    return f"scipy.special.{name}({', '.join(parts + ['keepdims=True'] * keepdims)})"


def _samples(with_keepdims):
    def draw(rng):
        x = rng.uniform(-2.0, 2.0, (2, 3, 4))
        cases = [{"axis": a, "keepdims": k} for a in ((1,), (0, 1, 2)) for k in (False, True)]
        return [((x,), p if with_keepdims else {"axis": p["axis"]}) for p in (cases if with_keepdims else cases[::2])]
    return draw


def _shifted_exp(hlo, x, axis):
    """exp(x - max), the finite maximum, and how to spread a reduced value."""
    def wide(v):
        return hlo.broadcast_in_dim(v, x.shape, [a for a in range(x.ndim) if a not in axis])
    top = hlo.reduce(x, None, axis, "maximum")
    top = hlo.select(hlo.is_finite(top), top, hlo.full(top.shape, 0, x.dtype))
    return hlo.exp(hlo.subtract(x, wide(top))), top, wide


def _shares(x, out, axis, keepdims):
    """Each exponential's share of the sum; nothing where there is only exp(-inf)."""
    return np.exp(x - spread(np.where(np.isfinite(out), out, 0), x, axis, keepdims))


@op()
class special_logsumexp:
    """Logarithm of a sum of exponentials."""

    samples = _samples(True)
    batch = batched_along("special_logsumexp", "axis")

    def impl(x, axis, keepdims):
        return sp.logsumexp(x, axis=axis, keepdims=keepdims)

    def infer(x, axis, keepdims):
        return Aval(reduced_shape(x.shape, axis, keepdims), inexact(x))

    def lower(hlo, out, x, axis, keepdims):
        terms, top, _ = _shifted_exp(hlo, hlo.convert(x, out.dtype), axis)
        total = hlo.add(hlo.log(hlo.reduce(terms, 0, axis, "add")), top)
        return hlo.reshape(total, out.shape)

    def vjp(g, x, out, axis, keepdims):
        return spread(g, x, axis, keepdims) * _shares(x, out, axis, keepdims)

    def jvp(dots, x, out, axis, keepdims):
        return np.sum(dots[0] * _shares(x, out, axis, keepdims), axis=axis, keepdims=keepdims)

    def notation(x, axis, keepdims):
        return _text("logsumexp", x, axis, keepdims)


@function(sp.logsumexp, array=True)
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """scipy.special.logsumexp."""
    if b is None and not return_sign:
        return TABLE["special_logsumexp"].bind(a, axis=axes_of(axis, np.ndim(a)), keepdims=bool(keepdims))
    a, b = (np.where(b == 0, -np.inf, a), b) if b is not None else (a, 1.0)
    top = np.max(a, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.sum(b * np.exp(a - top), axis=axis, keepdims=keepdims)
    top = top if keepdims else np.squeeze(top, axis=axes_of(axis, np.ndim(a)))
    return (np.log(np.abs(total)) + top, np.sign(total)) if return_sign else np.log(total) + top


@op()
class special_softmax:
    """exp(x) over its sum along axes."""

    samples = _samples(False)
    batch = batched_along("special_softmax", "axis")

    def impl(x, axis):
        return sp.softmax(x, axis=axis)

    def infer(x, axis):
        return Aval(x.shape, inexact(x))

    def lower(hlo, out, x, axis):
        terms, _, wide = _shifted_exp(hlo, hlo.convert(x, out.dtype), axis)
        return hlo.divide(terms, wide(hlo.reduce(terms, 0, axis, "add")))

    def vjp(g, x, out, axis):
        return out * (g - np.sum(g * out, axis=axis, keepdims=True))

    def jvp(dots, x, out, axis):
        return out * (dots[0] - np.sum(dots[0] * out, axis=axis, keepdims=True))

    def notation(x, axis):
        return _text("softmax", x, axis)


@op()
class special_log_softmax:
    """x minus its logsumexp along axes."""

    samples = _samples(False)
    batch = batched_along("special_log_softmax", "axis")

    def impl(x, axis):
        return sp.log_softmax(x, axis=axis)

    def infer(x, axis):
        return Aval(x.shape, inexact(x))

    def lower(hlo, out, x, axis):
        x = hlo.convert(x, out.dtype)
        terms, top, wide = _shifted_exp(hlo, x, axis)
        return hlo.subtract(hlo.subtract(x, wide(top)), wide(hlo.log(hlo.reduce(terms, 0, axis, "add"))))

    def vjp(g, x, out, axis):
        return g - np.exp(out) * np.sum(g, axis=axis, keepdims=True)

    def jvp(dots, x, out, axis):
        return dots[0] - np.sum(dots[0] * np.exp(out), axis=axis, keepdims=True)

    def notation(x, axis):
        return _text("log_softmax", x, axis)


@function(sp.softmax, array=True)
def softmax(x, axis=None):
    """scipy.special.softmax."""
    return TABLE["special_softmax"].bind(x, axis=axes_of(axis, np.ndim(x)))


@function(sp.log_softmax, array=True)
def log_softmax(x, axis=None):
    """scipy.special.log_softmax."""
    return TABLE["special_log_softmax"].bind(x, axis=axes_of(axis, np.ndim(x)))
