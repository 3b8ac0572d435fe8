"""What the samplers by rejection need besides their loops: parameters as arrays, a key for each number."""

import math

import numpy as np

from .. import eager
from ..frontend import promotion
from ..ops.barriers import optimization_barrier
from ..ops.op import FUNCTIONS, aval_of
from .keys import split_words, words
from .samplers import float_type, gaussian, own_type, parameter, result_shape, safe_parameter, type_of, unit, yielding

EPS = 1e-7
TINY = float(np.finfo(np.float32).tiny)


def normal_words(key, like):
    """A normal number of the dtype of another one."""
    return gaussian(key, (), dtype_of(like))


def uniform_words(key, like):
    """A uniform number of the dtype of another one."""
    return unit(key, (), dtype_of(like))


def number(value, like):
    """A Python float as a factor of another number: NumPy computes bfloat16 with Python floats in single precision, JAX does not."""
    dtype = dtype_of(like)
    return dtype.type(value) if dtype.name == "bfloat16" else value


def dtype_of(value):
    return aval_of(value).dtype if not hasattr(value, "dtype") else value.dtype


def plain(function, *args, **kwargs):
    """Call a function of NumPy code by JAX's rules of types; the result has the type of its arguments."""
    return eager.call(function, args, kwargs)


def typed(function, value, dtype):
    """The same for a function of a value and the type of its result."""
    return eager.call(function, (value, dtype), {}, typed=True)


def parameters(name, shape, dtype, *values):
    """(the parameters in the dtype of the draw, its shape, its dtype); TypeMismatch if they would be rounded to it."""
    dtype = type_of(dtype, "f", name)
    return [eager.call(safe_parameter, (v, dtype, name), {}, typed=True, kept=True) for v in values], result_shape(shape, name, *values), dtype


def promoting(name, shape, dtype, value):
    """(a parameter whose own type counts in the promotion, the shape of the draw, its dtype)."""
    dtype, shape = type_of(dtype, "f", name), result_shape(shape, name, value)
    if type(value) in (int, float):
        return yielding(value, dtype), shape, dtype
    return (value if own_type(value).weak else typed(parameter, value, float_type(own_type(value)))), shape, dtype


def vectors(name, shape, dtype, *values):
    """The same for parameters whose last axis is that of the vectors drawn."""
    dtype = type_of(dtype, "f", name)
    last = np.shape(values[0])[-1:]
    whole = None if shape is None else (*shape, *last)
    return [typed(parameter, v, dtype) for v in values], result_shape(whole, name, *values), dtype


def each(key, a, shape, dtype, name):
    """(a key for each number, its parameter, the shape of all)."""
    dtype = type_of(dtype, "f", name)
    a, shape = typed(parameter, a, dtype), result_shape(shape, name, a)
    size = math.prod(shape)
    keys = plain(split_words, words(key, f"random.{name}"), shape=(size,))
    return keys, unfolded(reshaped(plain(np.broadcast_to, a, shape), (size,))), shape


def unfolded(value):
    """The value, of which XLA does not see that its elements are all one number."""
    return optimization_barrier.bind(value)


def reshaped(value, shape):
    return plain(np.reshape, value, shape)


def cast(value, dtype):
    return typed(np.astype, value, dtype)


def rate(lam, shape, dtype):
    """The mean of Poisson numbers as an array of the shape of the draw."""
    dtype = type_of(dtype, "iuf", "poisson") if dtype is not None else promotion.default("i")
    shape = result_shape(shape, "poisson", lam)
    return plain(np.broadcast_to, typed(parameter, lam, np.dtype(np.float32)), shape), shape, dtype


def trials(n, p, shape, dtype):
    """(count, probability, shape, dtype) of binomial numbers."""
    dtype, kind = type_of(dtype, "f", "binomial"), float_type(own_type(p))
    shape = result_shape(shape, "binomial", n, p)
    return *(plain(np.broadcast_to, typed(parameter, v, kind), shape) for v in (n, p)), shape, dtype


def categories(n, p, shape, dtype):
    """(number of draws, number of categories, for each the share of what its predecessors left, dtype)."""
    kind = float_type(own_type(p))
    dtype = kind if dtype is None else type_of(dtype, "fiu", "multinomial")
    shape = tuple(np.shape(p)) if shape is None else tuple(shape)

    def ratios(p):
        p = np.moveaxis(np.broadcast_to(p, shape), -1, 0)
        left = np.cumsum(p[::-1], axis=0)[::-1]
        return p / np.where(left == 0, 1, left)
    count = plain(np.broadcast_to, typed(parameter, n, kind), shape[:-1])
    return count, shape[-1], plain(ratios, typed(parameter, p, kind)), dtype


def looked_up(table, index):
    """Entries of a static table at whole numbers."""
    return plain(FUNCTIONS[np.take], table.astype(dtype_of(index)), typed(np.astype, plain(np.floor, index), np.int32))


__all__ = ["EPS", "TINY", "cast", "categories", "each", "parameters", "promoting", "rate", "reshaped", "trials", "vectors"]
