"""What stands outside of a region of an array: the number that a mask has put there, as far as operations keep it."""

import numpy as np

from ...core import is_name, walk
from ...ops.index_templates import FULL
from ...ops.op import TABLE
from .regions import aligned, is_all, spread
from .windows import moved

ZERO_TO_ZERO = {np.negative, np.absolute, np.sqrt, np.conjugate, np.sin, np.tan, np.tanh, np.arctan, np.arcsin, np.sinh, np.expm1, np.log1p, np.square,
                np.sign}
NAMED = {"real", "imag", "copy", "astype"}


class Outside:
    """`found` maps immutable names to (region, number): all elements outside of the region are that number.

    `uniform` maps names to the axes, counted from the last (1), along which all elements inside of the region are the same: there a
    mask has broadcast a smaller array. `moved` maps names to the Moved that they are.
    """

    def __init__(self, facts, uses):
        self.facts, self.uses, self.found, self.uniform = facts, uses, {}, {}
        self.moved = {}
        for stmt in walk(facts.program.body):
            if facts.made.get(getattr(stmt, "target", None)) is stmt:
                fact = self.of_stmt(stmt)
                if fact is not None and not is_all(fact[0]):
                    self.found[stmt.target] = fact
                axes = self.uniform_axes(stmt)
                if axes:
                    self.uniform[stmt.target] = axes

    def of(self, atom):
        return self.found.get(atom) if is_name(atom) else None

    def zero(self, atom):
        """The region outside of which an array is 0, or None."""
        fact = self.of(atom)
        return fact[0] if fact is not None and fact[1] == 0 else None

    def of_stmt(self, stmt):
        op, shape = stmt.op, self.facts.avals[stmt.target].shape
        if op.impl is np.where:
            return self.where(stmt, shape)
        if op.impl is np.multiply or op.impl is np.divide:
            return self.product(stmt, shape)
        if op.impl in (np.add, np.subtract):
            regions = [self.zero(a) for a in stmt.args]
            shapes = [self.facts.shape(a) for a in stmt.args]
            return (regions[0], 0) if None not in regions and regions[0] == regions[1] and shapes == [shape, shape] else None
        if op.impl in ZERO_TO_ZERO or op.name in NAMED:
            region = self.zero(stmt.args[0])
            return None if region is None else (region, 0)
        if op.impl is np.equal:
            return self.equal(stmt, shape)
        if op is TABLE["getitem"]:
            return self.getitem(stmt)
        if op is TABLE["sum"]:
            return self.sum(stmt)
        return None

    def where(self, stmt, shape):
        test, a, b = stmt.args
        region = self.facts.mask(test)
        if region is not None and not is_name(b):
            return spread(region, shape), b
        for one, other in ((a, b), (b, a)):
            if not is_name(one) and one == 0 and self.zero(other) is not None and self.facts.shape(other) == shape:
                return self.zero(other), 0
        return None

    def product(self, stmt, shape):
        """A factor that is 0 makes the product 0: what counts is finite, and what does not must not count."""
        for a in stmt.args[: 1 if stmt.op.impl is np.divide else 2]:
            region = self.zero(a)
            if region is not None:
                return spread(aligned(region, self.facts.shape(a), shape), shape), 0
        return None

    def equal(self, stmt, shape):
        """An element that stands for nothing, -inf of a maximum, is no maximum."""
        for a, b in (stmt.args, stmt.args[::-1]):
            fact = self.of(a)
            if fact is not None and np.isinf(fact[1]) and self.facts.shape(b) == () and self.facts.shape(a) == shape:
                return fact[0], False
        return None

    def getitem(self, stmt):
        """A view of new axes or in another order."""
        fact, index = self.of(stmt.args[0]), stmt.params["index"]
        found = moved(self.facts, self.zero, self.uses, stmt)
        if found is not None:
            self.moved[stmt.target] = found
            return found.places, 0
        if fact is None or not all(e is None or e == FULL for e in index):
            return None
        rest = iter(fact[0])
        return tuple(None if e is None else next(rest) for e in index), fact[1]

    def sum(self, stmt):
        """Sums of zeros are zero."""
        region, axes = self.zero(stmt.args[0]), stmt.params["axis"]
        if region is None:
            return None
        kept = stmt.params["keepdims"]
        return tuple(None if k in axes else s for k, s in enumerate(region) if kept or k not in axes), 0

    # smaller arrays ----------------------------------------------------------------------------------
    def uniform_axes(self, stmt):
        """The axes of a result along which a mask has broadcast what it selects."""
        ndim = len(self.facts.avals[stmt.target].shape)
        if stmt.op.impl is np.where and self.facts.mask(stmt.args[0]) is not None:
            return frozenset(k for k in range(1, ndim + 1) if not self.gives(stmt.args[1], k, stmt))
        if stmt.op.elementwise and any(a in self.uniform for a in stmt.args if is_name(a)):
            return frozenset(k for k in range(1, ndim + 1) if not any(self.gives(a, k, stmt) for a in stmt.args))
        scalar = stmt.op is TABLE["getitem"] and self.is_number(stmt.args[0]) and all(e is None or e == FULL for e in stmt.params["index"])
        return frozenset(range(1, ndim + 1)) if scalar else frozenset()

    def gives(self, atom, back, stmt):
        """Whether an operand has the length of the result along an axis of it."""
        shape, whole = self.facts.shape(atom), self.facts.avals[stmt.target].shape
        return len(shape) >= back and shape[-back] == whole[-back] and back not in self.uniform.get(atom, ())

    def is_number(self, atom):
        """Whether a mask has broadcast a number to an array."""
        return len(self.uniform.get(atom, ())) == len(self.facts.shape(atom)) > 0


__all__ = ["Outside"]
