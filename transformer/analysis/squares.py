"""Sums of squares: values that are nowhere negative and smooth. Where such a value is 0 it is as small as it can be, so its derivative is 0.

They are found by what they are computed from (`x ** 2 + y ** 2`, `x @ x`, `np.mean(np.square(x), axis=1)`), also around loops and in arrays
that are stored into: a name is one if all that is ever bound to it or stored into it is one.
"""

import numpy as np

from ..core import Apply, Move, Update, is_name, is_real, targets, walk

KEPT = frozenset("""add divide maximum minimum where getitem take_along_axis sum python_sum math_fsum cumsum window_sum reshape transpose
    expand_dims squeeze broadcast_to diagonal concatenate stack repeat tile roll copy astype positive python_float""".split())
"""Ops whose result is a sum of squares if their operands are (those that are numbers, not tests or indices)."""
POWERS = frozenset({"power", "float_power", "math_pow"})
PRODUCTS = frozenset({"multiply", "dot", "matmul", "inner", "vecdot", "einsum"})
LARGEST = 10_000
"""Elements of a constant array that are looked at."""


class Squares:
    """The names of a program that are sums of squares."""

    def __init__(self, program):
        self.program, self.bound = program, {}
        for stmt in walk(program.body):
            for name in targets(stmt):
                self.bound.setdefault(name, []).append(stmt)
        self.found = {name for name in self.bound if is_real(program.avals[name].dtype)}
        self.reads = self.readers()
        pending = sorted(self.found)
        while pending:
            name = pending.pop()
            if name in self.found and not all(map(self.fits, self.bound[name])):
                self.found.discard(name)
                pending += self.reads.get(name, ())

    def readers(self):
        """Name -> the names that are computed from it."""
        reads = {}
        for name in self.found:
            for stmt in self.bound[name]:
                for atom in filter(is_name, operands_of(stmt)):
                    reads.setdefault(atom, []).append(name)
        return reads

    def holds(self, atom):
        """Whether an atom is a sum of squares."""
        return atom in self.found if is_name(atom) else np.isrealobj(atom) and bool(np.all(atom >= 0))

    def is_minimum(self, atom):
        """Whether an atom is a sum of squares that may be 0."""
        return is_name(atom) and atom in self.found and not self.is_positive(atom)

    def is_positive(self, atom, depth=0):
        """Whether a sum of squares is certain to be more than 0."""
        if not is_name(atom):
            return np.isrealobj(atom) and bool(np.all(atom > 0))
        stmts = self.bound.get(atom, ())
        if atom not in self.found or len(stmts) != 1 or not isinstance(stmts[0], Apply) or depth > 20:
            return False
        stmt = stmts[0]
        parts = [self.is_positive(a, depth + 1) for a in self.numbers(stmt)]
        some = stmt.op.name in ("add", "maximum")
        return stmt.op.name in KEPT | {"multiply"} and bool(parts) and (any(parts) if some else all(parts))

    def numbers(self, stmt):
        """The operands of an op that are numbers, without tests and indices."""
        op = stmt.op
        if op.gather or op.along:
            return stmt.args[:1]
        return stmt.args[1:] if op.name == "where" else stmt.args

    def fits(self, stmt):
        """Whether what a statement binds or stores is a sum of squares."""
        if isinstance(stmt, Move):
            return self.holds(stmt.source)
        if isinstance(stmt, Update):
            return self.holds(stmt.value)
        return isinstance(stmt, Apply) and self.makes(stmt)

    def makes(self, stmt):
        op, args = stmt.op, stmt.args
        if not args:
            value = stmt.params.get("value", 0.0)
            return op.differentiable is False and np.size(value) <= LARGEST and bool(np.all(np.asarray(value) >= 0))
        if op.name in KEPT:
            return all(map(self.holds, self.numbers(stmt)))
        if op.name == "square":
            return self.is_real(args[0])
        if op.name in POWERS:
            return self.is_power(*args)
        return op.name in PRODUCTS and (all(map(self.holds, args)) or self.is_square(stmt))

    def is_real(self, atom):
        return is_real(self.program.aval(atom).dtype)

    def is_power(self, base, exponent):
        if is_name(exponent) or np.iscomplexobj(exponent):
            return False
        return exponent >= 1 and (exponent % 2 == 0 and self.is_real(base) or self.holds(base))

    def is_square(self, stmt):
        """Whether a product is that of a real array with itself, element by element."""
        args = stmt.args
        if len(args) != 2 or not is_name(args[0]) or args[0] != args[1] or not self.is_real(args[0]):
            return False
        if "subscripts" in stmt.params:
            one, other = stmt.params["subscripts"].split("->")[0].split(",")
            return one == other
        return stmt.op.elementwise or stmt.op.name == "vecdot" or self.program.aval(args[0]).ndim == 1


def operands_of(stmt):
    if isinstance(stmt, Move):
        return [stmt.source]
    if isinstance(stmt, Update):
        return [stmt.value]
    return stmt.args if isinstance(stmt, Apply) else ()
