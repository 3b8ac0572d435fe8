"""`if` on an abstract test: evaluate both sides, then merge what differs, leaf by leaf."""

import contextlib
import weakref
from collections import deque

import gast
import numpy as np

from ...core import Apply, Aval, If, Move
from ...errors import TransformError, ValueDependent
from ...ops.op import TABLE
from ..promotion import joined_type, mark_of
from ..ragged import as_masks, common_masks, is_ragged
from ..reference import is_device_array, is_reference
from ..sharing import may_be_callers, partners, tie, tie_to_caller
from . import special_methods
from .state import Control, State, Undefined, assign, contents, is_numeric, rebuild, storages


class BranchRaised(Control):
    """The branch at hand always ends in `raise`."""


def truth(ev, value, node):
    """True, False, or an abstract boolean scalar."""
    if not is_reference(value):
        ev.check_keys(value)
        value = special_methods.truth(ev, value)
    if not is_reference(value):
        return bool(value)
    known = value.known
    if known is not None:
        return bool(known)
    if value.shape != () and any(d != 1 for d in value.shape):
        raise TransformError(f"the truth value of an array of shape {value.shape} is ambiguous",
                             "Use np.any(...) or np.all(...).", ev.origin(node))
    if value.shape:
        value = value.reshape(())
    return value if value.dtype == bool else value != 0


def is_safe(stmts):
    """Statements that may run whichever way the test goes: cheap, and they cannot fail."""
    return len(stmts) <= 4 and all(isinstance(s, Apply) and (s.op.elementwise or not s.args) for s in stmts)


def choose(ev, test, then, other, node):
    """The value of `then()` if the abstract `test` holds, else of `other()`; either may change the state."""
    state = ev.capture()
    sides = []
    ev.tests.append(test)
    try:
        for side in (then, other):
            with ev.builder.nested() as block, assumed(ev, test, side is then):
                try:
                    value, raised = side(), False
                except BranchRaised:
                    value, raised = None, True
            note_stores(ev, state)
            sides.append((block, value, raised, state.now()))
            state.restore()
    finally:
        ev.tests.pop()
    return join_sides(ev, test, state, sides, node)


@contextlib.contextmanager
def assumed(ev, test, holds):
    """On one side of a condition: what the test says of the kind of a value is known."""
    meaning = ev.meanings.get((test.storage, test.path_key()))
    if meaning is not None:
        number, passing, failing = meaning
        ev.assumed.append((number, passing if holds else failing))
    try:
        yield
    finally:
        if meaning is not None:
            ev.assumed.pop()


def join_sides(ev, test, state, sides, node):
    """Emit the `if` and merge; where one side always raises, the other one simply goes on after it."""
    (body, value1, raised1, now1), (orelse, value2, raised2, now2) = sides
    meaning, test = test, ev.builder.read(test)
    if raised1 or raised2:
        ev.builder.add(If(test, body if raised1 else [], orelse if raised2 else []))
        if raised1 and raised2:
            raise BranchRaised
        block, now, value = (orelse, now2, value2) if raised1 else (body, now1, value1)
        ev.adopt(block)
        for key, container in state.mutable().items():
            assign(container, now[key])
        forget(ev)
        return value
    merge = Merge(ev, state, body, orelse, node, meaning)
    for key, container in state.mutable().items():
        assign(container, merge.contents(container, now1[key], now2[key]))
    result = merge.value(value1, value2)
    forget(ev)
    if body or orelse:
        ev.builder.add(If(test, body, orelse))
    return result


def forget(ev):
    """Arrays stored into on some side have no known value any more."""
    for storage in ev.forgotten:
        storage.known = None
    ev.forgotten.clear()


def note_stores(ev, state):
    """Remember which arrays of known value were stored into since `state`."""
    ev.forgotten.update(s for s, known in state.known.items() if known is not None and s.known is not known)


RESULT = "the function's result"


def kind_of(value):
    """A value in words."""
    if is_numeric(value):
        return "an array" if np.ndim(value) else "a number"
    return "None" if value is None else f"a value of type {type(value).__name__}"


