"""Reads of several rounds of a loop at elements next to each other, as one slice.

    for k in range(i + 1, j):                    for k in range(i + 1, j - 7, 8):
        best = max(best, table[i, k])                window = table[i, k:k + 8]
                                                     best = max(best, window[0])
                                                     best = max(best, window[1])
                                                     ...

XLA keeps the start of each slice within bounds, which costs more than the read. Only where all indices are known to be in range.
"""

import numpy as np

from ..core import Apply, Hole, is_name, names_bound


class Windows:
    """For a group of `count` rounds of a For: the axis along which each read moves from round to round, and the slices so far."""

    def __init__(self, program, ranges, loop, count):
        self.program, self.ranges, self.count, self.step = program, ranges, count, loop.step
        self.round = 0
        self.axes, self.slices = {}, {}
        inside = {loop.index, *names_bound(loop.body)}
        moving = {loop.index}
        for stmt in loop.body if count > 1 and abs(loop.step) == 1 else ():
            if not isinstance(stmt, Apply):
                continue
            if self.moves(stmt, moving, inside):
                moving.add(stmt.target)
            elif stmt.op.gather and stmt.args[0] not in inside:
                axis = self.axis(stmt, moving, inside)
                if axis is not None:
                    self.axes[id(stmt)] = axis

    def moves(self, stmt, moving, inside):
        """Whether a value grows as the loop's index does."""
        if stmt.op.impl not in (np.add, np.subtract) or self.program.avals[stmt.target].dtype.kind != "i":
            return False
        x, y = stmt.args
        return x in moving and y not in inside or stmt.op.impl is np.add and y in moving and x not in inside

    def axis(self, stmt, moving, inside):
        """The axis of a read of single elements that moves, all others being fixed; None for other reads."""
        shape, index = self.program.avals[stmt.args[0]].shape, stmt.params["index"]
        if len(index) != len(shape) or not all(isinstance(e, int | Hole) for e in index):
            return None
        atoms = [stmt.args[1 + e.position] if isinstance(e, Hole) else e for e in index]
        found = [k for k, a in enumerate(atoms) if a in moving]
        fixed = all(k in found or isinstance(a, int) or a not in inside and self.program.aval(a).shape == () for k, a in enumerate(atoms))
        if len(found) != 1 or not fixed or not self.is_inside(atoms[found[0]], shape[found[0]]):
            return None
        return found[0]

    def is_inside(self, atom, size):
        bounds = self.ranges.of(atom) if is_name(atom) and size is not None else None
        return bounds is not None and bounds[0] >= 0 and bounds[1] < size and size >= self.count

    def read(self, hlo, stmt, array, operands, starts):
        """The element that a read of `axes` gives in this round; starts(array, operands, index): where it is, as int64."""
        axis = self.axes[id(stmt)]
        if self.round == 0:
            start = starts(array, operands, stmt.params["index"])
            if self.step < 0:
                start[axis] = hlo.subtract(start[axis], hlo.constant(self.count - 1, np.int64))
            self.slices[id(stmt)] = hlo.dynamic_slice(array, start, [self.count if k == axis else 1 for k in range(array.ndim)])
        place = self.round if self.step > 0 else self.count - 1 - self.round
        low = [place if k == axis else 0 for k in range(array.ndim)]
        return hlo.reshape(hlo.slice(self.slices[id(stmt)], low, [n + 1 for n in low]), ())
