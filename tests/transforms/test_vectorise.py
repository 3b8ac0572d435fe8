import doctest
import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

import transformer as T
from tests.element_loops import Maker, arguments, programs
from tests.interpret import identical, interpret
from transformer import printing
from transformer.check import check
from transformer.core import For, walk
from transformer.transformed import Transformed
from transformer.transforms import vectorise as package

MANY = settings(max_examples=200, deadline=None)
N = 18


def outcome(run):
    """The results, or the class of the error."""
    try:
        with np.errstate(all="ignore"):
            return run()
    except (IndexError, ZeroDivisionError) as error:
        return type(error)


def lifted(program):
    """The program with array code in place of loops of any size."""
    with mock.patch.object(package, "LEAST", 1):
        return check(package.vectorise(program))


def compare(program):
    """Whether array code took the place of a loop; it has to give the same bits, or the same error."""
    want = outcome(lambda: interpret(check(program), *arguments()))
    new = lifted(program)
    got = outcome(lambda: interpret(new, *arguments()))
    printed = outcome(lambda: list(printing.load(new)(*arguments())))
    for result in (got, printed):
        assert result is want if isinstance(want, type) else not isinstance(result, type) and identical(result, want), printing.source(new)
    return new is not program


def test_docstring():
    assert doctest.testmod(package).failed == 0


@MANY
@given(programs())
def test_every_bit_stays(program):
    compare(program)


@MANY
@given(programs(sweep=True))
def test_every_bit_stays_in_the_reverse_sweep(program):
    """Functions such as np.sin may round in another way there; with the NumPy of the tests they must not differ by much."""
    with np.errstate(all="ignore"):
        want = outcome(lambda: interpret(check(program), *arguments()))
        got = outcome(lambda: interpret(lifted(program), *arguments()))
    if isinstance(want, type):
        assert got is want
    else:
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_random_loops_are_of_both_kinds():
    changed = [compare(Maker(random.Random(seed)).program()) for seed in range(300)]
    assert 60 < sum(changed) < 240


# texts ----------------------------------------------------------------------------------------------------------------------
def scaled(x, a, c):
    y = np.zeros(N)
    for i in range(N):
        y[i] = x[i] * a[i, 1] + c
    return y


