"""scipy.special: orthogonal polynomials at points (the degree is not differentiated), elliptic integrals, powers, losses."""

import math

import numpy as np
import scipy.special as sp

from ..op import array, function
from ..samples import ANY, PAIR, uniform
from .special import PROBABILITIES, at_orders, of_order, special, unknown
from .uncompiled import not_compiled


# polynomials --------------------------------------------------------------------------------------
def _legendre(n, x, out):
    return n * (x * out - sp.eval_legendre(n - 1, x)) / (x ** 2 - 1)


def _chebyshev_1(n, x, out):
    return n * sp.eval_chebyu(n - 1, x)


def _chebyshev_2(n, x, out):
    return ((n + 1) * sp.eval_chebyt(n + 1, x) - x * out) / (x ** 2 - 1)


def _laguerre(n, x, out):
    return -sp.eval_genlaguerre(n - 1, 1, x)


for _ufunc, _rule in {sp.eval_legendre: _legendre, sp.eval_chebyt: _chebyshev_1, sp.eval_chebyu: _chebyshev_2,
                      sp.eval_laguerre: _laguerre}.items():
    of_order(_ufunc, "degree", _rule, at_orders((-0.8, 0.8), (2,), (3.5,)))


@special(sp.eval_genlaguerre, not_compiled(sp.eval_genlaguerre), at_orders((-0.8, 0.8), (2, 0.5)))
class genlaguerre:
    d_x = unknown(sp.eval_genlaguerre, "degree")
    d_y = unknown(sp.eval_genlaguerre, "parameter alpha")

    def d_z(g, n, alpha, x, out):
        return -g * sp.eval_genlaguerre(n - 1, alpha + 1, x)


@special(sp.eval_hermite, not_compiled(sp.eval_hermite), at_orders((-0.8, 0.8), (2,), (3,)))
class hermite:
    d_x = unknown(sp.eval_hermite, "degree")

    def d_y(g, n, x, out):
        return g * 2 * n * sp.eval_hermite(n - 1, x)


@special(sp.eval_hermitenorm, not_compiled(sp.eval_hermitenorm), at_orders((-0.8, 0.8), (2,), (3,)))
class hermitenorm:
    d_x = unknown(sp.eval_hermitenorm, "degree")

    def d_y(g, n, x, out):
        return g * n * sp.eval_hermitenorm(n - 1, x)


# elliptic integrals ---------------------------------------------------------------------------------
def _over(value, m, limit):
    """value / (2 m), and its limit at 0."""
    return np.where(m == 0, limit, value / np.where(m == 0, 1, 2 * m))


@special(sp.ellipk, not_compiled(sp.ellipk), PROBABILITIES, singular=True)
def ellipk(g, m, out):
    return g * _over(sp.ellipe(m) / (1 - m) - out, m, math.pi / 8)


@special(sp.ellipe, not_compiled(sp.ellipe), PROBABILITIES, singular=True)
def ellipe(g, m, out):
    return g * _over(out - sp.ellipk(m), m, -math.pi / 8)


@special(sp.ellipkm1, not_compiled(sp.ellipkm1), PROBABILITIES, singular=True)
def ellipkm1(g, p, out):
    return -g * _over(sp.ellipe(1 - p) / p - out, 1 - p, math.pi / 8)


@special(sp.owens_t, not_compiled(sp.owens_t), PAIR)
class owens_t:
    def d_x(g, h, a, out):
        return -g * np.exp(-0.5 * h ** 2) * sp.erf(a * h / math.sqrt(2)) / (2 * math.sqrt(2 * math.pi))

    def d_y(g, h, a, out):
        return g * np.exp(-0.5 * h ** 2 * (1 + a ** 2)) / (2 * math.pi * (1 + a ** 2))


@special(sp.hyp0f1, not_compiled(sp.hyp0f1), at_orders((0.3, 2.0), (1.5,)))
class hyp0f1:
    d_x = unknown(sp.hyp0f1, "parameter v")

    def d_y(g, v, x, out):
        return g * sp.hyp0f1(v + 1, x) / v


