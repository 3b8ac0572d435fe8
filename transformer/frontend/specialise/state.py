"""The state of an evaluation: variables and containers, captured, restored and merged slot by slot.

A slot is one place that holds a value: a variable of a frame, an element of a list, a value of a dict, an attribute of an
object. Branches and loops compare slots before and after, and turn numbers that differ into names of the program.
"""

import functools
import types
from typing import Any, NamedTuple

import numpy as np

from ...core import is_number
from ..ragged import is_ragged
from ..reference import Ref, is_device_array, is_reference


class Control(Exception):
    """Base of the exceptions by which the evaluator steers itself; none of them is an error."""


class Undefined(NamedTuple):
    """Placeholder of a value that cannot be used; `reason` says why."""

    reason: str
    value: Any = None


NUMBERS = (bool, int, float, complex, np.generic)


def is_numeric(value):
    return is_reference(value) or isinstance(value, NUMBERS) or is_device_array(value) or (isinstance(value, np.ndarray) and is_number(value.dtype))


def contents(value):
    """The mutable or nested contents of a container as a dict key -> value, or None for a leaf."""
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, set):
        return {"elements": frozenset(value)}
    if is_device_array(value) or isinstance(value, Undefined | Ref | np.ndarray | type | types.ModuleType | types.FunctionType):
        return None
    if hasattr(value, "__dict__") and not isinstance(value, types.BuiltinFunctionType | types.MethodType):
        return vars(value)
    return None


def assign(container, values):
    """Put `values` (as from `contents`) back into a mutable container, in place."""
    if isinstance(container, list):
        container[:] = [values[k] for k in sorted(values)]
    elif isinstance(container, dict):
        container.clear()
        container.update(values)
    elif isinstance(container, set):
        container.clear()
        container.update(values["elements"])
    elif not isinstance(container, tuple):
        vars(container).clear()
        vars(container).update(values)


class State:
    """Everything reachable from the given environments, also through functions defined in them: id -> (container, its contents at capture)."""

    def __init__(self, environments, skip):
        self.containers, self.known = {}, {}
        self.skip = skip
        stack = list(environments)
        while stack:
            value = stack.pop()
            if is_reference(value):
                self.known[value.storage] = value.storage.known
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
