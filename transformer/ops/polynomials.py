"""Polynomials as vectors of coefficients, highest power first, and histograms of several variables: composites.

Lengths follow from the shapes alone: where NumPy would cut off leading coefficients that turn out to be zero, they stay.
"""

import operator

import numpy as np

from ..core import is_floating
from ..errors import ShapeError, TransformError
from .op import array, aval_of, function, holds_reference, operands


def _vectors(*values):
    found = [np.atleast_1d(array(v)) for v in values]
    if any(np.ndim(v) > 1 for v in found):
        raise ShapeError("the coefficients of a polynomial are a vector", "Ravel them first.")
    return found


def _aligned(a1, a2):
    """Both vectors with as many coefficients as the longer one."""
    a1, a2 = _vectors(a1, a2)
    length = max(np.shape(a1)[0], np.shape(a2)[0])
    return [a if np.shape(a)[0] == length else np.pad(a, (length - np.shape(a)[0], 0)) for a in (a1, a2)]


@function(np.polyadd)
def polyadd(a1, a2):
    """The sum of two polynomials."""
    a1, a2 = _aligned(a1, a2)
    return a1 + a2


@function(np.polysub)
def polysub(a1, a2):
    """The difference of two polynomials."""
    a1, a2 = _aligned(a1, a2)
    return a1 - a2


@function(np.polymul)
def polymul(a1, a2):
    """The product of two polynomials."""
    return np.convolve(*_vectors(a1, a2))


@function(np.polydiv)
def polydiv(u, v):
    """(quotient, remainder) of two polynomials."""
    u, v = _vectors(u, v)
    m, n = np.shape(u)[0] - 1, np.shape(v)[0] - 1
    if m < n:
        return np.zeros_like(u, shape=(1,)) / v[0], u + 0.0 * v[0]
    quotient, rest = [], u / 1.0
    for k in range(m - n + 1):
        quotient.append(rest[0] / v[0])
        rest = (rest - np.pad(quotient[-1] * v, (0, m - n - k)))[1:]
    return np.stack(quotient), rest if n else np.zeros_like(u, shape=(1,)) / v[0]


@function(np.polyder)
def polyder(p, m=1):
    """The m-th derivative of a polynomial."""
    [p], m = _vectors(p), operator.index(m)
    if m < 0:
        raise TransformError(f"polyder of order {m}", "The order must be positive; use polyint to integrate.")
    for _ in range(m):
        n = np.shape(p)[0] - 1
        p = p[:-1] * np.arange(n, 0, -1)
    return p


@function(np.polyint)
def polyint(p, m=1, k=None):
    """The m-th integral of a polynomial; `k` holds the constants of integration."""
    [p], m = _vectors(p), operator.index(m)
    if m < 0:
        raise TransformError(f"polyint of order {m}", "The order must be positive; use polyder to differentiate.")
    constants = [0.0] * m if k is None else list(_vectors(k)[0])
    constants = constants * m if len(constants) == 1 and m > 1 else constants
    for step in range(m):
        n = np.shape(p)[0]
        p = np.concatenate([p / np.arange(n, 0, -1), np.atleast_1d(array([constants[step]]))])
    return p


@function(np.poly)
def poly(seq_of_zeros):
    """The polynomial with these zeros, or the characteristic polynomial of a square matrix."""
    zeros = np.atleast_1d(array(seq_of_zeros))
    if np.ndim(zeros) == 2 and np.shape(zeros)[0] == np.shape(zeros)[1]:
        zeros = np.linalg.eigvals(zeros)
    if np.ndim(zeros) != 1:
        raise ShapeError(f"poly of an array of shape {np.shape(zeros)}", "Pass a vector of zeros or a square matrix.")
    p = np.ones_like(zeros, shape=(1,), dtype=None if is_floating(aval_of(zeros).dtype) else np.float64)
    for i in range(np.shape(zeros)[0]):
        p = np.concatenate([p, np.zeros_like(p, shape=(1,))]) - np.concatenate([np.zeros_like(p, shape=(1,)), zeros[i] * p])
    return p


@function(np.roots)
def roots(p):
    """The zeros of a polynomial whose first and last coefficients are not zero: eigenvalues of its companion matrix."""
    [p] = _vectors(p)
    if not holds_reference(p):
        return np.roots(p)
    n = np.shape(p)[0] - 1
    if n < 1:
        return np.zeros_like(p, shape=(0,))
    first = -p[1:] / p[0]
    return np.linalg.eigvals(np.concatenate([np.expand_dims(first, 0), np.eye(n - 1, n)]))


@function(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of degree `deg` that fits best in the least-squares sense."""
    x, y = (np.asarray(v) / 1.0 if not is_floating(aval_of(v).dtype) else v for v in operands(x, y))
    order = operator.index(deg) + 1
    rcond = np.shape(x)[0] * np.finfo(aval_of(x).dtype).eps if rcond is None else rcond
    left, right = np.vander(x, order), y
    if w is not None:
        w = array(w)
        left, right = left * np.expand_dims(w, 1), right * (w if np.ndim(y) == 1 else np.expand_dims(w, 1))
    scale = np.sqrt(np.sum(left * left, axis=0))
    found, residuals, rank, singular = np.linalg.lstsq(left / scale, right, rcond)
    found = found / (scale if np.ndim(y) == 1 else np.expand_dims(scale, 1))
    if full:
        return found, residuals, rank, singular, rcond
    if not cov:
        return found
    base = np.linalg.inv(left.T @ left)
    factor = 1.0 if cov == "unscaled" else residuals / (np.shape(x)[0] - order)
    return found, base * factor if np.ndim(y) == 1 else np.expand_dims(base, 2) * factor


# histograms -------------------------------------------------------------------------------------------------------------
@function(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """(counts, list of edges) of points with D coordinates."""
    columns = list(sample) if isinstance(sample, list | tuple) else [sample[:, k] for k in np.arange(np.shape(sample)[1])]
    bins = bins if isinstance(bins, list | tuple) else [bins] * len(columns)
    limits = [None] * len(columns) if range is None else range
    edges = [np.histogram_bin_edges(c, b, r) for c, b, r in zip(columns, bins, limits, strict=True)]
    shape = tuple(np.shape(e)[0] - 1 for e in edges)
    place, inside = 0, True
    for column, edge, n in zip(columns, edges, shape):
        index = np.where(column == edge[-1], n - 1, np.searchsorted(edge, column, side="right") - 1)
        inside = np.logical_and(inside, np.logical_and(index >= 0, index < n))
        place = place * n + np.clip(index, 0, n - 1)
    ones = np.where(inside, 1.0 if weights is None else array(weights), 0)
    counts = np.zeros_like(ones, shape=(int(np.prod(shape)),))
    np.add.at(counts, place, ones)
    counts = np.reshape(counts, shape)
    if density:
        for axis, edge in enumerate(edges):
            counts = counts / np.reshape(np.diff(edge), tuple(-1 if k == axis else 1 for k in np.arange(len(shape))))
        counts = counts / np.sum(ones)
    return counts, edges


@function(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """(counts, edges of x, edges of y)."""
    single = not isinstance(bins, list | tuple) and np.ndim(bins) == 0
    counts, edges = histogramdd([x, y], bins if single else bins if len(bins) == 2 else [bins, bins], range, density, weights)
    return counts, edges[0], edges[1]
