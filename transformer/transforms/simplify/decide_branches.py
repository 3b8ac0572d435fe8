"""Put the branch of an `if` with a literal test into the block around it; drop loops that run no round.

Before:                              After:
    if True:                             y = np.sin(x)
        y = np.sin(x)
    else:
        y = x

>>> from .example import example, np, show
>>> from ...frontend.builder import current
>>> def f(x):
...     with current().nested() as body:
...         y = np.sin(x)
...     current().add(If(True, body, []))
...     return y
>>> show(decide_branches(example(f)))
sin = np.sin(x)
"""

from ...core import For, If, Move, is_name, names_bound
from .rewriting import Rewriter, holds


def decide_branches(program):
    """The program without `if`s on literals and loops over empty literal ranges."""
    return Deciding(program).run() if holds(program, If, For) else program


class Deciding(Rewriter):
    def branch(self, stmt):
        if is_name(stmt.test):
            return self.emit(stmt)
        taken, other = (stmt.body, stmt.orelse) if stmt.test else (stmt.orelse, stmt.body)
        rebinds = any(isinstance(s, Move) for s in taken)
        if self.depth and rebinds:
            return self.emit(stmt)
        for inner in taken:
            self.emit(inner)
        return names_bound(other)

    def visit_for(self, stmt):
        literal = not is_name(stmt.lo) and not is_name(stmt.hi)
        if not literal or len(range(int(stmt.lo), int(stmt.hi), stmt.step)):
            super().visit_for(stmt)
