"""Values that are added to arrays at several places: shifted copies of one array, as the adjoints of stencils add them."""

from collections import Counter

import numpy as np

from ..core import Apply, Update, is_name, walk
from ..ops.op import TABLE

MANY = 2
"""At how many places a value is added for its margins to pay, see `ops.index_lowering`."""


class Shifts:
    """How often each value of a program is added to a part of an array, or stored into one of zeros, as it is or times a number."""

    def __init__(self, program):
        self.made = {s.target: s for s in walk(program.body) if isinstance(s, Apply)}
        self.places = Counter(self.root(s.value) for s in additions(program))

    def root(self, atom):
        """The name that a value is a multiple of."""
        made = self.made.get(atom) if is_name(atom) else None
        if made is not None and made.op.impl is np.negative:
            return self.root(made.args[0])
        if made is not None and made.op.impl is np.multiply and not all(map(is_name, made.args)):
            return self.root(next(filter(is_name, made.args), None))
        return atom

    def is_shared(self, update):
        """Whether what an Update adds is added at other places too."""
        return is_name(update.value) and self.places[self.root(update.value)] >= MANY


def additions(program):
    """The Updates that add, and the first ones of arrays of zeros."""
    zeros = set()
    for stmt in walk(program.body):
        if isinstance(stmt, Apply) and stmt.op is TABLE["zeros"]:
            zeros.add(stmt.target)
        elif isinstance(stmt, Update):
            if stmt.mode == "add" or stmt.mode == "set" and stmt.target in zeros:
                yield stmt
            zeros.discard(stmt.target)
