"""scipy.interpolate with JAX's types."""

import itertools

import numpy as np

from ..errors import ShapeError, TransformError
from ..numpy import array, asarray, clip, searchsorted, where


class RegularGridInterpolator:
    """Values on a rectangular grid, interpolated; call it with points, whose last axis is as long as the grid has axes.

    points: a vector of increasing places for each axis. values: their shape begins with the lengths of these. method: "linear" or
    "nearest". fill_value: what is outside (None: the interpolation goes on there).

    >>> line = RegularGridInterpolator((np.array([0.0, 1.0, 3.0]),), np.array([0.0, 2.0, 4.0]))
    >>> line(np.array([[0.5], [2.0], [9.0]]))
    Array([ 1.,  3., nan], dtype=float32)
    """

    def __init__(self, points, values, method="linear", bounds_error=False, fill_value=np.nan):
        if method not in ("linear", "nearest"):
            raise TransformError(f"RegularGridInterpolator does not know the method {method!r}", 'Use "linear" or "nearest".')
        if bounds_error:
            raise TransformError("RegularGridInterpolator with bounds_error=True", "Leave it out, or pass a fill_value.")
        self.grid, self.values = tuple(asarray(p) for p in points), asarray(values)
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        for k, places in enumerate(self.grid):
            if np.ndim(places) != 1 or k >= np.ndim(self.values) or places.shape[0] != self.values.shape[k]:
                raise ShapeError(f"axis {k} of a grid has places of shape {np.shape(places)} and values of shape {np.shape(self.values)}",
                                 "Give a vector of places for each of the first axes of the values.")

    def __call__(self, xi, method=None):
        """The interpolated values at points: the shape of `xi` without its last axis, then that of one value."""
        xi, method = asarray(xi), method or self.method
        if xi.shape[-1] != len(self.grid):
            raise ShapeError(f"points of shape {xi.shape} in a grid of {len(self.grid)} axes", "The last axis has a coordinate for each axis of the grid.")
        flat = xi.reshape((-1, len(self.grid)))
        lower, shares, outside = [], [], False
        for k, places in enumerate(self.grid):
            x = flat[:, k]
            at = clip(searchsorted(places, x, side="right") - 1, 0, places.shape[0] - 2)
            lower.append(at)
            shares.append((x - places[at]) / (places[at + 1] - places[at]))
            outside = outside | (x < places[0]) | (x > places[-1])
        found = self.corners(lower, shares) if method == "linear" else self.values[tuple(where(s <= 0.5, i, i + 1) for i, s in zip(lower, shares))]
        if self.fill_value is not None:
            found = where(self.columns(outside), array(self.fill_value, found.dtype), found)
        return found.reshape((*xi.shape[:-1], *self.values.shape[len(self.grid):]))

    def columns(self, rows):
        """A number a point, as it is combined with values."""
        return rows.reshape((-1,) + (1,) * (np.ndim(self.values) - len(self.grid)))

    def corners(self, lower, shares):
        """The sum of the values at the corners of each point's cell, weighted by their shares."""
        total = 0.0
        for corner in itertools.product((0, 1), repeat=len(lower)):
            weight = 1.0
            for upper, share in zip(corner, shares):
                weight = weight * (share if upper else 1 - share)
            total = total + self.values[tuple(i + upper for i, upper in zip(lower, corner))] * self.columns(weight)
        return total


__all__ = ["RegularGridInterpolator"]
