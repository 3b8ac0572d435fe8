"""Iterators give each item as it is when it is asked for: what is stored or rebound in between is seen, as in Python."""

import itertools

import numpy as np
import pytest

import transformer as T

X = np.array([0.5, -1.2, 2.0, 0.3])


def element_stored(x):
    a = x * 1.0
    g = (a[i] * 2 for i in range(4))
    a[0] = 5.0
    return next(g) + sum(g)


def stored_in_the_rounds(x):
    a = x * 1.0
    for i, v in enumerate(a[k] * 2 for k in range(4)):
        a[(i + 1) % 4] = v
    return np.sum(a)


def name_rebound(x):
    k = 1.0
    g = (v * k for v in x)
    for _ in range(5):
        k = k + x[0]
    return sum(v for v in g)


def name_rebound_before_a_loop(x):
    k, s = 1.0, 0.0
    g = (v * k for v in x if v > 0)
    for _ in range(5):
        k = k + x[0]
    for v in g:
        s = s + v
    return s


def mapped_list(x):
    a, s = [x[0], x[1], x[2]], 0.0
    for i, v in enumerate(map(lambda k: a[k] * 2, range(3))):
        a[(i + 1) % 3] = v
        s = s + v
    return s


def zipped_list(x):
    a, b, s, i = [x[0], x[1], x[2]], [1.0, 2.0, 3.0], 0.0, 0
    for k, v in zip(range(3), a):
        a[(k + 1) % 3] = v * 2
        s = s + v
    for v, w in zip(a, b):
        a[(i + 1) % 3] = v * 2
        i += 1
        s = s + v * w
    return s


def over_an_iterator(x):
    a, s = [x[0], x[1]], 0.0
    for v in iter(a):
        a[1] = x[3] * v
        s = s + v
    for v in reversed(a):
        a[0] = v * 3
        s = s + v
    return s


def with_itertools(x):
    s = 0.0
    for take in (lambda a: itertools.islice(a, 3), lambda a: itertools.chain(a, [x[3]]), itertools.accumulate):
        a, i = [x[0], x[1], x[2]], 0
        for v in take(a):
            if i < 2:
                a[i + 1] = v * 2
            i += 1
            s = s + v
    return s


def filtered_list(x):
    a, s = [x[0], x[1], x[2]], 0.0
    for v in filter(None, a):
        a[2] = v * 3
        s = s + v
    return s


def values_of_a_dict(x):
    d, s = {"a": x[0], "b": x[1]}, 0.0
    for _, v in d.items():
        d["b"] = x[2]
        s = s + v
    for v in d.values():
        d["b"] = x[3]
        s = s + v
    return s


def bound_in_an_expression(x):
    s = 0.0
    for v in ((t := a * 2) for a in x):
        s += v * t
    return s + t


def nested_expression(x):
    s = 0.0
    for v in (a * b for a in x for b in x if a > b):
        s += v
    return s


def returned_and_passed(x):
    def multiples(k):
        return (v * k for v in x)

    def fold(values):
        s = 0.0
        for v in values:
            s = s * 0.5 + v
        return s
    return sum(multiples(2.0)) + max(multiples(x[0])) + fold(v ** 2 for v in x) + fold(v for v in x if v > 0)


def under_a_condition(x):
    it, s = (v * 3 for v in [1.0, 2.0, 3.0, 4.0]), 0.0
    for v in x:
        if v > 0:
            s += v * next(it)
    return s


def parts_of_one(x):
    it = (v for v in x)
    return sum(itertools.islice(it, 2)) * 10 + sum(it)


def searched(x):
    return 1.0 * (2.0 in (v for v in x)) + x[1]


PROGRAMS = [element_stored, stored_in_the_rounds, name_rebound, name_rebound_before_a_loop, mapped_list, zipped_list, over_an_iterator,
            with_itertools, filtered_list, values_of_a_dict, bound_in_an_expression, nested_expression, returned_and_passed, under_a_condition,
            parts_of_one, searched]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_items(f):
    want = [(f(X + d) - f(X - d)) / 2e-6 for d in np.eye(4) * 1e-6]
    rows = np.stack([X, X * 0.9])
    np.testing.assert_allclose(T.jit(f)(X), f(X))
    if f is not searched:
        np.testing.assert_allclose(T.grad(f)(X), want, atol=1e-6)
        np.testing.assert_allclose(T.jit(T.grad(f))(X), want, atol=1e-6)
    np.testing.assert_allclose(T.vmap(f)(rows), [f(row) for row in rows])
