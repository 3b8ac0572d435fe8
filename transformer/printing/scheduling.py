"""Compute with an element or a view before the store that would overwrite it, so that it needs no copy and no line of its own.

Before:                              After:
    v = A[1:-1]                          v = A[1:-1]
    A[1:-1] = 0.0                        b = 0.5 * v
    b = 0.5 * v                          A[1:-1] = 0.0
"""

from bisect import bisect_right
from collections import defaultdict

from ..core import Apply, For, If, Move, Program, Update, While, blocks, names_bound, operands, walk
from .nesting import count_reads


def advance_readers(program, groups):
    """The program with the only reader of a view moved in front of the stores that follow the view."""
    if not any(isinstance(s, Update) for s in walk(program.body)):
        return program
    advancing = Advancing(program, groups)
    p = program
    return Program(p.name, p.params, advancing.block(p.body), p.outputs, p.avals, p.hints, p.counters)


class Advancing:
    def __init__(self, program, groups):
        self.groups, self.uses = groups, count_reads(program)
        self.mutable = {s.target for s in walk(program.body) if isinstance(s, Update | Move)}

    def block(self, stmts):
        stmts = [self.inner(s) for s in stmts]
        if not any(isinstance(s, Update) for s in stmts):
            return stmts
        bound, changes = self.events(stmts)
        views = {s.target: k for k, s in enumerate(stmts) if self.is_view(s)}
        moved = defaultdict(list)
        for position, stmt in enumerate(stmts):
            place = self.place(stmt, position, views, bound, changes)
            if place is not None:
                moved[place].append(position)
        gone = {p for places in moved.values() for p in places}
        out = []
        for position, stmt in enumerate(stmts):
            out.extend([] if position in gone else [stmt])
            out.extend(stmts[p] for p in moved.get(position, ()))
        return out

    def inner(self, stmt):
        if isinstance(stmt, If):
            return If(stmt.test, self.block(stmt.body), self.block(stmt.orelse), stmt.origin)
        if isinstance(stmt, For):
            return For(stmt.index, stmt.lo, stmt.hi, stmt.step, self.block(stmt.body), stmt.origin)
        if isinstance(stmt, While):
            return While(self.block(stmt.head), stmt.test, self.block(stmt.body), stmt.counter, stmt.origin)
        return stmt

    def events(self, stmts):
        """Where in the block each name is bound first, and where each name or group changes."""
        bound, changes = {}, defaultdict(list)
        for position, stmt in enumerate(stmts):
            for name in names_bound([stmt]):
                bound.setdefault(name, position)
            changing = [s for s in (walk([stmt]) if blocks(stmt) else [stmt]) if isinstance(s, Update | Move)]
            for change in changing:
                for key in (change.target, ("group", self.groups.get(change.target))):
                    changes[key].append(position)
        return bound, changes

    def is_view(self, stmt):
        once = isinstance(stmt, Apply) and self.uses.get(stmt.target) == 1
        return once and "index" in stmt.params and stmt.target not in self.mutable

    def place(self, stmt, position, views, bound, changes):
        """The position after which a statement may stand, if that is in front of a store to what its view shows; else None."""
        if not isinstance(stmt, Apply) or stmt.target in self.mutable or stmt.op.name in ("tape", "empty"):
            return None
        seen = [views[a] for a in operands(stmt) if a in views]
        if not seen:
            return None
        place = max(bound.get(a, -1) for a in operands(stmt))
        group = ("group", self.groups.get(operands(stmt)[0]))
        first = changes.get(group, ())
        following = bisect_right(first, place)
        if place >= position - 1 or following == len(first) or first[following] >= position:
            return None
        return place if all(self.steady(a, place, position, changes) for a in operands(stmt)) else None

    def steady(self, atom, start, end, changes):
        """Whether a name keeps its value between two positions (what a view shows counts at its own place)."""
        at = changes.get(atom, ())
        following = bisect_right(at, start)
        return following == len(at) or at[following] >= end


__all__ = ["advance_readers"]
