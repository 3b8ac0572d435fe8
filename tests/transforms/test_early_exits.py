"""The reverse sweep of loops that a flag ends: it covers the rounds that were run."""

import numpy as np
import pytest

import transformer as T
from transformer import lower

X = np.linspace(0.5, 2.0, 20)
A = np.array([[1.2, 0.1], [-0.2, 0.9]])


def newton(a, most=10 ** 9):
    x = 1.0
    for _ in range(most):
        y = x - (x ** 3 - a[0]) / (3 * x ** 2)
        if abs(y - x) < 1e-14:
            break
        x = y
    return x * a[1]


def relaxed(b):
    x = np.zeros(2)
    for _ in range(10 ** 8):
        r = b[:2] - A @ x
        if np.max(np.abs(r)) < 1e-13:
            return np.sum(x * x)
        x = x + 0.5 * r
    return 0.0


def odd_rounds(x):
    s = 1.0
    for i in range(3, len(x), 2):
        s += x[i] ** 2
        if s > 4.0:
            s = s * x[i]
            break
    else:
        s = s * 0.5
    return s


def downwards(x):
    s, last = 0.0, 0
    for i in range(len(x) - 1, 2, -3):
        if s > 3.0:
            break
        s, last = s * 0.5 + x[i] ** 2, i
    return s * x[last]


def from_a_row(x):
    total = 0.0
    for i in range(2, 5):
        for j in range(i, 19, 2):
            total += x[i] * x[j]
            if total > 3.0 * i:
                break
        total = total + np.sin(x[j])
    return total


def stores(x):
    x = x * 1.0
    for i in range(1, len(x)):
        x[i] += 0.5 * x[i - 1] ** 2
        if x[i] > 2.5:
            x[0] = x[i] * x[0]
            break
    return np.sum(np.sin(x))


def exchanged(x):
    a, b = x[0], x[1]
    for i in range(100):
        a, b = b, a * 0.7 + x[i % 20] * 0.1
        if a + b < 0.9:
            break
    return a * a * b


def nested(x):
    total = 0.0
    for k in range(50):
        z = x[k % len(x)]
        for _ in range(40):
            nearer = 0.5 * (z + x[0] / z)
            if abs(nearer - z) < 1e-9:
                break
            z = nearer
        total += z * np.sin(k * 0.1)
        if total > 6:
            break
    return total


def never_entered(x):
    s = x[0]
    for i in range(5, 5):
        s = s * x[i]
        if s > 1:
            break
    return s ** 2


FUNCTIONS = [newton, relaxed, odd_rounds, downwards, from_a_row, stores, exchanged, nested, never_entered]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    expected = np.array([(f(X + d) - f(X - d)) / 2e-6 for d in np.eye(len(X)) * 1e-6])
    for compiled in (lambda g: g, T.jit):
        value, gradient = compiled(T.value_and_grad(f))(X)
        np.testing.assert_allclose(value, f(X), rtol=1e-13)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [odd_rounds, downwards, stores, exchanged, nested], ids=lambda f: f.__name__)
def test_lanes_end_each_for_itself(f):
    xs = np.stack([X, 0.3 * X, 1.4 * X])
    gradients = T.jit(T.vmap(T.grad(f)))(xs)
    for x, gradient in zip(xs, gradients):
        expected = [(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(len(X)) * 1e-6]
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def test_second_derivatives():
    a = np.array([2.0, 1.0])
    hessian = T.jit(T.hessian(newton))(a)
    np.testing.assert_allclose(hessian, [[-2 / 9 * 2 ** (-5 / 3), 2 ** (-2 / 3) / 3], [2 ** (-2 / 3) / 3, 0]], rtol=1e-12, atol=1e-14)


def test_the_index_keeps_its_name():
    text = T.grad(nested).show(X)
    assert "while not break_1 and k < 50:" in str(text) and "for k in range(k - 1, -1, -1):" in str(text)


def rounds_until(x, most):
    s = x
    for _ in range(most):
        s = s + 0.001 * np.sin(s)
        if np.max(s) > 1.2:
            break
    return np.sum(s * s)


def test_small_tapes_have_room_at_once_and_large_ones_grow(monkeypatch):
    capacities, once = [], lower.lower

    def noting(*args, **kwargs):
        capacities.append(once(*args, **kwargs).capacity)
        return once(*args, **kwargs)
    monkeypatch.setattr(lower, "lower", noting)
    for x, most, expected in ((1.0, 1000, [1000]), (1.0, 10 ** 9, [2048]), (np.ones(300), 10 ** 9, [64, 256])):
        capacities.clear()
        gradient = T.jit(T.grad(lambda x: rounds_until(x, most)))(x)
        ends = rounds_until(x + 1e-6, most), rounds_until(x - 1e-6, most)
        np.testing.assert_allclose(np.sum(gradient), (ends[0] - ends[1]) / 2e-6, rtol=1e-7)
        assert capacities == expected


def test_tapes_of_empty_arrays():
    def f(x):
        while x[0] < 3.0:
            x = x + np.sum(np.sin(x[2:])) + np.sin(x[0])
        return x[0]
    x = np.array([1.0, 0.5])
    np.testing.assert_allclose(T.jit(T.grad(f))(x), [(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(2) * 1e-6], rtol=1e-7)
