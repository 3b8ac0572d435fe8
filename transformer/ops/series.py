"""np.polynomial: values of series in orthogonal polynomials; and pieces of an axis: ufunc.reduceat, sliding windows."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from ..errors import ShapeError
from .op import array, function


# series: the three-term recurrence b[n+1] = (alpha x + beta) b[n] - gamma b[n-1] ------------------------------------------
def _power(n):
    return 1, 0, 0


def _chebyshev(n):
    return (2 if n else 1), 0, 1


def _legendre(n):
    return (2 * n + 1) / (n + 1), 0, n / (n + 1)


def _hermite(n):
    return 2, 0, 2 * n


def _hermite_e(n):
    return 1, 0, n


def _laguerre(n):
    return -1 / (n + 1), (2 * n + 1) / (n + 1), n / (n + 1)


def value(recurrence, x, c, tensor):
    """The sum of c[n] b[n](x), with the coefficients along the first axis of c."""
    x, c = array(x), array(c)
    if tensor and np.ndim(c) > 1:
        c = np.reshape(c, np.shape(c) + (1,) * np.ndim(x))
    before, basis = None, 1.0
    total = c[0] + 0 * x
    for n in range(1, np.shape(c)[0]):
        alpha, beta, gamma = recurrence(n - 1)
        after = (alpha * x + beta if beta else alpha * x if alpha != 1 else x) * basis
        before, basis = basis, after if before is None or not gamma else after - gamma * before
        total = total + c[n] * basis
    return total


def _declare(fn, recurrence):
    def user(x, c, tensor=True):
        return value(recurrence, x, c, tensor)
    user.__doc__ = f"np.polynomial's {fn.__name__}."
    function(fn)(user)


for _fn, _recurrence in {polynomial.polyval: _power, chebyshev.chebval: _chebyshev, legendre.legval: _legendre, hermite.hermval: _hermite,
                         hermite_e.hermeval: _hermite_e, laguerre.lagval: _laguerre}.items():
    _declare(_fn, _recurrence)


# pieces of an axis ----------------------------------------------------------------------------------------------------------
def _declare_pieces(ufunc):
    """ufunc.reduceat: each piece is reduced by itself, so the indices must be known."""
    def user(x, indices, axis=0, dtype=None, out=None):
        x = array(x) if dtype is None else np.astype(array(x), dtype)
        axis, starts = axis % np.ndim(x), [int(i) for i in indices]
        pieces = []
        for start, stop in zip(starts, [*starts[1:], np.shape(x)[axis]]):
            if not 0 <= start < np.shape(x)[axis]:
                raise ShapeError(f"reduceat: index {start} is outside of an axis of {np.shape(x)[axis]}", "Give indices within.")
            part = x[(slice(None),) * axis + (slice(start, max(stop, start + 1)),)]
            pieces.append(ufunc.reduce(part, axis=axis, keepdims=True))
        return np.concatenate(pieces, axis=axis)
    function(ufunc.reduceat)(user)


for _ufunc in (np.add, np.multiply, np.maximum, np.minimum):
    _declare_pieces(_ufunc)


@function(sliding_window_view)
def windows(x, window_shape, axis=None, *, subok=False, writeable=False):
    """np.lib.stride_tricks.sliding_window_view: windows along axes, their elements on new last axes."""
    x = array(x)
    sizes = tuple(window_shape) if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = tuple(range(np.ndim(x))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(sizes) != len(axes):
        raise ShapeError(f"sliding_window_view: {len(sizes)} sizes for {len(axes)} axes", "Give one size per axis.")
    for size, k in zip(sizes, (k % np.ndim(x) for k in axes)):
        count = np.shape(x)[k] - size + 1
        if count < 0:
            raise ShapeError(f"sliding_window_view: a window of {size} on an axis of {np.shape(x)[k]}", "Windows are not longer than their axis.")
        places = np.arange(count)[:, None] + np.arange(size)
        x = np.moveaxis(np.take(x, places, axis=k), k + 1, -1)
    return x
