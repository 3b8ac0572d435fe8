"""Finding and parsing sources: every way in which a function comes to be."""

import ast
import functools
import gc
import importlib.util
import linecache
import os
import sys

import numpy as np
import pytest

from transformer.errors import TransformError
from transformer.frontend import parse as parse_module
from transformer.frontend.parse import origin, parse
from transformer.frontend.unparse import source

one, two = lambda x: x + 1, lambda x: x * 2
PAIR = [lambda x, y: x - y, lambda x, y: y - x]
scale = 3.0


def body(fn):
    return source(parse(fn).node).split("\n    ", 1)[1]


def test_function_with_defaults_and_globals():
    def f(x, y=2, *rest, z=scale, **more):
        return x + y * z

    parsed = parse(f)
    assert parsed.name == "f"
    assert parsed.defaults == {"y": 2}
    assert parsed.kwdefaults == {"z": 3.0}
    assert parsed.globals is globals()
    assert parsed.node.lineno == f.__code__.co_firstlineno
    assert parsed.source_lines[parsed.node.lineno - 1].strip().startswith("def f(x, y=2")


def test_closure_cells():
    weight = np.ones(3)

    def f(x):
        return weight * x

    parsed = parse(f)
    assert parsed.freevars == ("weight",)
    assert parsed.closure["weight"].cell_contents is weight


def test_lambdas_on_one_line():
    assert (body(one), body(two)) == ("return x + 1", "return x * 2")
    assert [body(f) for f in PAIR] == ["return x - y", "return y - x"]
    assert parse(one).name == "lambda_"


def test_lambda_takes_the_name_it_is_assigned_to():
    square = lambda x: x * x  # noqa: E731
    assert parse(square).name == "square"


def test_lambdas_inside_of_calls_and_lambdas():
    found = list(map(lambda f: f, [lambda x: x, lambda x: (x, (lambda x: -x)), lambda x=lambda x: 7: x]))
    assert [body(f) for f in found] == ["return x", "return (x, lambda x: -x)", "return x"]
    assert body(found[1](0)[1]) == "return -x"
    assert body(found[2]()) == "return 7"


def test_lambda_over_several_lines():
    f = dict(
        a=lambda x, *, é="é": (
            x
            + 1
        ), b=lambda x, *, é="é": x
    )
    assert body(f["a"]) == "return x + 1"
    assert body(f["b"]) == "return x"


def test_equal_lambdas_on_one_line_have_equal_trees():
    f, g = (lambda x: x + 1), (lambda x: x + 1)
    assert body(f) == body(g) == "return x + 1"


def test_method_and_private_names():
    class Counter:
        __step = 2

        def add(self, __x):
            self.__total = self.__step + __x
            return self.__total

    counter = Counter()
    parsed = parse(counter.add)
    assert parsed.fn is Counter.add
    assert source(parsed.node) == (
        "def add(self, _Counter__x):\n    self._Counter__total = self._Counter__step + _Counter__x\n    return self._Counter__total"
    )


def twice(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(f(*args))

    return wrapper


@twice
@twice
def decorated(x: int) -> int:
    return x + 1


def test_decorated_function_is_the_wrapper_and_its_inner_function_has_no_decorators():
    assert body(decorated) == "return f(f(*args))"
    inner = decorated.__wrapped__.__wrapped__
    assert source(parse(inner).node) == "def decorated(x):\n    return x + 1"


def run_registered(text, filename):
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space = {}
    exec(compile(text, filename, "exec"), space)
    return space


def test_generated_source_in_linecache():
    space = run_registered("def f(x):\n    return 2 * x\ng = lambda x: f(x)\n", "<generated f>")
    assert body(space["f"]) == "return 2 * x"
    assert body(space["g"]) == "return f(x)"
    space = run_registered("def f(x):\n    return 3 * x\n", "<generated f>")
    assert body(space["f"]) == "return 3 * x"


def test_equal_code_in_two_files_keeps_its_own_file():
    first = run_registered("def f(x):\n    return 2 * x\n", "<one>")["f"]
    second = run_registered("def f(x):\n    return 2 * x\n", "<two>")["f"]
    assert first.__code__ == second.__code__
    assert [parse(f).filename for f in (first, second)] == ["<one>", "<two>"]


def test_future_annotations():
    text = "from __future__ import annotations\ndef f(x: A) -> B:\n    def g(y: C): return y\n    return g(x)\n"
    assert "return g(x)" in body(run_registered(text, "<future>")["f"])


def test_tree_is_made_once_and_dropped_with_the_code():
    f = run_registered("def f(x):\n    return 2 * x\n", "<dropped>")["f"]
    node = parse(f).node
    assert parse(f).node is node
    key = id(f.__code__)
    assert key in parse_module._SYNTAX
    del f
    gc.collect()
    assert key not in parse_module._SYNTAX


def test_origin_is_the_users_line():
    def f(x):
        x = {"é": x}["é"]; return np.exp(x)  # noqa: E702

    parsed = parse(f)
    where = origin(parsed, parsed.node.body[1])
    assert where.file == __file__
    assert where.text[where.column :].startswith("return np.exp")
    assert where.line == f.__code__.co_firstlineno + 1


def test_file_edited_after_import_is_refused(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("def f(x):\n    return 3 + x\n")
    os.utime(path, (1, 1))
    with pytest.raises(TransformError, match="differs from the code in memory"):
        parse(module.f)
    path.write_text("def h(x):\n    return 3 + x\n")
    os.utime(path, (2, 2))
    with pytest.raises(TransformError, match="not at this line"):
        parse(module.f)


def test_no_source():
    space = {}
    exec("def f(x): return x", space)
    with pytest.raises(TransformError, match="no source") as caught:
        parse(space["f"])
    assert "linecache" in caught.value.advice


@pytest.mark.parametrize("fn", [len, np.exp, np.dot, functools.partial(one), 3, sys.exit, ast.AST])
def test_not_a_python_function(fn):
    with pytest.raises(TransformError, match="no Python source"):
        parse(fn)


def test_async_functions_are_refused():
    async def routine(x):
        return x

    async def generator(x):
        yield x

    for function in (routine, generator):
        with pytest.raises(TransformError, match="async") as caught:
            parse(function)
        assert caught.value.origin.line == function.__code__.co_firstlineno


def test_numpy_functions_written_in_python_parse():
    assert "return" in body(np.outer.__wrapped__ if hasattr(np.outer, "__wrapped__") else np.block)


def test_statements_that_were_compiled_one_by_one():
    """As IPython does with a cell; an import in the same text changes how CPython compiles a call."""
    text, name = "import numpy as np\n\n\ndef f(x):\n    return np.sum(x)\n", "<a cell>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), space)
    assert body(space["f"]) == "return np.sum(x)"
