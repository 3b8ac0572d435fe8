"""scipy.special: incomplete gamma and beta functions, their relatives in statistics, integrals of exponentials, combinatorics.

Parameters for whose derivative there is no closed form (the order of an incomplete gamma function...) raise when it is taken.
"""

import math

import numpy as np
import scipy.special as sp

from ..op import array, function, piecewise_constant
from ..samples import ANY, POSITIVE, POSITIVE_PAIR, uniform
from .incomplete import lower_betainc, lower_gammainc, lower_gammaincc, lower_ndtri
from .special import PROBABILITIES, SQRT_PI, at_orders, at_type, lower_log_ndtr, special, text_of, unknown
from .uncompiled import not_compiled

ORDER_AND_POINT = at_orders((0.5, 3.0), (1.3,), (2.0,))
BETA_AND_POINT = at_orders((0.1, 0.9), (1.3, 2.5))


# gamma ------------------------------------------------------------------------------------
@special(sp.rgamma, not_compiled(sp.rgamma), POSITIVE)
def rgamma(g, x, out):
    return -g * out * sp.digamma(x)


@special(sp.loggamma, not_compiled(sp.loggamma), POSITIVE, singular=True)
def loggamma(g, x, out):
    return g * sp.digamma(x)


piecewise_constant(sp.gammasgn, not_compiled(sp.gammasgn), name="special_gammasgn", notation=text_of(sp.gammasgn))


@function(sp.multigammaln, array=True)
def multigammaln(a, d):
    """scipy.special.multigammaln: the logarithm of the gamma function of d dimensions."""
    halves = np.arange(int(d)) / 2
    terms = sp.gammaln(np.expand_dims(a, -1) - halves)
    return np.sum(terms, axis=-1) + d * (d - 1) * 0.25 * math.log(math.pi)


def density(a, x):
    """x^(a-1) exp(-x) / Gamma(a)."""
    return np.exp(sp.xlogy(a - 1, x) - x - sp.gammaln(a))


@special(sp.gammainc, at_type(lower_gammainc), ORDER_AND_POINT)
class gammainc:
    d_x = unknown(sp.gammainc, "order a")

    def d_y(g, a, x, out):
        return g * density(a, x)


@special(sp.gammaincc, at_type(lower_gammaincc), ORDER_AND_POINT)
class gammaincc:
    d_x = unknown(sp.gammaincc, "order a")

    def d_y(g, a, x, out):
        return -g * density(a, x)


@special(sp.gammaincinv, not_compiled(sp.gammaincinv), at_orders((0.1, 0.9), (1.3,)), singular=True)
class gammaincinv:
    d_x = unknown(sp.gammaincinv, "order a")

    def d_y(g, a, p, out):
        return g / density(a, out)


# beta -----------------------------------------------------------------------------------------
def beta_density(a, b, x):
    """x^(a-1) (1-x)^(b-1) / B(a, b)."""
    return np.exp(sp.xlogy(a - 1, x) + sp.xlog1py(b - 1, -x) - sp.betaln(a, b))


@special(sp.betainc, at_type(lower_betainc), BETA_AND_POINT)
class betainc:
    d_x = unknown(sp.betainc, "parameter a")
    d_y = unknown(sp.betainc, "parameter b")

    def d_z(g, a, b, x, out):
        return g * beta_density(a, b, x)


@special(sp.betaincc, not_compiled(sp.betaincc), BETA_AND_POINT)
class betaincc:
    d_x = unknown(sp.betaincc, "parameter a")
    d_y = unknown(sp.betaincc, "parameter b")

    def d_z(g, a, b, x, out):
        return -g * beta_density(a, b, x)


@special(sp.betaincinv, not_compiled(sp.betaincinv), BETA_AND_POINT, singular=True)
class betaincinv:
    d_x = unknown(sp.betaincinv, "parameter a")
    d_y = unknown(sp.betaincinv, "parameter b")

    def d_z(g, a, b, p, out):
        return g / beta_density(a, b, out)


@special(sp.stdtr, not_compiled(sp.stdtr), at_orders((-2.0, 2.0), (3.5,)))
class stdtr:
    """Student's distribution function."""

    d_x = unknown(sp.stdtr, "number of degrees of freedom")

    def d_y(g, df, t, out):
        return g * np.exp(-0.5 * (df + 1) * np.log1p(t ** 2 / df) - 0.5 * np.log(df) - sp.betaln(0.5 * df, 0.5))


