"""Specialise a user function: types of its arguments known, Core out."""

import functools
import types

import numpy as np

from ... import tree
from ...access import Kept
from ...core import Apply, Move, Update, walk
from ...depth import deep_recursion
from ...errors import NeedStatic, TransformError, ValueDependent
from ...specialised import Input, Param, Specialised, Static
from ...zero_tangents import outside
from .. import parse
from ..builder import Builder
from ..ragged import is_ragged
from ..reference import contains_reference, is_reference
from . import branches, calls
from .choices import Choice
from .evaluator import Evaluator
from .externals import Externals, is_device_array, is_dynamic_array
from .generators import Generator
from .state import Undefined, is_numeric

ATTEMPTS = 24


def specialise(fn, args, kwargs, refuse_volatile=False, values=False, name=None, parent=None, sized=False):
    """The program of `fn(*args, **kwargs)`, where dynamic leaves of the arguments are `Param`.

    A scalar whose value is needed (a size, a shape) becomes static on its own. With values=True (value mode) the arguments'
    values decide every branch; such a program holds for this call only. sized: arrays whose size depends on data are masked ones.
    """
    static, static_ids, unroll, sized = {}, set(), False, refuse_volatile or sized
    for _ in range(ATTEMPTS):
        attempt = Attempt(fn, args, kwargs, static, static_ids, unroll, values, refuse_volatile, name, parent)
        attempt.builder.sized = sized
        try:
            with deep_recursion():
                return attempt.run()
        except TransformError as error:
            needed = isinstance(error, NeedStatic)
            found = next(filter(None, map(attempt.sources, (*([error.ref] if needed else []), *error.tests))), None)
            if found:
                for kind, key, value in found:
                    if kind == "leaf":
                        static[key] = value
                    else:
                        static_ids.add(key)
            elif not sized and isinstance(error, ValueDependent) and (not needed or has_unknown_size(error.ref)):
                sized = True
            elif needed and not unroll:
                unroll = True
            else:
                raise
    raise TransformError("too many arguments of this function are needed as Python numbers", "Mark them with static_argnums.")


def has_unknown_size(ref):
    return is_reference(ref) and None in ref.shape


def with_known_keys(treedef):
    """The structure of results whose dicts may have references for keys: they stand for values that are known."""
    meta = treedef.meta
    if isinstance(meta, tree.Keys):
        meta = meta._replace(keys=tuple(map(known_key, meta.keys)), order=tuple(map(known_key, meta.order)))
    return treedef._replace(meta=meta, children=tuple(map(with_known_keys, treedef.children)))


def known_key(key):
    if isinstance(key, tuple):
        return tuple(map(known_key, key))
    if not is_reference(key):
        return key
    return key.known.item() if key.weak else key.known[()]


