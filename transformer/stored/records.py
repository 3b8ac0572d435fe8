"""A built program as a line of text, for a file. Objects that it means are named by their numbers in the description of its function,
so that another process with the same description finds its own.

    line = write(survey, specialised, lowered, donate)          raises Unsettled where something has no number
    specialised, lowered, donate = read(line, survey.nodes)     all but the program itself and the text of `lowered`
"""

import ast
import builtins

from .. import tree
from ..abstract import dtype_of
from ..access import Attribute, Cell, Default, Item, Kept, Keys, Length, Type, Values
from ..core import Aval
from ..errors import Origin
from ..lowered import Failure, Lowered
from ..specialised import Guard, Hidden, Input, Specialised, unchanged
from .contents import Unsettled, found_by_name, is_library

BUILTINS = {kind.__name__: kind for kind in (*vars(builtins).values(), type(None)) if isinstance(kind, type)}
ACCESS = {kind.__name__: kind for kind in (Attribute, Cell, Default, Item, Keys, Kept, Length, Type, Values)}
LITERALS = (bool, int, str, bytes, type(None))


def write(survey, specialised, lowered, donate):
    """The line of a program. `survey` is the description of what it was built from."""
    numbers = survey.numbers
    guards = [(pack(g.access, numbers), g.label, pack(g.expected, {}) if is_plain(g.expected) else None)
              for g in specialised.guards if not is_of_library(g.access)]
    inputs = [("leaf", i.key) if i.kind == "leaf" else ("hidden", pack(i.value.access, numbers), i.value.label) for i in specialised.inputs]
    failures = [(pack(f.exception, numbers), f.text, [(a.shape, a.dtype.name, a.weak) for a in f.avals], pack(f.origin, numbers), f.names)
                for f in lowered.failures]
    program = lowered.count, failures, lowered.sized, lowered.capacity, sorted(lowered.features)
    return repr((guards, inputs, pack(specialised.out_tree, numbers), specialised.stored, program, tuple(donate)))


def read(line, nodes):
    """What `write` was given, in terms of this process; None if a guard on plain data, which code may have computed, does not hold."""
    records, inputs, out_tree, stored, program, donate = ast.literal_eval(line)
    count, failures, sized, capacity, features = program
    failures = [Failure(unpack(kind, nodes), text, tuple(Aval(shape, dtype_of(name), weak) for shape, name, weak in avals), unpack(origin, nodes), names)
                for kind, text, avals, origin, names in failures]
    guards = [read_guard(unpack(access, nodes), label) for access, label, _ in records]
    if not all(expected is None or unchanged(g.expected, unpack(expected, nodes)) for g, (*_, expected) in zip(guards, records)):
        return None
    specialised = Specialised(None, unpack(out_tree, nodes), [read_input(i, nodes) for i in inputs], {},
                              guards, None, stored=stored)
    return specialised, Lowered("", count, failures, sized, capacity, [], frozenset(features)), donate


def is_of_library(access):
    """Whether a guard is on something inside of a library, which its version decides."""
    while hasattr(access, "owner"):
        access = access.owner
    root = access[0]
    if type(root) is dict and isinstance(root.get("__name__"), str):
        return is_library(root["__name__"])
    return found_by_name(root) is not None


def is_plain(value):
    return all(map(is_plain, value)) if type(value) is tuple else type(value) in (*LITERALS, float)


def read_input(record, nodes):
    if record[0] == "leaf":
        return Input("leaf", record[1])
    access = unpack(record[1], nodes)
    value = access()
    return Input("hidden", None, Hidden(access, Aval(tuple(value.shape), value.dtype), record[2]))


def read_guard(access, label):
    value = access()
    return Guard(access, value.copy() if isinstance(access, Values) else value, label)


def pack(value, numbers):
    """A value as nested tuples of literals."""
    kind = type(value)
    if kind in LITERALS:
        return ("is", value)
    if kind is float:
        return ("float", value.hex())
    if kind is tuple:
        return ("tuple", *[pack(item, numbers) for item in value])
    if kind is Origin:
        return ("Origin", *value)
    if kind is tree.Treedef:
        return LEAF if value.kind is None else ("Treedef", *[pack(part, numbers) for part in value])
    if kind is tree.Keys:
        return ("Keys of", *[pack(part, numbers) for part in value])
    if kind.__name__ in ACCESS and kind is ACCESS[kind.__name__]:
        return (kind.__name__, *[pack(part, numbers) for part in value])
    if isinstance(value, type) and BUILTINS.get(value.__name__) is value:
        return ("builtin", value.__name__)
    if id(value) not in numbers:
        raise Unsettled(f"{kind.__name__} has no number")
    return ("node", numbers[id(value)])


LEAF = ("leaf",)


def unpack(record, nodes):
    """The value that `pack` was given, with this process's objects."""
    kind, *parts = record
    if kind == "is":
        return parts[0]
    if kind == "float":
        return float.fromhex(parts[0])
    if kind == "node":
        return nodes[parts[0]]
    if kind == "leaf":
        return tree.LEAF
    if kind == "Origin":
        return Origin(*parts)
    if kind == "builtin":
        return BUILTINS[parts[0]]
    parts = [unpack(part, nodes) for part in parts]
    if kind == "tuple":
        return tuple(parts)
    return {"Treedef": tree.Treedef, "Keys of": tree.Keys, **ACCESS}[kind](*parts)


__all__ = ["read", "write"]
