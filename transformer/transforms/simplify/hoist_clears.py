"""Rows that a loop reads and sets to a number one after the other are set behind it, all at one time: the loop leaves the array as it is.

Before:                              After:
    for i in range(10):                  for i in range(10):
        t = y[i]                             t = y[i]
        y[i] = 0.0                       y[:10] = 0.0

So are the cotangents of rows that a loop stores. Compiled programs only, in which the array would be copied in each round.

>>> from ...core import Apply, Aval, Effect
>>> from ...ops.op import TABLE
>>> from ...frontend.builder import Builder
>>> from .example import np, show
>>> builder = Builder("f")
>>> y = builder.parameter("y", Aval((40, 100), np.dtype(float)))
>>> builder.avals.update(i=Aval((), np.dtype(np.int64), True), t=Aval((100,), np.dtype(float)))
>>> index = Hole(0), slice(None)
>>> body = [Apply("t", TABLE["getitem"], ("y", "i"), {"index": index}), Effect("print", ("t",), {"text": "print(_0)"}), Update("y", index, ("i",), 0.0)]
>>> builder.body.append(For("i", 9, -1, -1, body))
>>> show(hoist_clears(builder.program([y])))
for i in range(9, -1, -1):
    t = y[i]
    print(t)
y[:10] = 0.0
"""

import copy

from ...core import For, Hole, If, Update, While, is_name, operands, walk
from ...ops.index_templates import FULL
from .carry_rows import Carrying, Loop, is_plain
from .rewriting import holds


def hoist_clears(program):
    """The program with the numbers that loops of known bounds store into rows stored behind them."""
    if not holds(program, For):
        return program
    hoisting = Hoisting(program)
    body = hoisting.block(program.body)
    if not hoisting.found:
        return program
    hoisting.builder.body = body
    return hoisting.finish(program.outputs)


class Hoisting(Carrying):
    def block(self, stmts):
        return [made for stmt in stmts for made in self.hoisted(self.inner(stmt))]

    def inner(self, stmt):
        """A statement with its blocks rewritten."""
        if isinstance(stmt, If | For | While):
            stmt = copy.copy(stmt)
            stmt.body = self.block(stmt.body)
            if isinstance(stmt, If):
                stmt.orelse = self.block(stmt.orelse)
        return stmt

    def hoisted(self, stmt):
        if not is_plain(stmt):
            return [stmt]
        loop, behind = Loop(self, stmt), []
        for store in [s for s in stmt.body if isinstance(s, Update) and s.target in loop.stored]:
            place = self.place(loop, store)
            if place is not None:
                loop.stmt.body = [s for s in loop.stmt.body if s is not store]
                behind.append(Update(store.target, place, (), store.value, "set", store.origin))
        self.found = self.found or bool(behind)
        return [loop.stmt, *behind]

    def place(self, loop, store):
        """Where a number that a store puts into rows goes behind the loop; None for other stores, and where a round sees other rows."""
        offset = loop.offset(store.target, store.index, store.args)
        if is_name(store.value) or store.mode != "set" or offset is None or any(e != FULL for e in store.index if isinstance(e, slice)):
            return None
        before = True
        for stmt in loop.stmt.body:
            before = before and stmt is not store
            own = before and loop.is_read(stmt, store.target) and repr(stmt.params["index"]) == repr(store.index)
            own = own and loop.offset(store.target, store.index, stmt.args[1:]) == offset
            if not own and stmt is not store and any(store.target in operands(s) for s in walk([stmt])):
                return None
        places, shape = sorted(k + offset for k in loop.rounds), self.builder.avals[store.target].shape
        rows = {n: FULL if len(places) == n else slice(places[0], places[-1] + 1, 1) for n in shape}
        return tuple(rows[n] if isinstance(e, Hole) else e for e, n in zip(store.index, shape, strict=True))