def neighbours(x):
    y = np.zeros(N)
    for i in range(1, N - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2.0
    return y


def mirrored(x):
    y = np.zeros(N)
    for i in range(N):
        y[N - 1 - i] = x[i]
    return y


def every_other(x):
    y = np.zeros(2 * N)
    for i in range(N):
        y[2 * i] = np.sqrt(x[i])
    return y


def counted(x):
    y = np.zeros(N)
    for i in range(N):
        y[i] = x[i] * (i + 1)
    return y


def from_the_end(x):
    y = np.zeros(N)
    for i in range(N - 1, -1, -1):
        y[i] = x[i - N]
    return y


def grid(a, b):
    y = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            y[i, j] = a[i, j] * b[j] + b[i]
    return y


def transposed(a):
    y = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            y[j, i] = a[j, i] * 2.0
    return y


def rows(a, b):
    y = np.zeros((N, N))
    for i in range(N):
        y[i] = a[i] * b / (1.0 + b[i])
    return y


def in_place(x, a):
    y = x.copy()
    for i in range(N):
        y[i] = y[i] * a[i, 0]
    return y


def scatter_to_neighbours(x):
    y = np.zeros(N + 2)
    for i in range(N):
        y[i] += 0.1 * x[i]
        y[i + 1] += 0.7 * x[i]
        y[i + 2] += 0.2 * x[i]
    return y


def columns(x):
    y = np.zeros((N, 2))
    for i in range(N):
        y[i, 0] = x[i] + 1.0
        y[i, 1] = x[i] - 1.0
    return y


X, A = np.linspace(0.1, 2.0, N), np.linspace(0.3, 4.0, N * N).reshape(N, N)
TEXTS = [
    (scaled, (X, A, 2.0), "y[:] = x * a[:, 1] + c"),
    (neighbours, (X,), "y[1:-1] = (x[:-2] + x[2:]) / 2.0"),
    (mirrored, (X,), "y[::-1] = x"),
    (every_other, (X,), "y[::2] = np.sqrt(x)"),
    (counted, (X,), "y[:] = x * np.arange(1, 19)"),
    (from_the_end, (X,), "y[:] = x"),
    (grid, (A, X), "y[:] = a * b + b[:, None]"),
    (transposed, (A,), "y[:, i] = a[:, i] * 2.0"),
    (rows, (A, X), "y[:] = a * b / (1.0 + b)[:, None]"),
    (in_place, (X, A), "y[:] *= a[:, 0]"),
    (scatter_to_neighbours, (X,), "y[2:] += 0.2 * x"),
    (columns, (X,), "y[:, 1] = x - 1.0"),
]


@pytest.mark.parametrize("f, args, line", TEXTS, ids=[f.__name__ for f, _, _ in TEXTS])
def test_text(f, args, line):
    made = Transformed(f)
    assert identical(made(*args), f(*args))
    assert line in [text.strip() for text in made.source.splitlines()], made.source


@pytest.mark.parametrize("f, args", [(f, args) for f, args, _ in TEXTS], ids=[f.__name__ for f, _, _ in TEXTS])
def test_gradients_are_those_of_the_loops(f, args):
    def loss(*args):
        return np.sum(np.sin(f(*args)))
    value, bars = T.value_and_grad(loss, tuple(range(len(args))))(*args)
    T.config.update("vectorise", False)
    try:
        plain = T.value_and_grad(loss, tuple(range(len(args))))
        want, loops = plain(*args)
        assert "for " in plain.source
    finally:
        T.config.update("vectorise", True)
    assert value == want == loss(*args)
    for one, other in zip(bars, loops, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


# refusals --------------------------------------------------------------------------------------------------------------------
def carried(x):
    y = x.copy()
    for i in range(1, N):
        y[i] = y[i - 1] * x[i]
    return y


def reads_ahead(x):
    y = x.copy()
    for i in range(N - 1):
        y[i] = y[i + 1] * x[i]
    return y


def accumulated(x):
    y, total = np.zeros(N), 0.0
    for i in range(N):
        total = total + x[i]
        y[i] = total
    return y


def one_place(x):
    y = np.zeros(N)
    for i in range(N):
        y[0] = x[i]
    return y


def opposite_ways(x):
    y = np.zeros(N)
    for i in range(N):
        y[i] += x[i] * 0.1
        y[N - 1 - i] += x[i] * 0.3
    return y


def indirect(x):
    y, at = np.zeros(N), np.array([3, 3, 1, 0, 5, 5, 7, 2, 9, 11, 0, 1, 12, 13, 15, 15, 4, 4]) + (x > 9.0)
    for i in range(N):
        y[at[i]] = x[i]
    return y


def folded(x):
    y = np.zeros(N)
    for i in range(N):
        y[i // 2] = x[i]
    return y


def through_a_view(x):
    x = x.copy()
    y = x[1:]
    for i in range(N - 1):
        y[i] = x[i] * 1.5
    return x


def rounded_otherwise(x):
    y = np.zeros(N)
    for i in range(N):
        y[i] = np.exp(x[i])
    return y


def few(x):
    y = np.zeros(N)
    for i in range(5):
        y[i] = x[i] * 2.0
    return y


@pytest.mark.parametrize("f", [carried, reads_ahead, accumulated, one_place, opposite_ways, indirect, folded, through_a_view, rounded_otherwise, few])
def test_the_loop_stays(f):
    made = Transformed(f)
    assert identical(made(X), f(X))
    assert "for " in made.source, made.source


def test_an_index_out_of_range_raises_as_before():
    def ahead(x):
        y = np.zeros(N)
        for i in range(N):
            y[i] = x[i + 1]
        return np.sum(y)
    with pytest.raises(IndexError):
        T.grad(ahead)(X)


def test_single_precision_stays():
    def f(x):
        y = np.zeros(N, np.float32)
        for i in range(N):
            y[i] = x[i] * x[i] * 3.0
        return np.sum(y)

    def by_index(x):
        y = np.zeros(N, np.float32)
        for i in range(N):
            y[i] = x[i] * i
        return np.sum(y)
    x = X.astype(np.float32)
    made = T.value_and_grad(f)
    assert identical(made(x)[0], f(x)) and "for " not in made.source
    assert identical(T.value_and_grad(by_index)(x)[0], by_index(x))


# where it runs -----------------------------------------------------------------------------------------------------------------
def total(x):
    y = np.zeros(N)
    for i in range(N):
        y[i] = x[i] * x[i]
    return np.sum(y)


def test_stage_and_switch():
    made = T.grad(total)
    assert "for " in made.show(X, stage="simplify") and "for " not in made.show(X, stage="vectorise")
    assert made.show(X, stage="vectorise") == made.show(X)
    T.config.update("vectorise", False)
    try:
        made = T.grad(total)
        assert "for " in made.show(X) and "for " not in made.show(X, stage="vectorise")
    finally:
        T.config.update("vectorise", True)


def test_compiled_programs_keep_their_loops():
    made = T.jit(T.grad(total))
    np.testing.assert_allclose(made(X), 2.0 * X)
    assert any(type(s) is For for s in walk(made.cache.last.program.body))
    with pytest.raises(T.TransformError, match="no stage"):
        made.show(X, stage="vectorise")
