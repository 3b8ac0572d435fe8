"""np.nonzero and its like under jit and in batches: arrays of unknown length, as masked ones."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.0, 1.2])


@pytest.mark.parametrize("fn", [
    lambda x: np.sum(x[np.where(x > 0.5)[0]] ** 2),
    lambda x: np.sum(x[np.nonzero(x)] ** 2),
    lambda x: np.sum(np.sin(x[np.flatnonzero(x > 0.5)])),
    lambda x: np.mean(np.extract(x > 0.2, x)) * np.max(x),
    lambda x: np.sum(np.compress(x > 0.2, x) ** 2) + np.sum(np.compress(x[:3] > 0.5, x)),
    lambda x: np.sum(np.extract(x > 0.2, np.arange(4.0))) * x[0] + np.sum(np.compress(x > 0.5, np.arange(4.0))) * x[1],
    lambda x: np.sum(np.outer(x, x)[np.where(np.outer(x, x) > 0.5)] ** 2) + np.sum(np.nonzero(np.outer(x, x) > 0.5)[0] * 0.5),
], ids=["where", "nonzero", "flatnonzero", "extract", "compress", "static", "matrix"])
def test_selections(fn):
    gradient = T.grad(fn)(X)
    np.testing.assert_allclose(gradient[[0, 1, 3]], [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4)[[0, 1, 3]] * 1e-6], rtol=1e-6)
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.jit(T.grad(fn))(X), gradient)
    np.testing.assert_allclose(T.vmap(fn)(np.stack([X, 2 * X])), [fn(X), fn(2 * X)])
    np.testing.assert_allclose(T.vmap(T.grad(fn))(np.stack([X, 2 * X])), [gradient, T.grad(fn)(2 * X)])
