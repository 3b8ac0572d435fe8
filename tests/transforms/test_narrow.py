"""Slices with bounds that only the running program knows: what NumPy runs holds slices again, in values and derivatives alike."""

import numpy as np
import pytest

from transformer import grad, jacfwd, jit, jvp, value_and_grad, vmap

X = np.array([0.3, -1.2, 2.5, 0.7, -0.4, 1.9, -2.2, 0.1, 1.1, -0.8])
SQUARE = np.sin(np.arange(36.0)).reshape(6, 6) + 6 * np.eye(6)


def prefix_sums(x):
    s = 0.0
    for i in range(1, x.shape[0]):
        s = s + np.sum(x[:i] * x[i - 1]) ** 2
    return s


def overwritten_suffixes(x):
    x = x.copy()
    for i in range(1, x.shape[0]):
        x[i:] += x[i - 1] * 0.5
        x[:i] *= 0.9
    return np.sum(x * x)


def back_substitution(a, b):
    n = a.shape[0]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return np.sum(x ** 2)


def elimination(a):
    a = a.copy()
    for k in range(a.shape[0]):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return np.sum(np.sin(a))


def factorisation(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return np.sum(a ** 2)


def inner_ranges(x):
    s = 0.0
    for i in range(1, x.shape[0] - 1):
        for j in range(i, x.shape[0]):
            part = x[i:j + 1]
            s += np.max(np.exp(part)) + np.mean(part) + np.sum(part[::-1] * np.cumsum(part))
    return s


def correlations(x):
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(1, n):
        out[i] = np.sum(x[i:] * x[:n - i])
    return np.sum(out ** 2)


def scans(x):
    n = x.shape[0]
    y = np.zeros(n)
    for i in range(1, n):
        y[i:] = y[i - 1] + np.cumsum(x[i:])
        y[:i] *= 0.9
    return np.sum(np.cos(y))


def rows(a):
    s = np.zeros(a.shape[1])
    for i in range(1, a.shape[0]):
        s[:i] += np.sum(a[:i, :i] * a[i, :i], axis=0)
        s[i:] = s[i:] - np.sqrt(np.abs(a[i:, i])) * a[i, 0]
    return s @ s


def constants(x):
    y = np.ones(x.shape[0])
    for i in range(2, x.shape[0]):
        y[:i] = x[i]
        y[i - 1:] += 2.0
        z = y[:i] * 3.0
        y[0] += np.sum(z)
    return np.sum(y * x)


def stored_into_rows(a):
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        out[i, i:] = a[i, i:] ** 2
        out[:i, i] = a[:i, i] + out[i, i]
    return np.sum(out * a)


def any_bound(x, n):
    y = np.zeros(x.shape[0])
    for i in range(n):
        y[:i + 1] += x[:i + 1] * np.sum(x[i:])
        y[i - 3:] += x[i - 3:]
    return np.sum(y ** 2)


def difference(f, x, direction, step=1e-6):
    """The derivative of f at x along a direction."""
    return (f(x + step * direction) - f(x - step * direction)) / (2 * step)


PROGRAMS = [(prefix_sums, (X,)), (overwritten_suffixes, (X,)), (back_substitution, (SQUARE, X[:6])), (elimination, (SQUARE,)),
            (factorisation, (SQUARE,)), (inner_ranges, (X,)), (correlations, (X,)), (scans, (X,)), (rows, (SQUARE,)), (constants, (X,)),
            (stored_into_rows, (SQUARE,)), (any_bound, (X, 5))]
NAMES = [f.__name__ for f, _ in PROGRAMS]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_primal_values_are_those_of_numpy_bit_by_bit(f, args):
    value, _ = value_and_grad(f)(*args)
    assert value == f(*args)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_derivatives(f, args):
    direction = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    expected = difference(lambda x: f(x, *args[1:]), args[0], direction)
    found = grad(f)(*args)
    assert np.sum(found * direction) == pytest.approx(expected, rel=1e-6)
    assert jvp(lambda x: f(x, *args[1:]), (args[0],), (direction,))[1] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(jit(grad(f))(*args), found, rtol=1e-10)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_second_derivatives(f, args):
    direction = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    found = jvp(lambda x: grad(f)(x, *args[1:]), (args[0],), (direction,))[1]
    expected = difference(lambda x: grad(f)(x, *args[1:]), args[0], direction)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_batches(f, args):
    batch = np.stack([args[0], args[0] * 1.1, args[0] - 0.2])
    found = vmap(grad(f), (0, *(None for _ in args[1:])))(batch, *args[1:])
    np.testing.assert_allclose(found, [grad(f)(x, *args[1:]) for x in batch], rtol=1e-10)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_no_mask_is_left(f, args):
    assert "np.arange" not in grad(f).show(*args)
    assert "np.arange" not in jacfwd(f).show(*args)


def test_a_mask_of_the_user_stays():
    def masked(x):
        s = 0.0
        for i in range(6, 9):
            s += np.sum(np.where(np.arange(10) < i, x, 0.0) ** 2)
        return s
    assert "np.where(" in grad(masked).show(X)
    np.testing.assert_allclose(grad(masked)(X), np.where(np.arange(10) < 8, 2 * (3 - np.maximum(np.arange(10) - 5, 0)), 0) * X)


def test_values_outside_of_a_slice_do_not_matter():
    def f(x):
        s = 0.0
        for i in range(1, 6):
            s += x[:i] @ x[:i] + np.max(x[:i])
        return s
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan, np.inf])
    assert np.isfinite(value_and_grad(f)(x)[0])
    assert np.all(np.isfinite(grad(f)(x)))
    assert np.all(np.isfinite(jit(grad(f))(x)))


