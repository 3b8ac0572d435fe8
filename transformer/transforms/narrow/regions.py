"""Ranges of places, axis by axis, their bounds as linear forms, and where in a program they are known."""

from typing import NamedTuple

import numpy as np

from ...analysis.bounds import Linear, combined
from ...analysis.ranges import Ranges
from ...core import Apply, For, Hole, Move, Update, blocks, is_name, targets, walk
from ...ops.index_templates import FULL, Window
from ...ops.op import TABLE


class Stretch(NamedTuple):
    """The places from `lo` on and before `hi` (linear forms; None: the end of the axis). Neither bound is negative."""

    lo: Linear | None
    hi: Linear | None


class Site(NamedTuple):
    """Where a statement stands: its number in the program, the numbers of the blocks around it, outermost first."""

    position: int
    blocks: tuple


class Facts:
    """What is known about the names of a program: the statement that makes each immutable one, where names are bound and change,
    integers as linear forms and their ranges, and the masks that the op `places` makes."""

    def __init__(self, program):
        self.program, self.avals = program, program.avals
        self.sites, self.bound, self.changes, self.binders = {}, {}, {}, {}
        self.position = 0
        self.blocks_made = 0
        start = Site(-1, (0,))
        self.bound.update((p, start) for p in program.params)
        self.enter(program.body, (0,))
        mutable = {s.target for s in walk(program.body) if type(s) in (Move, Update)}
        self.made = {s.target: s for s in walk(program.body) if type(s) is Apply and s.target not in mutable}
        self.mutable = mutable
        self.ranges = Ranges(program)
        self.numbers = {s.target: s.source for s in walk(program.body) if type(s) is Move and self.is_number(s)}
        self.forms, self.found = {}, {}

    def enter(self, stmts, outer):
        for stmt in stmts:
            self.position += 1
            site = self.sites[id(stmt)] = Site(self.position, outer)
            for name in targets(stmt) if type(stmt) in (Apply, Move) else ():
                self.bound.setdefault(name, site)
            if type(stmt) in (Apply, Move, Update):
                self.binders.setdefault(stmt.target, []).append(stmt)
            if type(stmt) in (Move, Update):
                self.changes.setdefault(stmt.target, []).append(self.position)
            for block in blocks(stmt):
                self.blocks_made += 1
                inner = (*outer, self.blocks_made)
                if type(stmt) is For:
                    self.bound.setdefault(stmt.index, Site(self.position, inner))
                self.enter(block, inner)

    # names ----------------------------------------------------------------------------------
    def shape(self, atom):
        return self.program.aval(atom).shape

    def operands_of(self, args):
        """The avals of the operands of an index."""
        return [self.program.aval(a) for a in args]

    def is_number(self, move):
        """Whether a Move binds a name to a literal once and for all."""
        once = len(self.changes[move.target]) == 1 and move.target not in self.program.params
        return once and not is_name(move.source) and self.avals[move.target].shape == ()

    def is_steady(self, atom, start, end):
        """Whether an atom is certain to have one value at two statements, the first of which comes first."""
        if not is_name(atom) or atom not in self.mutable:
            return True
        one, two = self.sites[id(start)], self.sites[id(end)]
        return one.blocks == two.blocks and not any(one.position < k < two.position for k in self.changes.get(atom, ()))

    def is_known(self, name, stmt):
        """Whether an immutable name is bound where a statement stands."""
        site, here = self.bound.get(name), self.sites[id(stmt)]
        return site is not None and site.position < here.position and here.blocks[:len(site.blocks)] == site.blocks

    # integers -------------------------------------------------------------------------------
    def form(self, atom):
        """An integer as a linear form in immutable names; None for others."""
        if not is_name(atom):
            return Linear(int(atom)) if np.asarray(atom).dtype.kind in "iu" else None
        if atom not in self.forms:
            self.forms[atom] = None
            self.forms[atom] = self.form_of(atom)
        return self.forms[atom]

    def form_of(self, name):
        if name in self.mutable or self.avals[name].dtype.kind not in "iu" or self.avals[name].shape:
            return None
        stmt = self.made.get(name)
        return stmt and stmt.args and combined(stmt, self.form) or Linear(0, ((name, 1),))

    def interval(self, form):
        """The lowest and the highest value of a linear form; None where one is not known."""
        low = high = form.constant
        for name, factor in form.terms:
            known = self.ranges.of(name) or self.clipped(name)
            if known is None:
                return None, None
            ends = [None if e is None else factor * e for e in known[:: 1 if factor > 0 else -1]]
            low, high = (None if None in (total, end) else total + end for total, end in zip((low, high), ends))
        return low, high

    def clipped(self, name):
        """The range of max(v, n) and min(v, n), of which one side only may be known."""
        stmt = self.made.get(name)
        if stmt is None or stmt.op.impl not in (np.maximum, np.minimum):
            return None
        sides = [self.interval(form) if form is not None else (None, None) for form in map(self.form, stmt.args)]
        lows, highs = ([k for k in side if k is not None] for side in zip(*sides))
        if stmt.op.impl is np.maximum:
            return max(lows, default=None), (max(highs) if len(highs) == 2 else None)
        return (min(lows) if len(lows) == 2 else None), min(highs, default=None)

    def is_at_least(self, form, number):
        low = self.interval(form)[0]
        return low is not None and low >= number

    def is_at_most(self, form, number):
        high = self.interval(form)[1]
        return high is not None and high <= number

    # masks ----------------------------------------------------------------------------------
    def mask(self, atom):
        """The region of places where a mask is set: for each of its axes a Stretch or None (all of it). None if it is no such mask."""
        if not is_name(atom) or atom not in self.made:
            return None
        if atom not in self.found:
            self.found[atom] = self.mask_of(self.made[atom])
        return self.found[atom]

    def mask_of(self, stmt):
        if stmt.op is TABLE["places"]:
            return self.places(stmt)
        if stmt.op is TABLE["getitem"] and all(e is None or e == FULL for e in stmt.params["index"]):
            inner = self.mask(stmt.args[0])
            rest = iter(inner or ())
            return inner and tuple(None if e is None else next(rest) for e in stmt.params["index"])
        if stmt.op.impl in (np.bitwise_and, np.logical_and):
            sides = [self.mask(a) for a in stmt.args]
            if None in sides:
                return None
            ndim = max(map(len, sides))
            sides = [(None,) * (ndim - len(s)) + s for s in sides]
            return None if any(None not in pair and pair[0] != pair[1] for pair in zip(*sides)) else tuple(a or b for a, b in zip(*sides))
        return None

    def places(self, stmt):
        """The region of an application of `places`; a bound that may be negative would mean another thing in a slice."""
        starts, stops = stmt.params["starts"], stmt.params["stops"]
        lo, hi = (self.form(stmt.args[k]) if given else None for k, given in ((0, starts), (-1, stops)))
        if starts and lo is None or stops and hi is None or any(b is not None and not self.is_at_least(b, 0) for b in (lo, hi)):
            return None
        return (Stretch(lo, hi),)

    def is_region_known(self, region, stmt):
        names = {name for s in region if s for bound in s if bound for name, _ in bound.terms}
        return all(self.is_known(name, stmt) for name in names)