class Merge:
    """Merges the outcomes of two blocks; the merged names are bound by a Move at the end of each block."""

    def __init__(self, ev, state, body, orelse, node, test):
        self.ev, self.builder, self.node = ev, ev.builder, node
        self.body, self.orelse = body, orelse
        self.before = state
        self.entry = set(state.known)
        self.memo, self.test = {}, test

    def hint(self, value, hint):
        if isinstance(hint, str) and hint.isidentifier():
            return hint
        return self.builder.hints.get(value.storage.name, "y") if is_reference(value) else "y"

    def contents(self, container, left, right):
        keys = list(left) + [k for k in right if k not in left]
        if isinstance(container, list | deque) and len(left) != len(right):
            raise ValueDependent("a list grows on one side of a condition on array values",
                                 "Give both sides the same length, or use np.where.", self.ev.origin(self.node))
        if isinstance(container, dict) and list(left) != list(right):
            self.ev.doubtful[id(container)] = container
        merged = {}
        for key in keys:
            if key in left and key in right:
                merged[key] = self.value(left[key], right[key], key)
            elif self.is_unread(container, key, key in left):
                merged[key] = self.any_value(left.get(key), right.get(key), key in left, key)
            else:
                merged[key] = Undefined(f"{key} is set on one side only of a condition on array values",
                                        (left.get(key, right.get(key)), key in left))
        return merged

    def is_unread(self, container, name, in_body):
        """Whether a variable is not read where one side did not bind it: generated names are read under their flag only, and
        others need no value where that side leaves the function or round. The guard of a loop's rounds is no such place: there
        a name keeps the value of the round before."""
        is_choice = isinstance(self.node, gast.If) and not getattr(self.node, "is_guard", False)
        if container is not self.ev.frames[-1].env or not is_choice:
            return is_choice and str(name).startswith("_") and any(container is frame.env for frame, _ in self.ev.frames[-1].consumers())
        left = getattr(self.node, "left", {})
        side = "orelse" if in_body else "body"
        return name.startswith("_") or (side in left and name not in left[side])

    def any_value(self, left, right, in_body, name):
        """The value that one side binds; on the other side whatever fits."""
        missing = Undefined(f"{name} is set on one side only of a condition on array values")
        return self.fill(left if in_body else missing, missing if in_body else right, left if in_body else right, name)

    def value(self, left, right, hint="value"):
        if left is right:
            return left
        left, right = self.narrowed(left, True), self.narrowed(right, False)
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            return Undefined(f"{hint} is set on one side only of a condition on array values")
        if is_numeric(left) and is_numeric(right):
            return self.numeric(left, right, hint)
        if is_ragged(left) or is_ragged(right):
            return self.ragged(left, right, hint)
        if type(left) is type(right) and isinstance(left, str | bytes | set | frozenset | type(None) | range | type) and left == right:
            return left
        from . import choices
        chosen = choices.merged(self, left, right, hint)
        if chosen is not None:
            return chosen
        if type(left) is type(right) and not self.ev.is_opaque(left):
            one, two = contents(left), contents(right)
            if one is not None and two is not None and list(one) == list(two):
                merged = [self.value(one[k], two[k], k) for k in one]
                if isinstance(left, tuple):
                    return rebuild(left, merged)
                return self.ev.joined.make(left, right, dict(zip(one, merged)), self)
        one, two = kind_of(left), kind_of(right)
        named = f"item {hint!r}" if not isinstance(hint, str) else RESULT if hint.startswith("_result") else hint
        names = f"{one} or {two}" if one != two else f"another {type(left).__name__} on each side,"
        return Undefined(f"{named} is {names} depending on a condition on array values")

    def narrowed(self, value, holds):
        """What one side leaves, where the test says which of several kinds it is."""
        with assumed(self.ev, self.test, holds):
            return value.narrowed() if hasattr(type(value), "narrowed") else value

    def ragged(self, left, right, hint):
        """Arrays of unknown length merge with masks, if their static arrays are alike."""
        numeric = all(is_ragged(v) or is_numeric(v) and np.ndim(v) for v in (left, right))
        axes = common_masks(left, right) if numeric else None
        if axes is None:
            return Undefined(f"{hint} has another length on each side of a condition on array values")
        sides = []
        for block, value in ((self.body, left), (self.orelse, right)):
            with self.builder.nested(block):
                sides.append(as_masks(value, axes))
        return sides[0].rebuilt([self.numeric(a, b, hint) for a, b in zip(sides[0].items, sides[1].items)])

    def fill(self, left, right, defined, hint):
        """`defined` where its side was taken, zeros where it was not."""
        pick = lambda side, key: side if isinstance(side, Undefined) else side[key]
        inner = lambda key: self.fill(pick(left, key), pick(right, key), defined[key], hint)
        if isinstance(defined, tuple):
            return rebuild(defined, [inner(i) for i in range(len(defined))])
        if type(defined) is list:
            return [inner(i) for i in range(len(defined))]
        if type(defined) is dict:
            return {key: inner(key) for key in defined}
        if not is_numeric(defined):
            return Undefined(f"{hint} is set on one side only of a condition") if self.ev.has_abstract(defined) else defined
        aval = self.ev.aval(defined)
        zero = aval.dtype.type(0).item() if aval.shape == () else np.zeros(aval.shape, aval.dtype)
        return self.numeric(zero if isinstance(left, Undefined) else left, zero if isinstance(right, Undefined) else right, hint)

    def numeric(self, left, right, hint):
        left, right = self.ev.seen(left), self.ev.seen(right)
        if not is_reference(left) and not is_reference(right) and type(left) is type(right) and np.array_equal(left, right):
            return left
        same = is_reference(left) and is_reference(right) and left.storage is right.storage and left.path_key() == right.path_key()
        if same:
            return left
        one, two = self.ev.aval(left), self.ev.aval(right)
        if one.shape != two.shape:
            raise ValueDependent(f"{hint} has shape {one.shape} on one side of a condition on array values and {two.shape} on the other",
                                 "Give both sides the same shape.", self.ev.origin(self.node))
        key = (self.identity(left), self.identity(right))
        if key not in self.memo:
            self.memo[key] = self.join(left, right, one, two, hint), left, right
        return self.memo[key][0]

    def identity(self, value):
        return (value.storage, value.path_key()) if is_reference(value) else id(value)

    def join(self, left, right, one, two, hint):
        aval, mark = join_marked(one, two, mark_of(left), mark_of(right))
        name = self.builder.fresh(self.hint(left if is_reference(left) else right, hint), aval)
        for block, value in ((self.body, left), (self.orelse, right)):
            with self.builder.nested(block):
                self.builder.add(Move(name, convert_atom(self.builder, value, aval)))
        merged = self.builder.reference(name)
        merged.storage.jnp, merged.storage.mixed = mark, differ(one, two) or any(is_reference(v) and v.storage.mixed for v in (left, right))
        self.ev.merged[name] = merged.storage
        merged.storage.choices = [weakref.ref(v.storage) for v in (left, right) if is_reference(v) and aval.shape]
        old = [v.storage for v in (left, right) if is_reference(v) and v.storage in self.entry and aval.shape]
        if old:
            self.ev.ambiguous.append((merged.storage, old))
        return merged


