"""Batching of control flow: masks instead of branches, loops that run while any lane does."""

from contextlib import contextmanager

import numpy as np

from ...core import Apply, Effect, For, If, Mark, Move, Update, While, is_name, names_rebound, operands, walk
from ...errors import TransformError
from ...ops.op import TABLE, lookup
from ..emission import trailing_moves
from .remedies import LANE
from .statements import Statements


class Control(Statements):
    """Adds Moves and the statements with blocks."""

    def block(self, stmts, region):
        """Emit a block into the one at hand. The Moves at its end only change what is `current`; the caller emits them.

        Returns the targets of those Moves.
        """
        stmts, moves = trailing_moves(stmts)
        for stmt in stmts:
            self.builder.origin = stmt.origin
            try:
                self.stmt(stmt, region)
            except TransformError as error:
                raise error.at(stmt.origin)
        for move in moves:
            self.current[move.target] = self.atom(self.full_value(move.source, move.target))
        return [m.target for m in moves]

    def stmt(self, stmt, region):
        if isinstance(stmt, Apply):
            self.apply(stmt, region)
        elif isinstance(stmt, Update):
            self.update(stmt, region)
        elif isinstance(stmt, Move):
            self.assign(stmt, region)
        elif isinstance(stmt, If):
            (self.masked_if if self.batched(stmt.test) else self.plain_if)(stmt, region)
        elif isinstance(stmt, For):
            masked = self.batched(stmt.lo) or self.batched(stmt.hi)
            (self.masked_for if masked else self.plain_for)(stmt, region)
        elif isinstance(stmt, While):
            (self.masked_while if self.batched(stmt.test) else self.plain_while)(stmt, region)
        elif isinstance(stmt, Effect):
            self.effect(stmt, region)
        elif isinstance(stmt, Mark):
            self.add(stmt)
        else:
            raise TransformError(f"batching does not know the statement {stmt!r}")

    # names that are rebound -------------------------------------------------------
    def assign(self, stmt, region):
        """A Move that does not stand at the end of a block."""
        name, value = stmt.target, self.full_value(stmt.source, stmt.target)
        if name not in self.bound:
            self.place[name] = self.place.get(name) or self.new_place(name, region)
            self.analysis.born[name] = region
        elif name in self.analysis.pointers or not self.owns(name, region):
            self.place[name] = self.slot(name, region)
        self.bound.add(name)
        target = self.place[name]
        self.owner[target] = region
        self.move(target, value)
        self.current[name] = target

    def new_place(self, name, region):
        """Where Moves to a name that is not bound yet go: two sides that bind it side by side must not share a name."""
        return self.slot(name, region) if name in self.unshared else name

    def slot(self, name, region):
        """A new name that Moves to `name` go to."""
        slot = self.fresh(name, self.batched_aval(name))
        self.owner[slot] = region
        return slot

    def owns(self, name, region):
        """Whether Moves to `name` may be emitted in `region` as they are: all lanes that matter execute them."""
        place = self.place.get(name, name)
        return place in self.movable and self.owner.get(place, self.analysis.top) is region

    def settle(self, stmt, region):
        """Before an `if` or loop that rebinds names: each has a place of its own in this region, and is there."""
        rebound = dict.fromkeys(s.target for s in walk([stmt]) if isinstance(s, Move) and s.target in self.bound)
        for name in rebound:
            now, place = self.current.get(name, name), self.place.get(name, name)
            if self.owns(name, region) and now == place:
                continue
            self.place[name] = self.current[name] = self.slot(name, region)
            self.move(self.place[name], self.ref(now))
        if isinstance(stmt, For | While):
            for name in names_rebound(stmt):
                self.invalidate(self.now(name))

    @contextmanager
    def scope(self):
        """What happens to names inside is forgotten after; yields what they were before."""
        before = dict(self.current), dict(self.place), set(self.bound)
        try:
            yield before
        finally:
            self.current, self.place, self.bound = before

    def changed(self, before):
        """Names bound before whose value has changed: name -> the atom that holds it now."""
        current, _, bound = before
        return {n: a for n, a in self.current.items() if n in bound and a != current.get(n, n)}

    # blocks of their own --------------------------------------------------------------
    def inner(self, stmts, region, side=None):
        """A nested block that every lane of the region executes; also the names it leaves bound by Moves."""
        with self.scope() as before, self.nested(side) as block:
            targets = self.block(stmts, region)
            self.bound.update(targets)
            places, bound = before[1], before[2]
            pairs = {places.get(n, n): a for n, a in self.changed(before).items()}
            new = [n for n in self.bound if n not in bound and n in self.rebound]
            pairs.update({places.get(n, n): self.current.get(n, n) for n in new})
            self.moves(pairs)
        return block, set(new)

    def start_pointers(self, stmt, region):
        """Pointers into tapes that only a side of an `if` binds, for a later `if` of the same test: bound before it, they are carried."""
        for name in dict.fromkeys(s.target for s in walk([stmt]) if isinstance(s, Move) and s.target in self.analysis.pointers):
            if name not in self.bound:
                self.move(name, self.source.avals[name].dtype.type(0))
                self.bound.add(name)
                self.place[name] = self.current[name] = name
                self.analysis.born[name] = self.owner[name] = region

    def plain_if(self, stmt, region):
        self.start_pointers(stmt, region)
        self.settle(stmt, region)
        for name in (s.target for s in walk([stmt]) if isinstance(s, Move)):
            if name not in self.bound and name in self.unshared and name not in self.place:
                self.place[name] = self.slot(name, region)
        body, first = self.inner(stmt.body, region, ("side", self.now(stmt.test), True))
        orelse, second = self.inner(stmt.orelse, region, ("side", self.now(stmt.test), False))
        for name in first & second:
            self.bound.add(name)
            self.analysis.born[name] = region
            self.current[name] = self.place.get(name, name)
            self.owner[self.current[name]] = region
        self.add(stmt, test=self.now(stmt.test), body=body, orelse=orelse)

    def plain_for(self, stmt, region):
        self.settle(stmt, region)
        body, _ = self.inner(stmt.body, region)
        self.add(stmt, lo=self.now(stmt.lo), hi=self.now(stmt.hi), body=body)

    def plain_while(self, stmt, region):
        self.settle(stmt, region)
        with self.scope():
            with self.nested() as head:
                self.block(stmt.head, region)
            test = self.now(stmt.test)
            body, _ = self.inner(stmt.body, region)
        if stmt.counter:
            self.bound.add(stmt.counter)
        self.add(stmt, head=head, test=test, body=body)

    # branches under masks -----------------------------------------------------------
    def masked_if(self, stmt, region):
        self.start_pointers(stmt, region)
        sides = [(block, self.analysis.side(stmt, region, taken)) for block, taken in ((stmt.body, True), (stmt.orelse, False))]
        test, results = self.now(stmt.test), {}
        new = [n for n in self.merged_names(sides) if n not in self.bound]
        for block, inner in sides:
            if not inner.guarded:
                results[inner] = self.side(block, inner, sides)
        guarded = [(block, inner) for block, inner in sides if inner.guarded]
        merged = self.merge_plain(stmt, test, sides, results, last=not guarded)
        if guarded:
            self.guarded_sides(guarded, sides, merged, region)
        for name in new:
            self.analysis.born[name] = region

    def moved_names(self, block, inner):
        """Names that a side leaves with another value: those bound outside of it."""
        return [s.target for s in walk(block) if isinstance(s, Move) and self.analysis.born.get(s.target) is not inner
                and not self.is_within(self.analysis.born.get(s.target), inner)]

    def is_within(self, region, outer):
        while region is not None and region is not outer:
            region = region.parent
        return region is outer

    def merged_names(self, sides):
        """Names that an `if` merges: rebound on a side, or bound on both; in order."""
        moved = [self.moved_names(block, inner) for block, inner in sides]
        names = dict.fromkeys([*moved[0], *moved[1]])
        return [n for n in names if n in self.bound or (n in moved[0] and n in moved[1])]

    def side(self, block, inner, sides):
        """Emit a side into the block at hand; the values it gives to merged names."""
        names, moved = self.merged_names(sides), self.moved_names(block, inner)
        born, unshared = {n: self.analysis.born[n] for n in names}, self.unshared
        self.unshared = unshared | {n for n in names if n not in self.bound}
        with self.scope() as before:
            targets = self.block(block, inner)
            for name in dict.fromkeys([*targets, *(n for n in self.bound if n in self.rebound)]):
                if name not in names and name not in before[2] and self.current.get(name, name) != name:
                    self.move(name, self.ref(self.current[name]))
            results = {n: self.current.get(n, n) for n in names if n in moved}
        self.unshared = unshared
        self.analysis.born.update(born)
        return results

    def merge_plain(self, stmt, test, sides, results, last):
        """Merge the sides that are not guarded: name -> value; the `current` ones if there is no other side."""
        if not results:
            return {}
        if not last:
            (inner, values), = results.items()
            fresh = {n for n in values if n not in self.bound}
            return {n: a if n in fresh else self.atom(self.select(test, inner, a, self.now(n), n)) for n, a in values.items()}
        (_, first), (_, second) = sides
        for name in self.merged_names(sides):
            start = self.start()
            value = self.select(test, first, results[first].get(name, self.now(name)), results[second].get(name, self.now(name)), name)
            self.current[name] = self.name_merged(name, value, start, stmt)
        return {}

    def name_merged(self, name, value, start, stmt):
        """Bind the merged value: under the name itself if nothing else binds it."""
        inside = sum(isinstance(s, Move) and s.target == name for s in walk([stmt]))
        total = sum(isinstance(s, Move) and s.target == name for s in walk(self.source.body))
        alone = name not in self.bound and inside == total
        self.bound.add(name)
        return self.bind(name if alone else self.fresh(name, self.batched_aval(name)), value, start)

    def select(self, test, inner, taken, other, name):
        """`np.where(test, taken, other)`, the other way round for the second side."""
        if inner.kind == "else":
            taken, other = other, taken
        return self.choose(self.atom(self.truth(test)), taken, other, name)

    def guarded_sides(self, guarded, sides, merged, region):
        """Sides that are skipped if no lane takes them: `if np.any(mask): ...; y = np.where(mask, y_side, y)`.

        A name that is bound before goes to a place of its own first, which is where a side stores into it.
        """
        slots = {}
        for name in self.merged_names(sides):
            slots[name] = name if self.is_fresh(name) else self.slot(name, region)
            value = self.ref(merged[name]) if name in merged else self.value(name) if name in self.bound else None
            value = self.zeros(self.batched_aval(name)) if value is None else value
            self.owner[slots[name]] = region
            self.move(slots[name], self.coerce(value, self.batched_aval(name)))
            if name in self.bound:
                self.current[name] = self.place[name] = slots[name]
        for block, inner in guarded:
            self.guarded_side(block, inner, sides, slots)
        for name, slot in slots.items():
            self.bound.add(name)
            self.current[name] = self.place[name] = slot

    def is_fresh(self, name):
        return name not in self.bound and name not in self.movable

    def guarded_side(self, block, inner, sides, slots):
        some = self.guards[inner] = self.any(self.mask(inner))
        opened = self.guards.get(inner.opens)
        if opened in (None, some):
            self.guard(some, block, inner, sides, slots)
            return
        with self.nested(("side", opened, True)) as around:
            self.guard(some, block, inner, sides, slots)
        self.builder.add(If(opened, around, []))

    def guard(self, some, block, inner, sides, slots):
        mask = self.mask(inner)
        with self.nested(("side", some, True)) as body:
            results = self.side(block, inner, sides)
            self.moves({slots[n]: self.atom(self.choose(mask, a, slots[n], n)) for n, a in results.items()})
        self.builder.add(If(some, body, []))

    # loops under masks -------------------------------------------------------------------
    def masked_body(self, stmts, region, after=None):
        """The statements of a loop's body into the block at hand; lanes outside of its region keep what they carry.

        `after` makes further pairs (target, source) of Moves.
        """
        mask = self.mask(region)
        with self.scope() as before:
            self.block(stmts, region)
            pairs, places = {}, before[1]
            for name, atom in self.changed(before).items():
                place = places.get(name, name)
                pairs[place] = atom if name not in self.analysis.batched else self.atom(self.choose(mask, atom, place, name))
            pairs.update(after() if after else {})
            self.moves(pairs)

    def masked_for(self, stmt, region):
        self.settle(stmt, region)
        inner = self.analysis.loop(stmt, region)
        bounds = Bounds(self, stmt, region)
        lo, hi, step = self.atom(bounds.lo()), self.atom(bounds.hi()), bounds.step
        with self.nested() as body:
            mask = self.set_mask(inner, bounds.mask(region))
            if bounds.both and inner.guarded:
                some = self.any(mask)
                with self.nested() as guarded:
                    self.masked_body(stmt.body, inner)
                self.builder.add(If(some, guarded, []))
            else:
                self.masked_body(stmt.body, inner)
        self.add(stmt, lo=lo, hi=hi, step=step, body=body)

    def masked_while(self, stmt, region):
        """While any lane is live. Finished lanes keep what they carry, so their test stays false.

        Inside of the loop the counter is the number of the round, after it the name holds the number of rounds of each lane.
        """
        self.settle(stmt, region)
        inner, counts = self.analysis.loop(stmt, region), self.start_counting(stmt, region)
        live = self.start_living(stmt, region)
        round_ = self.fresh("round", self.builder.aval(0)) if self.reads(stmt, stmt.counter, inside=True) else None
        with self.scope():
            self.analysis.inside.add(stmt.counter)
            self.current[stmt.counter] = round_
            with self.nested() as head:
                self.block(stmt.head, region)
                mask = self.live_mask(stmt, region, live)
                some = self.atom(lookup(np.any)(self.ref(mask)))
            with self.nested() as body:
                self.set_mask(inner, self.ref(mask))
                self.masked_body(stmt.body, inner, lambda: self.advance(counts, live, mask))
            self.analysis.inside.discard(stmt.counter)
        self.add(stmt, head=head, test=some, body=body, counter=round_)

    def reads(self, stmt, name, inside):
        """Whether `name` is read inside of a loop, or outside of it."""
        if name is None:
            return False
        within = set(map(id, walk([stmt])))
        read = any(name in operands(s) and (id(s) in within) == inside for s in walk(self.source.body))
        return read or (not inside and name in self.source.outputs)

    def start_counting(self, stmt, region):
        """The name of the counter, bound to zeros before the loop, if the number of rounds is asked for after it."""
        if not self.reads(stmt, stmt.counter, inside=False):
            return None
        self.bound.add(stmt.counter)
        self.owner[stmt.counter] = region
        self.move(stmt.counter, self.zeros(self.batched_aval(stmt.counter)))
        return stmt.counter

    def start_living(self, stmt, region):
        """A name for the mask of live lanes, if the test depends on what is not kept for finished lanes."""
        unkept = {stmt.counter} | self.analysis.pointers
        if not any(name in unkept for s in walk(stmt.head) for name in operands(s)):
            return None
        outer = self.mask(region)
        value = self.ref(outer) if outer else self.emit(TABLE["ones"], shape=(self.size,), dtype=np.dtype(bool))
        live = self.fresh("live", self.aval(value))
        self.move(live, value)
        return live

    def live_mask(self, stmt, region, live):
        test, outer = self.truth(self.now(stmt.test)), live or self.mask(region)
        return self.atom(test if outer is None else lookup(np.bitwise_and)(self.ref(outer), test))

    def advance(self, counts, live, mask):
        """Moves at the end of a round: the lanes' counts, the lanes that live."""
        pairs = {}
        if counts:
            pairs[counts] = self.atom(np.add(self.ref(counts), self.ref(mask)))
        if live:
            pairs[live] = mask
        return pairs


