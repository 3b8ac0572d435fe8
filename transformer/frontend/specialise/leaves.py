"""Leaves of the values in slots: where they stand, how they are replaced, and when two are the same number."""

import numpy as np

from ..ragged import is_ragged
from ..reference import is_reference
from .state import Control, is_numeric, rebuild


class CannotRoll(Control):
    """The body does not fit into a rolled loop; the text says why."""


def zeros(aval):
    """Zero of an aval: a Python or NumPy scalar, or an array."""
    if aval.shape:
        return np.zeros(aval.shape, aval.dtype)
    return aval.dtype.type(0).item() if aval.weak else aval.dtype.type(0)


def is_numbers(value):
    """Whether a value is a number, an array or a tuple of such."""
    return all(map(is_numbers, value)) if isinstance(value, tuple) else is_numeric(value)


def blank(ev, value):
    """Zeros of the types of a number or a tuple of them."""
    return rebuild(value, [blank(ev, v) for v in value]) if isinstance(value, tuple) else zeros(ev.aval(value))


def leaf_paths(path, value):
    """(path, leaf) of a value: tuples and ragged arrays are walked, everything else is a leaf. The first element of a path is a slot."""
    path = (path,) if not (path and isinstance(path[0], tuple)) else path
    if isinstance(value, tuple) or is_ragged(value):
        for i, v in enumerate(value.items if is_ragged(value) else value):
            yield from leaf_paths((*path, i), v)
    else:
        yield path, value


def lookup_path(state, path):
    owner, key = path[0]
    value = state.containers[owner][1][key]
    for i in path[1:]:
        value = value.items[i] if is_ragged(value) else value[i]
    return value


def substitute(value, leaves):
    """`value` (nested tuples) with the leaves at the given paths replaced."""
    if () in leaves:
        return leaves[()]
    items = list(value.items if is_ragged(value) else value)
    heads = dict.fromkeys(p[0] for p in leaves)
    for head in heads:
        items[head] = substitute(items[head], {p[1:]: v for p, v in leaves.items() if p[0] == head})
    return value.rebuilt(items) if is_ragged(value) else rebuild(value, items)


def same_number(a, b):
    if is_reference(a) or is_reference(b):
        return is_reference(a) and is_reference(b) and a.storage is b.storage and a.path_key() == b.path_key()
    return type(a) is type(b) and np.array_equal(a, b)
