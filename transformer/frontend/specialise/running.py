"""What a loop leaves, where values are at hand: the loop stays a loop of the program, and later conditions on its results are decided.

The statements of the program so far are run, each once, when the value of something that a loop has left is first asked for. Every value
is copied, nothing aliases.
"""

import numpy as np

from ...core import Apply, For, If, Mark, Move, Update, While, is_name
from ...ops import index_templates


class GivesUp(Exception):
    """A statement that cannot be run here: what follows it is not known."""


class Running:
    """The values of the names of a program in value mode. left: (a position in the program, the storages that a loop has left there)."""

    def __init__(self, builder):
        self.builder, self.block = builder, builder.stack[0]
        self.values = {}
        self.own, self.position, self.left = set(), 0, []

    def leave(self, storages):
        """Note what a loop, which stands last in the program, leaves: its value becomes known when it is asked for."""
        self.left.append((len(self.block), storages))
        for storage in storages:
            storage.pending = self.run

    def run(self):
        """Run all statements up to the last loop; what loops have left is known then, but for what has changed since."""
        for position, storages in self.left:
            found = self.reach(position)
            for storage in storages:
                if storage.pending is not None:
                    storage.pending, storage.varies = None, True
                    storage.known = np.array(self.values[storage.name]) if found else None
        self.left = []

    def reach(self, position):
        """Whether the statements up to `position` could be run."""
        statements, self.position = self.block[self.position:position], max(position, self.position)
        if self.values is None:
            return False
        try:
            with np.errstate(all="ignore"):
                self.statements(statements)
        except (GivesUp, ArithmeticError, ValueError, IndexError):  # the program raises it when it runs
            self.values = None
        return self.values is not None

    # statements ---------------------------------------------------------------------
    def value(self, atom):
        if not is_name(atom):
            return atom
        if atom not in self.values:
            self.values[atom] = self.given(atom)
        return self.values[atom]

    def given(self, name):
        """The value of a parameter in front of the program."""
        storage = next((s for s in self.builder.parameters if s.name == name), None)
        if storage is None or storage.argument is None:
            raise GivesUp
        kind, _, value = storage.argument
        found = value if kind == "leaf" else storage.known if kind == "hidden" else None
        if found is None:
            raise GivesUp
        return np.asarray(found)

    def statements(self, stmts):
        for stmt in stmts:
            RUN[type(stmt)](self, stmt) if type(stmt) in RUN else self.other(stmt)

    def other(self, stmt):
        if not isinstance(stmt, Mark) and stmt.kind != "print":
            raise GivesUp

    def apply(self, stmt):
        if stmt.op.collective or stmt.op.runs:
            raise GivesUp
        args = [self.value(a) for a in stmt.args]
        found = np.asarray(stmt.op.impl(*args, **stmt.params), self.builder.avals[stmt.target].dtype)
        shared = found.base is not None or any(found is a for a in args)
        self.bind(stmt.target, found.copy() if shared else found)

    def move(self, stmt):
        self.own.discard(stmt.source)
        self.bind(stmt.target, np.asarray(self.value(stmt.source), self.builder.avals[stmt.target].dtype))

    def bind(self, name, value):
        self.values[name] = value
        self.own.discard(name)

    def update(self, stmt):
        array, name = self.value(stmt.target), stmt.target
        if name not in self.own:
            array = self.values[name] = array.copy()
            self.own.add(name)
        index, value = index_templates.fill(stmt.index, [self.value(a) for a in stmt.args]), self.value(stmt.value)
        if stmt.mode == "add":
            np.add.at(array, index, value)
        else:
            array[index] = value

    def if_(self, stmt):
        self.statements(stmt.body if self.value(stmt.test) else stmt.orelse)

    def for_(self, stmt):
        for k in range(int(self.value(stmt.lo)), int(self.value(stmt.hi)), stmt.step):
            self.bind(stmt.index, np.asarray(k))
            self.statements(stmt.body)

    def while_(self, stmt):
        rounds = 0
        while True:
            if stmt.counter is not None:
                self.bind(stmt.counter, np.asarray(rounds))
            self.statements(stmt.head)
            if not self.value(stmt.test):
                return
            self.statements(stmt.body)
            rounds += 1


RUN = {Apply: Running.apply, Move: Running.move, Update: Running.update, If: Running.if_, For: Running.for_, While: Running.while_}
