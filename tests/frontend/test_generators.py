"""Generators: loops over them, what takes their values one by one, and the order in which they and their consumers do things."""

import itertools

import numpy as np
import pytest

import transformer as T

X = np.array([0.5, -1.2, 2.0, 0.3])
SCALE = 2.0


def squares(x):
    for i in range(len(x)):
        yield x[i] ** 2


def newton(a):
    v = a
    while True:
        yield v
        v = (v + a / v) / 2


def positive(x):
    for v in x:
        if v > 0:
            yield v


def counted(x):
    n = 0
    for v in x:
        yield v
        n += 1
    return n


def several(x):
    yield from squares(x)
    yield np.sum(x)
    n = yield from counted(x)
    yield n * x[0]


def neighbours(a):
    for i in range(len(a) - 1):
        yield i, a[i] + a[i + 1]


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value * SCALE
        if self.right is not None:
            yield from self.right


def in_a_loop(x):
    s = 0.0
    for v in squares(x):
        s = s + v * 2
    return s


def as_a_list(x):
    return np.sum(np.array(list(squares(x))) * np.arange(4))


def summed(x):
    return sum(squares(x)) + sum([v * 3 for v in squares(x)])


def zipped(x):
    s = 0.0
    for v, w in zip(squares(x), x):
        s = s + v * w
    for k, v in zip(range(3), squares(x)):
        s = s + v * k
    for a, b in zip(squares(x), squares(x * 2)):
        s = s + a * b
    return s


def step_by_step(x):
    g = squares(x)
    a, b = next(g), next(g)
    return a - 3 * b + next(g, 0.0) * 5 + sum(g) + next(g, 7.0)


def numbered(x):
    s = 0.0
    for i, v in enumerate(squares(x), 1):
        s += v * i
    return s


def left_after_five(x):
    for i, v in enumerate(newton(x[2])):
        if i == 5:
            break
    return v


def left_when_close(x):
    for v in newton(x[2]):
        if abs(v * v - x[2]) < 1e-9:
            break
    return v + sum(itertools.islice(newton(x[2]), 4))


def beside_a_range(x):
    s = 0.0
    for k, v in zip(range(10), newton(x[0])):
        s += v * k
    return s


def under_a_condition(x):
    s = sum(positive(x))
    for v in positive(x):
        s += v ** 2
    return s


def delegated(x):
    g, s = several(x), 0.0
    for k in range(10):
        s = s + k * next(g)
    return s + sum(several(x)) + max(several(x))


def stored_between(x):
    a = x * 1.0
    for i, s in neighbours(a):
        a[i + 1] = s * 0.5
    b, g = x * 1.0, neighbours(x)
    for _ in range(3):
        i, s = next(g)
        b[i] = s * 0.5
    return np.sum(a * np.arange(4)) + np.sum(b)


def over_a_tree(x):
    s = 0.0
    for k, v in enumerate(Tree(x[0], Tree(x[1]), Tree(x[2], None, Tree(x[3])))):
        s += k * v
    return s


def bound_in_the_rounds(x):
    a, b, c, d = squares(x)
    for v in squares(x):
        y = v * 2
    return y + v + a * b + c - d


def nested(x):
    def multiples(n):
        for i in range(n):
            yield x * i

    s = 0.0
    for v in multiples(3):
        for w in multiples(4):
            s = s + np.sum(v * w)
    return s


def adapted(x):
    s = sum(itertools.chain(squares(x), squares(x * 3))) + max(itertools.accumulate(squares(x)))
    s = s + sum(map(lambda a, b: a * b, squares(x), x)) + sum(filter(lambda v: v > 0.1, squares(x)))
    return s + sum(itertools.takewhile(lambda v: v < 3, squares(x)))


def left_early_beside_a_count(x):
    s = 0.0
    for a, b in zip(squares(x), itertools.count()):
        if a > 3:
            break
        s += a * b
    return s


