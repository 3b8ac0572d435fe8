"""Arguments that a loop stores into and then binds to another array: under jit the caller's array holds what Python leaves in it."""

import numpy as np
import pytest

import transformer as T


def rebound(x, k):
    for _ in range(9):
        x += k
        x = x * 0.5
    return np.sum(x)


def under_another_name(x, k):
    v = x
    for _ in range(9):
        v += k
        v = v * 0.5
    return np.sum(v)


def nested(x, k):
    v = x
    for _ in range(9):
        for _ in range(8):
            v += k
            v = v * 0.5
    return np.sum(v)


def only_stored(x, k):
    for i in range(9):
        x += k * i
        x[1:] *= 0.5
    return np.sum(x)


@pytest.mark.parametrize("fn", [rebound, under_another_name, nested, only_stored])
def test_the_callers_array(fn):
    ours, pythons = np.arange(4.0), np.arange(4.0)
    want = fn(pythons, 0.3)
    np.testing.assert_allclose(T.jit(fn)(ours, 0.3), want)
    np.testing.assert_allclose(ours, pythons)
    slope = (fn(np.arange(4.0), 0.3 + 1e-6) - fn(np.arange(4.0), 0.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(T.grad(fn, 1)(np.arange(4.0), 0.3), slope)


def test_loops_that_only_rebind_an_argument_stay_loops():
    def fn(x, k):
        for _ in range(50):
            x = np.sin(x) * k
        return np.sum(x)
    assert "for " in T.jit(fn).show(np.arange(4.0), 0.3, stage="core")
