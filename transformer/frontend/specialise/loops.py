"""Loops: a loop stays a loop wherever its body means the same with an abstract index; else it is unrolled.

Rolling: the names that the body assigns become carried names of the program; the body is evaluated once with them abstract
and accepted if what it leaves fits (same shapes, same structure, dtype wide enough). If a dtype widens or a leaf was missed,
the state goes back and the body is evaluated again.
"""

from typing import Any, NamedTuple

import gast
import numpy as np

from ... import core
from ...core import Aval, For, Move
from ...errors import NeedStatic, TransformError, ValueDependent
from .. import affine, scopes
from ..promotion import mark_of
from ..ragged import as_masks, common_masks, is_ragged
from ..ragged.extents import Chosen
from ..reference import is_reference
from . import branches, filtered, generators, iterators, rebinding, special_methods
from .branches import convert_atom, join_marked
from .iteration import Numbered, as_items
from .leaves import CannotRoll, blank, is_numbers, leaf_paths, lookup_path, same_number, substitute, zeros
from .rounds import UNROLL_LIMIT, guarded_round, one_round, unroll
from .state import Control, Undefined, is_numeric, rebuild, set_item, storages

SHORT_LOOP = 60
"""Nodes of source that a loop may come to when unrolled for being short."""
FAULTS = (CannotRoll, TransformError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What a body may raise with an abstract index and need not with a known one: both sides of `if i > 0` are evaluated then. Where
the fault is the user's, the unrolled loop raises it in the round that has it."""


def run_for(ev, frame, node):
    iterable = iterators.checked(ev, special_methods.items(ev, ev.eval_looped(frame, node.iter)))
    if isinstance(iterable, generators.Generator):
        if generators.is_passed_through(ev, frame, node, iterable):
            return generators.run_for(ev, frame, node, iterable)
        return unroll(ev, frame, node, iterable)
    if isinstance(iterable, iterators.Cursor):
        if iterable.is_endless or getattr(node, "stop", None) and not isinstance(node.iter, gast.Call):
            return unroll(ev, frame, node, iterable)
        if iterable.is_listed:
            return unroll(ev, frame, node, iterable)
        iterable = iterable.rest()
    iterable = iterable.items() if isinstance(iterable, filtered.Filtered) else ev.items(iterable)
    items = as_items(iterable)
    if items is None:
        return unroll(ev, frame, node, iterable if isinstance(iterable, Numbered) else iterators.cursor(ev, iterable))
    static = not is_reference(items.length)
    if static and (ev.unroll or not stays(ev, frame, node, items, iterable)):
        return unroll(ev, frame, node, items)
    state = ev.capture()
    try:
        return Roll(ev, frame, node, state).roll_for(items)
    except FAULTS as error:
        state.restore()
        items = items.decided() if ev.values else items
        if is_reference(items.length) or items.length > UNROLL_LIMIT:
            raise explain(ev, node, error, items.length) from None
    unroll(ev, frame, node, items)


def stays(ev, frame, node, items, iterable):
    """Whether a loop of static length is to stay a loop. Those of `lax` do, whatever is known of their values."""
    if frame.is_own and not ev.values:
        return items.length != 1
    return not is_short(items.length, node) and is_abstract(ev, frame, node, iterable)


def is_short(length, node):
    """One round, or so few that the unrolled loop is no longer to read; loops inside stay loops."""
    if length <= 1:
        return True
    nodes = [n for stmt in node.body for n in gast.walk(stmt)]
    nested = any(isinstance(n, gast.For | gast.While) for n in nodes)
    return length <= 4 and not nested and length * len(nodes) <= SHORT_LOOP


def explain(ev, node, error, test):
    """The error for a loop that neither stays one nor runs round by round, for `test` (its number of rounds, or the test of a while)."""
    if not isinstance(error, TransformError):
        what = error if isinstance(error, CannotRoll) else f"with an unknown number of rounds its body raises {type(error).__name__}: {error}"
        error = ValueDependent(f"this loop cannot be compiled: {what}",
                               "Keep shapes and structure the same in each round, or make the number of rounds static.")
    if is_reference(test):
        error.tests = (*error.tests, test)
    return error.at(ev.origin(node))


def is_abstract(ev, frame, node, iterable):
    """Whether anything the loop reads or iterates over is abstract; a loop over static values runs as plain Python."""
    if is_reference(iterable) or len(ev.builder.stack) > 1 or ev.has_abstract(iterable):
        return True
    names = scopes.loaded(node.body)
    values = [ev.peek(frame, name) for name in names]
    return any(ev.has_abstract(v) for v in values)


class Carry(NamedTuple):
    """A carried leaf: its name and aval in the program, and its value at entry."""

    name: str
    aval: Aval
    entry: Any
    ref: Any


class Scope(NamedTuple):
    """Variables that a round may bind: those of the loop's own frame, or of a loop that takes what it yields. needed: names that later
    rounds read; live: names that are read after the loop."""

    env: dict
    node: Any
    needed: frozenset
    live: frozenset


class Retry(Control):
    """Evaluate the body again with other carried leaves."""


class Roll:
    """One attempt after another to evaluate the body with carried leaves abstract."""

    def __init__(self, ev, frame, node, state, carried=()):
        """carried: variables of the evaluator's own that later rounds read."""
        self.ev, self.frame, self.node, self.state = ev, frame, node, state
        self.builder = ev.builder
        self.guess, self.length, self.items = {}, None, None
        self.live = ev.live_after(frame, node)
        self.needed = ev.live_in_rounds(frame, node).union(carried)
        self.kept_static, self.prebound, self.marks, self.masked, self.full, self.apart = set(), {}, {}, {}, {}, set()
        self.scopes = {id(frame.env): Scope(frame.env, node, self.needed, self.live)}
        for outer, loop in frame.consumers():
            self.scopes[id(outer.env)] = Scope(outer.env, loop, ev.live_in_rounds(outer, loop), ev.live_in_rounds(outer, loop))

    # the two kinds of loops ------------------------------------------------------
    def roll_for(self, items):
        ev, builder = self.ev, self.builder
        bounds, self.length = items.bounds or (0, items.length, 1), items.length
        lo, hi, step = bounds
        if is_reference(step):
            raise NeedStatic(step, "the step of a range")
        atoms = builder.read(ev.operand(lo)), builder.read(ev.operand(hi))
        rounds = items.length if not is_reference(items.length) else None
        self.items = items
        named = items.bounds and isinstance(self.node.target, gast.Name) and not self.node.target.id.startswith("_")
        hint = self.node.target.id if named else "i"

        def body():
            name = builder.fresh(hint, Aval((), np.dtype(np.int64), True))
            index = builder.reference(name)
            self.index = name
            affine.note_loop(builder, name, lo, hi, int(step))
            self.one_round(index if items.bounds else items.item(index))
            return name
        block, name, before = self.attempts(body, rounds)
        builder.block.extend(before)
        builder.add(For(name, *atoms, int(step), block))
        self.finish()

    def one_round(self, item):
        stop = getattr(self.node, "stop", None)
        if stop is None:
            return one_round(self.ev, self.frame, self.node, item)
        flag = branches.truth(self.ev, self.frame.env.get(stop, False), self.node)
        if flag is False:
            return one_round(self.ev, self.frame, self.node, item)
        branches.choose(self.ev, flag, lambda: None, lambda: guarded_round(self.ev, self.frame, self.node, item), self.node)

    # attempts --------------------------------------------------------------------------
    def attempts(self, body, rounds):
        self.guess = self.first_guess()
        ties = [(storage, tuple(storage.ties)) for storage in self.state.known]
        for _ in range(12):
            with self.builder.nested() as before:
                self.carries = self.all_carries()
            self.place()
            promoted, reads = set(self.ev.promoted), len(self.builder.reused)
            try:
                with self.builder.nested() as block:
                    result = body()
                    if self.forget_stored() or self.ev.joined_from_outside(promoted) or self.has_stale_reads(reads):
                        raise Retry
                    self.compare(block, before, rounds)
                return block, result, before
            except Retry:
                self.state.restore()
                for storage, before_it in ties:
                    storage.ties[:] = before_it
                self.bind_before()
                self.mask_before()
            except branches.BranchRaised:
                raise CannotRoll("every round raises") from None
        raise CannotRoll("the types of its variables do not settle")

    def forget_stored(self):
        """Arrays of known value that the body stores into: later rounds read something else. True if there are any."""
        stored = [s for s, known in self.state.known.items() if known is not None and s.known is not known]
        self.state.known.update(dict.fromkeys(stored))
        return bool(stored)

    def has_stale_reads(self, start):
        """Whether a view was read under the name that it got in front of the loop, and the body then stored into its array."""
        outside = self.builder.stack[:-1]
        return any(storage.version != version and any(block is b for b in outside)
                   for storage, version, block in self.builder.reused[start:])

    def bind_before(self):
        """Names that the first round certainly binds, though under a flag: zeros stand for them before the loop."""
        new = {slot: value for slot, value in self.prebound.items() if slot[1] not in self.scopes[slot[0]].env}
        for (owner, name), value in new.items():
            self.scopes[owner].env[name] = value
        if new:
            self.state = self.ev.capture()
            for slot, value in new.items():
                self.guess |= {path: self.ev.aval(leaf) for path, leaf in leaf_paths(slot, value)}

    def mask_before(self):
        """Variables of another length in each round have a mask from the start."""
        if not self.masked:
            return
        for name, axes in self.masked.items():
            self.frame.env[name] = as_masks(self.frame.env[name], axes, self.full)
        self.masked = {}
        self.state = self.ev.capture()
        self.guess = {**self.first_guess(), **{p: a for p, a in self.guess.items() if self.is_leaf(p)}}

    def is_leaf(self, path):
        """Whether a path still leads to a number: arrays that became ragged ones have items of their own."""
        return is_numeric(lookup_path(self.state, path))

    def needs_mask(self, path, entry, exit):
        """Whether one of the two is an array of unknown length and they differ in structure; notes the masks that are needed."""
        if not is_ragged(entry) and not is_ragged(exit):
            return False
        owner, name = path[0]
        if owner != id(self.frame.env) or len(path) > 1 or not all(is_ragged(v) or is_numeric(v) and np.ndim(v) for v in (entry, exit)):
            raise CannotRoll(f"{name} has another length in each round")
        axes = common_masks(entry, exit)
        if axes is None:
            raise CannotRoll(f"{name} has another length in each round")
        if axes:
            self.masked[name] = axes
        return bool(axes)

    def first_guess(self):
        """Numeric variables that the body assigns; arrays that are only changed in place stay where they are."""
        guess = {}
        for owner, (env, node, needed, _) in self.scopes.items():
            inplace = scopes.augmented_only(node.body)
            for name in sorted(scopes.assigned(node.body)):
                if name not in env or name not in needed:
                    continue
                for path, leaf in leaf_paths((owner, name), env[name]):
                    if is_numeric(leaf) and not (name in inplace and np.ndim(leaf)):
                        guess[path] = self.ev.aval(leaf)
        return guess

    def all_carries(self):
        """The Carry of each leaf. Masks that are one and the same at entry share one, unless they have been found to differ later."""
        carries, masks = {}, {}
        for path, aval in self.guess.items():
            entry = lookup_path(self.state, path)
            is_mask = aval.dtype == bool and aval.shape and len(path) > 1 and is_reference(entry) and path not in self.apart
            key = entry.storage if is_mask and not entry.path else path
            if key not in masks:
                masks[key] = self.carry(path, aval)
            carries[path] = masks[key]
        return carries

    def carry(self, path, aval):
        entry = self.ev.seen(lookup_path(self.state, path))
        hint = path[0][1] if isinstance(path[0][1], str) else "c"
        name = self.builder.fresh(hint, aval)
        entry_aval = self.ev.aval(entry)
        if entry_aval.shape != aval.shape:
            raise CannotRoll(f"{hint} changes its shape from {entry_aval.shape} to {aval.shape}")
        self.builder.add(Move(name, convert_atom(self.builder, entry, aval)))
        ref = self.builder.reference(name)
        ref.storage.jnp = self.marks.get(path, mark_of(entry))
        return Carry(name, aval, entry, ref)

    def joined(self, path, one, two, aval_one, aval_two):
        """The aval of a leaf that is one value at entry and another after a round; notes its mark."""
        aval, self.marks[path] = join_marked(aval_one, aval_two, mark_of(one), mark_of(two))
        return aval

    def place(self):
        """Put the carried references where the values stood."""
        replaced = {}
        for path, carry in self.carries.items():
            replaced.setdefault(path[0], {})[path[1:]] = carry.ref
        for (owner, key), leaves in replaced.items():
            container, values = self.state.containers[owner]
            set_item(container, key, substitute(values[key], leaves))

    def compare(self, block, before, rounds):
        """Check that what the body leaves fits; append the Moves of the carried leaves."""
        now = self.state.now()
        branches.check_ambiguous(self.ev)
        exits, guess, changed, self.shared, self.left, self.rounds = {}, dict(self.guess), False, {}, now, rounds
        self.new_names = {}
        for owner, (container, values) in self.state.containers.items():
            if isinstance(container, tuple):
                continue
            after = now[owner]
            if isinstance(container, dict) and any(container is f.env for f in self.ev.frames):
                self.new_names |= {(owner, k): v for k, v in after.items() if k not in values and owner in self.scopes}
            elif list(after) != list(values):
                raise CannotRoll("a container grows or shrinks in it")
            for key, value in values.items():
                if key in after:
                    changed |= self.compare_value(((owner, key),), value, after[key], exits, guess)
        if changed or self.guarded_names(rounds):
            self.guess = guess
            raise Retry
        self.check_aliases(block)
        rebinding.check_names(self, now, block)
        rebinding.check_sources(self, block)
        self.close(before, exits, rounds)

    def compare_value(self, path, entry, exit, exits, guess):
        """True if another attempt is needed."""
        entry, exit = self.ev.seen(entry), self.ev.seen(exit)
        carry = self.carries.get(path)
        if carry is not None:
            return self.compare_carry(path, carry, exit, exits, guess)
        name = path[0][1]
        if exit is entry or self.is_local(path) or isinstance(exit, Undefined) and isinstance(entry, Undefined):
            return False
        if is_ragged(entry):
            if self.needs_mask(path, entry, exit):
                self.masked[name] = sorted({*self.masked[name], *(k for k, e in enumerate(entry.extents) if e is not None)})
                if all(isinstance(e, Chosen) for k, e in enumerate(entry.extents) if k in self.masked[name]):
                    exit = as_masks(exit, self.masked.pop(name))
                else:
                    return True
            return any([self.compare_value((*path, i), a, b, exits, guess) for i, (a, b) in enumerate(zip(entry.items, exit.items))])
        if isinstance(entry, tuple) and type(exit) is type(entry) and len(exit) == len(entry):
            return any([self.compare_value((*path, i), a, b, exits, guess) for i, (a, b) in enumerate(zip(entry, exit))])
        if is_numeric(entry) and is_numeric(exit):
            if same_number(entry, exit):
                return False
            aval = self.ev.aval(exit)
            guess[path] = self.joined(path, entry, exit, self.ev.aval(entry), aval) if np.shape(entry) == np.shape(exit) else aval
            return True
        if type(exit) is type(entry) and isinstance(entry, str | bytes | type(None)) and exit == entry:
            return False
        raise CannotRoll(f"{name} changes from {type(entry).__name__} to {type(exit).__name__}")

    def is_local(self, path):
        """A variable of the loop itself: bound anew in each round before it is read, and not read afterwards."""
        owner, name = path[0]
        return owner in self.scopes and name not in self.scopes[owner].needed

    def compare_carry(self, path, carry, exit, exits, guess):
        if exit is carry.ref and not is_reference(carry.entry):
            if path not in self.kept_static and carry.name not in core.names_bound(self.builder.block):
                self.kept_static.add(path)
                del guess[path]
                return True
        if not is_numeric(exit):
            if self.is_local(path):
                del guess[path]
                return True
            if is_ragged(exit) and self.needs_mask(path, carry.ref, exit):
                return True
            raise CannotRoll(f"{path[0][1]} becomes {type(exit).__name__}")
        aval = self.ev.aval(exit)
        if aval.shape != carry.aval.shape:
            if self.is_local(path):
                del guess[path]
                return True
            raise CannotRoll(f"{path[0][1]} changes its shape from {carry.aval.shape} to {aval.shape}")
        joined = self.joined(path, carry.ref, exit, carry.aval, aval)
        if joined != carry.aval or self.marks[path] != carry.ref.storage.jnp:
            guess[path] = joined
            return True
        if carry.name in self.shared:
            if affine.same_value(self.builder, self.shared[carry.name], exit):
                return False
            self.apart.add(path)
            return True
        self.shared[carry.name] = exit
        if exit is not carry.ref:
            exits[path] = exit
        return False

    def guarded_names(self, rounds):
        """Note new names that are read after a loop which `break` may leave: the first round binds them, or they are read under a flag."""
        found = {slot: value.value[0] for slot, value in self.new_names.items()
                 if self.is_live(slot) and isinstance(value, Undefined) and value.value and hasattr(self.scopes[slot[0]].node, "stop")}
        found = {slot: value for slot, value in found.items() if rounds or self.is_optional(slot)}
        self.prebound |= {slot: blank(self.ev, value) for slot, value in found.items() if is_numbers(value)}
        return bool(found)

    def is_live(self, slot):
        return slot[1] in self.scopes[slot[0]].live

    def is_optional(self, slot):
        """Whether a variable of the body is not read after a loop without rounds: flags are tested first, other names bound anew."""
        owner, name = slot
        return name.startswith("_") or name not in getattr(self.scopes[owner].node, "exhausted", (name,))

    def check_aliases(self, block):
        """A carried array that is stored into must not have another name outside, nor be the caller's."""
        stored = rebinding.stored_carries(self, block)
        if not stored:
            return
        seen = [self.ev.seen(v) for _, values in self.state.containers.values() for v in values.values()]
        counts = storages(self.ev, [v for v in seen if is_reference(v)])
        for carry in stored:
            if not is_reference(carry.entry):
                rebinding.check_static(self, carry.entry)
            elif counts.get(carry.entry.storage, 0) > 1 or carry.entry.storage.argument is not None:
                raise CannotRoll("an array that has two names, or is an argument, is stored into and rebound")
            else:
                self.builder.stored_in_loops.add(carry.entry.storage.name)

    def close(self, before, exits, rounds):
        """Moves at the end of the body: all read before any is written."""
        reads = {path: convert_atom(self.builder, value, self.carries[path].aval) for path, value in exits.items()}
        self.carry_new_names(before, rounds)
        moves = []
        pending = [(self.carries[path].name, atom) for path, atom in reads.items() if atom != self.carries[path].name]
        for position, (name, atom) in enumerate(pending):
            later = [a for _, a in pending[position + 1:]]
            if name in later:
                saved = self.builder.fresh(name, self.builder.avals[name])
                moves.append(Move(saved, name))
                pending[position + 1:] = [(n, saved if a == name else a) for n, a in pending[position + 1:]]
        for move in (*moves, *(Move(name, atom) for name, atom in pending)):
            self.builder.add(move)
        self.exits = exits

    def carry_new_names(self, before, rounds):
        """Variables that the body binds first and that are read after the loop: they start as zeros."""
        self.after = {}
        for slot, value in self.new_names.items():
            if not self.is_live(slot):
                continue
            name = slot[1]
            leaves = [v for _, v in leaf_paths(name, value)]
            is_known = not any(map(self.ev.has_abstract, leaves))
            if not all(map(is_numeric, leaves)) or (rounds is None and not self.is_optional(slot) and not (is_known and any(map(is_reference, leaves)))):
                self.after[slot] = value if is_known else Undefined(f"{name} is bound inside a loop that may run no round at all")
                continue
            self.after[slot] = self.export(name, value, before)

    def export(self, name, value, before):
        if isinstance(value, tuple):
            return rebuild(value, [self.export(name, v, before) for v in value])
        value, aval = self.ev.seen(value), self.ev.aval(value)
        target = self.builder.fresh(name, aval)
        with self.builder.nested(before):
            self.builder.add(Move(target, convert_atom(self.builder, zeros(aval), aval)))
        self.builder.add(Move(target, convert_atom(self.builder, value, aval)))
        found = self.builder.reference(target)
        found.storage.jnp = mark_of(value)
        return found

    def finish(self):
        """After the loop: entry state, with carried leaves as references to their names."""
        self.state.restore()
        loop = self.builder.block[-1]
        used = {path: c for path, c in self.carries.items() if path in self.exits or c.name in core.names_bound([loop])}
        self.carries = used
        for carry in used.values():
            carry.ref.storage.version = next(self.builder.clock)
        self.place()
        for (owner, name), value in self.after.items():
            self.scopes[owner].env[name] = value
        rebinding.tie_names(self, self.left, used)
        if self.ev.values and len(self.builder.stack) == 1:
            self.note_left(loop, used)

    def note_left(self, loop, used):
        """What the loop leaves, which is known when it is asked for: carried names, names that it binds, arrays that it stores into."""
        values = [*(carry.ref for carry in used.values()), *(v for value in self.after.values() for _, v in leaf_paths("", value))]
        stored = core.names_rebound(loop)
        arrays = {*self.state.known, *(ref.storage for ref in self.ev.promoted.values())}
        self.ev.note_left({*(v.storage for v in values if is_reference(v)), *(s for s in arrays if s.name in stored)})
