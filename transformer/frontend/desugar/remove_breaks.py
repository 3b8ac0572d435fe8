"""`break`, `continue` and the `else` of loops become flags and conditions.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(xs):
...     for x in xs:
...         if x < 0:
...             continue
...         if x > 3:
...             break
...         g(x)
...     else:
...         h()
...     while True:
...         if g(0):
...             break
... ''', remove_breaks))
def f(xs):
    _break = False
    for x in xs:
        if not _break:
            if not x < 0:
                if x > 3:
                    _break = True
                else:
                    g(x)
        if _break:
            break
    if not _break:
        h()
    _break_1 = False
    while not _break_1:
        if g(0):
            _break_1 = True

The last `if _break: break` is not in the tree: it prints the attribute `stop` of the For, see the package's docstring.
"""

import gast

from ..scopes import live_after
from ..syntax import LOOPS, assign, at, blocks, both, leaves, load, negate, store
from .settle import Exit, settle


def remove_breaks(stmts, fresh):
    """Statement list without Break, Continue and loops' else."""
    return _block(stmts, fresh, live_after(stmts))


def _block(stmts, fresh, live):
    result = []
    for stmt in stmts:
        if isinstance(stmt, gast.FunctionDef):
            stmt.body = _block(stmt.body, fresh, live_after(stmt))
        next_round = live[id(stmt.body[-1])] if isinstance(stmt, LOOPS) else None
        for block in blocks(stmt):
            block[:] = _block(block, fresh, live)
        result += _loop(stmt, fresh, live, next_round) if isinstance(stmt, LOOPS) else [stmt]
    return result


def _loop(loop, fresh, live, next_round):
    broken = fresh("_break") if leaves(loop.body, gast.Break) else None
    names = []

    def flag():
        if not names:
            names.append(fresh("_continue"))
        return names[0]

    def replace(stmt):
        return [assign(broken, True, stmt)] if isinstance(stmt, gast.Break) else []

    def read(stmt):
        return live[id(loop)] if isinstance(stmt, gast.Break) else next_round

    loop.body = settle(loop.body, Exit((gast.Break, gast.Continue), replace, flag, read, next_round)) or [at(gast.Pass(), loop)]
    after, loop.orelse = loop.orelse, []
    if broken is None:
        return [loop, *after]
    loop.exhausted = next_round
    if isinstance(loop, gast.While):
        loop.test = _while_test(broken, loop.test)
    else:
        _guard(loop, broken, fresh, live)
    if after:
        after = [at(gast.If(negate(load(broken)), after, []), after[0])]
    return [assign(broken, False, loop), loop, *after]


def _while_test(broken, test):
    going = at(negate(load(broken)), test)
    if isinstance(test, gast.Constant) and test.value:
        return going
    return at(both(gast.And(), [going, test]), test)


def _guard(loop, broken, fresh, live):
    """Put the rounds under `if not broken`; a target that is read after the loop must not move on after the break."""
    names = {node.id for node in gast.walk(loop.target) if isinstance(node, gast.Name)}
    if names & live[id(loop)] or not _plain_target(loop.target):
        item = fresh("_item")
        first = at(gast.Assign([loop.target], load(item), None), loop.target)
        loop.target = at(store(item), loop.target)
        loop.body = [first, *loop.body]
    loop.stop, loop.rounds = broken, loop.body
    guard = at(gast.If(negate(load(broken)), loop.rounds, []), loop)
    guard.is_guard = True
    loop.body = [guard]


def _plain_target(target):
    return all(isinstance(node, gast.Name | gast.Tuple | gast.List | gast.Starred | gast.expr_context) for node in gast.walk(target))


