"""Find the source of a function and parse it: a Python function in, a `Parsed` with its `gast` tree out.

The whole file is parsed, so every node carries the true line of the user's file, and a lambda is told from its neighbours on
the same line by the column positions of its code object.

>>> from transformer.frontend.unparse import source
>>> double = lambda x: 2 * x
>>> print(source(parse(double).node))
def double(x):
    return 2 * x
"""

import __future__

import ast
import functools
import inspect
import linecache
import types
import weakref
from dataclasses import dataclass
from typing import Any

import gast

from ..errors import Origin, TransformError

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Parsed:
    """A function and its tree.

    fn           the plain function object (a bound method's function)
    name         the name under which it is printed (a lambda gets one)
    node         gast.FunctionDef without decorators; a lambda's body is one `return`. Shared by all functions of one code
                 object: do not change it in place
    filename     file (or pseudo file such as "<stdin>") that node.lineno counts in
    source_lines all lines of that file
    globals      the function's global namespace
    closure      name -> cell, for the free variables
    freevars     names of the free variables, in the code object's order
    defaults     parameter name -> default value (positional parameters)
    kwdefaults   parameter name -> default value (keyword-only parameters)
    """

    __transformer_opaque__ = True

    fn: Any
    name: str
    node: gast.FunctionDef
    filename: str
    source_lines: list
    globals: dict
    closure: dict
    freevars: tuple
    defaults: dict
    kwdefaults: dict

    @property
    def code(self):
        return self.fn.__code__

    @property
    def local_names(self):
        """The names that Python holds local to the function (desugared code may have lost dead assignments)."""
        return frozenset(self.code.co_varnames + self.code.co_cellvars)


class _Syntax:
    """What is known of a code object alone."""

    def __init__(self, name, node, lines):
        self.name, self.node, self.lines = name, node, lines


def parse(fn):
    """The tree and the namespaces of a function. Raises TransformError where there is no usable source."""
    fn = _plain_function(fn)
    code = fn.__code__
    syntax = cached(_SYNTAX, code, lambda: _find(fn))
    positional = code.co_varnames[: code.co_argcount]
    values = fn.__defaults__ or ()
    return Parsed(
        fn=fn,
        name=syntax.name,
        node=syntax.node,
        filename=code.co_filename,
        source_lines=syntax.lines,
        globals=fn.__globals__,
        closure=dict(zip(code.co_freevars, fn.__closure__ or (), strict=True)),
        freevars=code.co_freevars,
        defaults=dict(zip(positional[len(positional) - len(values) :], values, strict=True)),
        kwdefaults=dict(fn.__kwdefaults__ or {}),
    )


def origin(parsed, node):
    """Where `node` stands in the user's file."""
    return place(parsed.filename, parsed.source_lines, node)


def place(filename, lines, node):
    """Where `node` stands in a file of these lines."""
    line = getattr(node, "lineno", 1)
    text = lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""
    column = getattr(node, "col_offset", 0)
    if not text.isascii():
        column = len(text.encode()[:column].decode(errors="ignore"))
    return Origin(filename, line, column, text)


_SYNTAX = {}


def cached(table, code, make):
    """table[code] by identity, made once, dropped with the code object (equal code of two files is not the same)."""
    key = id(code)
    entry = table.get(key)
    if entry is not None and entry[0]() is code:
        return entry[1]
    value = make()
    table[key] = (weakref.ref(code, lambda _: table.pop(key, None)), value)
    return value


def _plain_function(fn):
    if isinstance(fn, types.MethodType):
        fn = fn.__func__
    if isinstance(fn, types.FunctionType):
        return fn
    what = f"{getattr(fn, '__qualname__', None) or repr(fn)} has no Python source ({type(fn).__name__})"
    if isinstance(fn, functools.partial):
        raise TransformError(what, "Pass the function inside the partial.")
    raise TransformError(what, "Wrap the call in a Python function built from NumPy functions.")


def _find(fn):
    code = fn.__code__
    lines, tree = _file(fn)
    where = Origin(code.co_filename, code.co_firstlineno, 0, _line(lines, code.co_firstlineno))
    if code.co_name == "<lambda>":
        node, owner, name = _find_lambda(code, tree, where)
    else:
        node, owner = _find_def(code, tree, where)
        name = code.co_name
    _refuse_coroutines(code, where)
    _refuse_stale(code, lines, tree, where)
    result = gast.ast_to_gast(node)
    if isinstance(node, ast.Lambda):
        result = _as_def(result, name)
    result.decorator_list, result.returns = [], None
    drop_parameter_annotations(result)
    if owner is not None:
        _Mangle(owner).visit(result)
    return _Syntax(name, result, lines)


def _line(lines, number):
    return lines[number - 1].rstrip("\n") if 0 < number <= len(lines) else ""


_FILES = {}


def _file(fn):
    """The lines of the function's file and its tree, kept as long as linecache serves the same lines."""
    filename = fn.__code__.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, fn.__globals__)
    if not lines:
        raise _without_source(fn.__code__)
    text = "".join(lines)
    known = _FILES.get(filename)
    if known is None or known[0] != text:
        try:
            tree = ast.parse(text, filename)
        except SyntaxError as fault:
            where = Origin(filename, fault.lineno or 1, (fault.offset or 1) - 1, _line(lines, fault.lineno or 1))
            raise TransformError("the source on disk is not what was imported", "Reload the module.", where) from fault
        if len(_FILES) > 200:
            _FILES.clear()
        known = _FILES[filename] = (text, lines, tree)
    return known[1], known[2]


