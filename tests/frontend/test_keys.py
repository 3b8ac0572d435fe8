"""Keys of dicts, elements of sets and arguments of cached functions that come from arrays: values at hand decide them, and jit refuses."""

import collections
import functools
import typing

import numpy as np
import pytest

import transformer as T

LABELS = np.array([0, 1, 2, 0, 1, 2])
X = np.array([0.3, 1.7, 0.4, 1.2, -0.6, 0.9])


def groups(labels, x):
    found = {}
    for label, value in zip(labels, x):
        found.setdefault(int(label), []).append(value)
    return sum(np.mean(g) ** 2 for g in found.values())


def sums(labels, x):
    totals = {}
    for label, value in zip(labels, x):
        if label in totals:
            totals[label] += value
        else:
            totals[label] = totals.get(label, 0.5) + value
    return sum(t ** 2 for t in totals.values())


def display(labels, x):
    table = {labels[0]: x[0], labels[3]: x[1], **dict([(labels[4], x[2])])}
    table.update({labels[1]: x[3] ** 2})
    return len(table) * table[labels[0]] + table[1]


def comprehension(labels, x):
    return sum({label: value for label, value in zip(labels, x)}.values()) * len({label for label in labels})


def counted(labels, x):
    counts = collections.Counter(labels.tolist())
    best = max(set(labels.tolist()), key=labels.tolist().count)
    return counts[0] * x[0] + x[counts.most_common(1)[0][0]] + x[best]


def algebra(labels, x):
    return len(frozenset(labels.tolist()) | {1, 7}) * x[0] + x[sorted(set(labels))].sum() * (labels[1] in {1: 2})


def visited(labels, x):
    seen, total = set(), 0.0
    for i in range(6):
        if int(labels[i]) not in seen:
            seen.add(int(labels[i]))
            total += x[i] ** 2
    return total


def remembered(labels, x):
    @functools.cache
    def twice(i):
        return x[i] ** 2
    return twice(labels[1]) + twice(labels[4]) * twice(labels[0])


