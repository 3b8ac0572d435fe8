"""Which names belong to derivatives: there, identities may drop the sign of a zero or reorder a product."""

from collections import defaultdict

from ...analysis.activity import reached
from ...core import Derived, Mark, blocks, operands, targets, walk


def derived_names(program):
    """Names bound after the seam, names that a transform has hinted `x_bar` or `x_dot`, and all that is computed from such names."""
    seed = {n for n, hint in program.hints.items() if isinstance(hint, Derived)}
    for position, stmt in enumerate(program.body):
        if isinstance(stmt, Mark) and stmt.text == "reverse":
            seed.update(n for s in walk(program.body[position:]) for n in targets(s))
            break
    return spread(program, seed)


def spread(program, seed):
    readers = defaultdict(set)
    for stmt in walk(program.body):
        if not blocks(stmt):
            for name in operands(stmt):
                readers[name].update(targets(stmt))
    return reached(readers, seed)
