"""Core programs as Python source, and as functions.

    tree(program)      gast.Module: imports, module-level constants, one function
    source(program)    its text
    load(program)      the function itself, run on NumPy

The stages: `copies` inserts what NumPy's views need, `find_nested` puts temporaries back into expressions, `assign_names` gives the
user's names back, `Statements` writes the tree.
"""

import itertools
import linecache
import weakref

import gast

from ..analysis.aliases import tapes
from ..core import Effect, walk
from . import expressions
from .expressions import Expressions
from .statements import Statements
from .unparse import Comment, unparse

_numbers = itertools.count(1)
OWN = {"debug": "transformer", "lax": "transformer", "row_swaps": "transformer.scipy", "threefry": "transformer.random"}
"""Modules of ours that generated source may call -> the package it imports them from."""


def tree(program, name=None, comments=False, header=True, own_params=True):
    """The gast.Module of a program; see `source`."""
    from ..analysis.aliases import memory_groups
    from ..naming import assign_names
    from ..transforms.copies import copies
    from .nesting import find_nested
    from .scheduling import advance_readers
    program = advance_readers(program, memory_groups(program))
    program = copies(program, own_params)
    nesting = find_nested(program, memory_groups(program))
    names = assign_names(program, nesting.nested, nesting.reads)
    printer = Statements(program, Expressions(program, names, lists=tapes(program)), nesting.nested, comments)
    body = printer.block(program.body)
    result = [printer.expressions.atom(a) for a in program.outputs]
    if result:
        body = [s for s in body if not isinstance(s, gast.Pass)]
        body.append(gast.Return(result[0] if len(result) == 1 else expressions.tuple_of(result)))
    params = [names[p] for p in program.params]
    arguments = gast.arguments([gast.Name(p, gast.Param(), None, None) for p in params], [], None, [], [], None, [])
    function = gast.FunctionDef(name or program.name, arguments, body, [], None, None, [])
    constants = printer.expressions.module_level
    if not header:
        return gast.Module([*constants, function], [])
    named = {module for s in walk(program.body) if isinstance(s, Effect) for module in s.params.get("modules", ())}
    types = ", ".join(f"{n}: {program.avals[p]}" for n, p in zip(params, program.params))
    return gast.Module([*imports([*constants, function], named), *constants, Comment(f"{name or program.name}({types})"), function], [])


def imports(body, named=()):
    """Import statements for the modules that the body names: those of `named`, and those that are known."""
    attributes = {dotted(node) for part in body for node in gast.walk(part) if isinstance(node, gast.Attribute)}
    roots = {path.split(".")[0] for path in attributes if path} & {"math", "cmath", "ml_dtypes"}
    packages = {".".join(path.split(".")[:2]) for path in attributes if path.startswith("scipy.")}
    plain = [gast.Import([gast.alias(root, None)]) for root in (*sorted(roots | {*named}), *sorted(packages))]
    numpy = any(path.split(".")[0] == "np" for path in attributes)
    own = [gast.ImportFrom(OWN[root], [gast.alias(root, None)], 0) for root in sorted({path.split(".")[0] for path in attributes} & OWN.keys())]
    return [*plain, *([gast.Import([gast.alias("numpy", "np")])] if numpy else []), *own]


def dotted(node):
    """`scipy.special.erf` of nested attributes; "" where the innermost is no name."""
    parts = []
    while isinstance(node, gast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, gast.Name) else ""


def source(program, name=None, comments=False, header=True, own_params=True):
    """The Python source of a program: imports (unless header is false) and one function.

    comments: name the user's file and line above the statements that stem from it.
    own_params: stores do not reach the caller's arrays; else a parameter that is stored into is the caller's array.
    """
    return unparse(tree(program, name, comments, header, own_params))


def statements(program):
    """The statements of a program as they stand, one a line, without the function around them: for looking at a pass."""
    printer = Statements(program, Expressions(program, lists=tapes(program)), ())
    return unparse(gast.Module(printer.block(program.body), [])).rstrip()


def load(program, namespace=None, own_params=True):
    """The program as a Python function on NumPy arrays; one output is returned bare, several as a tuple.

    Its source is known to linecache as long as its code lives, so tracebacks, pdb and inspect.getsource work. `namespace` gives further globals.
    """
    text = source(program, own_params=own_params)
    file = f"<transformer {program.name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__name__": "transformed", **(namespace or {})}
    exec(compile(text, file, "exec"), scope)
    fn = scope[program.name]
    weakref.finalize(fn.__code__, linecache.cache.pop, file, None).atexit = False
    return fn


__all__ = ["load", "source", "statements", "tree", "unparse"]
