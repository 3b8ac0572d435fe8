"""Ranges of integers known when lowering: which dynamic indices need no check at run time, and which are not counted from the end."""

import numpy as np

from ..core import Apply, For, Move, While, is_name, walk
from ..ops.index_templates import Window

LARGE = 2**62
UNKNOWN = 2**61
"""Stands for a bound that only the run will show. No loop gets as far in steps of up to MOST_STEP."""
MOST_STEP = 1024


class Ranges:
    """Integer names of a program -> (lowest, highest) value, both inclusive. Flow-insensitive; names that a Move rebinds have none."""

    def __init__(self, program):
        self.program, self.known = program, {}
        moved = {s.target for s in walk(program.body) if isinstance(s, Move)}
        for stmt in walk(program.body):
            found = self.of_stmt(stmt)
            for name, (low, high) in found:
                limits = np.iinfo(program.avals[name].dtype)
                if name not in moved and max(-LARGE, limits.min - 1) < low and high < min(LARGE, limits.max + 1):
                    self.known[name] = (low, high)

    def of_stmt(self, stmt):
        if isinstance(stmt, For):
            return self.of_for(stmt)
        if isinstance(stmt, While) and stmt.counter:
            return [(stmt.counter, (0, LARGE - 1))]
        if not isinstance(stmt, Apply) or self.program.avals[stmt.target].dtype.kind not in "iu":
            return []
        if not stmt.args:
            value = np.asarray(stmt.params.get("value", np.nan))
            return [(stmt.target, (int(value.min()), int(value.max())))] if value.size and value.dtype.kind in "iu" else []
        if stmt.op.positions:
            size = self.program.aval(stmt.args[0]).shape[stmt.params["axis"]]
            return [(stmt.target, (0, max(0, size - 1)))] if size is not None else []
        if stmt.op.along:
            found = self.of(stmt.args[0])
            return [(stmt.target, found)] if found else []
        rule = RULES.get(stmt.op.impl)
        ranges = [self.of(a) for a in stmt.args]
        return [(stmt.target, rule(*ranges))] if rule and None not in ranges else []

    def of_for(self, stmt):
        if abs(stmt.step) > MOST_STEP:
            return []
        low, high = self.of(stmt.lo) or (-UNKNOWN, UNKNOWN), self.of(stmt.hi) or (-UNKNOWN, UNKNOWN)
        if stmt.step > 0:
            return [(stmt.index, (low[0], max(low[0], high[1] - 1)))]
        return [(stmt.index, (min(low[1], high[0] + 1), low[1]))]

    def of_bounds(self, loop):
        """Ranges of the names that are bounds of a For, in its rounds: where there is a round, the first bound is before the second."""
        first, last = (loop.lo, loop.hi) if loop.step > 0 else (loop.hi, loop.lo)
        low, high = self.of(first), self.of(last)
        if low is None or high is None:
            return {}
        found = {first: (low[0], min(low[1], high[1] - 1)), last: (max(high[0], low[0] + 1), high[1])}
        return {name: bounds for name, bounds in found.items() if is_name(name)}

    def of(self, atom):
        """(lowest, highest) of an atom, or None."""
        if is_name(atom):
            return self.known.get(atom)
        return (int(atom), int(atom)) if np.asarray(atom).dtype.kind in "iu" else None

    def is_nonnegative(self, name):
        """Whether a name is certain to hold an integer that is at least 0."""
        return name in self.known and self.known[name][0] >= 0

    def is_within(self, atom, size, entry, limits):
        """Whether an index operand is certain to be in range of an axis of `size`; limits: name -> (lowest, highest) where it is known
        better than in general."""
        found = limits.get(atom) or self.of(atom)
        if found is None:
            return False
        if isinstance(entry, Window):
            return found[0] >= 0 and found[1] + entry.length <= size
        return found[0] >= -size and found[1] < size


def _sum(x, y):
    return x[0] + y[0], x[1] + y[1]


def _difference(x, y):
    return x[0] - y[1], x[1] - y[0]


def _product(x, y):
    corners = [a * b for a in x for b in y]
    return min(corners), max(corners)


def _negative(x):
    return -x[1], -x[0]


def _remainder(x, y):
    return (0, y[1] - 1) if y[0] > 0 else (-LARGE, LARGE)


def _quotient(x, y):
    if y[0] <= 0:
        return -LARGE, LARGE
    corners = [a // b for a in x for b in y]
    return min(corners), max(corners)


def _larger(x, y):
    return max(x[0], y[0]), max(x[1], y[1])


def _smaller(x, y):
    return min(x[0], y[0]), min(x[1], y[1])


RULES = {np.add: _sum, np.subtract: _difference, np.multiply: _product, np.negative: _negative, np.remainder: _remainder,
         np.floor_divide: _quotient, np.maximum: _larger, np.minimum: _smaller}
