"""A `return` inside of a loop becomes a `break` that the loops around it pass on.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(xs):
...     for x in xs:
...         if x > 3:
...             return x
...     return 0
... ''', remove_loop_returns))
def f(xs):
    _returned = False
    for x in xs:
        if x > 3:
            _result = x
            _returned = True
            break
    if _returned:
        return _result
    return 0
"""

import gast

from ..syntax import LOOPS, assign, at, blocks, contains, leaves, load


def remove_loop_returns(stmts, fresh):
    """Statement list without Return inside of loops; nested functions too."""
    for stmt in _nested_functions(stmts):
        stmt.body = remove_loop_returns(stmt.body, fresh)
    names = []
    return _outside(stmts, lambda: names or names.extend((fresh("_result"), fresh("_returned"))) or names)


def _nested_functions(stmts):
    for stmt in stmts:
        if isinstance(stmt, gast.FunctionDef):
            yield stmt
        for block in blocks(stmt):
            yield from _nested_functions(block)


def _outside(stmts, names):
    """Statements outside of any loop."""
    result = []
    for stmt in stmts:
        if not isinstance(stmt, LOOPS):
            for block in blocks(stmt):
                block[:] = _outside(block, names)
            result.append(stmt)
            continue
        stmt.orelse = _outside(stmt.orelse, names)
        if contains(stmt.body, gast.Return):
            flagged, returned = names()
            exit_ = at(gast.Return(load(flagged)), stmt)
            exit_.from_loop = True
            result += [assign(returned, False, stmt), *_loop(stmt, names, exit_)]
        else:
            result.append(stmt)
    return result


def _inside(stmts, names):
    """Statements of a loop's body."""
    result = []
    for stmt in stmts:
        if isinstance(stmt, gast.Return):
            value = stmt.value or gast.Constant(None, None)
            value_name, returned = names()
            result += [assign(value_name, value, stmt), assign(returned, True, stmt), at(gast.Break(), stmt)]
        elif isinstance(stmt, LOOPS):
            stmt.orelse = _inside(stmt.orelse, names)
            result += _loop(stmt, names, at(gast.Break(), stmt)) if contains(stmt.body, gast.Return) else [stmt]
        else:
            for block in blocks(stmt):
                block[:] = _inside(block, names)
            result.append(stmt)
    return result


def _loop(loop, names, exit_):
    """The loop and what follows it: `exit_`, without a test where `return` is the only way out of the loop."""
    endless = isinstance(loop, gast.While) and _is_true(loop.test) and not leaves(loop.body, gast.Break)
    loop.body = _inside(loop.body, names)
    return [loop, exit_ if endless else at(gast.If(load(names()[1]), [exit_], []), loop)]


def _is_true(test):
    return isinstance(test, gast.Constant) and bool(test.value)
