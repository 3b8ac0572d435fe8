"""Loops as Python programmers write them: variables of another kind in the first round, lists that grow in some rounds, tests that bind names."""

import numpy as np
import pytest

from transformer import TransformError, grad, jit, jvp, vmap

X = np.linspace(0.1, 1.4, 10)


def previous(x):
    last, total = None, 0.0
    for i in range(10):
        if i > 0:
            total += (x[i] - last) ** 2
        last = x[i]
    return total


def another_shape(x):
    for i in range(10):
        if i == 0:
            out = x[0]
        elif i == 5:
            out = np.array([out, x[1]])
        else:
            out = out * x[i]
    return np.sum(out)


def grows_in_some_rounds(x):
    kept = []
    for i in range(10):
        if i % 2 == 0:
            kept.append(x[i] * len(kept))
    return sum(kept)


def bound_in_the_first_round(x):
    for i in range(10):
        if i % 5 == 0:
            kind, y = "start", x[i]
        if i > 0 and kind == "start":
            y = y * x[i]
    return y


def missing_key(x):
    cells = {(0, 0): x[0]}
    for i in range(1, 10):
        cells[i, 0] = x[i] * cells[i - 1, 0]
        if i > 3:
            cells[i, 0] = cells[i, 0] + cells[i - 3, 0]
    return cells[9, 0]


PLAIN = [previous, another_shape, grows_in_some_rounds, bound_in_the_first_round, missing_key]


def pairs(x):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, reversed(x))):
        total += a ** 2 * b * i
    return total


def marks_rows(x):
    kept = np.zeros(10)
    for i, (v, w) in enumerate(zip(x, range(10))):
        if v > 0.5:
            kept[i] = v * w
    return np.sum(kept ** 2)


def places(x):
    x, total = x.reshape(2, 5), 0.0
    for i, j in np.ndindex(x.shape):
        total += x[i, j] * i + x[1 - i, j] ** 2 * j
    for k in np.ndindex(2, 5):
        total += x[k] ** 3
    return total


def places_and_values(x):
    x, y = x.reshape(5, 2), np.zeros((2, 5))
    for (i, j), v in np.ndenumerate(x):
        y[j, i] = v * i if v > 0.5 else -v
    return np.sum(y[0] * y[1]) + sum([i * v for (i, _), v in np.ndenumerate(x)])


OVER_ITEMS = [pairs, marks_rows, places, places_and_values]
"""Loops over the items of arrays whose bodies read no array."""


def bound_in_the_test(x):
    t = 0.0
    while (t := t + x[3]) < 3:
        pass
    return t * x[0]


def body_binds_as_well(x):
    t = 0.0
    while 0 <= (t := t + x[3]) < 3:
        if t > 1.5:
            continue
        t = t + 0.01 * x[1]
    else:
        t = t * x[2]
    return t


def calls_a_closure(x):
    t = 0.0

    def step():
        nonlocal t
        t = t * 1.2 + x[3]
        return t
    while step() < 3:
        x = x * 1.1
    return t * x[0]


def stores_in_the_test(x):
    y = x.copy()

    def step():
        y[0] += x[1]
        return y[0]
    while step() < 3:
        y[1] *= 1.1
    return y[0] * y[1]


class Walker:
    def __init__(self, x):
        self.x, self.steps = x, 0

    def advance(self, by):
        self.x, self.steps = self.x * by, self.steps + 1
        return self.x


def changes_an_object(x):
    walker = Walker(x[3])
    while walker.advance(1.3) < 3:
        x = x * 1.1
    return walker.x * walker.steps * x[0]


def counts_down(x):
    n, t = 5, x[0]
    while n := n - 1:
        t = t * x[1]
    return t + n


def inside_of_a_loop(x):
    t = x[0]
    for i in range(6):
        while (t := t * 1.5) < 3 + i:
            x = x + 0.1 * t
    return t * x[1]


