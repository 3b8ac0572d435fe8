"""Source text: few parentheses, exact literals, names that shadow nothing, effects in order; it stands alone."""

import gc
import inspect
import io
import linecache
import subprocess
import sys
import warnings

import gast
import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pyflakes import api, reporter

from tests.interpret import identical
from tests.random_programs import arguments, programs
from transformer import grad, printing
from transformer.analysis.aliases import VIEWS
from transformer.check import check
from transformer.core import Apply, Aval, Effect, For, Hole, If, Mark, Move, Program, Update, While, literal_aval
from transformer.errors import Origin
from transformer.ops.op import TABLE
from transformer.printing.literals import literal
from transformer.printing.unparse import unparse
from transformer.transforms.simplify import simplify

FLOAT, INT = np.dtype(float), np.dtype(int)
VECTOR, NUMBER, COUNT, SCALAR = Aval((3,), FLOAT), Aval((), FLOAT, True), Aval((), INT, True), Aval((), FLOAT)
SUM = {"axis": (0,), "keepdims": False, "dtype": None}


def apply(target, op, *args, **params):
    return Apply(target, TABLE[op], args, params)


def body(program, **options):
    """The lines of the printed function."""
    return printing.source(program, header=False, **options).splitlines()[1:]


def make(params, stmts, outputs, avals, **hints):
    return check(Program("f", params, stmts, outputs, avals, hints))


# unparsing ----------------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "a + b * c", "(a + b) * c", "a - (b - c)", "a - b - c", "-a ** 2", "(-a) ** 2", "a ** -b", "(a ** b) ** c", "a ** (b ** c)",
    "a / (b * c)", "a @ b.T", "(a @ b).T", "not a < b", "a[1:, None]", "a[i, :-1:2]", "a[()]", "f(a, axis=(0, 1))", "f((a,))",
    "(a if b else c) + d", "a if b else c", "(lambda x: x) + 1", "a or b and c", "(a or b) and c", "(a < b) == c", "-(a * b)",
    "~a & b | c", "a << b + c", "(1).real", "f\"{a} and {b + c}\"", "[a, (b, c)]", "a[b][c]", "{**a}", "not (a and b)",
])
def test_unparse_keeps_the_meaning_with_few_parentheses(text):
    tree = gast.parse(text)
    assert unparse(tree).strip() == text
    assert gast.dump(gast.parse(unparse(tree))) == gast.dump(tree)


# literals ---------------------------------------------------------------------------------
def value_of(tree):
    return eval(unparse(gast.Expr(tree)), {"np": np})


@pytest.mark.parametrize("value", [
    0, -3, True, 0.1, -0.0, 1e300, np.nan, -np.inf, 2j, -2j, 1 + 2j, complex(-0.0, 1.0), complex(np.nan, np.inf), np.float32(0.1),
    np.float16(-0.3), np.int8(-5), np.uint64(2 ** 63), np.complex64(0.1 - 0.2j), np.True_, np.float64(1 / 3),
])
def test_literals_are_exact(value):
    found = value_of(literal(value))
    assert type(found) is type(value) and identical(found, value)


@pytest.mark.parametrize("value, text", [
    (np.zeros(3), "np.zeros(3)"), (np.ones((2, 3), np.float32), "np.ones((2, 3), dtype=np.float32)"), (np.full(5, 0.1), "np.full(5, 0.1)"),
    (np.arange(20), "np.arange(20)"), (np.arange(3.0, 9.0), "np.arange(3.0, 9.0)"), (np.eye(4), "np.eye(4)"),
    (np.linspace(0.0, 1.0, 11), "np.linspace(0.0, 1.0, 11)"), (np.array([1, 5, 2]), "np.array([1, 5, 2])"),
    (np.array([True, False]), "np.array([True, False])"), (np.zeros((0, 3)), "np.zeros((0, 3))"), (np.full(4, -0.0), "np.full(4, -0.0)"),
    (np.array([1, 2], np.int32), "np.array([1, 2], dtype=np.int32)"), (np.array([0.1, 0.2], np.float32), "np.array([0.1, 0.2], dtype=np.float32)"),
])
def test_constant_arrays_print_as_people_make_them(value, text):
    assert unparse(gast.Expr(literal(value))).strip() == text
    assert identical(value_of(literal(value)), value)


DTYPES = st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128])


