"""scipy.stats: formulas of the standard distributions (see `distributions`).

Source: N. L. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate Distributions (1994); the same, Univariate Discrete
Distributions (2005), in the parametrisation of scipy.stats.
"""

import math

import numpy as np
import scipy.special as sp
import scipy.stats as stats

from .distributions import continuous, discrete

LOG_2 = math.log(2.0)
LOG_PI = math.log(math.pi)
LOG_ROOT_TAU = math.log(math.sqrt(2 * math.pi))
ROOT_TAU = math.sqrt(2 * math.pi)


# on the whole line ------------------------------------------------------------------------------------
@continuous(stats.norm)
class norm:
    def pdf(x):
        return np.exp(-x ** 2 / 2.0) / ROOT_TAU

    def logpdf(x):
        return -x ** 2 / 2.0 - LOG_ROOT_TAU

    def cdf(x):
        return sp.ndtr(x)

    def logcdf(x):
        return sp.log_ndtr(x)

    def sf(x):
        return sp.ndtr(-x)

    def logsf(x):
        return sp.log_ndtr(-x)

    def ppf(q):
        return sp.ndtri(q)

    def isf(q):
        return -sp.ndtri(q)


@continuous(stats.t)
class t:
    def logpdf(x, df):
        constant = sp.gammaln((df + 1) / 2) - sp.gammaln(df / 2) - (np.log(df) + LOG_PI) / 2
        return constant - (df + 1) / 2 * np.log1p(x ** 2 / df)

    def cdf(x, df):
        return sp.stdtr(df, x)

    def sf(x, df):
        return sp.stdtr(df, -x)

    def ppf(q, df):
        return np.where(q == 0, -np.inf, sp.stdtrit(df, q))

    def isf(q, df):
        return np.where(q == 0, np.inf, -sp.stdtrit(df, q))


@continuous(stats.laplace)
class laplace:
    def pdf(x):
        return 0.5 * np.exp(-np.abs(x))

    def logpdf(x):
        return -np.abs(x) - LOG_2

    def cdf(x):
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x > 0, 1 - tail, tail)

    def sf(x):
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x > 0, tail, 1 - tail)


@continuous(stats.logistic)
class logistic:
    def logpdf(x):
        y = -np.abs(x)
        return y - 2 * sp.log1p(np.exp(y))

    def cdf(x):
        return sp.expit(x)

    def logcdf(x):
        return sp.log_expit(x)

    def sf(x):
        return sp.expit(-x)

    def logsf(x):
        return sp.log_expit(-x)

    def ppf(q):
        return sp.logit(q)

    def isf(q):
        return -sp.logit(q)


@continuous(stats.cauchy)
class cauchy:
    def pdf(x):
        return 1 / (math.pi * (1 + x ** 2))

    def logpdf(x):
        return -np.log1p(x ** 2) - LOG_PI

    def cdf(x):
        return np.arctan2(1, -x) / math.pi

    def sf(x):
        return np.arctan2(1, x) / math.pi


@continuous(stats.gumbel_r)
class gumbel_r:
    def logpdf(x):
        return -x - np.exp(-x)

    def cdf(x):
        return np.exp(-np.exp(-x))

    def logcdf(x):
        return -np.exp(-x)

    def sf(x):
        return -np.expm1(-np.exp(-x))

    def ppf(q):
        return -np.log(-np.log(q))


@continuous(stats.gumbel_l)
class gumbel_l:
    def logpdf(x):
        return x - np.exp(x)

    def cdf(x):
        return -np.expm1(-np.exp(x))

    def sf(x):
        return np.exp(-np.exp(x))

    def logsf(x):
        return -np.exp(x)

    def ppf(q):
        return np.log(-np.log1p(-q))


# on the positive half line ------------------------------------------------------------------------------
@continuous(stats.gamma, low=0, within=1.0)
class gamma:
    def logpdf(x, a):
        return sp.xlogy(a - 1, x) - x - sp.gammaln(a)

    def cdf(x, a):
        return sp.gammainc(a, x)

    def sf(x, a):
        return sp.gammaincc(a, x)

    def ppf(q, a):
        return sp.gammaincinv(a, q)


@continuous(stats.chi2, low=0, within=1.0)
class chi2:
    def logpdf(x, df):
        return sp.xlogy(df / 2 - 1, x) - x / 2 - sp.gammaln(df / 2) - LOG_2 * df / 2

    def cdf(x, df):
        return sp.gammainc(df / 2, x / 2)

    def sf(x, df):
        return sp.gammaincc(df / 2, x / 2)

    def ppf(q, df):
        return 2 * sp.gammaincinv(df / 2, q)


@continuous(stats.invgamma, low=0, within=1.0, vanishing=True)
class invgamma:
    def logpdf(x, a):
        return -(a + 1) * np.log(x) - sp.gammaln(a) - 1 / x

    def cdf(x, a):
        return sp.gammaincc(a, 1 / x)

    def sf(x, a):
        return sp.gammainc(a, 1 / x)


@continuous(stats.expon, low=0, within=1.0)
class expon:
    def pdf(x):
        return np.exp(-x)

    def logpdf(x):
        return -x

    def cdf(x):
        return -np.expm1(-x)

    def sf(x):
        return np.exp(-x)

    def logsf(x):
        return -x

    def ppf(q):
        return -np.log1p(-q)

    def isf(q):
        return -np.log(q)


@continuous(stats.halfnorm, low=0, within=1.0)
class halfnorm:
    def logpdf(x):
        return 0.5 * math.log(2 / math.pi) - x ** 2 / 2

    def cdf(x):
        return sp.erf(x / math.sqrt(2))

    def sf(x):
        return 2 * sp.ndtr(-x)


