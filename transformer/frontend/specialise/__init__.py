"""Specialise a user function: types of its arguments known, Core out."""

import contextlib
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import tree
from ...core import Apply, Move, Program, walk
from ...errors import NeedStatic, TransformError
from ..builder import Builder
from ..reference import contains_reference, is_reference
from . import branches, calls
from .evaluator import Evaluator
from .externals import Externals, is_dynamic_array
from .state import is_numeric

ATTEMPTS = 24
RECURSION_LIMIT = 30_000


@dataclass(frozen=True, eq=False)
class Param:
    """A dynamic leaf of the arguments: its aval, and its value in this call."""

    aval: Any
    value: Any
    name: str = "x"


@dataclass(eq=False)
class Specialised:
    """A program and what is needed to call it.

    leaves: positions (among all dynamic leaves) that became parameters; static: position -> value of the leaves that are built
    into the program; hidden, guards: see `externals`; out_tree: structure of the outputs; volatile: (name, origin) of a draw.
    """

    program: Program
    out_tree: tree.Treedef
    leaves: list
    static: dict
    hidden: list
    guards: list
    volatile: Any
    by_value: bool = False


@contextlib.contextmanager
def deep_recursion():
    """User functions nest deeper here than in Python itself: each of their calls takes several of ours."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def specialise(fn, args, kwargs, refuse_volatile=False, values=False, name=None, parent=None):
    """The program of `fn(*args, **kwargs)`, where dynamic leaves of the arguments are `Param`.

    A scalar whose value is needed (a size, a shape) becomes static on its own. With values=True (value mode) the arguments'
    values decide every branch; such a program holds for this call only.
    """
    static, static_ids, unroll = {}, set(), False
    for _ in range(ATTEMPTS):
        attempt = Attempt(fn, args, kwargs, static, static_ids, unroll, values, refuse_volatile, name, parent)
        try:
            with deep_recursion():
                return attempt.run()
        except NeedStatic as error:
            found = attempt.sources(error.ref)
            if found:
                for kind, key, value in found:
                    if kind == "leaf":
                        static[key] = value
                    else:
                        static_ids.add(key)
            elif not unroll:
                unroll = True
            else:
                raise
    raise TransformError("too many arguments of this function are needed as Python numbers", "Mark them with static_argnums.")


class Attempt:
    """One pass of the evaluator over the function."""

    def __init__(self, fn, args, kwargs, static, static_ids, unroll, values, refuse_volatile, name, parent):
        self.fn, self.args, self.kwargs, self.static, self.values = fn, args, kwargs, dict(static), values
        self.builder = Builder(name or getattr(fn, "__name__", "f"), parent)
        self.externals = Externals(self.builder, frozenset(static_ids), values)
        self.ev = Evaluator(self.builder, self.externals, unroll, values)
        self.ev.refuse_volatile = refuse_volatile
        self.leaves, self.position = [], 0
        self.same = {}

    def run(self):
        with self.builder:
            if self.values:
                self.builder.fold_limit = None
            args = [self.dynamic(a) for a in self.args]
            kwargs = {k: self.dynamic(v) for k, v in self.kwargs.items()}
            for value in (*args, *kwargs.values()):
                self.register(value)
            try:
                result = calls.call(self.ev, self.fn, tuple(args), kwargs, None)
            except branches.BranchRaised:
                raise TransformError(f"{self.builder.name} raises on every path", "Return a value on some path.") from None
            outputs, out_tree = self.outputs(result)
            program = self.builder.program(outputs)
        hidden = {h.access: h for h in self.externals.hidden}
        return Specialised(program, out_tree, self.leaves, self.static, list(hidden.values()), self.externals.guards,
                           self.ev.volatile, self.values)

    def dynamic(self, value):
        """The argument with a reference for each dynamic leaf; the same array twice is one storage."""
        if isinstance(value, Param):
            return self.param(value)
        leaves, treedef = tree.flatten(value)
        if treedef.kind is None:
            return value
        return tree.unflatten(treedef, [self.param(v) if isinstance(v, Param) else v for v in leaves])

    def param(self, param):
        position, self.position = self.position, self.position + 1
        if position in self.static:
            return self.static[position]
        identity = id(param.value) if isinstance(param.value, np.ndarray) and param.aval.shape else None
        ref = self.builder.parameter(param.name, param.aval)
        ref.storage.argument = ("leaf", position, param.value)
        if self.values:
            ref.storage.known = np.asarray(param.value)
        self.leaves.append(position)
        if identity is not None and identity in self.same and self.same[identity].aval == param.aval:
            return self.same[identity]
        if identity is not None:
            self.same[identity] = ref
        return ref

    def register(self, value):
        """Static arguments are objects that outlive the call; so are the containers of arrays (their copies stand for them)."""
        if is_reference(value):
            return
        leaves, treedef = tree.flatten(value)
        if treedef.kind is None:
            self.externals.register(value, lambda: value, getattr(value, "__name__", type(value).__name__))

    def outputs(self, result):
        leaves, out_tree = tree.flatten(self.ev.open(result))
        leaves = [self.ev.seen(leaf) for leaf in leaves]
        for leaf in leaves:
            if not is_numeric(leaf):
                what = getattr(leaf, "reason", None) or f"{self.builder.name} returns a value of type {type(leaf).__name__}"
                raise TransformError(what, "Return arrays, numbers and containers of them.", self.last_origin())
        return leaves, out_tree

    def last_origin(self):
        return self.builder.body[-1].origin if self.builder.body else None

    def sources(self, ref):
        """The arguments and hidden inputs that a value comes from, if they alone decide it: [(kind, key, value)]."""
        if ref is None or not is_reference(ref) or ref.storage.builder is not self.builder:
            return None
        defined = {}
        for stmt in walk([s for block in self.builder.stack for s in block]):
            if isinstance(stmt, Apply | Move):
                defined.setdefault(stmt.target, []).append(stmt)
        by_name = {r.storage.name: r.storage for r in self.references()}
        stack, seen, found = [ref], set(), []
        names = [ref.storage.name]
        for step in ref.path:
            names += [a.storage.name for a in step.args if is_reference(a)]
        stack = names
        while stack:
            name = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            storage = by_name.get(name)
            if storage is not None:
                kind, key, value = storage.argument
                if kind == "leaf" and np.size(value) > 64:
                    return None
                found.append((kind, key, value.item() if kind == "leaf" and isinstance(value, np.generic) else value))
                continue
            if len(defined.get(name, ())) != 1:
                return None
            stmt = defined[name][0]
            stack += [a for a in (stmt.args if isinstance(stmt, Apply) else (stmt.source,)) if isinstance(a, str)]
        return found

    def references(self):
        for storage in self.builder.parameters:
            if storage.argument is not None:
                yield storage


__all__ = ["Param", "Specialised", "contains_reference", "is_dynamic_array", "specialise"]
