"""Containers inside of containers are the same objects however they are reached, and what is outside of the function is read at each call."""

import collections
import functools

import numpy as np
import pytest

from transformer import TransformError, grad, jit, tree_util
from transformer.transformed import Transformed


def made(x):
    return [[x, x * 2], [x + 1, x]]


def loops(x):
    rows = made(x)
    for r in rows:
        r[0] = 5 * x
    for i, (r, s) in enumerate(zip(rows, reversed(rows))):
        r[0] += i
        s[1] = s[1] * 2 + r[0]
    for r in map(list.copy, rows):
        r[0] = 0.0
    return rows


def unpacked(x):
    rows = made(x)
    a, b = rows
    a[0] = 5 * x
    first, *rest = rows
    rest[0][1] = first[0] * 2
    b.append(x)
    return rows


def change(p, q):
    p[0] = q[1] * 7
    return [q, p]


def passed(x):
    rows = made(x)
    back = change(*rows)
    back[0][0] = 3 * x
    named = {"p": rows[0], "q": rows[1]}
    change(**named)
    return rows, named


def copied(x):
    rows = made(x)
    one, two, three = list(rows), [*rows], tuple(rows)
    one[0][0], two[1][0], three[1][1] = 2 * x, 3 * x, 4 * x
    sorted(rows, key=len)[0][1] = 6 * x
    max(rows, key=len).append(x)
    return rows


def joined(x):
    rows = made(x)
    both = rows + [[x]]
    both[0][0] = 4 * x
    rows.extend([rows[0]])
    rows.append(rows[1])
    rows[2][1] = 9 * x
    rows[3].append(x)
    return rows


def dictionaries(x):
    d = {"a": [x], "b": [x, x]}
    for _, v in d.items():
        v[0] = v[0] * 3
    for v in d.values():
        v.append(x)
    dict(d)["a"][0] = 8 * x
    {**d}["b"][1] = 7 * x
    return d


def while_loop(x):
    rows = made(x)
    while rows[0][0] < 9:
        p, q = rows
        p[0] = p[0] * 2
        for r in rows:
            r[1] = r[1] + q[0]
    return rows


@pytest.mark.parametrize("f", [loops, unpacked, passed, copied, joined, dictionaries, while_loop], ids=lambda f: f.__name__)
def test_items_are_the_containers_own(f):
    total = lambda x: sum(k * v for k, v in enumerate(tree_util.tree_leaves(f(x))))
    for transform in (Transformed, jit):
        found, wanted = transform(f)(1.5), f(1.5)
        np.testing.assert_allclose(tree_util.tree_leaves(found), tree_util.tree_leaves(wanted))
        assert tree_util.tree_structure(found) == tree_util.tree_structure(wanted)
        slope = (total(1.5 + 1e-6) - total(1.5 - 1e-6)) / 2e-6
        np.testing.assert_allclose(transform(grad(total))(1.5), slope, rtol=1e-6)


OUTSIDE = {}
SHAPE = (2, 3, 4)


@pytest.fixture(autouse=True)
def fresh():
    OUTSIDE.update(array=np.array([1.0, 2.0]), numbers=[1.0, 2.0], rows=[[np.array([3.0]), 5.0]], queue=collections.deque([np.array([2.0])]))


def by_get(x):
    return OUTSIDE.get("array") * x + OUTSIDE.get("missing", 0.0)


def by_items(x):
    return sum([np.sum(v) for k, v in OUTSIDE.items() if k == "array"]) * x


def by_values(x):
    return list(OUTSIDE.values())[0] * x


def by_operators(x):
    return (OUTSIDE["rows"] + [[x]])[0][0] * x + (OUTSIDE["rows"] * 2)[1][0]


def by_copies(x):
    return dict(OUTSIDE)["array"] * x + OUTSIDE["rows"].copy()[0][0]


def by_methods(x):
    kept = []
    kept.extend(OUTSIDE["rows"])
    kept.append(OUTSIDE["rows"])
    return kept[0][0] * x + kept[1][0][0]


def by_queue(x):
    return OUTSIDE["queue"][0] * x + sum(q[0] for q in OUTSIDE["queue"])


