"""Data that is nan and left out by a mask puts no nan into the gradient, however it is left out."""

import numpy as np
import pytest

import transformer as T

X = np.arange(8.0).reshape(4, 2) / 5 + 0.1
Y = np.array([1.0, np.nan, 2.0, np.inf])
KNOWN = np.isfinite(Y)
W = np.array([0.3, 0.5])


def nansum(w, y, known):
    y = np.where(np.isinf(y), np.nan, y)
    return np.nansum((X @ w - y) ** 2)


def where(w, y, known):
    return np.sum(np.where(known, (X @ w - y) ** 2, 0.0))


def where_finite(w, y, known):
    return np.sum(np.where(np.isfinite(y), (X @ w - y) ** 2, 0.0))


def where_absolute(w, y, known):
    return np.sum(np.where(known, np.abs(X @ w - y), 0.0))


def where_sine(w, y, known):
    return np.sum(np.where(known, np.sin(X @ w - y), 0.0))


def picked(w, y, known):
    return np.sum(((X @ w - y) ** 2)[known])


def sum_where(w, y, known):
    return np.sum((X @ w - y) ** 2, where=known)


def mean_where(w, y, known):
    return np.mean((X @ w - y) ** 2, where=known)


def stored(w, y, known):
    residual = (X @ w - y) ** 2
    residual[~known] = 0
    return residual.sum()


def skipped(w, y, known):
    total = 0.0
    for i in range(4):
        if not known[i]:
            continue
        total += (X[i] @ w - y[i]) ** 2
    return total


@pytest.mark.parametrize("f", [nansum, where, where_finite, where_absolute, where_sine, picked, sum_where, mean_where, stored, skipped],
                         ids=lambda f: f.__name__)
def test_gradient(f):
    gradient, axes = T.grad(f), (0, None, None)
    with np.errstate(invalid="ignore"):  # infinity times a cotangent of zero
        want = [(f(W + d, Y, KNOWN) - f(W - d, Y, KNOWN)) / 2e-6 for d in np.eye(2) * 1e-6]
        results = gradient(W, Y, KNOWN), T.jit(gradient)(W, Y, KNOWN), T.vmap(gradient, axes)(W[None], Y, KNOWN)[0]
    for found in results:
        np.testing.assert_allclose(found, want, rtol=1e-6)


@pytest.mark.parametrize("f", [lambda x: np.sum(np.log(x), where=x > 0), lambda x: np.sum(np.where(x > 0, np.power(x, 1.5), 0.0)),
                               lambda x: np.sum(np.log(x)[x > 0])])
def test_outside_of_the_domain(f):
    x = np.array([-1.0, 0.0, 2.0])
    with np.errstate(all="ignore"):
        results = T.grad(f)(x), T.jit(T.grad(f))(x)
    for found in results:
        assert np.all(np.asarray(found)[:2] == 0) and np.asarray(found)[2] > 0


def test_ordinary_code_is_not_guarded():
    gradient = T.grad(lambda x, y: np.sum(np.where(x > 0, np.sin(x) * y, 0.0)))
    gradient(np.ones(3), np.ones(3))
    assert "== 0" not in gradient.source
