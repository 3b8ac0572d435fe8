"""A store of an element plus something is an addition to the element: its adjoint leaves the cotangent of the array as it is.

Before:                              After:
    item = y[1]
    total = item + x
    y[1] = total                         y[1] += x

>>> from .example import example, np, show
>>> def f(x):
...     y = x * 2.0
...     y[1] = y[1] + x[0]
...     return y
>>> show(accumulate_stores(example(f)))
multiply = x * 2.0
getitem = multiply[1]
getitem_1 = x[0]
add = getitem + getitem_1
multiply[1] += getitem_1
"""

import numpy as np

from ...core import Update, is_name
from ...ops.index_templates import is_identity
from ...ops.op import TABLE
from .rewriting import Rewriter, Scoped, count_uses, holds


def accumulate_stores(program):
    """The program with `A[i] = A[i] + v` as Updates of mode "add"; what is read no longer is left to `remove_dead`."""
    return Accumulation(program).run() if holds(program, Update) else program


class Accumulation(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.uses = count_uses(program)
        self.reads, self.sums = Scoped(), Scoped()
        self.tables += [self.reads, self.sums]

    def apply(self, stmt):
        self.emit(stmt)
        if stmt.target in self.mutable or self.uses[stmt.target] != 1:
            return
        if stmt.op is TABLE["getitem"] and is_name(stmt.args[0]):
            self.reads[stmt.target] = self.place(stmt.args[0], stmt.params["index"], stmt.args[1:])
        elif stmt.op.impl is np.add:
            self.sums[stmt.target] = stmt.args, tuple(map(self.version, stmt.args))

    def place(self, array, index, args):
        """What two accesses have in common if they are to the same elements of the same version of an array."""
        return array, self.version(array), repr(index), args, tuple(map(self.version, args))

    def update(self, stmt):
        self.emit(self.accumulating(stmt) or stmt)

    def accumulating(self, stmt):
        """The Update of mode "add" that does the same, or None."""
        operands, versions = self.sums.get(stmt.value, ((), ())) if is_name(stmt.value) else ((), ())
        if stmt.mode != "set" or not operands or is_identity(stmt.index) or self.repeats(stmt):
            return None
        place = self.place(stmt.target, stmt.index, stmt.args)
        for item, other in (operands, operands[::-1]):
            unchanged = tuple(map(self.version, operands)) == versions and other != stmt.target
            if is_name(item) and self.reads.get(item) == place and unchanged and self.fits(item, stmt):
                return Update(stmt.target, stmt.index, stmt.args, other, "add", stmt.origin)
        return None

    def fits(self, item, stmt):
        """Whether the sum has the type of the elements: nothing is cast or broadcast by the store."""
        item, total = self.aval(item), self.aval(stmt.value)
        return (item.shape, item.dtype) == (total.shape, total.dtype) and total.dtype == self.avals[stmt.target].dtype and total.dtype.kind in "fciu"
