"""scipy.signal: trends, analytic signals, local polynomials; signals continued at their ends."""

import numpy as np
import scipy.signal as ss

from ...errors import ShapeError, TransformError
from ..op import array, aval_of, function, is_reference
from .image_filters import convolve1d
from .options import floating, normal_axis, only

EXTENSIONS = {"even": "reflect", "constant": "edge", "zeros": "constant"}


def extended(name, x, kind, count):
    """A signal continued by so many samples at both ends of its last axis."""
    only(name, "the extension", kind, "odd", *EXTENSIONS, None)
    if kind is None or count == 0:
        return x
    if kind in ("even", "odd") and np.shape(x)[-1] <= count or kind == "constant" and name == "filtfilt" and np.shape(x)[-1] <= count:
        raise ShapeError(f"{name}: {np.shape(x)[-1]} samples cannot be continued by {count}", "Give more samples, or continue by fewer.")
    if kind == "odd":
        before, after = np.flip(x[..., 1: count + 1], -1), np.flip(x[..., -count - 1: -1], -1)
        return np.concatenate([2 * x[..., :1] - before, x, 2 * x[..., -1:] - after], axis=-1)
    return np.pad(x, ((0, 0),) * (np.ndim(x) - 1) + ((count, count),), mode=EXTENSIONS[kind])


def without_line(x):
    """Samples along the last axis without their line of least squares."""
    n = np.shape(x)[-1]
    if n == 1:
        return x - x
    steps = np.arange(n) - (n - 1) / 2
    steps = steps.astype(aval_of(x).dtype) if aval_of(x).dtype.kind == "f" else steps
    slope = np.sum(x * steps, axis=-1, keepdims=True) / np.sum(steps * steps)
    return x - np.mean(x, axis=-1, keepdims=True) - slope * steps


@function(ss.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """scipy.signal.detrend."""
    only("detrend", "type", type, "linear", "l", "constant", "c")
    x = floating(array(data))
    if type in ("constant", "c"):
        return x - np.mean(x, axis=axis, keepdims=True)
    x = np.moveaxis(x, axis, -1)
    n = np.shape(x)[-1]
    if is_reference(bp):
        raise TransformError("detrend with breakpoints that are not known before the function runs", "Pass them as numbers.")
    ends = sorted({0, n, *np.atleast_1d(bp).tolist()})
    if ends[-1] > n:
        raise ShapeError(f"detrend: a breakpoint {ends[-1]} of {n} samples", "Keep breakpoints within the samples.")
    pieces = [without_line(x[..., low:high]) for low, high in zip(ends, ends[1:])]
    return np.moveaxis(pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=-1), -1, axis)


@function(ss.hilbert)
def hilbert(x, N=None, axis=-1):
    """scipy.signal.hilbert."""
    x = array(x)
    if aval_of(x).dtype.kind == "c":
        raise TransformError("hilbert of a complex signal", "Pass a real one.")
    axis = normal_axis("hilbert", axis, np.ndim(x))
    n = np.shape(x)[axis] if N is None else int(N)
    factors = np.zeros(n)
    factors[: (n + 1) // 2] = 2.0
    factors[0] = 1.0
    if n % 2 == 0:
        factors[n // 2] = 1.0
    factors = np.reshape(factors, [-1 if k == axis else 1 for k in range(np.ndim(x))])
    return np.fft.ifft(np.fft.fft(x, n, axis) * factors.astype(np.float32 if aval_of(x).dtype == np.float32 else float), axis=axis)


@function(ss.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """scipy.signal.savgol_filter."""
    only("savgol_filter", "mode", mode, "mirror", "constant", "nearest", "interp", "wrap")
    x = floating(array(x))
    window_length, polyorder, deriv = int(window_length), int(polyorder), int(deriv)
    weights = ss.savgol_coeffs(window_length, polyorder, deriv, 1.0) / delta ** deriv
    if mode != "interp":
        return convolve1d(x, weights, axis=axis, mode=mode, cval=cval)
    x = np.moveaxis(x, axis, -1)
    n, half = np.shape(x)[-1], window_length // 2
    if window_length > n:
        raise ShapeError(f"savgol_filter: a window of {window_length} for {n} samples", "Shorten it, or choose another mode.")
    middle = convolve1d(x, weights, axis=-1, mode="constant")[..., half: n - half]
    at = [ss.savgol_coeffs(window_length, polyorder, deriv, 1.0, pos=k, use="dot") for k in (*range(half), *range(window_length - half, window_length))]
    ends = np.array(at).T.astype(aval_of(x).dtype) / delta ** deriv
    parts = [x[..., :window_length] @ ends[:, :half], middle, x[..., n - window_length:] @ ends[:, half:]]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


__all__ = ["detrend", "extended", "without_line"]
