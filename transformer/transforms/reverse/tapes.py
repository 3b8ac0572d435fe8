"""Keeping primal values for the reverse sweep.

Outside of loops a value keeps its name. In a loop it is stored into an array with one leading axis per enclosing loop,

    x_tape = np.empty((n, m, 3))
    for i in range(n):
        for j in range(m):
            x_tape[i, j] = x

or, where a loop is a while or its rounds cannot be bounded beforehand, into one that grows, written and read at a pointer.
"""

from typing import Any, NamedTuple

import numpy as np

from ...analysis.bounds import Bounds
from ...core import Aval, For, Hole, Move, Update
from ...errors import TransformError
from ...ops.op import TABLE
from .patches import in_head


class Kept(NamedTuple):
    """A kept value: the name (of the value itself, or of its tape) and the loops that index the tape."""

    name: str
    loops: tuple = ()
    hint: Any = None


class Tapes:
    def __init__(self, sweep):
        self.sweep, self.builder, self.blocks = sweep, sweep.builder, sweep.blocks
        self.patches, self.frames = sweep.patches, sweep.frames
        self.axes = {}
        self.pointers = {}

    def keep(self, atom, block, where, hint):
        """Keep the value of a name at the place `where` (a list of patches) in `block`."""
        aval = self.builder.avals[atom]
        if block.loop is None:
            return Kept(self.copied(atom, where))
        loops = block.loops()
        axes = None if None in aval.shape else self.known_axes(loops)
        if axes is None:
            return self.keep_growing(atom, block, where, hint, aval)
        tape = self.new_array(axes, aval, loops[0], hint)
        indices = [axis.index for axis in axes]
        self.store(tape, indices, atom, where)
        return Kept(tape, tuple(loops), hint)

    def copied(self, atom, where):
        """The name itself if it always has this value, else a copy under a name of its own."""
        if not self.blocks.is_versioned(atom):
            return atom
        name = self.sweep.fresh_like(atom)
        where.append(Move(name, atom))
        return name

    def store(self, tape, indices, atom, where):
        template = (*map(Hole, range(len(indices))), *(slice(None),) * (len(self.builder.avals[tape].shape) - len(indices)))
        where.append(Update(tape, template, tuple(indices), atom))

    def read(self, kept):
        """The name of a kept value in the reverse sweep."""
        if not kept.loops:
            return kept.name
        start = self.sweep.start()
        indices = [self.index_of(loop) for loop in kept.loops] if kept.loops[0] is not None else [self.pointer_of(kept.loops[1])]
        value = self.sweep.ref(kept.name)[tuple(self.sweep.ref(i) for i in indices)]
        return self.sweep.protect(self.sweep.named(value, kept.hint, start))

    # arrays of known extent -----------------------------------------------------------
    def known_axes(self, loops):
        """An Axis for each loop of a nest, or None if the extent of one is not known before the nest starts."""
        axes = [self.axis(loop) for loop in loops]
        return None if None in axes else axes

    def axis(self, loop):
        if loop not in self.axes:
            bounds = (None, None)
            if isinstance(loop.owner, For):
                bounds = Bounds(self.blocks, loop.loops()[0]).index(loop.owner)
            self.axes[loop] = None if None in bounds else Axis(self, loop, *bounds)
        return self.axes[loop]

    def new_array(self, axes, aval, outermost, hint):
        with self.builder.nested(self.patches.before(outermost.parent, outermost.position)):
            extents = [axis.extent for axis in axes]
            dynamic = [e for e in extents if not isinstance(e, int)]
            holes = iter(range(len(dynamic)))
            shape = (*(e if isinstance(e, int) else Hole(next(holes)) for e in extents), *aval.shape)
            made = self.builder.emit(TABLE["empty"], dynamic, {"shape": shape, "dtype": aval.dtype}, f"{hint}_tape")
        return made.storage.name

    def index_of(self, loop):
        """The atom that indexes the axis of a loop, in the reverse sweep."""
        frame = self.frames.of_block(loop)
        if frame.index is None:
            with self.frames.outwards(frame), self.builder.nested(frame.start):
                frame.index = self.sweep.atom(self.axes[loop].shifted(self.sweep.value))
        return frame.index

    # tapes that grow -------------------------------------------------------------------
    def keep_growing(self, atom, block, where, hint, aval):
        loop = block.loop
        if in_head(block, len(block.stmts)) and not block.is_loop:
            raise TransformError("a value computed in a branch of the condition of a while is needed by its derivative",
                                 "Compute it before the while, or in its body.", self.builder.origin)
        outermost = block.loops()[0]
        with self.builder.nested(self.patches.before(outermost.parent, outermost.position)):
            tape = self.builder.emit(TABLE["tape"], (), {"shape": aval.shape, "dtype": aval.dtype}, f"{hint}_tape").storage.name
        while block is not loop:
            atom, where = self.merged(atom, block, where, aval)
            block = block.parent
        self.store(tape, [self.pointer(loop)], atom, where)
        return Kept(tape, (None, loop), hint)

    def merged(self, atom, block, where, aval):
        """A name that holds the value behind the `if` whose branch `block` is, zeros if the other branch was taken."""
        value = self.copied(atom, where)
        name = self.builder.fresh(self.builder.hints.get(atom, atom), aval)
        other = next(b for b in self.blocks.inner[id(block.owner)] if b is not block)
        self.patches.end(block).append(Move(name, value))
        with self.builder.nested(self.patches.end(other)):
            self.builder.add(Move(name, self.sweep.atom(self.sweep.placeholder(aval))))
        return name, self.patches.after(block.parent, block.position)

    def pointer(self, loop):
        """The atom at which a growing tape of a loop is written in this round."""
        stmt = loop.owner
        if len(loop.loops()) == 1 and not isinstance(stmt, For):
            return self.counter(stmt)
        if len(loop.loops()) == 1 and stmt.step == 1 and stmt.lo == 0:
            return stmt.index
        if loop not in self.pointers:
            self.pointers[loop] = self.new_pointer(loop)
        return self.pointers[loop]

    def new_pointer(self, loop):
        """A number that counts the rounds of a loop over all rounds of the loops around it."""
        name = self.builder.fresh("position", Aval((), np.dtype(np.int64), True))
        outermost = loop.loops()[0]
        self.patches.before(outermost.parent, outermost.position).append(Move(name, 0))
        with self.builder.nested(self.patches.end(loop)):
            following = self.sweep.atom(self.sweep.ref(name) + 1)
        self.patches.last(loop).append(Move(name, following))
        self.builder.counters.add(name)
        frame = self.frames.of_block(loop)
        with self.builder.nested(frame.start):
            frame.pointer = self.sweep.atom(self.sweep.ref(name) - 1)
        frame.pointer_name = name
        return name

    def pointer_of(self, loop):
        """The atom at which a growing tape of a loop is read, in the reverse sweep."""
        frame, name = self.frames.of_block(loop), self.pointer(loop)
        return frame.pointer if frame.pointer is not None else frame.env[name]

    def counter(self, stmt):
        """The counter of a While, added if there is none."""
        name = stmt.counter or self.patches.counters.get(id(stmt))
        if name is None:
            name = self.builder.fresh("rounds", Aval((), np.dtype(np.int64), True))
            self.patches.counters[id(stmt)] = name
        return name


