"""Drop docstrings, annotations and needless `pass`.

>>> from transformer.frontend.desugar import before_and_after
>>> print(before_and_after('''
... def f(x: int) -> float:
...     "Doc."
...     y: float = x
...     z: int
...     pass
...     return y
... ''', drop_annotations))
def f(x: int) -> float:
    y = x
    return y

(The annotations of the function's own parameters are dropped by `parse`.)
"""

import gast

from ..parse import drop_parameter_annotations
from ..syntax import at, rewrite


def drop_annotations(stmts, fresh):
    """Statement list without expression statements that are constants, bare annotations and `pass` beside other statements."""
    return _filled(rewrite(stmts, _plain))


def _plain(stmt):
    if isinstance(stmt, gast.AnnAssign):
        if stmt.value is None:
            return []
        return [gast.copy_location(gast.Assign([stmt.target], stmt.value, None), stmt)]
    if isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant):
        return []
    if isinstance(stmt, gast.Pass):
        return []
    if isinstance(stmt, gast.FunctionDef):
        stmt.returns = None
        drop_parameter_annotations(stmt)
    for block in _required(stmt):
        block[:] = block or [at(gast.Pass(), stmt)]
    return [stmt]


def _required(stmt):
    """Blocks that may not be empty."""
    if isinstance(stmt, gast.Match):
        return [case.body for case in stmt.cases]
    if isinstance(stmt, gast.Try):
        return [stmt.body, *([handler.body for handler in stmt.handlers] or [stmt.finalbody])]
    body = getattr(stmt, "body", None)
    return [body] if isinstance(body, list) else []


def _filled(stmts):
    return stmts or [gast.Pass(lineno=1, col_offset=0)]
