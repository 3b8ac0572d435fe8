"""A row that only the next round reads is handed on under a name of its own, not stored: XLA copies an array that a round reads at one
place and stores into at another. The cotangents of a recurrence are such rows.

Before:                                  After:
    for i in range(39, 0, -1):               row = y[39]
        t = y[i]                             for i in range(39, 0, -1):
        v = t * a                                v = row * a
        y[i - 1] += v                            row = y[i - 1] + v
    z = y[0]                                 z = row

The gradient of a vertical advection in 60x60x40 points: 90 -> 57 ms. Values are the same; compiled programs only, as NumPy's rows are views.

>>> from ...core import Aval
>>> from ...frontend.builder import Builder
>>> from .example import np, show
>>> builder = Builder("f")
>>> y = builder.parameter("y", Aval((40, 100), np.dtype(float)))
>>> with builder:
...     body = [Apply("t", TABLE["getitem"], ("y", "i"), {"index": (Hole(0), slice(None))}), Apply("v", TABLE["multiply"], ("t", "t"), {}),
...             Apply("j", TABLE["subtract"], ("i", 1), {}), Update("y", (Hole(0), slice(None)), ("j",), "v", "add")]
>>> for name in "ij":
...     builder.avals[name] = Aval((), np.dtype(np.int64), True)
>>> for name in "tv":
...     builder.avals[name] = Aval((100,), np.dtype(float))
>>> builder.body.append(For("i", 39, 0, -1, body))
>>> with builder:
...     z = np.sin(y[0])
>>> show(carry_rows(builder.program([z])))
getitem_1 = y[-1]
row = getitem_1
for i in range(39, 0, -1):
    v = row * row
    j = i - 1
    getitem_2 = y[j]
    add = getitem_2 + v
    row = add
sin = np.sin(row)
"""

import copy
from collections import Counter

from ...analysis.liveness import prune
from ...core import Apply, Aval, For, Hole, Move, Program, Update, is_name, operands, targets, walk
from ...ops.index_templates import result_shape
from ...ops.op import TABLE
from ..emission import Emitter
from .rewriting import Rewriter, holds

LENGTH = 64
"""Rows of fewer elements are read from memory as before."""


def carry_rows(program):
    """The program in which loops of known bounds hand on the rows that are read in the next round, and in no other place."""
    if not holds(program, For):
        return program
    carrying = Carrying(program)
    with carrying.builder:
        body = carrying.top(program.body)
    if not carrying.found:
        return program
    carrying.builder.body = body
    return prune(carrying.finish(carrying.outputs))


class Carrying(Emitter):
    """One run over a program. `found`: whether anything was changed."""

    def __init__(self, program):
        super().__init__(program, program.name)
        self.found, self.outputs = False, program.outputs
        self.rebound = {s.target for s in walk(program.body) if isinstance(s, Move | Update)}
        self.reads = Counter(n for s in walk(program.body) for n in operands(s)) + Counter(filter(is_name, program.outputs))

    def top(self, stmts):
        out, rest = [], stmts[::-1]
        while rest:
            stmt = rest.pop()
            loop = Loop(self, stmt) if is_plain(stmt) else None
            for name in loop.stored if loop else ():
                rest = loop.carry(name, rest[::-1])[::-1]
            out.extend([*loop.before, loop.stmt] if loop else [stmt])
        return out

    def renamed(self, stmts, name, other):
        """Statements that read `other` in place of `name`."""
        rewriter = Rewriter(Program("part", [], stmts, [], self.builder.avals, self.builder.hints, set()))
        rewriter.replaced = {name: other}
        return rewriter.run().body


def is_plain(stmt):
    """Whether a statement is a loop of some known rounds, one step at a time."""
    known = isinstance(stmt, For) and not is_name(stmt.lo) and not is_name(stmt.hi) and abs(stmt.step) == 1
    return known and len(range(stmt.lo, stmt.hi, stmt.step)) > 1


