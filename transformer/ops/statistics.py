"""Means, variances, order statistics, covariance: composites with NumPy's own order of operations."""

import math
import operator

import numpy as np

from ..core import is_floating, is_real
from ..errors import NeedStatic, TransformError
from .creation import asarray
from .elementwise import root
from .op import aval_of, function, is_reference, known_shape, lookup
from .reductions import axes_of, dtype_of, normal_axis

FLOAT = np.dtype(np.float64)


def count(a, axis, where=True, keepdims=False):
    """The number of elements that a reduction over `axis` takes."""
    axes = axes_of(axis, np.ndim(a))
    if where is not True:
        return np.sum(np.broadcast_to(where, np.shape(a)), axis=axes, keepdims=keepdims)
    shape = np.shape(a)
    if any(shape[k] is None for k in axes) and len(axes) < len(shape):
        raise NeedStatic(a, "the number of elements along an axis that a mask has selected from")
    if any(shape[k] is None for k in axes):
        return np.size(a)
    return math.prod(shape[k] for k in axes)


def _accumulator(a, dtype):
    """The dtype to add in, and the dtype of the result where it differs."""
    if dtype is not None:
        return np.dtype(dtype), None
    own = aval_of(a).dtype
    if own.kind in "iub":
        return FLOAT, None
    return (np.dtype(np.float32), own) if own == np.float16 else (None, None)


# mean, variance -------------------------------------------------------------------------
@function(np.mean, method="mean", array=True)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """np.mean."""
    wide, narrow = _accumulator(a, dtype)
    total = np.sum(a, axis=axis, dtype=wide, keepdims=keepdims, where=where)
    result = _divided(total, count(a, axis, where, keepdims))
    return result if narrow is None else np.astype(result, narrow)


def _divided(total, n):
    """total / n in the dtype of the total. NumPy divides complex64 in double precision."""
    if aval_of(total).dtype == np.complex64 and type(n) is int:
        n = np.int64(n)
    quotient = total / n
    return quotient if aval_of(quotient).dtype == aval_of(total).dtype else np.astype(quotient, aval_of(total).dtype)


def _squared_deviations(a, axis, wide, where, center):
    if center is None:
        center = _divided(np.sum(a, axis=axis, dtype=wide, keepdims=True, where=where), count(a, axis, where, True))
    deviation = a - center
    if np.iscomplexobj(deviation):
        return np.real(deviation) ** 2 + np.imag(deviation) ** 2
    return deviation ** 2


@function(np.var, method="var", array=True)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """np.var."""
    wide = dtype_of(dtype) or (FLOAT if aval_of(a).dtype.kind in "iub" else None)
    ddof = ddof if correction is None else correction
    squares = _squared_deviations(a, axis, wide, where, mean)
    total = np.sum(squares, axis=axis, dtype=None if np.iscomplexobj(a) else wide, keepdims=keepdims, where=where)
    n = count(a, axis, where, keepdims)
    return _divided(total, np.maximum(n - ddof, 0) if where is not True else max(n - ddof, 0))


@function(np.std, method="std", array=True)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """np.std; its derivative where the variance is 0 is 0."""
    return root(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction))


@function(np.average, array=True)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """np.average."""
    if weights is None:
        result = np.mean(a, axis=axis, keepdims=keepdims)
        total = np.full(np.shape(result), float(count(a, axis))) if returned else None
        return (result, total) if returned else result
    weights = asarray(weights)
    if known_shape(weights) != known_shape(a):
        weights = _weights_along(a, axis, weights)
    integral = aval_of(a).dtype.kind in "iub"
    dtype = np.result_type(aval_of(a).dtype, aval_of(weights).dtype, *([FLOAT] if integral else []))
    total = np.sum(weights, axis=axis, dtype=dtype, keepdims=keepdims)
    result = np.sum(np.multiply(a, weights, dtype=dtype), axis=axis, keepdims=keepdims) / total
    return (result, np.broadcast_to(total, np.shape(result))) if returned else result


