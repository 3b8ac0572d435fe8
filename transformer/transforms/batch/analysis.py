"""Which names differ from lane to lane, and under which masks: a dataflow fixed point over a Core program.

A *lane* is one element of the batch. A *region* is a block that only some lanes execute: a side of an `if` on a batched test, the
body of a loop with batched bounds or test. Regions nest; the top region is executed by all lanes.

A name is *raw* in its region if the lanes that do not execute the region may hold any value in it. Names from outside of a
region are raw in it. Operations that may fail or have an infinite derivative get their raw operands made safe.
"""

from ...core import Apply, For, Hole, Move, is_name, operands, walk
from ...errors import TransformError
from ..emission import trailing_moves
from .remedies import KEEP, LANE, remedies
from .tapes import pointers, stacked_axes


class Region:
    """A block that only some lanes execute. `guarded`: it must be skipped if no lane does.

    `opens`: an earlier side of an `if` on the same test, among other lanes, whose names it reads.
    """

    def __init__(self, parent, kind, source):
        self.parent, self.kind, self.source = parent, kind, source
        self.guarded, self.opens = False, None

    def chain(self):
        """The region and those around it."""
        region = self
        while region is not None:
            yield region
            region = region.parent

    def __repr__(self):
        return f"<region {self.kind} {self.source}>"


