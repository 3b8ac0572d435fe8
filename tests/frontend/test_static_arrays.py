"""Arrays made of numbers, stored into and then bound again on one side of a condition or in a loop: what was stored stays."""

import copy
import functools

import numpy as np
import pytest

import transformer as T

X = np.array([1.221, 1.222, 0.233, 0.784])


def one_side(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    if k > 0.5:
        v = x * 1.0
    return np.sum(v * v)


def stored_in_a_loop(x, k):
    v = np.zeros(4)
    for i in range(9):
        v[i % 4] = np.sum(x) * i
    if k > 0.9:
        pass
    elif k > 0.5:
        v = x * 1.0
    return np.sum(v * v)


def carried(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    for _ in range(5):
        v = v * 0.5 + k
    return np.sum(v * v)


def made_anew(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    for i in range(5):
        if x[i % 4] > 0.5:
            v = np.zeros(4)
            v[1] = x[1]
    return np.sum(v * v) * k


def swapped(x, k):
    v = np.zeros(4)
    v[:] = x[0]
    u = np.zeros(4)
    for i in range(5):
        if x[i % 4] > k:
            v, u = u, v
        v[i % 4] = x[2]
    return np.sum(v * v) + 2.0 * np.sum(u ** 3)


def with_an_alias(x, k):
    v = np.zeros(4)
    w = v
    v[:] = x[0]
    for _ in range(5):
        v[0] += k
        v = v * 0.5
    return np.sum(v * v) + np.sum(w)


def in_a_dict(x, k):
    state = {"v": np.zeros(4)}
    state["v"][:] = x[0]
    if k > 0.5:
        state["v"] = x * 2.0
    return np.sum(state["v"] ** 2)


@pytest.mark.parametrize("fn", [one_side, stored_in_a_loop, carried, made_anew, swapped, with_an_alias, in_a_dict])
@pytest.mark.parametrize("k", [0.2, 0.7, 1.0])
def test_stores_stay(fn, k):
    want = fn(X, k)
    np.testing.assert_allclose(T.jit(fn)(X, k), want)
    np.testing.assert_allclose(T.vmap(fn)(X[None], np.array([k])), [want])
    value, slope = T.value_and_grad(fn)(X, k)
    np.testing.assert_allclose(value, want)
    np.testing.assert_allclose(slope, [(fn(X + d, k) - fn(X - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], atol=1e-7)


def test_an_array_that_is_one_of_two_is_not_stored_into():
    def fn(x, k):
        v = np.zeros(4)
        w = v
        v[:] = x[0]
        if k > 0.5:
            v = x * 2.0
        v[1] = 0.25
        return np.sum(v * w)
    with pytest.raises(T.TransformError, match="one of two"):
        T.jit(fn)(X, 1.0)


def in_a_list(x):
    rows = [np.zeros(4) for _ in range(3)]
    rows[1][0] = x[0]
    rows[2] += x
    return np.sum(np.stack(rows) * np.arange(1.0, 13.0).reshape(3, 4)) + np.concatenate(rows)[4] + sum(rows)[1]


def in_a_tuple_and_a_dict(x):
    a = np.zeros(4)
    held, columns = (a, np.ones(4)), {"a": a[1:], "b": a}
    a[2] = x[0]
    return np.array(held) @ x @ np.array([1.0, 2.0]) + np.column_stack([columns["b"], a])[2, 0] + np.hstack(list(columns.values()))[1] + np.sum([columns["a"]])


class Held:
    def __init__(self, a):
        self.a = a


def in_an_object(x):
    held = Held(np.zeros(4))
    a = held.a
    a[1] = x[1]
    other, deep = copy.copy(held), copy.deepcopy({"held": [held]})["held"][0]
    other.a[0] = x[2]
    return held.a @ x + 2 * np.sum(deep.a) + np.sum(vars(held)["a"])


def behind_a_method(x):
    a = np.zeros(4)
    total, part, flat = a.sum, functools.partial(np.sum, a), a.flat
    a[3] = x[0]
    return total() + 2 * part() + 4 * flat[3]


def behind_an_iterator(x):
    a = np.zeros(4)
    it, pairs, numbered, back = iter(a), zip(a, x), enumerate(a), reversed(a)
    a[0] = a[3] = x[1]
    return next(it) + 2 * list(pairs)[3][0] + 4 * next(numbered)[1] + 8 * next(back)


@pytest.mark.parametrize("fn", [in_a_list, in_a_tuple_and_a_dict, in_an_object, behind_a_method, behind_an_iterator])
def test_arrays_held_before_the_first_store(fn):
    np.testing.assert_allclose(T.jvp(fn, (X,), (X,))[0], fn(X))
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.grad(fn)(X), [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-8)


class Layers:
    def __init__(self):
        self.first, self.parts = np.arange(4.0), [np.ones(2), {"last": np.zeros(2)}]

    def step(self, x):
        self.out = self.first * x[0]
        return np.sum(self.out)


LAYERS = Layers()


def behind_a_check(x):
    total = 0.0
    for i in range(70):
        if x[i % 4] < -5:
            raise ValueError("far off")
        else:
            a = np.array([0.1, 0.2])
        a[i % 2] += x[i % 4]
        total += a[0]
    return total


def made_in_a_list(x):
    total = 0.0
    for i in range(70):
        a, b = np.split(np.arange(6.0), 2)
        a[i % 3] += x[i % 4]
        b[1] = x[0] * a[1]
        total = total + np.sum(a * b)
    return total


def made_in_an_object(x):
    total, outer = 0.0, copy.deepcopy(LAYERS)
    for _ in range(70):
        inner = copy.deepcopy(LAYERS)
        inner.first += x
        outer.first += x * 0.01
        inner.parts[1]["last"][0] += x[1]
        outer.parts[1]["last"][0] += x[1]
        total = total + np.sum(inner.first) * x[0] + inner.parts[1]["last"][0] + outer.parts[1]["last"][0] * x[2] + outer.parts[0][1]
    return total + np.sum(outer.first ** 2)


def trained(x):
    layers = copy.deepcopy(LAYERS)
    for k in range(1, 3):
        layers.value = layers.step(x)
        layers.first += layers.first * x[1] * k
        if layers.parts is None:
            layers.value = 0.0
    return layers.step(x) + layers.value


@pytest.mark.parametrize("fn", [behind_a_check, made_in_a_list, made_in_an_object, trained])
def test_arrays_are_made_where_their_statement_runs(fn):
    for compiled in (lambda g: g, T.jit):
        value, gradient = compiled(T.value_and_grad(fn))(X)
        np.testing.assert_allclose(value, fn(X), rtol=1e-12)
        np.testing.assert_allclose(gradient, [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-6)
