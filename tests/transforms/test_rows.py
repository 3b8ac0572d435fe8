"""Loops over rows: what the sweep of such a loop does without, and what compiled programs make of it, with the same values and gradients."""

import numpy as np
import pytest

from tests.transforms.programs import check_function, core_program
from transformer import grad, jit, value_and_grad
from transformer.lower import lower
from transformer.test_util import check_grads
from transformer.transforms.simplify import carry_rows

RNG = np.random.default_rng(0)
X, A = RNG.normal(size=(6, 8)) / 2, RNG.normal(size=(7, 8)) / 2


def recurrence(x, a):
    y = np.zeros((6, 8))
    y[0] = x[0]
    for i in range(1, 6):
        y[i] = np.sin(y[i - 1] * a[i]) + x[i]
    return np.sum(y ** 2)


def backwards(x, a):
    y = np.zeros((6, 8))
    y[:, 7] = x[:, 7]
    for j in range(6, -1, -1):
        y[:, j] = np.cos(y[:, j + 1]) * (a[1:, j] + a[:-1, j])
        x[:, j] = y[:, j] * 2.0
    return np.sum(x * y)


def overwritten(x, a):
    y = np.copy(x)
    for i in range(6):
        a[i] = a[i] * y[i]
        y[i] = np.sin(a[i]) + y[i - 1]
    for i in range(5, 1, -1):
        y[i - 1] = y[i] * y[i - 2]
    return np.sum(a) + np.sum(y[2])


def twice(x, a):
    y = np.copy(x)
    for i in range(1, 6):
        y[i] = y[i - 1] * a[i]
        y[i] = np.tanh(y[i] + y[i - 1])
    for i in range(1, 5):
        y[i] = y[i + 1] * y[i - 1]
        x[i] = y[i]
    return np.sum(x * y[0])


def other_rows(x, a):
    y = np.copy(x)
    for i in range(2, 6):
        y[i - 1] = np.sin(y[i - 2]) * y[i] * a[i]
        if a[i, 0] > 0.0:
            y[0] = y[i - 1] + y[1]
    return np.sum(y)


def in_a_loop(x, a):
    y = np.copy(x)
    for _ in range(3):
        for i in range(1, 6):
            y[i] = np.sin(y[i - 1] * a[i])
    return np.sum(y * x)


FUNCTIONS = [recurrence, backwards, overwritten, twice, other_rows, in_a_loop]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(function):
    check_function(function, X, A)
    want = function(np.copy(X), np.copy(A))
    assert value_and_grad(function)(np.copy(X), np.copy(A))[0] == want


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_compiled_gradients(function, monkeypatch):
    monkeypatch.setattr(carry_rows, "LENGTH", 1)
    check_grads(jit(function), (X, A), order=1)
    np.testing.assert_allclose(jit(function)(np.copy(X), np.copy(A)), function(np.copy(X), np.copy(A)), rtol=1e-12)
    for got, want in zip(jit(grad(function, (0, 1)))(X, A), grad(function, (0, 1))(X, A), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_rows_that_are_still_there_have_no_tape():
    assert "tape" not in grad(recurrence, (0, 1)).show(X, A)
    assert "tape" in grad(overwritten, (0, 1)).show(X, A)


def stored_over(x, a):
    y = np.copy(x)
    total = np.sum(np.sin(y) * a[:6])
    for i in range(6):
        y[i] = np.tanh(a[i]) * 3.0
    return total + np.sum(y)


def stored_and_read(x, a):
    y = np.copy(x)
    total = np.sum(np.sin(y) * a[:6])
    for i in range(6):
        y[i] = np.tanh(a[i]) * y[0]
    return total + np.sum(y)


def test_stores_that_are_undone_unread_go():
    source = grad(stored_over, (0, 1)).show(X, A)
    assert "y[i] =" not in source and "tape" not in source
    assert "y[i] =" in value_and_grad(stored_over, (0, 1)).show(X, A)
    assert "y[i] =" in grad(stored_and_read, (0, 1)).show(X, A)
    check_function(stored_over, X, A)
    check_function(stored_and_read, X, A)


def loops_of(function, *args):
    """The text of the loops of a compiled program."""
    text = lower(core_program(function, *args, simplified=True)).text
    return [part for part in text.split("stablehlo.while")[1:]]


def sweep(x_bar, a):
    out = np.zeros((6, 100))
    for i in range(5, 0, -1):
        row = x_bar[i]
        x_bar[i - 1] += row * a[i]
        out[i] = row
    return out, x_bar[0]


def clearing(x, a):
    y = np.copy(x)
    z = np.zeros((6, 100))
    for i in range(1, 5):
        z[i] = y[i] * a
        y[i] = 0.0
    return y, z


def staggered(x, a):
    out = np.zeros((7, 100))
    for i in range(3, 50):
        out[1:, i] += x[:, i] * a[i]
        out[:-1, i] += x[:, i]
        out[1:-1, i + 1] += x[1:, i]
        out[2:, i + 1] += x[1:, i - 1] * out[0, i + 1]
    return out


def test_rows_go_from_round_to_round():
    x, a = RNG.normal(size=(6, 100)), RNG.normal(size=(6, 100))
    loop, = loops_of(sweep, x, a)
    assert loop.count("dynamic_update_slice") == 1
    loop, = loops_of(clearing, x, a[0])
    assert loop.partition("dynamic_update_slice")[2].count("dynamic_update_slice") == 1
    for function, last in ((sweep, a), (clearing, a[0]), (staggered, a[0])):
        for got, want in zip(jit(function)(np.copy(x), last), function(np.copy(x), last), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12)


def test_additions_to_parts_of_a_row_are_one():
    x, a = RNG.normal(size=(6, 100)), RNG.normal(size=100)
    loop, = loops_of(staggered, x, a)
    assert loop.count("dynamic_update_slice") == 3


def test_shifted_arrays_are_computed_again():
    def burgers(u, w):
        for _ in range(5):
            u = u - np.roll(u, 1) * (np.roll(u, -1) - np.concatenate((u[1:], u[:1])) * np.pad(u, (1, 0))[:-1]) * w
        return np.sum(u * u)
    u, w = RNG.normal(size=8) / 4, RNG.normal(size=8) / 4
    source = grad(burgers, (0, 1)).show(u, w)
    assert source.count("_tape = np.empty(") == 1
    check_function(burgers, u, w)
