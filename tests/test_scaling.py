"""Building a program takes work in proportion to its size: calls of functions are counted, no time is taken."""

import collections
import importlib.util
import sys

import numpy as np
import pytest

import transformer
from transformer.lower import lower

MOST = 13
"""How much more work ten times the program may be."""


@pytest.fixture
def defined(tmp_path):
    """Makes the function `f` of a source text that lies in a file."""
    def define(lines, name="written"):
        path = tmp_path / f"{name}.py"
        path.write_text("\n".join(["import numpy as np", *lines]) + "\n")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.f
    return define


def many_names(n):
    before = ["y", *(f"y{i}" for i in range(n))]
    return ["def f(a, y):", *(f"    y{i} = {before[i]} * a + np.sin({before[i]})" for i in range(n)), f"    return np.sum({before[-1]})"]


def one_name(n):
    return ["def f(a, y):", *["    y = y * a + np.sin(y)"] * n, "    return np.sum(y)"]


def stores(n):
    return ["def f(a, y):", "    y = y.copy()", *(f"    y[{i % 3}] = y[{(i + 1) % 3}] * a + np.sin(y[{i % 3}])" for i in range(n)), "    return np.sum(y)"]


def branches(n):
    sides = [line for i in range(n) for line in (f"    if s < {i}:", f"        y = y * a * {i}.5")]
    return ["def f(a, y):", "    s = np.sum(y)", *sides, "    return np.sum(y)"]


def loops(n):
    return ["def f(a, y):", *["    for i in range(7):", "        y = np.sin(y) * a"] * n, "    return np.sum(y)"]


def long_expression(n):
    return ["def f(a, y):", "    return np.sum(" + " + ".join(f"y * a * {i}.5" for i in range(n)) + ")"]


def calls(n):
    helpers = [line for i in range(1, n) for line in (f"def f{i}(a, y):", f"    return f{i - 1}(a, np.sin(y) * a)")]
    return ["def f0(a, y):", "    return y", *helpers, "def f(a, y):", f"    return np.sum(f{n - 1}(a, y))"]


def layers(n):
    return ["def f(a, y):", f"    for w, b in [(a, y)] * {n}:", "        y = np.tanh(y * w + b)", "    return np.sum(y)"]


def work(build):
    """How often each function is called while `build` runs."""
    counts = collections.Counter()

    def note(frame, event, function):
        if event == "call":
            code = frame.f_code
            counts[code.co_filename, code.co_firstlineno, code.co_name] += 1
        elif event == "c_call":
            counts["", 0, function.__name__] += 1
    sys.setprofile(note)
    try:
        build()
    finally:
        sys.setprofile(None)
    return counts


def lowered(f, *args):
    entry, _ = transformer.jit(transformer.grad(f)).find(args, {})
    return lower(entry.program)


def shown(f, *args):
    return transformer.grad(f).show(*args)


def steep(small, large):
    """The functions that take a part of the work worth mentioning and grow faster than the program."""
    total = sum(large.values())
    return {name: (small[name], count) for name, count in large.items() if count > total / 100 and count > MOST * small[name]}


@pytest.mark.parametrize("build", [shown, lowered])
@pytest.mark.parametrize("lines, size", [(many_names, 20), (one_name, 20), (stores, 10), (branches, 10), (loops, 10),
                                         (long_expression, 20), (calls, 10), (layers, 10)],
                         ids=lambda value: getattr(value, "__name__", None))
def test_ten_times_the_program_is_ten_times_the_work(defined, lines, size, build):
    args = (0.3, np.ones(3))
    build(defined(lines(3)), *args)
    small = work(lambda: build(defined(lines(size), "small"), *args))
    large = work(lambda: build(defined(lines(10 * size), "large"), *args))
    assert sum(large.values()) <= MOST * sum(small.values())
    assert not steep(small, large)


def test_a_steep_function_is_found():
    small, large = collections.Counter(square=4, line=100), collections.Counter(square=400, line=1000)
    assert steep(small, large) == {"square": (4, 400)}


def test_ten_thousand_statements(defined):
    f, args = defined(many_names(10_000)), (1e-4, np.ones(2))
    assert lowered(f, *args).text.count("stablehlo.cosine") == 9_999


def test_recursion_to_depth_300():
    def power(y, a, k):
        return y if k == 0 else power(y * a, a, k - 1)
    np.testing.assert_allclose(transformer.grad(lambda a: power(1.0, a, 300))(1.01), 300 * 1.01 ** 299, rtol=1e-12)


def test_a_chain_of_200_conditions(defined):
    sides = [line for i in range(1, 200) for line in (f"    elif s < {i}:", f"        z = y * a * {i}.0")]
    f = defined(["def f(a, y):", "    s = np.sum(y)", "    if s < 0:", "        z = y * a", *sides, "    else:", "        z = y", "    return np.sum(z)"])
    y = np.array([40.0, 61.5])
    np.testing.assert_allclose(transformer.grad(f, argnums=1)(0.5, y), [51.0, 51.0])
    np.testing.assert_allclose(transformer.jit(transformer.grad(f, argnums=1))(0.5, y), [51.0, 51.0])


@pytest.mark.parametrize("transform", [transformer.grad, transformer.jit, lambda f: transformer.vmap(f, in_axes=(None, 0))], ids=["grad", "jit", "vmap"])
def test_loops_in_loops(defined, transform):
    lines = ["def f(a, y):"]
    for depth in range(5):
        lines += ["    " * (depth + 1) + f"for i{depth} in range(2, 4):"]
    f = defined([*lines, "    " * 6 + "y = np.sin(y) * a + i0 * i4", "    return np.sum(y)"])
    y = np.ones((2, 3))
    step = 1e-6
    wanted = {0: (f(0.3 + step, y) - f(0.3 - step, y)) / (2 * step), 1: f(0.3, y), 2: [f(0.3, row) for row in y]}
    case = 1 if isinstance(transform(f), type(transformer.jit(f))) else 0 if transform is transformer.grad else 2
    np.testing.assert_allclose(transform(f)(0.3, y), wanted[case], rtol=1e-6)


def test_a_pytree_of_2000_leaves():
    params = {f"p{i}": np.full(2, i + 1.0) for i in range(2000)}

    def f(params, x):
        return sum(np.sum(p * x) for p in params.values())
    found = transformer.grad(f)(params, np.array([2.0, 3.0]))
    assert all(np.array_equal(g, [2.0, 3.0]) for g in found.values()) and found.keys() == params.keys()
