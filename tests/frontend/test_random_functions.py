"""Random Python functions on abstract numbers: programs give what Python gives, at the first order of derivatives too."""

import linecache

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transformer import jit, jvp, value_and_grad, vmap
from transformer.errors import TransformError

POINTS = [np.array(p) for p in ([0.3, 1.2], [2.5, -0.4], [-1.1, 0.7], [1.6, 3.1])]
DIRECTION = np.array([0.6, -0.8])
NAMES = st.sampled_from(["a", "b", "c"])
TESTS = st.sampled_from(["a > 1", "b < a", "not c > 0", "a > 0 and b > 0", "a < 0 or c > 1", "-1 < b < 2", "i == 1", "i > 0"])
VALUES = st.sampled_from(["a * b", "b + 0.5", "np.sin(a)", "c - a", "c * 0.5 + i", "(a if b > 0 else c)", "x[i % 2]", "h[i] * 2"])
SIMPLE = st.one_of(
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("{} += {}".format, NAMES, VALUES),
    st.builds("h[i] = {}".format, VALUES),
    st.builds("return {}".format, VALUES),
    st.sampled_from(["break", "continue", "a, b = b, a"]),
)


def indent(stmts):
    return ["    " + line for stmt in stmts for line in stmt]


@st.composite
def blocks(draw, depth, in_loop):
    return indent(draw(st.lists(statements(depth, in_loop), min_size=1, max_size=3)))


@st.composite
def statements(draw, depth, in_loop):
    kind = draw(st.sampled_from(["simple", "simple", "if", "if", "bind", "for", "while", "with", "try"] if depth else ["simple"]))
    if kind == "simple":
        line = draw(SIMPLE)
        return [line if in_loop or line not in ("break", "continue") else "c = a"]
    if kind == "if":
        lines = [f"if {draw(TESTS)}:", *draw(blocks(depth - 1, in_loop))]
        return lines + (["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.booleans()) else [])
    if kind == "bind":  # a name that the sides bind which do not leave
        exits = ["return a - c", *(["break", "continue"] if in_loop else [])]
        sides = [["d = a + i"], draw(st.sampled_from([["d = b"], [draw(st.sampled_from(exits))]]))]
        inner = [f"if {draw(TESTS)}:", *indent([sides[0]]), "else:", *indent([sides[1]])]
        long_tail = ["c = c + d", "b = b * 0.5 + np.sin(d)", "a = a - np.cos(c) * 0.25 + d * 0.5 * (b - c) + (d - a) * (d + b) * 0.125"]
        if draw(st.booleans()):
            inner = [f"if {draw(TESTS)}:", *indent([inner]), "else:", "    d = c"]
        return inner + (long_tail if draw(st.booleans()) else long_tail[:1])
    if kind == "with":
        return ["with np.errstate(all='ignore'):", *draw(blocks(depth - 1, in_loop))]
    if kind == "try":
        lines = ["try:", *draw(blocks(depth - 1, in_loop)), *(["    raise ValueError"] if draw(st.booleans()) else [])]
        lines += ["except ValueError:", *draw(blocks(depth - 1, in_loop))]
        lines += ["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.booleans()) else []
        return lines + (["finally:", "    b = b * 0.5"] if draw(st.booleans()) else [])
    if kind == "for":
        lines = [f"for i in range({draw(st.sampled_from([3, 6]))}):", *draw(blocks(depth - 1, True))]
    else:
        lines = ["w = 0", "while w < 4 and b < 5:", "    w += 1", *draw(blocks(depth - 1, True))]
    return lines + (["else:", *draw(blocks(depth - 1, in_loop))] if draw(st.integers(0, 3)) == 0 else [])


def define(body):
    """The function, and its text."""
    text = "\n".join(["def f(x):", "    a, b, c, i, h = x[0], x[1], 0.0, 0, np.zeros(6)", *body, "    return a + c + np.sum(h)"]) + "\n"
    linecache.cache["<random function>"] = (len(text), None, text.splitlines(True), "<random function>")
    space = {"np": np}
    exec(compile(text, "<random function>", "exec"), space)
    return space["f"], text


def outcome(fn, *args):
    """A result, or the name of the error that Python or the program raises for an unbound name; None if refused."""
    try:
        return fn(*args)
    except NameError:
        return "unbound"
    except TransformError:
        return None


def agree(result, expected):
    if isinstance(result, str) or isinstance(expected, str):
        return isinstance(result, str) and isinstance(expected, str)
    return np.allclose(result, expected, rtol=1e-9, atol=1e-9, equal_nan=True)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(body=blocks(depth=3, in_loop=False))
def test_random_functions(body):
    f, text = define(body)
    with np.errstate(all="ignore"):
        expected = [outcome(f, p) for p in POINTS]
        compiled, slope = jit(f), value_and_grad(f)
        for point, value in zip(POINTS, expected, strict=True):
            both = outcome(slope, point)
            assert both is None or agree(both if isinstance(both, str) else both[0], value), text
            along = outcome(lambda p: jvp(f, (p,), (DIRECTION,)), point)
            if isinstance(both, tuple) and isinstance(along, tuple):
                assert agree(along[1], both[1] @ DIRECTION), text
            result = outcome(compiled, point)
            assert result is None or agree(result, value), text
        if any(isinstance(value, str) for value in expected):
            return
        rows = outcome(vmap(f), np.stack(POINTS))
        assert rows is None or agree(rows, np.array(expected)), text
