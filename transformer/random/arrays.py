"""Samplers of arrangements and vectors: permutations, choices, categories, normal vectors, orthogonal matrices."""

import math

import numpy as np

from ..config import x64
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend import promotion
from ..ops.op import FUNCTIONS, aval_of, broadcast
from .calling import host_sampler, sampler
from .keys import as_shape, split_words
from .samplers import drawn_bits, float_type, gaussian, gumbels, integers, own_type, parameter, type_of, unit


def axis_of(axis, ndim, function):
    if not -ndim <= axis < ndim:
        raise ShapeError(f"random.{function}: there is no axis {axis} of an array of {ndim} axes", "Choose another axis.")
    return axis % ndim


def taken(x, index, axis):
    """np.take, also of a static array at abstract indices."""
    return FUNCTIONS[np.take](x, index, axis=axis)


def shuffled(key, x, axis):
    """x in random order along an axis: sorted by random numbers, often enough that ties do not matter."""
    rounds = math.ceil(3 * math.log(max(1, x.size)) / math.log(0xFFFFFFFF))
    for _ in range(rounds):
        keys = split_words(key)
        key, order = keys[0], np.argsort(drawn_bits(keys[1], tuple(x.shape), np.uint32), axis=axis, kind="stable")
        x = taken(x, order, 0) if x.ndim == 1 else np.take_along_axis(x, order, axis=axis)
    return x


def permuted(key, x, axis=0, independent=False):
    """The rows (along an axis) of x, or the numbers below the int x, in random order."""
    if not np.ndim(x):
        if aval_of(x).dtype.kind not in "iu":
            raise TypeMismatch("random.permutation needs an integer or an array of at least one axis", "Pass one of them.")
        return shuffled(key, np.arange(int(x), dtype=promotion.default("i")), 0)
    axis = axis_of(axis, np.ndim(x), "permutation")
    if independent or np.ndim(x) == 1:
        return shuffled(key, x, axis)
    return taken(x, shuffled(key, np.arange(np.shape(x)[axis], dtype=promotion.default("i")), 0), axis)


@host_sampler
def permutation(key, x, axis=0, independent=False):
    """A random order of the numbers below x, or of the rows of an array.

    x: an int, or an array. axis: along which it is shuffled. independent: each row along the axis by itself.

    >>> from transformer import random
    >>> random.permutation(random.key(42), 5)
    Array([4, 2, 3, 0, 1], dtype=int32)
    """
    return permuted(key, x, axis, independent)


@sampler(fixed=("a",))
def choice(key, a, shape=(), replace=True, p=None, axis=0, mode=None):
    """Random elements of an array (rows along an axis), or of the numbers below the int a.

    shape: of the draws. replace: whether one may come twice. p: their probabilities, one per element.

    >>> from transformer import random
    >>> random.choice(random.key(42), 10, (3,), replace=False)
    Array([7, 4, 2], dtype=int32)
    """
    shape = as_shape(shape, "random.choice")
    whole = not np.ndim(a)
    axis = 0 if whole else axis_of(axis, np.ndim(a), "choice")
    count, draws = int(a) if whole else np.shape(a)[axis], math.prod(shape)
    check_choice(count, draws, replace, p)
    if draws == 0:
        return np.zeros(shape, promotion.narrow(aval_of(a).dtype))
    if p is None and not replace:
        result = permuted(key, count if whole else a, axis)[(slice(None),) * axis + (slice(draws),)]
    else:
        index = chosen(key, count, shape, draws, replace, p, mode)
        result = index if whole else taken(a, index, axis)
    full = shape if whole else (*np.shape(a)[:axis], *shape, *np.shape(a)[axis + 1:])
    return np.reshape(result, full)


def check_choice(count, draws, replace, p):
    if draws and count <= 0:
        raise TransformError("random.choice: there is nothing to choose from", "Pass a positive number or a longer array.")
    if not replace and draws > count:
        raise TransformError(f"random.choice: {draws} of {count} elements cannot be drawn without replacement", "Draw fewer, or with replacement.")
    if p is not None and tuple(np.shape(p)) != (count,):
        raise ShapeError(f"random.choice: p has shape {np.shape(p)} for {count} elements", "Give one probability per element.")


def chosen(key, count, shape, draws, replace, p, mode):
    """Indices of elements drawn with replacement, or by their probabilities."""
    whole = promotion.default("i")
    if p is None:
        return np.reshape(integers(key, shape or (1,), 0, count, whole), shape)
    own = aval_of(p)
    kind = promotion.narrow(own.dtype) if own.dtype.kind == "f" and not own.weak else promotion.default("f")
    p = parameter(p, kind)
    if replace:
        sums = np.cumsum(p)
        return np.astype(np.searchsorted(sums, sums[-1] * (1 - unit(key, shape, kind))), whole)
    scores = gumbels(key, (count,), kind, mode) + np.log(p)
    return np.astype(np.argsort(-scores, kind="stable")[:draws], whole)


