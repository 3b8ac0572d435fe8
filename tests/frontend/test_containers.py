"""Containers inside of containers are the same objects however they are reached, and what is outside of the function is read at each call."""

import bisect
import collections
import fractions
import functools
import types

import numpy as np
import pytest

from transformer import TransformError, grad, jit, tree_util, vmap
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


def sorted_in_place(x, k):
    one, two, three = [v * k for v in x], [*x], [(v, i) for i, v in enumerate(x)]
    one.sort()
    two.sort(reverse=True)
    three.sort(key=lambda pair: -pair[0] * k)
    return one[0] * 2 + two[0] * 3 + three[0][0] + three[1][1]


def looked_up(x, k):
    places, values = [0.0, 0.5, 1.0, 1.5, 2.0], [0.0, 1.0, 4.0, 9.0, 16.0]
    i = min(bisect.bisect(places, x[1]) - 1, 3)
    weight = (x[1] - places[i]) / (places[i + 1] - places[i])
    return values[i] * (1 - weight) + values[i + 1] * weight + bisect.bisect_left(places, x[0]) * k + bisect.bisect_right([1, 3, 5], 3)


def extremes_of_nothing(x, k):
    return max([], default=k) + min((v for v in x if False), default=2.0) + max([x[0], k], default=0.0) + min([], key=abs, default=x[1])


def fractions_of(x, k):
    half = fractions.Fraction(1, 2)
    return k * half + half / x[0] - (half - x[1]) ** 2 + np.sum(x) ** half


def views_of_ordered_dicts(x, k):
    held = collections.OrderedDict(a=x[0], b=k)
    held.move_to_end("a")
    return sum(i * v for i, v in enumerate(held.values(), 1)) + sum(v for _, v in zip("ab", held.values())) + next(iter(held.items()))[1]


def deleted(x, k):
    held = types.SimpleNamespace(a=k, b=x[0])
    del held.b
    return np.sum(x) * held.a * (2.0 if hasattr(held, "b") else 3.0)


@pytest.mark.parametrize("fn", [sorted_in_place, looked_up, extremes_of_nothing, fractions_of, views_of_ordered_dicts, deleted], ids=lambda fn: fn.__name__)
def test_small_idioms(fn):
    x, slope, program = np.array([0.3, 1.7, 0.9, 1.2]), grad(fn), jit(fn)
    for k in (0.7, -0.7):
        np.testing.assert_allclose(program(x, k), fn(x, k))
        np.testing.assert_allclose(slope(x, k), [(fn(x + d, k) - fn(x - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(vmap(fn, in_axes=(None, 0))(x, np.array([0.7, -0.7])), [fn(x, 0.7), fn(x, -0.7)])


def test_floats_do_not_repeat_lists():
    def f(n):
        return len([0] * n) * n
    with pytest.raises(TypeError, match="can't multiply sequence by non-int of type 'float'"):
        grad(f)(3.0)
    assert jit(f)(3) == 9
