"""Every pass of `simplify` keeps every bit; its rewrites by example."""

import doctest
import importlib
import pkgutil

import numpy as np
from hypothesis import given, settings

import transformer as T
from tests.interpret import identical, interpret
from tests.random_programs import arguments, programs
from transformer.check import check
from transformer.core import Apply, Aval, Derived, Hole, Move, Program, Update, walk
from transformer.ops.op import TABLE
from transformer.test_util import check_grads
from transformer.transforms import simplify as package
from transformer.transforms.simplify import PASSES, simplify
from transformer.transforms.simplify.drop_overwritten import drop_overwritten
from transformer.transforms.simplify.example import example

QUICK = settings(max_examples=60, deadline=None)


def test_docstrings():
    for module in pkgutil.iter_modules(package.__path__):
        assert doctest.testmod(importlib.import_module(f"{package.__name__}.{module.name}")).failed == 0


def test_numbers_behind_a_barrier_are_not_folded():
    def f(x):
        return x * (2 * TABLE["optimization_barrier"].emit(1.5))
    compiled = T.jit(f)
    assert compiled(1.0) == 3.0 and "optimization_barrier" in compiled.lower(1.0).as_text()


@QUICK
@given(programs())
def test_every_pass_keeps_every_bit(program):
    with np.errstate(all="ignore"):
        want = interpret(check(program), *arguments())
        for simplifying in PASSES:
            program = check(simplifying(program))
            assert identical(interpret(program, *arguments()), want), simplifying.__name__


@QUICK
@given(programs())
def test_simplify_keeps_every_bit(program):
    with np.errstate(all="ignore"):
        want = interpret(program, *arguments())
        assert identical(interpret(check(simplify(program)), *arguments()), want)


@QUICK
@given(programs())
def test_identities_of_derivatives_hold_up_to_rounding(program):
    program.hints = {name: Derived(f"{hint}_bar") for name, hint in program.hints.items()}
    with np.errstate(all="ignore"):
        want = interpret(program, *arguments())
        for got, value in zip(interpret(check(simplify(program)), *arguments()), want, strict=True):
            np.testing.assert_allclose(got, value, rtol=1e-9, atol=1e-9)
            assert np.shape(got) == np.shape(value)


def test_a_name_of_the_user_that_looks_like_a_derivative_keeps_every_bit():
    avals = dict.fromkeys(("x_bar", "y", "z"), Aval((3,), np.dtype(float)))
    body = [Apply("y", TABLE["multiply"], (2.0, "x_bar"), {}), Apply("z", TABLE["multiply"], (3.0, "y"), {})]
    program = simplify(Program("f", ["x_bar"], body, ["z"], avals, {"x_bar": "x_bar", "y": "y", "z": "z"}))
    assert len(program.body) == 2


def additions(f, *args):
    """How many stores of a function become additions to elements; its values stay those of NumPy."""
    jitted = T.jit(f)
    np.testing.assert_allclose(jitted(*args), f(*args), rtol=1e-15)
    return sum(isinstance(s, Update) and s.mode == "add" for s in walk(jitted.cache.last.program.body))


def test_a_store_of_an_element_plus_something_is_an_addition():
    def f(x, i):
        y = x * 1.5
        y[i] = y[i] + x[0]
        y[1:] = x[1:] * x[0] + y[1:]
        return y
    assert additions(f, np.arange(1.0, 5.0), 2) == 2


def test_other_stores_are_no_additions():
    def between(x, i):
        y = x * 1.5
        old = y[i] + x[0]
        y[0] = 7.0
        y[i] = old
        return y

    def elsewhere(x, i):
        y = x * 1.5
        y[i] = y[i - 1] + x[0]
        return y

    def repeated(x, i):
        y, at = x * 1.5, np.array([1, 1, 2])
        y[at] = y[at] + x[:3]
        return y

    def truncated(x, i):
        y = np.arange(4) + i
        y[i] = y[i] + x[0] * 0.7
        return y
    for f in (between, elsewhere, repeated, truncated):
        assert additions(f, np.arange(1.0, 5.0), 2) == 0, f.__name__


def column_twice(y, x):
    for k in range(1, 5):
        y[:, k] = x[:, k] * 2.0
        d = y[:, k] - y[:, k - 1]
        y[:, k] = y[:, k] / (1.0 + d * d)
    return y


def read_between(y, x):
    for k in range(4):
        y[:, k] = x[:, k]
        s = np.sin(y[0, 0] + y[1, k - 1])
        y[:, k] = y[:, k] + s
        y[k % 3, 1] = 7.0
        y[:, 1] = y[:, 1] * s
    return y


