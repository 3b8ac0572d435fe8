"""Liveness over structured statements: which names are read later on, at every point where something is bound."""

from ..core import Apply, Effect, For, If, Mark, Move, Update, While, is_name, operands


class Liveness:
    """Walks a program backwards. `reads(stmt)` gives the names a statement reads itself (by default `operands`).

    `visit(stmt, live)` is called at every statement that binds or stores, with the set of names live after it; a For comes with
    what is live at the start of its body, and a While with a counter with what is live around it. The set must not be kept.
    """

    def __init__(self, visit=None, reads=operands):
        self.visit, self.reads = visit or (lambda stmt, live: None), reads
        self.memo = {}
        self.silent = 0

    def program(self, program):
        live = set(filter(is_name, program.outputs))
        for atom in program.outputs:
            live.update(self.expand(atom))
        self.block(program.body, live)
        return live

    def expand(self, atom):
        """Names read where an atom is read."""
        return self.reads(Move("", atom)) if is_name(atom) else ()

    def block(self, stmts, live):
        for stmt in reversed(stmts):
            if isinstance(stmt, Apply | Move):
                self.seen(stmt, live)
                live.discard(stmt.target)
                live.update(self.reads(stmt))
            elif isinstance(stmt, Update):
                self.seen(stmt, live)
                live.update(self.reads(stmt))
            elif isinstance(stmt, Effect):
                live.update(self.reads(stmt))
            elif not isinstance(stmt, Mark):
                {If: self.branch, For: self.counted, While: self.looped}[type(stmt)](stmt, live)

    def seen(self, stmt, live):
        if not self.silent:
            self.visit(stmt, live)

    def branch(self, stmt, live):
        other = set(live)
        self.block(stmt.body, live)
        self.block(stmt.orelse, other)
        live |= other
        live.update(self.reads(stmt))

    def exposed(self, stmt):
        """The names that a loop reads from before it, whatever is live after it."""
        if id(stmt) not in self.memo:
            self.silent += 1
            live = set()
            self.block(stmt.body, live)
            if isinstance(stmt, While):
                live.update(self.reads(stmt))
                self.block(stmt.head, live)
                live.discard(stmt.counter)
            else:
                live.discard(stmt.index)
            self.silent -= 1
            self.memo[id(stmt)] = live
        return self.memo[id(stmt)]

    def counted(self, stmt, live):
        inside = live | self.exposed(stmt)
        self.block(stmt.body, inside)
        self.seen(stmt, inside)
        live |= inside - {stmt.index}
        live.update(self.reads(stmt))

    def looped(self, stmt, live):
        around = live | self.exposed(stmt)
        if stmt.counter:
            around.add(stmt.counter)
            self.seen(stmt, around)
        inside = set(around)
        self.block(stmt.body, inside)
        inside |= live
        inside.update(self.reads(stmt))
        self.block(stmt.head, inside)
        live |= inside
        live.discard(stmt.counter)
