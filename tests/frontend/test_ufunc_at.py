"""`ufunc.at`: places that occur several times count each time, in order."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 0.9, 0.7, 0.2])


def largest(x):
    m = np.zeros(4)
    np.maximum.at(m, [0, 1, 1, 3], x)
    return np.sum(m ** 2)


def products(x):
    m = x.copy()
    np.multiply.at(m, np.array([0, 1, 1, 3]), x)
    return np.sum(m)


def quotients(x):
    m = x.copy()
    np.divide.at(m, np.array([0, 0]), 2.0)
    return np.sum(m * np.arange(4.0)) + m[0]


def under_a_mask(x):
    m = x * x
    np.minimum.at(m, x > 0.5, 0.3)
    return np.sum(m * np.arange(1.0, 5.0))


def in_a_matrix(x):
    m = np.outer(x, x)
    np.maximum.at(m, (np.array([0, 1, 1]), np.array([2, 2, 2])), x[:3])
    return np.sum(m * np.arange(4.0))


def powers(x):
    m = x + 1
    np.power.at(m, [1, 2], 2.0)
    return np.sum(m)


def through_a_view(x):
    m = x.copy()
    np.maximum.at(m[1:], [0, 0], x[:2] * 3)
    return np.sum(m)


def known_places_only(x):
    m = np.arange(4.0)
    np.multiply.at(m, [1, 1], 3.0)
    return np.sum(m * x)


@pytest.mark.parametrize("f", [largest, products, quotients, under_a_mask, in_a_matrix, powers, through_a_view, known_places_only])
def test_values_and_gradients(f):
    value, slope = T.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14) and T.jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    way = np.array([0.5, -0.4, 0.8, 0.3])
    assert slope @ way == pytest.approx((f(X + 1e-6 * way) - f(X - 1e-6 * way)) / 2e-6, rel=1e-6)
    np.testing.assert_allclose(T.vmap(f)(np.stack([X, 2 * X])), [f(X), f(2 * X)], rtol=1e-14)


def test_types_that_numpy_refuses():
    def f(x):
        m = np.zeros(4, int)
        np.multiply.at(m, [0], x[0])
        return np.sum(m)
    with pytest.raises(T.errors.TypeMismatch, match="np.multiply.at stores float64 into an array of int64"):
        T.grad(f)(X)


KEPT = np.ones(3)


def test_arrays_from_outside_are_not_changed():
    def f(x):
        np.maximum.at(KEPT, [0], 5.0)
        return np.sum(x * KEPT)
    with pytest.raises(T.TransformError, match="KEPT"):
        T.grad(f)(np.ones(3))
    assert np.all(KEPT == 1)
