"""scipy.interpolate: objects that are called with points, made inside of the transformed function or outside."""

import numpy as np
import pytest
import scipy.interpolate as si

import transformer
from tests.scipy.checks import check, check_value

RNG = np.random.default_rng(0)
X, Y, ROWS = np.sort(RNG.uniform(0, 5, 7)), RNG.normal(size=7), RNG.normal(size=(3, 7))
MIXED = RNG.permutation(7)
AT = np.linspace(X[0] + 0.01, X[-1] - 0.01, 5) * 0.98 + 0.02
FAR = np.array([[X[0] - 1, X[0], X[2]], [X[-1], X[-1] + 1, 0.5 * (X[2] + X[3])]])
KINDS = ["linear", "slinear", "nearest", "nearest-up", "previous", "next"]


# samples -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_values_between_samples(kind):
    check(lambda x, y, p: si.interp1d(x, y, kind)(p), X, Y, AT, order2=kind == "linear")
    check_value(lambda p: si.interp1d(X, Y, kind, bounds_error=False, fill_value=(1.0, 2.0))(p), FAR)
    check_value(lambda p: si.interp1d(X[MIXED], ROWS[:, MIXED], kind, bounds_error=False)(p), FAR)
    check_value(lambda p: si.interp1d(X, ROWS, kind, fill_value="extrapolate")(p), FAR)
    check_value(lambda p: si.interp1d(X, ROWS.T, kind, axis=0, fill_value=0.5, bounds_error=False)(p), FAR)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_made_outside(kind):
    filled = si.interp1d(X, ROWS, kind, fill_value=(0.3, 0.4), bounds_error=False)
    further = si.interp1d(X, ROWS.T, kind, axis=0, fill_value="extrapolate")
    strict = si.interp1d(X, Y, kind)
    check_value(lambda p: filled(p), FAR, jit=True)
    check_value(lambda p: further(p), FAR)
    check(lambda p: strict(p), AT, order2=False)
    for fn in (lambda p: strict(p[0])[0], lambda p: si.interp1d(X, Y, kind)(p[0])[0]):
        with pytest.raises(ValueError, match="below"):
            transformer.grad(fn)(FAR)
        with pytest.raises(ValueError, match="below"):
            float(transformer.jit(fn)(FAR))


# grids -----------------------------------------------------------------------------------------------------------
GRID = [np.sort(RNG.uniform(0, 3, 4)), np.sort(RNG.uniform(0, 3, 5))]
TABLE, DEEP = RNG.normal(size=(4, 5)), RNG.normal(size=(4, 5, 2))
INSIDE = np.stack([RNG.uniform(g[0] + 0.03, g[-1] - 0.03, 6) for g in GRID], -1) * 0.98 + 0.02


def test_grids():
    check(lambda v, q: si.RegularGridInterpolator(GRID, v)(q), TABLE, INSIDE)
    check(lambda a, b, v, q: si.RegularGridInterpolator((a, b), v)(q), *GRID, TABLE, INSIDE, order2=False)
    anywhere = RNG.uniform(-1, 4, (3, 4, 2))
    for method in ("linear", "nearest"):
        for fill in (np.nan, 0.5, None):
            check_value(lambda v, q, m=method, f=fill: si.RegularGridInterpolator(GRID, v, m, False, f)(q), DEEP, anywhere)
        check_value(lambda v, q, m=method: si.RegularGridInterpolator((GRID[0][::-1], GRID[1]), v, m)(q), TABLE, INSIDE)
        check_value(lambda q, m=method: si.RegularGridInterpolator(GRID, TABLE, m)((q[:, :1], q[:, 1])), INSIDE)
        made = si.RegularGridInterpolator(GRID, TABLE, method)
        check(lambda q, made=made: made(q), INSIDE, order2=False)
        with pytest.raises(ValueError, match="out of bounds"):
            transformer.grad(lambda q, made=made: made(q)[0])(INSIDE + 10)


# splines -----------------------------------------------------------------------------------------------------------
ENDS = ["not-a-knot", "natural", "clamped", ((1, 0.3), (2, 0.5)), ("not-a-knot", (2, 0.4)), ((2, 0.2), "not-a-knot")]


@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_cubic_splines(ends):
    for n in (2, 3, 4):
        check_value(lambda x, y, p: si.CubicSpline(x, y, bc_type=ends)(p), X[:n], Y[:n], AT)
    check(lambda x, y, p: si.CubicSpline(x, y, bc_type=ends)(p), X, Y, AT, order2=ends == "not-a-knot", rtol=1e-8)


def test_what_is_asked_of_splines():
    check(lambda y, p: si.CubicSpline(X, y, axis=1, bc_type="natural")(p), ROWS, FAR, order2=False, rtol=1e-8)
    for order in (1, 2, 3, 4, -1, -2):
        check_value(lambda y, p, k=order: si.CubicSpline(X, y).derivative(k)(p), Y, FAR, rtol=1e-8)
    check(lambda y, p: si.CubicSpline(X, y)(p, 1) + si.CubicSpline(X, y).antiderivative()(p), Y, AT, order2=False, rtol=1e-8)
    check(lambda y: si.CubicSpline(X, y).integrate(X[0] + 0.1, X[-1] + 0.2), Y, order2=False, rtol=1e-8)
    for mode in (False, "periodic"):
        check_value(lambda p, m=mode: si.CubicSpline(X, Y, extrapolate=m)(p), FAR, rtol=1e-8)


def test_splines_made_outside():
    spline, shape = si.CubicSpline(X, ROWS, axis=1), si.PchipInterpolator(X, Y)
    check(lambda p: spline(p), FAR, order2=False)
    check_value(lambda p: spline.derivative()(p) + spline(p, 2) + spline.integrate(X[0], X[1])[:, None, None], FAR)
    check(lambda p: shape(p), AT, order2=False)


@pytest.mark.parametrize("call, words", [
    (lambda p: si.interp1d(X, p, "cubic")(X), "cubic"), (lambda p: si.interp1d(X, p, fill_value="odd")(X), "odd"),
    (lambda p: si.interp1d(X[1:], p)(X), "point for each"), (lambda p: si.CubicSpline(X, p, bc_type="periodic")(X), "periodic"),
    (lambda p: si.CubicSpline(X, p).solve(0.5), "solve"), (lambda p: si.RegularGridInterpolator((X,), p, "cubic")(X), "cubic"),
    (lambda p: si.RegularGridInterpolator((X,), p)(X[:, None], nu=1), "nu"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda p: np.sum(call(p)))(Y)
