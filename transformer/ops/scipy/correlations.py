"""scipy.stats: ranks, the most common value, correlations and the line of least squares."""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.special as sp
import scipy.stats as stats

from ...errors import ShapeError, TransformError
from ..op import array, aval_of, function
from .options import floating, only
from .summaries import as_rows

ALTERNATIVES = ("two-sided", "less", "greater")


class PearsonRResult(NamedTuple):
    """What scipy.stats.pearsonr returns."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self):
        return self.statistic


class SignificanceResult(PearsonRResult):
    """What scipy.stats.spearmanr returns."""


class ModeResult(NamedTuple):
    """What scipy.stats.mode returns."""

    mode: Any
    count: Any


class LineParts(NamedTuple):
    """The results of scipy.stats.linregress that can be unpacked."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


class LinregressResult(LineParts):
    """What scipy.stats.linregress returns."""

    intercept_stderr = None


# ranks -------------------------------------------------------------------------------------------------
def runs(ordered):
    """(whether a run begins, the place where the run of equal elements around each element of sorted rows begins, and where it ends); nan is equal to nan."""
    n = np.shape(ordered)[-1]
    at = np.broadcast_to(np.arange(n), np.shape(ordered))
    edge = np.ones((*np.shape(ordered)[:-1], 1), bool)
    after, before = ordered[..., 1:], ordered[..., :-1]
    differs = (after != before) & ((after == after) | (before == before))
    begins, ends = np.concatenate([edge, differs], axis=-1), np.concatenate([differs, edge], axis=-1)
    first = np.maximum.accumulate(np.where(begins, at, 0), axis=-1)
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, at, n), -1), axis=-1), -1)
    return begins, first, last


def ranks_of(rows, method):
    """The ranks within rows, in their order."""
    order = np.argsort(rows, axis=-1, kind="stable")
    begins, first, last = runs(np.take_along_axis(rows, order, axis=-1))
    if method == "ordinal":
        sorted_ranks = np.broadcast_to(np.arange(1, np.shape(rows)[-1] + 1), np.shape(rows))
    elif method == "dense":
        sorted_ranks = np.cumsum(begins, axis=-1)
    else:
        sorted_ranks = {"average": (first + last) / 2.0, "min": first, "max": last}[method] + 1
    return np.take_along_axis(sorted_ranks, np.argsort(order, axis=-1), axis=-1)


@function(stats.rankdata)
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """scipy.stats.rankdata; ranks of floats are floats, so that those of rows with nan can be nan."""
    only("rankdata", "method", method, "average", "min", "max", "dense", "ordinal")
    only("rankdata", "nan_policy", nan_policy, "propagate", "omit")
    a = array(a)
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, -1)
    found = ranks_of(rows, method)
    if aval_of(a).dtype.kind == "f":
        missing = np.isnan(rows)
        found = np.where(missing if nan_policy == "omit" else np.any(missing, axis=-1, keepdims=True), math.nan, found)
    return found if axis is None else np.moveaxis(found, -1, axis)


@function(stats.mode)
def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """scipy.stats.mode: the smallest of the most common values, and how often it is there."""
    only("mode", "nan_policy", nan_policy, "propagate")
    a = array(a)
    rows, back = as_rows(a, axis)
    ordered = np.sort(rows, axis=-1)
    _, first, last = runs(ordered)
    counts = last - first + 1
    best = np.expand_dims(np.argmax(counts, axis=-1), -1)
    value, number = (np.take_along_axis(v, best, axis=-1)[..., 0] for v in (ordered, counts))
    return ModeResult(back(value, keepdims), back(number, keepdims))


# correlations ------------------------------------------------------------------------------------------
def significance(r, n, alternative):
    """The probability that the correlation of n unrelated pairs is as far out as r, by its distribution, a symmetric beta distribution."""
    only("the test", "alternative", alternative, *ALTERNATIVES)
    shape = n / 2 - 1
    if alternative == "two-sided":
        return 2.0 * sp.betainc(shape, shape, (1.0 - np.abs(r)) / 2.0)
    return sp.betainc(shape, shape, (1.0 + r if alternative == "less" else 1.0 - r) / 2.0)