def test_the_source_is_what_a_person_writes():
    assert grad(back_substitution).show(SQUARE, X[:6]).count("i + 1:]") == 6


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int64])
def test_types(dtype):
    def f(x):
        out = np.zeros(x.shape[0], dtype=x.dtype)
        for i in range(1, x.shape[0]):
            out[:i] += x[:i] * x[i]
            out[i] = np.sum(x[:i])
        return out
    x = np.arange(1, 8).astype(dtype)
    found = vmap(f)(np.stack([x, x + 1]))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [f(x), f(x + 1)])


def levinson(r):
    n = r.shape[0]
    y = np.zeros(n)
    alpha, beta = -r[0], 1.0
    y[0] = alpha
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y ** 2)


def sparse_product(values, columns, starts):
    y = np.zeros(starts.shape[0] - 1)
    for i in range(starts.shape[0] - 1):
        y[i] = values[starts[i]:starts[i + 1]] @ values[columns[starts[i]:starts[i + 1]]]
    return np.sum(y ** 2)


def growing(x):
    j = 1
    s = 0.0
    while s < 10.0 and j < x.shape[0]:
        s += np.sum(x[:j] ** 2)
        j += 2
    return s


def bisected(x, level):
    lo, hi = 0, x.shape[0]
    s = 0.0
    while lo < hi:
        mid = (lo + hi) // 2
        s += np.sum(x[lo:hi] ** 2)
        if mid < level:
            lo = mid + 1
        else:
            hi = mid
    return s


MORE = [(levinson, (X[:6] / 10,)), (sparse_product, (X[:6], np.array([0, 2, 1, 0, 1, 5]), np.array([0, 2, 3, 6]))), (growing, (X,)), (bisected, (X, 4))]


@pytest.mark.parametrize(("f", "args"), MORE, ids=[f.__name__ for f, _ in MORE])
def test_values_and_derivatives_of_whole_algorithms(f, args):
    value, found = value_and_grad(f)(*args)
    assert value == f(*args)
    direction = np.cos(np.arange(args[0].size))
    assert np.sum(found * direction) == pytest.approx(difference(lambda x: f(x, *args[1:]), args[0], direction), rel=1e-6)
    np.testing.assert_allclose(jit(grad(f))(*args), found, rtol=1e-10)
    assert "np.arange" not in grad(f).show(*args)


def test_a_tape_holds_what_is_read():
    def f(x):
        s = 0.0
        for i in range(1, x.shape[0]):
            s += np.sum(np.cumsum(x[i:]) ** 2)
        return s
    assert "_tape[i - 1, i:] = np.cumsum(x[i:])" in grad(f).show(X)
