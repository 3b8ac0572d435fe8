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
    """The reads so far of each version of an array, by the name of its hlo value; the last array of each type that was stored into.

    apart: stores into arrays of one type are ordered too, or XLA's fusions of several results would make a pass over both arrays of two.
    The next store into the first one waits for what was stored into the second: for the number, or for the array where it was a slice,
    whose computation XLA would repeat, with the first array as it was (a loop that adds to rows of two arrays: 460 -> 170 us).
    """

    def __init__(self, hlo, apart=False):
        self.hlo, self.apart, self.reads, self.stored = hlo, apart, {}, {}

    @contextmanager
    def scope(self):
        """What is noted inside is not seen outside: its values belong to a region."""
        outer, self.reads = (self.reads, self.stored), {name: list(reads) for name, reads in self.reads.items()}
        self.stored = {}
        yield
        self.reads, self.stored = outer

    def store(self, target, value, store):
        """The new version of `target` that `store(value)` makes, after the reads of the old one (and the last store into another array
        of its type)."""
        last, reads = self.stored.get(target.type), self.taken([target])
        waits = self.apart and last is not None and last.name != target.name
        value = self.after([*reads, last] if waits else reads, value)
        new = self.stored[target.type] = store(value)
        if waits:
            self.note(last, new if value.size > 1 else value)
        return new

    def note(self, array, result):
        """`result` was computed from `array`."""
        if array.shape and result.size:
            self.reads.setdefault(array.name, []).append(result)

    def after_reads(self, arrays, value):
        """`value`, which now depends on every read of `arrays`: they are about to be stored into."""
        return self.after(self.taken(arrays), value)

    def taken(self, arrays):
        return [r for a in arrays for r in self.reads.pop(a.name, ())]

    def after(self, values, value):
        """`value`, which now depends on all of `values`."""
        values = list({v.name: v for v in values if v is not value}.values())
        if not values or not value.size:
            return value
        hlo, never = self.hlo, None
        for read in values:
            flag = self.never(read)
            never = flag if never is None else hlo.or_(never, flag)
        other = 5 if value.literal == 3 else 3
        return hlo.select(never, hlo.full(value.shape, other, value.dtype), value)

    def never(self, read):
        """A condition on a value that is always false: it is unequal and equal to itself."""
        hlo, x = self.hlo, read
        if x.shape:
            x = hlo.reshape(hlo.slice(x, (0,) * x.ndim, (1,) * x.ndim), ())
        if x.dtype.kind == "c":
            x = hlo.real(x)
        if x.dtype.kind != "f":
            x = hlo.convert(x, np.float64)
        return hlo.and_(hlo.compare("NE", x, x), hlo.compare("EQ", x, x))
