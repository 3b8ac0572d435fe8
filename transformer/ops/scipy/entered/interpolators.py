"""scipy.interpolate: objects that are called with points. Those made outside of the transformed function are known too.

Source of the equations of cubic splines: de Boor, A Practical Guide to Splines (1978).
"""

import math

import numpy as np
import scipy.interpolate as si
import scipy.linalg

from ....errors import ShapeError, TransformError, UnknownFunction
from ...op import FUNCTIONS

KINDS = ("linear", "slinear", "nearest", "nearest-up", "previous", "next")


def along(values, shape, axis):
    """Values at points (their first axis) in the shape of the points, which stand in place of the axis that was interpolated."""
    values = np.reshape(values, (*shape, *values.shape[1:]))
    return np.moveaxis(values, tuple(range(len(shape))), tuple(range(axis, axis + len(shape)))) if axis else values


def floats(x):
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(float)


class Object:
    """An object of scipy.interpolate."""

    entered = True

    def __getattr__(self, name):
        if name not in dir(getattr(si, self.kind)):
            raise AttributeError(f"{self.kind} has no attribute {name}")
        raise UnknownFunction(f"{self.kind}.{name} is not known to transformer", "Call the object at points.")


# values between samples ----------------------------------------------------------------------------------------
class Samples(Object):
    """scipy.interpolate.interp1d."""

    kind = "interp1d"

    def __init__(self, x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=math.nan, assume_sorted=False):
        if kind not in KINDS:
            raise TransformError(f"interp1d(kind={kind!r}) is not known to transformer", f"Choose {', '.join(KINDS)}; or use CubicSpline.")
        x, y = floats(x), floats(y)
        self.axis, self.how = axis % y.ndim, kind
        y = np.moveaxis(y, axis, 0)
        if x.ndim != 1 or x.shape[0] != y.shape[0]:
            raise ShapeError(f"interp1d: points of shape {x.shape} for {y.shape[0]} samples", "Give a point for each sample.")
        if not assume_sorted:
            order = np.argsort(x, kind="stable")
            x, y = x[order], y[order]
        self.x, self.y, self.below, self.above, self.extrapolated = x, y, math.nan, math.nan, False
        if isinstance(fill_value, str):
            self.beyond(fill_value, bounds_error)
        else:
            low, high = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
            self.below, self.above = np.asarray(low), np.asarray(high)
        self.checked = not isinstance(fill_value, str) and (bounds_error is None or bounds_error)

    def beyond(self, fill_value, bounds_error):
        if fill_value != "extrapolate" or bounds_error:
            raise TransformError(f"interp1d(fill_value={fill_value!r}, bounds_error={bounds_error})", "Pass a number, or 'extrapolate' alone.")
        self.extrapolated = self.how not in ("previous", "next")
        if self.how == "previous":
            self.above = self.y[-1]
        if self.how == "next":
            self.below = self.y[0]

    def __call__(self, x):
        x = floats(x)
        at = np.ravel(x)
        if self.checked:
            if np.any(at < self.x[0]):
                raise ValueError("A value is below the interpolation range.")
            if np.any(at > self.x[-1]):
                raise ValueError("A value is above the interpolation range.")
        column = (at.shape[0], *(1,) * (self.y.ndim - 1))
        values = self.between(at, column)
        if not self.extrapolated and not self.checked:
            values = np.where(np.reshape(at < self.x[0], column), self.below, values)
            values = np.where(np.reshape(at > self.x[-1], column), self.above, values)
        return along(values, x.shape, self.axis)

    def between(self, at, column):
        n = self.x.shape[0]
        if self.how in ("linear", "slinear"):
            high = np.clip(np.searchsorted(self.x, at), 1, n - 1)
            low = high - 1
            slope = (self.y[high] - self.y[low]) / np.reshape(self.x[high] - self.x[low], column)
            return slope * np.reshape(at - self.x[low], column) + self.y[low]
        if self.how in ("nearest", "nearest-up"):
            middles = self.x[:-1] + (self.x[1:] - self.x[:-1]) / 2.0
            found = np.searchsorted(middles, at, side="left" if self.how == "nearest" else "right")
        elif self.how == "previous":
            found = np.searchsorted(self.x, at, side="right") - 1
        else:
            found = np.searchsorted(self.x, at, side="left")
        return np.where(np.reshape(np.isnan(at), column), math.nan, self.y[np.clip(found, 0, n - 1)])


