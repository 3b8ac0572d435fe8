"""Whether two indices name different elements of an array for sure: `y[i]` and `y[i - 1]`."""

from ..core import Apply, Hole, Move, is_name, walk
from ..ops.op import TABLE


class Places:
    """The indices of a program, compared where their numbers are the same name plus different numbers."""

    def __init__(self, program):
        self.program = program
        self.made = {s.target: s for s in walk(program.body) if isinstance(s, Apply)}
        self.rebound = {s.target for s in walk(program.body) if isinstance(s, Move)}

    def is_apart(self, store, index, args):
        """Whether an index certainly names other elements than a store: a number on some axis differs, and not by the axis' size."""
        sizes = self.program.avals[store.target].shape
        if len(index) != len(store.index) or len(index) != len(sizes) or None in sizes:
            return False
        for one, two, size in zip(store.index, index, sizes):
            first, second = self.place(one, store.args), self.place(two, args)
            if first and second and first[0] == second[0] and (first[1] - second[1]) % size:
                return True
        return False

    def place(self, entry, args):
        """(name, number) of an entry that is the sum of the two, the name bound once; None for what is not known."""
        atom = args[entry.position] if isinstance(entry, Hole) else entry
        if isinstance(atom, int):
            return None, atom
        if not isinstance(entry, Hole) or self.program.aval(atom).shape != ():
            return None
        made = self.made.get(atom)
        sign = {TABLE["add"]: 1, TABLE["subtract"]: -1}.get(made.op) if made else None
        if sign and is_name(made.args[0]) and made.args[0] not in self.rebound and isinstance(made.args[1], int):
            return made.args[0], sign * made.args[1]
        return atom, 0
