"""Tapes of which only a region of each entry is read: only that is written.

    where_tape[i - 1] = np.where(np.arange(6) < 6 - i, v, 0.0)          where_tape[i - 1, :6 - i] = v[:6 - i]
    ... where_tape[k - 1, :6 - k]                                       ... where_tape[k - 1, :6 - k]
"""

from ...analysis.bounds import Linear
from ...core import Apply, Hole, Update, operands, walk
from ...ops.index_templates import FULL
from ...ops.op import TABLE
from .regions import Stretch, is_all


class Tapes:
    """`reads` maps each tape, an array made empty that is written by one statement and read entry by entry, to what reads it."""

    def __init__(self, facts):
        self.facts = facts
        self.reads = {n: [] for n, made in facts.binders.items() if type(made[0]) is Apply and made[0].op is TABLE["empty"] and len(made) == 2}
        for stmt in walk(facts.program.body):
            for name in operands(stmt):
                if name in self.reads and not self.is_access(stmt, name):
                    del self.reads[name]
                elif name in self.reads and type(stmt) is Apply:
                    self.reads[name].append(stmt)
        for name in facts.program.outputs:
            self.reads.pop(name, None)

    def is_access(self, stmt, name):
        """Whether a statement reads or writes one entry of a tape."""
        if type(stmt) is Update:
            return stmt.target == name and name not in (stmt.value, *stmt.args) and stmt.mode == "set" and self.is_entry(stmt.index, stmt.args)
        read = type(stmt) is Apply and stmt.op is TABLE["getitem"] and stmt.args[0] == name and name not in stmt.args[1:]
        return read and stmt.target in self.facts.made and self.is_entry(stmt.params["index"], stmt.args[1:])

    def is_entry(self, index, args):
        """Whether an index is a few integers that are linear forms, and whole axes behind them."""
        count = len(args)
        holes = index[:count] == tuple(map(Hole, range(count))) and all(e == FULL for e in index[count:])
        return holes and all(self.facts.shape(a) == () and self.facts.form(a) is not None for a in args)

    def region(self, stmt, regions):
        """The region of the entry that an Update of a tape writes which is read later: None where that is not known, or all of it.

        regions: names -> the region that is looked at.
        """
        found = set()
        for read in self.reads.get(stmt.target, ()):
            region = regions.get(read.target)
            found.add(region and translated(region, *([self.facts.form(a) for a in s] for s in (read.args[1:], stmt.args))))
        region = found.pop() if len(found) == 1 else None
        return None if not region or is_all(region) or not self.facts.is_region_known(region, stmt) else region


def translated(region, theirs, mine):
    """A region in terms of one place of a program in terms of another one, at which indices have the forms `mine` instead of `theirs`."""
    values = {}
    for there, here in zip(theirs, mine):
        if len(there.terms) == 1 and abs(there.terms[0][1]) == 1:
            name, sign = there.terms[0]
            values[name] = here.plus(Linear(there.constant), -1).times(sign)
    out = []
    for stretch in region:
        bounds = stretch and [b and substituted(b, values) for b in stretch]
        if stretch and any(b is not None and new is None for b, new in zip(stretch, bounds)):
            return None
        out.append(stretch and Stretch(*bounds))
    return tuple(out)


def substituted(form, values):
    """A linear form with other forms in the places of its names; None if one has none."""
    total = Linear(form.constant)
    for name, factor in form.terms:
        if name not in values:
            return None
        total = total.plus(values[name].times(factor))
    return total


__all__ = ["Tapes"]
