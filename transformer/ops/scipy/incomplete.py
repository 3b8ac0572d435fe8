"""Lowering of incomplete gamma and beta functions and of the normal quantile: series, continued fractions and Newton's method.

Sources: Press et al., Numerical recipes, sections 6.2 and 6.4 (Lentz's method); Abramowitz and Stegun, 26.2.23 (start of the quantile).
"""

import math

import numpy as np

MOST = 10_000
"""Terms after which a series or fraction ends in any case."""


def full(hlo, like, value):
    return hlo.full(like.shape, value, like.dtype)


def lgamma(hlo, x):
    return hlo.op("chlo.lgamma", [x], x.shape, x.dtype)


def where(hlo, condition, value, other):
    """select with numbers for either side."""
    like = value if hasattr(value, "shape") else other
    value, other = (v if hasattr(v, "shape") else full(hlo, like, v) for v in (value, other))
    return hlo.select(condition, value, other)


def any_of(hlo, flags):
    return hlo.reduce(flags, None, range(flags.ndim), "or") if flags.ndim else flags


def until_converged(hlo, start, step, running):
    """Rounds of `step(n, *carries)` while `running(*carries)` holds anywhere; n counts from 1."""
    dtype = start[0].dtype

    def test(n, *carries):
        return hlo.and_(any_of(hlo, running(*carries)), hlo.compare("LT", n, hlo.constant(MOST, dtype)))

    def body(n, *carries):
        return [hlo.add(n, 1.0), *step(hlo.broadcast_to(n, start[0].shape), *carries)]
    return hlo.while_([hlo.constant(1, dtype), *start], test, body)[1:]


def lentz(hlo, first, coefficients):
    """1 / (first + a1 / (b1 + a2 / (b2 + ...))); coefficients(n) gives pairs (a, b) that follow one another in round n."""
    tiny, eps = float(np.finfo(first.dtype).tiny) * 1e3, float(np.finfo(first.dtype).eps)

    def guarded(x):
        return where(hlo, hlo.compare("LT", hlo.abs(x), tiny), tiny, x)

    def step(n, c, d, h, change):
        for a, b in coefficients(n):
            d = hlo.divide(full(hlo, d, 1), guarded(hlo.add(hlo.multiply(a, d), b)))
            c = guarded(hlo.add(b, hlo.divide(a, c)))
            change = hlo.multiply(c, d)
            h = hlo.multiply(h, change)
        return [c, d, h, change]

    def running(c, d, h, change):
        return hlo.compare("GT", hlo.abs(hlo.subtract(change, full(hlo, change, 1))), 2 * eps)
    d = hlo.divide(full(hlo, first, 1), guarded(first))
    return until_converged(hlo, [full(hlo, first, 1 / tiny), d, d, full(hlo, first, 2)], step, running)[2]


# incomplete gamma functions ---------------------------------------------------------------------------------------------------
def gamma_series(hlo, a, x):
    """sum over n of x^n / ((a + 1) ... (a + n))."""
    eps = float(np.finfo(x.dtype).eps)

    def step(n, term, total):
        term = hlo.multiply(term, hlo.divide(x, hlo.add(a, n)))
        return [term, hlo.add(total, term)]

    def running(term, total):
        return hlo.compare("GT", hlo.abs(term), hlo.multiply(hlo.abs(total), eps))
    return until_converged(hlo, [full(hlo, x, 1), full(hlo, x, 1)], step, running)[1]


def gamma_fraction(hlo, a, x):
    """The upper incomplete gamma function over x^a exp(-x)."""
    def coefficients(n):
        b = hlo.add(hlo.subtract(x, a), hlo.add(hlo.multiply(n, 2.0), 1.0))
        return [(hlo.multiply(n, hlo.subtract(a, n)), b)]
    return lentz(hlo, hlo.add(hlo.subtract(x, a), 1.0), coefficients)


def lower_and_upper(hlo, a, x):
    """Both regularised incomplete gamma functions."""
    low = hlo.compare("LT", x, hlo.add(a, 1.0))
    log_weight = hlo.subtract(hlo.subtract(hlo.multiply(a, hlo.log(x)), x), lgamma(hlo, a))
    series = gamma_series(hlo, where(hlo, low, a, 1), where(hlo, low, x, 0.5))
    fraction = gamma_fraction(hlo, where(hlo, low, 1, a), where(hlo, low, 3, x))
    p = hlo.divide(hlo.multiply(hlo.exp(log_weight), series), a)
    q = hlo.multiply(hlo.exp(log_weight), fraction)
    one = full(hlo, x, 1)
    p, q = where(hlo, low, p, hlo.subtract(one, q)), where(hlo, low, hlo.subtract(one, p), q)
    ends = [(hlo.compare("EQ", x, 0.0), 0), (hlo.or_(hlo.compare("EQ", x, math.inf), hlo.compare("EQ", a, 0.0)), 1)]
    for at, value in ends:
        p, q = where(hlo, at, value, p), where(hlo, at, 1 - value, q)
    both = hlo.and_(hlo.compare("EQ", x, 0.0), hlo.compare("EQ", a, 0.0))
    wrong = hlo.or_(both, hlo.or_(hlo.compare("LT", x, 0.0), hlo.compare("LT", a, 0.0)))
    return where(hlo, wrong, math.nan, p), where(hlo, wrong, math.nan, q)


