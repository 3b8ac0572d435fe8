"""Rounds of loops that are compiled in groups: slices that serve several reads, stores, and indices that loops keep in range."""

import copy

import numpy as np
import pytest

from transformer import grad, jit

LINE, SQUARE = np.sin(np.arange(40.0)), np.cos(np.arange(900.0)).reshape(30, 30)


def products(a, b):
    c = np.zeros_like(a)
    for i in range(30):
        for j in range(30):
            for k in range(30):
                c[i, j] += a[i, k] * b[k, j]
    return c


def inner(a, i, j):
    total = 0.0
    for k in range(3, 29):
        total += a[i, k] * a[k + 1, j] - a[k - 3, 2]
    return total


def downward(x, n):
    total = 1.0
    for k in range(39, 2, -1):
        total = 0.5 * total + x[k] * x[k - 1 - n]
    return total


def from_the_end(x):
    total = 0.0
    for k in range(-20, 20):
        total += x[k] * k
    return total


def diagonal(a):
    total = 0.0
    for k in range(29):
        total += a[k, k + 1] * a[29 - k, 3]
    return total


def steps(x):
    total = 0.0
    for k in range(0, 39, 2):
        total = total * 0.9 + x[k]
    return total


def short(x):
    """An array with fewer elements than a group has rounds."""
    y, total = x[:5], 0.0
    for k in range(5):
        total += y[k] * y[4 - k]
    return total


def stored(x):
    """What is stored in a round is read in the next ones."""
    y = np.copy(x)
    for i in range(1, 39):
        y[i] = 0.5 * y[i - 1] + y[i + 1] * y[i]
        if y[i] > 0.4:
            y[i - 1] += y[i]
    for i in range(37, 0, -1):
        y[i] += y[i + 1] * 0.25
    return y


def stored_elsewhere(x):
    y, counts = np.zeros(40), np.zeros(3, int)
    for i in range(39):
        y[39 - i] = x[i] + x[i + 1]
        counts[i % 3] += i
    return np.sum(y * np.arange(40.0)) + counts[1]


CASES = [(products, (SQUARE, SQUARE.T)), (inner, (SQUARE, 4, -2)), (downward, (LINE, 1)), (from_the_end, (LINE,)), (diagonal, (SQUARE,)), (steps, (LINE,)),
         (short, (LINE,)), (stored, (LINE,)), (stored_elsewhere, (LINE,))]


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_values(f, args):
    np.testing.assert_allclose(jit(f)(*copy.deepcopy(args)), f(*copy.deepcopy(args)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients(f, args):
    def total(*args):
        return np.sum(f(*args))
    np.testing.assert_allclose(jit(grad(total))(*copy.deepcopy(args)), grad(total)(*copy.deepcopy(args)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f, args, count", [(inner, (SQUARE, 4, 2), 3), (downward, (LINE, 1), 1), (from_the_end, (LINE,), 0), (diagonal, (SQUARE,), 0),
                                            (short, (LINE,), 0), (stored, (LINE,), 0)], ids=lambda p: getattr(p, "__name__", None))
def test_reads_side_by_side_are_one_slice(f, args, count):
    text = jit(f).lower(*args).as_text()
    assert sum(" 8>" in line or " 8, 1>" in line or "64: 8>" in line for line in text.splitlines() if '"stablehlo.dynamic_slice"' in line) == count


def test_an_index_that_may_leave_the_array_is_tested_in_each_round():
    def last(x, n):
        total = 0.0
        for k in range(n):
            total += x[k]
        return total
    f = jit(last)
    assert np.isclose(f(LINE, 40), np.sum(LINE)) and np.isclose(f(LINE, 13), np.sum(LINE[:13]))
    with pytest.raises(IndexError, match="index 40 is out of bounds"):
        f(LINE, 41)


def upper_triangle(a):
    """The bounds of the inner loop are indices: i + 1 is one only where there is a round."""
    total = 0.0
    for i in range(30):
        for j in range(i + 1, 30):
            total += a[i + 1, j] * a[j, i]
    for i in range(29, -1, -1):
        for j in range(29, i - 1, -1):
            total -= a[i, j]
    return total


def test_bounds_of_a_loop_are_in_range_in_its_rounds():
    assert len(jit(upper_triangle).lower(SQUARE).compiled.build().outputs) == 1
    np.testing.assert_allclose(jit(upper_triangle)(SQUARE), upper_triangle(SQUARE))


def test_the_same_index_is_tested_outside_of_the_loop():
    def f(a, n):
        total = 0.0
        for i in range(n):
            start = i + 1
            for j in range(start, 30):
                total += a[start, j]
            total += a[start, 0]
        return total
    g = jit(f)
    np.testing.assert_allclose(g(SQUARE, 29), f(SQUARE, 29))
    with pytest.raises(IndexError, match="index 30 is out of bounds"):
        g(SQUARE, 30)
