"""Which names an `if` or a loop has to hand on: those it changes that are read afterwards."""

import collections
import functools
import math

from ..core import Apply, For, If, Move, Update, While, blocks, is_name, names_bound, names_read, names_rebound, operands, walk


def changed(stmt):
    """Names that an If may bind, or that a loop may leave changed."""
    if isinstance(stmt, If):
        return names_bound([*stmt.body, *stmt.orelse])
    return names_rebound(stmt)


class Liveness:
    """For each If, For and While of a program: the names it hands on. `effects` adds the hidden names that it changes."""

    def __init__(self, program, effects):
        self.program, self.effects = program, effects
        self.found, self.heads, self.stored = {}, {}, stored_names(program)
        self.rebound = {}
        self.bind(program.body, set(program.params))
        self.block(program.body, {a for a in program.outputs if is_name(a)})

    def results(self, stmt):
        return self.found[id(stmt)]

    def head_results(self, stmt):
        """Names bound in a While's head that its body or the code after it needs; None where the head may run as the mere test."""
        return self.heads[id(stmt)]

    def bind(self, stmts, before):
        """Note for each loop which names that are bound before it it changes. `before`: names bound so far, the same again afterwards."""
        added = set()
        for stmt in stmts:
            if isinstance(stmt, For | While):
                self.rebound[id(stmt)] = [n for n in changed(stmt) if n in before]
            for block in blocks(stmt):
                own = {*targets_of(stmt), *self.head_names(stmt)} - before
                before |= own
                self.bind(block, before)
                before -= own
            new = names_bound([stmt]).keys() - before
            before |= new
            added |= new
        before -= added

    def block(self, stmts, later):
        """`later`: names read after the block; afterwards also those read in it."""
        for stmt in reversed(stmts):
            if isinstance(stmt, If | For | While):
                self.control(stmt, later)
            later.update(names_read([stmt]))

    def control(self, stmt, later):
        if isinstance(stmt, If):
            names = [n for n in changed(stmt) if n in later]
            for block in blocks(stmt):
                self.block(block, set(names))
        else:
            if isinstance(stmt, While):
                self.heads[id(stmt)] = self.head(stmt, later)
            later.update(names_read([stmt]))
            names = [n for n in self.rebound[id(stmt)] if n in later]
            for block in blocks(stmt):
                self.block(block, later)
        self.found[id(stmt)] = [*names, *self.effects.changed(stmt)]

    def head_names(self, stmt):
        return set(names_bound(stmt.head)) if isinstance(stmt, While) else set()

    def head(self, stmt, later):
        bound = names_bound(stmt.head)
        wanted = set(names_read(stmt.body))
        needed = [n for n in bound if n in wanted or n in later]
        cheap = all(self.program.avals[n].shape == () for n in bound) and not any(isinstance(s, For | While) for s in walk(stmt.head))
        outside = {n for n in needed if n in later and self.is_read_outside(n, stmt)}
        if self.effects.changed_in(stmt.head) or outside or (needed and not cheap):
            return needed
        return None

    def is_read_outside(self, name, stmt):
        """Whether a name that a loop binds is read anywhere but in it."""
        return name in self.program.outputs or self.reads[name] > sum(operands(s).count(name) for s in walk([stmt]))

    @functools.cached_property
    def reads(self):
        """How often the statements read each name."""
        return collections.Counter(name for s in walk(self.program.body) for name in operands(s))

    def features(self):
        """What the compile policy wants to know: see `backend.policy`."""
        loops = [s for s in walk(self.program.body) if isinstance(s, For | While)]
        kinds = {self.loop_kind(loop) for loop in loops} - {None}
        if "slice_loop" in kinds and not any(self.is_product(s) for loop in loops for block in blocks(loop) for s in walk(block)):
            kinds.add("stencil_loop")
        if "element_loop" in kinds and any(stores_twice(block) for loop in loops for block in blocks(loop)):
            kinds.add("repeated_stores")
        if loops and all(map(self.is_scalar, loops)):
            kinds.add("scalar_loop")
        return frozenset({"loop", *kinds} if loops else ())

    def is_product(self, stmt):
        """Whether a statement is a product with a matrix, or of some such kind: linear in each of several operands, with sums."""
        return (isinstance(stmt, Apply) and stmt.op.linear == "each" and not stmt.op.elementwise
                and any(len(self.program.aval(a).shape) > 1 for a in stmt.args))

    def is_scalar(self, loop):
        """Whether a loop computes nothing but scalars and arrays of a few elements."""
        inside = (s for block in blocks(loop) for s in walk(block) if isinstance(s, Apply))
        return all(size_of(self.program.avals[s.target]) <= TINY for s in inside)

    def loop_kind(self, loop):
        """"element_loop" for a loop that stores single elements or short slices into arrays that it also reads, and works on nothing
        large; "slice_loop" if what it stores or computes is large: as an absolute number, or against the arrays."""
        inside = [s for block in blocks(loop) for s in walk(block)]
        read = {n for s in inside if isinstance(s, Apply) for n in operands(s)}
        stores = [s for s in inside if isinstance(s, Update) and s.target in read]
        if not stores:
            return None
        values = [self.program.aval(s.value) for s in stores] + [self.program.avals[s.target] for s in inside if isinstance(s, Apply)]
        smallest = min(size_of(self.program.avals[s.target]) for s in stores)
        short = max(SHORT, min(MEDIUM, smallest // FEW))
        return "slice_loop" if any(size_of(v) > short for v in values) else "element_loop"


def stores_twice(stmts):
    """Whether a block stores into an array twice, not counting inner blocks."""
    stored = [s.target for s in stmts if isinstance(s, Update)]
    return len(stored) > len(set(stored))


SHORT, MEDIUM, FEW, TINY = 256, 4096, 64, 16
"""Slices of up to SHORT elements are short, and those of up to MEDIUM that are one part in FEW of the array, or less. TINY arrays
are like scalars."""


def size_of(aval):
    return math.prod(d or 1 for d in aval.shape)


def stored_names(program):
    """Names of arrays that are stored into, under this name or one that they are moved to."""
    stored = {s.target for s in walk(program.body) if isinstance(s, Update)}
    moves = [s for s in walk(program.body) if isinstance(s, Move) and is_name(s.source)]
    before = None
    while before != len(stored):
        before = len(stored)
        stored.update(s.source for s in moves if s.target in stored)
    return stored


def targets_of(stmt):
    return [stmt.index] if isinstance(stmt, For) else [stmt.counter] if isinstance(stmt, While) and stmt.counter else []
