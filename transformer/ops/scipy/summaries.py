"""scipy.stats: means, moments, standardised values and entropy of samples.

Everywhere `nan_policy` is "propagate" or "omit"; "raise" would have to look at values.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.special as sp
import scipy.stats as stats

from ...errors import ShapeError, TransformError
from ..op import array, aval_of, function
from ..statistics import count
from .options import floating, only


class DescribeResult(NamedTuple):
    """What scipy.stats.describe returns."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def sample(name, a, axis, nan_policy="propagate"):
    """(the sample in floats, its axes, which of it counts): what is left out is 0."""
    only(name, "nan_policy", nan_policy, "propagate", "omit")
    a = np.atleast_1d(floating(array(a)))
    if nan_policy == "propagate":
        return a, axis, True
    there = ~np.isnan(a)
    return np.where(there, a, 0), axis, there


def mean(a, axis, where, keepdims=True):
    return np.mean(a, axis=axis, where=where, keepdims=keepdims)


def moment_of(a, order, axis, where, center=None, keepdims=False):
    """The mean of the powers of deviations."""
    deviation = a - (mean(a, axis, where) if center is None else center)
    return mean(deviation ** order, axis, where, keepdims)


def flat(a, axis, where):
    """The smallest deviation that counts as one: below it the sample is constant."""
    return np.finfo(aval_of(a).dtype).eps * np.abs(mean(a, axis, where))


def kept(value, axis, keepdims):
    """A value with the reduced axes of size 1, as it is returned."""
    return value if keepdims else np.squeeze(value, axis=axis)


def ratio(top, bottom, undefined):
    """top / bottom; nan where that is undefined."""
    return np.where(undefined, math.nan, top / np.where(undefined, 1, bottom))


# means -----------------------------------------------------------------------------------------------
def weighted(name, a, axis, weights, nan_policy):
    """(the sample, its axes, which of it counts, weights of its shape or None)."""
    a, axis, where = sample(name, a, axis, nan_policy)
    if weights is None:
        return a, axis, where, None
    weights = floating(array(weights))
    if np.ndim(weights) not in (1, np.ndim(a)) or np.ndim(weights) == 1 != np.ndim(a):
        raise ShapeError(f"{name}: weights of shape {np.shape(weights)} for a sample of shape {np.shape(a)}", "Give a weight for each element.")
    weights = np.broadcast_to(weights, np.shape(a))
    if nan_policy == "omit":
        there = where & ~np.isnan(weights)
        return a, axis, there, np.where(there, weights, 0)
    return a, axis, where, weights


def average(a, axis, where, weights, keepdims):
    if weights is None:
        return mean(a, axis, where, keepdims)
    return np.sum(weights * a, axis=axis, keepdims=keepdims) / np.sum(weights, axis=axis, keepdims=keepdims)


def in_dtype(a, dtype):
    return array(a) if dtype is None else np.astype(np.asarray(a), dtype)


@function(stats.gmean)
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    """scipy.stats.gmean."""
    a, axis, where, weights = weighted("gmean", in_dtype(a, dtype), axis, weights, nan_policy)
    safe = a if where is True else np.where(where, a, 1)
    return np.exp(average(np.log(safe), axis, where, weights, keepdims))


@function(stats.hmean)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    """scipy.stats.hmean; nan for negative numbers."""
    a, axis, where, weights = weighted("hmean", in_dtype(a, dtype), axis, weights, nan_policy)
    safe = np.where(a < 0, math.nan, a if where is True else np.where(where, a, 1))
    return 1.0 / average(1.0 / safe, axis, where, weights, keepdims)


@function(stats.pmean)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """scipy.stats.pmean; nan for negative numbers."""
    if not isinstance(p, int | float) or math.isinf(p):
        raise TransformError("pmean needs a finite number p that is known before the function runs", "Write the power mean with np.mean.")
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    a, axis, where, weights = weighted("pmean", in_dtype(a, dtype), axis, weights, nan_policy)
    safe = np.where(a < 0, math.nan, a if where is True else np.where(where, a, 1))
    return average(safe ** float(p), axis, where, weights, keepdims) ** (1 / p)


@function(stats.trim_mean)
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    """scipy.stats.trim_mean of a number of elements that is known."""
    only("trim_mean", "nan_policy", nan_policy, "propagate")
    rows, back = as_rows(floating(array(a)), axis)
    n = np.shape(rows)[-1]
    cut = int(proportiontocut * n)
    if cut > n - cut:
        raise TransformError(f"trim_mean: {proportiontocut} on either side is more than there is", "Cut less than a half.")
    ordered = np.sort(rows, axis=-1)
    found = np.mean(ordered[..., cut: n - cut], axis=-1)
    return back(np.where(np.isnan(ordered[..., -1]), math.nan, found), keepdims)


def as_rows(a, axis):
    """(a with the reduced axes as one last axis, a function that gives a result its shape)."""
    a = np.atleast_1d(a)
    axes = tuple(range(np.ndim(a))) if axis is None else tuple(k % np.ndim(a) for k in (axis if isinstance(axis, tuple) else (axis,)))
    others = [k for k in range(np.ndim(a)) if k not in axes]
    rows = np.reshape(np.transpose(a, (*others, *axes)), (*(np.shape(a)[k] for k in others), -1))
    reduced = tuple(1 if k in axes else n for k, n in enumerate(np.shape(a)))
    return rows, lambda found, keepdims=False: np.reshape(found, reduced) if keepdims else found