class Loop:
    """A loop while its rows are carried: `before` it, `stmt`. `stored`: the arrays from outside that a round stores into once."""

    def __init__(self, emitter, stmt):
        self.emitter, self.builder, self.stmt = emitter, emitter.builder, copy.copy(stmt)
        self.before, self.rounds = [], range(stmt.lo, stmt.hi, stmt.step)
        self.made = {s.target: s for s in stmt.body if isinstance(s, Apply)}
        inside = Counter(n for s in walk(stmt.body) for n in targets(s))
        self.stored = [s.target for s in stmt.body if isinstance(s, Update) and inside[s.target] == 1]

    def carry(self, name, rest):
        """Carry the rows of an array; the statements behind the loop, which may read the last row."""
        store = next(s for s in self.stmt.body if isinstance(s, Update) and s.target == name)
        offset, row = self.offset(name, store.index, store.args), self.row(name, store)
        if offset is None or row is None or is_name(store.value) and store.value in self.emitter.rebound:
            return rest
        reads = {id(s): self.offset(name, s.params["index"], s.args[1:]) for s in self.stmt.body if self.is_read(s, name)
                 if repr(s.params["index"]) == repr(store.index)}
        handed = [s for s in self.stmt.body if reads.get(id(s)) == offset - self.stmt.step and self.is_private(s.target)]
        if not handed:
            return rest
        carried, outputs = self.builder.fresh("row", row), self.emitter.outputs
        following = self.with_last(rest, store, self.rounds[-1] + offset, carried)
        if not self.is_idle(store, offset, handed, following):
            self.emitter.outputs = outputs
            return rest
        self.emitter.found = True
        with self.builder.nested(self.before):
            first = self.at(store, self.rounds[0] + offset - self.stmt.step)
            self.builder.add(Move(carried, self.emitter.atom(first)))
        self.body(store, carried, handed)
        return following

    def row(self, name, store):
        """The aval of what is stored if it is a row that is large enough, else None."""
        aval, value = self.builder.avals[name], self.builder.aval(store.value)
        if None in aval.shape:
            return None
        shape = result_shape(store.index, aval.shape, [self.builder.aval(a) for a in store.args])
        return value if value == Aval(shape, aval.dtype) and value.size >= LENGTH else None

    def offset(self, name, index, args):
        """By how much the one number of an index, which may be in range in all rounds only, is larger than the loop's; None for others."""
        holes = [k for k, e in enumerate(index) if isinstance(e, Hole)]
        if len(args) != 1 or len(holes) != 1 or not all(isinstance(e, Hole | int | slice) for e in index):
            return None
        found = self.shift(args[0])
        size = self.builder.avals[name].shape[holes[0]]
        ends = [r + found for r in (self.rounds[0], self.rounds[-1])] if found is not None else [-1]
        return found if size is not None and all(0 <= e < size for e in ends) else None

    def shift(self, atom):
        if atom == self.stmt.index:
            return 0
        made = self.made.get(atom) if is_name(atom) else None
        sign = {TABLE["add"]: 1, TABLE["subtract"]: -1}.get(made.op) if made else None
        return sign * made.args[1] if sign and made.args[0] == self.stmt.index and isinstance(made.args[1], int) else None

    def is_read(self, stmt, name):
        return isinstance(stmt, Apply) and stmt.op is TABLE["getitem"] and stmt.args[0] == name and name not in stmt.args[1:]

    def is_private(self, name):
        """Whether a name is read in the loop only."""
        inside = sum(operands(s).count(name) for s in walk(self.stmt.body))
        return self.emitter.reads[name] == inside and name not in self.emitter.rebound

    def at(self, store, place):
        """The row of the array at a number, as a reference."""
        index = tuple(place if isinstance(e, Hole) else e for e in store.index)
        return self.builder.emit(TABLE["getitem"], [self.emitter.ref(store.target)], {"index": index})

    def body(self, store, carried, handed):
        """The rounds: the carried row is read, and what was stored is the next one."""
        out, value = [], store.value
        for stmt in self.stmt.body:
            if stmt is store and stmt.mode == "add":
                with self.builder.nested(out):
                    old = self.builder.emit(TABLE["getitem"], [self.emitter.ref(a) for a in (stmt.target, *stmt.args)], {"index": stmt.index})
                    value = self.emitter.atom(self.builder.emit(TABLE["add"], [old, self.emitter.ref(stmt.value)], {}))
            elif stmt is not store and not any(stmt is s for s in handed):
                out.append(stmt)
        out.append(Move(carried, value))
        for stmt in handed:
            out = self.emitter.renamed(out, stmt.target, carried)
        self.stmt.body = out

    def with_last(self, rest, store, place, carried):
        """The statements behind the loop, which read the last row under its name."""
        index = repr(tuple(place if isinstance(e, Hole) else e for e in store.index))
        for position, stmt in enumerate(rest):
            if self.is_read(stmt, store.target) and repr(stmt.params["index"]) == index and stmt.target not in self.emitter.rebound:
                self.emitter.outputs = [carried if a == stmt.target else a for a in self.emitter.outputs]
                following = self.emitter.renamed(rest[position + 1:], stmt.target, carried)
                return rest[:position] + self.with_last(following, store, place, carried)
            if any(store.target in targets(s) for s in walk([stmt])):
                break
        return rest

    def is_idle(self, store, offset, handed, rest):
        """Whether nothing reads what the loop stores into an array, but the rounds that are handed it."""
        name, before = store.target, True
        if name in self.emitter.outputs or any(name in operands(s) for s in walk(rest)):
            return False
        if any(isinstance(s, Move) and name in operands(s) for s in walk(self.emitter.source.body)):
            return False
        for stmt in self.stmt.body:
            before = before and stmt is not store
            own = before and self.is_read(stmt, name) and self.offset(name, stmt.params["index"], stmt.args[1:]) == offset
            if not own and not any(stmt is s for s in (store, *handed)) and any(name in operands(s) for s in walk([stmt])):
                return False
        return name not in (*store.args, store.value)