class Bounds:
    """The union of the ranges of all lanes, and which of its indices are in a lane's range."""

    def __init__(self, lanes, stmt, region):
        self.lanes, self.stmt = lanes, stmt
        self.batched = [lanes.batched(a) for a in (stmt.lo, stmt.hi)]
        self.values = [lanes.operand(a, region, LANE) for a in (stmt.lo, stmt.hi)]
        self.up = stmt.step > 0

    @property
    def both(self):
        return all(self.batched)

    @property
    def step(self):
        """Where lanes begin at different indices, a longer step may not meet them all."""
        if not self.batched[0]:
            return self.stmt.step
        return 1 if self.up else -1

    def lo(self):
        extreme = np.min if self.up else np.max
        return lookup(extreme)(self.values[0]) if self.batched[0] else self.values[0]

    def hi(self):
        extreme = np.max if self.up else np.min
        return lookup(extreme)(self.values[1]) if self.batched[1] else self.values[1]

    def mask(self, region):
        """The lanes that execute the body at the index at hand."""
        index, (lo, hi) = self.lanes.ref(self.stmt.index), self.values
        terms = []
        if self.batched[0]:
            terms.append(lookup(np.less_equal)(*((lo, index) if self.up else (index, lo))))
            if abs(self.stmt.step) > 1:
                terms.append(lookup(np.equal)(np.remainder(np.subtract(index, lo), abs(self.stmt.step)), 0))
        if self.batched[1]:
            terms.append(lookup(np.less)(*((index, hi) if self.up else (hi, index))))
        outer = self.lanes.mask(region)
        mask = self.lanes.ref(outer) if outer else terms.pop(0)
        for term in terms:
            mask = lookup(np.bitwise_and)(mask, term)
        return mask


__all__ = ["Bounds", "Control", "is_name"]