def nested_tests(x):
    t = x[3]
    while (t := t * 1.1) < 2:
        u = x[0]
        while (u := u + t) < 3:
            x = x * 1.02
        t = t + 0.01 * u
    return t * x[1]


BINDING = [bound_in_the_test, body_binds_as_well, calls_a_closure, stores_in_the_test, changes_an_object, counts_down, inside_of_a_loop, nested_tests]


@pytest.mark.parametrize("f", PLAIN + OVER_ITEMS + BINDING, ids=lambda f: f.__name__)
def test_loop(f):
    want = [(f(X + d) - f(X - d)) / 2e-6 for d in np.eye(10) * 1e-6]
    rows = np.stack([X, 1.01 * X])
    np.testing.assert_allclose(jit(f)(X), f(X))
    np.testing.assert_allclose(grad(f)(X), want, atol=1e-6)
    np.testing.assert_allclose(jit(grad(f))(X), want, atol=1e-6)
    for batched in (vmap(f), jit(vmap(f))):
        np.testing.assert_allclose(batched(rows), [f(row) for row in rows])


def test_values_decide_where_lists_grow():
    def chosen(x):
        kept = []
        for v in x:
            if v > 0.5:
                kept.append(v)
        return sum(kept)
    np.testing.assert_array_equal(grad(chosen)(X), X > 0.5)


def test_faults_in_the_body_are_told_as_they_are():
    def faulty(x):
        total = 0.0
        for i in range(10):
            total = total + {"a": x[i]}["b"]
        return total
    with pytest.raises(KeyError):
        jit(faulty)(X)


@pytest.mark.parametrize("f", OVER_ITEMS, ids=lambda f: f.__name__)
def test_loops_over_items_stay_loops(f):
    assert "in range(10):" in jit(f).show(X)


def first_large(x, n):
    for k in range(n):
        if x[k] * k > 1.0:
            found = x[k] * 2
            break
    else:
        found = x[0]
    return found * found


def first_large_while(x, n):
    k = 0
    while k < n:
        if x[k] > 1.0:
            found, place = x[k] * 3, k
            break
        k += 1
    else:
        return -x[0]
    return found + place


def all_pairs(x, n):
    pairs = 0.0
    for i in range(n):
        for j in range(4):
            if x[i] * x[j] > 0.8:
                total, place = x[i] + x[j], j
                break
        else:
            total, place = -x[i], 0
        pairs += total * place + total
    return pairs


@pytest.mark.parametrize("fn", [first_large, first_large_while, all_pairs])
@pytest.mark.parametrize("scale", [1.0, 0.5, -1.0])
def test_names_that_a_break_or_the_else_binds(fn, scale):
    x = scale * np.array([0.3, -0.5, 1.2, 0.7])
    for n in (4, 2, 0):
        np.testing.assert_allclose(jit(fn)(x, n), fn(x, n))
        gradient = [(fn(x + d, n) - fn(x - d, n)) / 2e-6 for d in np.eye(4) * 1e-6]
        np.testing.assert_allclose(grad(fn)(x, n), gradient, atol=1e-8)
        np.testing.assert_allclose(vmap(fn, in_axes=(0, None))(np.stack([x, -x]), n), [fn(x, n), fn(-x, n)])


def test_a_name_that_only_the_break_binds_is_refused():
    def fn(x):
        for v in x:
            if v > 1.0:
                found = v
                break
        return found
    with pytest.raises(TransformError, match="found is set on one side only"):
        jit(fn)(np.array([0.3, -0.5, 1.2, 0.7]))


def test_pairs_of_selected_items():
    def f(x):
        total = 0.0
        for a, b in zip(x[x > 1], x[x > 2]):
            total += a * b ** 2
        return total
    x = np.arange(5.0) + 0.3
    want = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(5)]
    for transform in (lambda g: g, jit):
        np.testing.assert_allclose(transform(grad(f))(x), want, rtol=1e-6)
    np.testing.assert_allclose(jit(f)(x), f(x))


