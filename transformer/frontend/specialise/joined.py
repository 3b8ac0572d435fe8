"""Containers that are one object or another depending on a value: `c = a if x > 0 else b` of two lists, dicts or objects.

The evaluator makes an object of its own for them, with merged contents. That comes to the same as long as it is only read. In Python it is
one of the two, so a store into it, or into one of them, is refused while another name would have to show it.
"""

import copy
from typing import Any, NamedTuple

from ...errors import ValueDependent
from .state import State, assign


class Joined(NamedTuple):
    """An object that stands for `left` where a test holds, for `right` where it does not. merge: the Merge that made it."""

    value: Any
    left: Any
    right: Any
    merge: Any
    number: int


class JoinedContainers:
    """The joined containers of one evaluation."""

    def __init__(self, ev):
        self.ev, self.found, self.parts = ev, {}, set()

    def make(self, left, right, merged, merge):
        """A new container with `merged` contents."""
        value = blank(left)
        assign(value, merged)
        self.found[id(value)] = Joined(value, left, right, merge, len(self.found))
        self.parts |= {id(left), id(right)}
        return value

    def same(self, one, other):
        """Whether two containers may be one object."""
        if one is other:
            return True
        a, b = self.found.get(id(one)), self.found.get(id(other))
        if a is None and b is None:
            return False
        if a is not None and b is not None and a.merge is b.merge:
            return self.same(a.left, b.left) or self.same(a.right, b.right)
        if a is None or b is not None and b.number > a.number:
            one, a, b = other, b, one
        else:
            b = other
        return self.same(a.left, b) or self.same(a.right, b)

    def outlives(self, value):
        """Whether a joined container may be one that outlives the call."""
        entry = self.found.get(id(value))
        return self.ev.externals.outlives(value) if entry is None else self.outlives(entry.left) or self.outlives(entry.right)

    def check_store(self, owner, what, origin):
        """Refuse to change a container that another reachable one may be."""
        if id(owner) not in self.found and id(owner) not in self.parts:
            return
        reachable = State(self.ev.environments(), self.ev.is_opaque).containers.values()
        if self.outlives(owner) or any(c is not owner and self.same(owner, c) for c, _ in reachable):
            raise ValueDependent(f"a container that is one of two, depending on a value, is changed ({what})",
                                 "Change it on both sides of the condition, or copy it there.", origin)

    def check_key(self, value, origin):
        """Refuse to use as a key what may be one of two objects, or is one of them."""
        if id(value) in self.found or id(value) in self.parts:
            raise ValueDependent("whether two names are one object depends on a value", "Compare the numbers in them.", origin)

    def check_among(self, value, items, origin):
        """Refuse to look for an object among others of which one may be it."""
        if self.found:
            for item in items:
                self.check_identity(value, item, origin)

    def check_identity(self, one, other, origin):
        """Refuse to compare with `is` what may be one object."""
        if one is not other and self.same(one, other):
            raise ValueDependent("whether two names are one object depends on a value", "Compare the numbers in them.", origin)


def blank(container):
    """A new container of the type of another."""
    if isinstance(container, list | dict | set) or not hasattr(container, "__dict__"):
        return copy.copy(container)
    return object.__new__(type(container))