def interp1d(x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=math.nan, assume_sorted=False):
    """scipy.interpolate.interp1d."""
    return Samples(x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted)


def known_samples(made):
    """The object that scipy made."""
    kind = made._kind
    if kind == "spline":
        kind = "slinear" if made._spline.k == 1 else f"of splines of order {made._spline.k}"
    fill = "extrapolate" if made.__dict__.get("_extrapolate") and kind not in ("previous", "next") else made.fill_value
    y = np.moveaxis(made.y, made.axis, -1)
    ours = Samples(made.x, y, kind, -1, True, None if isinstance(fill, str) else bool(made.bounds_error), fill, True)
    ours.axis = made.axis % made.y.ndim
    return ours


# grids ----------------------------------------------------------------------------------------------------------
class Grid(Object):
    """scipy.interpolate.RegularGridInterpolator."""

    kind = "RegularGridInterpolator"

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=math.nan):
        self.check(method)
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        values = floats(values)
        if len(points) > values.ndim or any(np.shape(p) != (n,) for p, n in zip(points, values.shape)):
            raise ShapeError(f"RegularGridInterpolator: points of shapes {[np.shape(p) for p in points]} for values of shape {values.shape}",
                             "Give a vector of points for each axis.")
        self.grid = []
        for axis, p in enumerate(points):
            p = floats(p)
            if p.shape[0] > 1 and p[1] < p[0]:
                p, values = np.flip(p), np.flip(values, axis)
            self.grid.append(p)
        self.values = values

    def check(self, method):
        if method not in ("linear", "nearest"):
            raise TransformError(f"RegularGridInterpolator(method={method!r}) is not known to transformer", "Choose 'linear' or 'nearest'.")

    def __call__(self, xi, method=None, *, nu=None):
        if nu is not None:
            raise TransformError("RegularGridInterpolator(nu=...) is not known to transformer", "Differentiate with grad.")
        method = self.method if method is None else method
        self.check(method)
        if isinstance(xi, tuple):
            xi = np.stack(np.broadcast_arrays(*map(np.asarray, xi)), axis=-1)
        xi = floats(xi)
        count = len(self.grid)
        if xi.ndim == 1 and count == 1:
            xi = xi[:, None]
        if xi.shape[-1] != count:
            raise ShapeError(f"RegularGridInterpolator: points of {xi.shape[-1]} coordinates on a grid of {count} axes", "Give one for each axis.")
        at = np.reshape(xi, (-1, count)).T
        outside = np.zeros(at.shape[1], bool)
        for k, p in enumerate(self.grid):
            outside = outside | (at[k] < p[0]) | (at[k] > p[-1])
        if self.bounds_error:
            if np.any(outside):
                raise ValueError("One of the requested xi is out of bounds")
        values = self.between(at, method)
        column = (at.shape[1], *(1,) * (values.ndim - 1))
        if not self.bounds_error and self.fill_value is not None:
            values = np.where(np.reshape(outside, column), self.fill_value, values)
        values = np.where(np.reshape(np.any(np.isnan(at), axis=0), column), math.nan, values)
        return np.reshape(values, (*xi.shape[:-1], *values.shape[1:]))

    def between(self, at, method):
        corners = [((), 1.0)]
        for k, p in enumerate(self.grid):
            n = p.shape[0]
            low = np.clip(np.searchsorted(p, at[k]) - 1, 0, max(n - 2, 0))
            high = np.minimum(low + 1, n - 1)
            share = (at[k] - p[low]) / np.where(high > low, p[high] - p[low], 1.0)
            if method == "nearest":
                corners = [((*index, np.where(share <= 0.5, low, high)), weight) for index, weight in corners]
            else:
                corners = [((*index, i), weight * w) for index, weight in corners for i, w in ((low, 1.0 - share), (high, share))]
        column = (at.shape[1], *(1,) * (self.values.ndim - len(self.grid)))
        return sum([self.values[index] * (np.reshape(weight, column) if np.ndim(weight) else weight) for index, weight in corners])


