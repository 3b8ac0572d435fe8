"""Views read in front of a loop and again in it, where the loop stores into their arrays: each round sees the array of its own time."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.771, 0.232, 0.673, 0.554])


def for_loop(x, k):
    m = np.outer(x, x + 0.3)
    row = m[1]
    total = np.sum(row)
    for _ in range(5):
        total = total + np.sum(row * row)
        row[:] = np.sin(row) * k
    return total


def nested(x, k):
    m = np.outer(x, x)
    row = m[2]
    total = np.max(row)
    for _ in range(5):
        for j in range(6):
            total = total + np.sum(row) * j
        m[2] *= k
    return total


def while_loop(x, k):
    m = np.outer(x, x)
    row = m[::-1]
    total = np.sum(row[0])
    while np.sum(row) < 8.0:
        m += k
        total = total + np.sum(row[1])
    return total


def masked(x, k):
    m = np.outer(x, x)
    row = m[1]
    mask = row > 0.1
    total = np.sum(row[mask])
    for _ in range(5):
        total = total + np.sum(row[row > 0.1])
        row[:] = row * 0.7 * k
    return total


@pytest.mark.parametrize("fn", [for_loop, nested, while_loop, masked])
def test_each_round_reads_anew(fn):
    want = fn(X, 0.7)
    np.testing.assert_allclose(T.jit(fn)(X, 0.7), want)
    value, slope = T.value_and_grad(fn)(X, 0.7)
    np.testing.assert_allclose(value, want)
    np.testing.assert_allclose(slope, [(fn(X + d, 0.7) - fn(X - d, 0.7)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6)
