"""`assert` becomes `if not ...: raise`; the message is built only when it fails.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(x):
...     assert x > 0, f"bad {x}"
...     assert x
... ''', expand_asserts))
def f(x):
    if not x > 0:
        raise AssertionError(f'bad {x}')
    if not x:
        raise AssertionError
"""

import gast

from ..syntax import at, call, load, negate, rewrite


def expand_asserts(stmts, fresh):
    """Statement list without Assert."""
    return rewrite(stmts, _expand)


def _expand(stmt):
    if not isinstance(stmt, gast.Assert):
        return [stmt]
    error = call("AssertionError", stmt.msg) if stmt.msg else load("AssertionError")
    return [at(gast.If(negate(stmt.test), [gast.Raise(error, None)], []), stmt)]
