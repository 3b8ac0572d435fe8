"""Samplers of bits, uniform numbers and what is a formula of them.

Each is plain NumPy code on a key's words: on arrays it runs, on references of a function that is being transformed it becomes part
of the program. Sources of the methods: inverse distribution functions; Gumbel-max (Gumbel 1954) for categories.
"""

import functools
import math

import numpy as np

from .. import eager
from ..config import x64
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend import promotion
from ..frontend.reference import is_reference
from ..ops.barriers import stop_gradient
from ..ops.op import TABLE, aval_of, broadcast
from .calling import host_sampler, sampler
from .keys import as_shape, split_words

KINDS = {"f": "floating-point", "i": "integer", "u": "unsigned integer", "c": "floating-point"}


# types and shapes -----------------------------------------------------------------------------------------------------------
def type_of(dtype, kind, function):
    """A dtype that a user names, or the default one of a kind; TypeMismatch if it is of none of the kinds in `kind`."""
    if dtype is None:
        return promotion.default(kind[0])
    if isinstance(dtype, str) and dtype == "bfloat16":
        import ml_dtypes
        dtype = ml_dtypes.bfloat16
    found = eager.array_dtype(dtype)
    own = "f" if found.name == "bfloat16" else found.kind
    if own not in kind:
        raise TypeMismatch(f"random.{function} draws {KINDS[kind[0]]} numbers, not {found}", "Choose another dtype.")
    return found


def limits(dtype):
    """np.finfo, also of bfloat16."""
    if dtype.name != "bfloat16":
        return np.finfo(dtype)
    import ml_dtypes
    return ml_dtypes.finfo(dtype)


def parameter(value, dtype):
    """A parameter of a distribution in the dtype of the samples."""
    if is_reference(value):
        return value if value.dtype == dtype and not own_type(value).weak else np.astype(value, dtype)
    return np.asarray(value, dtype)[()]


def own_type(value):
    """The type of a parameter by JAX's rules."""
    return promotion.type_of(value, x64())


def float_type(own):
    """The float type that JAX computes in for a type."""
    if own.weak:
        return promotion.default("f")
    if own.dtype.kind in "biu":
        return promotion.narrow(np.dtype(np.float64)) if own.dtype.itemsize == 8 else np.dtype(np.float32)
    return own.dtype


def safe_parameter(value, dtype, function):
    """The same for a distribution that does not round its parameters: TypeMismatch where the dtype holds less than the parameter's."""
    own = own_type(value)
    if promotion.join((own, promotion.Type(dtype, False)), x64()).dtype != dtype:
        raise TypeMismatch(f"random.{function} draws {dtype} numbers, but has a parameter of type {own.dtype}, which would be rounded to that",
                           f"Convert the parameter with astype, or draw with dtype={own.dtype.name!r}.")
    return parameter(value, dtype)


def result_shape(shape, function, *parameters):
    """The shape of a draw: as given, or that of the parameters together; they must fit."""
    own = broadcast(*map(np.shape, parameters))
    if shape is None:
        return own
    shape = as_shape(shape, f"random.{function}")
    if broadcast(shape, own) != shape:
        raise ShapeError(f"random.{function}: parameters of shape {own} do not fit the shape {shape} of the draw",
                         "They are broadcast to it, axis by axis from the last.")
    return shape


def drawn_bits(key, shape, dtype):
    return TABLE["random_bits"].bind(key, shape=shape, dtype=np.dtype(dtype))


def yielding(value, dtype):
    """A parameter whose own type counts in the promotion, unless it is a Python number."""
    return dtype.type(value) if type(value) in (int, float) else value


# bits and uniform numbers -----------------------------------------------------------------------------------------------------
@host_sampler
def bits(key, shape=(), dtype=None):
    """Random bits of an unsigned integer type (default uint32; uint64 where 64-bit types are on).

    >>> from transformer import random
    >>> random.bits(random.key(42), (2,))
    Array([2098992034, 2919706841], dtype=uint32)
    """
    dtype = promotion.narrow(np.dtype(np.uint64)) if dtype is None else type_of(dtype, "u", "bits")
    return drawn_bits(key, as_shape(shape, "random.bits"), dtype)


