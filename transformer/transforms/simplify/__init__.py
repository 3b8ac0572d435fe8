"""Simplify a Core program to what a person would write: one line a pass.

The primal part keeps every bit: identities that are exact only up to rounding or the sign of zero are for derivatives.
"""

import dataclasses
import itertools

from ...core import operands, targets, walk
from .accumulate_stores import accumulate_stores
from .apply_identities import apply_identities
from .decide_branches import decide_branches
from .drop_overwritten import drop_overwritten
from .fold_constants import fold_constants
from .lift_tests import lift_tests
from .propagate_copies import propagate_copies
from .rebind_overwritten import rebind_overwritten
from .remove_dead import remove_dead
from .share_expressions import share_expressions

PASSES = [
    rebind_overwritten,
    propagate_copies,
    fold_constants,
    propagate_copies,
    apply_identities,
    decide_branches,
    lift_tests,
    share_expressions,
    propagate_copies,
    accumulate_stores,
    drop_overwritten,
    remove_dead,
]
ROUNDS = 5


def simplify(program):
    """An equivalent program with fewer and simpler statements."""
    given, program = program, remove_dead(program)
    done = {remove_dead: program}
    for turn in range(ROUNDS):
        before = program
        for simplifying in PASSES:
            if done.get(simplifying) is not program:
                done[simplifying] = program
                program = simplifying(program)
        if program is before or turn and reads_alike(program, before):
            break
    return dataclasses.replace(program, body=list(program.body), outputs=list(program.outputs)) if program is given else program


def reads_alike(one, other):
    """Whether a round that made one program of the other has changed nothing that matters."""
    pairs = itertools.zip_longest(walk(one.body), walk(other.body))
    return all(a is b or type(a) is type(b) and targets(a) == targets(b) and operands(a) == operands(b) for a, b in pairs)


__all__ = ["simplify"]
