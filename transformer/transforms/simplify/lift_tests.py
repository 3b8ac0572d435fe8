"""Compute comparisons in front of the `if` that they alone stand in: they are cheap and cannot fail.

Before:                              After:
    if not low:                          high = s > 1.0
        high = s > 1.0

The sweep of a chain of conditions reads all of its tests; without their branches they stand one below the other, and a chain of any
length nests no deeper than the source may be indented.

>>> from .example import example, np, show
>>> from ...frontend.builder import current
>>> def f(x):
...     with current().nested() as body:
...         high = x > 1.0
...     current().add(If(current().read(x < 0.0), body, []))
...     return high
>>> show(lift_tests(example(f, ())))
less = x < 0.0
greater = x > 1.0
"""

import numpy as np

from ...core import Apply, If
from .rewriting import Rewriter, holds


def lift_tests(program):
    """The program without `if`s that hold nothing but tests."""
    return Lifting(program).run() if holds(program, If) else program


class Lifting(Rewriter):
    def branch(self, stmt):
        inner = [*stmt.body, *stmt.orelse]
        if not all(map(self.is_test, inner)):
            return self.emit(stmt)
        for test in inner:
            self.emit(test)

    def is_test(self, stmt):
        """Whether a statement is an elementwise op on numbers whose result is a bool."""
        if not isinstance(stmt, Apply) or not stmt.op.elementwise or self.avals[stmt.target] != ((), np.dtype(bool), False):
            return False
        return all(self.aval(a).shape == () for a in stmt.args)