@settings(max_examples=100, deadline=None)
@given(DTYPES.flatmap(lambda d: arrays.arrays(d, arrays.array_shapes(min_dims=1, max_dims=2, max_side=4))))
@example(np.array([0, 2 ** 62, 0, 0]))
@example(np.array([0.0, 2.0 ** 62, 2.0 ** 63, 3 * 2.0 ** 62]))
@example(np.arange(4) + 2 ** 60)
def test_arrays_are_exact(value):
    assert identical(value_of(literal(value)), value)


def test_large_constants_stand_at_module_level():
    value = np.random.default_rng(0).uniform(size=(5, 5))
    program = make([], [apply("c", "constant", value=value), apply("s", "sin", "c")], ["s"], {n: Aval((5, 5), FLOAT) for n in "cs"})
    assert "CONSTANT_1 = np.array([[" in printing.source(program) and identical(printing.load(program)(), np.sin(value))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int8, np.bool_, "bfloat16"])
@pytest.mark.parametrize("shape", [(1500,), (40, 50)])
def test_arrays_of_many_numbers_are_written_as_their_bytes(dtype, shape):
    value = (np.random.default_rng(0).normal(size=shape) * 9).round().clip(0.0).astype(np.dtype(getattr(ml_dtypes, dtype) if isinstance(dtype, str) else dtype))
    program = make([], [apply("c", "constant", value=value)], ["c"], {"c": Aval(shape, value.dtype)})
    text = printing.source(program)
    assert "np.frombuffer(bytes.fromhex(" in text and max(map(len, text.replace(value.tobytes().hex(), "").splitlines())) < 130
    found = printing.load(program)()
    assert identical(found, value) and found.flags.writeable


def test_a_module_level_constant_is_never_changed():
    value = np.random.default_rng(0).uniform(size=20)
    stores = [apply("c", "constant", value=value), Update("c", (0,), (), 1.0)]
    fn = printing.load(make([], stores, ["c"], {"c": Aval((20,), FLOAT)}))
    fn()[1] = 7.0
    assert fn()[1] == value[1]


# ops ------------------------------------------------------------------------------------------
def samples():
    rng = np.random.default_rng(0)
    for name, op in sorted(TABLE.items()):
        found = (op.samples(rng) if callable(op.samples) else op.samples) or ()
        for number, (args, params) in enumerate(found):
            yield pytest.param(op, args, params, id=f"{name}-{number}")


@pytest.mark.parametrize("op, args, params", list(samples()))
def test_every_op_prints_what_it_computes(op, args, params):
    args = [a if np.ndim(a) or isinstance(a, np.generic) else np.asarray(a)[()] if not isinstance(a, int | float | complex) else a for a in args]
    names = [f"x{k}" for k in range(len(args))]
    avals = dict(zip(names, map(literal_aval, args)))
    avals["out"] = op.infer(*avals.values(), **params)
    program = Program("f", names, [Apply("out", op, tuple(names), params)], ["out"], avals)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want, got = op.impl(*args, **params), printing.load(program)(*args)
    np.testing.assert_array_equal(got, want)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    assert_known_view(op, program, got, args)


def assert_known_view(op, program, result, args):
    """Ops whose printed form may share memory with an operand are listed in VIEWS."""
    given = [a for a in args if isinstance(a, np.ndarray) and a.size]
    if isinstance(result, np.ndarray) and any(np.shares_memory(result, a) for a in given):
        assert op.name in VIEWS


# expressions and names ----------------------------------------------------------------------------
def test_a_loop_reads_like_its_source():
    stmts = [Move("x_1", "x"), For("i", 0, "n", 1, [apply("p", "power", "x_1", 2), apply("q", "multiply", "k", "p"),
                                                    apply("x_2", "subtract", "x_1", "q"), Move("x_1", "x_2")]), apply("s", "sum", "x_1", **SUM)]
    avals = dict.fromkeys(("x", "x_1", "x_2", "p", "q"), VECTOR) | {"k": NUMBER, "n": COUNT, "i": COUNT, "s": SCALAR}
    program = make(["x", "k", "n"], stmts, ["s"], avals, p="power", q="multiply", s="sum", x_1="x", x_2="x")
    assert body(program) == ["    for i in range(n):", "        x = x - k * x ** 2", "    return np.sum(x)"]


def test_a_temporary_does_not_cross_a_store():
    stmts = [apply("c", "multiply", "x", 2.0), apply("v", "sum", "c", **SUM), Update("c", (0,), (), 1.0), apply("w", "add", "v", "c")]
    program = make(["x"], stmts, ["w"], {"x": VECTOR, "c": VECTOR, "v": SCALAR, "w": VECTOR}, v="sum", w="add")
    assert body(program) == ["    c = x * 2.0", "    sum_1 = np.sum(c)", "    c[0] = 1.0", "    return sum_1 + c"]


