"""Which names belong to derivatives: there, identities may drop the sign of a zero or reorder a product."""

from collections import defaultdict

from ...analysis.activity import reached
from ...core import Apply, Derived, Effect, Mark, blocks, names_bound, operands, targets, walk

STRAIGHT = frozenset((Apply, Effect, Mark))
"""Kinds of statements that rebind no name: one pass over them finds all that is computed from a name."""


def derived_names(program):
    """Names that only the sweep behind the seam binds, names that a transform has hinted `x_bar` or `x_dot`, and all that is computed
    from these before the seam. A primal array that the sweep restores is not among them: what the primal stores into it keeps every bit."""
    body = program.body
    seam = next((k for k, s in enumerate(body) if isinstance(s, Mark) and s.text == "reverse"), len(body))
    hinted = {n for n, hint in program.hints.items() if isinstance(hint, Derived)}
    return spread(body[:seam], hinted) | set(names_bound(body[seam:])).difference(names_bound(body[:seam]), program.params)


def spread(stmts, seed):
    """The names `seed`, and those that the statements compute from them."""
    if not seed:
        return seed
    if STRAIGHT.issuperset(map(type, stmts)):
        found = set(seed)
        for stmt in stmts:
            if type(stmt) is Apply and not found.isdisjoint(stmt.args):
                found.add(stmt.target)
        return found
    readers = defaultdict(set)
    for stmt in walk(stmts):
        if not blocks(stmt):
            for name in operands(stmt):
                readers[name].update(targets(stmt))
    return reached(readers, seed)
