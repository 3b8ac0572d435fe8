"""Which region of each array the rest of the program looks at, and what becomes of each statement: the last use goes first.

A value that is looked at in one region only is computed there only (`narrow`). A mask whose result is looked at in the mask's
region only is no mask (`alias`); a result that is needed as a whole, but differs from another array in the region only, is that array
with a store into the region (`store`).
"""

from typing import NamedTuple

import numpy as np

from ...core import Apply, Hole, Move, Update, is_name, operands
from ...ops.index_templates import FULL, Window, is_identity
from ...ops.op import TABLE
from .regions import aligned, fitting, is_all, is_simple, is_turned, keeps_axis, mirrored, spread
from .tapes import Tapes
from .windows import unpadded

NEUTRAL = {"sum": 0, "prod": 1, "max": -np.inf, "min": np.inf, "any": 0, "all": 1}
SAME_SHAPE = {"astype", "copy", "real", "imag"}


class Choice(NamedTuple):
    """What becomes of a statement: a kind, the region of its result, the regions of its operands, steps (kind, region, value) of stores."""

    kind: str
    region: tuple = ()
    parts: tuple = ()
    steps: tuple = ()


class Needs:
    """`regions` maps immutable names to the region that is looked at; `choices` maps ids of statements to a Choice."""

    def __init__(self, facts, outside, uses):
        self.facts, self.outside, self.uses = facts, outside, uses
        self.regions, self.choices, self.dropped = {}, {}, set()
        self.tapes = Tapes(facts)

    def run(self, stmts):
        """Go through all statements from the last to the first."""
        for stmt in reversed(stmts):
            if getattr(stmt, "target", None) in self.dropped:
                self.choose(stmt, Choice("drop"))
            elif type(stmt) is Apply and stmt.target in self.facts.made:
                self.apply(stmt)
            elif type(stmt) is Apply and stmt.op.impl in (np.add, np.subtract, np.where) and self.stores(stmt):
                continue
            elif type(stmt) in (Update, Move):
                self.store(stmt)
            else:
                self.whole(operands(stmt))

    # asking -----------------------------------------------------------------------------------------
    def whole(self, atoms):
        for atom in atoms:
            self.ask(atom, ())

    def ask(self, atom, region):
        """Note that a region of an array is looked at; another one than before makes it the whole array."""
        if not is_name(atom) or atom not in self.facts.made:
            return
        region = spread(region, self.facts.shape(atom))
        region = tuple(s if s and self.facts.is_region_known((s,), self.facts.made[atom]) else None for s in region)
        before = self.regions.get(atom, region)
        self.regions[atom] = tuple(a if a == b else None for a, b in zip(before, region))

    def choose(self, stmt, choice):
        self.choices[id(stmt)] = choice
        return choice

    # values -----------------------------------------------------------------------------------------
    def apply(self, stmt):
        shape = self.facts.avals[stmt.target].shape
        region = self.regions.get(stmt.target, ())
        if shape and not region:
            self.choose(stmt, Choice("drop"))
            return
        if stmt.op.impl is np.where and self.where(stmt, region, shape):
            return
        found = self.outside.moved.get(stmt.target)
        if found is not None and region == found.places and not is_all(region):
            self.dropped.add(found.array)
            self.ask(found.value, found.region)
            self.choose(stmt, Choice("shift", region, (found.value, found.region)))
            return
        if is_all(region) and stmt.op.impl in (np.add, np.subtract) and self.stores(stmt):
            return
        found = unpadded(self.facts, stmt, region) if stmt.op is TABLE["getitem"] and not is_all(region) else None
        if found is not None and not is_all(found[1]):
            self.ask(*found)
            self.choose(stmt, Choice("shift", region, found))
            return
        parts = self.parts(stmt, region, shape)
        if parts is None:
            self.regions[stmt.target] = (None,) * len(shape)
            self.whole(stmt.args)
            return
        if not is_all(region) or not all(map(is_all, parts)):
            self.choose(stmt, Choice("narrow", region, tuple(parts)))
        for atom, part in zip(stmt.args, parts):
            self.ask(atom, part)

    def parts(self, stmt, region, shape):
        """The regions of the operands from which the region of the result is computed; None if the operation cannot be narrowed so.

        The parts may be narrower than the region asks for, where elements outside have no effect.
        """
        op = stmt.op
        if op.elementwise:
            return self.elementwise(stmt, region, shape)
        if op.name in SAME_SHAPE:
            return None if stmt.args[0] in self.outside.uniform else [region]
        if op is TABLE["getitem"] and (stmt.args[0] not in self.outside.uniform or self.outside.is_number(stmt.args[0])):
            return self.getitem(stmt, region)
        if any(a in self.outside.uniform for a in stmt.args if is_name(a)):
            return None
        if op.name in NEUTRAL:
            return self.reduction(stmt, region)
        if op.name in ("dot", "matmul"):
            return self.product(stmt, region)
        if op.name in ("cumsum", "cumprod") and op is TABLE[op.name]:
            return self.running(stmt, region)
        return None

    def elementwise(self, stmt, region, shape):
        alike = self.outside.uniform.get(stmt.target, ())
        for k, stretch in enumerate(region):
            back = len(shape) - k
            if stretch and back not in alike and not any(self.outside.gives(a, back, stmt) for a in stmt.args):
                return None
        return [aligned(region, self.facts.shape(a), shape) for a in stmt.args]

    def where(self, stmt, region, shape):
        """Whether a selection by a mask is an alias or a store."""
        mask = self.facts.mask(stmt.args[0])
        _, a, b = stmt.args
        if mask is None:
            return False
        inside = spread(mask, shape)
        if not is_all(region) and all(r == s for r, s in zip(region, inside) if s):
            part = aligned(region, self.facts.shape(a), shape)
            self.ask(a, part)
            return self.choose(stmt, Choice("alias", region, (part,)))
        return is_all(region) and self.stores(stmt)

    def stores(self, stmt):
        """Whether a result that is needed as a whole is another array, or a number everywhere, with stores into regions of it."""
        steps, base, reader = self.chain(stmt)
        if not steps or not self.is_base(base, stmt) or not self.facts.is_steady(base, reader, stmt):
            return False
        if not all(self.facts.is_region_known(region, stmt) for _, region, _ in steps):
            return False
        steps = self.merged(steps, base, stmt)
        self.ask_steps(steps)
        self.whole([base])
        return self.choose(stmt, Choice("store", (), (base,), steps))

    def is_base(self, atom, stmt):
        """Whether an array can be stored into to become the result of a statement; a number fills a new array."""
        return not is_name(atom) or self.facts.program.aval(atom)[:2] == self.facts.avals[stmt.target][:2]

    def chain(self, made, is_old=None):
        """(steps, base, reader): the stores into `base` that make the result of a statement, and what reads it; all values on the way
        have no other use. is_old(value): whether a value is the base that is wanted.
        """
        steps, reader, value = [], None, made.target
        while is_name(value) and not (is_old and is_old(value)):
            made = self.facts.made.get(value) if steps else made
            if made is None or steps and self.uses[value] != 1:
                break
            found = self.step(made) if made.op.impl in (np.add, np.subtract) else self.selected(made)
            if found is None or self.facts.shape(found[1]) not in ((), self.facts.avals[made.target].shape):
                break
            steps.append(found[0])
            value, reader = found[1], made
        return steps[::-1], value, reader

    def merged(self, steps, base, stmt):
        """Steps without zeros that are added to at once, and without parts of the base that are put where they were."""
        out = []
        for step in steps:
            kind, region, value = step
            if kind == "add" and out and out[-1][:2] == ("set", region) and not is_name(out[-1][2]) and out[-1][2] == 0:
                out.pop()
                step = "set", region, value
            if not (step[0] == "set" and not out and self.is_part(value, region, base, stmt)):
                out.append(step)
        return tuple(out)

    def is_part(self, value, region, base, stmt):
        """Whether a value is, in a region, what the base holds there."""
        made = self.facts.made.get(value) if is_name(value) and is_name(base) else None
        if made is None or made.op.impl is not np.where or self.facts.mask(made.args[0]) is None:
            return False
        if spread(self.facts.mask(made.args[0]), self.facts.shape(value)) != region:
            return False
        return self.facts.is_steady(base, made, stmt) if made.args[1] == base else self.is_part(made.args[1], region, base, stmt)

    def ask_steps(self, steps):
        for _, region, value in steps:
            self.ask(value, fitting(region, self.facts.shape(value)))

    def step(self, stmt):
        """A sum as a step (kind, region, value) and the other operand; None if neither is 0 outside of a region."""
        x, y = stmt.args
        ways = [(x, y)] + ([(y, x)] if stmt.op.impl is np.add else [])
        for kept, added in ways:
            region = self.outside.zero(added)
            if region is not None and is_name(kept) and self.facts.shape(added) == self.facts.avals[stmt.target].shape:
                return ("add" if stmt.op.impl is np.add else "subtract", region, added), kept
        return None

    def getitem(self, stmt, region):
        source, *rest = stmt.args
        index, shape = stmt.params["index"], self.facts.shape(source)
        operands = self.facts.operands_of(rest)
        if not is_simple(index, operands):
            return None
        part, inner, axis, out = [], [()] * len(rest), 0, 0
        for entry in index:
            if entry is None:
                out += 1
                continue
            stretch = region[out] if keeps_axis(entry, operands) else None
            part.append(None)
            if entry == FULL:
                part[-1] = stretch
            elif stretch and isinstance(entry, Hole):
                inner[entry.position] = (stretch,)
            elif stretch and not self.is_forward(entry, rest):
                part[-1] = mirrored(self.facts, stretch, shape[axis]) if is_turned(entry) else None
                if part[-1] is None:
                    return None
            out += keeps_axis(entry, operands)
            axis += 1
        return [tuple(part), *inner]

    def is_forward(self, entry, rest):
        """Whether an entry takes neighbours in their order, from a place on that is known."""
        return self.facts.form(rest[entry.position]) is not None if isinstance(entry, Window) else entry.step == 1

    def reduction(self, stmt, region):
        source, axes = stmt.args[0], stmt.params["axis"]
        fact = self.outside.of(source)
        neutral = fact is not None and fact[1] == NEUTRAL[stmt.op.name]
        part, kept = [], iter(region)
        for k in range(len(self.facts.shape(source))):
            if k in axes:
                part.append(fact[0][k] if neutral else None)
                if stmt.params["keepdims"]:
                    next(kept)
            else:
                part.append(next(kept))
        return [tuple(part), *((),) * (len(stmt.args) - 1)]

    def product(self, stmt, region):
        """A sum of products over the last axis of one and the last but one of the other operand."""
        shapes = [self.facts.shape(a) for a in stmt.args]
        if not all(len(s) in (1, 2) for s in shapes):
            return None
        axes = len(shapes[0]) - 1, max(len(shapes[1]) - 2, 0)
        summed = [z[k] for z, k in ((self.outside.zero(a), k) for a, k in zip(stmt.args, axes)) if z is not None and z[k]]
        common = summed[0] if summed and all(s == summed[0] for s in summed) else None
        rest = iter(region)
        parts = [tuple(common if k == axis else next(rest) for k in range(len(shape))) for axis, shape in zip(axes, shapes)]
        return parts

    def running(self, stmt, region):
        """Running sums, from the first place that counts."""
        axis, zero = stmt.params["axis"], self.outside.zero(stmt.args[0])
        stretch = region[axis]
        prefix = stretch is None or stretch.lo is None
        return [region] if prefix or zero is not None and zero[axis] == stretch and stmt.op.name == "cumsum" else None

    # stores -----------------------------------------------------------------------------------------
    def store(self, stmt):
        written = self.tapes.region(stmt, self.regions) if type(stmt) is Update else None
        if written is not None:
            return self.put(stmt, [("set", written, stmt.value)])
        steps = self.steps(stmt) if type(stmt) is Update and stmt.mode == "set" else None
        if type(stmt) is Update and stmt.mode == "add":
            region = self.outside.zero(stmt.value)
            if region is not None and self.fits(region, stmt):
                steps = [("add", region, stmt.value)]
        if steps is None:
            self.whole(operands(stmt))
            return
        self.put(stmt, steps)

    def put(self, stmt, steps):
        """Choose stores into regions in place of a store."""
        self.whole([stmt.target])
        for atom, part in zip(stmt.args, self.index_parts(stmt, steps)):
            self.ask(atom, part)
        self.ask_steps(steps)
        self.choose(stmt, Choice("steps", (), tuple(self.index_parts(stmt, steps)), tuple(steps)))

    def turned(self, region, stmt):
        """Whether a region of a store into axes that run backwards can be counted from the other end."""
        shape = self.facts.shape(stmt.target)
        alone = len(region) == len(stmt.index) == len(shape)
        return alone and all(not s or not is_turned(e) or mirrored(self.facts, s, n) for s, e, n in zip(region, stmt.index, shape))

    def index_parts(self, stmt, steps):
        """The regions of the operands of an index: those of an index array are the value's."""
        operands, out, parts = self.facts.operands_of(stmt.args), 0, [()] * len(stmt.args)
        for entry in stmt.index:
            if isinstance(entry, Hole) and operands[entry.position].shape:
                parts[entry.position] = (steps[0][1][out],)
            out += entry is None or keeps_axis(entry, operands)
        return parts

    def steps(self, stmt):
        """The steps that make the stored value of what it replaces, or of a number; None if it is not made so."""
        if self.facts.made.get(stmt.value) is None or self.uses[stmt.value] != 1:
            return None
        steps, base, reader = self.chain(self.facts.made[stmt.value], lambda value: self.is_old(value, stmt))
        if not steps or not all(self.fits(region, stmt) for _, region, _ in steps):
            return None
        if not is_name(base):
            return [("set", (), base), *steps]
        if not self.is_old(base, stmt) or not self.facts.is_steady(base, reader, stmt):
            return None
        return self.merged(steps, base, stmt)

    def selected(self, made):
        """A selection by a mask as a step."""
        mask = self.facts.mask(made.args[0]) if made.op.impl is np.where else None
        shape = self.facts.avals[made.target].shape
        if mask is None:
            return None
        return ("set", spread(mask, shape), made.args[1]), made.args[2]

    def is_old(self, value, stmt):
        """Whether a value is what a store replaces."""
        if value == stmt.target:
            return is_identity(stmt.index)
        made = self.facts.made.get(value)
        if made is None or made.op is not TABLE["getitem"] or made.args != (stmt.target, *stmt.args):
            return False
        return repr(made.params["index"]) == repr(stmt.index) and self.facts.is_steady(stmt.target, made, stmt)

    def fits(self, region, stmt):
        """Whether a region of the stored value can be put into the index of a store."""
        operands = self.facts.operands_of(stmt.args)
        places = [e for e in stmt.index if e is None or keeps_axis(e, operands)]
        whole = all(isinstance(e, Hole | int) or e is None or e == FULL or is_turned(e) for e in stmt.index)
        if any(map(is_turned, stmt.index)) and not self.turned(region, stmt):
            return False
        arrays = any(a.shape for a in operands)
        simple = whole and is_simple(stmt.index, operands) and (stmt.mode == "add" or not arrays)
        return simple and len(places) == len(region) and self.facts.is_region_known(region, stmt)


__all__ = ["Choice", "Needs"]
