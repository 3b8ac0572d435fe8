"""Data dependences that order the reads of an array before the stores that follow.

XLA updates an array in place only where it can prove that no read of the old version comes later; else it copies the whole array,
each time round a loop. A read whose result the stored value does not need is not ordered by itself:

    g = x_bar[i]; x_bar[i] = 0.0; x_bar[i - 1] += g * 0.5

So the stored value is made to depend on it, by a condition that never holds and that XLA does not see through, but LLVM does: it
costs nothing at run time. In that gradient, n = 10000: 10 us an iteration -> 0.04 us.
"""

from contextlib import contextmanager

import numpy as np


class Ordering:
    """The reads so far of each version of an array, by the name of its hlo value."""

    def __init__(self, hlo):
        self.hlo, self.reads = hlo, {}

    @contextmanager
    def scope(self):
        """Reads noted inside are not seen outside: their values belong to a region."""
        outer, self.reads = self.reads, {name: list(reads) for name, reads in self.reads.items()}
        yield
        self.reads = outer

    def note(self, array, result):
        """`result` was computed from `array`."""
        if array.shape and result.size:
            self.reads.setdefault(array.name, []).append(result)

    def after_reads(self, arrays, value):
        """`value`, which now depends on every read of `arrays`: they are about to be stored into."""
        reads = [r for a in arrays for r in self.reads.pop(a.name, ()) if r is not value]
        if not reads or not value.size:
            return value
        hlo, never = self.hlo, None
        for read in reads:
            flag = self.never(read)
            never = flag if never is None else hlo.or_(never, flag)
        other = 5 if value.literal == 3 else 3
        return hlo.select(never, hlo.full(value.shape, other, value.dtype), value)

    def never(self, read):
        """A condition on a value that is always false: it is unequal and equal to itself."""
        hlo, x = self.hlo, read
        if x.dtype.kind == "c":
            x = hlo.real(x)
        if x.shape:
            x = hlo.reshape(hlo.slice(x, (0,) * x.ndim, (1,) * x.ndim), ())
        if x.dtype.kind != "f":
            x = hlo.convert(x, np.float64)
        return hlo.and_(hlo.compare("NE", x, x), hlo.compare("EQ", x, x))