def lower_gammainc(hlo, a, x):
    return lower_and_upper(hlo, a, x)[0]


def lower_gammaincc(hlo, a, x):
    return lower_and_upper(hlo, a, x)[1]


# the incomplete beta function -------------------------------------------------------------------------------------------------
def lower_betainc(hlo, a, b, x):
    """The fraction converges below the mean; above, the complement is computed."""
    mean = hlo.divide(hlo.add(a, 1.0), hlo.add(hlo.add(a, b), 2.0))
    inside = hlo.and_(hlo.compare("GT", x, 0.0), hlo.compare("LT", x, 1.0))
    inside = hlo.and_(inside, hlo.and_(hlo.compare("GT", a, 0.0), hlo.compare("GT", b, 0.0)))
    a, b, safe = where(hlo, inside, a, 1), where(hlo, inside, b, 1), where(hlo, inside, x, 0.5)
    turned = hlo.and_(inside, hlo.compare("GT", x, mean))
    rest = hlo.subtract(full(hlo, x, 1), safe)
    left, right, z = where(hlo, turned, b, a), where(hlo, turned, a, b), where(hlo, turned, rest, safe)
    log_beta = hlo.subtract(hlo.add(lgamma(hlo, a), lgamma(hlo, b)), lgamma(hlo, hlo.add(a, b)))
    logs = hlo.add(hlo.multiply(a, hlo.log(safe)), hlo.multiply(b, hlo.log1p(hlo.negate(safe))))
    weight = hlo.exp(hlo.subtract(logs, log_beta))
    value = hlo.divide(hlo.multiply(weight, beta_fraction(hlo, left, right, z)), left)
    value = where(hlo, turned, hlo.subtract(full(hlo, x, 1), value), value)
    edge = where(hlo, hlo.compare("EQ", x, 0.0), 0, where(hlo, hlo.compare("EQ", x, 1.0), 1, full(hlo, x, math.nan)))
    return where(hlo, inside, value, edge)


def beta_fraction(hlo, a, b, x):
    """The incomplete beta function times a x^-a (1 - x)^-b."""
    one = full(hlo, x, 1)

    def coefficients(n):
        m, even = hlo.subtract(n, one), hlo.add(a, hlo.multiply(n, 2.0))
        odd = hlo.subtract(even, one)
        first = hlo.multiply(hlo.multiply(hlo.add(a, m), hlo.add(hlo.add(a, b), m)), x)
        first = hlo.negate(hlo.divide(first, hlo.multiply(hlo.subtract(odd, one), odd)))
        second = hlo.divide(hlo.multiply(hlo.multiply(n, hlo.subtract(b, n)), x), hlo.multiply(odd, even))
        return [(first, one), (second, one)]
    return lentz(hlo, one, coefficients)


# quantiles -------------------------------------------------------------------------------------------------------------------------
def lower_ndtri(log_ndtr):
    """The normal quantile: Newton's method on the logarithm of the smaller tail."""
    def rule(hlo, p):
        high = hlo.compare("GT", p, 0.5)
        log_tail = where(hlo, high, hlo.log1p(hlo.negate(p)), hlo.log(p))
        inside = hlo.and_(hlo.compare("GT", p, 0.0), hlo.compare("LT", p, 1.0))
        log_tail = where(hlo, inside, log_tail, math.log(0.25))
        t = hlo.sqrt(hlo.multiply(log_tail, -2.0))
        above = hlo.add(hlo.multiply(hlo.add(hlo.multiply(t, 0.010328), 0.802853), t), 2.515517)
        below = hlo.add(hlo.multiply(hlo.add(hlo.multiply(hlo.add(hlo.multiply(t, 0.001308), 0.189269), t), 1.432788), t), 1.0)
        x = hlo.subtract(hlo.divide(above, below), t)
        for _ in range(3):
            log_x = log_ndtr(hlo, x)
            inverse_slope = hlo.exp(hlo.add(hlo.add(log_x, hlo.multiply(hlo.multiply(x, x), 0.5)), 0.5 * math.log(2 * math.pi)))
            x = hlo.subtract(x, hlo.multiply(hlo.subtract(log_x, log_tail), inverse_slope))
        x = where(hlo, high, hlo.negate(x), x)
        edge = where(hlo, hlo.compare("EQ", p, 0.0), -math.inf, where(hlo, hlo.compare("EQ", p, 1.0), math.inf, full(hlo, p, math.nan)))
        return where(hlo, inside, x, edge)
    return rule


__all__ = ["lower_betainc", "lower_gammainc", "lower_gammaincc", "lower_ndtri"]
