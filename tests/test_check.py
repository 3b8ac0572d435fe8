"""What `check` accepts and what it refuses."""

import numpy as np
import pytest

from transformer.check import MalformedProgram, check
from transformer.core import Apply, Aval, For, Hole, If, Move, Program, Update, While
from transformer.ops.op import TABLE

FLOAT = np.dtype(float)
VECTOR, NUMBER, COUNT, TEST = Aval((3,), FLOAT), Aval((), FLOAT), Aval((), np.dtype(int), True), Aval((), np.dtype(bool))
AVALS = {**dict.fromkeys(("x", "y", "z", "w"), VECTOR), **dict.fromkeys(("i", "j", "n"), COUNT), "c": TEST, "s": NUMBER}


def apply(target, op, *args, **params):
    return Apply(target, TABLE[op], args, params)


def program(*stmts, outputs=("x",)):
    return Program("f", ["x", "n", "c"], list(stmts), list(outputs), AVALS)


SIN = apply("y", "sin", "x")

GOOD = {
    "a branch that merges": [If("c", [SIN, Move("z", "y")], [Move("z", "x")]), apply("w", "sin", "z")],
    "a partial name": [If("c", [SIN], []), If("c", [apply("z", "sin", "y")], [])],
    "a carry": [Move("z", "x"), For("i", 0, "n", 1, [apply("y", "sin", "z"), Move("z", "y")])],
    "a while": [Move("z", "x"), While([apply("c_1", "less", "j", "n")], "c_1", [apply("y", "sin", "z"), Move("z", "y")], "j")],
    "a store": [Update("x", (Hole(0),), ("n",), 1.0)],
}

BAD = {
    "read before it is bound": [apply("z", "sin", "y")],
    "is bound twice": [SIN, apply("y", "cos", "x")],
    "is recorded as": [apply("s", "sin", "x")],
    "has no aval": [apply("unknown", "sin", "x")],
    "does not stand at its end": [Move("z", "x"), If("c", [Move("z", "x"), SIN], [])],
    "covers 2 of 1 axes": [Update("x", (0, 0), (), 1.0)],
    "is stored into": [apply("s", "sum", "x", axis=(0,), keepdims=False, dtype=None), Update("x", (0,), (), "x")],
    "not a scalar": [If("x", [SIN], [])],
    "not an integer": [For("i", 0, "c", 1, [SIN])],
    "the step": [For("i", 0, "n", 0, [SIN])],
    "has a hole without": [Update("x", (Hole(0),), (), 1.0)],
    "the head of a while changes": [While([Update("x", (0,), (), 1.0)], "c", [SIN])],
    "unknown mode": [Update("x", (0,), (), 1.0, "max")],
}
BLOCKS = {
    "a name of a branch outside": [If("c", [SIN], []), apply("z", "sin", "y")],
    "a name of a loop outside": [For("i", 0, "n", 1, [SIN]), apply("z", "sin", "y")],
    "a partial name in the other branch": [If("c", [SIN], []), If("c", [], [apply("z", "sin", "y")])],
}


@pytest.mark.parametrize("stmts", GOOD.values(), ids=GOOD)
def test_accepts(stmts):
    AVALS.update(c_1=Aval((), np.dtype(bool), True))
    check(program(*stmts))


@pytest.mark.parametrize("what, stmts", BAD.items(), ids=BAD)
def test_refuses(what, stmts):
    with pytest.raises(MalformedProgram, match=what):
        check(program(*stmts))


@pytest.mark.parametrize("stmts", BLOCKS.values(), ids=BLOCKS)
def test_blocks_have_names_of_their_own(stmts):
    with pytest.raises(MalformedProgram, match="read before it is bound"):
        check(program(*stmts))


def test_outputs_are_bound():
    with pytest.raises(MalformedProgram, match="y is read before"):
        check(program(outputs=("y",)))
