"""Arrays whose size is an argument: the argument's value becomes part of the program where it must, and loops over np.arange stay loops."""

import datetime
import fractions
import math

import numpy as np
import pytest

from transformer import TransformError, grad, jit, jvp, tree_util, value_and_grad
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


def grows(x, n):
    out, squares = [], []
    for i in range(n):
        out.append(x * i)
        squares.append(out[-1] ** 2)
    return out, sum(squares)


def grows_in_rows(x, n, m):
    rows = []
    for i in range(n):
        row = []
        for j in range(m - i):
            row.append(x ** j * i)
        rows.append(row)
    return rows


def halves(x, n):
    seen = []
    while n != 1:
        seen.append(n * x)
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return seen


def needs_the_index(x, n):
    total = 0.0
    for i in range(n):
        total += math.comb(n, i) * x ** i
    return total


@pytest.mark.parametrize(("f", "sizes"), [(grows, (4,)), (grows, (0,)), (grows_in_rows, (3, 5)), (halves, (6,)), (needs_the_index, (5,))],
                         ids=lambda value: getattr(value, "__name__", str(value)))
def test_loops_whose_rounds_differ_in_structure_run_round_by_round(f, sizes):
    """The number of rounds is an argument: its value becomes part of the program."""
    for transform in (Transformed, jit):
        found, wanted = transform(f)(1.5, *sizes), f(1.5, *sizes)
        assert tree_util.tree_structure(found) == tree_util.tree_structure(wanted)
        np.testing.assert_allclose(tree_util.tree_leaves(found), tree_util.tree_leaves(wanted))
    total = lambda x: sum([v * (k + 1) for k, v in enumerate(tree_util.tree_leaves(f(x, *sizes)))], 0.0 * x)
    slope = (total(1.5 + 1e-6) - total(1.5 - 1e-6)) / 2e-6
    for transform in (lambda g: g, jit):
        np.testing.assert_allclose(transform(grad(total))(1.5), slope, rtol=1e-6)


def test_the_values_at_hand_decide_how_often_a_list_grows():
    def f(x):
        kept = []
        for i in range(int(np.sum(x > 2))):
            kept.append(x[i] ** 2)
        return sum(kept)
    x = np.arange(1.0, 6.0)
    np.testing.assert_allclose(grad(f)(x), [2, 4, 6, 0, 0])
    with pytest.raises(TransformError, match="(?s)test_sizes.py.*this loop cannot be compiled: a container grows.*number of rounds static"):
        jit(f)(x)


def test_faults_in_loops_with_an_argument_for_a_bound_are_the_users():
    def f(x, n):
        for i in range(n):
            x = x + {"a": x}["b"]
        return x
    for transform in (Transformed, jit):
        with pytest.raises(KeyError, match="b"):
            transform(f)(1.0, 3)


def test_functions_of_python_take_the_values_of_arguments():
    def f(x, n):
        return x * float(fractions.Fraction(n, 3)) + datetime.timedelta(days=n).days
    for transform in (Transformed, jit):
        for n in (2, 5):
            np.testing.assert_allclose(transform(f)(1.5, n), f(1.5, n))
            np.testing.assert_allclose(transform(grad(f))(1.5, n), n / 3)
        with pytest.raises(TransformError, match="(?s)test_sizes.py.*Fraction takes values that are known before the function runs"):
            transform(lambda x: float(fractions.Fraction(x[0])))(np.ones(2))


@pytest.mark.parametrize("f", [
    lambda x, n: sum([x] * n),
    lambda x, n: len(n * (1, 2)) * x + len("ab" * n),
    lambda x, n: sum([x, 2 * x] * (n // 2)),
    lambda x, n: np.sum(np.array([0.5] * n) * np.arange(n)) * x,
], ids=["list", "tuple and text", "computed", "array"])
def test_sequences_repeated_as_often_as_an_argument_says(f):
    for n in (2, 4, 5):
        for transform in (Transformed, jit):
            np.testing.assert_allclose(transform(f)(1.5, n), f(1.5, n))
            np.testing.assert_allclose(transform(grad(f))(1.5, n), f(2.5, n) - f(1.5, n))


def test_stores_into_a_repeated_list():
    def sieve(n):
        prime = [True] * n
        prime[0] = prime[1] = False
        found = []
        for i, is_prime in enumerate(prime):
            if is_prime:
                found.append(i)
                for k in range(i * i, n, i):
                    prime[k] = False
        return found
    for transform in (Transformed, jit):
        assert [int(v) for v in transform(sieve)(30)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


@pytest.mark.parametrize("fn", [
    lambda x: np.sum(np.arange(0.0, 1.0, x[0]) ** 2), lambda x: np.sum(np.arange(x[0], x[0] + 3) ** 2), lambda x: np.sum(np.arange(x[1], 5.0, x[0]) * x[1]),
    lambda x: np.sum(np.arange(x[1]) ** 2) * x[0],
], ids=["step", "start", "both", "stop"])
def test_progressions_between_floats_have_derivatives(fn):
    x = np.array([0.3, 1.6])
    value, gradient = value_and_grad(fn)(x)
    assert value == fn(x)
    want = [(fn(x + d) - fn(x - d)) / 2e-6 for d in np.eye(2) * 1e-6]
    np.testing.assert_allclose(gradient, want, rtol=1e-6)
    np.testing.assert_allclose(jvp(fn, (x,), (np.array([1.0, 2.0]),))[1], np.dot(want, [1.0, 2.0]), rtol=1e-6)


def test_no_derivative_gets_lost_in_the_making_of_an_array():
    with pytest.raises(TransformError, match="with it its derivative"):
        grad(lambda x: np.sum(np.kaiser(5, x[0])))(np.array([1.5]))


def simpson(c, depth):
    def area(a, b, depth):
        middle = (a + b) / 2
        if depth == 0:
            return (b - a) / 6 * (np.polyval(c, a) + 4 * np.polyval(c, middle) + np.polyval(c, b))
        return area(a, middle, depth - 1) + area(middle, b, depth - 1)
    return area(0.0, 1.0, depth)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def divided(x, n):
    return x / (n if n % 4 == 0 else divided(1.0, n + 1))


@pytest.mark.parametrize("fn, args", [(simpson, (np.array([1.0, 2.0, 3.0]), 2)), (power, (1.1, 13)), (divided, (1.5, 5))])
def test_an_argument_that_decides_how_deep_a_recursion_goes(fn, args):
    np.testing.assert_allclose(jit(fn)(*args), fn(*args))
    np.testing.assert_allclose(jit(grad(fn))(*args), grad(fn)(*args))


def test_a_recursion_that_values_decide_is_refused():
    def root(x, tolerance):
        y = x - (x * x - 2) / (2 * x)
        return y if abs(y - x) < tolerance else root(y, tolerance)
    np.testing.assert_allclose(grad(root)(1.0, 1e-8), 0.0, atol=1e-6)
    with pytest.raises(TransformError, match="recursion does not end"):
        jit(root)(1.0, 1e-8)
