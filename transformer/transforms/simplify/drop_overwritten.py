"""Drop stores whose elements are all stored again before they are read.

Before:                              After:
    y[i] = a                             y[i] = 2.0 * a
    y[i] = 2.0 * a

>>> from .example import example, show
>>> def store_twice(x):
...     x[1] = 0.5
...     x[1] = 2.0 * x[0]
...     return x
>>> show(drop_overwritten(example(store_twice)))
getitem = x[0]
multiply = 2.0 * getitem
x[1] = multiply
"""

from dataclasses import replace

from ...analysis.places import Places
from ...core import Apply, Update, blocks, operands, targets, walk
from ...ops.index_templates import is_advanced
from ...ops.op import TABLE
from .rewriting import alike, holds

REACH = 60
"""How many statements ahead a second store is looked for."""


def drop_overwritten(program):
    """The program without stores that later ones of the same block make useless."""
    if not holds(program, Update):
        return program
    body = Dropping(program).block(program.body)
    return program if alike(body, program.body) else replace(program, body=body)


class Dropping:
    def __init__(self, program):
        self.program, self.places = program, Places(program)

    def block(self, stmts):
        kept = []
        for k, stmt in enumerate(stmts):
            if isinstance(stmt, Update) and self.is_overwritten(stmt, stmts[k + 1: k + 1 + REACH]):
                continue
            kept.append(self.inner(stmt) if blocks(stmt) else stmt)
        return kept

    def inner(self, stmt):
        fields = [f for f in ("head", "body", "orelse") if hasattr(stmt, f)]
        found = {f: self.block(getattr(stmt, f)) for f in fields}
        return stmt if all(alike(found[f], getattr(stmt, f)) for f in fields) else replace(stmt, **found)

    def is_overwritten(self, store, rest):
        """Whether a statement of `rest` stores into the same elements, and none before it may read them."""
        if is_advanced(store.index, [self.program.aval(a) for a in store.args]):
            return False
        for stmt in rest:
            if isinstance(stmt, Update) and stmt.target == store.target:
                if stmt.mode == "set" and stmt.index == store.index and stmt.args == store.args and store.target not in (*stmt.args, stmt.value):
                    return True
                if not self.places.is_apart(store, stmt.index, stmt.args):
                    return False
            elif isinstance(stmt, Apply) and stmt.op is TABLE["getitem"] and stmt.args[0] == store.target:
                if store.target in stmt.args[1:] or not self.places.is_apart(store, stmt.params["index"], stmt.args[1:]):
                    return False
            elif any(store.target in (*operands(s), *targets(s)) for s in walk([stmt])):
                return False
            if any(n in store.args for s in walk([stmt]) for n in targets(s)):
                return False
        return False