@continuous(stats.rayleigh, low=0, within=1.0)
class rayleigh:
    def logpdf(x):
        return np.log(x) - x ** 2 / 2

    def cdf(x):
        return -np.expm1(-x ** 2 / 2)

    def sf(x):
        return np.exp(-x ** 2 / 2)


@continuous(stats.lognorm, low=0, within=1.0, vanishing=True)
class lognorm:
    def logpdf(x, s):
        return -np.log(x) ** 2 / (2 * s ** 2) - np.log(s * x * ROOT_TAU)

    def cdf(x, s):
        return sp.ndtr(np.log(x) / s)

    def logcdf(x, s):
        return sp.log_ndtr(np.log(x) / s)

    def sf(x, s):
        return sp.ndtr(-np.log(x) / s)

    def logsf(x, s):
        return sp.log_ndtr(-np.log(x) / s)

    def ppf(q, s):
        return np.exp(s * sp.ndtri(q))


@continuous(stats.weibull_min, low=0, within=1.0)
class weibull_min:
    def logpdf(x, c):
        return np.log(c) + sp.xlogy(c - 1, x) - x ** c

    def cdf(x, c):
        return -np.expm1(-x ** c)

    def sf(x, c):
        return np.exp(-x ** c)

    def logsf(x, c):
        return -x ** c

    def ppf(q, c):
        return (-np.log1p(-q)) ** (1 / c)


@continuous(stats.f, low=0, within=1.0)
class f:
    def logpdf(x, n, m):
        head = sp.xlogy(m / 2, m) + sp.xlogy(n / 2, n) + sp.xlogy(n / 2 - 1, x)
        return head - ((n + m) / 2 * np.log(m + n * x) + sp.betaln(n / 2, m / 2))

    def cdf(x, n, m):
        return sp.betainc(n / 2, m / 2, n * x / (m + n * x))

    def sf(x, n, m):
        return sp.betainc(m / 2, n / 2, m / (m + n * x))


# on an interval, or from a point on -----------------------------------------------------------------------
@continuous(stats.pareto, low=1, within=2.0)
class pareto:
    def logpdf(x, b):
        return np.log(b) - (b + 1) * np.log(x)

    def cdf(x, b):
        return 1 - x ** -b

    def sf(x, b):
        return x ** -b

    def ppf(q, b):
        return (1 - q) ** (-1 / b)


@continuous(stats.beta, low=0, high=1, within=0.5)
class beta:
    def logpdf(x, a, b):
        return sp.xlog1py(b - 1, -x) + sp.xlogy(a - 1, x) - sp.betaln(a, b)

    def cdf(x, a, b):
        return sp.betainc(a, b, x)

    def sf(x, a, b):
        return sp.betaincc(a, b, x)

    def ppf(q, a, b):
        return sp.betaincinv(a, b, q)


@continuous(stats.uniform, low=0, high=1, within=0.5)
class uniform:
    def pdf(x):
        return 0 * x + 1

    def logpdf(x):
        return 0 * x

    def cdf(x):
        return x

    def ppf(q):
        return q


@continuous(stats.vonmises, valid=lambda kappa: [kappa >= 0])
class vonmises:
    def logpdf(x, kappa):
        return kappa * (np.cos(x) - 1) - math.log(2 * math.pi) - np.log(sp.i0e(kappa))


# discrete -----------------------------------------------------------------------------------------------
def is_probability(p):
    return [p >= 0, p <= 1]


@discrete(stats.poisson, valid=lambda mu: [mu >= 0])
class poisson:
    def logpmf(k, mu):
        return sp.xlogy(k, mu) - sp.gammaln(k + 1) - mu

    def cdf(k, mu):
        return sp.pdtr(k, mu)

    def sf(k, mu):
        return sp.gammainc(k + 1, mu)


@discrete(stats.bernoulli, high=1, valid=is_probability)
class bernoulli:
    def logpmf(k, p):
        return sp.xlogy(k, p) + sp.xlog1py(1 - k, -p)

    def cdf(k, p):
        return 1 - p

    def sf(k, p):
        return p


@discrete(stats.binom, high=lambda n, p: n, valid=lambda n, p: [n >= 0, np.floor(n) == n, *is_probability(p)])
class binom:
    def logpmf(k, n, p):
        choices = sp.gammaln(n + 1) - (sp.gammaln(k + 1) + sp.gammaln(n - k + 1))
        return choices + sp.xlogy(k, p) + sp.xlog1py(n - k, -p)

    def cdf(k, n, p):
        return sp.betainc(n - k, k + 1, 1 - p)

    def sf(k, n, p):
        return sp.betainc(k + 1, n - k, p)


@discrete(stats.geom, low=1, within=1.0, valid=lambda p: [p > 0, p <= 1])
class geom:
    def logpmf(k, p):
        return sp.xlog1py(k - 1, -p) + np.log(p)

    def cdf(k, p):
        return -np.expm1(np.log1p(-p) * k)

    def sf(k, p):
        return np.exp(np.log1p(-p) * k)


@discrete(stats.nbinom, valid=lambda n, p: [n > 0, p > 0, p <= 1])
class nbinom:
    def logpmf(k, n, p):
        choices = sp.gammaln(n + k) - sp.gammaln(k + 1) - sp.gammaln(n)
        return choices + n * np.log(p) + sp.xlog1py(k, -p)

    def cdf(k, n, p):
        return sp.betainc(n, k + 1, p)

    def sf(k, n, p):
        return sp.betaincc(n, k + 1, p)
