"""Variables of functions that have returned, which functions defined in them rebind in loops and conditions."""

import functools

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.9, 1.2])


def counter(start):
    count = start

    def step(by):
        nonlocal count
        count = count * 0.5 + by
        return count
    return step


def in_a_loop(x, k):
    total, step = 0.0, counter(k)
    for i in range(7):
        total += step(x[i % 3])
    return total + step(0.5)


def with_numbers(x, k):
    total, step = k, counter(0.5)
    for _ in range(7):
        total += step(0.3) * k
    return total + step(x[0])


def under_a_condition(x, k):
    step = counter(k)
    if x[0] > 0.2:
        step(x[1])
    else:
        step(x[2] * 2.0)
    return step(x[3])


def in_a_while(x, k):
    step, total = counter(k), k
    while total < 5.0:
        total = total + step(x[1])
    return total * step(x[2])


def in_a_partial(x, k):
    step, total = functools.partial(counter(k), x[0]), 0.0
    for i in range(6):
        total += step() * i
    return total


def in_a_container(x, k):
    steps, total = {"a": counter(k), "b": [counter(x[1])]}, 0.0
    for i in range(6):
        total += steps["a"](x[0]) * steps["b"][0](k) + i
    return total


@pytest.mark.parametrize("fn", [in_a_loop, with_numbers, under_a_condition, in_a_while, in_a_partial, in_a_container])
def test_state_of_closures(fn):
    want = fn(X, 0.7)
    value, (x_bar, _) = T.value_and_grad(fn, (0, 1))(X, 0.7)
    np.testing.assert_allclose(value, want)
    np.testing.assert_allclose(x_bar, [(fn(X + d, 0.7) - fn(X - d, 0.7)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(T.jit(fn)(X, 0.7), want)
    np.testing.assert_allclose(T.vmap(fn)(np.stack([X, X[::-1]]), np.array([0.7, 1.5])), [want, fn(X[::-1], 1.5)])
