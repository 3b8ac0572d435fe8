"""Arrays made of numbers, stored into and then bound again on one side of a condition or in a loop: what was stored stays."""

import numpy as np
import pytest

import transformer as T

X = np.array([1.221, 1.222, 0.233, 0.784])


def one_side(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    if k > 0.5:
        v = x * 1.0
    return np.sum(v * v)


def stored_in_a_loop(x, k):
    v = np.zeros(4)
    for i in range(9):
        v[i % 4] = np.sum(x) * i
    if k > 0.9:
        pass
    elif k > 0.5:
        v = x * 1.0
    return np.sum(v * v)


def carried(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    for _ in range(5):
        v = v * 0.5 + k
    return np.sum(v * v)


def made_anew(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    for i in range(5):
        if x[i % 4] > 0.5:
            v = np.zeros(4)
            v[1] = x[1]
    return np.sum(v * v) * k


def swapped(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    u = np.zeros(4)
    for i in range(5):
        if x[i % 4] > k:
            v, u = u, v
        v[i % 4] = x[2]
    return np.sum(v * v) + 2.0 * np.sum(u ** 3)


def with_an_alias(x, k):
    v = np.zeros(4)
    w = v
    v[:] = x[0]
    for _ in range(5):
        v[0] += k
        v = v * 0.5
    return np.sum(v * v) + np.sum(w)


def in_a_dict(x, k):
    state = {"v": np.zeros(4)}
    state["v"][:] = x[0]
    if k > 0.5:
        state["v"] = x * 2.0
    return np.sum(state["v"] ** 2)


@pytest.mark.parametrize("fn", [one_side, stored_in_a_loop, carried, made_anew, swapped, with_an_alias, in_a_dict])
@pytest.mark.parametrize("k", [0.2, 0.7, 1.0])
def test_stores_stay(fn, k):
    want = fn(X, k)
    np.testing.assert_allclose(T.jit(fn)(X, k), want)
    np.testing.assert_allclose(T.vmap(fn)(X[None], np.array([k])), [want])
    value, slope = T.value_and_grad(fn)(X, k)
    np.testing.assert_allclose(value, want)
    np.testing.assert_allclose(slope, [(fn(X + d, k) - fn(X - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], atol=1e-7)


def test_an_array_that_is_one_of_two_is_not_stored_into():
    def fn(x, k):
        v = np.zeros(4)
        w = v
        v[:] = x[0]
        if k > 0.5:
            v = x * 2.0
        v[1] = 0.25
        return np.sum(v * w)
    with pytest.raises(T.TransformError, match="one of two"):
        T.jit(fn)(X, 1.0)
