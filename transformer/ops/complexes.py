"""Parts of complex numbers: real-linear maps with their own rules, in the convention df/dx - i df/dy for real-valued f."""

import math

import numpy as np

from ..core import Aval
from ..errors import ValueDependent
from .op import TABLE, Op, aval_of, elementwise, function, is_reference, register, view
from .samples import ANY


def is_complex(x):
    return aval_of(x).dtype.kind == "c"


def complex_samples(rng):
    real = ANY(rng)
    return real + [((x + 1j * rng.uniform(-2.0, 2.0, np.shape(x)),), {}) for (x,), _ in real]


# absolute, sign -----------------------------------------------------------------------
def _unit(x, size):
    """x / |x|, and 0 at 0."""
    return x / np.where(size == 0, 1, size)


def _lower_absolute(hlo, out, x):
    return x if x.dtype.kind in "bu" else hlo.abs(x)


@elementwise(np.absolute, lower=_lower_absolute, samples=complex_samples)
class absolute:
    def d_x(g, x, out):
        return g * np.sign(x)

    def jvp(dots, x, out):
        if not is_complex(x):
            return dots[0] * np.sign(x)
        return np.real(dots[0] * np.conj(_unit(x, out)))

    def vjp(g, x, out):
        return g * np.conj(_unit(x, out)) if is_complex(x) else g * np.sign(x)


def _lower_sign(hlo, out, x):
    if x.dtype.kind in "bu":
        return hlo.convert(hlo.convert(x, bool), out.dtype)
    return hlo.unary("sign", x)


@elementwise(np.sign, lower=_lower_sign, samples=complex_samples)
class sign:
    def jvp(dots, x, out):
        if not is_complex(x):
            return np.zeros_like(dots[0])
        size = np.abs(x)
        return (dots[0] - out * np.real(np.conj(out) * dots[0])) / np.where(size == 0, 1, size)

    def vjp(g, x, out):
        if not is_complex(x):
            return np.zeros_like(g)
        size = np.abs(x)
        return (g - np.conj(out) * np.real(out * g)) / np.where(size == 0, 1, size)


def _lower_conjugate(hlo, out, x):
    return hlo.complex(hlo.real(x), hlo.negate(hlo.imag(x))) if x.dtype.kind == "c" else x


@elementwise(np.conjugate, lower=_lower_conjugate, samples=complex_samples)
class conjugate:
    def jvp(dots, x, out):
        return np.conj(dots[0])

    def vjp(g, x, out):
        return np.conj(g)


# real, imag ----------------------------------------------------------------------------
def _declare_part(name, lower_part, transpose, unview):
    """real and imag of complex arrays: views of them."""
    def impl(x):
        return getattr(np.asarray(x), name)[()]

    def infer(x):
        return Aval(x.shape, x.dtype.type(0).real.dtype, x.weak)

    def lower(hlo, out, x):
        return lower_part(hlo, x)

    def batch(axes, x):
        return TABLE[name].bind(x), 0

    def samples(rng):
        return complex_samples(rng)[3:]

    register(Op(name, impl, infer, lower, vjp=transpose, batch=batch, linear="jointly", samples=samples,
                notation=lambda x: f"{{0}}.{name}", unview=unview))


def _real_vjp(g, x, out):
    return g + 0j


def _imag_vjp(g, x, out):
    return -1j * g


def _store_real(parent, new):
    return new + 1j * np.imag(parent)


def _store_imag(parent, new):
    return np.real(parent) + 1j * new


_declare_part("real", lambda hlo, x: hlo.real(x), _real_vjp, _store_real)
_declare_part("imag", lambda hlo, x: hlo.imag(x), _imag_vjp, _store_imag)


@function(np.real, attribute="real")
def real(val):
    """np.real: a view of a complex array's real parts; a real array is its own real part."""
    return view("real", val) if is_complex(val) else val


@function(np.imag, attribute="imag")
def imag(val):
    """np.imag: a view of a complex array's imaginary parts; zeros for a real array."""
    return view("imag", val) if is_complex(val) else np.zeros_like(val)


@function(np.real_if_close)
def real_if_close(a, tol=100):
    """np.real_if_close: the real part if the imaginary part nearly vanishes, which the values at hand decide."""
    if not is_complex(a):
        return a
    known = a.known if is_reference(a) else a
    if known is None:
        raise ValueDependent("np.real_if_close decides the dtype by the values", "Use np.real.")
    return a if np.iscomplexobj(np.real_if_close(known, tol)) else np.real(a)


@function(np.angle)
def angle(z, deg=False):
    """np.angle."""
    radians = np.arctan2(np.imag(z), np.real(z)) if is_complex(z) else np.arctan2(0, z)
    return radians * (180 / math.pi) if deg else radians


@function(np.iscomplex)
def iscomplex(x):
    """np.iscomplex: where the imaginary part is not 0."""
    return np.imag(x) != 0


@function(np.isreal)
def isreal(x):
    """np.isreal: where the imaginary part is 0."""
    return np.imag(x) == 0


@function(method="conj")
def conj_method(x):
    """ndarray.conj."""
    return np.conjugate(x)


@function(method="conjugate")
def conjugate_method(x):
    """ndarray.conjugate."""
    return np.conjugate(x)
