"""Bits, shifts and divisors of integers."""

import numpy as np

from .elementwise import like_result
from .op import piecewise_constant
from .samples import integers

INTEGERS = integers((-9, 10))
INTEGER_PAIR = integers((-9, 10), (-9, 10))


def _lower_invert(hlo, out, x):
    return hlo.not_(hlo.convert(x, out.dtype))


for _ufunc, _symbol, _kind in [(np.bitwise_and, "&", "and"), (np.bitwise_or, "|", "or"), (np.bitwise_xor, "^", "xor")]:
    piecewise_constant(_ufunc, _kind, symbol=_symbol, samples=INTEGER_PAIR)

piecewise_constant(np.invert, _lower_invert, symbol="~", samples=INTEGERS)


def _lower_bit_count(hlo, out, x):
    size = hlo.abs(x) if x.dtype.kind == "i" else x
    return hlo.convert(hlo.unary("popcnt", size), out.dtype)


piecewise_constant(np.bitwise_count, _lower_bit_count, samples=INTEGERS)


def _lower_left(hlo, out, x, y):
    return hlo.op("shift_left", like_result(hlo, out, x, y), out.shape, out.dtype)


def _lower_right(hlo, out, x, y):
    kind = "shift_right_arithmetic" if out.dtype.kind == "i" else "shift_right_logical"
    return hlo.op(kind, like_result(hlo, out, x, y), out.shape, out.dtype)


piecewise_constant(np.left_shift, _lower_left, symbol="<<", samples=integers((-9, 10), (0, 5)))
piecewise_constant(np.right_shift, _lower_right, symbol=">>", samples=integers((-9, 10), (0, 5)))


# divisors -----------------------------------------------------------------------------------
def _euclid(hlo, x, y):
    """Greatest common divisor of two arrays of non-negative integers."""
    zero = hlo.full(x.shape, 0, x.dtype)

    def running(a, b):
        return hlo.reduce(hlo.compare("NE", b, zero), None, range(b.ndim), "or")

    def step(a, b):
        done = hlo.compare("EQ", b, zero)
        rest = hlo.op("remainder", [a, hlo.select(done, hlo.full(b.shape, 1, b.dtype), b)], a.shape, a.dtype)
        return [hlo.select(done, a, b), hlo.select(done, b, rest)]
    return hlo.while_([x, y], running, step)[0]


def _sizes(hlo, out, x, y):
    """Absolute values as unsigned integers, so that the most negative integer has one."""
    values = like_result(hlo, out, x, y)
    if out.dtype.kind == "u":
        return values
    unsigned = np.dtype(f"u{out.dtype.itemsize}")
    return [hlo.op("bitcast_convert", [hlo.abs(v)], v.shape, unsigned) for v in values]


def _lower_gcd(hlo, out, x, y):
    return hlo.convert(_euclid(hlo, *_sizes(hlo, out, x, y)), out.dtype)


def _lower_lcm(hlo, out, x, y):
    x, y = _sizes(hlo, out, x, y)
    divisor = _euclid(hlo, x, y)
    none = hlo.compare("EQ", divisor, hlo.full(out.shape, 0, divisor.dtype))
    divisor = hlo.select(none, hlo.full(out.shape, 1, divisor.dtype), divisor)
    return hlo.convert(hlo.multiply(hlo.divide(x, divisor), y), out.dtype)


piecewise_constant(np.gcd, _lower_gcd, samples=INTEGER_PAIR)
piecewise_constant(np.lcm, _lower_lcm, samples=INTEGER_PAIR)
