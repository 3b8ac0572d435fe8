"""Functions of `transformer.numpy` whose types differ from NumPy's for single kinds of numbers: bools, integers, half precision."""

import numpy as np

from ..errors import TypeMismatch
from .adapter import described
from .creation import asarray
from .dtypes import promote_types, result_type
from .overrides import FUNCTIONS as PLAIN
from .overrides import astype

FUNCTIONS = {}
"""Name -> function, instead of that of `overrides`."""


def derived(*names):
    """Declare functions: make(the plain function) of each of these names."""
    def declare(make):
        for name in names:
            made = make(PLAIN[name], name)
            FUNCTIONS[name] = described(made, getattr(np, name), name)
    return declare


def is_half(dtype):
    return dtype.itemsize == 2 and dtype.kind in "fV"


@derived("cov", "corrcoef", "i0", "sinc")
def in_own_precision(plain, name):
    """Half precision in, half precision out."""
    def call(x, *args, **kwargs):
        x = asarray(x)
        if name == "i0" and x.dtype.kind == "c":
            raise TypeMismatch("jnp.i0 of complex numbers", "It is defined for real numbers.")
        found = plain(x, *args, **kwargs)
        return astype(found, x.dtype) if is_half(x.dtype) and not any(map(np.ndim, args)) else found
    return call


@derived("conj", "conjugate", "positive")
def same_of_bools(plain, name):
    """Bools stay what they are."""
    def call(x, /):
        x = asarray(x)
        return x if x.dtype.kind == "b" else plain(x)
    return call


@derived("round", "around")
def of_numbers(plain, name):
    """Bools are refused."""
    def call(a, decimals=0, out=None):
        if asarray(a).dtype.kind == "b":
            raise TypeMismatch(f"jnp.{name} of bools", "Convert them to numbers with astype.")
        return plain(a, decimals)
    return call


@derived("trapezoid")
def of_floats(plain, name):
    """Whole numbers are integrated as floats."""
    def call(y, x=None, dx=1.0, axis=-1):
        y = asarray(y)
        return plain(astype(y, float) if y.dtype.kind in "biu" else y, x, dx, axis)
    return call


@derived("unwrap")
def of_signed(plain, name):
    """Differences of unsigned numbers have a sign."""
    def call(p, discont=None, axis=-1, period=2 * np.pi):
        p = asarray(p)
        return plain(astype(p, result_type(p, period)) if p.dtype.kind in "biu" else p, discont, axis, period=period)
    return call


@derived("polymul")
def of_inexact(plain, name):
    """Coefficients are multiplied as floats."""
    def call(a1, a2, *, trim_leading_zeros=False):
        a1, a2 = asarray(a1), asarray(a2)
        dtype = promote_types(result_type(a1, a2), np.float32) if result_type(a1, a2).kind in "biu" else result_type(a1, a2)
        return plain(astype(a1, dtype), astype(a2, dtype), trim_leading_zeros=trim_leading_zeros)
    return call


@derived("degrees", "rad2deg", "radians", "deg2rad")
def of_complex(plain, name):
    """Complex numbers are scaled as others are."""
    def call(x, /):
        x = asarray(x)
        if x.dtype.kind != "c":
            return plain(x)
        return x * (180 / np.pi if name in ("degrees", "rad2deg") else np.pi / 180)
    return call


def packbits(a, axis=None, bitorder="big"):
    """Bits along an axis (None: of all elements), eight to a byte; the last byte is filled with zeros.

    >>> packbits(np.array([1, 0, 1, 1, 0, 0, 0, 0, 1]))
    Array([176, 128], dtype=uint8)
    """
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeMismatch(f"packbits of {a.dtype}", "Pass integers or bools.")
    if bitorder not in ("big", "little"):
        raise TypeMismatch(f"packbits does not know the bitorder {bitorder!r}", 'Use "big" or "little".')
    a, axis = (a.reshape((-1,)), 0) if axis is None else (a, axis % a.ndim)
    bits = PLAIN["moveaxis"](a != 0, axis, -1)
    count = -(-bits.shape[-1] // 8)
    pairs = [(0, 0)] * (bits.ndim - 1) + [(0, 8 * count - bits.shape[-1])]
    bits = astype(PLAIN["pad"](bits, pairs), np.uint8).reshape((*bits.shape[:-1], count, 8))
    order = np.arange(7, -1, -1) if bitorder == "big" else np.arange(8)
    weights = np.asarray(1 << order, np.uint8)
    return PLAIN["moveaxis"](PLAIN["sum"](bits * weights, axis=-1, dtype=np.uint8), -1, axis)


FUNCTIONS["packbits"] = packbits
