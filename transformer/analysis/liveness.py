"""Removing statements whose results nothing reads.

    t = np.empty((n, 3))                    y = np.sin(x)
    for i in range(n):                      return y
        t[i] = x
    y = np.sin(x)
    return y

Liveness is followed backwards through branches and around loops, so that a store into an array that is not read afterwards
goes, although the array is read before. Effects stay.
"""

import copy

from ..core import Effect, Mark, Program, is_name, names_read, operands


def prune(program):
    """The program without the statements that do not contribute to its outputs or effects."""
    live = set(filter(is_name, program.outputs))
    body = _Pruner().block(program.body, live, True)
    return Program(program.name, program.params, body, program.outputs, program.avals, program.hints, program.counters)


def live_in(stmts, live_after):
    """The names that `stmts` need from before, where `live_after` are read afterwards."""
    live = set(live_after)
    _Pruner().block(stmts, live, False)
    return live


class _Pruner:
    """`block` changes `live` from the names live after a block to those live before it.

    With `build` it returns the statements to keep, else a list that is empty if there are none. Loops are iterated until the
    names live at their start settle; `heads` keeps those, so that inner loops settle fast when an outer one goes round again.
    """

    def __init__(self):
        self.heads = {}

    def block(self, stmts, live, build):
        kept = []
        for stmt in reversed(stmts):
            found = getattr(self, type(stmt).__name__.lower() + "_")(stmt, live, build)
            if found is not None:
                kept.append(found)
        return kept[::-1]

    def apply_(self, stmt, live, build):
        if stmt.target not in live:
            return None
        live.discard(stmt.target)
        live.update(operands(stmt))
        return stmt

    move_ = apply_

    def update_(self, stmt, live, build):
        if stmt.target not in live:
            return None
        live.update(operands(stmt))
        return stmt

    def effect_(self, stmt, live, build):
        live.update(operands(stmt))
        return stmt

    def mark_(self, stmt, live, build):
        return stmt

    def if_(self, stmt, live, build):
        other = set(live)
        body, orelse = self.block(stmt.body, live, build), self.block(stmt.orelse, other, build)
        live |= other
        if not has_work(body) and not has_work(orelse):
            return None
        live.update(operands(stmt))
        return changed(stmt, body=body, orelse=orelse) if build else stmt

    def for_(self, stmt, live, build):
        head = self.heads.setdefault(id(stmt), set())
        while True:
            before = live | head
            body = self.block(stmt.body, before, False)
            before.discard(stmt.index)
            if before <= head | live:
                break
            head |= before
        body = self.block(stmt.body, live | head, True) if build else body
        if not has_work(body):
            return None
        live |= head
        live |= before
        live.update(operands(stmt))
        return changed(stmt, body=body) if build else stmt

    def while_(self, stmt, live, build):
        head = self.heads.setdefault(id(stmt), set())
        while True:
            before = live | head
            body = self.block(stmt.body, before, False)
            before |= live
            before.update(operands(stmt))
            first = self.block(stmt.head, before, False)
            before.discard(stmt.counter)
            if before <= head:
                break
            head |= before
        effects = any(isinstance(s, Effect) for s in first)
        if not has_work(body) and not effects and stmt.counter not in live:
            return None
        if build:
            stmt = self.rebuilt(stmt, live, head)
        live.discard(stmt.counter)
        live |= head
        return stmt

    def rebuilt(self, stmt, live, head):
        """A While without dead statements; its counter goes where nothing reads it."""
        at_test = live | head
        body = self.block(stmt.body, at_test, True)
        at_test |= live
        at_test.update(operands(stmt))
        first = self.block(stmt.head, at_test, True)
        counts = stmt.counter in live or stmt.counter in names_read(first + body)
        return changed(stmt, head=first, body=body, counter=stmt.counter if counts else None)


def has_work(stmts):
    return any(not isinstance(s, Mark) for s in stmts)


def changed(stmt, **fields):
    stmt = copy.copy(stmt)
    for field, value in fields.items():
        setattr(stmt, field, value)
    return stmt


__all__ = ["live_in", "prune"]