def correlation(x, y):
    """Pearson's correlation of rows; nan for constant ones."""
    xm, ym = x - np.mean(x, axis=-1, keepdims=True), y - np.mean(y, axis=-1, keepdims=True)
    constant = np.all(x == x[..., :1], axis=-1) | np.all(y == y[..., :1], axis=-1)
    size = np.sqrt(np.where(constant, 1.0, np.sum(xm ** 2, axis=-1))) * np.sqrt(np.where(constant, 1.0, np.sum(ym ** 2, axis=-1)))
    return np.where(constant, math.nan, np.clip(np.sum(xm * ym, axis=-1) / size, -1.0, 1.0))


def paired(name, x, y, axis):
    """Both samples in floats, as rows."""
    x, y = floating(array(x)), floating(array(y))
    if axis is None:
        x, y, axis = np.ravel(x), np.ravel(y), -1
    ndim = max(np.ndim(x), np.ndim(y))
    x, y = (np.moveaxis(np.reshape(v, (1,) * (ndim - np.ndim(v)) + np.shape(v)), axis, -1) for v in (x, y))
    if np.shape(x)[-1] != np.shape(y)[-1] or np.shape(x)[-1] < 2:
        raise ShapeError(f"{name}: samples of {np.shape(x)[-1]} and {np.shape(y)[-1]} elements", "Give samples of one size, of two elements or more.")
    return x, y


@function(stats.pearsonr)
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    """scipy.stats.pearsonr without permutations: (statistic, pvalue)."""
    only("pearsonr", "method", method, None)
    x, y = paired("pearsonr", x, y, axis)
    n = np.shape(x)[-1]
    r = correlation(x, y)
    if n == 2:
        r = np.round(r)
        return PearsonRResult(r, np.where(np.isnan(r), math.nan, 1.0))
    return PearsonRResult(r, significance(r, n, alternative))


@function(stats.spearmanr)
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """scipy.stats.spearmanr of two samples."""
    only("spearmanr", "nan_policy", nan_policy, "propagate")
    if b is None and np.ndim(a) == 2 and np.shape(a)[1 - axis] == 2:
        a, b = np.moveaxis(array(a), 1 - axis, 0)
    if b is None or (axis is not None and (np.ndim(a), np.ndim(b)) != (1, 1)):
        raise TransformError("spearmanr of more than two samples is not known to transformer", "Call it for each pair.")
    x, y = paired("spearmanr", a, b, None)
    r = correlation(rankdata(x), rankdata(y))
    return SignificanceResult(r, significance(r, np.shape(x)[-1], alternative))


@function(stats.linregress)
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """scipy.stats.linregress; nan where all x are the same."""
    only("linregress", "nan_policy", nan_policy, "propagate")
    only("linregress", "keepdims", keepdims, False)
    x, y = paired("linregress", x, y, axis)
    n = np.shape(x)[-1]
    xmean, ymean = np.mean(x, axis=-1), np.mean(y, axis=-1)
    xm, ym = x - xmean[..., None], y - ymean[..., None]
    xx, xy, yy = np.mean(xm * xm, axis=-1), np.mean(xm * ym, axis=-1), np.mean(ym * ym, axis=-1)
    slope, level = xy / xx, (xx == 0) | (yy == 0)
    size = np.where(level, 1.0, xx * yy)
    r = np.where(level, np.where(xy == 0, math.nan, 0.0), np.clip(xy / np.sqrt(size), -1.0, 1.0))
    if n == 2:
        pvalue, error, offset_error = np.where(y[..., 0] == y[..., 1], 1.0, 0.0), np.zeros_like(r), np.zeros_like(r)
    else:
        pvalue = significance(r, n, alternative)
        error = np.sqrt((1 - r ** 2) * yy / xx / (n - 2))
        offset_error = error * np.sqrt(xx + xmean ** 2)
    found = LinregressResult(slope, ymean - slope * xmean, r, pvalue, error)
    found.intercept_stderr = offset_error
    return found


__all__ = ["correlation", "rankdata"]