def unit(key, shape, dtype):
    """Uniform numbers in [0, 1): random bits as the digits of the significand."""
    digits, size = limits(dtype).nmant, 8 * dtype.itemsize
    width = 8 if digits < 8 else size
    raw = drawn_bits(key, shape, f"uint{width}") >> np.dtype(f"uint{width}").type(width - digits)
    return np.astype(raw, dtype) * dtype.type(2.0 ** -digits)


def positive(key, shape, dtype):
    """Uniform numbers in (0, 1): the smallest normal number stands for 0."""
    return np.maximum(limits(dtype).tiny, unit(key, shape, dtype))


def between(key, shape, dtype, low, high):
    """Uniform numbers in [low, high); the bounds have the dtype."""
    spread = unit(key, shape, dtype) * (high - low) + low
    return np.maximum(low, spread)


@sampler
def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0):
    """Uniform numbers in [minval, maxval).

    shape: of the result. dtype: a float type (default float32; float64 where 64-bit types are on). minval, maxval: numbers or arrays
    that broadcast to the shape.

    >>> from transformer import random
    >>> random.uniform(random.key(42), (2,))
    Array([0.48870957, 0.6797972 ], dtype=float32)
    """
    dtype = type_of(dtype, "f", "uniform")
    shape = result_shape(shape, "uniform", minval, maxval)
    if type(minval) in (int, float) and type(maxval) in (int, float) and (minval, maxval) == (0, 1):
        return unit(key, shape, dtype)
    return between(key, shape, dtype, parameter(minval, dtype), parameter(maxval, dtype))


def gaussian(key, shape, dtype):
    """Standard normal numbers, real or complex."""
    if dtype.kind == "c":
        keys, part = split_words(key), np.dtype(f"f{dtype.itemsize // 2}")
        real, imaginary = (np.astype(gaussian(keys[i], shape, part), dtype) for i in (0, 1))
        return (real + imaginary * dtype.type(1j)) / dtype.type(math.sqrt(2))
    low = np.nextafter(dtype.type(-1), dtype.type(0), dtype=dtype) if dtype.name != "bfloat16" else dtype.type(-0.99609375)
    return dtype.type(math.sqrt(2)) * TABLE["erf_inv"].bind(between(key, shape, dtype, low, dtype.type(1)))


@sampler
def normal(key, shape=(), dtype=None):
    """Standard normal numbers; complex for a complex dtype.

    >>> from transformer import random
    >>> random.normal(random.key(42), (2,))
    Array([-0.02830462,  0.46713185], dtype=float32)
    """
    return gaussian(key, as_shape(shape, "random.normal"), type_of(dtype, "fc", "normal"))


# integers ---------------------------------------------------------------------------------------------------------------------
@host_sampler
def randint(key, shape, minval, maxval, dtype=None):
    """Integers in [minval, maxval), almost exactly equally likely.

    minval, maxval: integers or arrays that broadcast to the shape. dtype: an integer type (default int32; int64 where 64-bit types are
    on). Where maxval <= minval the result is minval.

    >>> from transformer import random
    >>> random.randint(random.key(42), (4,), 0, 10)
    Array([4, 4, 1, 9], dtype=int32)
    """
    wanted = type_of(dtype, "iu", "randint")
    shape = result_shape(shape, "randint", minval, maxval)
    bounds, dtype = (minval, maxval), wanted
    if wanted.itemsize < 4:
        info, dtype = np.iinfo(wanted), np.dtype(np.int32)
        bounds = [clipped(b, info.min, info.max + past) for b, past in zip(bounds, (0, 1))]
    found = integers(key, shape or (1,), *bounds, dtype)
    return np.astype(np.reshape(found, shape), wanted)


def clipped(value, low, high):
    """An integer, or an array of them, limited to what the type of the draw holds."""
    return min(max(value, low), high) if type(value) is int else np.clip(np.astype(value, np.int32), low, high)