def test_stores_that_are_read_back_and_overwritten():
    y, x = np.linspace(0.0, 1.0, 15).reshape(3, 5), np.linspace(1.0, 2.0, 15).reshape(3, 5)
    for function in (column_twice, read_between):
        want = function(y.copy(), x)
        for made in (T.jit(function), T.jit(T.checkpoint(function))):
            np.testing.assert_allclose(made(y.copy(), x), want, rtol=1e-14)
        check_grads(lambda x: np.sum(np.sin(function(y * x, x))), (x,), order=1, modes="rev")
    source = T.jit(column_twice).show(y.copy(), x)
    assert source.count("y[:, k] = ") == 1 and "y[:, k] /" not in source


def test_a_store_stays_that_is_read_at_an_offset_whose_base_has_moved():
    """j moves on to j + 1 between the offset and the read: both name the stored element."""
    number, element = Aval((), np.dtype(np.int64)), Aval((), np.dtype(np.float64))
    avals = {"y": Aval((5,), np.dtype(np.float64)), "k": number, "j": number, "ahead": number, "item": element}
    body = [Move("j", "k"), Apply("ahead", TABLE["add"], ("j", 1), {}), Move("j", "ahead"),
            Update("y", (Hole(0),), ("ahead",), 5.0), Apply("item", TABLE["getitem"], ("y", "j"), {"index": (Hole(0),)}),
            Update("y", (Hole(0),), ("ahead",), 6.0)]
    program = check(Program("f", ["y", "k"], body, ["item"], avals))
    assert interpret(drop_overwritten(program), np.zeros(5), 1) == interpret(program, np.zeros(5), 1) == [5.0]


def log_softmax(x):
    shifted = x - np.max(x, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def test_the_cotangents_of_a_shift_that_changes_nothing_cancel():
    def f(x, w):
        return np.sum(log_softmax(x) * w)
    x, w = np.random.default_rng(0).normal(size=(2, 4, 3))
    x[2] = 0.5
    probabilities = np.exp(log_softmax(x))
    slope = T.grad(f)
    np.testing.assert_allclose(slope(x, w), w - probabilities * w.sum(axis=1, keepdims=True), rtol=1e-12)
    assert "==" not in slope.source


def test_a_factor_is_taken_out_of_a_sum_only_if_it_is_the_same_along_its_axes():
    factors = [lambda d: d[:, None], lambda d: d[None], lambda d: d, lambda d: d[::-1, None], lambda d: np.reshape(d, (3, 1))]
    x = np.random.default_rng(1).normal(size=(3, 3))
    for number, factor in enumerate(factors):
        for axis in (0, 1):
            def f(x):
                return np.sum(x, axis=axis), np.sum(factor(np.exp(x[0])) * x, axis=axis)
            program = example(f, (3, 3))
            program.hints = {name: Derived(hint) for name, hint in program.hints.items()}
            found = simplify(program)
            for got, want in zip(interpret(found, x), interpret(program, x), strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-12)
            taken = sum(s.op.name == "sum" for s in found.body) == 1
            assert taken == ((number, axis) in {(0, 1), (1, 0), (2, 0), (4, 1)})


def test_a_factor_is_not_taken_out_of_a_sum_of_another_version():
    def f(x, c):
        total = np.sum(x, axis=1, keepdims=True)
        x[0, 0] = 5.0
        return np.sum(np.exp(np.sum(c * x, axis=1)) + total[:, 0])
    x, c = np.random.default_rng(2).normal(size=(3, 3)), np.ones((3, 1))
    check_grads(lambda x, c: f(np.copy(x), c), (x, c), order=2)


def test_what_is_taken_from_itself_and_quotients_of_what_they_are_multiplied_by():
    program = example(lambda x, y: (x - x, (x / y) * y, y * (x / y), (x / y) * x))
    program.hints = {name: Derived(hint) for name, hint in program.hints.items()}
    found = simplify(program)
    x, y = np.random.default_rng(3).normal(size=(2, 3))
    for got, want in zip(interpret(found, x, y), interpret(program, x, y), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    assert [s.op.name for s in found.body] == ["zeros", "divide", "multiply"] and found.outputs[1:3] == ["x", "x"]


def test_a_choice_between_equal_numbers_is_no_choice():
    program = simplify(example(lambda x: (np.where(x > 0, np.zeros(3), 0), np.where(x > 0, np.zeros(3), -0.0))))
    assert [s.op.name for s in program.body] == ["greater", "zeros", "where"]
    program.hints = {name: Derived(hint) for name, hint in program.hints.items()}
    assert {s.op.name for s in simplify(program).body} == {"zeros"}
    program = simplify(example(lambda x: np.where(x > 0, np.full(3, 2.0), 2)))
    np.testing.assert_array_equal(interpret(program, np.ones(3)), [[2.0, 2.0, 2.0]])
