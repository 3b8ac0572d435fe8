"""Samplers that draw until a proposal is accepted: gamma, Poisson and binomial numbers, and what is made of them.

These functions are entered like user code, so their loops compile, batch and run as they stand. Gamma numbers are differentiable in
their parameter: the derivative is that of the inverse distribution function at the sample.

Sources: Marsaglia and Tsang, A simple method for generating gamma variables (2000); Knuth, The art of computer programming 2, section
3.4.1; Hoermann, The transformed rejection method for generating Poisson random variables (1993), The generation of binomial random
variates (1993); Figurnov et al., Implicit reparameterization gradients (2018).
"""

import numpy as np
import scipy.special

from ..api import vmap
from ..custom import custom_jvp
from . import lanes
from .keys import split
from .lanes import normal_words, split_words, uniform_words
from .samplers import exponential, normal, rademacher, uniform


# gamma numbers ------------------------------------------------------------------------------------------------------------
def proposals(key, alpha):
    """(boosted shape parameter minus 1/3, the accepted cube, uniform number left over) for one gamma number."""
    keys = split_words(key, (2,))
    key, last = keys[0], keys[1]
    third, half, squeeze = lanes.number(1 / 3, alpha), lanes.number(0.5, alpha), lanes.number(0.0331, alpha)
    d = np.where(alpha >= 1, alpha, alpha + 1) - third
    c = third / np.sqrt(d)
    square, cube, u = alpha * 0, alpha * 0 + 1, alpha * 0 + 2
    while (u >= 1 - squeeze * (square * square)) & (np.log(u) >= square * half + d * (1 - cube + np.log(cube))):
        keys = split_words(key, (3,))
        key, inner = keys[0], keys[1]
        x, v = alpha * 0, alpha * 0 - 1
        while v <= 0:
            pair = split_words(inner, (2,))
            inner = pair[0]
            x = normal_words(pair[1], alpha)
            v = 1 + x * c
        square, cube = x * x, v * v * v
        u = uniform_words(keys[2], alpha)
    return d, cube, last


def one_gamma(key, alpha):
    """One gamma number."""
    d, cube, last = proposals(key, alpha)
    rest = 1 - uniform_words(last, alpha)
    return d * cube * np.where(alpha >= 1, 1, np.power(rest, 1 / alpha))


def one_loggamma(key, alpha):
    """The logarithm of one gamma number."""
    d, cube, last = proposals(key, alpha)
    rest = np.log1p(-uniform_words(last, alpha))
    return np.log(d) + np.log(cube) + np.where((alpha >= 1) | (rest == 0), 0, rest * (1 / alpha))


def below(alpha, x, offset):
    """Derivative of log x in alpha where x <= alpha, from the series of the distribution function; offset: log x - digamma(alpha + 1)."""
    n, term, slope = alpha * 0, alpha * 0 + 1, alpha * 0
    total, slopes = term, slope
    while (np.abs(term) > lanes.EPS * np.abs(total)) | (np.abs(slope) > lanes.EPS * np.abs(slopes)):
        n = n + 1
        ratio = x / (alpha + n)
        slope = ratio * (slope - term / (alpha + n))
        term = ratio * term
        total, slopes = total + term, slopes + slope
    return -(total * offset + slopes) / alpha


def above(alpha, x, offset):
    """The same where x > alpha, from the continued fraction of the complement; offset: log x - digamma(alpha)."""
    c, y, z = alpha * 0, 1 - alpha, x + 2 - alpha
    p0, q0, p1, q1 = alpha * 0 + 1, x, x + 1, z * x
    dp0, dq0, dp1, dq1 = alpha * 0, alpha * 0, alpha * 0, -x
    value, slope = p1 / q1, (dp1 - p1 / q1 * dq1) / q1
    change = alpha * 0 + 1
    while change > lanes.EPS:
        c, y, z = c + 1, y + 1, z + 2
        p, q = p1 * z - p0 * (y * c), q1 * z - q0 * (y * c)
        dp, dq = dp1 * z - p1 - dp0 * (y * c) + p0 * c, dq1 * z - q1 - dq0 * (y * c) + q0 * c
        scale = 1 / np.where(np.abs(q) > 1e6, np.abs(q), 1)
        p0, q0, dp0, dq0 = p1 * scale, q1 * scale, dp1 * scale, dq1 * scale
        p1, q1, dp1, dq1 = p * scale, q * scale, dp * scale, dq * scale
        before, value = slope, p1 / q1
        slope = (dp1 - value * dq1) / q1
        change = np.abs((slope - before) / slope)
    return value * offset + slope


def log_slope(alpha, log_x):
    """d log(x) / d alpha of a gamma number x at a fixed probability."""
    x = np.exp(log_x)
    if x <= alpha:
        slope = below(alpha, x, log_x - scipy.special.digamma(alpha + 1))
    else:
        slope = above(alpha, x, log_x - scipy.special.digamma(alpha))
    return slope


