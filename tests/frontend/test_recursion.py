"""Recursion: integers that decide its depth are static on their own; what array values decide runs un-jitted."""

import numpy as np
import pytest

import transformer as T


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


def by_halves(x, n):
    if n == 0:
        return 1.0
    half = by_halves(x, n // 2)
    return half * half * x if n % 2 else half * half


def even(x, n):
    return x * 1.0 if n == 0 else odd(x * 2, n - 1)


def odd(x, n):
    return x * -1.0 if n == 0 else even(x + 1, n - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def scaled(x, n):
    return x * fibonacci(n)


def inner(x, n):
    def sines(k):
        return x * 0.0 if k <= 0 else np.sin(x) + sines(k - 1)
    return sines(n)


@pytest.mark.parametrize("f", [power, by_halves, even, scaled, inner], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 5, 9, np.int64(14)])
def test_depth_by_an_integer(f, n):
    want = (f(1.1 + 1e-6, n) - f(1.1 - 1e-6, n)) / 2e-6
    np.testing.assert_allclose(T.jit(f)(1.1, n), f(1.1, n))
    np.testing.assert_allclose(T.grad(f)(1.1, n), want, rtol=1e-6)
    np.testing.assert_allclose(T.jit(T.grad(f))(1.1, n), want, rtol=1e-6)
    np.testing.assert_allclose(T.vmap(f, in_axes=(0, None))(np.array([1.1, 0.9]), n), [f(1.1, n), f(0.9, n)])


def test_each_depth_has_its_program():
    compiled = T.jit(power)
    assert [float(compiled(2.0, n)) for n in (3, 20, 4, 3)] == [16.0, 2.0 ** 21, 32.0, 16.0]


def halved(x):
    return x if x < 1 else halved(x / 2)


def test_depth_by_a_float():
    assert T.grad(halved)(7.3) == 1 / 8
    with pytest.raises(T.TransformError, match="recursion"):
        T.jit(halved)(7.3)
