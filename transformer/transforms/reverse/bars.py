"""Cotangents: the bars of the primal names while the sweep goes backwards."""

import math
from typing import NamedTuple

import numpy as np

from ...core import Apply, Aval, Derived, Move, Update, blocks, is_name, operands, targets
from ...ops import index_templates as templates
from ...ops.op import TABLE, lookup

REACH = 40
"""How many statements back a store of zeros is looked for."""


class Bar(NamedTuple):
    """The name of a cotangent; `owned`: nothing else goes by that name, so that it may be stored into."""

    atom: str
    owned: bool = False


ZERO = Bar(None)


class Bars:
    """The bar of each primal name at the sweep's present state. Entries live in the frames, see `Frame.bars`."""

    def __init__(self, sweep):
        self.sweep, self.builder = sweep, sweep.builder
        self.blocks, self.frames = sweep.blocks, sweep.frames
        self.movable = set()

    def get(self, name, depth=None):
        """The Bar of a name. A loop hands the bars of names from outside on from round to round under one name."""
        home, stack = self.blocks.home[name], self.frames.stack[:depth]
        for depth in range(len(stack) - 1, -1, -1):
            frame = stack[depth]
            if name in frame.bars:
                return frame.bars[name]
            if frame.block.is_loop and not home.inside(frame.block):
                return self.carry(frame, name, depth)
        return ZERO

    def carry(self, frame, name, depth):
        """The Bar that a loop hands on: under the name from outside, where that may be stored into, else under a new one."""
        outer = self.get(name, depth)
        carried = outer.atom if outer.owned and outer.atom in self.movable else self.movable_name(name)
        frame.carries[name] = carried
        frame.bars[name] = Bar(carried, True)
        return frame.bars[name]

    def movable_name(self, name):
        """A new name for a bar, bound by Moves."""
        fresh = self.builder.fresh(self.hint(name), self.aval(name))
        self.movable.add(fresh)
        return fresh

    def put(self, name, bar):
        self.frames.inner.bars[name] = bar

    def pop(self, name):
        """The cotangent of a name (None: zero), which is zero from now on."""
        bar = self.get(name)
        self.put(name, ZERO)
        return bar.atom

    def hint(self, name):
        return Derived(f"{self.builder.hints.get(name, name).rstrip('_')}_bar")

    def aval(self, name):
        """What the bar of a name looks like: never a Python number."""
        aval = self.builder.avals[name]
        return Aval(aval.shape, aval.dtype)

    def zeros(self, name):
        """Zeros of a name's shape as an atom."""
        start, aval = self.sweep.start(), self.aval(name)
        if None in aval.shape and not self.is_visible(name):
            return self.sweep.named(self.sweep.placeholder(aval), self.hint(name), start)
        if None in aval.shape:
            zeros = self.sweep.emit(TABLE["zeros_like"], self.sweep.primal(name), dtype=aval.dtype)
            return self.sweep.named(zeros, self.hint(name), start)
        if aval.shape == () and aval.dtype == np.float64:
            return 0.0
        return self.sweep.named(self.sweep.zeros(aval), self.hint(name), start)

    def is_visible(self, name):
        """Whether a primal name can be read here: one that a branch binds, only where the same branch is open again."""
        here, block = self.frames.inner.block, self.blocks.home[name]
        opened = {self.blocks.side(frame.block) for frame in self.frames.stack}
        while not here.inside(block):
            if self.blocks.side(block) not in opened:
                return False
            block = block.parent
        return True

    def atom(self, name):
        """The bar of a name as an atom, zeros if it is zero."""
        bar = self.get(name)
        return self.zeros(name) if bar.atom is None else bar.atom

    # accumulation ---------------------------------------------------------------------
    def add(self, name, contribution, start):
        """Add a contribution (a reference or number) that the statements since `start` computed."""
        value = self.fit(contribution, self.aval(name))
        if value is None:
            return
        bar = self.get(name)
        if bar.atom is None:
            self.put(name, Bar(self.sweep.named(value, self.hint(name), start)))
            return
        total = np.add(self.sweep.ref(bar.atom), value)
        self.put(name, Bar(self.sweep.named(total, self.hint(name), start), True))

    def own(self, name):
        """The bar of a name under a name that may be stored into."""
        bar = self.get(name)
        if not bar.owned:
            fresh = self.movable_name(name)
            self.builder.add(Move(fresh, self.zeros(name) if bar.atom is None else bar.atom))
            bar = Bar(fresh, True)
            self.put(name, bar)
        return bar.atom

    def scatter(self, name, template, atoms, contribution):
        """Add a contribution to the elements `template` of the bar of an array, in place."""
        aval = self.aval(name)
        value = self.sweep.atom(self.cast(contribution, aval.dtype))
        basic = not templates.is_advanced(template, [self.builder.aval(a) for a in atoms])
        zero = self.get(name).atom is None
        bar = self.own(name)
        if basic and not zero and self.replace_zero(bar, template, tuple(atoms), value):
            return
        self.builder.add(Update(bar, template, tuple(atoms), value, "set" if zero and basic else "add"))

    def replace_zero(self, bar, template, atoms, value):
        """Where the same elements have just been set to zero, store the value there instead; True if so.

        `t = A_bar[i]; A_bar[i] = 0; A_bar[i] += t` leaves nothing but the read.
        """
        block = self.builder.block
        at = len(block) - 1
        while at >= 0 and len(block) - at < REACH and not blocks(block[at]) and bar not in (*operands(block[at]), *targets(block[at])):
            at -= 1
        found = block[at] if at >= 0 else None
        if not isinstance(found, Update) or found.target != bar or not is_zero(found) or (found.index, found.args) != (template, atoms):
            return False
        del block[at]
        if not self.is_read_of(block[:at], bar, template, atoms, value):
            self.builder.add(Update(bar, template, atoms, value))
        return True

    def is_read_of(self, stmts, bar, template, atoms, value):
        """Whether `value` is what a statement just before has read from these elements."""
        for stmt in reversed(stmts[-REACH:]):
            if isinstance(stmt, Apply) and stmt.target == value:
                return stmt.op.gather and stmt.args == (bar, *atoms) and stmt.params["index"] == template
            if blocks(stmt) or bar in targets(stmt):
                return False
        return False

    def fit(self, value, aval):
        """A contribution brought to the shape and dtype of its operand; None if it is a literal zero."""
        if value is None:
            return None
        if not self.sweep.is_reference(value):
            if not np.any(value):
                return None
            value = np.asarray(value, dtype=None if np.iscomplexobj(value) else aval.dtype)
            value = self.builder.constant(value) if value.ndim else value[()]
        value = self.cast(value, aval.dtype)
        return self.reduce(value, aval.shape)

    def cast(self, value, dtype):
        have = self.sweep.aval(value)
        if have.dtype == dtype:
            return value
        if have.dtype.kind == "c" and dtype.kind != "c":
            value = lookup(np.real)(value)
            have = self.sweep.aval(value)
        return value if have.dtype == dtype else self.sweep.emit(TABLE["astype"], value, dtype=dtype)

    def reduce(self, value, shape):
        """The sum over the axes along which an operand of `shape` was broadcast."""
        have = self.sweep.aval(value).shape
        if have == shape:
            return value
        extra = len(have) - len(shape)
        axes = tuple(k for k, n in enumerate(have) if k < extra or (shape[k - extra] == 1 and n != 1))
        if axes:
            value = lookup(np.sum)(value, axis=axes)
        if None in shape:
            ones = tuple(k - extra for k in axes if k >= extra)
            return lookup(np.expand_dims)(value, ones) if ones else value
        have = self.sweep.aval(value).shape
        if None in have or math.prod(have) == math.prod(shape):
            return value if len(have) == len(shape) and None in have or have == shape else lookup(np.reshape)(value, shape)
        return lookup(np.broadcast_to)(value, shape)


def is_zero(stmt):
    """Whether an Update clears elements."""
    return stmt.mode == "set" and not is_name(stmt.value) and stmt.value == 0


def parallel_moves(builder, pairs):
    """Moves as if at one time: a source that an earlier Move of the list overwrites is copied first."""
    pairs = [(t, s) for t, s in pairs if t != s]
    targets = {t for t, _ in pairs}
    copies = {}
    for _, source in pairs:
        if is_name(source) and source in targets and source not in copies:
            copies[source] = builder.fresh(builder.hints.get(source, source), builder.avals[source])
            builder.add(Move(copies[source], source))
    for target, source in pairs:
        builder.add(Move(target, copies.get(source, source)))
