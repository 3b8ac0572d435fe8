"""Indices of compiled loops: arrays of them are looked at before the loop, and in it only if that finds one out of range."""

import numpy as np
import pytest

from transformer import grad, jit

SIZE = 300
rng = np.random.default_rng(0)
starts = np.arange(0, SIZE + 1, 3)
columns, values, x = rng.integers(0, 50, SIZE), rng.normal(size=SIZE), rng.normal(size=50)


def product(starts, columns, values, x):
    """A sparse matrix times a vector."""
    y = np.zeros(starts.size - 1)
    for i in range(starts.size - 1):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]
    return y


def looped(starts, columns, values, x):
    total = 0.0
    for j in range(2):
        for i in range(starts.size - 1):
            total += j * np.sum(x[columns[starts[i]:starts[i + 1]]] ** 2)
        total += np.sum(x[columns])
    return total


def changed(at, at_2, x):
    """The index array is another one in each round."""
    total = 0.0
    for _ in range(3):
        total += np.sum(x[at] ** 2)
        at = at + at_2
    return total


@pytest.mark.parametrize("f", [product, looped])
def test_values_and_gradients(f):
    np.testing.assert_allclose(jit(f)(starts, columns, values, x), f(starts, columns, values, x))
    got = jit(grad(lambda *args: np.sum(f(*args) ** 2), (2, 3)))(starts, columns, values, x)
    ways = rng.normal(size=SIZE), rng.normal(size=50)
    ends = [np.sum(f(starts, columns, values + h * ways[0], x + h * ways[1]) ** 2) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(sum(np.sum(g * way) for g, way in zip(got, ways, strict=True)), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("f", [product, looped])
@pytest.mark.parametrize("wrong", [50, -51, 2**40])
def test_an_index_that_a_round_reads_raises(f, wrong):
    bad = columns.copy()
    bad[151] = wrong
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        np.asarray(jit(f)(starts, bad, values, x))


def test_an_index_that_no_round_reads_does_not():
    bad = columns.copy()
    bad[151] = 50
    fewer = starts[:40]
    np.testing.assert_allclose(jit(product)(fewer, bad, values, x), product(fewer, bad, values, x))


def test_index_arrays_that_the_loop_changes():
    at, one = np.full(SIZE, 10), np.ones(SIZE, int)
    np.testing.assert_allclose(jit(changed)(at, one, x), changed(at, one, x))
    with pytest.raises(IndexError, match="index 51 is out of bounds"):
        np.asarray(jit(changed)(at, 41 * one, x))


def test_a_loop_looks_only_if_needed():
    text = jit(product).lower(starts, columns, values, x).as_text()
    assert text.count("stablehlo.if") == 1
