"""ufunc.reduce and ufunc.accumulate of the functions that have no reduction of their own: loops over an axis, entered as user code is.

np.power and np.arctan2 are left out: NumPy 2.4 reduces vectors by their first and last elements alone.
"""

import numpy as np

from .op import FUNCTIONS


def folded(ufunc, x, axis, dtype, keepdims, initial, where):
    """ufunc(... ufunc(ufunc(x[0], x[1]), x[2]) ..., x[-1]) along an axis."""
    x = np.asarray(x) if dtype is None else np.asarray(x, dtype)
    if where is not True or axis is None and x.ndim != 1 or isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError(f"np.{ufunc.__name__}.reduce goes along one axis, over all of its elements")
    place = (axis[0] if isinstance(axis, tuple) else axis or 0) % x.ndim
    x = np.moveaxis(x, place, 0)
    start = 0 if initial is not None else 1
    if x.shape[0] < start:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    total = x[0] if initial is None else np.asarray(initial, x.dtype)
    for i in range(start, x.shape[0]):
        total = ufunc(total, x[i])
    return np.expand_dims(total, place) if keepdims else total


def running(ufunc, x, axis, dtype):
    """The results of `folded` for the first elements along an axis, one more each time."""
    x = np.asarray(x) if dtype is None else np.asarray(x, dtype)
    x = np.moveaxis(x, axis, 0)
    found = x * 1
    for i in range(1, x.shape[0]):
        found[i] = ufunc(found[i - 1], x[i])
    return np.moveaxis(found, 0, axis)


def declare(ufunc):
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return folded(ufunc, array, axis, dtype, keepdims, initial, where)

    def accumulate(array, axis=0, dtype=None, out=None):
        return running(ufunc, array, axis, dtype)
    reduce.entered = accumulate.entered = True
    FUNCTIONS.setdefault(ufunc.reduce, reduce)
    FUNCTIONS.setdefault(ufunc.accumulate, accumulate)


for _ufunc in (np.subtract, np.divide, np.float_power, np.hypot, np.copysign, np.logaddexp, np.logaddexp2, np.fmod, np.remainder,
               np.maximum, np.minimum, np.fmax, np.fmin, np.heaviside, np.nextafter):
    declare(_ufunc)