def _weights_along(a, axis, weights):
    """Weights of the shape of the averaged axes, laid along them."""
    if axis is None:
        raise TransformError("np.average needs axis= where weights and array differ in shape", "Pass axis=.")
    axes = tuple(normal_axis(k, np.ndim(a)) for k in (axis if isinstance(axis, tuple) else (axis,)))
    if np.shape(weights) != tuple(np.shape(a)[k] for k in axes):
        raise TransformError(f"weights of shape {np.shape(weights)} do not fit the averaged axes of {np.shape(a)}",
                             "Give one weight for each element along them.")
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    shape = tuple(np.shape(a)[k] if k in axes else 1 for k in range(np.ndim(a)))
    return np.reshape(np.transpose(weights, order) if order != sorted(order) else weights, shape)


@function(np.ptp, array=True)
def ptp(a, axis=None, out=None, keepdims=False):
    """np.ptp."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


# nan ignored ----------------------------------------------------------------------------------
def _has_nan(a):
    return is_floating(aval_of(a).dtype)


@function(np.nansum, array=True)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.nansum."""
    a = np.where(np.isnan(a), 0, a) if _has_nan(a) else a
    return np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where, **({} if initial is None else {"initial": initial}))


@function(np.nanprod, array=True)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """np.nanprod."""
    a = np.where(np.isnan(a), 1, a) if _has_nan(a) else a
    return np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where, **({} if initial is None else {"initial": initial}))


def _counted(a, where):
    there = ~np.isnan(a)
    return there if where is True else there & where


