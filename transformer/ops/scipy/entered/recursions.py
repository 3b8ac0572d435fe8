"""scipy.signal: recursive filters, whose loop over the samples stays a loop."""

import numpy as np
import scipy.signal

from ....errors import ShapeError, TransformError
from ...op import FUNCTIONS
from ..smoothing import extended


def coefficients(b, a, x):
    """(b, a) as vectors of one length with a[0] = 1, in the type of the result."""
    b, a = np.atleast_1d(np.asarray(b)), np.atleast_1d(np.asarray(a))
    if b.ndim != 1 or a.ndim != 1:
        raise ShapeError(f"filter coefficients of shapes {b.shape} and {a.shape}", "Give two vectors.")
    if a[0] == 0:
        raise ValueError("The first coefficient of the denominator is 0.")
    b, a = b / a[0], a / a[0]
    size = max(b.shape[0], a.shape[0])
    if b.shape[0] < size:
        b = np.concatenate([b, np.zeros(size - b.shape[0])])
    if a.shape[0] < size:
        a = np.concatenate([a, np.zeros(size - a.shape[0])])
    dtype = np.result_type(b, a, x)
    return b.astype(dtype), a.astype(dtype)


def filtered(b, a, x, state):
    """(the filtered samples, the last state); samples and the state's elements along the first axis. Transposed direct form II."""
    y = np.zeros(x.shape, np.result_type(b, x, state))
    after_b, after_a = (np.reshape(c[1:], (c.shape[0] - 1, *(1,) * (x.ndim - 1))) for c in (b, a))
    last = np.zeros((1, *x.shape[1:]), y.dtype)
    for i in range(x.shape[0]):
        y[i] = b[0] * x[i] + state[0]
        state = np.concatenate([state[1:], last]) + after_b * x[i] - after_a * y[i]
    return y, state


def lfilter(b, a, x, axis=-1, zi=None):
    """scipy.signal.lfilter."""
    x = np.asarray(x)
    b, a = coefficients(b, a, x)
    moved = np.moveaxis(x, axis, 0)
    size = b.shape[0] - 1
    if size == 0:
        y = b[0] * x
        return y if zi is None else (y, np.asarray(zi))
    if zi is None:
        return np.moveaxis(filtered(b, a, moved, np.zeros((size, *moved.shape[1:]), b.dtype))[0], 0, axis)
    zi = np.moveaxis(np.asarray(zi), axis, 0)
    if zi.shape[0] != size:
        raise ShapeError(f"lfilter: {zi.shape[0]} states for a filter of order {size}", "Give one for each order.")
    y, state = filtered(b, a, moved, np.broadcast_to(zi, (size, *moved.shape[1:])) + np.zeros((), b.dtype))
    return np.moveaxis(y, 0, axis), np.moveaxis(state, 0, axis)


def lfilter_zi(b, a):
    """scipy.signal.lfilter_zi: the state in which a constant signal stays as it is."""
    b, a = coefficients(b, a, 1.0)
    size = a.shape[0] - 1
    shifted = np.eye(size, k=1) - np.reshape(a[1:], (size, 1)) * (np.arange(size) == 0)
    return np.linalg.solve(np.eye(size) - shifted, b[1:] - a[1:] * b[0])


def sosfilt(sos, x, axis=-1, zi=None):
    """scipy.signal.sosfilt."""
    sos, x = np.asarray(sos), np.asarray(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ShapeError(f"sosfilt: sections of shape {sos.shape}", "Give six coefficients for each section.")
    if np.any(sos[:, 3] != 1):
        raise ValueError("sos[:, 3] should be all ones")
    moved = np.moveaxis(x, axis, 0)
    dtype = np.result_type(sos, moved)
    states = []
    for k in range(sos.shape[0]):
        state = np.zeros((2, *moved.shape[1:]), dtype) if zi is None else np.moveaxis(np.asarray(zi)[k], axis, 0) + np.zeros((), dtype)
        moved, state = filtered(sos[k, :3], sos[k, 3:], moved, state)
        states.append(np.moveaxis(state, 0, axis))
    y = np.moveaxis(moved, 0, axis)
    return y if zi is None else (y, np.stack(states))


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """scipy.signal.filtfilt by padding."""
    if method != "pad":
        raise TransformError(f"filtfilt(method={method!r}) is not known to transformer", "Use method='pad'.")
    x = np.asarray(x)
    edge = 0 if padtype is None else 3 * max(np.size(a), np.size(b)) if padlen is None else padlen
    moved = extended("filtfilt", np.moveaxis(x, axis, -1), padtype, edge)
    start = lfilter_zi(b, a)
    y, _ = lfilter(b, a, moved, zi=start * moved[..., :1])
    y = np.flip(y, -1)
    y, _ = lfilter(b, a, y, zi=start * y[..., :1])
    y = np.flip(y, -1)
    return np.moveaxis(y[..., edge: y.shape[-1] - edge], -1, axis)


for _function in (lfilter, lfilter_zi, sosfilt, filtfilt):
    _function.entered = True
    FUNCTIONS[getattr(scipy.signal, _function.__name__)] = _function
