"""Variables of functions that have returned, which functions defined in them rebind in loops and conditions."""

import functools

import numpy as np
import pytest

import transformer as T
from transformer.frontend.specialise.evaluator import Evaluator

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


def decorated_twice(x, k):
    def doubled(fn):
        @functools.wraps(fn)
        def inner(*args):
            inner.calls = getattr(inner, "calls", 0) + 1
            return 2.0 * fn(*args)
        return inner

    @doubled
    @doubled
    def power(n):
        """x to the n."""
        return x[n] ** n
    power.node, power.frame = 0.5 * k, x[0]
    y = power(2) if k > 0 else power(1)
    return y + power(3) * power.node + power.frame * power.calls


def partly_wrapped(x, k):
    def scaled(v, by):
        return by * v

    def by_k(v):
        return scaled(v, k)
    functools.update_wrapper(by_k, scaled)
    return np.sum(by_k(x)) + by_k.__wrapped__(x[1], 3.0)


@pytest.mark.parametrize("fn", [decorated_twice, partly_wrapped], ids=lambda fn: fn.__name__)
def test_wrappers_run_their_own_code(fn):
    for k in (0.7, -0.7):
        np.testing.assert_allclose(T.jit(fn)(X, k), fn(X, k))
        expected = [(fn(X + d, k) - fn(X - d, k)) / 2e-6 for d in np.eye(len(X)) * 1e-6]
        np.testing.assert_allclose(T.grad(fn)(X, k), expected, rtol=1e-7)


def test_what_is_followed_ends_at_the_variables_of_the_program(monkeypatch):
    def cached(x, k):
        @functools.cache
        def power(n):
            return x[n] ** n
        y = power(2) if k > 0 else 0.5
        return y + power(2) * power(3)
    states, capture = [], Evaluator.capture
    monkeypatch.setattr(Evaluator, "capture", lambda ev: states.append(capture(ev)) or states[-1])
    np.testing.assert_allclose(T.jit(cached)(X, 1.0), cached(X, 1.0))
    followed = [container for state in states for container, _ in state.containers.values()]
    assert followed and not any(container is globals() for container in followed)
