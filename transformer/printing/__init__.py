"""Core programs as Python source, and as functions.

    tree(program)      gast.Module: the imports and one function
    source(program)    its text
    load(program)      the function itself, run on NumPy
"""

import itertools
import linecache

import gast
import numpy as np

from . import expressions
from .expressions import Expressions
from .statements import Statements, list_tapes
from .unparse import Comment, unparse

_numbers = itertools.count(1)


def tree(program, name=None, comments=False, header=True):
    """The gast.Module of a program: imports, module-level constants, and one function."""
    printer = Statements(program, Expressions(program, lists=list_tapes(program)), comments)
    body = printer.block(program.body)
    result = [printer.expressions.array(a) if a not in printer.lists else printer.expressions.atom(a) for a in program.outputs]
    if result:
        body = [s for s in body if not isinstance(s, gast.Pass)]
        body.append(gast.Return(result[0] if len(result) == 1 else expressions.tuple_of(result)))
    names = [printer.expressions.names.get(p, p) for p in program.params]
    params = [gast.Name(p, gast.Param(), None, None) for p in names]
    arguments = gast.arguments(params, [], None, [], [], None, [])
    function = gast.FunctionDef(name or program.name, arguments, body, [], None, None, [])
    return gast.Module([*head(program, name, header, names, function), function], [])


def head(program, name, header, names, function):
    """The imports and the comment line with the types of the parameters."""
    used = {n.value.id for n in gast.walk(function) if isinstance(n, gast.Attribute) and isinstance(n.value, gast.Name)}
    imports = [gast.Import([gast.alias(m, None)]) for m in ("cmath", "math") if m in used]
    imports.append(gast.Import([gast.alias("numpy", "np")]))
    types = ", ".join(f"{n}: {program.avals[p]}" for n, p in zip(names, program.params))
    return [*imports, Comment(f"{name or program.name}({types})")] if header else []


def source(program, name=None, comments=False, header=True):
    """The Python source of a program: `import numpy as np` (unless header is false) and one function.

    comments: name the user's file and line above the statements that stem from it.
    """
    return unparse(tree(program, name, comments, header))


def load(program, namespace=None):
    """The program as a Python function on NumPy arrays; one output is returned bare, several as a tuple.

    Its source is known to linecache, so tracebacks, pdb and inspect.getsource work. `namespace` gives further globals.
    """
    text = source(program)
    file = f"<transformer {program.name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": np, "__name__": "transformed", **(namespace or {})}
    exec(compile(text, file, "exec"), scope)
    return scope[program.name]


__all__ = ["load", "source", "tree", "unparse"]