def integers(key, shape, low, high, dtype):
    """Integers of a type of at least 32 bits: twice as many random bits modulo the range."""
    keys, unsigned = split_words(key), np.dtype(f"u{dtype.itemsize}")
    first, second = (drawn_bits(keys[i], shape, unsigned) for i in (0, 1))
    low, span = static_range(low, high, dtype) if type(low) is type(high) is int else dynamic_range(low, high, dtype)
    if type(span) is int and span == 0:
        return low + np.astype(second, dtype)
    half = unsigned.type(1 << 4 * dtype.itemsize)
    if type(span) is int:
        factor = ((1 << 4 * dtype.itemsize) % span) ** 2 % (1 << 8 * dtype.itemsize) % span
        span, factor = unsigned.type(span), unsigned.type(factor)
        offset = (first % span * factor + second % span) % span
    else:
        factor = half % span
        offset = modulo(modulo(first, span) * modulo(factor * factor, span) + modulo(second, span), span)
    return low + np.astype(offset, dtype)


def modulo(x, span):
    """x % span, and x where the span is the whole type (0)."""
    return np.where(span == 0, x, x % np.maximum(span, 1))


def static_range(low, high, dtype):
    """(low, number of values) for Python ints; 0 values stand for all of the type."""
    info = np.iinfo(dtype)
    below = min(max(low, info.min), info.max)
    above = min(max(high, info.min), info.max)
    span = 1 if above <= below else above - below + (high > info.max)
    return dtype.type(below), span % (1 << info.bits)


def dynamic_range(low, high, dtype):
    """The same for arrays."""
    info, unsigned = np.iinfo(dtype), np.dtype(f"u{dtype.itemsize}")
    low, high = (np.astype(np.asarray(v), dtype) if is_whole(v) and not is_reference(v) else v for v in (low, high))
    low, high = (v if is_whole(v) else np.astype(v, promotion.default("i")) for v in (low, high))
    own = np.iinfo(aval_of(high).dtype)
    over = high > own.dtype.type(min(info.max, own.max))
    low, high = (fit(v, info, dtype) for v in (low, high))
    span = np.where(high <= low, unsigned.type(1), np.astype(high - low, unsigned))
    return low, np.where(over & (high > low), span + unsigned.type(1), span)


def is_whole(value):
    return aval_of(value).dtype.kind in "iu"


def fit(value, info, dtype):
    """An array of integers limited to a type, in that type."""
    own = np.iinfo(aval_of(value).dtype)
    low, high = max(info.min, own.min), min(info.max, own.max)
    value = value if (low, high) == (own.min, own.max) else np.clip(value, low, high)
    return np.reshape(np.astype(value, dtype), np.shape(value) or (1,))


# formulas of uniform numbers ------------------------------------------------------------------------------------------------------
def formula(function):
    """A sampler with the arguments (key, shape, dtype) from the formula for its samples."""
    name = function.__name__

    def draw(key, shape=(), dtype=None):
        return function(key, as_shape(shape, f"random.{name}"), type_of(dtype, "f", name))
    draw.__name__ = draw.__qualname__ = name
    draw.__doc__, draw.__module__ = function.__doc__, function.__module__
    return sampler(draw)


def exponentials(key, shape, dtype):
    return -np.log1p(-unit(key, shape, dtype))


@formula
def exponential(key, shape, dtype):
    """Exponential numbers of mean 1."""
    return exponentials(key, shape, dtype)


@formula
def laplace(key, shape, dtype):
    """Numbers of the Laplace distribution."""
    u = between(key, shape, dtype, dtype.type(-1.0 + float(limits(dtype).epsneg)), dtype.type(1))
    return np.sign(u) * np.log1p(-np.abs(u))


@formula
def logistic(key, shape, dtype):
    """Numbers of the logistic distribution."""
    u = positive(key, shape, dtype)
    return np.log(u) - np.log1p(-u)


@formula
def cauchy(key, shape, dtype):
    """Numbers of the Cauchy distribution."""
    u = between(key, shape, dtype, limits(dtype).eps, dtype.type(1))
    return np.tan(dtype.type(math.pi) * (u - dtype.type(0.5)))


