"""Values of a batch: masks of regions, operands with a leading batch axis, operands made safe for lanes that stay out."""

from contextlib import contextmanager

import numpy as np

from ...core import Aval, Hole, Move, is_name, walk
from ...ops.index_templates import FULL
from ...ops.op import TABLE, lookup
from ..emission import Emitter
from .remedies import KEEP, LANE


def forget(memos, name):
    """Drop the entries that depend on a name, also in the memos of sides."""
    for key, (value, depends) in list(memos.items()):
        if name in depends:
            del memos[key]
        elif isinstance(value, dict):
            forget(value, name)


class Lanes(Emitter):
    """The batched program under construction.

    `current` maps a name of the unbatched program to the atom that holds its value now, `place` to the name that Moves to it
    go to (both: itself where there is no entry). `bound` are the names bound so far, `unshared` those that get names of their own
    on the sides of an `if` at hand. `owner` is the region in which a place may be moved to, `movable` the names that Moves bind.
    `memos` holds masks and safe operands, one dict a block; an entry is (value, names it depends on). `guards` maps a region to the
    test that skips it.
    """

    def __init__(self, program, size, analysis):
        super().__init__(program, f"{program.name}_batched")
        self.size, self.analysis = size, analysis
        self.current, self.place, self.bound = {}, {}, set(program.params)
        self.owner, self.movable, self.unshared = {}, set(), frozenset()
        self.rebound = {s.target for s in walk(program.body) if isinstance(s, Move)}
        self.memos, self.guards = [{}], {}
        for name in analysis.batched:
            self.builder.avals[name] = self.batched_aval(name)

    # names ----------------------------------------------------------------------
    def batched_aval(self, name):
        """The aval of a name in the batched program."""
        aval = self.source.avals[name]
        if name not in self.analysis.batched:
            return aval
        axis = self.analysis.axes.get(name, 0)
        return Aval((*aval.shape[:axis], self.size, *aval.shape[axis:]), aval.dtype)

    def now(self, atom):
        """The atom that holds the current value of a name of the unbatched program."""
        return self.current.get(atom, atom) if is_name(atom) else atom

    def value(self, atom):
        return self.ref(self.now(atom))

    def batched(self, atom):
        return self.analysis.is_batched(atom)

    def lane_rank(self, atom):
        return len(self.source.aval(atom).shape)

    # what has been computed already -----------------------------------------------
    def memo(self, key, depends, make):
        """The atom of `make()`, computed once as long as the names in `depends` keep their values."""
        for memos in reversed(self.memos):
            if key in memos:
                return memos[key][0]
        atom = self.atom(make())
        self.memos[-1][key] = (atom, frozenset(d for d in depends if is_name(d)))
        return atom

    def invalidate(self, name):
        """Forget what depends on a name that gets another value."""
        for memos in self.memos:
            forget(memos, name)

    @contextmanager
    def nested(self, side=None):
        """A new block with its own memos. `side` tells a side of an `if`: what an earlier one has computed can be read again."""
        found = next((memos[side] for memos in reversed(self.memos) if side in memos), None)
        memos = {} if found is None else dict(found[0])
        with self.builder.nested() as block:
            self.memos.append(memos)
            try:
                yield block
            finally:
                self.memos.pop()
        if side is not None:
            self.memos[-1][side] = (memos, frozenset(side[1:2]))

    # masks ------------------------------------------------------------------------
    def mask(self, region):
        """The lanes that execute a region, an atom of shape (size,); None for the top region."""
        if region is self.analysis.top:
            return None
        if region.kind == "loop":
            return self.memo(("mask", region), (), None)
        test = self.now(region.source)
        outer = self.mask(region.parent)
        return self.memo(("mask", region), (test, outer), lambda: self.side_mask(region, test, outer))

    def side_mask(self, region, test, outer):
        test = self.truth(test)
        if region.kind == "else":
            test = lookup(np.invert)(test)
        return test if outer is None else lookup(np.bitwise_and)(self.ref(outer), test)

    def truth(self, atom):
        """An atom as booleans."""
        ref = self.ref(atom)
        return ref if self.aval(ref).dtype == bool else lookup(np.not_equal)(ref, 0)

    def set_mask(self, region, value):
        """Record the mask of a loop's region for the block at hand."""
        atom = self.atom(value)
        self.memos[-1]["mask", region] = (atom, frozenset())
        return atom

    def any(self, mask):
        """Whether a lane is in a mask, an atom of shape ()."""
        return self.memo(("any", mask), (mask,), lambda: lookup(np.any)(self.ref(mask)))

    def lane(self, mask):
        """The number of a lane that is in a mask, if any lane is."""
        return self.memo(("lane", mask), (mask,), lambda: self.first(mask))

    def first(self, mask):
        return lookup(np.argmax)(self.ref(mask))

    def aligned(self, mask, rank):
        """A mask with `rank` axes of size 1 appended, so that it broadcasts against batched values."""
        if rank == 0:
            return self.ref(mask)
        return self.ref(self.memo(("aligned", mask, rank), (mask,), lambda: self.expanded(self.ref(mask), 0, rank)))

    # operands -----------------------------------------------------------------------
    def expanded(self, ref, lane_rank, rank):
        """A batched value of `lane_rank` lane axes with axes of size 1 put in front of them, to make it `rank`."""
        if lane_rank == rank:
            return ref
        return self.emit(TABLE["expand_dims"], ref, axis=tuple(range(1, 1 + rank - lane_rank)))

    def at_lane(self, ref, lane, rank):
        """The value of one lane."""
        return self.emit(TABLE["getitem"], ref, self.ref(lane), index=(Hole(0), *(FULL,) * rank))

    def operand(self, atom, region, remedy):
        """The current value of an operand, made safe by a remedy where lanes outside of the region may hold any value."""
        if remedy is KEEP or not self.analysis.is_raw(atom, region):
            return self.value(atom)
        name, mask = self.now(atom), self.mask(region)
        return self.ref(self.memo(("safe", region, name, remedy), (name, mask), lambda: self.made_safe(atom, mask, remedy)))

    def made_safe(self, atom, mask, remedy):
        start, rank, value = self.start(), self.lane_rank(atom), self.value(atom)
        other = self.at_lane(value, self.lane(mask), rank) if remedy is LANE else remedy
        result = self.coerce(lookup(np.where)(self.aligned(mask, rank), value, other), self.aval(value))
        return self.ref(self.bind(self.fresh(self.builder.hints.get(atom, atom) + "_safe", self.aval(result)), result, start))

    def full(self, atom, aval, batched):
        """An atom as a value with all axes of `aval`; `batched` tells whether it has its batch axis already."""
        value = self.ref(atom)
        if batched or aval.shape == () or self.aval(value).shape == aval.shape:
            return self.coerce(value, aval)
        if is_name(atom):
            return self.coerce(value, aval)
        if atom == 0 and not np.signbit(np.real(atom)):
            return self.zeros(aval)
        if atom == 1:
            return self.emit(TABLE["ones"], shape=aval.shape, dtype=aval.dtype)
        return self.emit(TABLE["full"], aval.dtype.type(atom).item(), shape=aval.shape, dtype=aval.dtype)

    def spread(self, value, name):
        """A value that is the same for all lanes as a value of `name`."""
        aval, axis = self.batched_aval(name), self.analysis.axes.get(name, 0)
        if axis:
            value = self.emit(TABLE["expand_dims"], value, axis=(axis,))
        if None not in aval.shape:
            return self.emit(TABLE["broadcast_to"], value, shape=aval.shape)
        ones = (1,) * (len(aval.shape) - axis - 1)
        return np.add(value, self.zeros(Aval((self.size, *ones), aval.dtype)))

    def full_value(self, atom, name):
        """The current value of an atom with the aval that `name` has in the batched program."""
        aval = self.batched_aval(name)
        if name not in self.analysis.batched:
            return self.value(atom)
        if name in self.analysis.axes and not self.batched(atom):
            return self.spread(self.value(atom), name)
        return self.full(self.now(atom), aval, self.batched(atom))

    def choose(self, mask, taken, other, name):
        """`np.where(mask, taken, other)` as a value of `name`; taken and other are atoms of the batched program.

        A pointer into a tape moves on for all lanes.
        """
        if name not in self.analysis.batched:
            return self.ref(taken)
        rank, axis = self.lane_rank(name), self.analysis.axes.get(name, 0)
        result = lookup(np.where)(self.aligned(mask, rank - axis), self.ref(taken), self.ref(other))
        return self.coerce(result, self.batched_aval(name))

    # moves ----------------------------------------------------------------------------
    def move(self, target, source):
        self.invalidate(target)
        self.movable.add(target)
        self.builder.add(Move(target, self.atom(source)))

    def moves(self, pairs):
        """Moves that happen at once, one after the other; a cycle is broken by a name of its own."""
        pairs = {t: s for t, s in pairs.items() if t != s}
        while pairs:
            free = [t for t in pairs if t not in pairs.values()]
            if free:
                self.move(free[0], self.ref(pairs.pop(free[0])))
                continue
            first = next(iter(pairs))
            spare = self.fresh(first, self.builder.avals[first])
            self.move(spare, self.ref(first))
            pairs = {t: spare if s == first else s for t, s in pairs.items()}


__all__ = ["Lanes"]
