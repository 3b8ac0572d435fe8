"""scipy.spatial.distance: distances of vectors, of rows, and of all pairs of rows. The derivative of a norm at 0 is 0."""

import math

import numpy as np
import scipy.spatial.distance as sd

from ...errors import ShapeError, TransformError
from ..elementwise import root
from ..op import array, function, is_reference
from .options import floating, only


# of rows -----------------------------------------------------------------------------------------------
def total(terms, w=None):
    return np.sum(terms if w is None else w * terms, axis=-1)


def rows_sqeuclidean(u, v, w=None):
    return total((u - v) ** 2, w)


def rows_euclidean(u, v, w=None):
    return root(rows_sqeuclidean(u, v, w))


def rows_seuclidean(u, v, V):
    return root(total((u - v) ** 2 / V))


def rows_cityblock(u, v, w=None):
    return total(np.abs(u - v), w)


def rows_chebyshev(u, v, w=None):
    gaps = np.abs(u - v)
    return np.max(gaps if w is None else (w > 0) * gaps, axis=-1)


def rows_minkowski(u, v, p=2, w=None):
    if not is_reference(p):
        if p <= 0:
            raise TransformError(f"minkowski of order {p}", "Give an order above 0.")
        if p in (1, 2):
            return (rows_cityblock if p == 1 else rows_euclidean)(u, v, w)
        if p == math.inf:
            return rows_chebyshev(u, v, w)
    powers = total(np.abs(u - v) ** p, w)
    return np.where(powers == 0, 0.0, np.where(powers == 0, 1.0, powers) ** (1.0 / p))


def rows_correlation(u, v, w=None, centered=True):
    if w is not None:
        w = w / np.sum(w)
    if centered:
        u, v = (x - (np.mean(x, axis=-1, keepdims=True) if w is None else np.expand_dims(total(x, w), -1)) for x in (u, v))
    return np.clip(1.0 - total(u * v, w) / np.sqrt(total(u * u, w) * total(v * v, w)), 0.0, 2.0)


def rows_cosine(u, v, w=None):
    return rows_correlation(u, v, w, False)


def rows_mahalanobis(u, v, VI):
    gap = u - v
    return root(np.sum((gap @ VI) * gap, axis=-1))


def rows_canberra(u, v, w=None):
    size = np.abs(u) + np.abs(v)
    return total(np.where(size == 0, 0.0, np.abs(u - v) / np.where(size == 0, 1.0, size)), w)


def rows_braycurtis(u, v, w=None):
    return total(np.abs(u - v), w) / total(np.abs(u + v), w)


ROWS = {"sqeuclidean": rows_sqeuclidean, "euclidean": rows_euclidean, "seuclidean": rows_seuclidean, "cityblock": rows_cityblock,
        "chebyshev": rows_chebyshev, "minkowski": rows_minkowski, "correlation": rows_correlation, "cosine": rows_cosine,
        "mahalanobis": rows_mahalanobis, "canberra": rows_canberra, "braycurtis": rows_braycurtis}
OPTIONS = {"seuclidean": {"V"}, "minkowski": {"p", "w"}, "correlation": {"w", "centered"}, "mahalanobis": {"VI"}}
ALIASES = {"e": "euclidean", "eu": "euclidean", "euclid": "euclidean", "sqe": "sqeuclidean", "sqeuclid": "sqeuclidean", "c": "cityblock",
           "cb": "cityblock", "cblock": "cityblock", "ch": "chebyshev", "cheb": "chebyshev", "cheby": "chebyshev", "chebychev": "chebyshev",
           "co": "correlation", "cos": "cosine", "m": "minkowski", "mi": "minkowski", "pnorm": "minkowski", "mah": "mahalanobis",
           "mahal": "mahalanobis", "s": "seuclidean", "se": "seuclidean"}


# of two vectors ------------------------------------------------------------------------------------------
def vectors(name, u, v):
    u, v = floating(array(u)), floating(array(v))
    if np.ndim(u) != 1 or np.shape(u) != np.shape(v):
        raise ShapeError(f"{name}: arrays of shapes {np.shape(u)} and {np.shape(v)}", "Give two vectors of one length.")
    return u, v


def distance(name):
    """The function of two vectors."""
    def of_vectors(u, v, *args, **kwargs):
        args, kwargs = [array(a) for a in args], {k: array(a) for k, a in kwargs.items()}
        return ROWS[name](*vectors(name, u, v), *args, **kwargs)
    of_vectors.__name__, of_vectors.__doc__ = name, f"scipy.spatial.distance.{name}."
    return of_vectors


for _name in ROWS:
    function(getattr(sd, _name))(distance(_name))


# of many rows ----------------------------------------------------------------------------------------------
def metric_of(name, metric, data, options):
    """(the function of rows, its options); what follows from the data is filled in."""
    if not isinstance(metric, str):
        metric = getattr(metric, "__name__", "") if getattr(sd, getattr(metric, "__name__", ""), None) is metric else "of a function"
    metric = ALIASES.get(metric.lower(), metric.lower())
    only(name, "metric", metric, *ROWS)
    unknown = sorted(set(options) - OPTIONS.get(metric, {"w"}))
    if unknown:
        raise TransformError(f"{name}({unknown[0]}=...) with the metric {metric} is not known to transformer", "Leave it out.")
    options = {k: array(v) for k, v in options.items() if v is not None}
    if metric == "seuclidean":
        options.setdefault("V", np.var(data, axis=0, ddof=1))
    if metric == "mahalanobis" and "VI" not in options:
        options["VI"] = np.linalg.inv(np.atleast_2d(np.cov(data.T))).T
    return ROWS[metric], options


def matrix(name, x):
    x = floating(array(x))
    if np.ndim(x) != 2:
        raise ShapeError(f"{name}: an array of shape {np.shape(x)}", "Give a matrix with a point in each row.")
    return x


@function(sd.cdist)
def cdist(XA, XB, metric="euclidean", *, out=None, **kwargs):
    """scipy.spatial.distance.cdist."""
    a, b = matrix("cdist", XA), matrix("cdist", XB)
    if np.shape(a)[1] != np.shape(b)[1]:
        raise ShapeError(f"cdist: points of {np.shape(a)[1]} and of {np.shape(b)[1]} coordinates", "Give points of one space.")
    rows, options = metric_of("cdist", metric, np.concatenate([a, b]), kwargs)
    return stored(rows(a[:, None, :], b[None, :, :], **options), out)


@function(sd.pdist)
def pdist(X, metric="euclidean", *, out=None, **kwargs):
    """scipy.spatial.distance.pdist."""
    x = matrix("pdist", X)
    first, second = np.triu_indices(np.shape(x)[0], 1)
    rows, options = metric_of("pdist", metric, x, kwargs)
    return stored(rows(x[first], x[second], **options), out)


def stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


__all__ = ["cdist", "pdist"]
