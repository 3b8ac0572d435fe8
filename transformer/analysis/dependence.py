"""Stores that no later read can see, element by element.

    for i in range(n - 1, 0, -1):
        c[i] = saved                  # later reads have smaller indices: this store has no effect
        y = np.cos(c[i - 1])

A store and a read are compared axis by axis, for reads later in the same round and in later rounds of each loop around both.
Indices are linear forms in the loops' indices.
"""

import copy
from typing import NamedTuple

from ..core import Apply, For, Hole, Update, blocks, is_name, operands, walk
from .blocks import Blocks
from .bounds import Bounds, Linear, combined

BUDGET = 20_000
"""How many pairs of a store and a read are compared at most; further stores stay."""


class Access(NamedTuple):
    """A statement that stores into or reads elements of an array; `spans`: (first, last) atom and offset per axis, or None."""

    stmt: object
    block: object
    position: int
    spans: tuple


def without_idle_stores(program, first):
    """The statements of the program; stores at the top level from position `first` on, or inside, go if no read sees them."""
    if not any(isinstance(s, Update) for s in walk(program.body[first:])):
        return program.body
    analysis = Dependence(program)
    idle = {id(w.stmt) for w in analysis.stores(first) if not analysis.is_seen(w)}
    return strip(program.body, idle) if idle else program.body


def strip(stmts, idle):
    """Statements, at any depth, without those of the set `idle` of ids."""
    kept = []
    for stmt in stmts:
        if id(stmt) in idle:
            continue
        if blocks(stmt):
            stmt = copy.copy(stmt)
            for field in ("head", "body", "orelse"):
                if hasattr(stmt, field):
                    setattr(stmt, field, strip(getattr(stmt, field), idle))
        kept.append(stmt)
    return kept


