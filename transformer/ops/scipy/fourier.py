"""scipy.fft: the transforms of np.fft under scipy's signatures, and cosine and sine transforms of type 1 to 4."""

import numpy as np
import scipy.fft as sf

from ...errors import TransformError
from ..op import array, function


# Fourier transforms ---------------------------------------------------------------------------------
def _declare_one(fn, same):
    def user(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
        return same(array(x), n, axis, norm)
    user.__doc__ = f"scipy.fft.{fn.__name__}."
    function(fn)(user)


def _declare_several(fn, same, axes):
    def user(x, s=None, axes=axes, norm=None, overwrite_x=False, workers=None, *, plan=None):
        return same(array(x), s, axes, norm)
    user.__doc__ = f"scipy.fft.{fn.__name__}."
    function(fn)(user)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _declare_one(getattr(sf, _name), getattr(np.fft, _name))
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    _declare_several(getattr(sf, _name), getattr(np.fft, _name), (-2, -1))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    _declare_several(getattr(sf, _name), getattr(np.fft, _name), None)
for _name in ("fftshift", "ifftshift"):
    if getattr(sf, _name) is not getattr(np.fft, _name):
        function(getattr(sf, _name))(getattr(np.fft, _name))


# cosine and sine transforms: types 2 and 3 by the Fourier transform of twice the length, the others as products with a matrix
# (J. Makhoul, A fast cosine transform in one and two dimensions, 1980) ------------------------------------------------------
def cosine(x, type, norm, inverse):
    """The cosine transform of type 2 or 3 along the last axis."""
    n = x.shape[-1]
    second = (type == 2) != inverse
    numbers = np.arange(n)
    phase = np.exp((-1j if second else 1j) * np.pi * numbers / (2 * n))
    scale = np.where(numbers == 0, np.sqrt(0.5), 1) / np.sqrt(2 * n) if norm == "ortho" else 1.0
    short = 1 / (2 * n) if norm is None and inverse or norm == "backward" and inverse or norm == "forward" and not inverse else 1.0
    if second:
        return 2 * short * scale * np.real(phase * np.fft.fft(x, 2 * n)[..., :n])
    weights = np.where(numbers == 0, 1 if norm != "ortho" else 2, 2) * scale * phase
    return 2 * n * short * np.real(np.fft.ifft(weights * x, 2 * n)[..., :n])


def sine(x, type, norm, inverse):
    """The sine transform of type 2 or 3 along the last axis, from the cosine transform."""
    signs = (-1.0) ** np.arange(x.shape[-1])
    if (type == 2) != inverse:
        return np.flip(cosine(signs * x, type, norm, inverse), -1)
    return signs * cosine(np.flip(x, -1), type, norm, inverse)


def matrix_of(type, n, norm, sines, inverse):
    """The matrix of a transform or of its inverse: what it makes of unit vectors."""
    fn = {(False, False): sf.dct, (False, True): sf.idct, (True, False): sf.dst, (True, True): sf.idst}[sines, inverse]
    return fn(np.eye(n), type=type, axis=0, norm=norm)


def transformed(x, type, n, axis, norm, sines, inverse):
    if type not in (1, 2, 3, 4) or norm not in (None, "backward", "ortho", "forward"):
        raise TransformError(f"a transform of type {type} with norm={norm!r} is not known", "Choose type 1 to 4, norm 'ortho' or 'backward'.")
    x = np.moveaxis(array(x), axis, -1)
    size = x.shape[-1]
    n = size if n is None else n
    if n < size:
        x = x[..., :n]
    elif n > size:
        x = np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(0, n - size)])
    if type in (2, 3):
        result = (sine if sines else cosine)(x, type, norm, inverse)
    else:
        result = x @ matrix_of(type, n, norm, sines, inverse).T
    return np.moveaxis(result, -1, axis)


def _declare_real(fn, sine, inverse):
    def user(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
        if orthogonalize is not None:
            raise TransformError(f"scipy.fft.{fn.__name__}(orthogonalize=...) is not known", "Use norm='ortho'.")
        return transformed(x, type, n, axis, norm, sine, inverse)
    user.__doc__ = f"scipy.fft.{fn.__name__}."
    function(fn)(user)


def _declare_real_several(fn, sine, inverse):
    def user(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
        if orthogonalize is not None:
            raise TransformError(f"scipy.fft.{fn.__name__}(orthogonalize=...) is not known", "Use norm='ortho'.")
        x = array(x)
        axes = range(np.ndim(x)) if axes is None else (axes,) if isinstance(axes, int) else axes
        for axis, n in zip(axes, [None] * len(axes) if s is None else s):
            x = transformed(x, type, n, axis, norm, sine, inverse)
        return x
    user.__doc__ = f"scipy.fft.{fn.__name__}."
    function(fn)(user)


for _name, _sine, _inverse in (("dct", False, False), ("idct", False, True), ("dst", True, False), ("idst", True, True)):
    _declare_real(getattr(sf, _name), _sine, _inverse)
    _declare_real_several(getattr(sf, f"{_name}n"), _sine, _inverse)
