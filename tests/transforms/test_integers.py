"""Integers among the primals of jvp, vjp and linearize: floats, unless the function needs them as integers."""

import numpy as np
import pytest

import transformer as T

X = np.arange(5.0) * 0.3
ONES = np.ones(5)


def prefix(x, n):
    total = 0.0
    for i in range(n):
        total = total + np.sin(x[i]) * x[n]
    return total * n


def sized(x, n):
    return np.sum(np.zeros(n) + x[:n] ** 2)


def sliced(x, n):
    return np.sum(x[n:] ** 2) + np.sum(x[n::-1])


@pytest.mark.parametrize("fn", [prefix, sized, sliced])
@pytest.mark.parametrize("zero", [0, np.zeros((), T.float0)], ids=["zero", "float0"])
def test_bounds_and_sizes_are_constants(fn, zero):
    value, slope = fn(X, 3), np.sum(T.grad(fn)(X, 3))
    np.testing.assert_allclose(T.jvp(fn, (X, 3), (ONES, zero)), (value, slope))
    found, push = T.linearize(fn, X, 3)
    np.testing.assert_allclose((found, push(ONES, zero)), (value, slope))
    np.testing.assert_allclose(T.jit(lambda x: T.jvp(fn, (x, 3), (ONES, zero)))(X), (value, slope))


@pytest.mark.parametrize("wrap", [lambda g: g, T.jit])
def test_cotangents_of_indices_are_float0(wrap):
    x_bar, n_bar = wrap(lambda x: T.vjp(prefix, x, 3)[1](1.0))(X)
    np.testing.assert_allclose(x_bar, T.grad(prefix)(X, 3))
    assert n_bar.dtype == T.float0 and n_bar.shape == ()


def test_other_integers_are_floats():
    assert T.jvp(lambda x: x ** 3, (2,), (1,)) == (8.0, 12.0)
    assert T.vjp(lambda x, y: x * y, 2.0, 3)[1](1.0) == (3.0, 2.0)
    assert T.jvp(lambda x, y: x * y, (2.0, 3), (1.0, np.zeros((), T.float0))) == (6.0, 3.0)


def test_an_index_has_no_tangent():
    with pytest.raises(T.TransformError, match="an index, a bound or a size"):
        T.jvp(prefix, (X, 3), (ONES, 1.0))


def test_only_integers_that_are_needed_as_such_are_constants():
    x = np.array([0.3, -0.5, 1.2])
    assert T.jvp(lambda i, k: x[i] * k, (1, 3), (0, 1.0)) == (-1.5, -0.5)
    value, pull = T.vjp(lambda i, k, m: x[i] * k + m, 1, 3, 2)
    i_bar, k_bar, m_bar = pull(2.0)
    assert value == 0.5 and i_bar.dtype == T.float0 and (k_bar, m_bar) == (-1.0, 2.0)
