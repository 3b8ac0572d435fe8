"""The stores of all rounds: which elements they reach, and in which order."""

import numpy as np

from ...core import Update, is_name
from ...ops.index_templates import result_shape
from .places import Dependent, at_once, find_place


def emit(rounds):
    """Append the stores to the array code. Raises Dependent unless each reaches another element in each round, with a value that fits."""
    for stmt in rounds.updates:
        rounds.check_indices(stmt.args)
        rounds.check_whole((stmt.value, *stmt.args))
        check_type(rounds, stmt)
    places = [find_place(s.index, s.args, rounds.aval(s.target).shape, rounds.forms, rounds.rounds) for s in rounds.updates]
    for stmt, place in in_order(rounds, list(zip(rounds.updates, places))):
        index, args = at_once(stmt.index, stmt.args, place)
        rank = len(result_shape(index, rounds.aval(stmt.target).shape, [rounds.aval(a) for a in args])) - 1
        if len(rounds.aval_before(stmt.value).shape) > rank:
            raise Dependent("the value has more axes than its place")
        rounds.out.append(Update(stmt.target, index, args, rounds.aligned(stmt.value, rank), stmt.mode, stmt.origin))


def check_type(rounds, stmt):
    """A value is stored as it is, or converted without loss; Python's numbers are converted as one number is."""
    target, value = rounds.aval(stmt.target), rounds.aval(stmt.value)
    dtype = np.dtype(np.int64) if stmt.value in rounds.forms else value.dtype
    weak = value.weak and not rounds.depends(stmt.value) and value.dtype.kind in ("if" if target.dtype.kind == "f" else "i")
    if target.dtype.kind not in "biuf" or not (weak or np.can_cast(dtype, target.dtype, "safe")):
        raise Dependent("the value is converted when it is stored")


def in_order(rounds, pairs):
    """Pairs of a store and its place, in an order that leaves in each element what the loop does.

    If the index of the loop stands in the same axis with the same factor in all stores into an array, then each of them reaches an element
    in one round at most, which the shift of the index tells: stores of an earlier round come first, those of one round stay in order.
    """
    groups = {}
    for stmt, place in pairs:
        groups.setdefault(stmt.target, []).append((stmt, place))
    for group in groups.values():
        if len({(place.entry, place.form.terms) for _, place in group}) > 1:
            raise Dependent("two stores reach elements in different orders")
        yield from sorted(group, key=lambda pair: -pair[1].form.constant * rounds.loop.step * pair[1].form.terms[0][1])


def is_own(rounds, read):
    """Whether a read of an array that is stored into sees the one element that its round stores into later."""
    body, (array, *args) = rounds.loop.body, read.args
    found = [s for s in rounds.updates if s.target == array]
    if len(found) != 1 or body.index(found[0]) < body.index(read) or repr(found[0].index) != repr(read.params["index"]):
        return False
    return all(a == b or is_name(a) and a in rounds.forms and rounds.forms[a] == rounds.forms.get(b) for a, b in zip(args, found[0].args))


__all__ = ["emit", "is_own"]