def gumbels(key, shape, dtype, mode):
    info = limits(dtype)
    if mode in (None, "low"):
        return -np.log(-np.log(positive(key, shape, dtype)))
    if mode != "high":
        raise TransformError(f"mode={mode!r} of gumbel is not known", "Choose 'low' or 'high'.")
    both = unit(key, (2, *shape), dtype)
    x = np.where(both[0] >= 0.5, both[0], both[0] + dtype.type(2.0 ** -info.nmant) * both[1] + info.tiny)
    return -np.log(-np.log1p(-x))


@sampler
def gumbel(key, shape=(), dtype=None, mode=None):
    """Numbers of the Gumbel distribution. mode: "low" or "high", how many bits serve for one number."""
    return gumbels(key, as_shape(shape, "random.gumbel"), type_of(dtype, "f", "gumbel"), mode)


@formula
def maxwell(key, shape, dtype):
    """Numbers of the Maxwell distribution."""
    return lengths(key, shape, dtype)


def lengths(key, shape, dtype):
    """Lengths of normal vectors of three components, summed in at least single precision."""
    squares = np.square(gaussian(key, (*shape, 3), dtype))
    return np.sqrt(np.astype(np.sum(squares, axis=-1, dtype=np.promote_types(dtype, np.float32)), dtype))


@host_sampler
def rademacher(key, shape=(), dtype=None):
    """Signs 1 and -1, equally likely."""
    dtype = type_of(dtype, "iuf", "rademacher") if dtype is not None else promotion.default("i")
    chosen = unit(key, as_shape(shape, "random.rademacher"), promotion.default("f")) < 0.5
    return np.astype(2 * np.astype(chosen, dtype) - 1, dtype)


@host_sampler
def bernoulli(key, p=0.5, shape=None, mode="low"):
    """Booleans that are True with probability p.

    p: a number or array of floats. mode: "high" for probabilities below 1e-7.

    >>> from transformer import random
    >>> random.bernoulli(random.key(42), 0.6, (3,))
    Array([ True, False, False], dtype=bool)
    """
    aval = aval_of(p)
    if aval.dtype.kind != "f" and aval.dtype.name != "bfloat16":
        raise TypeMismatch(f"random.bernoulli: the probability p must be a float, not {aval}", "Write 1.0 for 1.")
    dtype = promotion.narrow(aval.dtype)
    shape = result_shape(shape, "bernoulli", p)
    p = parameter(p, dtype)
    if mode == "low":
        return unit(key, shape, dtype) < p
    if mode != "high":
        raise TransformError(f"mode={mode!r} of bernoulli is not known", "Choose 'low' or 'high'.")
    both = unit(key, (2, *shape), dtype)
    return both[1] * dtype.type(2.0 ** -limits(dtype).nmant) < p - both[0]


@functools.cache
def erf(x):
    """The error function of a static number."""
    return math.erf(x)


def error_function(x, dtype):
    """The error function of numbers or arrays."""
    if not is_reference(x) and not np.shape(x):
        return dtype.type(erf(float(x)))
    import scipy.special
    return scipy.special.erf(x) if is_reference(x) else np.astype(scipy.special.erf(np.asarray(x, np.float64)), dtype)


@sampler
def truncated_normal(key, lower, upper, shape=None, dtype=None):
    """Normal numbers in the open interval (lower, upper).

    lower, upper: numbers or arrays that broadcast to the shape.
    """
    dtype = type_of(dtype, "f", "truncated_normal")
    shape = result_shape(shape, "truncated_normal", lower, upper)
    lower, upper = parameter(lower, dtype), parameter(upper, dtype)
    root = dtype.type(math.sqrt(2))
    u = between(key, shape, dtype, *(error_function(v / root, dtype) for v in (lower, upper)))
    inside = [np.nextafter(stop_gradient(v), dtype.type(way)) for v, way in ((lower, np.inf), (upper, -np.inf))]
    return np.minimum(np.maximum(root * TABLE["erf_inv"].bind(u), inside[0]), inside[1])


@sampler
def lognormal(key, sigma=1.0, shape=None, dtype=None):
    """Numbers whose logarithm is normal with standard deviation sigma."""
    dtype = type_of(dtype, "fc", "lognormal")
    return np.exp(gaussian(key, result_shape(shape, "lognormal", sigma), dtype) * safe_parameter(sigma, dtype, "lognormal"))


