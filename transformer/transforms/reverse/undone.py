"""Stores that the sweep undoes before anything has read what they stored: neither the store nor the undoing is needed, nor the tape.

    for i in range(n):                            for i in range(n):
        x_tape[i] = x[i]                              v = a * y[i]
        x[i] = a * y[i]                           # reverse
    # reverse                                     ...
    for i in range(n - 1, -1, -1):
        x[i] = x_tape[i]
"""

from collections import defaultdict
from typing import NamedTuple

from ...analysis.dependence import strip
from ...core import operands, targets, walk


class Undone(NamedTuple):
    """A store, the read of the old elements, and the store that puts them back."""

    store: object
    old: object
    restored: object


def without_undone(program, pairs):
    """The statements of a joint program without the stores, each an Undone, whose array nothing else touches until they are undone."""
    if not pairs:
        return program.body
    places, touching = {}, defaultdict(list)
    for place, top in enumerate(program.body):
        for stmt in walk([top]):
            places[id(stmt)] = place
            for name in {*operands(stmt), *targets(stmt)}:
                touching[name].append(stmt)
    found = defaultdict(list)
    for pair in pairs:
        if all(id(stmt) in places for stmt in pair):
            found[pair.store.target].append(pair)
    gone = set()
    for name, chosen in found.items():
        before = None
        while chosen != before:
            before, own = chosen, {id(s) for pair in chosen for s in pair}
            chosen = [pair for pair in chosen if all(
                id(s) in own or not places[id(pair.store)] <= places[id(s)] <= places[id(pair.restored)] for s in touching[name])]
        gone.update(id(s) for pair in chosen for s in (pair.store, pair.restored))
    return strip(program.body, gone) if gone else program.body
