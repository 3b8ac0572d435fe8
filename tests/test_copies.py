"""Copies in printed programs: values as in Core, and no copy that is not needed."""

import numpy as np
from hypothesis import given, settings

import transformer
from tests.interpret import copied, identical, interpret
from tests.random_programs import arguments, programs
from transformer import printing, tree
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
    assert body(["x", "n"], stmts, ["y", "x"]) == ["y = x.copy()", "for i in range(n):", "y[0] = 1.0", "return y, x.copy()"]


def test_a_name_that_is_not_read_again_hands_its_memory_on():
    stmts = [apply("v", "sin", "x"), Move("y", "v"), Update("y", (0,), (), 1.0)]
    assert body(["x"], stmts, ["y"]) == ["v = np.sin(x)", "y = v", "y[0] = 1.0", "return y"]


def test_a_broadcast_result_becomes_an_array_of_its_own():
    stmts = [apply("B", "broadcast_to", "x", shape=(2, 3))]
    assert body(["x"], stmts, ["B"]) == ["B = np.broadcast_to(x, (2, 3))", "return B.copy()"]


C = np.arange(3.0)


def shared(results, *others):
    arrays = [*tree.flatten(results)[0], *others]
    return [(i, k) for k in range(len(arrays)) for i in range(k) if np.shares_memory(arrays[i], arrays[k])]


def test_results_share_no_memory_with_arguments_closures_and_each_other():
    x, c = np.ones(3), np.arange(3.0)
    assert not shared(transformer.grad(lambda x, c: np.sum(x * c))(x, c), x, c)
    assert not shared(transformer.grad(lambda x: np.sum(x * C))(x), x, C)
    assert not shared(transformer.grad(lambda x, c: np.sum(x + c), (0, 1))(x, c), x, c)
    assert not shared(transformer.vmap(lambda x: x * 1.0)(np.stack([x, c])), x)
    out, tangent = transformer.jvp(lambda x: x.reshape(3, 1) * 1.0, (x,), (c,))
    assert not shared((out, tangent), x, c)
    out, pullback = transformer.vjp(lambda x: x[::-1] * 1.0, x)
    assert not shared((out, pullback(c)), x, c)
    batch = np.stack([x, c])
    assert not shared(transformer.vmap(lambda v: (v, v[1:], v * 1.0, [v.T]))(batch), batch)


def test_pullbacks_have_the_values_of_the_call():
    for make in (transformer.vjp, transformer.linearize):
        x, c = np.arange(3.0), np.ones(3)
        for f in (lambda x: np.sum(x ** 2), lambda x: np.sum(x * c ** 2), lambda x: np.sum(np.outer(x, x)[1:])):
            wanted = make(f, x.copy())[1](1.0 if make is transformer.vjp else np.ones(3))
            _, follow = make(f, x)
            before, x[:], c[:] = x.copy(), 7.0, 5.0
            np.testing.assert_array_equal(follow(1.0 if make is transformer.vjp else np.ones(3)), wanted)
            x[:], c[:] = before, 1.0


def test_parts_of_one_array_are_not_copied():
    def halves(x):
        y = np.sin(x)
        return y[:2], y[2:]
    assert "copy" not in transformer.vmap(halves).show(np.ones((3, 4)))


def test_results_that_loops_carry_are_arrays_of_their_own():
    def last_row(rows, n):
        row = np.sin(rows[0])
        for i in range(n):
            row = rows[i]
        return row

    def weights(x, c, n):
        total = 0.0
        for _ in range(n):
            total = total + np.sum(np.sin(x))
        return total + np.sum(x * c)
    rows, x, c = np.arange(6.0).reshape(3, 2), np.ones(3), np.arange(3.0)
    for n in (0, 2):
        batch = np.stack([rows, rows])
        assert not shared(transformer.vmap(last_row, in_axes=(0, None))(batch, n), batch)
        out, tangent = transformer.jvp(lambda r: last_row(r, n), (rows,), (rows,))
        assert not shared((out, tangent), rows)
        assert not shared(transformer.grad(weights)(x, c, n), x, c)
    assert "copy" not in transformer.vmap(lambda x: weights(x, x, 2)).show(np.ones((2, 3)))
