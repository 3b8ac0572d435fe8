"""Liveness over structured statements: which names are read later on, at every point where something is bound.

A set of names is an int here, one bit a name: sets as large as a program are copied at every branch and loop, and compared at
every binding, at the cost of a few words each.
"""

from ..core import Apply, Effect, For, If, Mark, Move, Update, While, is_name, operands


class Liveness:
    """Walks a program backwards. `reads(stmt)` gives the names a statement reads itself (by default `operands`).

    `visit(stmt, live)` is called at every statement that binds or stores, last ones first, with the mask of the names live after it;
    a For comes with what is live at the start of its body, and a While with a counter with what is live around it.
    `positions` maps names to bits; names that are not in it get the bits that follow.
    """

    def __init__(self, visit=None, reads=operands, positions=()):
        self.visit, self.reads = visit or (lambda stmt, live: None), reads
        self.positions = dict(positions)
        self.memo = {}
        self.silent = 0

    def bit(self, name):
        """The mask of one name."""
        return 1 << self.positions.setdefault(name, len(self.positions))

    def mask(self, names):
        found = 0
        for name in names:
            found |= self.bit(name)
        return found

    def program(self, program):
        """The names that are live at the start of a program."""
        live = self.mask(filter(is_name, program.outputs))
        for atom in program.outputs:
            live |= self.mask(self.expand(atom))
        return self.block(program.body, live)

    def expand(self, atom):
        """Names read where an atom is read."""
        return self.reads(Move("", atom)) if is_name(atom) else ()

    def block(self, stmts, live):
        """What is live before statements after which `live` is."""
        for stmt in reversed(stmts):
            if isinstance(stmt, Apply | Move):
                self.seen(stmt, live)
                live = live & ~self.bit(stmt.target) | self.mask(self.reads(stmt))
            elif isinstance(stmt, Update):
                self.seen(stmt, live)
                live |= self.mask(self.reads(stmt))
            elif isinstance(stmt, Effect):
                live |= self.mask(self.reads(stmt))
            elif not isinstance(stmt, Mark):
                live = {If: self.branch, For: self.counted, While: self.looped}[type(stmt)](stmt, live)
        return live

    def seen(self, stmt, live):
        if not self.silent:
            self.visit(stmt, live)

    def branch(self, stmt, live):
        other = self.block(stmt.orelse, live)
        return self.block(stmt.body, live) | other | self.mask(self.reads(stmt))

    def exposed(self, stmt):
        """The names that a loop reads from before it, whatever is live after it."""
        if id(stmt) not in self.memo:
            self.silent += 1
            live = self.block(stmt.body, 0)
            if isinstance(stmt, While):
                live = self.block(stmt.head, live | self.mask(self.reads(stmt)))
            self.silent -= 1
            index = stmt.index if isinstance(stmt, For) else stmt.counter
            self.memo[id(stmt)] = live & ~self.bit(index) if index else live
        return self.memo[id(stmt)]

    def counted(self, stmt, live):
        around = live | self.exposed(stmt)
        inside = self.block(stmt.body, around)
        self.seen(stmt, inside)
        return live | inside & ~self.bit(stmt.index) | self.mask(self.reads(stmt))

    def looped(self, stmt, live):
        around = live | self.exposed(stmt)
        if stmt.counter:
            around |= self.bit(stmt.counter)
            self.seen(stmt, around)
        inside = self.block(stmt.body, around) | live | self.mask(self.reads(stmt))
        live |= self.block(stmt.head, inside)
        return live & ~self.bit(stmt.counter) if stmt.counter else live


def members(mask):
    """The positions of the bits of a mask, in order."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


__all__ = ["Liveness", "members"]
