"""Derivatives of the store of one value at all places of a mask: nothing of unknown length, so that they compile and batch."""

import numpy as np
import pytest

import transformer as T

X = np.array([[0.3, 0.7, 1.1, 0.5], [1.3, -0.2, 0.45, 2.0], [-1.0, -2.0, -3.0, -0.5], [0.1, 0.2, 0.3, 0.9]])


def number(x, k):
    v = x * 1.0
    v[x > 0.4] = k
    return np.sum(v * v * x)


def row(x, k):
    v = x * 1.0
    v[x[:, 1] > 0.1] = x[0] * k
    return np.sum(np.sin(v) * x)


def part(x, k):
    v = x * 1.0
    v[1:3, x[1] > 0.3] = k
    v[x[:, 0] > 0.2, ::2] = x[3, 1:3] * k
    v[2, x[1] > 0.3] = k ** 2
    return np.sum(v ** 2)


def added(x, k):
    v = x * 1.0
    for i in range(5):
        v[v < 0.85] += np.sin(k) * i
        k = k * np.mean(v)
    return np.sum(v * v)


@pytest.mark.parametrize("fn", [number, row, part, added])
def test_derivatives(fn):
    gradient, step = T.grad(fn, (0, 1)), 1e-6
    x_bar, k_bar = gradient(X, 0.3)
    np.testing.assert_allclose(k_bar, (fn(X, 0.3 + step) - fn(X, 0.3 - step)) / (2 * step), rtol=1e-7)
    basis = np.eye(16).reshape(16, 4, 4) * step
    np.testing.assert_allclose(np.ravel(x_bar), [(fn(X + d, 0.3) - fn(X - d, 0.3)) / (2 * step) for d in basis], atol=1e-7)
    np.testing.assert_allclose(T.jvp(fn, (X, 0.3), (X, 1.0))[1], np.sum(x_bar * X) + k_bar)
    ks = np.array([0.3, 0.5])
    lanes = [gradient(X * (1 + k), k) for k in ks]
    for wrap in (lambda f: f, T.jit):
        found = wrap(T.vmap(gradient))(np.stack([X * (1 + k) for k in ks]), ks)
        np.testing.assert_allclose(found[0], [g[0] for g in lanes])
        np.testing.assert_allclose(found[1], [g[1] for g in lanes])
    np.testing.assert_allclose(T.jit(gradient)(X, 0.3)[0], x_bar)