@special(sp.hyp1f1, not_compiled(sp.hyp1f1), at_orders((0.3, 2.0), (1.5, 2.5)))
class hyp1f1:
    d_x = unknown(sp.hyp1f1, "parameter a")
    d_y = unknown(sp.hyp1f1, "parameter b")

    def d_z(g, a, b, x, out):
        return g * (a / b) * sp.hyp1f1(a + 1, b + 1, x)


# powers and losses ------------------------------------------------------------------------------------
@special(sp.cosm1, not_compiled(sp.cosm1), ANY)
def cosm1(g, x, out):
    return -g * np.sin(x)


@special(sp.exp10, not_compiled(sp.exp10), ANY)
def exp10(g, x, out):
    return math.log(10) * g * out


@special(sp.ndtri_exp, not_compiled(sp.ndtri_exp), uniform((-3.0, -0.2)), singular=True)
def ndtri_exp(g, y, out):
    return math.sqrt(2 * math.pi) * g * np.exp(y + 0.5 * out ** 2)


@function(sp.boxcox)
def boxcox(x, lmbda):
    """scipy.special.boxcox: (x ** lmbda - 1) / lmbda, and log(x) at lmbda = 0."""
    return boxcox_of_log(np.log(array(x)), lmbda)


@function(sp.boxcox1p)
def boxcox1p(x, lmbda):
    """scipy.special.boxcox1p: boxcox(1 + x, lmbda)."""
    return boxcox_of_log(np.log1p(array(x)), lmbda)


def boxcox_of_log(log, lmbda):
    nothing = lmbda == 0
    safe = np.where(nothing, 1, lmbda)
    return np.where(nothing, log, np.expm1(safe * log) / safe)


@function(sp.huber)
def huber(delta, r):
    """scipy.special.huber: quadratic up to delta, linear beyond."""
    size = np.abs(array(r))
    value = np.where(size <= delta, 0.5 * size ** 2, delta * (size - 0.5 * delta))
    return np.where(delta < 0, np.inf, value)


@function(sp.pseudo_huber)
def pseudo_huber(delta, r):
    """scipy.special.pseudo_huber: a smooth form of huber."""
    zero = delta == 0
    safe = np.where(zero, 1, delta)
    value = np.where(zero, 0, safe ** 2 * (np.sqrt(1 + (array(r) / safe) ** 2) - 1))
    return np.where(delta < 0, np.inf, value)


@function(sp.comb)
def comb(N, k, *, exact=False, repetition=False):
    """scipy.special.comb in floating-point numbers."""
    N, k = array(N), array(k)
    N = N + k - 1 if repetition else N
    return np.where((k <= N) & (N >= 0) & (k >= 0), sp.binom(N, k), 0)


@function(sp.perm)
def perm(N, k, exact=False):
    """scipy.special.perm in floating-point numbers."""
    N, k = array(N), array(k)
    return np.where((k <= N) & (N >= 0) & (k >= 0), sp.poch(N - k + 1, k), 0)


# distribution functions by their old names --------------------------------------------------------------
@function(sp.chdtr)
def chdtr(v, x):
    """scipy.special.chdtr: the chi-squared distribution function."""
    return sp.gammainc(array(v) / 2, array(x) / 2)


@function(sp.chdtrc)
def chdtrc(v, x):
    """scipy.special.chdtrc: 1 - chdtr."""
    return sp.gammaincc(array(v) / 2, array(x) / 2)


@function(sp.gdtr)
def gdtr(a, b, x):
    """scipy.special.gdtr: the gamma distribution function."""
    return sp.gammainc(b, array(a) * x)


@function(sp.pdtrc)
def pdtrc(k, m):
    """scipy.special.pdtrc: 1 - pdtr."""
    return sp.gammainc(np.floor(array(k)) + 1, m)
