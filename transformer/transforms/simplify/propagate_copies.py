"""Read the original instead of a copy of it, as long as both keep their values.

Before:                              After:
    y = x                                y = x
    z = np.sin(y)                        z = np.sin(x)

>>> from .example import example, np, show
>>> from ...frontend.builder import current
>>> def f(x):
...     current().avals["y"] = x.aval
...     current().move("y", x)
...     return np.sin(current().reference("y"))
>>> show(propagate_copies(example(f)))
y = x
sin = np.sin(x)
"""

from ...core import Move, is_name
from .rewriting import Rewriter, Scoped, holds


def propagate_copies(program):
    """The program with reads of `y` after `Move(y, x)` turned into reads of `x`; the Moves are left to `remove_dead`."""
    return Copies(program).run() if holds(program, Move) else program


class Copies(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.copies, self.standing = Scoped(), set()
        self.tables.append(self.copies)

    def atom(self, atom):
        while is_name(atom) and atom in self.copies:
            own, source, version = self.copies[atom]
            if self.version(atom) != own or self.version(source) != version:
                break
            if atom in self.program.counters and is_name(source):
                self.standing.add(source)
            atom = source
        return atom

    def renames(self):
        return bool(self.copies)

    def counters(self):
        return super().counters() | self.standing

    def move(self, stmt):
        self.emit(stmt)
        have, want = self.aval(stmt.source), self.avals[stmt.target]
        if have == want:
            self.copies[stmt.target] = (self.version(stmt.target), stmt.source, self.version(stmt.source))
