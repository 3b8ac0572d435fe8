"""Which temporaries stand inside the expression that uses them, as in the source that a person writes.

A value moves to its only reader if the line stays short and nothing that it reads is rebound or stored into in between, nor any
array that may share memory with it (`groups`). It never moves into a loop or a branch.
"""

from collections import Counter
from typing import NamedTuple

from ..core import Apply, Derived, Effect, For, If, Mark, Move, Update, While, blocks, is_name, names_rebound, operands, walk
from ..naming import base_of, is_temporary
from ..ops.barriers import text_same
from ..ops.index_templates import Window
from .literals import is_spelled_out

WIDTH = 88
MOST = 8
"""So many operations stand in a line at most."""


def count_reads(program):
    """How many times each name is read."""
    uses = Counter(name for stmt in walk(program.body) for name in operands(stmt))
    uses.update(filter(is_name, program.outputs))
    return uses


def indices(stmt):
    """The operands of a statement that stand in an index."""
    if isinstance(stmt, Update):
        return stmt.args
    return stmt.args[1:] if isinstance(stmt, Apply) and "index" in stmt.params else ()


def twice_printed(stmt):
    """The operands that a window i:i + n prints twice."""
    template = stmt.index if isinstance(stmt, Update) else stmt.params.get("index", ()) if isinstance(stmt, Apply) else ()
    return [indices(stmt)[e.position] for e in template if isinstance(e, Window)]


class Candidate(NamedTuple):
    """A value that may move: what it reads (name -> since when), its width in characters, its number of operations."""

    stmt: Apply
    leaves: dict
    width: int
    operations: int


