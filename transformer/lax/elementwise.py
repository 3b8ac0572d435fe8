"""Elementwise operations under XLA's names."""

import builtins
import enum

import numpy as np

from ..errors import TypeMismatch
from ..frontend.reference import is_reference
from ..ops.op import TABLE
from .wrapping import cast, dtype_of, elementwise, lax

NAMES = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "rem": np.fmod, "neg": np.negative, "abs": np.absolute, "sign": np.sign,
    "floor": np.floor, "ceil": np.ceil, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sqrt": np.sqrt, "cbrt": np.cbrt, "square": np.square, "pow": np.power, "max": np.maximum, "min": np.minimum,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "bitwise_not": np.invert,
    "shift_left": np.left_shift, "shift_right_arithmetic": np.right_shift, "nextafter": np.nextafter, "is_finite": np.isfinite,
    "real": np.real, "imag": np.imag,
}
"""Name in `lax` -> NumPy's function."""

SPECIAL = {"erf": "erf", "erfc": "erfc", "erf_inv": "erfinv", "lgamma": "gammaln", "digamma": "psi", "logistic": "expit",
           "igamma": "gammainc", "igammac": "gammaincc", "betainc": "betainc",
           "polygamma": "polygamma", "zeta": "zeta", "bessel_i0e": "i0e", "bessel_i1e": "i1e"}
"""Name in `lax` -> name in scipy.special, which is imported when one of these is asked for."""


def named(name):
    """A function of NAMES or SPECIAL."""
    if name in NAMES:
        return elementwise(name, NAMES[name])
    import scipy.special
    return elementwise(name, getattr(scipy.special, SPECIAL[name]))


@lax
def div(x, y):
    """x / y; of integers the quotient rounded towards zero."""
    if dtype_of(x).kind in "iub" and dtype_of(y).kind in "iub":
        quotient = np.floor_divide(x, y)
        inexact = np.not_equal(np.remainder(x, y), 0)
        return np.where(np.logical_and(inexact, np.not_equal(np.less(x, 0), np.less(y, 0))), quotient + 1, quotient)
    return np.divide(x, y)


@lax
def mulhi(x, y):
    """The upper half of the bits of the product of two integers of the same type. Source: Warren, Hacker's Delight, 8-2."""
    dtype = dtype_of(x)
    if dtype.kind not in "iu" or dtype != dtype_of(y):
        raise TypeMismatch(f"mulhi of {dtype} and {dtype_of(y)}", "Give two arrays of one integer type.")
    half = 4 * dtype.itemsize
    low = dtype.type((1 << half) - 1)
    x_high, x_low, y_high, y_low = x >> half, x & low, y >> half, y & low
    middle = x_high * y_low + (((x_low * y_low) >> half) & low)
    return x_high * y_high + (middle >> half) + ((x_low * y_high + (middle & low)) >> half)


@lax
def rsqrt(x, accuracy=None):
    """1 / sqrt(x)."""
    return 1 / np.sqrt(x)


@lax
def reciprocal(x):
    """1 / x."""
    return 1 / x


@lax
def integer_pow(x, y):
    """x to the power of a static int."""
    return np.power(x, y)


class RoundingMethod(enum.IntEnum):
    """Where halves go."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


@lax
def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """To whole numbers."""
    if int(rounding_method) == RoundingMethod.TO_NEAREST_EVEN:
        return np.round(x)
    return np.where(np.abs(x - np.trunc(x)) >= 0.5, np.trunc(x) + np.sign(x), np.trunc(x))


@lax
def clamp(min, x, max):
    """x limited to [min, max]."""
    return np.minimum(np.maximum(x, min), max)


@lax
def conj(x):
    """The complex conjugate; of real numbers as complex ones."""
    dtype = dtype_of(x)
    return np.conjugate(x if dtype.kind == "c" else cast(x, np.complex128 if dtype == np.float64 else np.complex64))


@lax
def complex(x, y):
    """x + iy."""
    if dtype_of(x) == np.float64 or dtype_of(y) == np.float64:
        return x + 1j * y
    return cast(x, np.complex64) + np.complex64(1j) * y


@lax
def population_count(x):
    """The number of bits that are set, in x's dtype."""
    return cast(np.bitwise_count(bits_of(x)), dtype_of(x))


