"""Which names differ from lane to lane, and under which masks: a dataflow fixed point over a Core program.

A *lane* is one element of the batch. A *region* is a block that only some lanes execute: a side of an `if` on a batched test, the
body of a loop with batched bounds or test. Regions nest; the top region is executed by all lanes.

A name is *raw* in its region if the lanes that do not execute the region may hold any value in it. Names from outside of a
region are raw in it. Operations that may fail or have an infinite derivative get their raw operands made safe.
"""

import numpy as np

from ...core import Apply, Effect, For, Hole, If, Move, Update, While, is_name, names_read, operands, walk
from ...errors import TransformError

FALLIBLE = {np.floor_divide, np.remainder, np.fmod}
"""Elementwise functions with a finite derivative that warn or fail for some finite operands."""


class Region:
    """A block that only some lanes execute. `guarded`: it must be skipped if no lane does."""

    def __init__(self, parent, kind, source):
        self.parent, self.kind, self.source, self.guarded = parent, kind, source, False

    def __repr__(self):
        return f"<region {self.kind} {self.source}>"


def is_harmless(op):
    """Whether an op gives finite values and finite derivatives for all finite operands."""
    if op.gather:
        return True
    if op.elementwise:
        return op.impl is np.multiply or not (op.singular or op.impl in FALLIBLE)
    return op.linear is not None


def trailing_moves(stmts):
    """The Moves at the end of a block: (statements before them, Moves)."""
    at = len(stmts)
    while at and isinstance(stmts[at - 1], Move):
        at -= 1
    return stmts[:at], stmts[at:]


class Analysis:
    """The result of the fixed point.

    batched: names that differ from lane to lane; born: name -> region in which it is bound; raw: see the module;
    axes: name -> position of the batch axis where that is not 0 (see `stacked_axes`).
    """

    def __init__(self, program, batched):
        self.program = program
        self.batched, self.raw = set(batched), set()
        self.top = Region(None, "top", program.name)
        self.regions = {}
        self.inside = set()
        self.loop_indices = {s.index for s in walk(program.body) if isinstance(s, For)}
        self.tapes = {s.target for s in walk(program.body) if isinstance(s, Apply) and s.op.name == "tape"}
        state = None
        while state != (len(self.batched), len(self.raw)):
            state = (len(self.batched), len(self.raw))
            self.born = dict.fromkeys(program.params, self.top)
            self.block(program.body, self.top)
        self.axes = stacked_axes(program, self)

    # questions ------------------------------------------------------------------
    def is_batched(self, atom):
        return is_name(atom) and atom in self.batched and atom not in self.inside

    def is_raw(self, atom, region):
        """Whether lanes outside of the region may hold any value in `atom`."""
        return region is not self.top and self.is_batched(atom) and (self.born.get(atom) is not region or atom in self.raw)

    def is_masked(self, name, region):
        """Whether a store into `name` in `region` concerns only the lanes of the region."""
        return region is not self.top and self.born.get(name) is not region and name not in self.program.counters

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
            getattr(self, type(stmt).__name__.lower() + "_", self.nothing)(stmt, region)

    def nothing(self, stmt, region):
        pass

    def apply_(self, stmt, region):
        self.born.setdefault(stmt.target, region)
        harmless = is_harmless(stmt.op) and not self.indexes_freely(stmt.args[1:] if stmt.op.gather else ())
        if not harmless and any(map(is_name, stmt.args)):
            region.guarded = True
        if any(map(self.is_batched, stmt.args)):
            self.batched.add(stmt.target)
            if is_harmless(stmt.op) and any(self.is_raw(a, region) for a in stmt.args):
                self.raw.add(stmt.target)

    def indexes_freely(self, args):
        """Whether index operands may be out of range if no lane executes the statement."""
        return any(is_name(a) and a not in self.loop_indices for a in args)

    def move_(self, stmt, region):
        self.born.setdefault(stmt.target, region)
        masked = self.is_masked(stmt.target, region)
        if stmt.target in self.program.counters:
            region.guarded = True
            if self.is_batched(stmt.source):
                raise TransformError(f"the tape pointer {stmt.target} differs from lane to lane", "This is a fault of a pass of transformer.")
            return
        if masked or self.is_batched(stmt.source):
            self.batched.add(stmt.target)
        if not masked and self.is_raw(stmt.source, region):
            self.raw.add(stmt.target)

    def update_(self, stmt, region):
        tape = stmt.target in self.tapes
        region.guarded = region.guarded or tape or self.indexes_freely(stmt.args)
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
        for block, taken in ((stmt.body, True), (stmt.orelse, False)):
            inner = self.side(stmt, region, taken)
            before, moves = trailing_moves(block)
            for move in moves:
                self.born.setdefault(move.target, region)
                if region is not self.top:
                    self.raw.add(move.target)
            self.block(block, inner)

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


def stacked_axes(program, analysis):
    """Arrays that are written and read at a leading index that is the same for all lanes (tapes): their batch axis comes after it.

    Name -> position of the batch axis. So `h_tape[i] = h` stays as it is.
    """
    found = {s.target: len(program.avals[s.target].shape) for s in walk(program.body)
             if isinstance(s, Apply) and s.op.name in ("empty", "tape") and s.target in analysis.batched}
    for stmt in walk(program.body):
        access, others = _access(stmt)
        for name in others:
            found.pop(name, None)
        if access is not None and access[0] in found:
            name, template, args = access
            found[name] = min(found[name], _shared_prefix(template, args, program, analysis))
    for atom in program.outputs:
        found.pop(atom, None)
    for name in analysis.tapes & analysis.batched:
        if not found.get(name):
            raise TransformError(f"the tape {name} grows at a place that differs from lane to lane", "This is a fault of a pass of transformer.")
    return {name: axis for name, axis in found.items() if axis}


def _access(stmt):
    """((name, template, operands) or None, the other names that the statement reads)."""
    if isinstance(stmt, Apply) and stmt.op.gather and is_name(stmt.args[0]):
        return (stmt.args[0], stmt.params["index"], stmt.args[1:]), [a for a in stmt.args[1:] if is_name(a)]
    if isinstance(stmt, Update):
        return (stmt.target, stmt.index, stmt.args), [a for a in (*stmt.args, stmt.value) if is_name(a)]
    return None, operands(stmt)


def _shared_prefix(template, args, program, analysis):
    """The number of leading entries that are scalars, the same for all lanes."""
    count = 0
    for entry in template:
        scalar = isinstance(entry, int)
        if isinstance(entry, Hole):
            atom = args[entry.position]
            scalar = program.aval(atom).shape == () and not (is_name(atom) and atom in analysis.batched)
        if not scalar:
            return count
        count += 1
    return count


__all__ = ["Analysis", "Effect", "If", "Region", "While", "is_harmless", "names_read", "stacked_axes", "trailing_moves"]
