"""The evaluator: executes a user's function statement by statement on static values and references."""

import types
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Aval, literal_aval
from ...errors import TransformError, ValueDependent
from ...later import later
from .. import aliases, parse, scopes
from ..reference import Ref, as_array, is_reference
from . import branches, native_objects, running, statements
from .externals import is_device_array
from .joined import JoinedContainers
from .state import NUMBERS, State, Undefined, assign, contents, rebuild

expressions = later(globals(), "frontend.specialise.expressions")

MAX_DEPTH = 400


@dataclass(eq=False)
class Frame:
    """One call of a function: its variables, the frame of the function around it, and where it stands."""

    __transformer_opaque__ = True

    name: str
    node: Any
    env: dict
    parsed: Any
    parent: Any = None
    local: frozenset = frozenset()
    outer: frozenset = frozenset()
    result: Any = None
    at: Any = None
    comprehension: bool = False
    consumer: Any = None
    live: dict = field(default_factory=dict)

    @property
    def is_own(self):
        """Whether the function is one of our control flow functions: errors in it are told at the line of its caller."""
        return self.parsed.globals.get("__name__") == "transformer.lax.control"

    def consumers(self):
        """The loops whose rounds run where this frame, which is a generator's, yields, from the inside out: [(frame, node)]."""
        found, frame = [], self
        while frame.consumer is not None and frame.consumer.frame is not None:
            found.append((frame.consumer.frame, frame.consumer.node))
            frame = frame.consumer.frame
        return found