@pytest.mark.parametrize("fn", [groups, sums, display, comprehension, counted, algebra, visited, remembered])
def test_keys_from_an_array(fn):
    value, gradient = T.value_and_grad(fn, 1)(LABELS, X)
    assert value == fn(LABELS, X)
    np.testing.assert_allclose(gradient, [(fn(LABELS, X + d) - fn(LABELS, X - d)) / 2e-6 for d in np.eye(6) * 1e-6], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(T.vmap(fn, (None, 0))(LABELS, np.stack([X, 2 * X])), [fn(LABELS, X), fn(LABELS, 2 * X)])
    if fn is not remembered:
        with pytest.raises(T.TransformError, match="the key of a dict or an element of a set"):
            T.jit(fn)(LABELS, X)


@pytest.mark.parametrize("fn", [
    lambda x: sum(k * v for k, v in {x[0]: 1.0, x[1]: 2.0}.items()), lambda x: sum({*x}) * x[0], lambda x: max(dict(zip(x, LABELS))) ** 2,
    lambda x: sorted({v for v in x})[2],
], ids=["dict", "set", "keys", "sorted"])
def test_keys_keep_their_derivative(fn):
    want = [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(6) * 1e-6]
    np.testing.assert_allclose(T.grad(fn)(X), want, rtol=1e-6, atol=1e-9)


def test_a_stored_key_keeps_its_derivative():
    def f(x):
        table = {}
        table[x[0]] = 1.0
        table[x[1]] = x[2]
        return sum(k * v for k, v in table.items())
    np.testing.assert_allclose(T.grad(f)(X), [1.0, X[2], X[1], 0.0, 0.0, 0.0])


def test_keys_of_results():
    def f(labels, x):
        return {int(label): value for label, value in zip(labels, x)}, {(label, 1): value for label, value in zip(labels, x)}
    one, two = T.vmap(f, (None, 0))(LABELS, X[None])
    assert one == {0: X[3], 1: X[4], 2: X[5]} and [type(k) for k in one] == [int] * 3
    assert two == {(0, 1): X[3], (1, 1): X[4], (2, 1): X[5]}


def test_a_number_that_is_a_key_becomes_static():
    def f(x, n):
        return {0: np.sin, 1: np.cos}.get(n, np.tanh)(x) * len({n, 1})
    np.testing.assert_allclose([T.jit(f)(0.5, 1), T.jit(f)(0.5, 3)], [np.cos(0.5), 2 * np.tanh(0.5)])


def test_arrays_are_no_keys():
    with pytest.raises(TypeError, match="unhashable"):
        T.grad(lambda x: len({x[:2]}) * x[0])(X)


def test_recursion_with_a_cache_runs_each_case_once():
    def distance(a, b):
        @functools.cache
        def cost(i, j):
            if i == 0 or j == 0:
                return 0.7 * (i + j)
            swap = cost(i - 1, j - 1) + (a[i - 1] - b[j - 1]) ** 2
            return np.minimum(np.minimum(cost(i - 1, j), cost(i, j - 1)) + 0.7, swap)
        return cost(len(a), len(b))
    a, b = np.sin(np.arange(9.0)), np.cos(1.1 * np.arange(8.0))
    gradient = T.grad(distance)(a, b)
    np.testing.assert_allclose(gradient, [(distance(a + d, b) - distance(a - d, b)) / 2e-6 for d in np.eye(9) * 1e-6], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(T.jit(distance)(a, b), distance(a, b))


def test_a_cached_value_of_one_branch_is_computed_again_behind_it():
    def f(x, k):
        @functools.cache
        def power(n):
            return x ** n
        y = power(2) if k > 0 else 0.5
        return y + power(2) * power(3)
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.jit(f)(1.5, k), f(1.5, k))
        np.testing.assert_allclose(T.grad(f)(1.5, k), (f(1.5 + 1e-6, k) - f(1.5 - 1e-6, k)) / 2e-6, rtol=1e-8)


def test_the_hash_of_a_number_is_that_of_its_value():
    def f(x, n):
        seen = {hash(n): x, hash(n + 1): 2 * x}
        return seen[hash(n + 1)] * (hash(n) % 3)
    for n in (4, 5):
        assert T.value_and_grad(f)(2.0, n) == (f(2.0, n), f(1.0, n))
        assert T.jit(f)(2.0, n) == f(2.0, n)


class Notes:
    def __init__(self):
        self.kinds, self.total = [tuple[float, ...], typing.Annotated[int, 2], int | None], 0.0


def test_type_annotations_are_no_state():
    def f(x):
        notes = Notes()
        if x > 0.5:
            notes.total = 2 * x
        return notes.total + x * len(notes.kinds)
    for x in (0.25, 1.0):
        assert T.jit(f)(x) == f(x) and T.value_and_grad(f)(x)[0] == f(x)


def length(d):
    return len(d)


def membership(d):
    return 2.0 if "a" in d else 3.0


def got(d):
    return d.get("a", 3.0)


def total(d):
    return sum(d.values())


def names(d):
    return sum(len(key) for key in d)


def truth(d):
    return 2.0 if d else 5.0


def equality(d):
    return 2.0 if d == {"b": 1.5} else 5.0


def joined(d):
    return len({**d, "c": 1.0}) + len(d | {"z": 2.0}) + len(dict(d)) + len(d.copy())


def text(d):
    return len(str(d)) * 1.0


def passed_on(d):
    return (lambda b=1.0, **rest: b + len(rest))(**d)


def first(d):
    return next(iter(d.values()))


def without(d):
    return d.pop("a", 3.0)


def defaulted(d):
    return d.setdefault("a", 4.0)


def removed(d):
    if "a" in d:
        del d["a"]
    return len(d)


@pytest.mark.parametrize("look", [length, membership, got, total, names, truth, equality, joined, text, passed_on, first, without, defaulted, removed],
                         ids=lambda look: look.__name__)
@pytest.mark.parametrize("make", ["added", "deleted", "moved"])
def test_keys_that_a_condition_decides(look, make):
    def added(k):
        d = {"b": 1.5}
        if k > 0:
            d["a"] = 2.0
        return d

    def deleted(k):
        d = collections.defaultdict(float, a=1.0, b=1.5)
        if k > 0:
            del d["a"]
        return d

    def moved(k):
        d = collections.OrderedDict(a=1.0, b=1.5)
        if k > 0:
            d.move_to_end("a")
        return d
    made = {"added": added, "deleted": deleted, "moved": moved}[make]

    def f(x, k):
        return np.sum(x) * look(made(k))
    x = np.array([0.5, 2.0])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.value_and_grad(f)(x, k)[0], f(x, k))
    if (look, make) == (got, "moved"):
        np.testing.assert_allclose(T.jit(f)(x, 1.0), f(x, 1.0))
        return
    with pytest.raises(T.TransformError, match="depends on a condition|on one side"):
        T.jit(f)(x, 1.0)


