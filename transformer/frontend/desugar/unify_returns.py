"""Every path of a function ends in the one `return` at its end.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(x):
...     if x > 3:
...         return x
...     x = x + 1
...     return 2 * x
... ''', unify_returns))
def f(x):
    if x > 3:
        _result = x
    else:
        x = x + 1
        _result = 2 * x
    return _result
"""

import gast

from ..scopes import shared_names
from ..syntax import assign, at, contains, load, rewrite
from .settle import Exit, settle


def unify_returns(stmts, fresh):
    """Body of a function (and of the functions inside it) with a single Return, its last statement."""

    def inner(stmt):
        if isinstance(stmt, gast.FunctionDef):
            stmt.body = _unify(stmt.body, fresh)
        return [stmt]

    return _unify(rewrite(stmts, inner), fresh)


def _unify(stmts, fresh):
    last = stmts[-1]
    if isinstance(last, gast.Return) and not contains(stmts[:-1], gast.Return):
        last.value = last.value or at(gast.Constant(None, None), last)
        return stmts
    nothing = at(gast.Return(gast.Constant(None, None)), last)
    if not contains(stmts, gast.Return):
        return [*stmts, nothing]
    result = _early_result(stmts) or fresh("_result")
    names = []

    def flag():
        if not names:
            names.append(fresh("_returned"))
        return names[0]

    def replace(stmt):
        if isinstance(stmt.value, gast.Name) and stmt.value.id == result:
            return []
        return [assign(result, stmt.value or gast.Constant(None, None), stmt)]

    shared = frozenset(shared_names(stmts))
    body = settle([*stmts, nothing], Exit((gast.Return,), replace, flag, lambda stmt: shared))
    return [*body, at(gast.Return(load(result)), last)]


def _early_result(stmts):
    """The name in which `remove_loop_returns` left a result, if it did."""
    for node in (node for stmt in stmts for node in gast.walk(stmt)):
        if isinstance(node, gast.Return) and getattr(node, "from_loop", False):
            return node.value.id
    return None
