"""scipy.stats with JAX's types: densities, distribution functions and their logarithms, one namespace a distribution.

Each distribution is declared by a few formulas of the standardised argument; the rest (pdf from logpdf, sf from cdf...) follows.
"""

import inspect
import math
import types

import numpy as np
import scipy.special as sp
import scipy.stats

from .. import eager
from ..errors import TypeMismatch
from ..numpy.adapter import adapted
from ..ops.op import FUNCTIONS

LOG_ROOT = 0.5 * math.log(2 * math.pi)


def by_jnp_rules(function, name, owner):
    """A formula as a public function."""
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return eager.call(function, tuple(map(floating, bound.arguments.values())), {}, elementwise=True)
    signature = inspect.signature(function)
    call.__name__, call.__qualname__, call.__signature__ = name, f"{owner}.{name}", signature
    call.__doc__ = f"{name} of the distribution `{owner}`."
    call.plain = function
    return call


def floating(value):
    """Integers among parameters count as floats."""
    return float(value) if type(value) in (int, bool) else value


def distribution(name, **formulas):
    """A namespace of a distribution's functions; what follows from those given is added."""
    made = dict(formulas)
    pairs = [("logpdf", "pdf"), ("logpmf", "pmf"), ("logcdf", "cdf"), ("logsf", "sf")]
    for log, plain in pairs:
        if log in made and plain not in made:
            made[plain] = exponential_of(made[log])
    if "cdf" in made and "sf" not in made and "logpdf" in made:
        made["sf"] = complement_of(made["cdf"])
    for log, plain in pairs[2:]:
        if plain in made and log not in made and "logpdf" in made:
            made[log] = logarithm_of(made[plain])
    return types.SimpleNamespace(**{key: by_jnp_rules(fn, key, name) for key, fn in made.items()})


def derived(formula, make):
    """A function with the signature of a formula."""
    def function(*args):
        return make(formula(*args))
    function.__signature__ = inspect.signature(formula)
    return function


def exponential_of(formula):
    return derived(formula, np.exp)


def logarithm_of(formula):
    return derived(formula, np.log)


def complement_of(formula):
    return derived(formula, lambda value: 1.0 - value)


def inside(condition, value, outside=-np.inf):
    """value where the condition holds."""
    return np.where(condition, value, outside)


def whole(k):
    return np.equal(np.floor(k), k)


