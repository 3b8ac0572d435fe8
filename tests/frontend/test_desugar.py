"""Desugared functions do what the original ones do: random control flow, and one case per construct."""

import ast
import copy
import math

import gast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transformer.errors import TransformError
from transformer.frontend.desugar import apply_passes, desugar, fence
from transformer.frontend.parse import parse
from transformer.frontend.unparse import source


class Stuck(Exception):
    """A random program ran too long."""


class Log(list):
    """The observable effects of a run, with a bound on their number."""

    def __call__(self, *values):
        self.append(values)
        if sum(entry[0] != "fetch" for entry in self) > 60:
            raise Stuck
        return sum(values) % 3

    def item(self, values):
        """An iterator whose fetches are observable."""
        for value in values:
            self.append(("fetch", value))
            yield value


class Swallow:
    """A context manager that swallows ZeroDivisionError."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is ZeroDivisionError


def run(text, argument):
    """What a program returns or raises, and its log."""
    log = Log()
    space = {"log": log, "Swallow": Swallow}
    exec(compile(text, "<random>", "exec"), space)
    try:
        result = space["f"](argument)
    except NameError:  # unbound locals too: where dead code with the only assignment is dropped, the name is no longer local
        result = "NameError"
    except (Stuck, ValueError, ZeroDivisionError) as fault:
        result = type(fault).__name__
    return result, log


def without_stops(tree):
    tree = copy.deepcopy(tree)
    for node in gast.walk(tree):
        if getattr(node, "stop", None):
            node.stop = None
    return source(tree)


NAMES = st.sampled_from(["a", "b", "i"])
TESTS = st.sampled_from(["a > 1", "log(a)", "log(b) < log(1) < log(a)", "not log(i)", "i == 1", "b % 2", "a and b", "True", "False"])
SIMPLE = st.one_of(
    st.builds("{} = log(a, b)".format, NAMES),
    st.builds("{} += 1".format, NAMES),
    st.sampled_from(["log(i)", "pass", "break", "continue", "return a", "return log(b)", "return", "raise ValueError(a)", "1 // (a % 2)"]),
)


ERRORS = st.sampled_from(["ValueError", "(ZeroDivisionError, ValueError)", "ArithmeticError as error"])


def indent(stmts):
    return ["    " + line for stmt in stmts for line in stmt]


@st.composite
def blocks(draw, depth, in_loop):
    stmts = draw(st.lists(statements(depth, in_loop), min_size=1, max_size=3))
    return indent(stmts)


@st.composite
def statements(draw, depth, in_loop):
    kind = draw(st.sampled_from(["simple", "simple", "if", "for", "while", "with", "match", "try"] if depth else ["simple"]))
    if kind == "simple":
        line = draw(SIMPLE)
        return [line if in_loop or line not in ("break", "continue") else "log(9)"]
    test = draw(TESTS)
    if kind == "if":
        lines = [f"if {test}:", *draw(blocks(depth - 1, in_loop))]
        return lines + (["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.booleans()) else [])
    if kind == "with":
        return ["with Swallow():", *draw(blocks(depth - 1, in_loop))]
    if kind == "try":
        lines = ["try:", *draw(blocks(depth - 1, in_loop)), f"except {draw(ERRORS)}:", *draw(blocks(depth - 1, in_loop))]
        lines += ["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.booleans()) else []
        return lines + (["finally:", "    b += 2", "    log(6)"] if draw(st.booleans()) else [])
    if kind == "match":
        patterns = draw(st.sampled_from([["0 | 1", "x if x > 2"], ["x if log(x)", "2"], ["(x, y)", "int(x)"]]))
        cases = [[f"    case {pattern}:", *indent([draw(blocks(depth - 1, in_loop))])] for pattern in patterns]
        return [f"match {draw(NAMES)}:", *cases[0], *cases[1]]
    head = f"for {draw(NAMES)} in log.item([0, 1, 2]):" if kind == "for" else f"while {test}:"
    lines = [head, "    log(7)", *draw(blocks(depth - 1, True))]
    return lines + (["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.integers(0, 2)) == 0 else [])


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=blocks(depth=3, in_loop=False), argument=st.integers(0, 3))
def test_random_control_flow(body, argument):
    text = "\n".join(["def f(a):", "    b = 0", *body])
    tree = apply_passes(gast.parse(text).body[0])
    assert not any(isinstance(node, gast.Break | gast.Continue | gast.Match | gast.Assert) for node in gast.walk(tree))
    assert sum(isinstance(node, gast.Return) for node in gast.walk(tree)) == 1
    assert isinstance(tree.body[-1], gast.Return)
    assert all(hasattr(node, "lineno") for node in gast.walk(tree) if isinstance(node, gast.stmt | gast.expr))
    expected, log = run(text, argument)
    result, new_log = run(source(tree), argument)
    assert (result, new_log) == (expected, log), source(tree)
    if expected != "Stuck":  # loops that go through all items, with their rounds guarded
        result, new_log = run(without_stops(tree), argument)
        fetched = [entry for entry in new_log if entry[0] != "fetch"]
        assert (result, fetched) == (expected, [entry for entry in log if entry[0] != "fetch"]), without_stops(tree)


def check(fn, *argument_lists):
    """The desugared function gives the same results as the original."""
    parsed = desugar(parse(fn))
    space = {**parsed.globals, **{name: cell.cell_contents for name, cell in parsed.closure.items()}}
    exec(compile(source(parsed.node), "<desugared>", "exec"), space)
    for arguments in argument_lists:
        assert space[parsed.name](*copy.deepcopy(arguments)) == fn(*copy.deepcopy(arguments))
    return source(parsed.node)


def test_early_return_in_nested_if_is_written_without_flags():
    def f(a, b):
        if a:
            if b:
                return 1
            b = 2
        return a + b

    assert "_returned" not in check(f, (0, 0), (0, 1), (1, 0), (1, 1))


def test_return_of_nothing():
    def f(a):
        if a:
            return

    check(f, (0,), (1,))


def test_function_without_return():
    def f(a):
        a.append(1)

    check(f, ([],))


def test_search_in_nested_loops():
    def f(rows, wanted):
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if value == wanted:
                    return i, j
        return None

    check(f, ([[1, 2], [3, 4]], 3), ([[1, 2], [3, 4]], 7))


def test_loop_target_keeps_its_value_after_break():
    def f(n):
        for i in range(n):
            if i == 2:
                break
        return i

    assert "_item" in check(f, (2,), (5,))


def test_shared_iterator_is_not_advanced_after_break():
    def f(values):
        rest = iter(values)
        for value in rest:
            if value < 0:
                break
        return list(rest)

    check(f, ([1, -1, 2, 3],))


def test_endless_while_with_return_has_no_flag_after_it():
    def f(x):
        while True:
            x = x + 3
            if x % 7 == 0:
                return x

    assert check(f, (1,), (2,)).count("if") == 1


def test_chained_comparison_inside_of_a_comprehension():
    def f(values, low):
        return [v for v in ([1, 2] if 0 < len(values) < 3 else values) if low < abs(v) <= 2 < 3]

    check(f, ([1], 0), ([5, 2, 1], 1))


def test_with_and_return():
    def f(x):
        with Swallow():
            if x == 5:
                return x
            1 // x
            x = x + 1
        return -x

    check(f, (5,), (0,), (1,))


def test_nested_functions_are_desugared():
    def f(x):
        def g(y):
            for k in range(5):
                if k * k > y:
                    return k
            return -1

        return g(x), g(2 * x)

    check(f, (3,), (20,))


def test_names_of_the_user_are_not_taken():
    def f(x):
        _result, _break, _returned = 1, 2, 3
        for k in range(x):
            if k > 2:
                return _result + _break + _returned
        return _break

    check(f, (2,), (5,))


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def test_match_patterns():
    def f(value):
        match value:
            case 0 | "zero":
                return "zero"
            case None:
                return "none"
            case [1, *rest]:
                return rest
            case [first, (second, *_, last)]:
                return first, second, last
            case {"kind": kind, **others} if kind != "bad":
                return kind, others
            case Point(x, y=0):
                return x
            case float(number) | (number, "f"):
                return number
            case Point() as point:
                return point.x + point.y
            case str():
                return "text"
            case _:
                return "other"

    values = [0, "zero", None, [1], (1, 2, 3), [5, [6, 7]], [5, [6, 1, 7]], {"kind": "a", "b": 1}, {"kind": "bad"}]
    values += [Point(1, 0), Point(1, 2), 2.5, (4, "f"), "ab", b"ab", {1}, range(1, 4), 7]
    check(f, *((value,) for value in values))


def refusal(text):
    node = gast.parse(text).body[0]
    with pytest.raises(TransformError) as caught:
        fence(node, lambda n: n)
    return caught.value


@pytest.mark.parametrize(
    ("body", "word", "line"),
    [
        ("try:\n        pass\n    finally:\n        return x", "`finally` is left", 5),
        ("class A:\n        pass", "class", 2),
        ("x = 1\n    y = yield x", "yield", 3),
        ("global g\n    g = 1", "global g", 3),
        ("global g\n    for g in x: pass", "global g", 3),
        ("def h():\n        global g\n        g += 1", "global g", 4),
    ],
)
def test_refused(body, word, line):
    error = refusal(f"def f(x):\n    {body}")
    assert word in error.what
    assert error.advice
    assert error.origin.lineno == line


def test_reading_a_global_is_allowed():
    fence_free = gast.parse("def f(x):\n    global math\n    return math.pi").body[0]
    assert source(apply_passes(fence_free)).endswith("return math.pi")


def test_line_numbers_survive():
    def f(n):
        for i in range(n):
            if math.sqrt(i) > 2:
                break
        else:
            n = 0
        return n

    first = f.__code__.co_firstlineno
    node = desugar(parse(f)).node
    assert {s.lineno - first for s in gast.walk(node) if isinstance(s, gast.stmt)} == {0, 1, 2, 3, 5, 6}
    ast.parse(source(node))
