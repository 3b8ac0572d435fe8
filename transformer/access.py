"""Ways to fetch, at each call, what a function reads from outside.

    access()            the value as it is at the moment
    access.text(bind)   an expression for it; bind(object, hint) names an object that the expression refers to
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Kept(NamedTuple):
    """An object that is at hand."""

    value: Any

    def __call__(self):
        return self.value

    def text(self, bind):
        return bind(self.value, "kept")


class Cell(NamedTuple):
    """A closure variable."""

    cell: Any

    def __call__(self):
        return self.cell.cell_contents

    def text(self, bind):
        return f"{bind(self.cell, 'cell')}.cell_contents"


class Item(NamedTuple):
    """An item of a container that is fetched in turn. A global is an item of its module's namespace."""

    owner: Callable
    key: Any

    def __call__(self):
        return self.owner()[self.key]

    def text(self, bind):
        return f"{self.owner.text(bind)}[{self.key!r}]" if type(self.key) in (int, str) else f"{self.owner.text(bind)}[{bind(self.key, 'key')}]"


class Attribute(NamedTuple):
    """An attribute of an object that is fetched in turn."""

    owner: Callable
    name: str

    def __call__(self):
        return getattr(self.owner(), self.name)

    def text(self, bind):
        return f"{self.owner.text(bind)}.{self.name}"


class Default(NamedTuple):
    """A default value of a function's parameter."""

    function: Callable
    name: str

    def __call__(self):
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount]
        return self.function.__defaults__[names.index(self.name) - len(names) + len(self.function.__defaults__)]

    def text(self, bind):
        return f"{bind(self, 'default')}()"


class Length(NamedTuple):
    """The length of a container that is fetched in turn."""

    owner: Callable

    def __call__(self):
        return len(self.owner())

    def text(self, bind):
        return f"len({self.owner.text(bind)})"


class Type(NamedTuple):
    """The type of an object that is fetched in turn."""

    owner: Callable

    def __call__(self):
        return type(self.owner())

    def text(self, bind):
        return f"type({self.owner.text(bind)})"


class Keys(NamedTuple):
    """The keys of a dict that is fetched in turn."""

    owner: Callable

    def __call__(self):
        return tuple(self.owner())

    def text(self, bind):
        return f"tuple({self.owner.text(bind)})"


class Values(NamedTuple):
    """The contents of an array that is fetched in turn."""

    owner: Callable

    def __call__(self):
        return np.asarray(self.owner())

    def text(self, bind):
        return f"{bind(np.asarray, 'asarray')}({self.owner.text(bind)})"


class Found(NamedTuple):
    """Whether a module is there to be imported."""

    name: str

    def __call__(self):
        try:
            return sys.modules.get(self.name) is not None or importlib.util.find_spec(self.name) is not None
        except ImportError:
            return False

    def text(self, bind):
        return f"{bind(self, 'found')}()"


class Environment(NamedTuple):
    """A variable of the environment; None where it is not set."""

    name: str

    def __call__(self):
        return os.environ.get(self.name)

    def text(self, bind):
        return f"{bind(self, 'variable')}()"


class Called(NamedTuple):
    """What a function that is fetched in turn gives for the same arguments."""

    function: Callable
    args: tuple = ()

    def __call__(self):
        return self.function()(*self.args)

    def text(self, bind):
        return f"{self.function.text(bind)}({', '.join(bind(a, 'given') for a in self.args)})"


__all__ = ["Attribute", "Called", "Cell", "Default", "Environment", "Found", "Item", "Keys", "Kept", "Length", "Type", "Values"]
