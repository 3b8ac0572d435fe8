"""Comprehensions filtered by array values, where every size must be known: compiled, batched and in gradients."""

import math

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, -0.5, 1.2, 0.7])


def mean_of_positive(x):
    positive = [v for v in x if v > 0]
    return sum(positive) / len(positive)


def ends(x):
    positive = [v for v in x if v > 0 if v < 1]
    return positive[0] * positive[-1] if positive else 0.0


def looped(x):
    s = 0.0
    for v in [w for w in x if w > 0]:
        s += v ** 2
    return s


def neighbours(x):
    t = 0.0
    for i in range(8):
        near = [v for v in x if abs(v - x[i % 4]) < 0.6]
        t += sum(near) / len(near)
    return t


def rows(x):
    kept = [r * 2 for r in x.reshape(2, 2) if r[0] > 0.5]
    return np.sum(kept) + len(kept)


def decided(x):
    return x[0] if any(v > 1 for v in x if v < 2) and not all(v > 0 for v in x if v < 0) else x[1]


@pytest.mark.parametrize("fn", [
    mean_of_positive, ends, looped, neighbours, rows, decided, lambda x: sum(v * v for v in x if v > 0), lambda x: max([v * 2 for v in x if v > 0]),
    lambda x: max([v for v in x if v > 50], default=-1.0) * x[0], lambda x: sum(math.sqrt(v) for v in x if v > 0), lambda x: sum(1 / v for v in x if v != x[3]),
    lambda x: next((v * 2 for v in x if v > 1), 0.0), lambda x: next((v for v in x if v > 100), x[0]), lambda x: sorted([v for v in x if v > 0])[1],
    lambda x: sum(filter(lambda v: v > 0, x)), lambda x: np.median([v for v in x if v > 0]) + np.mean([v for v in x if v < 1]),
    lambda x: sum([v > 0 for v in x if v < 1]) * x[2]])
def test_filtered(fn):
    gradient = [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4) * 1e-6]
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.grad(fn)(X), gradient, atol=1e-7)
    np.testing.assert_allclose(T.jit(T.grad(fn))(X), gradient, atol=1e-7)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(T.vmap(fn)(np.stack([X, 2 * X])), [fn(X), fn(2 * X)])


def test_an_empty_list_has_no_maximum():
    with pytest.raises(ValueError):
        float(T.jit(lambda x: max([v for v in x if v > 50]))(X))
    with pytest.raises(IndexError):
        float(T.jit(lambda x: [v for v in x if v > 50][0])(X))


def spent(x):
    positive = (v for v in x if v > 0)
    return sum(positive) + sum(positive)


@pytest.mark.parametrize("fn", [
    lambda x: np.sum(np.array([v for v in x if v > 0] * 2)), lambda x: sum([v for v in x if v > 0] + [x[0]]), lambda x: {v: 1 for v in x if v > 0}])
def test_what_differs_from_arrays_is_refused(fn):
    with pytest.raises(T.TransformError, match="filter"):
        T.jit(fn)(X)


def test_a_spent_generator_is_empty():
    for transform in (T.grad, lambda f: T.jit(T.grad(f))):
        np.testing.assert_array_equal(transform(spent)(X), [1, 0, 1, 1])


def seen_by_any(x, k):
    seen = []

    def above(v):
        seen.append(v)
        return v * k > 1
    return np.sum(x) * (2.0 if any(above(v) for v in x) else 3.0) * len(seen)


def witness(x, k):
    y = 0.0
    if any((y := v) * k > 1 for v in x):
        return y * 2
    return y


def moved_on(x, k):
    items = iter(x)
    found = all(v * k < 1 for v in items)
    return sum(items) * (2.0 if found else 3.0)


def failing_later(x, k):
    places = [0, 2, 9]
    return np.sum(x) if any(x[i] * k > 0 for i in places) else 2.0


def known_items(x, k):
    seen = []
    found = any(seen.append(n) or n > 1 for n in (1, 2, 3))
    return np.sum(x) * k * len(seen) * found


@pytest.mark.parametrize("fn", [seen_by_any, witness, moved_on, failing_later, known_items], ids=lambda fn: fn.__name__)
def test_any_and_all_stop_at_the_item_that_decides(fn):
    x = np.array([0.3, 1.7, -0.9, 2.2])
    for k in (0.7, -0.7, 5.0):
        try:
            want = fn(x, k)
        except IndexError:
            continue
        np.testing.assert_allclose(T.value_and_grad(fn)(x, k)[0], want)
        try:
            np.testing.assert_allclose(T.jit(fn)(x, k), want)
        except T.TransformError as error:
            assert fn is not known_items and ("how far" in str(error) or "index" in str(error))


def numbers_under_flags(x):
    a = np.array(x[0])
    b, zero = np.zeros_like(a), a == 0
    b[zero] = -(a[zero] + x[1])
    b[~zero] = a[~zero] * x[1]
    return b * 2


def rows_under_flags(x):
    y, n = x * 2, 3
    y[x[0] > 1] = 3.0
    y[n < 1] = np.nan
    z = x[x[1] > 0]
    w = x * x
    w[n > 1] = y * 3
    return np.sum(y) + np.sum(z) * x[0] + np.sum(x[True]) * x[1] + np.sum(x[False]) + x[True].shape[0] + np.sum(w * w)


@pytest.mark.parametrize("f", [numbers_under_flags, rows_under_flags], ids=lambda f: f.__name__)
def test_single_bools_are_masks(f):
    for x in (np.array([0.2, 2.0]), np.array([1.5, -2.0]), np.array([-0.5, 0.3])):
        for compiled in (lambda g: g, T.jit):
            value, gradient = compiled(T.value_and_grad(f))(x.copy())
            np.testing.assert_allclose(value, f(x.copy()), rtol=1e-12)
            np.testing.assert_allclose(gradient, [(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(2) * 1e-6], rtol=1e-6, atol=1e-7)
