"""Stores of elements and short slices under a condition get an `if` of their own, behind the one that computes what is stored.

Before:                              After:
    if c:                                if c:
        t = np.sin(x)                        t = np.sin(x)
        y[i] = t                         if c:
                                             y[i] = t

An `if` of XLA's that changes an array copies it in most rounds of a loop. One that holds nothing but such stores needs no branch: the
old elements are stored again where it is not taken. Compiled programs only. The gradient of sums of products of 3x3 matrices
under a condition, 1600 rounds: 210 -> 80 us.

>>> from ...core import Apply, Aval
>>> from ...frontend.builder import Builder
>>> from ...ops.op import TABLE
>>> from .example import np, show
>>> builder = Builder("f")
>>> avals = Aval((), np.dtype(bool)), Aval((3,), np.dtype(float)), Aval((9, 3), np.dtype(float)), Aval((), np.dtype(int))
>>> c, x, y, i = map(builder.parameter, "cxyi", avals)
>>> builder.avals["t"] = avals[1]
>>> builder.body.append(If("c", [Apply("t", TABLE["sin"], ("x",), {}), Update("y", (Hole(0), slice(None)), ("i",), "t")], []))
>>> show(part_stores(builder.program([y])))
if c:
    t = np.sin(x)
if c:
    y[i] = t
"""

import math

from ...analysis.carries import FEW, MEDIUM, SHORT
from ...analysis.ranges import Ranges
from ...analysis.small_branches import is_small
from ...core import Apply, Effect, Hole, If, Mark, Move, Update, names_bound, names_read, walk
from ...ops.index_templates import Range, Window, result_shape
from .rewriting import Rewriter, holds

PART = 4
"""A short slice is at most one part in so many of its array."""
LARGE = 2**40
"""Stands for a size that only the run will show."""


def part_stores(program):
    """The program with the stores of each `if` parted from the rest of it, where the order of reads, stores and failures allows it."""
    return Parting(program).run() if holds(program, If) and holds(program, Update) else program


def is_short_store(program, stmt):
    """Whether a statement stores a single element or a short slice, at plain integers; or is an `if` that holds only such stores."""
    if isinstance(stmt, If):
        return all(is_short_store(program, s) for s in (*stmt.body, *stmt.orelse))
    if not isinstance(stmt, Update):
        return isinstance(stmt, Mark)
    avals, shape = [program.aval(a) for a in stmt.args], program.aval(stmt.target).shape
    if any(a.shape or a.dtype.kind == "b" for a in avals) or any(isinstance(e, Range) for e in stmt.index):
        return False
    stored, whole = size_of(result_shape(stmt.index, shape, avals)), size_of(shape)
    return PART * stored <= whole and stored <= max(SHORT, min(MEDIUM, whole // FEW))


def size_of(shape):
    return math.prod(LARGE if d is None else d for d in shape)


class Parting(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.ranges = Ranges(program)

    def branch(self, stmt):
        if stmt.test in self.mutable or is_small(self, stmt.body) and is_small(self, stmt.orelse):
            return self.emit(stmt)
        sides, fixed, more = (stmt.body, stmt.orelse), set(), True
        while more:
            parted = [self.parted(block, fixed) for block in sides]
            rest, stores = zip(*parted)
            more = names_bound([*rest[0], *rest[1]]).keys() & names_bound([*stores[0], *stores[1]]).keys()
            fixed |= more
        if not any(stores) or not any(rest):
            return self.emit(stmt)
        self.emit(If(stmt.test, *rest, stmt.origin))
        self.emit(If(stmt.test, *stores, stmt.origin))

    def parted(self, stmts, fixed):
        """The statements of a block that stay, and its stores that may come after them; those into the arrays `fixed` stay."""
        rest, stores, later = [], [], Later()
        for stmt in reversed(stmts):
            if is_short_store(self, stmt) and not names_bound([stmt]).keys() & fixed and self.may_wait(stmt, later):
                stores.append(stmt)
            else:
                rest.append(stmt)
                later.add(stmt)
        return rest[::-1], stores[::-1]

    def may_wait(self, stmt, later):
        """Whether a store may come after the statements `later`: they do not read the array, leave what is stored, and fail no earlier."""
        if names_bound([stmt]).keys() & later.used or names_read([stmt]).keys() & later.rebound:
            return False
        return not later.fails or not any(map(self.may_miss, walk([stmt])))

    def may_miss(self, stmt):
        """Whether the indices of a store may be out of range."""
        if not isinstance(stmt, Update):
            return False
        sizes = zip([e for e in stmt.index if e is not None], self.aval(stmt.target).shape, strict=True)
        return not all(self.ranges.is_within(stmt.args[e.position], n, e, {}) for e, n in sizes if isinstance(e, Hole | Window) and n is not None)


class Later:
    """What statements do: the names that they read or bind, those that they leave with another value, and whether they may fail."""

    def __init__(self):
        self.used, self.rebound, self.fails = set(), set(), False

    def add(self, stmt):
        self.used |= names_read([stmt]).keys() | names_bound([stmt]).keys()
        for inner in walk([stmt]):
            if isinstance(inner, Move | Update):
                self.rebound.add(inner.target)
            self.fails = self.fails or may_fail(inner)


def may_fail(stmt):
    """Whether a statement may end the program with an error."""
    return isinstance(stmt, Effect | Update) or isinstance(stmt, Apply) and ("index" in stmt.params or bool(stmt.op.along))