def differ(one, two):
    """Whether Python tells the types of two numbers apart; a NumPy float is a float."""
    return one.dtype.kind != two.dtype.kind or one.weak != two.weak and one.dtype.kind in "biu"


def join_marked(one, two, mark_one, mark_two):
    """(the aval that holds both, its mark): promoted dtype, weak only if both are Python numbers."""
    if one == two and mark_one == mark_two:
        return one, mark_one
    dtype, mark = joined_type(one, two, mark_one, mark_two)
    return Aval(one.shape, dtype, one.weak and two.weak and not mark), mark


def convert_atom(builder, value, aval):
    """The atom of `value`, converted to the dtype of `aval` if need be."""
    if not is_reference(value) and not isinstance(value, np.ndarray) and not is_device_array(value):
        if aval.weak or (aval.shape == () and np.result_type(value) != aval.dtype):
            kinds = {"b": bool, "i": int, "f": float, "c": complex}
            return kinds[aval.dtype.kind](value) if aval.weak else aval.dtype.type(value)
        return value
    ref = builder.operand(value)
    if ref.dtype != aval.dtype:
        ref = builder.append(TABLE["astype"], (ref,), {"dtype": aval.dtype})
    return builder.read(ref)


def check_ambiguous(ev):
    """Arrays that are one object or another depending on a value must not be stored into while both are in use."""
    reachable = storages(ev, [f.env for f in ev.frames])
    for merged, old in ev.ambiguous:
        for storage in old:
            for one in (storage, *partners(storage)):
                if one in reachable or one.argument is not None:
                    tie(merged, one)
            if storage.argument is not None:
                tie_to_caller(storage)
            if may_be_callers(storage):
                tie_to_caller(merged)
    ev.ambiguous.clear()


__all__ = ["BranchRaised", "State", "check_ambiguous", "choose", "is_safe", "truth"]
