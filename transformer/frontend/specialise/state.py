"""The state of an evaluation: variables and containers, captured, restored and merged slot by slot.

A slot is one place that holds a value: a variable of a frame, an element of a list, a value of a dict, an attribute of an
object. Branches and loops compare slots before and after, and turn numbers that differ into names of the program.
"""

import array
import contextlib
import functools
import queue
import sys
import types
from collections import ChainMap, UserDict, UserList, UserString, deque

import gast
import numpy as np

from ...core import is_number
from ...errors import ValueDependent
from ..ragged import is_ragged
from ..reference import Ref, is_device_array, is_reference
from .loaded import loaded


class Control(Exception):
    """Base of the exceptions by which the evaluator steers itself; none of them is an error."""


class Undefined:
    """Placeholder of a value that cannot be used; `reason` says why. A leaf: no container, so that nothing reads what is inside."""

    __slots__ = ("reason", "value")

    def __init__(self, reason, value=None):
        self.reason, self.value = reason, value


STDLIB = {*sys.stdlib_module_names} - {"__main__"}
LIBRARIES = {"numpy", "scipy", "gast", "astunparse", "jaxlib", *STDLIB}


def is_users(name):
    """Whether a module of this name is none of the standard library, of the array libraries or of this package (the examples apart)."""
    top, _, rest = name.partition(".")
    return top not in LIBRARIES and top != "backend" and (top != "transformer" or rest.split(".")[0] == "examples")
NUMBERS = (bool, int, float, complex, np.generic)


def is_numeric(value):
    return is_reference(value) or isinstance(value, NUMBERS) or is_device_array(value) or (isinstance(value, np.ndarray) and is_number(value.dtype))


FOLLOWED = (BaseException, types.SimpleNamespace, UserDict, UserList, UserString, ChainMap, queue.Queue, contextlib.ExitStack)
"""Classes of the standard library whose attributes, as those of argparse.Namespace, are state of the program. Those of all others (loggers,
locks, files) are none: what changes them is looked at in `native_objects`."""


@functools.cache
def is_followed(cls):
    """Whether the attributes of an object of this class are state of the program."""
    return cls.__module__.partition(".")[0] not in STDLIB or issubclass(cls, (*FOLLOWED, loaded("argparse", "Namespace")))


BYTES = (array.array, bytearray)
"""Containers of plain numbers: their bytes are what they hold."""


def contents(value):
    """The mutable or nested contents of a container as a dict key -> value, or None for a leaf."""
    if isinstance(value, list | tuple | deque):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, set):
        return {"elements": frozenset(value)}
    if isinstance(value, BYTES):
        return {"bytes": bytes(value)}
    if is_device_array(value) or isinstance(value, Undefined | Ref | np.ndarray | np.ufunc | gast.AST | type | types.ModuleType | types.FunctionType):
        return None
    if isinstance(value, types.BuiltinFunctionType | types.MethodType | types.GenericAlias) or type(value).__module__ == "typing":
        return None
    if not is_followed(type(value)):
        return None
    slots = slots_of(type(value))
    if slots:
        return {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in slots if hasattr(value, name)}}
    return vars(value) if hasattr(value, "__dict__") else None


@functools.cache
def slots_of(cls):
    """The attributes that the classes of a user's object keep in slots."""
    if cls.__module__.split(".")[0] in LIBRARIES:
        return ()
    names = (name for base in cls.__mro__ for name in as_names(vars(base).get("__slots__", ())))
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def as_names(slots):
    return (slots,) if isinstance(slots, str) else tuple(slots)


def assign(container, values):
    """Put `values` (as from `contents`) back into a mutable container, in place."""
    if isinstance(container, list):
        container[:] = [values[k] for k in sorted(values)]
    elif isinstance(container, deque):
        container.clear()
        container.extend(values[k] for k in sorted(values))
    elif isinstance(container, dict):
        container.clear()
        container.update(values)
    elif isinstance(container, set):
        held = values["elements"]
        if isinstance(held, Undefined):
            raise ValueDependent(held.reason, "Use an array of booleans.")
        container.clear()
        container.update(held)
    elif isinstance(container, BYTES):
        del container[:]
        restore_bytes(container, values["bytes"])
    elif not isinstance(container, tuple):
        assign_attributes(container, values)


def restore_bytes(container, held):
    if isinstance(held, Undefined):
        raise ValueDependent(held.reason, "Use a list or an array.")
    (container.frombytes if isinstance(container, array.array) else container.extend)(held)


def assign_attributes(owner, values):
    slots = slots_of(type(owner))
    for name in slots:
        if name in values:
            object.__setattr__(owner, name, values[name])
        elif hasattr(owner, name):
            object.__delattr__(owner, name)
    if hasattr(owner, "__dict__"):
        vars(owner).clear()
        vars(owner).update({name: value for name, value in values.items() if name not in slots})


def set_item(container, key, value):
    """Put one value of `contents` back."""
    if isinstance(container, list | dict | deque):
        container[key] = value
    elif not isinstance(container, (set, *BYTES)):
        object.__setattr__(container, key, value)
    else:
        raise TypeError(f"an abstract value in a {type(container).__name__}")


class State:
    """Everything reachable from the given environments, also through functions defined in them: id -> (container, its contents at capture)."""

    def __init__(self, environments, skip):
        self.containers, self.known = {}, {}
        self.skip = skip
        stack = list(environments)
        while stack:
            value = stack.pop()
            if is_reference(value):
                self.known[value.storage] = value.storage.settled()
                continue
            if isinstance(value, Undefined):
                continue
            if is_ragged(value):
                stack.extend(value.items)
                continue
            if isinstance(value, functools.partial):
                stack += [value.func, *value.args, *value.keywords.values()]
                continue
            if hasattr(type(value), "environments"):
                stack.extend(value.environments())
                continue
            if id(value) in self.containers or skip(value):
                continue
            inside = contents(value)
            if inside is None:
                continue
            self.containers[id(value)] = (value, dict(inside))
            stack.extend(inside.values())

    def restore(self):
        for container, values in self.containers.values():
            if not isinstance(container, tuple):
                assign(container, values)
        for storage, known in self.known.items():
            storage.known = known

    def now(self):
        """Contents of the same containers at present."""
        return {key: dict(contents(container)) for key, (container, _) in self.containers.items()}

    def mutable(self):
        return {k: c for k, (c, _) in self.containers.items() if not isinstance(c, tuple)}


def rebuild(value, items):
    """A tuple-like value with new items."""
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def storages(ev, values):
    """All storages reachable from values, also through functions defined in the program, and how often."""
    found, seen, stack = {}, set(), list(values)
    while stack:
        value = ev.seen(stack.pop())
        if is_reference(value):
            found[value.storage] = found.get(value.storage, 0) + 1
        elif id(value) not in seen and not isinstance(value, Undefined):
            seen.add(id(value))
            stack.extend(parts(value, ev.is_opaque))
    return found


def parts(value, skip):
    """What is inside of a value; nothing of one to `skip`."""
    if is_ragged(value):
        return value.items
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if hasattr(type(value), "environments"):
        return value.environments()
    return [] if skip(value) else (contents(value) or {}).values()
