"""Copies in printed programs: values as in Core, and no copy that is not needed."""

import numpy as np
from hypothesis import given, settings

from tests.interpret import copied, identical, interpret
from tests.random_programs import arguments, programs
from transformer import printing
from transformer.check import check
from transformer.core import Apply, Aval, For, Move, Program, Update
from transformer.ops.op import TABLE
from transformer.transforms.simplify import simplify

FLOAT = np.dtype(float)


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


MATRIX, ROW = Aval((2, 3), FLOAT), Aval((3,), FLOAT)


def apply(target, op, *args, **params):
    return Apply(target, TABLE[op], args, params)


def body(params, stmts, outputs, **options):
    """Lines of a program over A, B (2, 3) and v, w, x, y (3,)."""
    avals = {**dict.fromkeys("AB", MATRIX), **dict.fromkeys("vwxy", ROW), "n": Aval((), np.dtype(int), True), "i": Aval((), np.dtype(int), True)}
    program = check(Program("f", params, stmts, outputs, avals))
    return [line.strip() for line in printing.source(program, header=False, **options).splitlines()[1:]]


DOUBLE = apply("B", "multiply", "A", 2.0)
FIRST = apply("v", "getitem", "B", index=(0, slice(None)))
STORE = Update("B", (0, slice(None)), (), 0.0)


def test_a_view_that_outlives_a_store_is_copied():
    assert body(["A"], [DOUBLE, FIRST, STORE], ["B", "v"]) == ["B = A * 2.0", "v = B[0].copy()", "B[0] = 0.0", "return B, v"]


def test_a_view_that_is_read_before_the_store_is_not():
    stmts = [DOUBLE, FIRST, apply("w", "sin", "v"), STORE]
    assert body(["A"], stmts, ["B", "w"]) == ["B = A * 2.0", "v = B[0]", "w = np.sin(v)", "B[0] = 0.0", "return B, w"]


def test_an_argument_is_copied_before_it_is_stored_into():
    stmts = [Update("x", (0,), (), 1.0)]
    assert body(["x"], stmts, ["x"]) == ["x = x.copy()", "x[0] = 1.0", "return x"]
    assert body(["x"], stmts, ["x"], own_params=False) == ["x[0] = 1.0", "return x"]


def test_a_carry_is_copied_once_before_the_loop():
    stmts = [Move("y", "x"), For("i", 0, "n", 1, [Update("y", (0,), (), 1.0)])]
    assert body(["x", "n"], stmts, ["y", "x"]) == ["y = x.copy()", "for i in range(n):", "y[0] = 1.0", "return y, x"]


def test_a_name_that_is_not_read_again_hands_its_memory_on():
    stmts = [apply("v", "sin", "x"), Move("y", "v"), Update("y", (0,), (), 1.0)]
    assert body(["x"], stmts, ["y"]) == ["v = np.sin(x)", "y = v", "y[0] = 1.0", "return y"]


def test_a_broadcast_result_becomes_an_array_of_its_own():
    stmts = [apply("B", "broadcast_to", "x", shape=(2, 3))]
    assert body(["x"], stmts, ["B"]) == ["B = np.broadcast_to(x, (2, 3))", "return B.copy()"]
