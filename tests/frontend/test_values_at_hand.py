"""Un-jitted calls whose structure depends on values: what is stored into arrays, and what loops leave, is known where conditions need it."""

import numpy as np
import pytest

import transformer as T

X = np.array([1.221, 1.722, 0.233, 0.784])


def counted(total, *tests):
    """The total, times the length of a list that grows where a test holds: types alone do not tell it."""
    found = []
    for test in tests:
        if test:
            found.append(total)
    return total * (1 + len(found)) + sum(found)


def elements(x):
    table = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    table[0, 1] = -x[0]
    pivot = np.argmax(table[0] * x)
    row = table[1].copy()
    row *= 1 / row[pivot]
    table[1] = row
    return counted(np.sum(table * x), table[1, 0] > 0.6, table[1, pivot] > 0.5)


def under_masks(x):
    ratios = np.full(4, np.inf)
    np.divide(x, x - 0.2, out=ratios, where=x > 0.3)
    np.add.at(ratios, [0, 0, 1], x[:3])
    best = np.argmin(ratios)
    return counted(ratios[best] * x[best], ratios[1] < ratios[0], np.isinf(ratios[2]))


def through_views(x):
    a = np.zeros((3, 4))
    part, turned = a[1:, ::2], a.T
    part[0] = x[:2]
    turned[3] += x[1]
    a[2, 1:3] *= 0.5
    return counted(np.sum(a * x), a[1, 2] > 1.5, a[0, 3] > 2.0, part[1, 0] > 0)


def argument(x):
    x[0] = x[1] * x[2]
    return counted(np.sum(x ** 2), x[0] < 1)


def rolled(x):
    y = np.zeros(400)
    y[0] = x[0]
    for i in range(1, 400):
        y[i] = 0.5 * y[i - 1] + x[1] * i
    total = counted(np.sum(y), y[10] > 0, y[399] < 0)
    k, z = 0, x[2]
    while z < 1000:
        z, k = z * 1.3 + x[3], k + 1
    return counted(total * 1e-6 + z, k > 20, z > 1100)


def loops_in_turn(x):
    found, v = [], x * 1.0
    for _ in range(3):
        for i in range(100):
            v[i % 4] = np.sin(v[(i + 1) % 4]) + x[i % 4]
        if v[0] > 1.4:
            found.append(v[1])
    for i in range(100):
        v[i % 4] *= 0.99
    return np.sum(v) + sum(found) * len(found)


def last_round(x):
    for i in range(200):
        last = x[i % 4] * i
        if last > 100:
            break
    return counted(last * x[0], last > 150, i > 50)


FUNCTIONS = [elements, under_masks, through_views, argument, rolled, loops_in_turn, last_round]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_conditions_see_what_was_stored(fn):
    for x in (X, X[::-1].copy(), 0.4 * X):
        value, gradient = T.value_and_grad(fn)(x.copy())
        np.testing.assert_allclose(value, fn(x.copy()), rtol=1e-12)
        expected = [(fn(x + d) - fn(x - d)) / 2e-6 for d in np.eye(4) * 1e-6]
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(T.jvp(fn, (x.copy(),), (np.ones(4),))[1], np.sum(expected), rtol=1e-5, atol=1e-5)


def test_loops_stay_loops():
    text = str(T.grad(rolled).show(X))
    assert "range(399, 0, -1)" in text and len(text.splitlines()) < 60


def test_errors_wait_for_the_program():
    def f(x):
        y, found = np.zeros(3), []
        for i in range(100):
            y[i % 3] += x[i % 4]
        if y[0] > 0:
            found.append(1.0)
        y[int(x[0] * 0 + 5)] = 1.0
        return np.sum(y) * len(found)
    with pytest.raises(IndexError):
        T.grad(f)(X)