def regular_grid(points, values, method="linear", bounds_error=True, fill_value=math.nan, *, solver=None, solver_args=None):
    """scipy.interpolate.RegularGridInterpolator."""
    return Grid(points, values, method, bounds_error, fill_value)


def known_grid(made):
    """The object that scipy made."""
    return Grid(made.grid, made.values, made.method, made.bounds_error, made.fill_value)


# piecewise polynomials ----------------------------------------------------------------------------------------------
class Polynomials(Object):
    """scipy.interpolate.PPoly: c[k, i] is the coefficient of (x - x[i]) ** (degree - k) between x[i] and x[i + 1]."""

    kind = "CubicSpline"

    def __init__(self, c, x, extrapolate=True, axis=0):
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __call__(self, x, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if nu:
            return self.derivative(nu)(x, 0, extrapolate)
        x = floats(x)
        at = np.ravel(x)
        if isinstance(extrapolate, str):
            at = self.x[0] + (at - self.x[0]) % (self.x[-1] - self.x[0])
        place = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, self.x.shape[0] - 2)
        column = (at.shape[0], *(1,) * (self.c.ndim - 2))
        step, values = np.reshape(at - self.x[place], column), self.c[0][place]
        for k in range(1, self.c.shape[0]):
            values = values * step + self.c[k][place]
        if not extrapolate:
            values = np.where(np.reshape((at < self.x[0]) | (at > self.x[-1]), column), math.nan, values)
        elif self.c.shape[0] == 1:
            values = np.where(np.reshape(np.isnan(at), column), math.nan, values)
        return along(values, x.shape, self.axis)

    def derivative(self, nu=1):
        """The derivative of that order, which may be negative."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            top = c.shape[0] - 1
            powers = np.reshape(np.arange(top, 0, -1), (top, *(1,) * (c.ndim - 1)))
            c = c[:-1] * powers if top else np.zeros_like(c)
        return Polynomials(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        """The integral from the first point on, as often."""
        if nu <= 0:
            return self.derivative(-nu)
        c, lengths = self.c, np.reshape(self.x[1:] - self.x[:-1], (-1, *(1,) * (self.c.ndim - 2)))
        for _ in range(nu):
            c = c / np.reshape(np.arange(c.shape[0], 0, -1), (c.shape[0], *(1,) * (c.ndim - 1)))
            totals = c[0] * lengths
            for k in range(1, c.shape[0]):
                totals = (totals + c[k]) * lengths
            starts = np.concatenate([np.zeros_like(totals[:1]), np.cumsum(totals, axis=0)[:-1]])
            c = np.concatenate([c, starts[None]])
        return Polynomials(c, self.x, False if isinstance(self.extrapolate, str) else self.extrapolate, self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if isinstance(extrapolate, str):
            raise TransformError("the integral of a periodic spline is not known to transformer", "Integrate within one period, extrapolate=False.")
        whole = self.antiderivative()
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)


def ends_of(bc_type):
    """The conditions at both ends, each "not-a-knot" or (order of a derivative, its value)."""
    names = {"clamped": (1, 0.0), "natural": (2, 0.0), "not-a-knot": "not-a-knot"}
    both = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    found = [names.get(end) if isinstance(end, str) else end for end in both]
    if len(found) != 2 or any(end is None or not isinstance(end, str) and end[0] not in (1, 2) for end in found):
        raise TransformError(f"CubicSpline(bc_type={bc_type!r}) is not known to transformer", "Choose 'not-a-knot', 'natural', 'clamped' or derivatives.")
    return found


def start_row(end, d, slope):
    """(diagonal, its neighbour, right side) of the equation at the first point; d: lengths of intervals, slope: of the chords."""
    if isinstance(end, str):
        both = d[0] + d[1]
        return d[1], both, ((d[0] + 2 * both) * d[1] * slope[0] + d[0] ** 2 * slope[1]) / both
    if end[0] == 1:
        return 1.0, 0.0, np.zeros_like(slope[0]) + end[1]
    return 2 * d[0], d[0], 3 * d[0] * slope[0] - 0.5 * end[1] * d[0] ** 2


def derivatives_at_points(d, slope, ends):
    """The spline's derivatives at its points: a system of equations with three diagonals."""
    n = d.shape[0] + 1
    if n == 2:
        ends = [(1, slope[0]) if isinstance(end, str) else end for end in ends]
    column = np.reshape(d, (-1, *(1,) * (slope.ndim - 1)))
    inner = 3 * (column[1:] * slope[:-1] + column[:-1] * slope[1:])
    if n == 3 and all(isinstance(end, str) for end in ends):
        first, last = (1.0, 1.0, 2 * slope[0]), (1.0, 1.0, 2 * slope[1])
    else:
        backward = [end if isinstance(end, str) or end[0] == 1 else (2, -1.0 * end[1]) for end in ends]
        first, last = start_row(ends[0], d, slope), start_row(backward[1], d[::-1], slope[::-1])
    edge = np.zeros(1)
    upper = np.concatenate([edge, np.reshape(np.asarray(first[1]) * 1.0, (1,)), d[:-1]])
    middle = np.concatenate([np.reshape(np.asarray(first[0]) * 1.0, (1,)), 2 * (d[:-1] + d[1:]), np.reshape(np.asarray(last[0]) * 1.0, (1,))])
    lower = np.concatenate([d[1:], np.reshape(np.asarray(last[1]) * 1.0, (1,)), edge])
    right = np.concatenate([first[2][None], inner, last[2][None]])
    flat = scipy.linalg.solve_banded((1, 1), np.stack([upper, middle, lower]), np.reshape(right, (n, -1)))
    return np.reshape(flat, right.shape)


