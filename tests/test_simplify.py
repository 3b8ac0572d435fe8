import doctest
import importlib
import pkgutil

import numpy as np
from hypothesis import given, settings

from tests.interpret import identical, interpret
from tests.random_programs import arguments, programs
from transformer.check import check
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