def program_name(fn):
    """The name of a function as an identifier; a lambda has the name it is assigned to."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    name = getattr(fn, "__name__", type(fn).__name__)
    if name == "<lambda>":
        name = parse.parse(fn).name if isinstance(fn, types.FunctionType) else "function"
    return "".join(c if c.isalnum() else "_" for c in name)


class Attempt:
    """One pass of the evaluator over the function."""

    def __init__(self, fn, args, kwargs, static, static_ids, unroll, values, refuse_volatile, name, parent):
        self.fn, self.args, self.kwargs, self.static, self.values = fn, args, kwargs, dict(static), values
        self.builder = Builder(name or program_name(fn), parent)
        self.externals = Externals(self.builder, frozenset(static_ids), values)
        self.ev = Evaluator(self.builder, self.externals, unroll, values)
        self.ev.refuse_volatile, self.ev.decided_by_integers = refuse_volatile, self.decided_by_integers
        self.position = 0

    def run(self):
        with self.builder:
            if self.values:
                self.builder.fold_limit = None
            args = [self.dynamic(a) for a in self.args]
            kwargs = {k: self.dynamic(v) for k, v in self.kwargs.items()}
            for value, label in [*zip(args, self.labels(len(args))), *((v, k) for k, v in kwargs.items())]:
                self.register(value, label)
            self.register_owner(self.fn)
            try:
                result = calls.call(self.ev, self.fn, tuple(args), kwargs, None)
            except branches.BranchRaised:
                raise TransformError(f"{self.builder.name} raises on every path", "Return a value on some path.") from None
            outputs, out_tree = self.outputs(result)
            program = self.builder.program(outputs)
        self.refuse_shared_stores(program)
        inputs = [self.input(storage.argument) for storage in self.builder.parameters]
        return Specialised(program, out_tree, inputs, self.static, self.externals.guards, self.ev.volatile, self.values,
                           self.builder.uses_jnp)

    def input(self, argument):
        kind, key, value = argument
        return Input(kind, key if kind == "leaf" else None, None if kind == "leaf" else value)

    def refuse_shared_stores(self, program):
        """Stores into arguments: not if an array was given twice, nor if it is immutable. None into arrays from outside."""
        stored = {s.target: s for s in walk(program.body) if isinstance(s, Update)}
        for storage in self.builder.parameters:
            if storage.argument[0] == "hidden" and storage.name in stored:
                raise TransformError(f"{storage.argument[2].label} outlives the call and is changed here (an element is set)",
                                     "Copy it first (.copy()), or pass it as an argument; a transformed function has no side effects.",
                                     stored[storage.name].origin)
        values = [(storage, storage.argument[2]) for storage in self.builder.parameters if storage.argument[0] == "leaf"]
        for storage, value in values:
            stmt = stored.get(storage.name)
            if stmt is None:
                continue
            if is_device_array(value):
                raise TransformError(f"{storage.name} is a device array, which cannot be changed, and is stored into",
                                     "Copy it first: x = np.array(x), or x = x.copy().", stmt.origin)
            if sum(other is value for _, other in values if isinstance(other, np.ndarray)) > 1:
                raise TransformError(f"{storage.name} is given twice and stored into", "Pass a copy for one of them.", stmt.origin)

    def dynamic(self, value):
        """The argument with a reference for each dynamic leaf."""
        if isinstance(value, Param):
            return self.param(value)
        if isinstance(value, Static):
            return value.value
        leaves, treedef = tree.flatten(value)
        if treedef.kind is None:
            return value
        return tree.unflatten(treedef, [self.param(v) if isinstance(v, Param) else v for v in leaves])

    def param(self, param):
        position, self.position = self.position, self.position + 1
        if position in self.static:
            return self.static[position]
        ref = self.builder.parameter(param.name, param.aval)
        ref.storage.argument, ref.storage.jnp = ("leaf", position, param.value), param.jnp
        if self.values and param.value is not None:
            ref.storage.known, ref.storage.varies = np.asarray(param.value), True
        return ref

    def labels(self, count):
        fn = self.fn.func if isinstance(self.fn, functools.partial) else self.fn
        code = getattr(fn, "__code__", None)
        names = code.co_varnames[isinstance(fn, types.MethodType):code.co_argcount][:count] if code is not None else ()
        return [*names, *(f"argument {i}" for i in range(len(names), count))]

    def register(self, value, label):
        """Objects among the arguments outlive the call; so do the caller's containers, for which copies stand here."""
        if is_reference(value):
            return
        _, treedef = tree.flatten(value)
        if treedef.kind is None:
            self.externals.register(value, Kept(value), label)
        else:
            self.externals.freeze(value, label)

    def register_owner(self, fn):
        """What is bound to the function outlives the call: the object of a method, an object that is called, a partial's arguments."""
        if isinstance(fn, functools.partial):
            self.externals.register(fn, Kept(fn), "partial")
            self.register_owner(fn.func)
        elif isinstance(fn, types.MethodType):
            self.register(fn.__self__, "self")
        elif calls.entered_method(fn) is not None:
            self.register(fn, "self")

    def outputs(self, result):
        leaves, out_tree = tree.flatten(outside(self.ev.open(result)))
        out_tree = with_known_keys(out_tree)
        leaves = [self.ev.seen(leaf) for leaf in leaves]
        for leaf in leaves:
            if is_ragged(leaf):
                raise NeedStatic(leaf.array, leaf.reason)
            if isinstance(leaf, Undefined):
                raise ValueDependent(leaf.reason, "Return the same structure on every path.", self.last_origin())
            if isinstance(leaf, Choice):
                raise ValueDependent(f"{branches.RESULT} is {leaf.kinds()} depending on a condition on array values",
                                     "Return the same kind of value on every path (np.nan or -1 for None).", self.last_origin())
            if isinstance(leaf, Generator):
                raise TransformError(f"{self.builder.name} returns a generator", "Return a list of its values.",
                                     parse.origin(leaf.frame.parsed, leaf.frame.node))
            if not is_numeric(leaf):
                what = f"{self.builder.name} returns a value of type {type(leaf).__name__}"
                raise TransformError(what, "Return arrays, numbers and containers of them.", self.last_origin())
        return leaves, out_tree

    def last_origin(self):
        return self.builder.body[-1].origin if self.builder.body else None

    def decided_by_integers(self, ref):
        """Whether integers among the arguments alone decide a value."""
        found = self.sources(ref)
        return bool(found) and all(isinstance(value, int) for _, _, value in found)

    def sources(self, ref):
        """The arguments and hidden inputs that a value comes from, if they alone decide it: [(kind, key, value)]."""
        if ref is None or not is_reference(ref) or ref.storage.builder is not self.builder:
            return None
        defined = {}
        for stmt in walk([s for block in self.builder.stack for s in block]):
            if isinstance(stmt, Apply | Move):
                defined.setdefault(stmt.target, []).append(stmt)
        by_name = {storage.name: storage for storage in self.builder.parameters}
        stack, seen, found = [ref.storage.name], set(), []
        for step in ref.path:
            stack += [a.storage.name for a in step.args if is_reference(a)]
        while stack:
            name = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            storage = by_name.get(name)
            if storage is not None:
                kind, key, value = storage.argument
                if kind == "hidden":
                    found.append((kind, key, None))
                elif kind == "lifted" or value is None or np.ndim(value):
                    return None
                else:
                    found.append((kind, key, value.item() if isinstance(value, np.generic | np.ndarray) else value))
                continue
            stmts = defined.get(name) or [self.builder.defined.get(name)]  # of a body that was given up
            if len(stmts) != 1 or stmts[0] is None:
                return None
            stmt = stmts[0]
            stack += [a for a in (stmt.args if isinstance(stmt, Apply) else (stmt.source,)) if isinstance(a, str)]
        return found


__all__ = ["Param", "Specialised", "Static", "contains_reference", "is_dynamic_array", "specialise"]