def test_lists_that_change_while_a_loop_goes_over_them():
    def changed(x):
        items, seen = [x, x + 1, x + 2], []
        for i, v in enumerate(items):
            if i < 2:
                items[i + 1] = v * 2
            seen.append(v)
        for v in items:
            if len(items) < 6:
                items.append(v * 3)
        return seen + items
    for transform in (lambda f: f, jit):
        np.testing.assert_allclose(transform(grad(lambda x: sum(changed(x))))(1.5), sum(changed(2.5)) - sum(changed(1.5)))
        np.testing.assert_allclose(jit(changed)(1.5), changed(1.5))


def converged(a):
    x = a
    for _ in range(10 ** 12):
        y = (x + a / x) / 2
        if abs(y - x) < 1e-12:
            break
        x = y
    return x


def searched(x):
    found = -1
    for i in range(10 ** 12):
        if x[i % 4] * i > 30.0:
            found = i
            break
    return x[0] * found


def test_loops_end_where_they_are_left():
    assert jit(converged)(2.0) == pytest.approx(2 ** 0.5) and jit(searched)(np.arange(1.0, 5.0)) == searched(np.arange(1.0, 5.0))
    value, tangent = jvp(converged, (2.0,), (1.0,))
    assert (value, tangent) == (pytest.approx(2 ** 0.5), pytest.approx(0.5 / 2 ** 0.5))
    assert jit(lambda a: jvp(converged, (a,), (1.0,))[1])(2.0) == pytest.approx(0.5 / 2 ** 0.5)


def bound_in_rounds_that_may_not_run(x):
    """Values decide what the store changes; then they are known, but in the rounds of a loop no name is."""
    y = x.copy()
    v = y if x[0] > 0.0 else y * 2
    v[0] = 3.0
    scale = np.round(x[1], 1)
    for i in range(2):
        x = x * 0.9
        count = 0
        while np.sum(x) < -50.0 and count < 3:
            last = scale + 0.2
            x = x * 0.5
            count += 1
    if x[0] > 50.0:
        return last
    return np.sum(x * scale) + y[0]


def test_names_of_rounds_that_did_not_run():
    assert grad(bound_in_rounds_that_may_not_run)(X) == pytest.approx(np.full(10, 0.81 * np.round(X[1], 1)))


def with_a_set(x):
    seen = {1}
    for i in range(5):
        if x[i] > 0.5:
            x = x * 1.1
        seen.add(2)
    return np.sum(x) * len(seen)


def with_a_set_on_one_side(x):
    seen = set()
    if x[0] > 0.0:
        seen.add(1)
    return np.sum(x) * len(seen)


def test_sets():
    assert jit(with_a_set)(X) == pytest.approx(with_a_set(X)) and grad(with_a_set)(X) == pytest.approx(np.full(10, with_a_set(X) / np.sum(X)))
    assert grad(with_a_set_on_one_side)(X) == pytest.approx(np.ones(10))
    with pytest.raises(TransformError, match="Use an array of booleans"):
        jit(with_a_set_on_one_side)(X)


def bound_in_a_first_round(a):
    error, rounds, before = 1e9, 0, a
    while error > 1e-9 and rounds < 60:
        x = 0.5 * (before + 2.0 * a / before)
        error, before = abs(x - before), x
        rounds += 1
        if rounds > 50:
            break
    return x * a


def test_a_while_whose_first_test_is_known_to_hold_binds_its_names():
    slope = (bound_in_a_first_round(1.3 + 1e-6) - bound_in_a_first_round(1.3 - 1e-6)) / 2e-6
    for g in (grad(bound_in_a_first_round), jit(grad(bound_in_a_first_round))):
        np.testing.assert_allclose(g(1.3), slope, rtol=1e-8)
    np.testing.assert_allclose(jit(bound_in_a_first_round)(1.3), bound_in_a_first_round(1.3), rtol=1e-14)