class Axis:
    """The axis of a tape that belongs to a loop: its index in the primal part and its extent."""

    def __init__(self, tapes, loop, least, most):
        self.tapes, self.loop, self.least = tapes, loop, least
        self.span, self.step = most.plus(least, -1), abs(loop.owner.step)
        self.made = None

    @property
    def index(self):
        """The atom that indexes the axis, in the primal part."""
        if self.made is None:
            with self.tapes.builder.nested(self.tapes.patches.start(self.loop)):
                self.made = self.tapes.sweep.atom(self.shifted(lambda name: name))
        return self.made

    def shifted(self, value):
        """The loop's index counted from its least value; `value` gives the atom of a name."""
        ref = self.tapes.sweep.ref
        index = ref(value(self.loop.owner.index))
        if self.least.terms or self.least.constant:
            index = index - linear(self.least, lambda name: ref(value(name)))
        return index if self.step == 1 else index // self.step

    @property
    def extent(self):
        """The number of entries: an int, or a reference to one computed before the nest."""
        ref = self.tapes.sweep.ref
        if not self.span.terms:
            return max(0, self.span.constant // self.step + 1)
        if self.step == 1:
            rounds = self.span._replace(constant=self.span.constant + 1)
            extent = linear(rounds, ref)
            plain = rounds.constant >= 0 and all(c > 0 for _, c in rounds.terms)
            return extent if plain else np.maximum(extent, 0)
        return np.maximum(linear(self.span, ref) // self.step + 1, 0)


def linear(form, value):
    """A linear form as an expression over `value(name)`, or an int."""
    total = None
    for name, factor in form.terms:
        term = value(name) if abs(factor) == 1 else value(name) * abs(factor)
        if total is None:
            total = term if factor > 0 else -term
        else:
            total = total + term if factor > 0 else total - term
    if total is None:
        return form.constant
    if form.constant:
        total = total + form.constant if form.constant > 0 else total - -form.constant
    return total