# moments ---------------------------------------------------------------------------------------------
@function(stats.moment)
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    """scipy.stats.moment."""
    a, axis, where = sample("moment", a, axis, nan_policy)
    orders = np.asarray(order).tolist()
    if any(k != round(k) for k in (orders if isinstance(orders, list) else [orders])):
        raise TransformError("moment needs orders that are whole numbers", "Write the mean of powers with np.mean.")

    def one(k):
        if k == 0 or k == 1 and center is None:
            return np.where(np.isnan(mean(a, axis, where, keepdims)), math.nan, 1.0 if k == 0 else 0.0)
        return moment_of(a, int(k), axis, where, center, keepdims)
    return np.stack(list(map(one, orders))) if isinstance(orders, list) else one(orders)


@function(stats.skew)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    """scipy.stats.skew."""
    a, axis, where = sample("skew", a, axis, nan_policy)
    n, second = count(a, axis, where, True), moment_of(a, 2, axis, where, keepdims=True)
    found = ratio(moment_of(a, 3, axis, where, keepdims=True), second ** 1.5, second <= flat(a, axis, where) ** 2)
    if not bias and (where is not True or n > 2):
        corrected = found * np.sqrt((n - 1.0) * n) / np.where(np.equal(n, 2), 1.0, n - 2.0)
        found = corrected if where is True else np.where(n > 2, corrected, found)
    return kept(found, axis, keepdims)


@function(stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    """scipy.stats.kurtosis."""
    a, axis, where = sample("kurtosis", a, axis, nan_policy)
    n, second = count(a, axis, where, True), moment_of(a, 2, axis, where, keepdims=True)
    found = ratio(moment_of(a, 4, axis, where, keepdims=True), second ** 2, second <= flat(a, axis, where) ** 2)
    if not bias and (where is not True or n > 3):
        scale = np.where(n > 3, (n - 2.0) * (n - 3.0), 1.0)
        corrected = ((n ** 2 - 1.0) * found - 3.0 * (n - 1.0) ** 2) / scale + 3.0
        found = corrected if where is True else np.where(n > 3, corrected, found)
    return kept(found - 3.0 if fisher else found, axis, keepdims)


@function(stats.sem)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """scipy.stats.sem."""
    a, axis, where = sample("sem", a, axis, nan_policy)
    return np.std(a, axis=axis, ddof=ddof, where=where, keepdims=keepdims) / np.sqrt(count(a, axis, where, keepdims))


@function(stats.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    """scipy.stats.variation."""
    a, axis, where = sample("variation", a, axis, nan_policy)
    n, centre = count(a, axis, where, keepdims), mean(a, axis, where, keepdims)
    spread = np.std(a, axis=axis, where=where, keepdims=keepdims)
    if where is True and n == ddof:
        return np.where(spread > 0, np.copysign(math.inf, centre), math.nan)
    found = spread * np.sqrt(n / (n - ddof)) / centre
    return found if where is True else np.where(n == ddof, np.where(spread > 0, np.copysign(math.inf, centre), math.nan), found)


@function(stats.zscore)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """scipy.stats.zscore; nan where the sample is constant."""
    given = floating(array(a))
    a, axis, where = sample("zscore", given, axis, nan_policy)
    centre, spread = mean(a, axis, where), np.std(a, axis=axis, ddof=ddof, where=where, keepdims=True)
    return ratio(given - centre, spread, spread <= flat(a, axis, where))


@function(stats.zmap)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """scipy.stats.zmap."""
    compare, axis, where = sample("zmap", compare, axis, nan_policy)
    return (floating(array(scores)) - mean(compare, axis, where)) / np.std(compare, axis=axis, ddof=ddof, where=where, keepdims=True)


@function(stats.iqr)
def iqr(x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False):
    """scipy.stats.iqr."""
    only("iqr", "nan_policy", nan_policy, "propagate", "omit")
    if isinstance(scale, str):
        only("iqr", "scale", scale.lower(), "normal")
        scale = 2 * math.sqrt(2) * sp.erfinv(0.5)
    quantile = np.nanpercentile if nan_policy == "omit" else np.percentile
    low, high = (quantile(floating(array(x)), q, axis=axis, method=interpolation, keepdims=keepdims) for q in sorted(rng))
    return high - low if not np.ndim(scale) and isinstance(scale, float | int) and scale == 1 else (high - low) / scale


@function(stats.describe)
def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    """scipy.stats.describe."""
    only("describe", "nan_policy", nan_policy, "propagate")
    a = array(a)
    a, axis = (np.ravel(a), 0) if axis is None else (a, axis)
    real = floating(a)
    return DescribeResult(count(a, axis), (np.min(a, axis=axis), np.max(a, axis=axis)), np.mean(real, axis=axis),
                          np.var(real, axis=axis, ddof=ddof), skew(real, axis, bias), kurtosis(real, axis, True, bias))


# entropy ----------------------------------------------------------------------------------------------
@function(stats.entropy)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    """scipy.stats.entropy, relative to qk if given."""
    only("entropy", "nan_policy", nan_policy, "propagate")
    pk = floating(array(pk))
    if qk is not None:
        pk, qk = np.broadcast_arrays(pk, floating(array(qk)))
        qk = qk / np.sum(qk, axis=axis, keepdims=True)
    pk = pk / np.sum(pk, axis=axis, keepdims=True)
    found = np.sum(sp.entr(pk) if qk is None else sp.rel_entr(pk, qk), axis=axis, keepdims=keepdims)
    return found if base is None else found / np.log(base)


__all__ = ["as_rows", "sample"]
