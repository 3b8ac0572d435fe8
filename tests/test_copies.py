import numpy as np
from hypothesis import given, settings

from tests.interpret import copied, identical, interpret
from tests.random_programs import arguments, programs
from transformer import printing
from transformer.transforms.simplify import simplify


def agrees(program):
    """Whether the printed program gives bit for bit what Core means, and leaves its arguments alone."""
    args = arguments()
    before = [copied(a) for a in args]
    got = printing.load(program)(*args)
    got = list(got) if len(program.outputs) > 1 else [got]
    return identical(got, interpret(program, *before)) and identical(args, before)


@settings(max_examples=150, deadline=None)
@given(programs())
def test_printed_programs_have_value_semantics(program):
    with np.errstate(all="ignore"):
        assert agrees(program), printing.source(program)


@settings(max_examples=100, deadline=None)
@given(programs())
def test_simplified_programs_too(program):
    with np.errstate(all="ignore"):
        assert agrees(simplify(program)), printing.source(simplify(program))
