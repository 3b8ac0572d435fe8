import doctest
import importlib
import pkgutil

import numpy as np
from hypothesis import given, settings

from tests.interpret import identical, interpret
from tests.random_programs import arguments, programs
from transformer.check import check
from transformer.core import Apply, Aval, Derived, Program
from transformer.ops.op import TABLE
from transformer.transforms import simplify as package
from transformer.transforms.simplify import PASSES, simplify

QUICK = settings(max_examples=60, deadline=None)


def test_docstrings():
    for module in pkgutil.iter_modules(package.__path__):
        assert doctest.testmod(importlib.import_module(f"{package.__name__}.{module.name}")).failed == 0


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