gammas, loggammas, log_slopes = vmap(one_gamma), vmap(one_loggamma), vmap(log_slope)


@custom_jvp
def gammas_of(keys, alphas):
    return gammas(keys, alphas)


def gammas_of_jvp(primals, tangents):
    x = gammas(*primals)
    return x, x * log_slopes(primals[1], np.log(np.maximum(x, lanes.TINY))) * tangents[1]


@custom_jvp
def loggammas_of(keys, alphas):
    return loggammas(keys, alphas)


def loggammas_of_jvp(primals, tangents):
    x = loggammas(*primals)
    return x, log_slopes(primals[1], x) * tangents[1]


gammas_of.defjvp(gammas_of_jvp)
loggammas_of.defjvp(loggammas_of_jvp)


def gamma(key, a, shape=None, dtype=None):
    """Gamma numbers of shape parameter a and scale 1.

    a: a positive number or array that broadcasts to `shape`. dtype: a float type. Differentiable in a.
    """
    keys, alphas, shape = lanes.each(key, a, shape, dtype, "gamma")
    return lanes.reshaped(gammas_of(keys, alphas), shape)


def loggamma(key, a, shape=None, dtype=None):
    """Logarithms of gamma numbers, exact for small a too."""
    keys, alphas, shape = lanes.each(key, a, shape, dtype, "loggamma")
    return lanes.reshaped(loggammas_of(keys, alphas), shape)


def beta(key, a, b, shape=None, dtype=None):
    """Numbers of the beta distribution of parameters a and b."""
    (a, b), shape, dtype = lanes.parameters("beta", shape, dtype, a, b)
    keys = split(key)
    one, two = loggamma(keys[0], a, shape, dtype), loggamma(keys[1], b, shape, dtype)
    top = np.maximum(one, two)
    one, two = np.exp(one - top), np.exp(two - top)
    return one / (one + two)


def dirichlet(key, alpha, shape=None, dtype=None):
    """Vectors of the Dirichlet distribution: positive, of sum 1.

    alpha: parameters (..., n). shape: of the result without its last axis.
    """
    (alpha,), shape, dtype = lanes.vectors("dirichlet", shape, dtype, alpha)
    logs = loggamma(key, alpha, shape, dtype)
    shares = np.exp(logs - np.max(logs, axis=-1, keepdims=True))
    return shares / np.sum(shares, axis=-1, keepdims=True)


def chisquare(key, df, shape=None, dtype=None):
    """Numbers of the chi-square distribution with df degrees of freedom."""
    (df,), shape, dtype = lanes.parameters("chisquare", shape, dtype, df)
    return np.exp(loggamma(key, df / 2, shape, dtype)) * 2


def f(key, dfnum, dfden, shape=None, dtype=None):
    """Numbers of the F distribution."""
    (dfnum, dfden), shape, dtype = lanes.parameters("f", shape, dtype, dfnum, dfden)
    keys = split(key)
    return (chisquare(keys[1], dfnum, shape, dtype) / dfnum) / (chisquare(keys[0], dfden, shape, dtype) / dfden)


def t(key, df, shape=None, dtype=None):
    """Numbers of Student's t distribution with df degrees of freedom."""
    (df,), shape, dtype = lanes.parameters("t", shape, dtype, df)
    keys = split(key)
    noise = normal(keys[0], shape, dtype)
    return noise * np.sqrt((df / 2) / gamma(keys[1], df / 2, shape, dtype))


def generalized_normal(key, p, shape=(), dtype=None):
    """Numbers whose density falls off as exp(-|x| ** p); in the type that the dtype and that of p promote to."""
    p, shape, dtype = lanes.promoting("generalized_normal", shape, dtype, p)
    keys = split(key)
    return rademacher(keys[1], shape, dtype) * gamma(keys[0], 1 / p, shape, dtype) ** (1 / p)


def ball(key, d, p=2, shape=(), dtype=None):
    """Points spread evenly in the unit ball of the p-norm in d dimensions; in the type that the dtype and that of p promote to."""
    p, shape, dtype = lanes.promoting("ball", shape, dtype, p)
    keys = split(key)
    g = generalized_normal(keys[0], p, (*shape, d), dtype)
    e = exponential(keys[1], shape, dtype)
    return g / np.expand_dims((np.sum(np.abs(g) ** p, axis=-1) + e) ** (1 / p), -1)


# Poisson numbers ------------------------------------------------------------------------------------------------------------
def poisson(key, lam, shape=None, dtype=None):
    """Poisson numbers of mean lam, integers."""
    lam, shape, dtype = lanes.rate(lam, shape, dtype)
    small = np.isnan(lam) | (lam < 10)
    few = by_products(key, np.where(small, lam, 0.0), shape)
    many = by_transformed_rejection(key, np.where(small, 1e5, lam), shape)
    return lanes.cast(np.where(lam == 0, 0, np.where(small, few, many)), dtype)


