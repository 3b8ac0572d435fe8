"""What a built program is, its parameters, and what it reads from outside: the data between building and calling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .core import Aval, Program, Update, is_number, walk
from .tree import Treedef


class Param:
    """A dynamic leaf of the arguments: its aval, and its value in this call. No dataclass: it is a leaf of pytrees."""

    __slots__ = ("aval", "jnp", "name", "value")

    def __init__(self, aval, value, name="x", jnp=0):
        self.aval, self.value, self.name, self.jnp = aval, value, name, jnp


class Static:
    """A static argument: its value as it is, whatever is in it. A leaf of pytrees."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Input(NamedTuple):
    """What a parameter of the program is: kind "leaf" (key: its number among the dynamic leaves of the arguments), "hidden"
    (value: a `Hidden`), or "lifted" (value: a reference of the program around this one)."""

    kind: str
    key: Any = None
    value: Any = None


class Hidden(NamedTuple):
    """A hidden input: how to fetch it, its aval when the program was built, and where it comes from."""

    access: Callable
    aval: Aval
    label: str


class Guard(NamedTuple):
    """`holds(access())` must be true, else the program is stale."""

    access: Callable
    expected: Any
    label: str

    def holds(self):
        return unchanged(self.access(), self.expected)


def unchanged(value, expected):
    """Identity for objects, equality of type and value for plain data."""
    if value is expected:
        return True
    if type(value) is not type(expected):
        return False
    if isinstance(value, np.ndarray):
        return value.shape == expected.shape and value.dtype == expected.dtype and np.array_equal(value, expected)
    if isinstance(value, bool | int | float | complex | str | bytes | range | slice | np.generic | np.dtype):
        return value == expected or (value != value and expected != expected)
    if isinstance(value, tuple | list):
        return len(value) == len(expected) and all(map(unchanged, value, expected))
    if isinstance(value, dict):
        return list(value) == list(expected) and all(unchanged(value[k], expected[k]) for k in value)
    return False


class Reference:
    """Base of the abstract values that stand for arrays while a function is specialised (`frontend.reference.Ref`)."""

    __slots__ = ()


def is_reference(value):
    return isinstance(value, Reference)


def is_device_array(value):
    return getattr(type(value), "__transformer_array__", False)


def is_dynamic_array(value):
    """An array that can be a run-time input: of numbers, on the host or on a device."""
    return is_device_array(value) or (isinstance(value, np.ndarray) and is_number(value.dtype))


@dataclass(eq=False)
class Specialised:
    """A program and what is needed to call it.

    inputs: one per parameter; static: position -> value of the leaves that are built into the program; guards: what must hold;
    out_tree: structure of the outputs; volatile: (name, origin) of a random draw; jnp: it computes with `transformer.numpy`, so that
    its results are device arrays; placement: on which devices it runs (None: on the first). The program is None where it comes
    compiled from the disk.
    """

    program: Program | None
    out_tree: Treedef
    inputs: list
    static: dict
    guards: list
    volatile: Any
    by_value: bool = False
    jnp: bool = False
    placement: Any = None
    stored: tuple = ()

    def keep_stores(self):
        """Make the last versions of the array arguments that are stored into further outputs."""
        targets = {s.target for s in walk(self.program.body) if isinstance(s, Update)}
        found = [(i.key, name) for i, name in zip(self.inputs, self.program.params) if i.kind == "leaf" and name in targets]
        self.stored = tuple(key for key, _ in found)
        self.program.outputs = [*self.program.outputs, *(name for _, name in found)]


__all__ = ["Guard", "Hidden", "Input", "Param", "Reference", "Specialised", "Static", "is_device_array", "is_dynamic_array", "is_reference", "unchanged"]
