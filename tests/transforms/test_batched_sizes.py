"""Selections by a mask that differs from lane to lane: the function is built with masked arrays of a known size."""

import numpy as np
import pytest

import transformer as T

XS = np.array([[0.3, 0.7, 1.1, 0.5], [1.3, -0.2, 0.4, 2.0], [-1.0, -2.0, -3.0, -0.5]])


def total(x):
    return np.sum(x[x > 0.4] ** 2)


def in_a_loop(x):
    s = 0.0
    for i in range(6):
        s = s + np.sum(x[x > s]) * 0.1 * i
    return s


def stored(x):
    y = x * 1.0
    y[x > 0.4] = np.sin(x[x > 0.4])
    return np.sum(y * y)


def reduced(x):
    chosen = x[(x > -1.5) & (x < 1.2)]
    return np.mean(chosen) + np.max(chosen * 2.0)


@pytest.mark.parametrize("fn", [total, in_a_loop, stored, reduced])
def test_selections(fn):
    want = [fn(x) for x in XS]
    np.testing.assert_allclose(T.vmap(fn)(XS), want)
    np.testing.assert_allclose(T.jit(T.vmap(fn))(XS), want)
    gradients = np.stack([T.grad(fn)(x) for x in XS])
    np.testing.assert_allclose(T.vmap(T.grad(fn))(XS), gradients)
    np.testing.assert_allclose(T.grad(lambda xs: np.sum(T.vmap(fn)(xs)))(XS), gradients)


def test_results_of_different_sizes_are_refused():
    with pytest.raises(T.TransformError, match="differs from lane to lane"):
        T.vmap(lambda x: x[x > 0.4])(XS)


def test_stages_are_those_of_the_program():
    entry, _ = T.vmap(total).find((XS,), {})
    assert [stage for stage, _ in entry.stages] == ["core", "simplify", "vmap", "simplify"]
