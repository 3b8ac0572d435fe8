"""Values that compiled programs add to arrays at several places: as they are, negated, or times a number."""

import numpy as np
import pytest

from transformer import grad, jit

rng = np.random.default_rng(0)
x = rng.normal(size=(20, 21))


def differences(x):
    wide = 4.0 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    flow = wide[1:] - wide[:-1]
    flow = np.where(flow * (x[2:-1, 1:-1] - x[1:-2, 1:-1]) > 0, 0, flow)
    return np.sum(flow[1:] ** 2) + np.sum((flow[:, 1:] - 3.0 * flow[:, :-1]) ** 3)


def spread(x, out):
    """Stores into zeros, then sums at other places, of multiples of one array."""
    y = np.zeros((22, 23), dtype=out.dtype)
    z = np.zeros((22, 23), dtype=out.dtype)
    y[:-2, 1:-1] = x
    y[1:-1, :-2] -= x
    y[1:-1, 2:] += x * 2
    z[2:, 2:] = -x
    z[1:-1, 1:-1] += 0.1 * x
    return y, z, out + z


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_values(dtype):
    given, out = (10 * x).astype(dtype), np.ones((22, 23), dtype)
    for got, want in zip(jit(spread)(given, out), spread(given, out), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def pads(f, *args):
    """The different paddings of a compiled program."""
    lines = jit(f).lower(*args).as_text().splitlines()
    return {line.split("stablehlo.pad")[1] for line in lines if "stablehlo.pad" in line}


def test_margins_are_made_once():
    assert len(pads(spread, x, np.ones((22, 23)))) == 1
    assert len(pads(grad(differences), x)) == 5


def test_numbers_that_are_not_finite():
    def f(x):
        out = np.ones((20, 21))
        out[:-1] += np.inf * x[1:]
        out[1:] += np.inf * x[1:]
        return out
    np.testing.assert_array_equal(jit(f)(np.abs(x)), f(np.abs(x)))


def test_zeros_keep_their_signs():
    def f(x):
        out = np.zeros((20, 21))
        out[1:] = -x[1:]
        shifted = np.zeros((20, 21))
        shifted[:-1] = -x[1:]
        return np.copysign(1.0, out), np.copysign(1.0, shifted)
    for got, want in zip(jit(f)(0 * np.abs(x)), f(0 * np.abs(x)), strict=True):
        np.testing.assert_array_equal(got, want)


def test_gradients():
    way = rng.normal(size=x.shape)
    slope = (differences(x + 1e-6 * way) - differences(x - 1e-6 * way)) / 2e-6
    np.testing.assert_allclose(np.sum(jit(grad(differences))(x) * way), slope, rtol=1e-6)
    np.testing.assert_allclose(jit(grad(differences))(x), grad(differences)(x))
    np.testing.assert_allclose(jit(grad(lambda x: np.sum(jit(grad(differences))(x) ** 2)))(x),
                               grad(lambda x: np.sum(grad(differences)(x) ** 2))(x))
