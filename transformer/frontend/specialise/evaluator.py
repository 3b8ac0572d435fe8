"""The evaluator: executes a user's function statement by statement on static values and references."""

import types
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from ...core import Aval, literal_aval
from ...errors import TransformError, ValueDependent
from .. import parse, scopes
from ..reference import Ref, as_array, is_reference
from . import branches, statements
from .externals import is_device_array
from .state import NUMBERS, State, Undefined, contents

MAX_DEPTH = 200


@dataclass(eq=False)
class Frame:
    """One call of a function: its variables, the frame of the function around it, and where it stands."""

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
    live: dict = field(default_factory=dict)


class Evaluator:
    """Executes functions and emits what concerns arrays into a builder.

    unroll: run every loop of static length step by step. values: the arguments' values are known (value mode).
    """

    def __init__(self, builder, externals, unroll=False, values=False):
        self.builder, self.externals = builder, externals
        self.unroll, self.values = unroll, values
        self.frames = []
        self.forgotten, self.ambiguous = set(), []
        self.promoted, self.born, self.kept = {}, {}, []
        self.volatile, self.refuse_volatile = None, False

    # places ------------------------------------------------------------------
    def origin(self, node=None):
        frame = self.frames[-1] if self.frames else None
        if frame is None:
            return None
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
        from .expressions import EXPRESSIONS
        return self.seen(EXPRESSIONS[type(node)](self, frame, node))

    def assign(self, frame, target, value):
        statements.assign(self, frame, target, value)

    def seen(self, value):
        """A static array that became part of the program is met again as its reference."""
        if type(value) is np.ndarray and self.promoted:
            return self.promoted.get(id(value), value)
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
        return State(self.environments(), self.is_opaque)

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
        if isinstance(value, np.ndarray):
            return Aval(value.shape, value.dtype)
        return literal_aval(value)

    def operand(self, value):
        """A value as it may stand in a statement."""
        return self.builder.operand(self.promote_read(value))

    def promote_read(self, value):
        return as_array(value) if isinstance(value, np.ndarray) else value

    def promote(self, array, node):
        """A static array that is stored into under abstract conditions becomes part of the program, under all its names."""
        key = id(array)
        if key in self.promoted:
            return self.promoted[key]
        for other, _ in self.born.values():
            if other is not array and other.size and array.size and np.shares_memory(other, array):
                raise self.error("a static array that has views is stored into", "Copy the view first (.copy()).", node)
        block = self.born[key][1] if key in self.born else self.builder.stack[0]
        if not any(block is b for b in self.builder.stack):
            block = self.builder.stack[0]
        with self.builder.nested(block):
            ref = self.builder.constant(array, name_in(node) or "c")
        ref.storage.known = None
        self.kept.append(array)
        self.promoted[key] = ref
        return ref

    def created(self, value):
        """Note where a static array was made."""
        if isinstance(value, np.ndarray) and id(value) not in self.born:
            self.born[id(value)] = (value, self.builder.block)
        return value

    def has_abstract(self, value, seen=None):
        """Whether an abstract value is inside `value`."""
        if is_reference(value):
            return value.known is None
        if isinstance(value, np.ndarray):
            return id(value) in self.promoted
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

    def open(self, value):
        """An external container with its leaves loaded, ready to be iterated over or passed to native code."""
        return self.externals.deep(value)

    # names ------------------------------------------------------------------------
    def peek(self, frame, name):
        """The value of a variable if it is bound in a frame, else None."""
        while frame is not None:
            if name in frame.env:
                return frame.env[name]
            frame = frame.parent
        return None

    def usable(self, name, value, node):
        if isinstance(value, Undefined):
            raise ValueDependent(value.reason, "Give it a value before the condition or the loop.", self.origin(node))
        return value


def name_in(node):
    """The variable at the root of a target such as y[0]."""
    node = getattr(node, "target", node)
    while isinstance(node, gast.Subscript | gast.Attribute):
        node = node.value
    return getattr(node, "id", None)


__all__ = ["Evaluator", "Frame", "branches"]