def by_products(key, lam, shape):
    """The number of uniform numbers whose product stays above exp(-lam)."""
    count, log_product = lam * 0, lam * 0
    while np.any(log_product > -lam):
        keys = split(key)
        key = keys[0]
        count = np.where(log_product > -lam, count + 1, count)
        log_product = log_product + np.log(uniform(keys[1], shape, np.float32))
    return count - 1


def by_transformed_rejection(key, lam, shape):
    log_lam = np.log(lam)
    b = 0.931 + 2.53 * np.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    found, done = lam * 0 - 1, lam < 0
    while np.any(~done):
        keys = split(key, 3)
        key = keys[0]
        u = uniform(keys[1], shape, np.float32) - 0.5
        v = uniform(keys[2], shape, np.float32)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + lam + 0.43)
        s = np.log(v * inverse_alpha / (a / (us * us) + b))
        t = -lam + k * log_lam - scipy.special.gammaln(k + 1)
        reject = (k < 0) | ((us < 0.013) & (v > us))
        accept = ((us >= 0.07) & (v <= v_r)) | (~reject & (s <= t))
        found, done = np.where(accept, k, found), done | accept
    return found


# binomial numbers -------------------------------------------------------------------------------------------------------------
def binomial(key, n, p, shape=None, dtype=None):
    """Binomial numbers: successes among n trials of probability p, in a float type. NaN for impossible parameters."""
    count, p, shape, dtype = lanes.trials(n, p, shape, dtype)
    low = p < 0.5
    q = np.where(low, p, 1 - p)
    wrong = np.isnan(count) | (count < 0)
    bad, unending = np.isnan(q) | (q < 0), np.isinf(count)
    q = np.where(bad, 0.01, q)
    invert = wrong | (count * q <= 10)
    count = np.floor(count)
    few = by_inversion(key, np.where(invert, count, 0.0), q, shape)
    many = by_squeezed_rejection(key, np.where(invert, 1e4, count), np.where(invert, 0.5, q), shape)
    found = np.where(invert, few, many)
    found = np.where(bad | wrong, np.nan, np.where(unending, np.inf, found))
    return lanes.cast(np.where(low | wrong | np.isnan(p) | unending, found, count - found), dtype)


def by_inversion(key, count, q, shape):
    """The number of geometric steps that fit into the count."""
    log_rest = np.log1p(-q)
    number, total = q * 0, q * 0
    while np.any(total <= count):
        keys = split(key)
        key = keys[1]
        number = np.where(total <= count, number + 1, number)
        total = total + np.ceil(np.log(uniform(keys[0], shape, lanes.dtype_of(q))) / log_rest)
    return number - 1


STIRLING = np.array([0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
                     0.0138761288230707, 0.0118967099458917, 0.010411265261972, 0.00925546218271273, 0.00833056343336287])


def stirling_rest(k):
    """log(k!) minus Stirling's approximation of it."""
    inside = np.clip(k, 0.0, 9.0)
    square = (inside + 1) * (inside + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (inside + 1)
    return np.where(k <= 9, lanes.looked_up(STIRLING, inside), series)


def by_squeezed_rejection(key, count, p, shape):
    spread = np.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    v_r = 0.92 - 4.2 / b
    r = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * spread
    m = np.floor((count + 1) * p)
    fixed = (m + 0.5) * np.log((m + 1) / (r * (count - m + 1))) + stirling_rest(m) + stirling_rest(count - m)
    found, done = p * 0 - 1, p < 0
    while np.any(~done):
        keys = split(key, 3)
        key = keys[0]
        u = uniform(keys[1], shape, lanes.dtype_of(p)) - 0.5
        v = uniform(keys[2], shape, lanes.dtype_of(p))
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + c)
        inside = np.clip(k, 0, count)
        bound = (fixed + (count + 1) * np.log((count - m + 1) / (count - inside + 1))
                 + (inside + 0.5) * np.log(r * (count - inside + 1) / (inside + 1)) - stirling_rest(inside) - stirling_rest(count - inside))
        reject = (k < 0) | (k > count)
        accept = ((us >= 0.07) & (v <= v_r)) | (~reject & (np.log(v * alpha / (a / (us * us) + b)) <= bound))
        found, done = np.where(accept, k, found), done | accept
    return found


def multinomial(key, n, p, *, shape=None, dtype=None, unroll=1):
    """Counts of n draws among categories of probabilities p (..., k)."""
    n, columns, ratios, dtype = lanes.categories(n, p, shape, dtype)
    keys = split(key, columns)
    counts = []
    for i in range(columns):
        drawn = binomial(keys[i], n, np.clip(ratios[i], 0, 1), None, lanes.dtype_of(n))
        counts.append(drawn)
        n = n - drawn
    return lanes.cast(np.stack(counts, axis=-1), dtype)


__all__ = ["ball", "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "generalized_normal", "loggamma", "multinomial", "poisson", "t"]