def _descend(node, line, owner=None):
    """All (node, name of the innermost class around it) below `node` that reach over a line of the file."""
    for child in ast.iter_child_nodes(node):
        start = min((d.lineno for d in getattr(child, "decorator_list", ())), default=getattr(child, "lineno", line))
        if start <= line <= getattr(child, "end_lineno", line):
            yield child, owner
            yield from _descend(child, line, child.name if isinstance(child, ast.ClassDef) else owner)


def _without_source(code):
    return TransformError(f"no source for function {code.co_qualname} ({code.co_filename})",
                          "Define it in a file or a notebook; for code made by exec, register the text in linecache.cache.")


def _find_def(code, tree, where):
    for node, owner in _descend(tree, code.co_firstlineno):
        if isinstance(node, FUNCTIONS) and node.name in (code.co_name, _demangled(code.co_name, owner)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno and _same_parameters(code, node.args, owner):
                return node, owner
    if code.co_filename == "<string>":  # of exec: the text under this name is that of `python -c`
        raise _without_source(code)
    raise TransformError(f"function {code.co_name} is not at this line of its file", "The file has changed: reload it.", where)


def _find_lambda(code, tree, where):
    """The lambda whose body spans exactly the positions of the code's instructions."""
    names = {}
    for node, _ in _descend(tree, code.co_firstlineno):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            names[node.value] = node.targets[0].id
    found = [
        (node, owner)
        for node, owner in _descend(tree, code.co_firstlineno)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno and _same_parameters(code, node.args, owner)
    ]
    if len(found) > 1:
        span = _span(code)
        found = [(node, owner) for node, owner in found if _body_span(node) == span]
    if len(found) != 1:
        fault = "the source of this lambda is not found" if not found else "several lambdas stand on this line"
        raise TransformError(fault, "Write it as a function with def, or put it on a line of its own.", where)
    node, owner = found[0]
    return node, owner, names.get(node, "lambda_")


def _body_span(node):
    return (node.body.lineno, node.body.col_offset, node.body.end_lineno, node.body.end_col_offset)


def _span(code):
    """Smallest range of the source that covers all instructions: the body of a lambda."""
    spans = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    if not spans:
        return None
    start = min((line, column) for line, _, column, _ in spans)
    end = max((line, column) for _, line, _, column in spans)
    return (*start, *end)


def _same_parameters(code, args, owner):
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return tuple(_mangled(name, owner) for name in names) == code.co_varnames[:count]


def _refuse_coroutines(code, where):
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise TransformError(f"{code.co_name} is an async function", "Transform the plain function that does the maths.", where)


def drop_parameter_annotations(function):
    """Forget the annotations of a function's parameters."""
    for name in gast.walk(function.args):
        if isinstance(name, gast.Name):
            name.annotation = None


def _refuse_stale(code, lines, tree, where):
    """The code in memory must be what the source compiles to; a file edited after its import would be transformed wrongly."""
    if any("@py_" in name for name in code.co_names + code.co_varnames):
        return  # pytest rewrites the asserts of test modules
    if not any(_fingerprint(other) == _fingerprint(code) for other in _compiled(code, lines, tree)):
        advice = "Reload the module, or turn off the import hook that rewrites it."
        raise TransformError(f"the source of {code.co_name} differs from the code in memory", advice, where)


def _compiled(code, lines, tree):
    """What the source at the code's place compiles to: in its whole file, and in its statement alone, as IPython compiles cells.

    (They differ: `np.sum(x)` is compiled as a call of a method unless `import numpy as np` is compiled with it.)
    """
    flags, place = code.co_flags & FUTURE_FLAGS, (code.co_firstlineno, code.co_name)
    key = (id(tree), flags)
    if key not in _COMPILED:
        if len(_COMPILED) > 200:
            _COMPILED.clear()
        _COMPILED[key] = tree, _code_objects(compile("".join(lines), code.co_filename, "exec", flags, dont_inherit=True))
    yield from _COMPILED[key][1].get(place, ())
    for statement in tree.body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        if first <= code.co_firstlineno <= statement.end_lineno:
            alone = ast.Module([statement], [])
            yield from _code_objects(compile(alone, code.co_filename, "exec", flags, dont_inherit=True)).get(place, ())


FUTURE_FLAGS = functools.reduce(int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_COMPILED = {}


def _code_objects(code):
    """(line, name) -> code objects of a module."""
    found = {}
    todo = [code]
    while todo:
        code = todo.pop()
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        todo += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return found


def _fingerprint(code):
    plain = [repr(constant) for constant in code.co_consts if not isinstance(constant, types.CodeType)]
    return code.co_code, plain, code.co_names, code.co_varnames


def _as_def(node, name):
    body = gast.copy_location(gast.Return(value=node.body), node.body)
    return gast.copy_location(
        gast.FunctionDef(
            name=name, args=node.args, body=[body], decorator_list=[], returns=None, type_comment=None, type_params=[]
        ),
        node,
    )


def _mangled(name, owner):
    if owner is None or not name.startswith("__") or name.endswith("__") or not owner.strip("_"):
        return name
    return f"_{owner.lstrip('_')}{name}"


def _demangled(name, owner):
    prefix = f"_{owner.lstrip('_')}" if owner else ""
    return name[len(prefix) :] if prefix and name.startswith(prefix + "__") else name


class _Mangle(gast.NodeVisitor):
    """Private names of a class (`self.__x`) as Python stores them (`self._Class__x`)."""

    def __init__(self, owner):
        self.owner = owner

    def visit_Name(self, node):
        node.id = _mangled(node.id, self.owner)

    def visit_Attribute(self, node):
        node.attr = _mangled(node.attr, self.owner)
        self.visit(node.value)