def test_keys_that_are_the_same_on_both_sides():
    def f(x, k):
        d = {"a": x[0]}
        if k > 0:
            d["b"] = x[1]
            d["a"] = 2 * x[1]
        return d["a"] * d.get("a")
    x = np.array([0.5, 2.0])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.jit(f)(x, k), f(x, k))


class Plain:
    a = 5.0


@pytest.mark.parametrize("look", [lambda o: 2.0 if hasattr(o, "b") else 3.0, lambda o: getattr(o, "b", 3.0), lambda o: len(vars(o)), lambda o: o.a])
def test_attributes_that_a_condition_decides(look):
    def f(x, k):
        o = Plain()
        if k > 0:
            o.a = o.b = x[0]
        return np.sum(x) * look(o)
    x = np.array([0.5, 2.0])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.value_and_grad(f)(x, k)[0], f(x, k))
    with pytest.raises(T.TransformError, match="on one side"):
        T.jit(f)(x, 1.0)


def stored(x, k):
    d = {"a": x[0], "b": x[1]}
    d["a" if k > 0 else "b"] = x[2]
    d["b" if k > 0 else "a"] += x[3]
    return d["a"] * 2 + d["b"]


def largest(x, k):
    d = {"a": x[0], "bb": x[1] * k, "c": x[2]}
    name, value = max(d.items(), key=lambda pair: pair[1])
    ordered = sorted(d.items(), key=lambda pair: pair[1])
    names = sorted(d, key=d.__getitem__)
    return value * {"a": 1.0, "bb": 2.0, "c": 3.0}[name] + ordered[0][1] * 3 + d[names[1]] * d[min(d, key=d.get)]


@pytest.mark.parametrize("f", [stored, largest], ids=lambda f: f.__name__)
def test_texts_that_a_condition_chooses_as_keys(f):
    x = np.array([0.3, 1.7, 0.9, 1.2])
    for k in (0.7, -0.7):
        np.testing.assert_allclose(T.jit(f)(x, k), f(x, k))
        np.testing.assert_allclose(T.grad(f)(x, k), [(f(x + d, k) - f(x - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("make", [lambda name: {name: 1.0, "a": 2.0}, lambda name: {name, "a"}, lambda name: dict([(name, 1.0), ("a", 2.0)]),
                                  lambda name: {n: 1.0 for n in (name, "a")}, lambda name: collections.Counter([name, "a"])])
def test_new_keys_that_a_condition_chooses(make):
    def f(x, k):
        return np.sum(x) * len(make("a" if k > 0 else "b"))
    x = np.array([0.5, 2.0])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.value_and_grad(f)(x, k)[0], f(x, k))
    with pytest.raises(T.TransformError, match="depends on a condition"):
        T.jit(f)(x, 1.0)


def test_whether_an_object_from_outside_has_an_attribute_is_asked_at_each_call(monkeypatch):
    held = Plain()

    def f(x):
        return x * (2.0 if hasattr(held, "c") else 3.0) * getattr(held, "d", 1.0)
    program = T.jit(f)
    assert program(1.0) == 3.0
    held.c = held.d = 5.0
    assert program(1.0) == 10.0