class Dependence:
    def __init__(self, program):
        self.program, self.blocks = program, Blocks(program)
        self.outputs = set(filter(is_name, program.outputs))
        self.reads = {}
        self.bounds = {}
        self.budget = BUDGET
        for block in self.blocks.all:
            for position, stmt in enumerate(block.stmts):
                for name in dict.fromkeys(operands(stmt)):
                    if not isinstance(stmt, Update) or name in (*stmt.args, stmt.value):
                        self.reads.setdefault(name, []).append(self.read(stmt, block, position, name))

    def stores(self, first):
        """The Updates of arrays that no output shows, in the statements from position `first` of the program on."""
        for block in self.blocks.all:
            for position, stmt in enumerate(block.stmts):
                if isinstance(stmt, Update) and stmt.target not in self.outputs and top_position(block, position) >= first:
                    spans = self.spans(stmt.index, stmt.args)
                    if spans is not None:
                        yield Access(stmt, block, position, spans)

    def read(self, stmt, block, position, name):
        spans = None
        if isinstance(stmt, Apply) and stmt.op.gather and stmt.args[0] == name and name not in stmt.args[1:]:
            spans = self.spans(stmt.params["index"], stmt.args[1:])
        return Access(stmt, block, position, spans)

    def spans(self, template, args):
        """(first, last) of the elements that a basic index takes along each axis, as forms; None for a whole axis."""
        out = []
        for entry in template:
            if isinstance(entry, int) and entry >= 0:
                out.append((Linear(entry), Linear(entry)))
            elif isinstance(entry, slice):
                plain = entry.step == 1 and entry.start is not None and entry.stop is not None
                out.append((Linear(entry.start), Linear(entry.stop - 1)) if plain else None)
            elif hasattr(entry, "position"):
                atom = args[entry.position]
                aval = self.program.aval(atom)
                if aval.shape or aval.dtype == bool:
                    return None
                form = self.form(atom)
                extent = 0 if isinstance(entry, Hole) else entry.length - 1
                known = form is not None and self.is_natural(form)
                out.append((form, form.plus(Linear(extent))) if known else None)
            elif entry is not None:
                return None
        return tuple(out)

    # forms -----------------------------------------------------------------------------
    def form(self, atom):
        """An integer atom as a linear form in loop indices and other stable names; None if it is versioned."""
        if not is_name(atom):
            return Linear(int(atom))
        if self.blocks.is_versioned(atom):
            return None
        stmt = self.blocks.sites[atom][0].stmt
        found = combined(stmt, self.form) if isinstance(stmt, Apply) else None
        return Linear(0, ((atom, 1),)) if found is None else found

    def range_of(self, form, nest):
        """(least, greatest) of a form over the rounds of the loop block `nest`; None where nothing is known."""
        if nest not in self.bounds:
            self.bounds[nest] = Bounds(self.blocks, nest)
        return self.bounds[nest].form(form)

    def is_natural(self, form):
        """Whether a form is never negative (a negative index would count from the end)."""
        loops = [self.blocks.home[name].loop for name, _ in form.terms]
        loops = [loop for loop in loops if loop is not None]
        least = self.range_of(form, loops[0].loops()[0])[0] if loops else form
        return least is not None and not least.terms and least.constant >= 0

    # order and overlap --------------------------------------------------------------------
    def is_seen(self, write):
        name = write.stmt.target
        reads = self.reads.get(name, ())
        self.budget -= len(reads)
        return self.budget < 0 or any(self.may_see(write, read, name) for read in reads)

    def may_see(self, write, read, name):
        """Whether a read that runs after a store may read an element that it stored."""
        home = self.blocks.home[name]
        around = [loop for loop in write.block.loops() if loop in read.block.loops()]
        common = [loop for loop in around if loop.inside(home) and loop is not home]
        for level, loop in enumerate(common):
            if not self.differ(write, read, common[:level], loop):
                return True
        if not comes_later(write, read):
            return False
        return not self.differ(write, read, common, None)

    def differ(self, write, read, same, later):
        """Whether the elements differ for sure: loops `same` are in the same round, `later` is in a later round at the read."""
        if read.spans is None:
            return False
        for one, other in zip(write.spans, read.spans, strict=False):
            if one is not None and other is not None:
                if self.precedes(one[1], other[0], write, read, same, later, 1):
                    return True
                if self.precedes(other[1], one[0], read, write, same, later, -1):
                    return True
        return False

    def precedes(self, low, high, low_at, high_at, same, later, sign):
        """Whether `low < high` for sure. sign 1: `high` belongs to the read, that is later by one round or more; -1: `low` does."""
        gap = self.gap(low, high, same, later, sign)
        if gap is not None and not gap.terms and gap.constant > 0:
            return True
        most = self.extreme(low, low_at, same, 1)
        least = self.extreme(high, high_at, same, 0)
        if most is None or least is None:
            return False
        gap = least.plus(most, -1)
        return not gap.terms and gap.constant > 0

    def gap(self, low, high, same, later, sign):
        """`high - low` at the least, the loops of `same` being in one round; None if unknown."""
        gap = high.plus(low, -1)
        fixed = set()
        names = {name for form in (low, high) for name, _ in form.terms}
        if later is not None and isinstance(later.owner, For):
            index = later.owner.index
            factors = [dict(form.terms).get(index, 0) for form in (low, high)]
            if factors[0] != factors[1]:
                return None
            step = factors[0] * later.owner.step * sign
            if step < 0:
                return None
            gap = gap.plus(Linear(step))
            fixed.add(index)
        for name in names - fixed:
            loop = self.blocks.home[name].loop
            if loop is not None and loop not in same:
                return None
        return gap

    def extreme(self, form, access, same, side):
        """The greatest (side 1) or least (0) value of a form, in terms of what is bound outside of the loops not in `same`."""
        loops = [loop for loop in access.block.loops() if loop not in same]
        if not loops:
            return form
        return self.range_of(form, loops[0])[side]


def top_position(block, position):
    """The position, in the program's own block, of the statement around."""
    while block.parent is not None:
        block, position = block.parent, block.position
    return position


def comes_later(write, read):
    """Whether, in one round of the loops around both, the read comes after the store."""
    one, other = (write.block, write.position), (read.block, read.position)
    while one[0] is not other[0]:
        if one[0].depth >= other[0].depth:
            one = one[0].parent, one[0].position
        else:
            other = other[0].parent, other[0].position
    return other[1] > one[1]
