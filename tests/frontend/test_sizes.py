"""Arrays whose size is an argument: the argument's value becomes part of the program where it must, and loops over np.arange stay loops."""

import numpy as np
import pytest

from transformer import grad, jit, tree_util
from transformer.transformed import Transformed


def shifted(n):
    return np.arange(n) * 2, 1 - np.arange(n), -np.arange(1, n), np.arange(n) < 2


def reshaped(n):
    return np.arange(2 * n).reshape(2, n).T, np.arange(n).astype(float) / n


def stored(n):
    a = np.arange(n)
    a[0] = 7
    return a, a[1:]


def kinds(n):
    a = np.arange(n)
    return isinstance(a, np.ndarray), type(a) is np.ndarray, a @ a


def looped_and_used(n):
    steps, total = np.arange(n), 0
    for i in steps:
        total += i
    return total * steps


def kept(n):
    return {"steps": np.arange(n), "sums": [np.sum(np.arange(n)), np.arange(n).sum()]}


@pytest.mark.parametrize("f", [shifted, reshaped, stored, kinds, looped_and_used, kept], ids=lambda f: f.__name__)
@pytest.mark.parametrize("transform", [Transformed, jit])
def test_progressions_of_an_argument_are_arrays(f, transform):
    for n in (3, 5):
        found, wanted = transform(f)(n), f(n)
        for a, b in zip(tree_util.tree_leaves(found), tree_util.tree_leaves(wanted), strict=True):
            np.testing.assert_array_equal(a, b)


def test_loops_over_progressions_stay_loops():
    def f(x, n):
        total = 0.0
        for i in np.arange(n):
            total = total + x ** 2 * i
        for k, (i, j) in enumerate(zip(np.arange(n), reversed(np.arange(n)))):
            total = total + np.sin(x) * i * j + k
        return total + sum([x * i for i in (1, 2)])
    slope = grad(f)
    for n in (0, 4, 9):
        np.testing.assert_allclose(slope(0.3, n), (f(0.3 + 1e-6, n) - f(0.3 - 1e-6, n)) / 2e-6, rtol=1e-6)
        np.testing.assert_allclose(jit(f)(0.3, n), f(0.3, n))
    assert "def f_grad(x, n):" in slope.source and "range(difference_1, -1, -1)" in slope.source