def test_a_temporary_does_not_move_into_a_branch_or_loop():
    stmts = [apply("t", "sin", "x"), Move("y", "x"), For("i", 0, 3, 1, [apply("y_1", "add", "y", "t"), Move("y", "y_1")])]
    program = make(["x"], stmts, ["y"], dict.fromkeys(("x", "y", "t", "y_1"), VECTOR) | {"i": COUNT}, t="sin", y_1="y")
    assert "    sin_1 = np.sin(x)" in body(program)


def test_an_augmented_store():
    index = (slice(0, 2, 1),)
    stmts = [apply("b", "multiply", "x", 2.0), apply("v", "getitem", "b", index=index), apply("w", "multiply", "v", 3.0), Update("b", index, (), "w")]
    program = make(["x"], stmts, ["b"], {"x": VECTOR, "b": VECTOR, "v": Aval((2,), FLOAT), "w": Aval((2,), FLOAT)}, v="getitem", w="multiply")
    assert body(program) == ["    b = x * 2.0", "    b[:2] *= 3.0", "    return b"]


def test_numpy_calls_where_an_operator_would_give_a_python_number():
    program = make(["y"], [apply("z", "add", 2.0, "y")], ["z"], {"y": NUMBER, "z": SCALAR}, z="add")
    assert body(program) == ["    return np.add(2.0, y)"]


def test_a_while_with_a_pure_head():
    stmts = [Move("x", "x0"), While([apply("go", "less", "x", 10.0)], "go", [apply("x_1", "multiply", "x", 2.0), Move("x", "x_1")], "k")]
    avals = dict.fromkeys(("x", "x0", "x_1"), NUMBER) | {"go": Aval((), np.dtype(bool), True), "k": COUNT}
    program = make(["x0"], stmts, ["x", "k"], avals, x0="x", x_1="x", go="less")
    assert body(program) == ["    k = 0", "    while x < 10.0:", "        x = x * 2.0", "        k += 1", "    return x, k"]
    assert printing.load(program)(1.0) == (16.0, 4)


def test_tapes_are_lists_that_grow():
    row = Aval((3,), FLOAT)
    store = [apply("r", "multiply", "x", 2.0), Update("t", (Hole(0), slice(None)), ("k",), "r")]
    head = [apply("go", "less", "k", "n")]
    stmts = [apply("t", "tape", shape=(3,), dtype=FLOAT), While(head, "go", store, "k"), apply("v", "getitem", "t", 0, index=(Hole(0), slice(None)))]
    avals = {"x": row, "n": COUNT, "t": Aval((None, 3), FLOAT), "r": row, "v": row, "k": COUNT, "go": Aval((), np.dtype(bool), True)}
    program = make(["x", "n"], stmts, ["v"], avals, go="less", r="multiply", v="getitem", t="x_tape")
    assert body(program) == ["    x_tape = []", "    k = 0", "    while k < n:", "        x_tape.append(x * 2.0)", "        k += 1", "    return x_tape[0]"]


def test_effects_and_comments():
    effects = [Effect("print", ("x",), {"text": "print('x is', _0)"}), If("x", [Effect("raise", (), {"text": "raise ValueError('no')"})], [])]
    effects[0].origin = Origin("/home/me/model.py", 12, 0, "")
    program = make(["x"], [*effects, Mark("reverse"), apply("y", "negative", "x")], ["y"], {"x": NUMBER, "y": NUMBER}, y="negative")
    want = ["    # model.py:12", '    print("x is", x)', "    if x:", '        raise ValueError("no")', "    # reverse", "    return -x"]
    assert body(program, comments=True) == want


def test_names_never_shadow():
    stmts = [apply("v", "sin", "x"), apply("w", "multiply", "v", "v")]
    program = make(["x"], stmts, ["w"], dict.fromkeys("xvw", VECTOR), x="np", v="lambda", w="sum")
    for name in ("np", "lambda", "sum"):
        assert f" {name} =" not in printing.source(program)


# functions ------------------------------------------------------------------------------------------------
def test_loaded_functions_show_their_source():
    fn = printing.load(make(["x"], [apply("y", "sin", "x")], ["y"], {"x": VECTOR, "y": VECTOR}))
    assert inspect.getsource(fn) == "def f(x):\n    y = np.sin(x)\n    return y\n"