PROGRAMS = [in_a_loop, as_a_list, summed, zipped, step_by_step, numbered, left_after_five, left_when_close, beside_a_range, under_a_condition,
            delegated, stored_between, over_a_tree, bound_in_the_rounds, nested, adapted, left_early_beside_a_count]


def differences(f, x):
    return np.array([(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(4) * 1e-6])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_generator(f):
    np.testing.assert_allclose(T.jit(f)(X), f(X))
    value, gradient = T.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, differences(f, X), atol=1e-7)
    np.testing.assert_allclose(T.jit(T.grad(f))(X), gradient)
    rows = np.stack([X, X * 0.9])
    np.testing.assert_allclose(T.vmap(f)(rows), [f(row) for row in rows])


def test_loops_of_a_generator_stay_loops():
    assert T.vmap(in_a_loop).show(np.stack([X, X])).count("for ") == 1
    assert T.jit(in_a_loop)(np.arange(1000.0)) == in_a_loop(np.arange(1000.0))


def test_what_a_generator_reads_is_fresh(monkeypatch):
    f = T.jit(over_a_tree)
    assert f(X) == pytest.approx(over_a_tree(X))
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert f(X) == pytest.approx(over_a_tree(X))


def leaves_a_part(x):
    g, s = squares(x), 0.0
    for v in g:
        s += v
        if s > 1:
            break
    return s + sum(g) * 10


def first_positive(x):
    return next(positive(x))


@pytest.mark.parametrize("f", [leaves_a_part, first_positive])
def test_values_decide_how_far_a_generator_is(f):
    np.testing.assert_allclose(T.grad(f)(X), differences(f, X), atol=1e-7)
    with pytest.raises(T.errors.TransformError, match="generator"):
        T.jit(f)(X)


def sends(x):
    def echo():
        y = yield x
        yield y
    return sum(echo())


def stepped_in_try(x):
    def careful():
        try:
            yield x
        finally:
            pass
    return next(careful())


@pytest.mark.parametrize(("f", "words"), [(sends, "sent"), (stepped_in_try, "inside of try")])
def test_refused(f, words):
    with pytest.raises(T.errors.TransformError, match=words):
        T.jit(f)(2.0)


class Scale:
    def __init__(self, k):
        self.k, self.depth = k, 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *error):
        self.depth -= 1
        self.k = 2 * self.k


def careful(x, ends, scale):
    try:
        with scale as held:
            for v in x:
                yield v * held.k * held.depth
    except ZeroDivisionError:
        ends.append(5.0)
    finally:
        ends.append(1.0)


def gone_through(x):
    ends, scale, s = [], Scale(x[0]), 0.0
    for v in careful(x, ends, scale):
        s = s + v
    return s * scale.k * sum(ends)


def left_early(x):
    ends, scale, s = [], Scale(x[0]), 0.0
    for v in careful(x, ends, scale):
        s = s + v
        if s > 0.5:
            break
    return s * scale.k * sum(ends)


def left_by_an_error(x):
    ends, scale, s = [], Scale(x[0]), 0.0
    try:
        for v in careful(x, ends, scale):
            s = s + v
            raise ZeroDivisionError
    except ZeroDivisionError:
        return s * sum(ends)


def by_hand(x):
    def squares():
        for v in x:
            yield v * v
        return x[0]
    over, s = squares(), 0.0
    s = over.send(None) + next(over) * 2
    more = squares()
    next(more)
    more.close()
    s = s + sum(more)
    try:
        while True:
            s = s + next(over)
    except StopIteration as end:
        s = s + 3 * end.value
    return s


@pytest.mark.parametrize("f", [gone_through, left_early, left_by_an_error, by_hand])
def test_generators_with_try_and_their_methods(f):
    np.testing.assert_allclose(T.jit(f)(X), f(X))
    np.testing.assert_allclose(T.grad(f)(X), differences(f, X), atol=1e-7)


@pytest.mark.parametrize("f", [in_a_loop, delegated, left_when_close])
def test_desugared_generators_run(f):
    space = {**globals()}
    exec(T.jit(f).show(X, stage="desugar"), space)
    assert space[f.__name__](X) == f(X)
