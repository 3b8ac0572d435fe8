"""Storages that may be one array in NumPy though they are two in the program, depending on a value or on a loop's last round.

Both may be read; a store into one while the other one is alive would be lost there. Then the function is specialised again, with the loop
unrolled, or, where a condition decides, refused.
"""

import weakref
from typing import Any, NamedTuple

from ..errors import NeedStatic, ValueDependent


class Tie(NamedTuple):
    """storage(): the other storage while it is in use. rounds: the number of rounds of the loop that has tied them; None for a condition."""

    storage: Any
    rounds: Any


def tie(one, two, rounds=None):
    """Note that two storages may be the same memory."""
    if one is not two:
        one.ties.append(Tie(weakref.ref(two), rounds))
        two.ties.append(Tie(weakref.ref(one), rounds))


def tie_to_caller(storage, rounds=None):
    """Note that a storage may be an argument's memory."""
    storage.ties.append(Tie(lambda: True, rounds))


def partners(storage):
    """The storages that are tied to this one and still in use."""
    return [other for found in storage.ties if (other := found.storage()) not in (None, True)]


def may_be_callers(storage):
    """Whether a storage is an argument's memory, or may be."""
    return storage.argument is not None or any(found.storage() is True for found in storage.ties)


def check_store(storage):
    """Refuse a store into a storage that has another name where the program cannot see it."""
    for found in storage.ties:
        if found.storage() is not None:
            what = "an array that is one of two, depending on a value, is stored into"
            error = ValueDependent(what) if found.rounds is None else NeedStatic(found.rounds, what)
            error.advice = "Copy it before the condition, or in front of the loop and where the loop binds it (.copy())."
            raise error


__all__ = ["check_store", "may_be_callers", "partners", "tie", "tie_to_caller"]