def bits_of(x):
    """Integers as unsigned ones of the same bits."""
    dtype = dtype_of(x)
    if dtype.kind not in "iu":
        raise TypeMismatch(f"bits of {dtype} are counted", "Pass integers.")
    return TABLE["bitcast"].bind(x, dtype=np.dtype(f"uint{8 * dtype.itemsize}")) if dtype.kind == "i" else x


@lax
def clz(x):
    """The number of leading zero bits."""
    dtype, bits = dtype_of(x), bits_of(x)
    width, shift = 8 * dtype.itemsize, 1
    while shift < width:
        bits = np.bitwise_or(bits, np.right_shift(bits, bits.dtype.type(shift)))
        shift *= 2
    return cast(width - cast(np.bitwise_count(bits), dtype), dtype)


@lax
def shift_right_logical(x, y):
    """Bits moved to the right, zeros from the left."""
    dtype = dtype_of(x)
    moved = np.right_shift(bits_of(x), bits_of(cast(y, dtype)))
    return TABLE["bitcast"].bind(moved, dtype=dtype) if dtype.kind == "i" else moved


@lax
def select(pred, on_true, on_false):
    """Elements of `on_true` where `pred`, else of `on_false`."""
    return np.where(pred, on_true, on_false)


@lax
def select_n(which, *cases):
    """Elements of `cases[which]`; which is bool for two cases, else integers."""
    if dtype_of(which).kind == "b":
        if len(cases) > 2:
            raise TypeMismatch("select_n: a bool chooses among two cases at most", "Pass integers.")
        return np.where(which, cases[-1], cases[0])
    out = cases[-1]
    for k in range(len(cases) - 2, -1, -1):
        out = np.where(np.less_equal(which, k), cases[k], out)
    return out


@lax
def convert_element_type_(operand, new_dtype=None):
    """The array in another dtype."""
    return operand if new_dtype is None else cast(operand, new_dtype)


@lax
def reduce_precision(operand, exponent_bits, mantissa_bits):
    """The values rounded to a float type of fewer bits, in their own dtype; what is subnormal in float16 becomes zero, as in XLA."""
    names = {(5, 10): "float16", (8, 7): "bfloat16", (8, 23): "float32", (11, 52): "float64"}
    name = names.get((int(exponent_bits), int(mantissa_bits)))
    if name is None:
        raise TypeMismatch(f"reduce_precision to {exponent_bits} exponent and {mantissa_bits} mantissa bits",
                           "Use those of float16, bfloat16 or float32.")
    if name == "bfloat16":
        import ml_dtypes
        return cast(cast(operand, ml_dtypes.bfloat16), dtype_of(operand))
    rounded = cast(cast(operand, name), dtype_of(operand))
    if name == "float16" and dtype_of(operand).itemsize > 2:
        return np.where(np.absolute(operand) < 2.0 ** -14, 0 * rounded, rounded)
    return rounded


@lax
def bitcast_convert_type(operand, new_dtype):
    """The bits of the array, read as another dtype of the same width."""
    new_dtype = np.dtype(new_dtype)
    if dtype_of(operand).itemsize != new_dtype.itemsize:
        raise TypeMismatch(f"bitcast_convert_type from {dtype_of(operand)} to {new_dtype}: their widths differ", "Use a dtype of the same width.")
    return TABLE["bitcast"].bind(operand, dtype=new_dtype)


def convert_element_type(operand, new_dtype=None):
    """The array in another dtype (64-bit ones only where they are switched on)."""
    if isinstance(operand, bool | int | float | builtins.complex):
        operand = np.asarray(operand)
    return convert_element_type_(operand, new_dtype)


def optimization_barrier(operand):
    """The tree of values; the compiler moves nothing across."""
    from .. import tree
    from ..ops.barriers import optimization_barrier as barrier
    return tree.tree_map(lambda leaf: barrier.bind(leaf) if is_reference(leaf) else leaf, operand)


def stop_gradient(x):
    """The value (or tree of values), which counts as a constant in derivatives."""
    from .. import tree
    from ..ops.barriers import stop_gradient as stop
    return tree.tree_map(lambda leaf: stop(leaf) if is_reference(leaf) else leaf, x)




__all__ = [*NAMES, *SPECIAL, "RoundingMethod", "bitcast_convert_type", "clamp", "clz", "complex", "conj", "convert_element_type", "div",
           "integer_pow", "mulhi", "optimization_barrier", "population_count", "reciprocal", "reduce_precision", "round", "rsqrt", "select",
           "select_n", "shift_right_logical", "stop_gradient"]
