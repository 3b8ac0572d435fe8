"""Compute an expression once where it is written several times, in a block and the blocks inside it.

Before:                              After:
    a = x * y                            a = x * y
    b = x * y                            c = a + a
    c = a + b

>>> from .example import example, show
>>> show(share_expressions(example(lambda x, y: x * y + y * x)))
multiply = x * y
add = multiply + multiply
"""

import numpy as np

from ...core import Apply, is_name
from ...ops.index_templates import is_advanced
from ...ops.op import TABLE
from .rewriting import Rewriter, Scoped

COMMUTATIVE = (np.add, np.multiply)
PLAIN = frozenset((int, bool, str, type(None)))
FRESH = ("tape", "empty", "zeros", "ones", "full")
"""Arrays that are made to be stored into, or that are as short to make again as to name."""
PART = 4
"""How many times as large as a stored value an array has to be for the value to be handed on."""


def share_expressions(program):
    """The program in which an Apply whose value is at hand already is replaced by the name that holds it."""
    return Sharing(program).run()


class Sharing(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.known = Scoped()
        self.tables.append(self.known)

    def apply(self, stmt):
        if stmt.target in self.mutable or stmt.op.name in FRESH:
            return self.emit(stmt)
        key = self.key(stmt)
        at_hand = self.known.get(key)
        if at_hand is None or self.avals[at_hand] != self.avals[stmt.target]:
            self.known[key] = stmt.target
            return self.emit(stmt)
        self.replaced[stmt.target] = at_hand

    def update(self, stmt):
        """A store, after which the stored value is at hand where the same elements are read. A good part of an array is read from it:
        compiled, the value would have to be kept beside it, or be computed twice."""
        self.emit(stmt)
        value = stmt.value
        fixed = stmt.mode == "set" and is_name(value) and value not in self.mutable
        if fixed and self.is_small(value, stmt.target) and not is_advanced(stmt.index, [self.aval(a) for a in stmt.args]):
            self.known[self.key(Apply(None, TABLE["getitem"], (stmt.target, *stmt.args), {"index": stmt.index}))] = value

    def is_small(self, value, array):
        shapes = [self.avals[n].shape for n in (value, array)]
        return None not in (*shapes[0], *shapes[1]) and PART * self.avals[value].size <= self.avals[array].size

    def key(self, stmt):
        version = self.versions.get
        operands = [(a, version(a, 0)) if isinstance(a, str) else freeze(a) for a in stmt.args]
        kind = frozenset if stmt.op.impl in COMMUTATIVE else tuple
        return stmt.op.name, kind(operands), freeze(stmt.params) if stmt.params else ()


def freeze(value):
    """A hashable key that tells apart what behaves differently (1, 1.0 and True; 0.0 and -0.0)."""
    if type(value) in PLAIN or isinstance(value, np.dtype):
        return type(value), value
    if isinstance(value, dict):
        return tuple((k, freeze(v)) for k, v in sorted(value.items()))
    if isinstance(value, tuple | list):
        kinds = tuple(map(type, value))
        return (type(value), kinds, *value) if PLAIN.issuperset(kinds) else (type(value), *map(freeze, value))
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, slice):
        return "slice", value.start, value.stop, value.step
    if callable(value):
        return id(value)
    return type(value).__name__, repr(value)