def is_turned(entry):
    """Whether an entry is a whole axis backwards."""
    return isinstance(entry, slice) and entry.step == -1 and entry.stop is None


def mirrored(facts, stretch, size):
    """The same places of an axis counted from the other end; None where a bound may be behind the end."""
    if any(b is not None and not facts.is_at_most(b, size) for b in stretch):
        return None
    return Stretch(*(None if b is None else Linear(size).plus(b, -1) for b in stretch[::-1]))


def keeps_axis(entry, operands):
    """Whether the axis that an entry of an index covers is one of the result; operands are avals. Index arrays have one axis."""
    return isinstance(entry, slice | Window) or isinstance(entry, Hole) and len(operands[entry.position].shape) == 1


def is_simple(index, operands):
    """Whether an index holds one array of integers at the most, of one axis, and no scalars beside it: axes stay in their order."""
    arrays = [operands[e.position] for e in index if isinstance(e, Hole) and operands[e.position].shape]
    scalars = any(isinstance(e, int) or isinstance(e, Hole) and not operands[e.position].shape for e in index)
    return not arrays or len(arrays) == 1 and len(arrays[0].shape) == 1 and arrays[0].dtype.kind in "iu" and not scalars


def aligned(region, shape, whole):
    """The part of a region of an array of shape `whole` that an operand of `shape` has, which broadcasts against it."""
    region = region[len(region) - len(shape):] if len(region) >= len(shape) else (None,) * (len(shape) - len(region)) + region
    whole = whole[len(whole) - len(shape):]
    return tuple(s if n == m else None for s, n, m in zip(region, shape, whole))


def spread(region, shape):
    """The region of an array of `shape`, against which a mask with `region` broadcasts."""
    return (None,) * (len(shape) - len(region)) + tuple(region)


def fitting(region, shape):
    """The part of a region that is read of an array of `shape` when it is stored there."""
    return tuple(None if n == 1 else s for s, n in zip(region[len(region) - len(shape):], shape))


def is_all(region):
    return not any(region)


__all__ = ["Facts", "Stretch", "aligned", "fitting", "is_all", "is_simple", "is_turned", "keeps_axis", "mirrored", "spread"]
