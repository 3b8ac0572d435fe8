"""Loops over elements whose rounds are independent become array code, where that is certain to give the same bits.

Before:                              After:
    for i in range(16):                  y[:] = x * a[:, 1] + c
        y[i] = x[i] * a[i, 1] + c

>>> import numpy as np
>>> from transformer import grad
>>> def scaled(x, a):
...     y = np.zeros(16)
...     for i in range(16):
...         y[i] = x[i] * x[i] * a[i, 1]
...     return np.sum(y * y)
>>> print(grad(scaled).show(np.ones(16), np.ones((16, 2)), stage="vectorise"))
import numpy as np
<BLANKLINE>
<BLANKLINE>
# scaled_grad(x: float64[16], a: float64[16, 2])
def scaled_grad(x, a):
    y = np.zeros(16)
    y[:] = x * x * a[:, 1]
    # reverse
    y_bar = 2.0 * y
    x_bar = np.zeros(16)
    x_bar[:] += 2.0 * (y_bar * a[:, 1] * x)
    return x_bar
<BLANKLINE>

Inner loops go first; what they leave is then a body of whole rows. A loop stays as it is if a round may see what another one has
stored, if two rounds may store into one element (sums excepted whose terms keep their order), if an index is not known to be in range, and
if an operation on arrays might round in another way than on numbers.
"""

import copy
import dataclasses

import numpy as np

from ...core import For, Mark, Update, blocks, is_name, walk
from ...ops.index_templates import result_shape
from .places import Dependent
from .rounds import Rounds

LEAST = 16
"""Loops that store fewer elements stay: array code would hardly be faster, or slower."""


def vectorise(program):
    """The program with array code in place of the loops over elements that allow it; the same object if there are none."""
    if not any(type(s) is For and any(type(u) is Update for u in s.body) for s in walk(program.body)):
        return program
    return Vectorising(program).run()


class Vectorising:
    """exact: whether each bit counts; in the reverse sweep, what the primal part computes is known already."""

    def __init__(self, program):
        self.program, self.exact = program, True
        self.avals, self.hints = dict(program.avals), dict(program.hints)

    def run(self):
        body = self.program.body
        seam = max((k for k, s in enumerate(body) if type(s) is Mark and s.text == "reverse"), default=len(body))
        new = self.block(body[:seam], LEAST)
        self.exact = False
        new += self.block(body[seam:], LEAST)
        return self.program if same(new, body) else dataclasses.replace(self.program, body=new, avals=self.avals, hints=self.hints)

    def aval(self, atom):
        return self.avals[atom] if is_name(atom) else self.program.aval(atom)

    def fresh(self, origin, aval):
        """A new name for an array that stems from the name `origin`."""
        base, number = self.hints.get(origin) or origin, 1
        while f"{base}_{number}" in self.avals:
            number += 1
        name = f"{base}_{number}"
        self.avals[name], self.hints[name] = aval, base
        return name

    def block(self, stmts, least):
        new = []
        for stmt in stmts:
            new.extend(self.loop(stmt, least) if type(stmt) is For else [self.inner(stmt, least)])
        return new

    def inner(self, stmt, least):
        """A statement with array code in its blocks; the head of a While stays."""
        if not blocks(stmt):
            return stmt
        changed = {field: self.block(getattr(stmt, field), least) for field in ("body", "orelse") if hasattr(stmt, field)}
        if all(same(new, getattr(stmt, field)) for field, new in changed.items()):
            return stmt
        stmt = copy.copy(stmt)
        for field, new in changed.items():
            setattr(stmt, field, new)
        return stmt

    def loop(self, stmt, least):
        """What takes the place of a loop, each statement of which is to store at least `least` elements; the loop where nothing does."""
        saved = self.avals, self.hints
        self.avals, self.hints = dict(self.avals), dict(self.hints)
        whole = self.inner(stmt, 1)
        new = self.at_once(whole)
        if new is not None and self.elements(new) >= least:
            return new
        if least == 1:
            return [whole]
        self.avals, self.hints = saved
        return [self.inner(stmt, least)]

    def at_once(self, loop):
        """The array code for a loop, or None."""
        saved = self.avals, self.hints
        self.avals, self.hints = dict(self.avals), dict(self.hints)
        try:
            return Rounds(self, loop).statements()
        except Dependent:
            self.avals, self.hints = saved
            return None

    def elements(self, stmts):
        """The number of elements that a store of array code stores, at the least."""
        stores = [s for s in stmts if type(s) is Update]
        return min(int(np.prod(result_shape(s.index, self.aval(s.target).shape, [self.aval(a) for a in s.args]))) for s in stores)


def same(new, old):
    return len(new) == len(old) and all(a is b for a, b in zip(new, old))


__all__ = ["vectorise"]
