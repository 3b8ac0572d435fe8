"""scipy.integrate: integrals of samples.

Source of the last interval of an even number of points: Cartwright, Simpson's rule cumulative integration with MS Excel and
irregularly-spaced data (2017).
"""

import numpy as np
import scipy.integrate

from ...errors import ShapeError, TransformError
from ..op import FUNCTIONS, array, function
from .options import floating, normal_axis

trapezoid = FUNCTIONS[np.trapezoid]
FUNCTIONS[scipy.integrate.trapezoid] = trapezoid


def samples(name, y, x, dx, axis):
    """(y with its axis last, the lengths of the intervals): those are a number, a vector or an array like y."""
    y = floating(array(y))
    axis = normal_axis(name, axis, np.ndim(y))
    y = np.moveaxis(y, axis, -1)
    if x is None:
        if np.ndim(dx):
            raise ShapeError(f"{name} needs a number dx, not an array of shape {np.shape(dx)}", "Give the points as x.")
        return y, dx
    x = floating(array(x))
    if np.ndim(x) not in (1, np.ndim(y)):
        raise ShapeError(f"{name}: points of shape {np.shape(x)} for samples of shape {np.shape(y)}", "Give a vector, or as many axes.")
    x = x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1)
    if np.shape(x)[-1] != np.shape(y)[-1]:
        raise ShapeError(f"{name}: {np.shape(x)[-1]} points for {np.shape(y)[-1]} samples", "Give a point for each sample.")
    return y, np.diff(x)


def part(d, *slices):
    """A part of the lengths of intervals, where they differ."""
    return d[(..., *slices)] if np.ndim(d) else d


@function(scipy.integrate.simpson)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """scipy.integrate.simpson."""
    y, d = samples("simpson", y, x, dx, axis)
    n = np.shape(y)[-1]
    if n == 0:
        raise ShapeError("simpson of no samples", "Give at least one.")
    if n < 3:
        return np.sum(d * (y[..., 1:] + y[..., :-1]), axis=-1) * 0.5
    total = pairs(y[..., : n - 1 + n % 2], part(d, slice(None, n - 2 + n % 2)))
    if n % 2:
        return total
    return total + last_interval(y, part(d, -2), part(d, -1))


def pairs(y, d):
    """Simpson's rule for an odd number of points."""
    first, middle, last = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    if not np.ndim(d):
        return np.sum(first + 4.0 * middle + last, axis=-1) * (d / 3.0)
    before, after = part(d, slice(None, None, 2)), part(d, slice(1, None, 2))
    both = before + after
    weighted = first * (2.0 - after / before) + middle * (both * both / (before * after)) + last * (2.0 - before / after)
    return np.sum(both / 6.0 * weighted, axis=-1)


def last_interval(y, before, after):
    """The integral over the last interval, of the parabola through the last three points."""
    both = before + after
    return (y[..., -1] * ((2.0 * after ** 2 + 3.0 * before * after) / (6.0 * both)) + y[..., -2] * ((after ** 2 + 3.0 * before * after) / (6.0 * before))
            - y[..., -3] * (after ** 3 / (6.0 * before * both)))


@function(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """scipy.integrate.cumulative_trapezoid."""
    if initial is not None and (np.ndim(initial) or initial != 0):
        raise TransformError("cumulative_trapezoid needs initial=0 or None", "Add other values to the result.")
    ndim = np.ndim(y)
    y, d = samples("cumulative_trapezoid", y, x, dx, axis)
    found = np.cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        found = np.concatenate([np.zeros_like(found[..., :1]) if np.shape(found)[-1] else np.zeros_like(y), found], axis=-1)
    return np.moveaxis(found, -1, axis % ndim)


@function(scipy.integrate.cumulative_simpson)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """scipy.integrate.cumulative_simpson."""
    ndim = np.ndim(y)
    y, d = samples("cumulative_simpson", y, x, dx, axis)
    n = np.shape(y)[-1]
    steps = d * (y[..., 1:] + y[..., :-1]) / 2.0 if n < 3 else by_parabolas(y, d if np.ndim(d) else np.full(n - 1, 1.0) * d)
    found = np.cumsum(steps, axis=-1)
    if initial is not None:
        initial = array(initial)
        initial = np.moveaxis(initial, axis, -1) if np.ndim(initial) == ndim else initial
        found = found + initial
        found = np.concatenate([np.broadcast_to(initial, (*np.shape(found)[:-1], 1)), found], axis=-1)
    return np.moveaxis(found, -1, axis % ndim)


def by_parabolas(y, d):
    """The integrals over the single intervals: two by the parabola through their three points, the last of an odd number by that of the last three."""
    n = np.shape(y)[-1]
    ahead = first_of_two(y, d)
    behind = np.flip(first_of_two(np.flip(y, -1), np.flip(d, -1)), -1)
    at = np.arange(n - 1)
    from_first = (at % 2 == 0) & (at < n - 2)
    edge = ((0, 0),) * (np.ndim(y) - 1)
    return np.where(from_first, np.pad(ahead, (*edge, (0, 1))), np.pad(behind, (*edge, (1, 0))))


def first_of_two(y, d):
    """The integrals over intervals, each of the parabola through its two points and the next."""
    own, next_ = d[..., :-1], d[..., 1:]
    share, bend = own / (own + next_), own ** 2 / (next_ * (own + next_))
    return own / 6.0 * ((3.0 - share) * y[..., :-2] + (3.0 + bend + share) * y[..., 1:-1] - bend * y[..., 2:])


__all__ = ["cumulative_simpson", "cumulative_trapezoid", "simpson"]
