"""Objects of np.poly1d and np.polynomial that are called with arrays."""

import numpy as np
import pytest

import transformer as T
from transformer.test_util import check_grads

X = np.array([3.0, 1.5, 0.7, -2.0])
CUBIC = np.poly1d([1.0, 2.0, 3.0])
MAPPED = np.polynomial.Polynomial([1.0, 2.0, 0.5], domain=[0, 4])
WAVES = np.polynomial.Chebyshev([1.0, 2.0, 0.5])


@pytest.mark.parametrize("fn", [
    lambda x: CUBIC(x), lambda x: MAPPED(x), lambda x: WAVES(x), lambda x: np.poly1d([1.0, 2.0])(x), lambda x: (CUBIC * CUBIC).deriv()(x),
    lambda x: MAPPED.deriv()(x) + MAPPED.integ()(x), lambda x: np.polynomial.Legendre([1.0, 2.0])(x), lambda x: CUBIC(x[0]),
])
def test_values_and_derivatives(fn):
    for found in (T.jit(fn)(X), T.vmap(fn)(np.stack([X, X]))[1]):
        np.testing.assert_allclose(found, fn(X), rtol=1e-12)
    check_grads(lambda x: np.sum(fn(x)), (X,), order=2)


def test_coefficients_are_read_at_each_call():
    p, q = np.poly1d([1.0, 2.0]), np.polynomial.Polynomial([1.0, 2.0])
    f = T.jit(lambda x: p(x) + q(x))
    assert f(2.0) == 9.0
    p.coeffs[0], q.coef[0] = 5.0, 7.0
    assert f(2.0) == p(2.0) + q(2.0) == 23.0