@function(np.nanmean, array=True)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """np.nanmean."""
    if not _has_nan(a):
        return mean(a, axis, dtype, None, keepdims, where=where)
    there = _counted(a, where)
    total = np.sum(np.where(there, a, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    return _divided(total, np.sum(there, axis=axis, keepdims=keepdims))


@function(np.nanvar, array=True)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """np.nanvar; nan where there are not more than `ddof` numbers."""
    if not _has_nan(a):
        return var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    ddof = ddof if correction is None else correction
    there = _counted(a, where)
    if mean is None:
        mean = _divided(np.sum(np.where(there, a, 0), axis=axis, dtype=dtype, keepdims=True), np.sum(there, axis=axis, keepdims=True))
    deviation = np.where(there, a - mean, 0)
    squares = np.real(deviation * np.conj(deviation)) if np.iscomplexobj(a) else deviation ** 2
    total = np.sum(squares, axis=axis, dtype=None if np.iscomplexobj(a) else dtype, keepdims=keepdims)
    dof = np.sum(there, axis=axis, keepdims=keepdims) - ddof
    return np.where(dof > 0, _divided(total, np.where(dof > 0, dof, 1)), math.nan)


@function(np.nanstd, array=True)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """np.nanstd; its derivative where the variance is 0 is 0."""
    return root(nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction))


# order statistics -------------------------------------------------------------------------------
def _sorted_last(a, axis):
    """The reduced axes as one last axis, sorted; and the axes."""
    axes = axes_of(axis, np.ndim(a))
    kept = [k for k in range(np.ndim(a)) if k not in axes]
    moved = np.transpose(a, (*kept, *axes)) if (*kept, *axes) != tuple(range(np.ndim(a))) else a
    if len(axes) != 1:
        moved = np.reshape(moved, (*(np.shape(a)[k] for k in kept), -1))
    return np.sort(moved, axis=-1), axes


def _kept_dims(result, a, axes, keepdims, front=0):
    if not keepdims:
        return result
    shape = tuple(1 if k in axes else d for k, d in enumerate(np.shape(a)))
    return np.reshape(result, np.shape(result)[:front] + shape)


def _nan_if_any(result, ordered):
    """nan sorts last: one there makes the result nan."""
    if not is_real(aval_of(ordered).dtype):
        return result
    return np.where(np.isnan(ordered[..., -1]), math.nan, result)


@function(np.median, array=True)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """np.median."""
    ordered, axes = _sorted_last(a, axis)
    n = np.shape(ordered)[-1]
    middle = ordered[..., n // 2: n // 2 + 1] if n % 2 else ordered[..., n // 2 - 1: n // 2 + 1]
    result = np.mean(middle, axis=-1)
    return _kept_dims(_nan_if_any(result, ordered), a, axes, keepdims)


PLOTTING = {"linear": (1, 1), "weibull": (0, 0), "hazen": (0.5, 0.5), "median_unbiased": (1 / 3, 1 / 3),
            "normal_unbiased": (3 / 8, 3 / 8), "interpolated_inverted_cdf": (0, 1)}
"""Quantile methods that interpolate -> (alpha, beta) of Hyndman and Fan."""


def _positions(q, n, method):
    """The position between 0 and n - 1 that a quantile stands at, as (lower index, upper index, weight of the upper)."""
    if method in PLOTTING:
        alpha, beta = PLOTTING[method]
        virtual = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        low = np.floor(virtual)
        weight = virtual - low
    else:
        low, weight = _steps(q, n, method)
    low_index = np.clip(np.astype(low, int), 0, n - 1)
    high_index = np.clip(np.astype(low, int) + 1, 0, n - 1)
    return low_index, high_index, np.clip(weight, 0, 1) if method in PLOTTING and method != "linear" else weight


def _steps(q, n, method):
    """Methods that take an element or the middle of two."""
    if method in ("lower", "higher", "nearest", "midpoint"):
        virtual = (n - 1) * q
        low = np.floor(virtual)
        if method == "midpoint":
            return low, np.where(virtual == low, 0.0, 0.5)
        rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[method](virtual)
        return rounded, np.zeros_like(virtual)
    if method == "closest_observation":
        virtual = n * q - 1 - 0.5
        low, tie = np.floor(virtual), (virtual == np.floor(virtual)) & (np.floor(virtual) % 2 == 1)
        return np.where(tie, low, low + 1), np.zeros_like(virtual)
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        virtual = n * q - 1
        low = np.floor(virtual)
        at = 0.0 if method == "inverted_cdf" else 0.5
        return low, np.where(virtual == low, at, 1.0)
    raise TransformError(f"np.quantile has no method {method!r}", "Use one of NumPy's methods, such as linear.")


@function(np.quantile, array=True)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """np.quantile without weights."""
    if weights is not None:
        raise TransformError("np.quantile with weights is not known to transformer", "Leave weights out.")
    method = interpolation or method
    q = asarray(q, dtype=float) if not is_reference(q) else q
    ordered, axes = _sorted_last(a, axis)
    ordered = np.astype(ordered, float) if aval_of(ordered).dtype.kind in "iub" else ordered
    low, high, weight = _positions(q, np.shape(ordered)[-1], method)
    below, above = np.take(ordered, low, axis=-1), np.take(ordered, high, axis=-1)
    weight = np.astype(weight, aval_of(ordered).dtype) if np.ndim(q) else weight
    result = _between(below, above, weight if is_reference(weight) or np.ndim(q) else float(weight), method)
    if is_real(aval_of(ordered).dtype):
        bad = np.isnan(ordered[..., -1])
        result = np.where(np.reshape(bad, (*np.shape(bad), *(1,) * np.ndim(q))), math.nan, result)
    if np.ndim(q):
        kept = np.ndim(ordered) - 1
        result = np.transpose(result, (*range(kept, np.ndim(result)), *range(kept))) if kept else result
    return _kept_dims(result, a, axes, keepdims, np.ndim(q))


def _between(below, above, t, method):
    """below + t * (above - below), from the nearer end."""
    if not is_reference(t) and not np.ndim(t):
        if t == 0:
            return below
        return below + (above - below) * t if t < 0.5 else above - (above - below) * (1 - t)
    gap = above - below
    return np.where(t >= 0.5, above - gap * (1 - t), below + gap * t)


@function(np.percentile, array=True)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """np.percentile without weights."""
    q = (asarray(q) if isinstance(q, list | tuple) else q) / 100
    return quantile(a, q, axis, None, False, method, keepdims, weights=weights, interpolation=interpolation)


def _numbers_last(a, axis):
    """As `_sorted_last`, with the count of numbers (nan apart) in each row; nan sorts last."""
    ordered, axes = _sorted_last(a, axis)
    return ordered, axes, np.sum(~np.isnan(ordered), axis=-1, keepdims=True)


def _pick(ordered, position):
    return np.take_along_axis(ordered, np.maximum(position, 0), axis=-1)


@function(np.nanmedian, array=True)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """np.nanmedian."""
    if not _has_nan(a):
        return median(a, axis, None, False, keepdims)
    ordered, axes, n = _numbers_last(a, axis)
    middle = _divided(_pick(ordered, (n - 1) // 2) + _pick(ordered, n // 2), 2)
    return _kept_dims(middle[..., 0], a, axes, keepdims)


@function(np.nanquantile, array=True)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """np.nanquantile without weights."""
    if weights is not None:
        raise TransformError("np.nanquantile with weights is not known to transformer", "Leave weights out.")
    method = interpolation or method
    if not _has_nan(a):
        return quantile(a, q, axis, None, False, method, keepdims)
    q = asarray(q)
    if np.ndim(q):
        rows = [nanquantile(a, q[k], axis, None, False, method, keepdims) for k in range(np.shape(q)[0])]
        return np.stack(rows)
    ordered, axes, n = _numbers_last(a, axis)
    if method in PLOTTING or is_reference(q):
        low, high, weight = _positions(q, n, method)
    else:  # steps: where compiled code rounds otherwise, it would take another element
        low, high, weight = (lookup(np.take)(table, n) for table in _positions(q, np.arange(np.shape(ordered)[-1] + 1), method))
    t = np.astype(weight, aval_of(ordered).dtype)
    return _kept_dims(_between(_pick(ordered, low), _pick(ordered, high), t, method)[..., 0], a, axes, keepdims)


@function(np.nanpercentile, array=True)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """np.nanpercentile without weights."""
    q = (asarray(q) if isinstance(q, list | tuple) else q) / 100
    return nanquantile(a, q, axis, None, False, method, keepdims, weights=weights, interpolation=interpolation)


# covariance ---------------------------------------------------------------------------------------
@function(np.cov, array=True)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """np.cov."""
    if np.ndim(m) > 2:
        raise TransformError("np.cov takes arrays of one or two axes", "Reshape it first.")
    dtype = dtype_of(dtype) or np.result_type(aval_of(m).dtype, FLOAT, *([] if y is None else [aval_of(asarray(y)).dtype]))
    x = _rows(m, rowvar, dtype)
    if y is not None:
        x = np.concatenate([x, _rows(asarray(y), rowvar, dtype)], axis=0)
    ddof = (0 if bias else 1) if ddof is None else operator.index(ddof)
    weights = _covariance_weights(fweights, aweights)
    center, total = (np.mean(x, axis=1), np.shape(x)[1]) if weights is None else average(x, 1, weights, True)
    factor = total - ddof
    if weights is not None:
        total = total[0]
        spent = 0 if ddof == 0 else ddof if aweights is None else ddof * np.sum(weights * aweights) / total
        factor = total - spent
    x = x - np.reshape(center, (-1, 1))
    other = x if weights is None else x * weights
    return np.squeeze(np.dot(x, np.conj(np.transpose(other))) * (1 / factor))


def _rows(m, rowvar, dtype):
    m = np.astype(m, dtype) if aval_of(m).dtype != dtype else m
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar or np.shape(m)[0] == 1 else np.transpose(m)


def _covariance_weights(fweights, aweights):
    given = [np.astype(asarray(w), float) for w in (fweights, aweights) if w is not None]
    return None if not given else given[0] if len(given) == 1 else given[0] * given[1]


@function(np.corrcoef, array=True)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """np.corrcoef."""
    c = cov(x, y, rowvar, dtype=dtype)
    if np.ndim(c) == 0:
        return c / c
    deviation = np.sqrt(np.real(np.diagonal(c)))
    c = c / np.reshape(deviation, (-1, 1)) / np.reshape(deviation, (1, -1))
    if np.iscomplexobj(c):
        return np.clip(np.real(c), -1, 1) + 1j * np.clip(np.imag(c), -1, 1)
    return np.clip(c, -1, 1)


__all__ = ["count"]
