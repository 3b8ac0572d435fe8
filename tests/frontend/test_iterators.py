"""Iterators and other objects whose state changes: what `next`, deques, slots, defaults and attributes hold in loops and conditions."""

import array
import collections
import heapq
import itertools

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, -0.5, 1.2, 0.7, 0.9, 0.1])
OUTSIDE = itertools.count()


class Slots:
    __slots__ = ("count", "total")

    def __init__(self):
        self.count, self.total = 0, 0.0

    def add(self, v):
        self.count += 1
        self.total += v * self.count


def items_of_a_list(x):
    it, s = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), 0.0
    for v in x:
        s += v * next(it)
    return s


def counted_under_a_condition(x):
    it, s = itertools.count(), 0.0
    for v in x:
        if v > 0:
            s += v * next(it)
    return s


def cycled(x):
    signs, s = itertools.cycle([1.0, -1.0, 2.0]), 0.0
    for v in x:
        s += v * next(signs)
    return s


def counted_while(x):
    it, t = itertools.count(), 0.0
    while t < 3.0:
        t = t + x[0] * next(it) + 0.5
    return t


def pairs_of_one_iterator(x):
    it = iter(x)
    return sum(a * b for a, b in zip(it, it))


def rest_after_the_first(x):
    it = iter(x)
    s = next(it)
    for v in it:
        s = s * next(iter([2.0])) + v
    return s + next(it, 1.5)


def zipped_with_what_never_ends(x):
    return sum(k * v for k, v in zip(itertools.count(2, 3), x)) + sum(v * w for v, w in zip(x, itertools.repeat(2.0)))


def mapped_and_spent(x):
    doubled = map(lambda v: v * 2, x)
    pairs = zip(x, x)
    first = next(doubled)
    return 3 * first + sum(doubled) + sum(a * b for a, b in pairs) + sum(1.0 for _ in pairs)


def left_early(x):
    it = iter([1.0, 2.0, -3.0, 4.0, 5.0])
    for v in it:
        if v < 0:
            break
    return sum(it) * x[0] + next(reversed([1.0, 3.0])) * x[1] + next(enumerate(x))[1]


def grouped(x):
    return sum(key * sum(x[k] for k in group) for key, group in itertools.groupby(range(6), lambda k: k // 2))


def endless_loop(x):
    s = 0.0
    for i in itertools.count():
        if i >= 6:
            break
        s += x[i] * i
    return s


def in_slots(x):
    s = Slots()
    for v in x:
        if v > 0.2:
            s.add(v)
    return s.total


def in_defaults(x):
    def add(v, store=[0.0]):  # noqa: B006
        store[0] += v
        return store[0]
    s = 0.0
    for v in x:
        s += add(v)
    return s


def in_attributes(x):
    def weighted(v):
        weighted.calls += 1
        return v * weighted.calls
    weighted.calls, s = 0, 0.0
    for v in x:
        s += weighted(v)
    return s


def in_bytes(x):
    one, other, s = array.array("d", [0.0]), bytearray(1), 0.0
    for v in x:
        one[0] += 1.0
        other[0] += 2
        s += v * (one[0] + other[0])
    return s


def in_a_deque(x):
    last, s = collections.deque([0.0, 0.0], maxlen=2), 0.0
    for v in x:
        if v > 0:
            last.append(v)
        last.rotate(1)
        s += last[0] * v
    return s + last[0] * last[1]


def in_a_heap(x):
    heap, s = [3, 1, 2, 7, 5, 9], 0.0
    heapq.heapify(heap)
    for v in x:
        s += v * heapq.heappop(heap)
    return s


@pytest.mark.parametrize("fn", [
    items_of_a_list, counted_under_a_condition, cycled, counted_while, pairs_of_one_iterator, rest_after_the_first, zipped_with_what_never_ends,
    mapped_and_spent, left_early, grouped, endless_loop, in_slots, in_defaults, in_attributes, in_bytes, in_a_deque, in_a_heap])
def test_state(fn):
    gradient = [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(6) * 1e-6]
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.grad(fn)(X), gradient, atol=1e-7)
    np.testing.assert_allclose(T.jit(T.vmap(fn))(np.stack([X, X[::-1]])), [fn(X), fn(X[::-1])])


@pytest.mark.parametrize("fn", [lambda x: x * next(OUTSIDE), lambda x: [x * k for k in OUTSIDE][0], lambda x: sum(x * k for k in itertools.count())])
def test_iterators_that_cannot_be_read(fn):
    with pytest.raises(T.TransformError, match="iterator"):
        T.jit(fn)(2.0)


def swapped(x):
    a, b = [x[0]], [x[2]]
    if x[1] > 0:
        a, b = b, a
    return a[0] + 10 * b[0]


def chosen(x):
    a = Slots()
    a.add(x[0])
    other = Slots()
    other.add(x[2])
    b = a if x[1] > 0 else other
    return a.total + 10 * b.total


@pytest.mark.parametrize("fn", [swapped, chosen])
@pytest.mark.parametrize("x", [X, -X])
def test_containers_that_are_one_of_two(fn, x):
    np.testing.assert_allclose(T.jit(fn)(x), fn(x))
    np.testing.assert_allclose(T.grad(fn)(x), [(fn(x + d) - fn(x - d)) / 2e-6 for d in np.eye(6) * 1e-6], atol=1e-7)


def changed(x):
    a, b = {"v": x[0]}, {"v": x[2]}
    c = a if x[1] > 0 else b
    c["v"] = c["v"] * 2
    return a["v"] + 10 * b["v"] + 100 * c["v"]


def replaced(x):
    c = {"v": x[0]}
    if x[1] > 0:
        c = {"v": x[2] * 2}
    c["v"] = c["v"] * 3
    return c["v"]


def test_a_store_into_one_of_two_containers():
    for x in (X, -X):
        np.testing.assert_allclose(T.grad(changed)(x), [(changed(x + d) - changed(x - d)) / 2e-6 for d in np.eye(6) * 1e-6], atol=1e-6)
        np.testing.assert_allclose(T.jit(replaced)(x), replaced(x))
    with pytest.raises(T.TransformError, match="one of two"):
        T.jit(changed)(X)


def test_identity_of_one_of_two_containers_is_not_known():
    def fn(x):
        a, b = [x], [2 * x]
        c = a if x > 0 else b
        return x if c is a else 3 * x
    assert T.grad(fn)(1.0) == 1 and T.grad(fn)(-1.0) == 3
    with pytest.raises(T.TransformError, match="one object"):
        T.jit(fn)(1.0)


def test_changes_of_lists_from_outside_are_refused():
    values = [3.0, 1.0]

    def extends(x):
        alias = values
        alias += [x]
        return x

    for fn in (extends, lambda x: x * heapq.heappop(values)):
        with pytest.raises(T.TransformError, match="outlives the call"):
            T.grad(fn)(1.0)
    assert values == [3.0, 1.0]
