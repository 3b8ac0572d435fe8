"""scipy.signal with JAX's types: convolution, correlation, spectra."""

import numpy as np
import scipy.signal

from ..errors import ShapeError, TransformError, TypeMismatch
from ..nn.activations import by_jnp_rules
from ..numpy.adapter import adapted
from ..ops.op import FUNCTIONS

MODES = ("full", "same", "valid")


def convolved(x, y, mode, late=0):
    """The convolution of two arrays of the same number of axes. late: 1 if "same" begins half of y's size, rounded up, into the whole."""
    if np.ndim(x) != np.ndim(y):
        raise ShapeError(f"convolve: arrays of {np.ndim(x)} and {np.ndim(y)} axes do not fit together", "Give both the same number of axes.")
    if mode not in MODES:
        raise TransformError(f"convolve: mode={mode!r} is not known", "Choose 'full', 'same' or 'valid'.")
    if 0 in (*np.shape(x), *np.shape(y)):
        raise ShapeError("convolve: an array is empty", "Give arrays with elements.")
    x_shape, y_shape = np.shape(x), np.shape(y)
    if mode == "valid" and not all(n >= m for n, m in zip(x_shape, y_shape)) and not all(n <= m for n, m in zip(x_shape, y_shape)):
        raise ShapeError(f"convolve: neither of the shapes {x_shape} and {y_shape} holds the other", "mode='valid' needs that.")
    full = np.convolve(x, y) if np.ndim(x) == 1 else by_fourier(x, y)
    return centre(full, x_shape, y_shape, mode, late)


def by_fourier(x, y):
    """The full convolution by the fast Fourier transform."""
    shape = tuple(n + m - 1 for n, m in zip(np.shape(x), np.shape(y)))
    axes = tuple(range(len(shape)))
    complex_ = np.iscomplexobj(x) or np.iscomplexobj(y)
    forward, backward = (np.fft.fftn, np.fft.ifftn) if complex_ else (np.fft.rfftn, np.fft.irfftn)
    return backward(forward(x, shape, axes) * forward(y, shape, axes), shape, axes)


def centre(full, x_shape, y_shape, mode, late=0):
    """The part of a full convolution that a mode keeps."""
    if mode == "full":
        return full
    index = []
    for n, m in zip(x_shape, y_shape):
        size = n if mode == "same" else max(n, m) - min(n, m) + 1
        start = (m - 1 + late) // 2 if mode == "same" else min(n, m) - 1
        index.append(slice(start, start + size))
    return full[tuple(index)]



def reversed_(x):
    return np.conj(np.flip(x))


def checked(method, boundary="fill", fillvalue=0):
    if method not in ("auto", "direct", "fft"):
        raise TransformError(f"convolve: method={method!r} is not known", "Choose 'auto', 'direct' or 'fft'.")
    if boundary != "fill" or not isinstance(fillvalue, int | float) or fillvalue:
        raise TransformError(f"convolve2d: boundary={boundary!r} with fillvalue={fillvalue} is not known", "Pad the array before.")


@by_jnp_rules
def convolve(in1, in2, mode="full", method="auto", precision=None):
    """The convolution of two arrays.

    mode: "full"; "same", the size of in1; "valid", only where they overlap wholly. Arrays of several axes go by the Fourier transform.

    >>> convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    Array([0., 1., 2., 3.], dtype=float32)
    """
    checked(method)
    return convolved(in1, in2, mode)


@by_jnp_rules
def correlate(in1, in2, mode="full", method="auto", precision=None):
    """The cross-correlation of two arrays."""
    checked(method)
    return convolved(in1, reversed_(in2), mode)


@by_jnp_rules
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The convolution of two matrices."""
    checked("auto", boundary, fillvalue)
    return convolved(*matrices(in1, in2), mode)


@by_jnp_rules
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The cross-correlation of two matrices."""
    checked("auto", boundary, fillvalue)
    one, two = matrices(in1, in2)
    return convolved(one, reversed_(two), mode, late=1)


def matrices(x, y):
    if np.ndim(x) != 2 or np.ndim(y) != 2:
        raise TypeMismatch(f"convolve2d needs matrices, not arrays of {np.ndim(x)} and {np.ndim(y)} axes", "Use convolve.")
    return x, y


@by_jnp_rules
def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays by the fast Fourier transform."""
    if axes is not None and sorted(a % np.ndim(in1) for a in np.atleast_1d(axes)) != list(range(np.ndim(in1))):
        raise TransformError("fftconvolve over some of the axes is not known", "Leave axes out, or use vmap.")
    full = by_fourier(in1, in2)
    return centre(full, np.shape(in1), np.shape(in2), mode)


@by_jnp_rules
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=None):
    """The data minus their mean ("constant") or their line of least squares ("linear") along an axis."""
    if bp != 0 or type not in ("linear", "constant", "l", "c"):
        raise TransformError(f"detrend(type={type!r}, bp={bp}) is not known", "Choose 'linear' or 'constant', without break points.")
    if type in ("constant", "c"):
        return data - np.mean(data, axis=axis, keepdims=True)
    moved = np.moveaxis(data, axis, -1)
    n = np.shape(moved)[-1]
    steps = (np.arange(n) - (n - 1) / 2).astype(moved.dtype if moved.dtype.kind == "f" else np.float32)
    slope = np.sum(moved * steps, axis=-1, keepdims=True) / np.sum(steps * steps)
    return np.moveaxis(moved - np.mean(moved, axis=-1, keepdims=True) - slope * steps, -1, axis)


FUNCTIONS.load()
SPECTRA = ("csd", "istft", "stft", "welch")
globals().update({name: adapted(getattr(scipy.signal, name), name, __name__) for name in SPECTRA})

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve", *SPECTRA]
