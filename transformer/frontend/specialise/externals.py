"""What a function reads from outside: arrays become hidden inputs, everything else a guard checked at each call.

A compiled function never answers from a stale global or a redefined helper: the value is fetched through its accessor at
each call, and a guard that no longer holds builds the program anew.
"""

import collections
import enum
import operator
import os
import types

import numpy as np

from ...access import Attribute, Environment, Found, Item, Kept, Keys, Length, Type, Values
from ...core import Aval
from ...errors import TransformError
from ...specialised import Guard, Hidden, is_device_array, is_dynamic_array, unchanged
from ..promotion import mark_of
from .state import contents, is_users

MUTATORS = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add", "discard", "sort", "reverse",
            "popitem", "appendleft", "popleft", "extendleft", "rotate", "move_to_end", "subtract", "difference_update", "intersection_update",
            "symmetric_difference_update", "fill", "put", "resize", "write", "__setattr__", "__delattr__", "__setitem__", "__delitem__",
            "__iadd__", "__imul__", "__ior__", "__iand__", "__isub__", "__ixor__"}

SEQUENCES = list | tuple | collections.deque


class Externals:
    """The hidden inputs and guards of one program.

    `static_ids` holds the ids of arrays whose values are needed while specialising: they are guarded by value instead.
    """

    def __init__(self, builder, static_ids=frozenset(), values=False):
        self.builder, self.static_ids, self.values = builder, static_ids, values
        self.guards = []
        self.registry = {}
        self.references = {}
        self.kept, self.frozen = [], {}
        self.methods, self.modules, self.whole = set(), set(), set()

    def load(self, value, access, label):
        """The value as the evaluator sees it: a reference for an array, else the object itself under a guard."""
        if is_dynamic_array(value):
            return self.array(value, access, label)
        if isinstance(value, types.ModuleType):
            return self.module(value, access, label)
        if isinstance(value, np.ndarray | np.generic | np.dtype | bool | int | float | complex | str | bytes | range | slice | type(None)) or callable(value):
            self.guards.append(Guard(access, value, label))
        self.register(value, access, label)
        return value

    def module(self, module, access, label):
        """A module: what the user's modules hold is read at each call, what a library's do is known by its version."""
        if not isinstance(access, Kept) and (id(module), label) not in self.modules:
            self.modules.add((id(module), label))
            self.guards.append(Guard(access, module, label))
        if is_users(module.__name__) and id(module) not in self.registry:
            self.registry[id(module)] = (module, access, label)
        return module

    def environment(self, name):
        """Note that a variable of the environment is read."""
        self.guards.append(Guard(Environment(name), os.environ.get(name), f"os.environ[{name!r}]"))

    def missing(self, name):
        """Note that a module could not be imported."""
        self.guards.append(Guard(Found(name), False, f"import {name}"))

    def register(self, value, access, label):
        """Remember an object that outlives the call, so that what is read from it can be fetched again."""
        if isinstance(value, bool | int | float | complex | str | bytes | type(None) | type | np.generic):
            return
        self.registry[id(value)] = (value, access, label)
        if isinstance(value, enum.Enum):
            self.guards.append(Guard(access, value, label))
        elif not isinstance(access, Kept):
            self.guards.append(Guard(Type(access), type(value), f"type of {label}"))
        if isinstance(value, SEQUENCES | dict | set):
            self.guards.append(Guard(Length(access), len(value), f"len({label})"))
            if isinstance(value, dict):
                self.guards.append(Guard(Keys(access), tuple(value), f"keys of {label}"))

    def array(self, value, access, label):
        if id(value) in self.references:
            return self.references[id(value)]
        self.kept.append(value)
        if id(value) in self.static_ids:
            copy = np.array(value)
            self.guards.append(Guard(Values(access), copy, label))
            result = copy
        else:
            aval = Aval(tuple(value.shape), np.dtype(value.dtype))
            hint = "".join(c if c.isalnum() else "_" for c in label).strip("_") or "closed"
            result = self.builder.parameter(hint if not hint[0].isdigit() else "a" + hint, aval)
            result.storage.jnp = mark_of(value)
            result.storage.argument = ("hidden", id(value), Hidden(access, aval, label))
            if self.values:
                result.storage.known, result.storage.varies = np.asarray(value), True
        self.references[id(value)] = result
        return result

    def is_external(self, value):
        entry = self.registry.get(id(value))
        return entry is not None and entry[0] is value

    def attribute(self, owner, name):
        """`owner.name` of an external object."""
        value = getattr(owner, name)
        _, access, label = self.registry[id(owner)]
        if not isinstance(owner, types.ModuleType):
            if isinstance(value, types.MethodType):
                self.guard_method(type(owner), name, value.__func__)
                return value
            if callable(value) and hasattr(value, "__self__"):
                return value
        return self.load(value, Attribute(access, name), f"{label}.{name}")

    def class_attribute(self, cls, name):
        """`cls.name` of a user's class."""
        value, access, label = getattr(cls, name), Attribute(Kept(cls), name), f"{cls.__name__}.{name}"
        if isinstance(value, types.MethodType):
            self.guards.append(Guard(Attribute(access, "__func__"), value.__func__, label))
            return value
        if isinstance(value, property):
            self.guards.append(Guard(access, value, label))
        return self.load(value, access, label)

    def compared(self, value):
        """Note that it matters which object an external one is."""
        if self.is_external(value):
            _, access, label = self.registry[id(value)]
            self.guards.append(Guard(access, value, label))

    def read_whole(self, value):
        """Note that native code is given a user's object from outside, of which it may read anything."""
        if not self.is_external(value):
            for item in value if type(value) in (list, tuple) else ():
                self.read_whole(item)
            return
        inside = contents(value) if is_users(type(value).__module__) or isinstance(value, types.SimpleNamespace | SEQUENCES | dict) else None
        if inside is None or id(value) in self.whole:
            return
        self.whole.add(id(value))
        _, access, label = self.registry[id(value)]
        is_container = isinstance(value, SEQUENCES | dict)
        if not is_container and hasattr(value, "__dict__"):
            self.guards.append(Guard(Keys(Attribute(access, "__dict__")), tuple(vars(value)), f"attributes of {label}"))
        for key, item in inside.items():
            way, name = (Item(access, key), f"{label}[{key!r}]") if is_container else (Attribute(access, key), f"{label}.{key}")
            if is_dynamic_array(item):
                self.guards.append(Guard(Values(way), np.array(item), name))
            else:
                self.read_whole(self.load(item, way, name))

    def guard_method(self, cls, name, function):
        """A function entered as a method must stay the one that its class has."""
        if getattr(cls, name, None) is function and (cls, name) not in self.methods:
            self.methods.add((cls, name))
            self.guards.append(Guard(Attribute(Kept(cls), name), function, f"{cls.__name__}.{name}"))

    def item(self, owner, key):
        """`owner[key]` of an external container."""
        value = owner[key]
        _, access, label = self.registry[id(owner)]
        if isinstance(key, slice):
            items = [self.item(owner, i) for i in range(*key.indices(len(owner)))]
            return tuple(items) if isinstance(owner, tuple) else items
        return self.load(value, Item(access, key), f"{label}[{key!r}]")

    def method(self, fn):
        """A method of an external container that does not change it, as one of a container with the loaded items."""
        owner = fn.__self__
        if fn.__name__ == "get":
            return lambda key, default=None: self.item(owner, key) if key in owner else default
        return getattr(self.items(owner), fn.__name__)

    def items(self, value):
        """A container to take items from: those of an external one are loaded, and stay known as external. Others keep their items."""
        if not self.is_external(value):
            return value
        if isinstance(value, SEQUENCES):
            items = [self.item(value, i) for i in range(len(value))]
            return tuple(items) if isinstance(value, tuple) else items
        return {k: self.item(value, k) for k in value} if isinstance(value, dict) else value

    def deep(self, value):
        """An external container with every leaf loaded, for code that reads it natively; what has nothing external inside is itself."""
        if not self.is_external(value):
            if type(value) in (list, tuple):
                opened = type(value)(map(self.deep, value))
                return value if all(map(operator.is_, opened, value)) else opened
            return value
        if isinstance(value, SEQUENCES):
            items = [self.deep(self.item(value, i)) for i in range(len(value))]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            return {k: self.deep(self.item(value, k)) for k in value}
        return value

    def freeze(self, value, label):
        """An argument's containers: stand-ins for the caller's, which would be changed."""
        inside = None if is_dynamic_array(value) else contents(value)
        if inside is None or id(value) in self.frozen:
            return
        if not isinstance(value, tuple):
            self.frozen[id(value)] = (value, label)
        for key, item in inside.items():
            self.freeze(item, f"{label}[{key!r}]" if isinstance(value, list | dict | tuple) else f"{label}.{key}")

    def outlives(self, owner):
        """Whether an object is the caller's or is read from outside."""
        return id(owner) in self.frozen or self.is_external(owner)

    def refuse_mutation(self, owner, what, origin):
        if isinstance(owner, type):
            raise TransformError(f"an attribute of the class {owner.__name__} is changed here ({what})",
                                 "Set it before the call; a transformed function has no side effects.", origin)
        if self.outlives(owner):
            label = self.frozen[id(owner)][1] if id(owner) in self.frozen else self.registry[id(owner)][2]
            raise TransformError(f"{label} outlives the call and is changed here ({what})",
                                 "Return the new value instead; a transformed function has no side effects.", origin)


__all__ = ["MUTATORS", "Externals", "Guard", "Hidden", "is_device_array", "is_dynamic_array", "unchanged"]
