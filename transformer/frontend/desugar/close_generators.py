"""Each `yield` gives the flag that its consumer wants no more; then the generator returns.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(x, xs):
...     yield x
...     yield from xs
... ''', close_generators))
def f(x, xs):
    _closed = (yield x)
    if _closed:
        return
    for _item in xs:
        _closed = (yield _item)
        if _closed:
            return

Run by Python the flag is None: nothing is sent. The value of `yield from` cannot be the flag as well; there the evaluator binds the flag
itself, whose name is the attribute `closed` of the node.
"""

import functools

import gast

from ..syntax import assign, at, load, rewrite, store


def close_generators(stmts, fresh):
    """Statement list in which a generator returns when its consumer stops."""
    name = functools.cache(fresh)
    return rewrite(stmts, lambda stmt: _close(stmt, name))


def _close(stmt, name):
    value = getattr(stmt, "value", None)
    if isinstance(value, gast.YieldFrom) and isinstance(stmt, gast.Return):
        first = assign(name("_value"), value, stmt)
        return [*_close(first, name), at(gast.Return(load(name("_value"))), stmt)]
    if isinstance(value, gast.YieldFrom) and isinstance(stmt, gast.Assign):
        value.closed = name("_closed")
        return [assign(value.closed, False, stmt), stmt, _leave(stmt, name)]
    if isinstance(value, gast.YieldFrom):
        body = _yield(gast.Yield(load(name("_item"))), stmt, name)
        return [at(gast.For(store(name("_item")), value.value, body, [], None), stmt)]
    return _yield(value, stmt, name) if isinstance(value, gast.Yield) else [stmt]


def _yield(value, place, name):
    return [assign(name("_closed"), value, place), _leave(place, name)]


def _leave(place, name):
    return at(gast.If(load(name("_closed")), [gast.Return(None)], []), place)