# normal and its relatives -------------------------------------------------------------------------------------------------
def norm_logpdf(x, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    return -0.5 * z * z - LOG_ROOT - np.log(scale)


def norm_ppf(q, loc=0.0, scale=1.0):
    return sp.ndtri(q) * scale + loc


norm = distribution(
    "norm", logpdf=norm_logpdf, ppf=norm_ppf,
    cdf=lambda x, loc=0.0, scale=1.0: sp.ndtr((x - loc) / scale), logcdf=lambda x, loc=0.0, scale=1.0: sp.log_ndtr((x - loc) / scale),
    sf=lambda x, loc=0.0, scale=1.0: sp.ndtr((loc - x) / scale), logsf=lambda x, loc=0.0, scale=1.0: sp.log_ndtr((loc - x) / scale),
    isf=lambda q, loc=0.0, scale=1.0: norm_ppf(1.0 - q, loc, scale))


def truncnorm_logpdf(x, a, b, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    mass = np.log(sp.ndtr(b) - sp.ndtr(a))
    return inside(np.logical_and(np.greater_equal(z, a), np.less_equal(z, b)), norm_logpdf(x, loc, scale) - mass)


def truncnorm_cdf(x, a, b, loc=0.0, scale=1.0):
    z = np.clip((x - loc) / scale, a, b)
    return (sp.ndtr(z) - sp.ndtr(a)) / (sp.ndtr(b) - sp.ndtr(a))


def truncnorm_sf(x, a, b, loc=0.0, scale=1.0):
    z = np.clip((x - loc) / scale, a, b)
    return (sp.ndtr(-z) - sp.ndtr(-b)) / (sp.ndtr(-a) - sp.ndtr(-b))


truncnorm = distribution("truncnorm", logpdf=truncnorm_logpdf, cdf=truncnorm_cdf, sf=truncnorm_sf)


def t_logpdf(x, df, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    constant = sp.gammaln((df + 1.0) / 2) - sp.gammaln(df / 2) - 0.5 * np.log(df * math.pi) - np.log(scale)
    return constant - (df + 1.0) / 2 * np.log1p(z * z / df)


t = distribution("t", logpdf=t_logpdf)


# on the half-line ----------------------------------------------------------------------------------------------------------
def standard(x, loc, scale):
    """(the standardised argument where it is positive, whether it is)."""
    z = (x - loc) / scale
    ok = np.greater_equal(z, 0)
    return np.where(ok, z, 1.0), ok


def expon_logpdf(x, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, -z - np.log(scale))


def expon_cdf(x, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, -np.expm1(-z), 0.0)


def expon_logsf(x, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, -z, 0.0)


expon = distribution("expon", logpdf=expon_logpdf, cdf=expon_cdf, logsf=expon_logsf,
                     ppf=lambda q, loc=0.0, scale=1.0: loc - scale * np.log1p(-q))


def gamma_logpdf(x, a, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, sp.xlogy(a - 1.0, z) - z - sp.gammaln(a) - np.log(scale))


def gamma_cdf(x, a, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, sp.gammainc(a, z), 0.0)


def gamma_sf(x, a, loc=0.0, scale=1.0):
    z, ok = standard(x, loc, scale)
    return inside(ok, sp.gammaincc(a, z), 1.0)


gamma = distribution("gamma", logpdf=gamma_logpdf, cdf=gamma_cdf, sf=gamma_sf)
chi2 = distribution("chi2", logpdf=lambda x, df, loc=0.0, scale=1.0: gamma_logpdf(x, df / 2, loc, 2 * scale),
                    cdf=lambda x, df, loc=0.0, scale=1.0: gamma_cdf(x, df / 2, loc, 2 * scale),
                    sf=lambda x, df, loc=0.0, scale=1.0: gamma_sf(x, df / 2, loc, 2 * scale))


def pareto_logpdf(x, b, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    return inside(np.greater_equal(z, 1), np.log(b) - np.log(scale) - (b + 1.0) * np.log(np.where(np.greater_equal(z, 1), z, 1.0)))


def pareto_sf(x, b, loc=0.0, scale=1.0):
    z = np.maximum((x - loc) / scale, 1.0)
    return np.power(z, -b)


pareto = distribution("pareto", logpdf=pareto_logpdf, sf=pareto_sf, cdf=lambda x, b, loc=0.0, scale=1.0: 1.0 - pareto_sf(x, b, loc, scale),
                      ppf=lambda q, b, loc=0.0, scale=1.0: loc + scale * np.power(1.0 - q, -1.0 / b))


# on an interval -----------------------------------------------------------------------------------------------------------------
def uniform_logpdf(x, loc=0.0, scale=1.0):
    ok = np.logical_and(np.greater_equal(x, loc), np.less_equal(x, loc + scale))
    return inside(ok, -np.log(scale) + 0.0 * x)


uniform = distribution("uniform", logpdf=uniform_logpdf, cdf=lambda x, loc=0.0, scale=1.0: np.clip((x - loc) / scale, 0.0, 1.0),
                       ppf=lambda q, loc=0.0, scale=1.0: inside(np.logical_and(np.greater_equal(q, 0), np.less_equal(q, 1)), loc + scale * q, np.nan))


def beta_logpdf(x, a, b, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    ok = np.logical_and(np.greater_equal(z, 0), np.less_equal(z, 1))
    z = np.where(ok, z, 0.5)
    return inside(ok, sp.xlogy(a - 1.0, z) + sp.xlog1py(b - 1.0, -z) - sp.betaln(a, b) - np.log(scale))


def beta_cdf(x, a, b, loc=0.0, scale=1.0):
    return sp.betainc(a, b, np.clip((x - loc) / scale, 0.0, 1.0))


beta = distribution("beta", logpdf=beta_logpdf, cdf=beta_cdf)


# on the whole line ------------------------------------------------------------------------------------------------------------------
def cauchy_logpdf(x, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    return -math.log(math.pi) - np.log(scale) - np.log1p(z * z)


def cauchy_cdf(x, loc=0.0, scale=1.0):
    return 0.5 + np.arctan((x - loc) / scale) / math.pi


def cauchy_ppf(q, loc=0.0, scale=1.0):
    return loc + scale * np.tan(math.pi * (q - 0.5))


cauchy = distribution("cauchy", logpdf=cauchy_logpdf, cdf=cauchy_cdf, ppf=cauchy_ppf,
                      sf=lambda x, loc=0.0, scale=1.0: cauchy_cdf(-x, -loc, scale), isf=lambda q, loc=0.0, scale=1.0: cauchy_ppf(1.0 - q, loc, scale))


def laplace_logpdf(x, loc=0.0, scale=1.0):
    return -np.abs(x - loc) / scale - np.log(2 * scale)


def laplace_cdf(x, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(np.less(z, 0), tail, 1.0 - tail)


laplace = distribution("laplace", logpdf=laplace_logpdf, cdf=laplace_cdf)


def logistic_logpdf(x, loc=0.0, scale=1.0):
    half = (x - loc) / scale / 2
    return -2 * np.logaddexp(half, -half) - np.log(scale)


logistic = distribution(
    "logistic", logpdf=logistic_logpdf, cdf=lambda x, loc=0.0, scale=1.0: sp.expit((x - loc) / scale),
    sf=lambda x, loc=0.0, scale=1.0: sp.expit((loc - x) / scale), ppf=lambda q, loc=0.0, scale=1.0: loc + scale * sp.logit(q),
    isf=lambda q, loc=0.0, scale=1.0: loc - scale * sp.logit(q))


def gumbel_r_logpdf(x, loc=0.0, scale=1.0):
    z = (x - loc) / scale
    return -(z + np.exp(-z)) - np.log(scale)


def gumbel_r_logcdf(x, loc=0.0, scale=1.0):
    return -np.exp(-(x - loc) / scale)


gumbel_r = distribution("gumbel_r", logpdf=gumbel_r_logpdf, logcdf=gumbel_r_logcdf,
                        sf=lambda x, loc=0.0, scale=1.0: -np.expm1(gumbel_r_logcdf(x, loc, scale)),
                        ppf=lambda q, loc=0.0, scale=1.0: loc - scale * np.log(-np.log(q)))
gumbel_l = distribution("gumbel_l", logpdf=lambda x, loc=0.0, scale=1.0: gumbel_r_logpdf(-x, -loc, scale),
                        logsf=lambda x, loc=0.0, scale=1.0: gumbel_r_logcdf(-x, -loc, scale),
                        cdf=lambda x, loc=0.0, scale=1.0: -np.expm1(gumbel_r_logcdf(-x, -loc, scale)),
                        ppf=lambda q, loc=0.0, scale=1.0: loc + scale * np.log(-np.log1p(-q)))


def gennorm_logpdf(x, beta):
    return np.log(0.5 * beta) - sp.gammaln(1 / beta) - np.power(np.abs(x), beta)


def gennorm_cdf(x, beta):
    return 0.5 * (1 + np.sign(x) * sp.gammainc(1 / beta, np.power(np.abs(x), beta)))


gennorm = distribution("gennorm", logpdf=gennorm_logpdf, cdf=gennorm_cdf)
vonmises = distribution("vonmises", logpdf=lambda x, kappa: kappa * (np.cos(x) - 1.0) - math.log(2 * math.pi) - np.log(sp.i0e(kappa)))


def wrapcauchy_logpdf(x, c):
    ok = np.logical_and(np.greater_equal(x, 0), np.less_equal(x, 2 * math.pi))
    return inside(ok, np.log1p(-c * c) - math.log(2 * math.pi) - np.log(1.0 + c * c - 2 * c * np.cos(x)))


wrapcauchy = distribution("wrapcauchy", logpdf=wrapcauchy_logpdf)


# numbers of events ------------------------------------------------------------------------------------------------------------------
def counts(k, ok):
    """Counts with a harmless value where they are impossible."""
    return np.where(ok, k, 0.0)


def poisson_logpmf(k, mu, loc=0.0):
    k = k - loc
    ok = np.logical_and(np.greater_equal(k, 0), whole(k))
    k = counts(k, ok)
    return inside(ok, sp.xlogy(k, mu) - mu - sp.gammaln(k + 1.0))


def poisson_cdf(k, mu, loc=0.0):
    k = np.floor(k - loc)
    return inside(np.greater_equal(k, 0), sp.gammaincc(np.maximum(k, 0.0) + 1.0, mu), 0.0)


poisson = distribution("poisson", logpmf=poisson_logpmf, cdf=poisson_cdf)


def bernoulli_logpmf(k, p, loc=0.0):
    k = k - loc
    ok = np.logical_and(np.greater_equal(k, 0), np.less_equal(k, 1))
    k = counts(k, ok)
    return inside(ok, sp.xlogy(k, p) + sp.xlog1py(1.0 - k, -p))


def bernoulli_cdf(k, p):
    return np.where(np.less(k, 0), 0.0, np.where(np.less(k, 1), 1.0 - p, 1.0))


bernoulli = distribution("bernoulli", logpmf=bernoulli_logpmf, cdf=bernoulli_cdf, ppf=lambda q, p: np.where(np.less_equal(q, 1.0 - p), 0.0, 1.0))


def binom_logpmf(k, n, p, loc=0.0):
    k = k - loc
    ok = np.logical_and(np.greater_equal(k, 0), np.less_equal(k, n))
    k = counts(k, ok)
    ways = sp.gammaln(n + 1.0) - sp.gammaln(k + 1.0) - sp.gammaln(n - k + 1.0)
    return inside(ok, ways + sp.xlogy(k, p) + sp.xlog1py(n - k, -p))


binom = distribution("binom", logpmf=binom_logpmf)


def nbinom_logpmf(k, n, p, loc=0.0):
    k = k - loc
    ok = np.greater_equal(k, 0)
    k = counts(k, ok)
    return inside(ok, sp.gammaln(k + n) - sp.gammaln(n) - sp.gammaln(k + 1.0) + sp.xlogy(n, p) + sp.xlog1py(k, -p))


nbinom = distribution("nbinom", logpmf=nbinom_logpmf)


def betabinom_logpmf(k, n, a, b, loc=0.0):
    k = np.floor(k - loc)
    ok = np.logical_and(np.greater_equal(k, 0), np.less_equal(k, n))
    k = counts(k, ok)
    return inside(ok, -np.log(n + 1.0) - sp.betaln(n - k + 1.0, k + 1.0) + sp.betaln(k + a, n - k + b) - sp.betaln(a, b))


betabinom = distribution("betabinom", logpmf=betabinom_logpmf)


def geom_logpmf(k, p, loc=0.0):
    k = k - loc
    ok = np.greater(k, 0)
    k = np.where(ok, k, 1.0)
    return inside(ok, sp.xlog1py(k - 1.0, -p) + np.log(p))


geom = distribution("geom", logpmf=geom_logpmf)


def multinomial_logpmf(x, n, p):
    return sp.gammaln(n + 1.0) + np.sum(sp.xlogy(x, p) - sp.gammaln(x + 1.0), axis=-1)


multinomial = distribution("multinomial", logpmf=multinomial_logpmf)


# vectors ----------------------------------------------------------------------------------------------------------------------------
def dirichlet_logpdf(x, alpha):
    """x: (n, ...) with sum 1, or n - 1 of its entries."""
    missing = np.shape(alpha)[0] - np.shape(x)[0]
    x = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)], axis=0) if missing else x
    alpha = np.reshape(alpha, (np.shape(alpha)[0], *(1,) * (np.ndim(x) - 1)))
    constant = np.sum(sp.gammaln(alpha), axis=0) - sp.gammaln(np.sum(alpha, axis=0))
    ok = np.all(np.greater(x, 0), axis=0)
    return inside(ok, np.sum(sp.xlogy(alpha - 1.0, np.where(np.greater(x, 0), x, 1.0)), axis=0) - constant)


dirichlet = distribution("dirichlet", logpdf=dirichlet_logpdf)


def multivariate_normal_logpdf(x, mean, cov, allow_singular=None):
    if not np.ndim(mean):
        deviation = x - mean
        return -0.5 * deviation * deviation / cov - LOG_ROOT - 0.5 * np.log(cov)
    n = np.shape(mean)[-1]
    if np.shape(cov)[-2:] != (n, n):
        raise TypeMismatch(f"multivariate_normal: a covariance of shape {np.shape(cov)} does not fit a mean of shape {np.shape(mean)}",
                                 "They are (..., n, n) and (..., n).")
    factor = np.linalg.cholesky(cov)
    deviation = np.expand_dims(x - mean, -1)
    batch = np.broadcast_shapes(np.shape(factor)[:-2], np.shape(deviation)[:-2])
    factor = np.broadcast_to(factor, (*batch, n, n))
    white = FUNCTIONS[sp_linalg().solve_triangular](factor, np.broadcast_to(deviation, (*batch, n, 1)), lower=True)
    diagonal = np.diagonal(factor, axis1=-2, axis2=-1)
    return -0.5 * np.sum(np.square(white), axis=(-2, -1)) - n * LOG_ROOT - np.sum(np.log(diagonal), axis=-1)


def sp_linalg():
    import scipy.linalg
    return scipy.linalg


multivariate_normal = distribution("multivariate_normal", logpdf=multivariate_normal_logpdf)

# samples ------------------------------------------------------------------------------------------------------------------
def _summary(name, parameters):
    """A function of samples, with the parameters that JAX's has by position."""
    FUNCTIONS.load()
    plain, names = adapted(getattr(scipy.stats, name), name, __name__), parameters.split()

    def call(*args, **kwargs):
        return plain(*args[:1], **dict(zip(names[1:], args[1:])), **kwargs)
    call.__name__, call.__doc__ = name, f"`scipy.stats.{name}` with JAX's types."
    return call


mode = _summary("mode", "a axis nan_policy keepdims")
rankdata = _summary("rankdata", "a method axis nan_policy")
sem = _summary("sem", "a axis ddof nan_policy keepdims")

__all__ = ["bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "gennorm", "geom", "gumbel_l", "gumbel_r",
           "laplace", "logistic", "mode", "multinomial", "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "rankdata", "sem", "t", "truncnorm",
           "uniform", "vonmises", "wrapcauchy"]
