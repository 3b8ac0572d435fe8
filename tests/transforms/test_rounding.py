"""Compiled derivatives compute values again, which XLA may round differently there: no cotangent hangs on that."""

import numpy as np
import pytest

from transformer import grad, jit, vmap


def largest(x, a):
    s = 0.0
    for i in range(5):
        s = s + 0.1 * np.max(x[i + 1:] * np.sin(x[i + 1:] * s - a[i + 1:, i] * x[i + 1:]))
        a[i, :6 - i] *= x[:6 - i] * 0.3
    return s


def smallest(x, a):
    s = 0.0
    for i in range(5):
        s = s + np.sum(np.min(a * x - x * s - a[i], axis=1))
    return s


def running(x, a):
    s = 0.0
    for i in range(5):
        s = s + np.mean(np.maximum.accumulate(x * a[i] - a[:, i] * s) + np.nanmax(x * s - a[i] * x))
    return s


@pytest.mark.parametrize("f", [largest, smallest, running])
def test_elements_that_attain_an_extremum_are_found(f):
    def loss(x, a):
        return f(x, a.copy())
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, a = rng.normal(size=6), rng.normal(size=(6, 6))
        want, got = grad(loss, (0, 1))(x, a), jit(grad(loss, (0, 1)))(x, a)
        for one, other in zip(want, got):
            np.testing.assert_allclose(other, one, rtol=1e-8, atol=1e-10)
    batch = rng.normal(size=(3, 6))
    np.testing.assert_allclose(jit(vmap(grad(loss), (0, None)))(batch, a), [grad(loss)(x, a) for x in batch], rtol=1e-8, atol=1e-10)


def test_tests_of_rounded_values_are_kept():
    def f(x, w):
        s = 0.0
        for i in range(5):
            if x[i] * w - s * 0.5 > 0.1:
                s = s + x[i] ** 2
            if x[i] > 0.3:
                s = s * 1.1
        return s
    text = grad(f).show(np.arange(5.0), 0.7)
    assert "if test_tape[i]:" in text
    assert text.count("if item_1 > 0.3:") == 2