@sampler
def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None):
    """Indices along an axis, drawn with probabilities softmax(logits).

    logits: array of floats, -inf for impossible. shape: of the result; ends with the shape of the logits without the axis. replace:
    False draws the leading axes of `shape` without replacement.

    >>> from transformer import random
    >>> random.categorical(random.key(42), np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]], "f"))
    Array([2, 0], dtype=int32)
    """
    kind = aval_of(logits).dtype
    kind = promotion.narrow(kind) if kind.kind == "f" else promotion.default("f")
    logits = parameter(logits, kind)
    ndim = np.ndim(logits)
    axis = axis_of(axis, ndim, "categorical")
    count = np.shape(logits)[axis]
    batch = tuple(n for a, n in enumerate(np.shape(logits)) if a != axis)
    shape = batch if shape is None else as_shape(shape, "random.categorical")
    if broadcast(shape, batch) != shape:
        raise ShapeError(f"random.categorical: logits of batch shape {batch} do not fit the shape {shape} of the draw", "It must end with the batch shape.")
    first = shape[: len(shape) - len(batch)]
    if not replace:
        return without_replacement(key, logits, axis, shape, batch, first, mode)
    inner = list(shape[len(first):])
    inner.insert(axis, count)
    noise = gumbels(key, (*first, *inner), kind, mode)
    return np.astype(np.argmax(noise + logits, axis=axis - ndim), promotion.default("i"))


def without_replacement(key, logits, axis, shape, batch, first, mode):
    """The categories of the largest perturbed logits."""
    draws = math.prod(first)
    if draws > np.shape(logits)[axis]:
        raise TransformError(f"random.categorical: {draws} draws of {np.shape(logits)[axis]} categories need replacement", "Draw fewer.")
    scores = np.moveaxis(logits + gumbels(key, np.shape(logits), logits.dtype, mode), axis, -1)
    best = np.argsort(-scores, axis=-1, kind="stable")[..., :draws]
    return np.astype(np.reshape(np.moveaxis(best, -1, 0), shape), promotion.default("i"))


@sampler
def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky"):
    """Normal vectors of the given mean (..., n) and covariance (..., n, n).

    shape: of the result without its last axis. dtype: of the normal numbers, by default that of the parameters; the result has the type
    that both promote to. method: "cholesky", "eigh" or "svd", how the covariance is factored.
    """
    kind = common_float(mean, cov)
    dtype = type_of(kind if dtype is None else dtype, "f", "multivariate_normal")
    if np.ndim(mean) < 1 or np.ndim(cov) < 2 or np.shape(cov)[-2:] != (np.shape(mean)[-1],) * 2:
        raise ShapeError(f"random.multivariate_normal: a mean of shape {np.shape(mean)} and a covariance of shape {np.shape(cov)} do not fit",
                         "They are (..., n) and (..., n, n).")
    if method not in ("cholesky", "eigh", "svd"):
        raise TransformError(f"method={method!r} of multivariate_normal is not known", "Choose 'cholesky', 'eigh' or 'svd'.")
    batch = broadcast(np.shape(mean)[:-1], np.shape(cov)[:-2])
    shape = batch if shape is None else as_shape(shape, "random.multivariate_normal")
    if broadcast(shape, batch) != shape:
        raise ShapeError(f"random.multivariate_normal: parameters of batch shape {batch} do not fit the shape {shape}", "They are broadcast to it.")
    mean, cov = parameter(mean, kind), parameter(cov, kind)
    noise = gaussian(key, (*shape, np.shape(mean)[-1]), dtype)
    result = mean + np.einsum("...ij,...j->...i", square_root(cov, method), noise)
    return np.astype(result, promotion.join((promotion.Type(kind, False), promotion.Type(dtype, False)), x64()).dtype)


def common_float(*values):
    """The float type that values promote to."""
    return float_type(promotion.join(tuple(map(own_type, values)), x64()))


def square_root(cov, method):
    """A factor F with F @ F.T equal to the covariance."""
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
    else:
        vectors, values, _ = np.linalg.svd(cov)
    return vectors * np.sqrt(values[..., None, :])


@sampler(fixed=("n", "m"))
def orthogonal(key, n, shape=(), dtype=None, m=None):
    """Random orthogonal (for complex dtypes: unitary) matrices, uniformly distributed; with m, n by m and semi-orthogonal.

    Source: Mezzadri, How to generate random matrices from the classical compact groups (2007).
    """
    return orthogonals(key, n, n if m is None else m, as_shape(shape, "random.orthogonal"), type_of(dtype, "fc", "orthogonal"))


def orthogonals(key, n, m, shape, dtype):
    q, r = np.linalg.qr(gaussian(key, (*shape, max(n, m), min(n, m)), dtype))
    q = q * np.expand_dims(np.sign(np.diagonal(r, axis1=-2, axis2=-1)), -2)
    return np.swapaxes(q, -1, -2) if n < m else q


__all__ = ["categorical", "choice", "multivariate_normal", "orthogonal", "permutation"]