@settings(max_examples=30, deadline=None)
@given(programs())
def test_sources_are_clean_and_deterministic(program):
    program = simplify(program)
    text = printing.source(program)
    assert text == printing.source(program)
    out = io.StringIO()
    assert api.check(text, "generated", reporter.Reporter(out, out)) == 0, out.getvalue() + text


def test_sources_stand_alone(tmp_path):
    program = make(["x"], [apply("y", "sin", "x")], ["y"], {"x": VECTOR, "y": VECTOR})
    file = tmp_path / "alone.py"
    file.write_text(printing.source(program) + "\nprint(f(np.zeros(3)))\n")
    out = subprocess.run([sys.executable, "-I", str(file)], capture_output=True, text=True, check=True)
    assert out.stdout == "[0. 0. 0.]\n"


def test_sources_are_dropped_with_their_functions():
    program = make(["x"], [apply("y", "sin", "x")], ["y"], {"x": VECTOR, "y": VECTOR})
    fn = printing.load(program)
    file = fn.__code__.co_filename
    assert "np.sin(x)" in inspect.getsource(fn) and file in linecache.cache
    del fn
    gc.collect()
    assert file not in linecache.cache


def test_arguments_are_not_changed():
    args = arguments()
    stmts = [Update("x", (0,), (), 5.0)]
    fn = printing.load(make(["x"], stmts, ["x"], {"x": VECTOR}))
    assert fn(args[0])[0] == 5.0 and args[0][0] != 5.0
    mine = printing.load(make(["x"], stmts, ["x"], {"x": VECTOR}), own_params=False)
    assert mine(args[0]) is args[0] and args[0][0] == 5.0


def test_long_constants_break_inside_of_brackets():
    index = Hole(0)
    program = Program("f", ["x", "first", "second"], [
        apply("c", "constant", value=np.array([-1.0, -2.0])),
        Update("x", (index, Hole(1)), ("a_long_name_of_the_first_index", "a_long_name_of_the_second_index_which_fills_the_line"), "c")],
        ["x"], {"x": Aval((3, 3), FLOAT), "first": COUNT, "second": COUNT, "c": Aval((2,), FLOAT),
                "a_long_name_of_the_first_index": Aval((2,), INT), "a_long_name_of_the_second_index_which_fills_the_line": Aval((2,), INT)})
    assert not any(line.endswith(" =") for line in body(program))


@pytest.mark.parametrize(("value", "text"), [
    (np.tri(5), "np.tri(5)"), (np.tri(5, dtype=bool).T, "np.tri(5, dtype=bool).T"), (np.eye(5), "np.eye(5)")])
def test_arrays_that_a_function_makes(value, text):
    program = make([], [apply("c", "constant", value=value), apply("s", "copy", "c")], ["s"], {n: Aval((5, 5), value.dtype) for n in "cs"})
    assert text in printing.source(program) and identical(printing.load(program)(), np.array(value))


def test_large_arrays_that_are_one_number_almost_everywhere():
    value = np.full((40, 40), np.inf)
    value[0, 0], value[3, 7] = 0.0, -1.0
    program = make([], [apply("c", "constant", value=value), apply("s", "sin", "c")], ["s"], {n: Aval((40, 40), FLOAT) for n in "cs"})
    text = printing.source(program)
    assert "CONSTANT_1 = np.full((40, 40), np.inf)\nCONSTANT_1[0, 0] = 0.0\nCONSTANT_1[3, 7] = -1.0\n" in text
    with np.errstate(invalid="ignore"):
        assert identical(printing.load(program)(), np.sin(value))


@pytest.mark.parametrize("f", [lambda x: np.concatenate([(x[0] * x[1])[None], x]), lambda x: np.concatenate([(x[0] * x[1])[..., None, None], x[None, :1]])])
def test_cotangents_of_numbers_with_new_axes_are_numbers(f):
    slope = grad(lambda x: np.sum(f(x) ** 2))(np.array([2.0, 3.0]))
    np.testing.assert_array_equal(slope, [40.0, 24.0 + 6.0 * (f(np.ones(2)).ndim == 1)])


def test_numbers_known_while_transforming_take_new_axes():
    f = grad(lambda x: np.sum(np.concatenate([(np.zeros_like(x[0]) + 0.3)[None], x]) ** 2))
    np.testing.assert_array_equal(f(np.array([2.0, 3.0])), [4.0, 6.0])