def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """scipy.interpolate.CubicSpline."""
    x, y = floats(x), floats(y)
    place = axis % y.ndim
    y = np.moveaxis(y, axis, 0)
    if x.ndim != 1 or x.shape[0] != y.shape[0] or x.shape[0] < 2:
        raise ShapeError(f"CubicSpline: points of shape {x.shape} for {y.shape[0]} samples", "Give two points or more, one for each sample.")
    d = x[1:] - x[:-1]
    column = np.reshape(d, (-1, *(1,) * (y.ndim - 1)))
    slope = (y[1:] - y[:-1]) / column
    s = derivatives_at_points(d, slope, ends_of(bc_type))
    bend = (s[:-1] + s[1:] - 2 * slope) / column
    c = np.stack([bend / column, (slope - s[:-1]) / column - bend, s[:-1], y[:-1]])
    return Polynomials(c, x, True if extrapolate is None else extrapolate, place)


def known_polynomials(made):
    """The object that scipy made."""
    return Polynomials(made.c, made.x, made.extrapolate, made.axis)


for _scipy, _make, _known in ((si.interp1d, interp1d, known_samples), (si.RegularGridInterpolator, regular_grid, known_grid),
                              (si.CubicSpline, cubic_spline, known_polynomials)):
    _make.entered = True
    FUNCTIONS[_scipy], FUNCTIONS.instances[_scipy] = _make, _known
for _scipy in (si.PPoly, si.PchipInterpolator, si.Akima1DInterpolator):
    FUNCTIONS.instances[_scipy] = known_polynomials