def by_comparison(x):
    return x * 2 if OUTSIDE["numbers"] == [1.0, 2.0] else x * 3


class Model:
    def __init__(self):
        self.scale = OUTSIDE["array"]

    def method(self, x):
        return sum([np.sum(v * x) for v in OUTSIDE["rows"][0]]) + np.sum(self.scale * x)

    def __call__(self, x):
        return np.sum(self.scale) * x


READERS = [by_get, by_items, by_values, by_operators, by_copies, by_methods, by_queue, by_comparison,
           lambda x: Model().method(x)]


@pytest.mark.parametrize("transform", [Transformed, jit])
@pytest.mark.parametrize("f", READERS, ids=lambda f: f.__name__)
def test_outer_containers_are_read_at_each_call(f, transform):
    check_fresh(f, transform)


@pytest.mark.parametrize("transform", [Transformed, jit])
def test_what_is_bound_to_a_function_is_read_at_each_call(transform):
    product = lambda scale, x, shift=0.0: np.sum(scale * x) + np.sum(shift)
    for make in (Model, lambda: Model().method, lambda: functools.partial(product, OUTSIDE["array"]),
                 lambda: functools.partial(functools.partial(product, 2.0), shift=OUTSIDE["array"])):
        check_fresh(make(), transform)


def check_fresh(f, transform):
    transformed = transform(f)
    np.testing.assert_allclose(transformed(2.0), f(2.0))
    OUTSIDE["array"] += 1
    OUTSIDE["rows"][0][0] += 1
    np.testing.assert_allclose(transformed(2.0), f(2.0))
    OUTSIDE.update(array=np.array([5.0, 6.0]), numbers=[3.0], queue=collections.deque([np.array([7.0]), np.array([1.0])]))
    OUTSIDE["rows"][0] = [np.array([9.0]), 1.0]
    np.testing.assert_allclose(transformed(2.0), f(2.0))


def test_slices_of_outer_tuples_are_tuples():
    np.testing.assert_array_equal(jit(lambda x: np.zeros(SHAPE[1:] + (2,)) + x)(1.0), np.ones((3, 4, 2)))


def stores_in_a_loop(x):
    for r in OUTSIDE["rows"]:
        r[1] = x
    return x


def stores_when_unpacked(x):
    row, = OUTSIDE["rows"]
    row[1] = x
    return x


def stores_when_kept(x):
    kept = []
    kept.append(OUTSIDE["numbers"])
    kept[0][0] = x
    return x


def stores_when_joined(x):
    both = OUTSIDE["rows"] + [[x]]
    both[0][1] = x
    return x


def stores_in_a_copy(x):
    dict(OUTSIDE)["numbers"][0] = x
    return x


@pytest.mark.parametrize("f", [stores_in_a_loop, stores_when_unpacked, stores_when_kept, stores_when_joined, stores_in_a_copy], ids=lambda f: f.__name__)
def test_stores_into_outer_containers_are_refused_however_they_are_reached(f):
    for transform in (Transformed, jit):
        with pytest.raises(TransformError, match="outlives the call and is changed here"):
            transform(f)(2.0)


def test_stores_into_arguments_that_are_lists_are_refused_when_unpacked():
    def swap(*lists):
        one, two = lists
        two[0] = one[0]
        return lists[1][0]
    for transform in (Transformed, jit):
        with pytest.raises(TransformError, match="outlives the call"):
            transform(swap)([1.0], [2.0])


def test_objects_whose_method_is_transformed_are_not_changed():
    class Counter:
        count = 0

        def step(self, x):
            self.count += 1
            return x * self.count
    with pytest.raises(TransformError, match="self outlives the call"):
        jit(Counter().step)(2.0)


def test_refusals_name_the_argument():
    class Holder:
        def store(self, first, second):
            second[0] = first

    def store(*lists):
        total = lists[0]
        lists[1][0] = total
    with pytest.raises(TransformError, match="argument 1 outlives the call"):
        jit(store)(1.0, [2.0])
    with pytest.raises(TransformError, match="second outlives the call"):
        jit(Holder().store)(1.0, [2.0])
