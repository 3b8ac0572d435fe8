"""What the compile options of a program are chosen by (see `policy`), found in the ops that `Hlo` has emitted."""

import collections
import math

from .hlo import ELEMENTWISE

TREE, LONG, RARE, MINOR = 32, 4096, 0.5, 64
"""Sums of up to TREE elements are never made trees, those of more than LONG would lose digits without; RARE: how much of columns may be
reduced for each element of rows; MINOR: how many multiplications in products for each reduced element make sums minor."""


WIDE = 200
"""How many values make a computation wide."""


def features_of(hlo):
    """What the policy wants to know of the ops that `Hlo` has emitted."""
    looped = any(name == "while" for name, _ in hlo.made.values())
    found = {"product"} if hlo.large & {"dot_general", "convolution"} else set()
    if hlo.large & {"compare", "select"}:
        found.add("choice")
    if not looped and len(hlo.made) >= WIDE and not hlo.large & ELEMENTWISE and width(hlo.made) >= WIDE:
        found.add("wide")
    rows = columns = 0
    for shape, axes in hlo.reductions:
        extent = math.prod(shape[a] for a in axes)
        if extent > LONG:
            return found
        if max(shape[a] for a in axes) <= TREE:
            continue
        if len(shape) - 1 in axes:
            rows += math.prod(shape)
        else:
            columns += math.prod(shape)
    if columns <= RARE * rows and rows:
        found.add("short_rows")
    return found | {"minor_sums"} if 0 < MINOR * (rows + columns) <= hlo.multiplications and not looped else found


def width(made):
    """How many values the widest elementwise computation reads, counting as parts of it the ops whose result nothing else reads."""
    readers = collections.Counter(o.name for _, operands in made.values() for o in operands)
    reads = {}
    for name, (op, operands) in made.items():
        if op in ELEMENTWISE:
            reads[name] = sum(reads.get(o.name, 1) if readers[o.name] == 1 else 1 for o in operands if o.literal is None)
    return max(reads.values(), default=0)


__all__ = ["features_of"]
