"""Regions that the sweep puts back although nothing in it reads them: neither the putting back is needed, nor the tape.

Gaussian elimination reads, in each round, a row and a column that later rounds leave as they are:

    for k in range(n):
        A[k + 1:, k + 1:] -= A[k + 1:, k, None] * A[k, k + 1:]
"""

import numpy as np

from ...analysis.bounds import Linear
from ...analysis.dependence import strip
from ...core import Apply, For, Hole, Update, is_name, operands, targets, walk
from ...later import later
from ...ops.index_templates import Window, is_identity
from ...ops.op import TABLE

regions = later(globals(), "transforms.narrow.regions")


def without_unread_restoring(program, pairs):
    """The statements of a joint program without the stores that put back (`Undone.restored`) what nothing reads until its end."""
    pairs = [p for p in pairs if is_identity(p.store.index) and is_identity(p.restored.index)]
    loops = [s for s in program.body if type(s) is For]
    places = {id(s): loop for loop in loops for s in loop.body}
    pairs = [p for p in pairs if id(p.store) in places and id(p.restored) in places]
    if not pairs:
        return program.body
    facts = regions.Facts(program)
    gone = {id(p.restored) for p in pairs if is_unread(facts, p, places[id(p.store)], places[id(p.restored)])}
    return strip(program.body, gone) if gone else program.body


def is_unread(facts, pair, loop, back):
    """Whether no statement reads what `pair` puts back in the loop `back`, which goes through `loop` from its end."""
    name, region = pair.store.target, region_of(facts, pair.store, loop)
    if region is None or not is_reversed(loop, back):
        return False
    inside, body = {id(s) for s in walk(back.body)}, facts.program.body
    for stmt in walk(body[body.index(back):]):
        if stmt is pair.restored or name not in (*operands(stmt), *targets(stmt)):
            continue
        if type(stmt) is Update and stmt.target == name and stmt.mode == "set" and name not in (*stmt.args, stmt.value):
            continue
        read = type(stmt) is Apply and stmt.op is TABLE["getitem"] and stmt.args[0] == name and name not in stmt.args[1:]
        if not read or id(stmt) not in inside or not any(is_beside(facts, stretch, *entry, back) for stretch, entry in zip(region, entries(facts, stmt))):
            return False
    return name not in facts.program.outputs


def region_of(facts, store, loop):
    """Where `A[:] = np.where(mask, value, A)` stores, axis by axis, in terms of the loop's index; None where that is not known."""
    made = facts.made.get(store.value)
    if store.mode != "set" or made is None or made.op.impl is not np.where or made.args[2] != store.target:
        return None
    region = facts.mask(made.args[0])
    if region is None or not facts.is_steady(store.target, made, store):
        return None
    names = {n for stretch in region if stretch for bound in stretch if bound for n, _ in bound.terms}
    return regions.spread(region, facts.shape(store.target)) if names <= {loop.index} else None


def is_reversed(loop, back):
    """Whether one loop goes through the numbers of another from the last to the first."""
    ends = loop.lo, loop.hi, back.lo, back.hi
    if any(map(is_name, ends)):
        return False
    return range(int(loop.lo), int(loop.hi), loop.step)[::-1] == range(int(back.lo), int(back.hi), back.step)


def entries(facts, read):
    """For each axis of the array the first and the last place that a read takes, as linear forms (None, None: not known)."""
    for entry in read.params["index"]:
        if entry is None:
            continue
        form, length = None, 1
        if isinstance(entry, Hole | Window) and facts.shape(read.args[1 + entry.position]) == ():
            form, length = facts.form(read.args[1 + entry.position]), getattr(entry, "length", 1)
        elif isinstance(entry, int):
            form = Linear(entry)
        known = form is not None and facts.is_at_least(form, 0)
        yield (form, form.plus(Linear(length - 1))) if known else (None, None)


def is_beside(facts, stretch, first, last, back):
    """Whether places of an axis, in a round of `back`, are outside of a stretch in this round and in all before it.

    The stretch is in terms of the index of the loop that `back` reverses, which has the same numbers.
    """
    if stretch is None or first is None:
        return False
    ahead = 1 if back.step < 0 else -1
    lo, hi = (b and Linear(b.constant, tuple((back.index, c) for _, c in b.terms)) for b in stretch)
    grows = [b is not None and ahead * sum(c for _, c in b.terms) for b in (lo, hi)]
    below = lo is not None and grows[0] >= 0 and facts.is_at_least(lo.plus(last, -1), 1)
    above = hi is not None and grows[1] <= 0 and facts.is_at_least(first.plus(hi, -1), 0)
    return below or above
