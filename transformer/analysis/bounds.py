"""Bounds of integers inside loop nests: `for i in range(n): for j in range(i, n)` has at most n rounds of j for each i.

A bound is a linear form: a constant plus multiples of names that are known before the nest starts.
"""

from typing import NamedTuple

import numpy as np

from ..core import Apply, For, is_name


class Linear(NamedTuple):
    """`constant + sum(coefficient * name)`; `terms` is a sorted tuple of (name, coefficient)."""

    constant: int
    terms: tuple = ()

    def plus(self, other, sign=1):
        terms = dict(self.terms)
        for name, coefficient in other.terms:
            terms[name] = terms.get(name, 0) + sign * coefficient
        return Linear(self.constant + sign * other.constant, tuple(sorted((n, c) for n, c in terms.items() if c)))

    def times(self, factor):
        return Linear(self.constant * factor, tuple((n, c * factor) for n, c in self.terms if factor))


class Bounds:
    """Least and greatest values, in terms of names bound outside of the loop block `nest` (and not changed in it)."""

    def __init__(self, blocks, nest):
        self.blocks, self.nest = blocks, nest

    def of(self, atom):
        """(least, greatest) of an integer atom; either is None where nothing is known."""
        if not is_name(atom):
            exact = Linear(int(atom))
            return exact, exact
        if not self.blocks.home[atom].inside(self.nest):
            exact = None if self.nest.rebinds.get(atom) else self.outside(atom)
            return exact, exact
        if self.blocks.is_versioned(atom):
            return None, None
        stmt = self.blocks.sites[atom][0].stmt
        if isinstance(stmt, For):
            return self.index(stmt)
        return self.result(stmt) if isinstance(stmt, Apply) else (None, None)

    def form(self, form):
        """(least, greatest) of a linear form."""
        total = Linear(form.constant), Linear(form.constant)
        for name, factor in form.terms:
            pair = self.of(name)[:: 1 if factor > 0 else -1]
            total = tuple(t and p and t.plus(p.times(factor)) for t, p in zip(total, pair, strict=True))
        return total

    def outside(self, name):
        """A name from outside of the nest; `n - 1` is taken apart, so that it cancels against other forms."""
        whole = Linear(0, ((name, 1),))
        stmt = self.blocks.sites[name][0].stmt
        if self.blocks.is_versioned(name) or not isinstance(stmt, Apply):
            return whole
        if any(is_name(a) and self.blocks.is_versioned(a) for a in stmt.args):
            return whole
        least, most = self.result(stmt)
        return least if least is not None and least == most else whole

    def index(self, loop):
        """Bounds of the index of a For."""
        (lo_least, lo_most), (hi_least, hi_most) = self.of(loop.lo), self.of(loop.hi)
        if loop.step > 0:
            return lo_least, hi_most and hi_most.plus(Linear(-1))
        return hi_least and hi_least.plus(Linear(1)), lo_most

    def result(self, stmt):
        """Bounds of the result of an op on integers: sums, differences, multiples, minima and maxima."""
        function = stmt.op.impl
        if function not in (np.add, np.subtract, np.multiply, np.minimum, np.maximum):
            return None, None
        (a, b), (c, d) = map(self.of, stmt.args)
        if function is np.add:
            return a and c and a.plus(c), b and d and b.plus(d)
        if function is np.subtract:
            return a and d and a.plus(d, -1), b and c and b.plus(c, -1)
        if function is np.minimum:
            return both(min, a, c), either(min, b, d)
        if function is np.maximum:
            return either(max, a, c), both(max, b, d)
        return self.multiple((a, b), (c, d))

    def multiple(self, first, second):
        for pair, other in ((first, second), (second, first)):
            factor = other[0]
            if factor is not None and factor == other[1] and not factor.terms:
                scaled = [p and p.times(factor.constant) for p in pair]
                return tuple(scaled if factor.constant >= 0 else scaled[::-1])
        return None, None


def combined(stmt, form):
    """The result of an Apply as a linear form, its operands' forms being given by `form`; None if it has none."""
    function = stmt.op.impl
    if function not in (np.add, np.subtract, np.multiply):
        return None
    a, b = (form(x) for x in stmt.args)
    if a is None or b is None:
        return None
    if function is not np.multiply:
        return a.plus(b, 1 if function is np.add else -1)
    if a.terms and b.terms:
        return None
    return a.times(b.constant) if a.terms else b.times(a.constant)


def both(choose, a, b):
    """A bound of a minimum or maximum that needs both operands."""
    if a is None or b is None or a.terms or b.terms:
        return a if a == b else None
    return Linear(choose(a.constant, b.constant))


def either(choose, a, b):
    """A bound of a minimum or maximum for which one operand is enough; constants are preferred."""
    known = [x for x in (a, b) if x is not None]
    constants = [x for x in known if not x.terms]
    if constants:
        return Linear(choose(x.constant for x in constants))
    return known[0] if known else None


__all__ = ["Bounds", "Linear", "combined"]