class Evaluator:
    """Executes functions and emits what concerns arrays into a builder.

    unroll: run every loop of static length step by step. values: the arguments' values are known (value mode).
    """

    __transformer_opaque__ = True

    def __init__(self, builder, externals, unroll=False, values=False):
        self.builder, self.externals = builder, externals
        self.unroll, self.values = unroll, values
        self.frames, self.attempts, self.handled, self.tests = [], [], [], []
        self.meanings, self.assumed = {}, []
        self.forgotten, self.ambiguous = set(), []
        self.joined = JoinedContainers(self)
        self.promoted, self.born, self.made, self.kept, self.roots = {}, {}, {}, [], {}
        self.remembered, self.constructed, self.running = {}, {}, None
        self.called_back = self.escaped = None
        self.filters, self.certain, self.doubtful, self.merged = [*warnings.filters], [], {}, {}
        self.volatile, self.refuse_volatile = None, False

    # places ------------------------------------------------------------------
    def origin(self, node=None):
        frame = self.frames[-1] if self.frames else None
        if frame is None:
            return None
        if frame.is_own:
            return next((f.at for f in reversed(self.frames) if not f.is_own), None)
        return parse.origin(frame.parsed, frame.node if node is None else node)

    def error(self, what, advice="", node=None):
        return TransformError(what, advice, self.origin(node))

    # statements and expressions -----------------------------------------------
    def run(self, frame, stmts):
        for stmt in stmts:
            self.builder.origin = frame.at = self.origin(stmt)
            try:
                statements.STATEMENTS[type(stmt)](self, frame, stmt)
            except TransformError as error:
                raise error.at(self.origin(stmt))
            if self.ambiguous:
                branches.check_ambiguous(self)

    def eval(self, frame, node):
        return self.seen(expressions.EXPRESSIONS[type(node)](self, frame, node))

    def eval_looped(self, frame, node):
        """The value of an expression whose items are looped over."""
        return self.seen(expressions.looped(self, frame, node))

    def assign(self, frame, target, value):
        statements.assign(self, frame, target, value)

    def seen(self, value):
        """A static array that became part of the program is met again as its reference; a device array is part of it."""
        if is_device_array(value):
            return self.builder.device_constant(value)
        if type(value) is np.ndarray and self.promoted:
            found = self.find_promoted(value)
            return value if found is None else found
        if type(value) is np.flatiter and self.promoted:
            found = self.seen(value.base)
            return value if found is value.base else found.flat
        return value

    def seen_inside(self, value, met=None):
        """`value` with references for the static arrays inside that became part of the program: in the containers themselves, but for tuples."""
        if isinstance(value, np.ndarray):
            return self.seen(value)
        met = {} if met is None else met
        inside = None if id(value) in met or self.is_opaque(value) else contents(value)
        if not inside:
            return value
        met[id(value)] = value
        found = {key: self.seen_inside(item, met) for key, item in inside.items()}
        if all(found[key] is item for key, item in inside.items()):
            return value
        if isinstance(value, tuple):
            return rebuild(value, found.values())
        assign(value, found)
        return value

    # state ---------------------------------------------------------------------
    def is_opaque(self, value):
        """Values whose inside is not part of the state."""
        return (isinstance(value, types.ModuleType | types.FunctionType | type | Ref | np.ndarray) or is_device_array(value)
                or self.externals.is_external(value) or hasattr(type(value), "__transformer_opaque__"))

    def environments(self):
        found = []
        for frame in self.frames:
            while frame is not None:
                found.append(frame.env)
                frame = frame.parent
        return found

    def capture(self):
        return State([*self.environments(), list(self.promoted.values())], self.is_opaque)

    def live_after(self, frame, node):
        if "after" not in frame.live:
            frame.live |= {"after": True, **scopes.live_after(frame.node)}
        return frame.live.get(id(node), frozenset())

    def live_in_rounds(self, frame, node):
        if "rounds" not in frame.live:
            frame.live["rounds"] = scopes.live_in_rounds(frame.node)
        return frame.live["rounds"][id(node)]

    # arrays ----------------------------------------------------------------------
    def aval(self, value):
        if is_reference(value):
            return value.aval
        if isinstance(value, np.ndarray) or is_device_array(value):
            return Aval(tuple(value.shape), value.dtype)
        return literal_aval(value)

    def operand(self, value):
        """A value as it may stand in a statement."""
        return self.builder.operand(self.promote_read(value))

    def promote_read(self, value):
        return as_array(value) if isinstance(value, np.ndarray) else value

    def promote(self, array, node, stored=True):
        """A static array that is stored into under abstract conditions becomes part of the program, with all that share its memory.

        stored: False for an array that is only looked at through an abstract index: its value stays known until a store.
        """
        found = self.find_promoted(array, node)
        if found is not None or array.size == 0:
            return self.builder.constant(array) if found is None else found
        whole = aliases.owner(array)
        made = [block for other, block in self.born.values() if aliases.memory(other) == aliases.memory(array)]
        block = min((b for b in made if any(b is s for s in self.builder.stack)), key=self.depth, default=self.builder.stack[0])
        with self.builder.nested(block):
            ref = self.builder.constant(whole, self.name_of(array, whole))
        ref.storage.known = None if stored and not self.values else ref.storage.known
        self.kept.append(whole)
        self.promoted[id(whole)] = ref
        self.roots[aliases.memory(whole)] = (whole, ref)
        return self.find_promoted(array, node)

    def name_of(self, *arrays):
        """The user's name for the first of these arrays that has one."""
        names = (name for array in arrays for env in self.environments() for name, value in env.items() if value is array)
        return next((name for name in names if isinstance(name, str) and not name.startswith("_")), "c")

    def joined_from_outside(self, before):
        """Whether a static array made outside of the block at hand has joined the program since `before` (ids)."""
        outside = self.builder.stack[:-1]
        made = [self.born.get(key, (None, outside[0]))[1] for key in self.promoted if key not in before]
        return any(block is b for block in made for b in outside)

    def must_promote(self, owner, index, value):
        """Whether a store into a static array must be part of the program."""
        if id(owner) in self.promoted or self.has_dynamic(value) or self.has_dynamic(index):
            return True
        return len(self.builder.stack) > 1 and (id(owner) not in self.born or self.born[id(owner)][1] is not self.builder.block)

    def depth(self, block):
        return next(k for k, b in enumerate(self.builder.stack) if b is block)

    def find_promoted(self, array, node=None):
        """The reference that stands for a static array, if it or an array that it shares its memory with joined the program."""
        if id(array) in self.promoted:
            return self.promoted[id(array)]
        if aliases.memory(array) not in self.roots:
            return None
        whole, ref = self.roots[aliases.memory(array)]
        view = aliases.view_of(ref, whole, array)
        if view is None and array.size:
            raise self.error("a static array that has views is stored into", "Copy the view first (.copy()).", node)
        if view is not None:
            self.kept.append(array)
            self.promoted[id(array)] = view
        return view

    def created(self, value):
        """Note where a static array was made."""
        if isinstance(value, np.ndarray) and id(value) not in self.born:
            self.born[id(value)] = (value, self.builder.block)
        return value

    def adopt(self, block):
        """Append the statements of a nested block to the block at hand: what was made in it is made here."""
        self.builder.block.extend(block)
        for table in (self.born, self.made):
            table.update({key: (value, self.builder.block) for key, (value, home) in table.items() if home is block})

    def note_left(self, storages):
        """What a loop leaves is known when it is asked for."""
        self.running = self.running or running.Running(self.builder)
        self.running.leave(storages)

    def created_inside(self, value, met=None):
        """Note where the static arrays in a new container or object were made."""
        met = {} if met is None else met
        if isinstance(value, np.ndarray) or value is None or isinstance(value, NUMBERS):
            return self.created(value)
        if id(value) not in met and not self.is_opaque(value):
            met[id(value)] = value
            for item in (contents(value) or {}).values():
                self.created_inside(item, met)
        return value

    def has_abstract(self, value, seen=None):
        """Whether an abstract value is inside `value`."""
        if is_reference(value):
            return value.known is None
        if isinstance(value, np.ndarray):
            return bool(self.promoted) and self.find_promoted(value) is not None
        seen = set() if seen is None else seen
        readable = hasattr(type(value), "frame_values")
        if id(value) in seen or value is None or isinstance(value, NUMBERS) or (self.is_opaque(value) and not readable):
            return False
        seen.add(id(value))
        inside = value.frame_values() if readable else (contents(value) or {}).values()
        return any(self.has_abstract(v, seen) for v in list(inside))

    def has_dynamic(self, value):
        """Whether a value that differs from call to call is inside `value` (a list, tuple, slice or reference)."""
        if isinstance(value, list | tuple):
            return any(map(self.has_dynamic, value))
        if isinstance(value, slice):
            return self.has_dynamic((value.start, value.stop, value.step))
        return value.known is None or value.storage.varies if is_reference(value) else self.has_abstract(value)

    def refuse_mutation(self, owner, what, origin):
        """Refuse to change a container that outlives the call, or that is one of two while the other one is in use."""
        self.externals.refuse_mutation(owner, what, origin)
        native_objects.check_store(self, owner, what, origin)
        self.joined.check_store(owner, what, origin)

    def open(self, value):
        """An external container with its leaves loaded, ready to be passed to native code that reads it."""
        self.check_keys(value)
        return self.externals.deep(value)

    def items(self, value):
        """A container to take items from: the items are the container's own, so that what is stored into one reaches it."""
        self.check_keys(value)
        return self.externals.items(value)

    def check_keys(self, value):
        """Refuse to look at the keys of a dict that has other ones, or in another order, on each side of a condition on array values."""
        if self.doubtful.get(id(value)) is value and value is not None:
            raise ValueDependent("which keys a dict has, and in which order, depends on a condition on array values",
                                 "Give it the same keys on both sides of the condition.", self.origin())

    # names ------------------------------------------------------------------------
    def peek(self, frame, name):
        """The value of a variable if it is bound in a frame, else None."""
        while frame is not None:
            if name in frame.env:
                return frame.env[name]
            frame = frame.parent
        return None

    def usable(self, value, node):
        if isinstance(value, Undefined):
            advice = "Return the same kind of value on every path (np.nan or -1 for None)." if value.reason.startswith(branches.RESULT) else \
                "Give it a value before the condition or the loop."
            raise ValueDependent(value.reason, advice, self.origin(node))
        return value

    def check_usable(self, value, node):
        """Refuse a container in which an item is not usable where library code reads it."""
        if type(value) in (list, tuple, dict):
            for item in value.values() if type(value) is dict else value:
                self.check_usable(item, node)
        else:
            self.usable(value, node)


__all__ = ["Evaluator", "Frame", "branches"]
