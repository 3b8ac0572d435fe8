"""NumPy scalars that may print as Python numbers: `total = 0.0` where a loop adds to it, rather than `np.float64(0.0)`; `a + b` of
Python numbers rather than `np.add(a, b)`; `not a` and `a and b` in a test.

A name is *plain* if its value may be a Python number although its aval is strong. That is allowed where no reader can tell: sums,
differences and products have the same bits, a quotient does if its divisor is a literal, and with a NumPy operand NumPy computes.
"""

import numpy as np

from ..analysis.aliases import tapes
from ..core import Apply, Derived, Effect, For, If, Move, Update, While, is_name, operands, walk
from ..errors import TransformError

NUMBERS = {np.dtype(float), np.dtype(complex)}
EXACT = ("+", "-", "*")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL = {np.logical_not: "not", np.logical_and: "and", np.logical_or: "or"}


def plain_numbers(program):
    """The plain names of a program."""
    analysis = Plain(program)
    for attempt in range(len(program.avals) + 1):
        analysis.spread()
        told = analysis.told()
        if not told:
            break
        for name in told if attempt > PATIENCE else told[:1]:
            analysis.banned |= analysis.roots(name)
    return analysis.plain


PATIENCE = 30
"""So many names are banned one by one, each as late as possible; then all at once."""


class Plain:
    def __init__(self, program):
        self.program, self.lists = program, tapes(program)
        self.plain, self.banned = set(), set()
        self.stmts = [s for s in walk(program.body) if isinstance(s, Apply | Move | Update)]
        self.makers = {s.target: s for s in self.stmts if isinstance(s, Apply)}
        self.literals = {s.target for s in self.stmts if isinstance(s, Move) and not is_name(s.source)}

    def number(self, atom):
        """Whether an atom may be a Python number."""
        return not is_name(atom) and not isinstance(atom, np.generic) or self.program.aval(atom).weak or atom in self.plain

    def strong(self, name, kinds=NUMBERS):
        aval = self.program.avals[name]
        return not aval.weak and aval.shape == () and aval.dtype in kinds

    def spread(self):
        """All names that would be Python numbers if nobody but the banned minded."""
        self.plain, size = set(), None
        while size != len(self.plain):
            size = len(self.plain)
            self.plain.update(s.target for s in self.stmts if s.target not in self.banned and self.arises(s))

    def roots(self, name):
        """The names, behind a plain name, that have to be NumPy scalars for it to be one."""
        while True:
            maker = self.makers.get(name)
            sources = [a for a in maker.args if is_name(a) and a in self.plain] if maker and maker.op.impl not in LOGICAL else []
            if not sources or maker.args[0] in self.lists:
                return {name}
            name = next((a for a in sources if a in self.literals), sources[0])

    def arises(self, stmt):
        if isinstance(stmt, Update):
            return stmt.target in self.lists and self.program.avals[stmt.target].ndim == 1 and self.number(stmt.value)
        if isinstance(stmt, Move):
            same = self.program.aval(stmt.source).dtype == self.program.avals[stmt.target].dtype
            return same and self.strong(stmt.target) and self.number(stmt.source)
        if stmt.args and stmt.args[0] in self.lists:
            return stmt.args[0] in self.plain and self.strong(stmt.target)
        if stmt.op.impl in LOGICAL:
            return self.strong(stmt.target, {np.dtype(bool)}) and all(self.program.aval(a).dtype == bool for a in stmt.args)
        kinds = {np.dtype(bool)} if stmt.op.symbol in COMPARE else NUMBERS
        return self.stays_python(stmt) and self.strong(stmt.target, kinds)

    def stays_python(self, stmt):
        """Whether an infix operation of Python numbers has the bits of NumPy's."""
        if not all(map(self.number, stmt.args)):
            return False
        if stmt.op.symbol == "/":
            divisor = stmt.args[1]
            return not is_name(divisor) and divisor != 0
        return stmt.op.symbol in (*EXACT, *COMPARE)

    # readers ------------------------------------------------------------------------
    def told(self):
        """Plain names with a reader that could tell, those that are made from literals first."""
        found = {a: None for a in self.program.outputs if is_name(a) and a in self.plain and a in self.makers and not self.is_derivative(a)}
        for stmt in walk(self.program.body):
            found.update((n, None) for n in operands(stmt) if n in self.plain and not self.accepts(stmt, n))
        return sorted(found, key=lambda n: n not in self.literals)

    def is_derivative(self, name):
        return isinstance(self.program.hints.get(name), Derived)

    def accepts(self, stmt, name):
        if self.program.avals[name].dtype == bool:
            return isinstance(stmt, If | While) or isinstance(stmt, Apply) and stmt.op.impl in LOGICAL
        if isinstance(stmt, Update):
            return name not in (stmt.target, *stmt.args) or name in self.lists
        if isinstance(stmt, Move):
            return stmt.target in self.plain
        if isinstance(stmt, Effect | For):
            return False
        if isinstance(stmt, If | While):
            return True
        return stmt.target in self.plain or self.same(stmt, name)

    def same(self, stmt, name):
        """Whether an Apply gives the same for a Python number: NumPy computes it, at the same dtype."""
        if stmt.op.symbol and all(map(self.number, stmt.args)):
            return False
        avals = [self.program.aval(a) for a in stmt.args]
        text = stmt.op.notation(*avals, **stmt.params) if stmt.op.notation else ""
        if any(text.startswith(f"{{{k}}}.") for k, a in enumerate(stmt.args) if a == name):
            return False
        weak = [a._replace(weak=True) if n == name else a for n, a in zip(stmt.args, avals)]
        try:
            found = stmt.op.infer(*weak, **stmt.params)
        except TransformError:
            return False
        want = self.program.avals[stmt.target]
        return found.dtype == want.dtype and found.weak == want.weak