@sampler
def pareto(key, b, shape=None, dtype=None):
    """Numbers of the Pareto distribution with exponent b."""
    dtype = type_of(dtype, "f", "pareto")
    return np.exp(exponentials(key, result_shape(shape, "pareto", b), dtype) / safe_parameter(b, dtype, "pareto"))


@sampler
def rayleigh(key, scale, shape=None, dtype=None):
    """Numbers of the Rayleigh distribution."""
    dtype = type_of(dtype, "f", "rayleigh")
    u = unit(key, result_shape(shape, "rayleigh", scale), dtype)
    return safe_parameter(scale, dtype, "rayleigh") * np.sqrt(np.log(u) * dtype.type(-2))


@sampler
def weibull_min(key, scale, concentration, shape=(), dtype=None):
    """Numbers of the Weibull distribution; in the type that the dtype and those of the parameters promote to."""
    dtype = type_of(dtype, "f", "weibull_min")
    base = exponentials(key, as_shape(shape, "random.weibull_min"), dtype)
    return np.power(base, yielding(1.0 / concentration, dtype)) * yielding(scale, dtype)


@sampler
def triangular(key, left, mode, right, shape=None, dtype=None):
    """Numbers of the triangular distribution on [left, right] with its peak at `mode`."""
    dtype = type_of(dtype, "f", "triangular")
    shape = result_shape(shape, "triangular", left, mode, right)
    left, mode, right = (safe_parameter(v, dtype, "triangular") for v in (left, mode, right))
    u = unit(key, shape, dtype)
    rising = left + np.sqrt(u * (right - left) * (mode - left))
    falling = right - np.sqrt((1 - u) * (right - left) * (right - mode))
    return np.where(u < (mode - left) / (right - left), rising, falling)


@sampler
def wald(key, mean, shape=None, dtype=None):
    """Numbers of the Wald (inverse Gaussian) distribution of scale 1."""
    dtype = type_of(dtype, "f", "wald")
    shape, mean, keys = result_shape(shape, "wald", mean), safe_parameter(mean, dtype, "wald"), split_words(key)
    y = np.square(gaussian(keys[0], shape, dtype))
    root = np.sqrt(4 * mean * y + np.square(mean) * np.square(y))
    x = mean + np.square(mean) * y / 2 - mean / 2 * root
    return np.where(unit(keys[1], shape, dtype) <= mean / (mean + x), x, np.square(mean) / x)


@sampler
def geometric(key, p, shape=None, dtype=None):
    """The number of trials until one of probability p succeeds, from 1."""
    dtype = type_of(dtype, "iuf", "geometric") if dtype is not None else promotion.default("i")
    kind = promotion.narrow(aval_of(p).dtype) if aval_of(p).dtype.kind == "f" else promotion.default("f")
    shape, p = result_shape(shape, "geometric", p), parameter(p, kind)
    u = unit(key, shape, kind)
    log = np.log(np.where(u == 0, kind.type(1), u))
    return np.astype(np.floor(log / np.log1p(-p)) + kind.type(1), dtype)


@sampler
def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    """Numbers of the Maxwell distribution with random signs, scaled and shifted.

    The parameters' shape comes behind `shape`; the result has the type that the dtype and those of the parameters promote to.
    """
    dtype = type_of(dtype, "f", "double_sided_maxwell")
    own = broadcast(np.shape(loc), np.shape(scale))
    shape, keys = (as_shape(shape, "random.double_sided_maxwell") or own) + own, split_words(key)
    size = lengths(keys[0], shape, dtype)
    signs = np.where(unit(keys[1], shape, promotion.default("f")) < 0.5, dtype.type(1), dtype.type(-1))
    return signs * size * yielding(scale, dtype) + yielding(loc, dtype)


__all__ = ["bernoulli", "bits", "cauchy", "double_sided_maxwell", "exponential", "geometric", "gumbel", "laplace", "logistic", "lognormal",
           "maxwell", "normal", "pareto", "rademacher", "randint", "rayleigh", "triangular", "truncated_normal", "uniform", "wald", "weibull_min"]
