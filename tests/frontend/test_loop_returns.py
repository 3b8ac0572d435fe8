"""`return` inside of loops whose number of rounds is an argument: the loops stay loops, compiled and in gradients."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 0.7, 1.1, 0.5])


def backwards(x, n):
    for i in reversed(range(n)):
        if i != 2:
            return np.sin(x[i])
    return np.cos(x[1])


def nested(x, n):
    for j in range(9):
        for i in range(n):
            if x[i] > j * 0.5:
                return np.sin(x[i])
    return np.cos(x[1])


def with_else(x, n):
    for _ in range(4):
        for i in range(n):
            if i > 1:
                return np.sin(x[0]) * x[i]
        else:
            x = x * 0.5
    return np.cos(x[1])


def counting_down(x, n):
    while n > 0:
        n -= 1
        for i in range(n):
            if x[i] > 1.0:
                return x[i] * n
    return np.sum(x)


@pytest.mark.parametrize("fn", [backwards, nested, with_else, counting_down])
def test_numbers(fn):
    compiled, gradient = T.jit(fn), T.grad(fn)
    batched = T.jit(T.vmap(fn, (0, None)))
    for n in range(4):
        np.testing.assert_allclose(compiled(X, n), fn(X, n))
        np.testing.assert_allclose(batched(np.stack([X, 3 * X]), n), [fn(X, n), fn(3 * X, n)])
        want = [(fn(X + d, n) - fn(X - d, n)) / 2e-6 for d in np.eye(4) * 1e-6]
        np.testing.assert_allclose(gradient(X, n), want, atol=1e-7)


def test_tuples():
    def find(x, n):
        for _ in range(5):
            for i in range(n):
                if x[i] > 0.5:
                    return i, (x[i], 2 * x)
        return n, (x[0], x)
    for n in range(4):
        for got, want in zip(T.jit(find)(X, n)[1], find(X, n)[1]):
            np.testing.assert_allclose(got, want)
        assert T.jit(find)(X, n)[0] == find(X, n)[0]
