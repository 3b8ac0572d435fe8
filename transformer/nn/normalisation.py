"""Functions of whole arrays: softmax and its kin, one-hot coding, standardisation, attention."""

import math

import numpy as np
import scipy.special

from ..config import x64
from ..errors import ShapeError, TransformError
from ..frontend import promotion
from ..frontend.reference import is_reference
from ..ops.barriers import stop_gradient
from ..ops.op import FUNCTIONS, aval_of
from .activations import by_jnp_rules


def inexact(x):
    """An array of floats."""
    if aval_of(x).dtype.kind in "fc" or aval_of(x).dtype.name == "bfloat16":
        return x
    return np.astype(x, promotion.default("f")) if is_reference(x) else np.asarray(x, promotion.default("f"))


@by_jnp_rules
def softmax(x, axis=-1, where=None, initial=None):
    """exp(x) over its sum along axes.

    where: a mask; what it leaves out is 0 and does not count.

    >>> softmax(np.array([0.0, 0.0]))
    Array([0.5, 0.5], dtype=float32)
    """
    x = inexact(x)
    if where is None:
        return FUNCTIONS[scipy.special.softmax](x, axis=axis)
    terms = np.exp(masked(x, where) - finite_max(masked(x, where), axis))
    return np.where(where, terms / np.sum(terms, axis=axis, keepdims=True), 0.0)


@by_jnp_rules
def log_softmax(x, axis=-1, where=None):
    """Logarithm of softmax, without its overflow.

    >>> log_softmax(np.array([1000.0, 1000.0]))
    Array([-0.6931472, -0.6931472], dtype=float32)
    """
    x = inexact(x)
    if where is None:
        return FUNCTIONS[scipy.special.log_softmax](x, axis=axis)
    shifted = masked(x, where) - finite_max(masked(x, where), axis)
    return np.where(where, shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)), -np.inf)


def masked(x, where):
    return np.where(where, x, -np.inf)


def finite_max(x, axis):
    """The largest element along axes, 0 where it is infinite; no derivative goes through it."""
    top = stop_gradient(np.max(x, axis=axis, keepdims=True))
    return np.where(np.isfinite(top), top, 0.0)


@by_jnp_rules
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """Logarithm of the sum of b * exp(a) along axes.

    b: weights, 1 if left out. return_sign: the pair (logarithm of the modulus, sign). where: a mask of what counts.

    >>> logsumexp(np.array([0.0, 0.0]))
    Array(0.6931472, dtype=float32)
    """
    a = inexact(a)
    if where is not None:
        a = masked(a, where)
    if b is None and not return_sign:
        return FUNCTIONS[scipy.special.logsumexp](a, axis=axis, keepdims=keepdims)
    weight = 1.0 if b is None else b
    a = a if b is None else np.where(np.equal(b, 0), -np.inf, a)
    top = finite_max(a, axis)
    total = np.sum(weight * np.exp(a - top), axis=axis, keepdims=keepdims)
    top = top if keepdims else np.squeeze(top, axis=axis)
    if not return_sign:
        return np.log(np.where(total < 0, np.nan, total)) + top
    return np.log(np.abs(total)) + top, np.sign(total)


@by_jnp_rules
def logmeanexp(x, axis=None, where=None, keepdims=False):
    """Logarithm of the mean of exp(x) along axes."""
    counted = np.ones(np.shape(x)) if where is None else np.broadcast_to(where, np.shape(x))
    total = logsumexp.plain(x, axis=axis, keepdims=keepdims, where=where)
    return total - np.log(np.sum(counted, axis=axis, keepdims=keepdims, dtype=promotion.default("f")))


@by_jnp_rules
def one_hot(x, num_classes, *, dtype=None, axis=-1):
    """Arrays with a 1 at the given numbers, 0 elsewhere and everywhere for a number that is no class.

    x: array of integers. axis: where the axis of length num_classes is put.

    >>> one_hot(np.array([1, 3]), 3)
    Array([[0., 1., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    dtype = promotion.default("f") if dtype is None else promotion.narrow(np.dtype(dtype))
    ndim = np.ndim(x)
    if not -ndim - 1 <= axis <= ndim:
        raise ShapeError(f"nn.one_hot: there is no place {axis} for an axis among {ndim}", "Choose another axis.")
    axis %= ndim + 1
    classes = np.reshape(np.arange(num_classes, dtype=promotion.default("i")), (num_classes, *(1,) * (ndim - axis)))
    return np.astype(np.expand_dims(x, axis) == classes, dtype)


@by_jnp_rules
def standardize(x, axis=-1, mean=None, variance=None, epsilon=1e-5, where=None):
    """(x - mean) / sqrt(variance + epsilon) along axes.

    mean, variance: those of x if left out. where: a mask of what counts for them.
    """
    x = inexact(x)
    chosen = {} if where is None else {"where": where}
    if mean is None:
        mean = np.mean(x, axis=axis, keepdims=True, **chosen)
    if variance is None:
        variance = np.mean(np.square(x), axis=axis, keepdims=True, **chosen) - np.square(mean)
    return (x - mean) / np.sqrt(variance + epsilon)


@by_jnp_rules
def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, query_seq_lengths=None,
                          key_value_seq_lengths=None, local_window_size=None, implementation=None):
    """softmax(query @ key.T * scale + bias) @ value for each head.

    query: (batch, length, heads, size), or without batch. key, value: the same with another length; their heads may be fewer (groups of
    query heads share one). bias, mask: broadcast to (batch, heads, length, key length); mask is True where a key may be seen.
    is_causal: a query sees no later key. scale: 1 / sqrt(size) if left out.
    """
    if query_seq_lengths is not None or key_value_seq_lengths is not None or local_window_size is not None:
        raise TransformError("dot_product_attention with sequence lengths or a window is not known", "Give a mask.")
    single = np.ndim(query) == 3
    if single:
        query, key, value = (np.expand_dims(v, 0) for v in (query, key, value))
    heads, groups = np.shape(query)[2], np.shape(key)[2]
    if heads % groups:
        raise ShapeError(f"dot_product_attention: {heads} heads of queries cannot share {groups} heads of keys", "Make one a multiple of the other.")
    if heads != groups:
        key, value = (np.repeat(v, heads // groups, axis=2) for v in (key, value))
    scale = 1 / math.sqrt(np.shape(query)[-1]) if scale is None else scale
    scores = np.einsum("btnh,bsnh->bnts", query, key) * scale
    if bias is not None:
        scores = scores + bias
    scores = hidden(scores, mask, is_causal)
    found = np.einsum("bnts,bsnh->btnh", FUNCTIONS[scipy.special.softmax](scores, axis=-1), value)
    return np.squeeze(found, 0) if single else found


def hidden(scores, mask, is_causal):
    """Scores with a very low number where a key may not be seen."""
    if is_causal:
        earlier = np.tri(*np.shape(scores)[-2:], dtype=bool)
        mask = earlier if mask is None else np.logical_and(mask, earlier)
    if mask is None:
        return scores
    return np.where(mask, scores, -0.7 * float(np.finfo(np.float64 if x64() else np.float32).max))


__all__ = ["dot_product_attention", "log_softmax", "logmeanexp", "logsumexp", "one_hot", "softmax", "standardize"]