@special(sp.stdtrit, not_compiled(sp.stdtrit), at_orders((0.1, 0.9), (3.5,)))
class stdtrit:
    """Student's quantiles."""

    d_x = unknown(sp.stdtrit, "number of degrees of freedom")

    def d_y(g, df, p, out):
        return g * np.exp(0.5 * (df + 1) * np.log1p(out ** 2 / df) + 0.5 * np.log(df) + sp.betaln(0.5 * df, 0.5))


@special(sp.pdtr, not_compiled(sp.pdtr), at_orders((0.5, 3.0), (2.0,)))
class pdtr:
    """Poisson's distribution function; constant in k between whole numbers."""

    def d_y(g, k, m, out):
        return -g * np.exp(sp.xlogy(np.floor(k), m) - m - sp.gammaln(np.floor(k) + 1))


# inverses and scaled forms of the normal distribution and the error function --------------------------------------
@special(sp.ndtri, at_type(lower_ndtri(lower_log_ndtr)), PROBABILITIES, singular=True)
def ndtri(g, x, out):
    return math.sqrt(2 * math.pi) * g * np.exp(0.5 * out ** 2)


@special(sp.erfcinv, not_compiled(sp.erfcinv), uniform((0.1, 1.9)), singular=True)
def erfcinv(g, x, out):
    return -(SQRT_PI / 2) * g * np.exp(out ** 2)


@special(sp.erfcx, not_compiled(sp.erfcx), ANY)
def erfcx(g, x, out):
    return g * (2 * x * out - 2 / SQRT_PI)


@special(sp.erfi, not_compiled(sp.erfi), ANY)
def erfi(g, x, out):
    return (2 / SQRT_PI) * g * np.exp(x ** 2)


@special(sp.dawsn, not_compiled(sp.dawsn), ANY)
def dawsn(g, x, out):
    return g * (1 - 2 * x * out)


# integrals of exponentials and logarithms --------------------------------------------------------------------------
@special(sp.exp1, not_compiled(sp.exp1), POSITIVE, singular=True)
def exp1(g, x, out):
    return -g * np.exp(-x) / x


@special(sp.expi, not_compiled(sp.expi), POSITIVE, singular=True)
def expi(g, x, out):
    return g * np.exp(x) / x


@special(sp.expn, not_compiled(sp.expn), at_orders((0.5, 3.0), (3,)), singular=True)
class expn:
    d_x = unknown(sp.expn, "order")

    def d_y(g, n, x, out):
        return -g * sp.expn(n - 1, x)


@special(sp.spence, not_compiled(sp.spence), POSITIVE, singular=True)
def spence(g, x, out):
    return g * np.where(x == 1, -1, np.log(x) / np.where(x == 1, 1, 1 - x))


@special(sp.exprel, not_compiled(sp.exprel), uniform((0.5, 2.0)))
def exprel(g, x, out):
    return g * np.where(x == 0, 0.5, (np.exp(x) - out) / np.where(x == 0, 1, x))


# combinatorics -------------------------------------------------------------------------------------------------------------
@special(sp.poch, not_compiled(sp.poch), POSITIVE_PAIR, singular=True)
class poch:
    def d_x(g, x, y, out):
        return g * out * (sp.digamma(x + y) - sp.digamma(x))

    def d_y(g, x, y, out):
        return g * out * sp.digamma(x + y)


@special(sp.binom, not_compiled(sp.binom), uniform((2.0, 4.0), (0.3, 1.5)), singular=True)
class binom:
    def d_x(g, x, y, out):
        return g * out * (sp.digamma(x + 1) - sp.digamma(x - y + 1))

    def d_y(g, x, y, out):
        return g * out * (sp.digamma(x - y + 1) - sp.digamma(y + 1))


@function(sp.factorial)
def factorial(n, exact=False, extend="zero"):
    """scipy.special.factorial in floating-point numbers: Gamma(n + 1), and 0 below 0."""
    n = array(n)
    return np.where(n < 0, 0, sp.gamma(np.where(n < 0, 0, n) + 1))


for _ufunc, _same in {sp.expm1: np.expm1, sp.log1p: np.log1p, sp.cbrt: np.cbrt, sp.exp2: np.exp2}.items():
    function(_ufunc)(_same)