class Analysis:
    """The result of the fixed point.

    batched: names that differ from lane to lane; born: name -> region in which it is bound; raw: see the module;
    axes: name -> position of the batch axis where that is not 0 (see `stacked_axes`); pointers: see `tapes.pointers`.
    """

    def __init__(self, program, batched, axis_name=None):
        self.program, self.axis_name = program, axis_name
        self.batched, self.raw = set(batched), set()
        self.top = Region(None, "top", program.name)
        self.regions = {}
        self.inside, self.pointers = set(), pointers(program)
        self.loop_indices = {s.index for s in walk(program.body) if isinstance(s, For)}
        self.tapes = {s.target for s in walk(program.body) if isinstance(s, Apply) and s.op.name == "tape"}
        state = None
        while state != (len(self.batched), len(self.raw)):
            state = (len(self.batched), len(self.raw))
            self.born = dict.fromkeys(program.params, self.top)
            self.prefixes, self.scalars = {}, {}
            self.block(program.body, self.top)
        self.axes, self.scalars = stacked_axes(program, self)

    # questions ------------------------------------------------------------------
    def is_batched(self, atom):
        return is_name(atom) and atom in self.batched and atom not in self.inside

    def is_raw(self, atom, region):
        """Whether lanes outside of the region may hold any value in `atom`."""
        return region is not self.top and self.is_batched(atom) and (self.born.get(atom) is not region or atom in self.raw)

    def is_masked(self, name, region):
        """Whether a store into `name` in `region` concerns only the lanes of the region."""
        return region is not self.top and self.born.get(name) is not region and name not in self.pointers

    def side(self, stmt, region, taken):
        """The region of a side of an If on a batched test. Ifs on the same test share it: names bound in one are read in another."""
        return self.region(region, "if" if taken else "else", stmt.test)

    def loop(self, stmt, region):
        return self.region(region, "loop", id(stmt))

    def region(self, parent, kind, source):
        key = (id(parent), kind, source)
        if key not in self.regions:
            self.regions[key] = Region(parent, kind, source)
        return self.regions[key]

    # one pass ---------------------------------------------------------------------
    def block(self, stmts, region):
        for stmt in stmts:
            for name in operands(stmt):
                self.open(self.born.get(name), region)
            getattr(self, type(stmt).__name__.lower() + "_", self.nothing)(stmt, region)

    def nothing(self, stmt, region):
        pass

    def open(self, place, region):
        """A name that was bound in the region `place` is read in `region`: a side of an `if` may be met again among other lanes."""
        around = set(region.chain())
        for earlier in place.chain() if place is not None else ():
            later = next((r for r in around if (r.kind, r.source) == (earlier.kind, earlier.source)), None)
            if earlier not in around and later is not None:
                later.opens = earlier
                later.guarded |= earlier.guarded

    def apply_(self, stmt, region):
        self.born.setdefault(stmt.target, region)
        if stmt.op.gather:
            self.access(stmt.args[0], stmt.params["index"], stmt.args[1:])
        for atom, remedy in zip(stmt.args, remedies(stmt)):
            if self.is_raw(atom, region):
                region.guarded |= remedy is LANE
                self.raw.update([stmt.target] if remedy is not LANE else [])
            elif remedy is not KEEP and self.may_fail(atom):
                region.guarded = True
        if stmt.op.collective:
            self.check_exchange(stmt, region)
        if stmt.op.collective == "differs" if self.exchanges(stmt) else any(map(self.is_batched, stmt.args)):
            self.batched.add(stmt.target)

    def exchanges(self, stmt):
        """Whether an Apply is a collective over the axis of this batch."""
        return bool(stmt.op.collective) and self.axis_name is not None and stmt.params["axis"] == self.axis_name

    def check_exchange(self, stmt, region):
        if region is not self.top:
            raise TransformError(f"{stmt.op.name} stands in a branch or loop that only some lanes or devices take: the others would not answer",
                                 "Call it outside, on values that all of them have (np.where selects).", stmt.origin)

    def may_fail(self, atom):
        """Whether an operand that needs a remedy may harm although it is the same in all lanes: if no lane executes the statement.

        Indices of loops are in range.
        """
        return is_name(atom) and atom not in self.loop_indices and not self.is_batched(atom)

    def move_(self, stmt, region):
        self.born.setdefault(stmt.target, region)
        masked = self.is_masked(stmt.target, region)
        if stmt.target in self.pointers:
            region.guarded = True
            if self.is_batched(stmt.source):
                raise TransformError(f"the tape pointer {stmt.target} differs from lane to lane", "This is a fault of a pass of transformer.")
            return
        if masked or self.is_batched(stmt.source):
            self.batched.add(stmt.target)
        if not masked and self.is_raw(stmt.source, region):
            self.raw.add(stmt.target)

    def update_(self, stmt, region):
        self.access(stmt.target, stmt.index, stmt.args)
        tape = stmt.target in self.tapes
        region.guarded = region.guarded or tape or any(map(self.may_fail, stmt.args))
        masked = self.is_masked(stmt.target, region)
        if any(map(self.is_batched, (*stmt.args, stmt.value))) or (masked and not tape):
            self.batched.add(stmt.target)
        if not masked and self.is_raw(stmt.value, region):
            self.raw.add(stmt.target)

    def if_(self, stmt, region):
        if not self.is_batched(stmt.test):
            self.block(stmt.body, region)
            self.block(stmt.orelse, region)
            return
        known = dict(self.born)
        targets = [{s.target for s in walk(block) if isinstance(s, Move)} for block in (stmt.body, stmt.orelse)]
        merged = {n for n in targets[0] & targets[1] if n not in known}
        for block, taken in ((stmt.body, True), (stmt.orelse, False)):
            inner = self.side(stmt, region, taken)
            for name in merged:
                self.born.pop(name, None)
            before, moves = trailing_moves(block)
            self.block(before, inner)
            self.born.update({m.target: region for m in moves if m.target in merged and m.target not in self.born})
            self.block(moves, inner)
        for name in merged:
            self.born[name] = region
            if name not in self.pointers:
                self.batched.add(name)
            if region is not self.top:
                self.raw.add(name)

    def for_(self, stmt, region):
        self.born.setdefault(stmt.index, region)
        region.guarded = True
        batched = self.is_batched(stmt.lo) or self.is_batched(stmt.hi)
        self.block(stmt.body, self.loop(stmt, region) if batched else region)

    def while_(self, stmt, region):
        region.guarded = True
        if stmt.counter:
            self.born.setdefault(stmt.counter, region)
            self.inside.add(stmt.counter)
        self.block(stmt.head, region)
        batched = self.is_batched(stmt.test)
        self.block(stmt.body, self.loop(stmt, region) if batched else region)
        if stmt.counter:
            self.inside.discard(stmt.counter)
            if batched:
                self.batched.add(stmt.counter)

    def effect_(self, stmt, region):
        region.guarded = True

    # tapes ----------------------------------------------------------------------------
    def access(self, name, template, args):
        """Note how many scalars an index into `name` begins with, and how many of them are the same for all lanes."""
        scalars = []
        for entry in template:
            atom = args[entry.position] if isinstance(entry, Hole) else entry
            if not isinstance(entry, int | Hole) or self.program.aval(atom).shape:
                break
            scalars.append(atom)
        shared = next((k for k, a in enumerate(scalars) if self.is_batched(a)), len(scalars))
        self.prefixes[name] = min(shared, self.prefixes.get(name, shared))
        self.scalars[name] = min(len(scalars), self.scalars.get(name, len(scalars)))

__all__ = ["Analysis", "Region"]
