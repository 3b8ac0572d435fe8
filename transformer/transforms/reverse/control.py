"""Branches and loops backwards.

An `if` is reversed branch by branch under the same test. A loop is reversed into a `for` over the same rounds in the opposite
order; it hands on, from round to round, the cotangents of what lives outside of it, and the names that its Moves rebind.
"""

import numpy as np

from ...core import Aval, For, If, Move, is_name
from .bars import ZERO, Bar, parallel_moves
from .frames import UNBOUND, Frame


class Control:
    def __init__(self, sweep):
        self.sweep, self.builder, self.blocks = sweep, sweep.builder, sweep.blocks
        self.patches, self.frames, self.tapes = sweep.patches, sweep.frames, sweep.tapes
        self.values, self.bars = sweep.values, sweep.bars

    def reverse(self, stmt, frame):
        """Reverse the compound statement that stands last in the state of `frame`."""
        if isinstance(stmt, If):
            self.branches(stmt, frame)
        elif isinstance(stmt, For):
            self.for_(stmt, frame)
        else:
            self.while_(stmt, frame)

    # branches -----------------------------------------------------------------------
    def branches(self, stmt, frame):
        test = self.sweep.value(stmt.test)
        sides = [Frame(block) for block in self.blocks.inner[id(stmt)]]
        for side in sides:
            with self.frames.entered(side):
                self.values.restore_locals(side)
                self.sweep.sweep(side)
        frame.state -= 1
        self.merge_versions(sides, frame)
        self.merge_bars(sides, frame)
        if any(side.stmts for side in sides):
            self.builder.add(If(test, *(side.stmts for side in sides)))

    def seen_after(self, sides, table):
        """The names in a table of the branches that live outside of them."""
        names = dict.fromkeys(name for side in sides for name in getattr(side, table))
        return [n for n in names if not any(self.blocks.home[n].inside(side.block) for side in sides)]

    def merge_versions(self, sides, frame):
        for name in self.seen_after(sides, "env"):
            atoms = [self.version(side, name) for side in sides]
            frame.env[name] = UNBOUND if UNBOUND in atoms else self.merged(sides, atoms, lambda: self.sweep.fresh_like(name))

    def version(self, side, name):
        """The name of the present version of a versioned name at the start of a branch."""
        with self.frames.entered(side):
            return self.frames.find("env", name) or name

    def merge_bars(self, sides, frame):
        for name in self.seen_after(sides, "bars"):
            atoms = []
            for side in sides:
                with self.frames.entered(side):
                    atoms.append(self.bars.get(name).atom)
            if atoms[0] == atoms[1]:
                self.bars.put(name, sides[0].bars.get(name) or sides[1].bars.get(name))
                continue
            for k, side in enumerate(sides):
                with self.frames.entered(side):
                    atoms[k] = self.bars.zeros(name) if atoms[k] is None else atoms[k]
            self.bars.put(name, Bar(self.merged(sides, atoms, lambda: self.bars.movable_name(name)), True))

    def merged(self, sides, atoms, fresh):
        """One name for what is called `atoms[k]` at the end of branch k."""
        if atoms[0] == atoms[1]:
            return atoms[0]
        name = fresh()
        for side, atom in zip(sides, atoms):
            side.stmts.append(Move(name, atom, self.builder.origin))
        return name

    # loops ------------------------------------------------------------------------------
    def for_(self, stmt, frame):
        inner = Frame(self.blocks.inner[id(stmt)][0])
        lo, hi = (self.bound(a, inner.block, frame) for a in (stmt.lo, stmt.hi))
        index = self.sweep.fresh_like(stmt.index)
        inner.env[stmt.index] = index
        body = self.rounds(inner, frame)
        if body:
            self.builder.add(For(index, *self.backwards(lo, hi, stmt.step), -stmt.step, body))

    def bound(self, atom, block, frame):
        """The value of a loop's bound at the loop's start; a copy where the loop changes it."""
        if is_name(atom) and block.rebinds.get(atom):
            where = self.patches.before(frame.block, frame.state - 1)
            return self.tapes.read(self.tapes.keep(atom, frame.block, where, self.builder.hints.get(atom, atom)))
        return self.sweep.value(atom)

    def backwards(self, lo, hi, step):
        """First value and bound of the opposite range."""
        if not is_name(lo) and not is_name(hi):
            rounds = range(int(lo), int(hi), step)
            return (rounds[-1], rounds.start - step) if rounds else (int(lo) - step, int(lo) - step)
        first, last = self.sweep.ref(lo), self.sweep.ref(hi)
        if abs(step) == 1:
            return self.sweep.atom(shifted(last, -step)), self.sweep.atom(shifted(first, -step))
        span = shifted(last, -np.sign(step).item()) if not is_name(lo) and lo == 0 else shifted(last, -np.sign(step).item()) - first
        start = span // step * step
        start = start if not is_name(lo) and lo == 0 else start + first
        return self.sweep.atom(start), self.sweep.atom(shifted(first, -step))

    def while_(self, stmt, frame):
        block = self.blocks.inner[id(stmt)][0]
        inner = Frame(block)
        counter = self.tapes.counter(stmt)
        where = self.patches.after(frame.block, frame.state - 1)
        count = self.tapes.read(self.tapes.keep(counter, frame.block, where, counter))
        own = stmt.counter is None or self.builder.hints.get(counter, counter) == "rounds"
        index = self.builder.fresh("k", Aval((), np.dtype(np.int64), True)) if own else self.sweep.fresh_like(counter)
        inner.env[counter] = index
        if frame.block.loop is None:
            inner.pointer = index
        body = self.rounds(inner, frame)
        if body:
            start = self.sweep.atom(shifted(self.sweep.ref(count), -1))
            self.builder.add(For(index, start, -1, -1, body))

    def rounds(self, inner, frame):
        """The body of the reversed loop; what it hands on is bound in front of it."""
        versions = self.carried_versions(inner)
        with self.frames.entered(inner):
            self.values.restore_locals(inner)
            self.sweep.sweep(inner)
            moves = [(carried, inner.env[name]) for name, (carried, _) in versions.items() if inner.env[name] is not UNBOUND]
            moves += [(carried, self.bars.atom(name)) for name, carried in inner.carries.items()]
            parallel_moves(self.builder, moves)
        frame.state -= 1
        for name, (carried, before) in versions.items():
            if inner.env[name] is UNBOUND:
                frame.env[name] = UNBOUND
                self.values.unset[carried] = name
                continue
            self.builder.add(Move(carried, before))
            frame.env[name] = carried
        for name, carried in inner.carries.items():
            parallel_moves(self.builder, [(carried, self.bars.atom(name))])
            frame.bars[name] = Bar(carried, True)
        if inner.pointer_name is not None:
            inner.stmts.append(Move(inner.pointer_name, inner.pointer))
        return inner.start + inner.stmts

    def carried_versions(self, inner):
        """For names from outside that Moves in the loop rebind: the name handed on, and the version after the loop."""
        versions = {}
        for name in inner.block.rebinds:
            moved = any(isinstance(s.stmt, Move) and s.block.inside(inner.block) for s in self.blocks.sites[name])
            if not moved or self.blocks.home[name].inside(inner.block):
                continue
            before = self.frames.find("env", name) or name
            if before is UNBOUND:
                inner.env[name] = UNBOUND
                continue
            versions[name] = self.sweep.fresh_like(name), before
            inner.env[name] = versions[name][0]
        return versions


def shifted(value, by):
    """`value + by`, written as a difference where `by` is negative."""
    return value + by if by > 0 else value - -by if by < 0 else value


__all__ = ["ZERO", "Control"]