class Nesting:
    """After `run`, `nested` maps the names that stand inside other expressions to their statements."""

    def __init__(self, program, groups):
        self.program, self.groups = program, groups
        self.nested = {}
        self.uses = count_reads(program)
        self.mutable = {s.target for s in walk(program.body) if isinstance(s, Update | Move)}
        self.clock = 0
        self.changed = {}
        self.lengths = {n: len(base_of(n, program)) for n in program.avals}

    def everywhere(self):
        """Values that are as short as a name wherever they are read: i - 1, large constants (see `Expressions.constant`)."""
        for stmt in [s for s in walk(self.program.body) if isinstance(s, Apply)][::-1]:
            if stmt.target not in self.mutable and self.is_alias(stmt):
                self.nested[stmt.target] = stmt
                self.lengths[stmt.target] = self.lengths[stmt.args[0]]
                self.uses[stmt.args[0]] += self.uses[stmt.target] - 1
        windows = {a for s in walk(self.program.body) for a in twice_printed(s)}
        for stmt in walk(self.program.body):
            if isinstance(stmt, Apply) and stmt.target not in self.mutable and stmt.target not in windows:
                if self.is_offset(stmt) or (stmt.op.name == "constant" and not is_spelled_out(stmt.params["value"])):
                    self.nested[stmt.target] = stmt
                    self.lengths[stmt.target] = 10

    def is_alias(self, stmt):
        """Another name of a value, which keeps both."""
        return stmt.op.notation is text_same and is_name(stmt.args[0]) and stmt.args[0] not in self.mutable

    def is_offset(self, stmt):
        """i + 1 or n - i of names that keep their value."""
        aval = self.program.avals[stmt.target]
        short = stmt.op.symbol in ("+", "-") and len(stmt.args) == 2 and aval.weak and aval.dtype.kind == "i"
        names = [a for a in stmt.args if is_name(a)]
        return short and len(names) == 1 and not set(names) & (self.mutable | self.nested.keys()) and self.is_index(stmt.target)

    def is_index(self, name):
        """Whether a name is read in indices and bounds only."""
        return name in self.program.avals and self.elsewhere.get(name, 0) == 0

    def run(self):
        self.elsewhere = Counter(a for s in walk(self.program.body) for a in operands(s) if not isinstance(s, For) and a not in indices(s))
        self.elsewhere.update(filter(is_name, self.program.outputs))
        self.everywhere()
        self.block(self.program.body, 4, self.program.outputs)
        return self.nested

    def reads(self, stmt):
        """The names that a statement reads where it is printed, those inside nested expressions too."""
        found, work = [], operands(stmt)
        while work:
            name = work.pop()
            inner = self.nested.get(name)
            if inner is None:
                found.append(name)
            else:
                work.extend(operands(inner))
        return found

    # walking ----------------------------------------------------------------------
    def block(self, stmts, indent, results=()):
        """Decide for one block; `results` are atoms read at its end."""
        pending = {}
        for stmt in stmts:
            self.clock += 1
            if isinstance(stmt, Mark):
                continue
            if isinstance(stmt, While):
                self.block(stmt.head, indent + 4, (stmt.test,))
                self.block(stmt.body, indent + 4)
            else:
                self.consume(stmt, pending, indent)
                for inner in blocks(stmt):
                    self.block(inner, indent + 4)
            self.clock += 1
            self.modify(stmt)
        if results:
            self.clock += 1
            room = WIDTH - indent - 7
            used, _ = self.take([a for a in results if is_name(a)], pending, room, MOST, "return" if len(results) == 1 else None)
            self.nested.update(used)

    def modify(self, stmt):
        """Note which names, and which groups of arrays that may share memory, a statement changes."""
        if isinstance(stmt, Move | Update):
            names = [stmt.target]
        else:
            names = names_rebound(stmt) if blocks(stmt) else ()
        stored = [stmt.target] if isinstance(stmt, Update) else [
            s.target for b in blocks(stmt) for s in walk(b) if isinstance(s, Update)]
        for name in names:
            self.changed[name] = self.clock
        for name in stored:
            if name in self.groups:
                self.changed["group", self.groups[name]] = self.clock

    def valid(self, candidate):
        """Whether what a candidate reads is still as it was."""
        for leaf, since in candidate.leaves.items():
            if self.changed.get(leaf, 0) > since or self.changed.get(("group", self.groups.get(leaf)), 0) > since:
                return False
        return True

    def consume(self, stmt, pending, indent):
        atoms, room = self.places(stmt), self.room(stmt, indent)
        own = self.own_width(stmt)
        inside, total = self.take(atoms, pending, room - own, MOST - 1, stmt)
        self.nested.update(inside)
        if isinstance(stmt, Apply) and self.may_move(stmt):
            leaves = {a: self.clock for a in operands(stmt) if a not in inside}
            for name in inside:
                for leaf, since in pending[name].leaves.items():
                    leaves[leaf] = min(since, leaves.get(leaf, since))
            count = sum(pending[n].operations for n in inside) + (stmt.op.name != "getitem")
            pending[stmt.target] = Candidate(stmt, leaves, own + total, count)

    def may_move(self, stmt):
        simple = stmt.op.name not in ("tape", "empty") and stmt.target not in self.mutable
        return simple and self.uses.get(stmt.target) == 1

    def moves_on(self, name, stmt, reader):
        """Whether a value is without a name of its own, or its name is no news: a tape's entry that is stored, a cotangent returned."""
        base = self.base(name)
        if is_temporary(base) or (stmt.op.name == "constant" and base == "c"):
            return True
        if isinstance(reader, Move) and self.base(reader.target) == base:
            return True
        if isinstance(reader, Update) and "index" in stmt.params:
            return self.base(stmt.args[0]).endswith("_tape")
        return reader == "return" and isinstance(self.program.hints.get(name), Derived)

    def continued(self, stmt):
        """The named value that a sum goes on with, under the same name: x_bar = x_bar + a, x_bar = x_bar + b."""
        goes_on = isinstance(stmt, Apply) and stmt.op.symbol in ("+", "-") and len(stmt.args) == 2 and is_name(stmt.args[0])
        return stmt.args[0] if goes_on and self.base(stmt.args[0]) == self.base(stmt.target) else None

    def base(self, name):
        return base_of(name, self.program)

    def places(self, stmt):
        """The operands of a statement that an expression may replace: not those that are printed twice, or stored into."""
        if isinstance(stmt, Update):
            twice = {e.position for e in stmt.index if isinstance(e, Window)}
            return [*(a for k, a in enumerate(stmt.args) if k not in twice), stmt.value]
        if isinstance(stmt, Apply):
            twice = {e.position + 1 for e in stmt.params.get("index", ()) if isinstance(e, Window)}
            notation = stmt.op.notation(*map(self.program.aval, stmt.args), **stmt.params) if stmt.op.notation else ""
            return [a for k, a in enumerate(stmt.args) if k not in twice and (notation or "").count(f"{{{k}}}") < 2]
        return operands(stmt)

    def take(self, atoms, pending, room, most, reader=None):
        """The pending values among `atoms` that fit into `room` characters; their statements, and the width of all atoms.

        Values with a name of their own keep their line as a rule, see `moves_on`.
        """
        continued = self.continued(reader)
        names = [a for a in atoms if is_name(a)]
        total, taken, count = sum(self.lengths.get(a, 8) for a in names), {}, 0
        for name in names:
            found = pending.get(name)
            if found is None or name in self.nested or not self.valid(found) or not (name == continued or self.moves_on(name, found.stmt, reader)):
                continue
            width = total - self.lengths.get(name, 8) + found.width + 2
            if width <= room and count + found.operations <= most:
                total, count = width, count + found.operations
                taken[name] = found.stmt
        return taken, total

    # widths -----------------------------------------------------------------------------
    def room(self, stmt, indent):
        """Characters left for the right-hand side."""
        if isinstance(stmt, Apply | Move):
            return WIDTH - indent - 3 - self.lengths.get(stmt.target, 8)
        return WIDTH - indent

    def own_width(self, stmt):
        """Characters of a statement's right-hand side without its names."""
        if isinstance(stmt, Update):
            return self.lengths.get(stmt.target, 8) + 5 + 4 * len(stmt.index)
        if isinstance(stmt, If | For | Effect):
            return {If: 4, For: 18, Effect: 12}[type(stmt)]
        if not isinstance(stmt, Apply):
            return 0
        literals = sum(len(repr(a)) for a in stmt.args if not is_name(a))
        if stmt.op.symbol:
            return literals + 3
        if "index" in stmt.params:
            return 2 + 4 * len(stmt.params["index"])
        text = stmt.op.notation(*map(self.program.aval, stmt.args), **stmt.params) if stmt.op.notation else None
        return literals + (len(text) - 3 * len(stmt.args) if text else len(stmt.op.name) + 5 + 2 * len(stmt.args))


def find_nested(program, groups):
    """The Nesting of a program."""
    nesting = Nesting(program, groups)
    nesting.run()
    return nesting


__all__ = ["Candidate", "Nesting", "find_nested"]
