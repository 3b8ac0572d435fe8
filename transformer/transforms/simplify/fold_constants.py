"""Compute scalars whose operands are literals, and give NumPy scalars back their plain form where that changes nothing.

Before:                              After:
    a = 2 - 1                            a = 1
    b = np.float64(2.0) * x              b = 2.0 * x

>>> from .example import example, show
>>> show(fold_constants(example(lambda x: x * np.float64(2.0))))
multiply = x * 2.0
"""

import operator

import numpy as np

from ...core import Apply, Move, is_name, literal_aval, walk
from ...errors import TransformError
from .rewriting import Rewriter

MADE = ("zeros", "ones", "constant")
PYTHON = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
          "%": operator.mod, "**": operator.pow}


def fold_constants(program):
    """The program with scalar operations on literals computed (their targets get a Move) and literals in plain form."""
    return Folding(program).run() if any(may_fold(program, s) for s in walk(program.body)) else program


def may_fold(program, stmt):
    """Whether a statement is a scalar of literals, or reads NumPy scalars."""
    if type(stmt) is not Apply:
        return False
    names = sum(map(is_name, stmt.args))
    return names < len(stmt.args) and any(isinstance(a, np.generic) for a in stmt.args) or not names and program.avals[stmt.target].shape == ()


class Folding(Rewriter):
    def apply(self, stmt):
        value = None if any(map(is_name, stmt.args)) else fold(stmt, self.avals[stmt.target])
        self.emit(self.plain(stmt) if value is None else Move(stmt.target, value, stmt.origin))
        if value is not None and stmt.target not in self.mutable and literal_aval(value) == self.avals[stmt.target]:
            self.replaced[stmt.target] = value

    def plain(self, stmt):
        """The statement with NumPy scalars as Python numbers, where its aval and values stay the same."""
        args = stmt.args
        for position, arg in enumerate(args):
            if isinstance(arg, np.generic) and stmt.op.elementwise and isinstance(stmt.op.impl, np.ufunc):
                trial = (*args[:position], number(arg, self.avals[stmt.target].dtype), *args[position + 1:])
                args = trial if fits(stmt, trial, self) else args
        return stmt if args is stmt.args else Apply(stmt.target, stmt.op, args, stmt.params, stmt.origin)


def fits(stmt, args, rewriter):
    """Whether other operands give the same aval, on NumPy too (Python numbers alone would compute as Python does)."""
    avals = [rewriter.aval(a) for a in args]
    if all(a.weak for a in avals):
        return False
    try:
        found = stmt.op.infer(*avals, **stmt.params)
    except TransformError:
        return False
    want = rewriter.avals[stmt.target]
    return found.shape == want.shape and found.dtype == want.dtype and not want.weak


def number(scalar, dtype):
    """A NumPy scalar as a Python number: the shortest one if it is read at its own dtype."""
    return float(str(scalar)) if scalar.dtype == dtype and dtype.kind == "f" else scalar.item()


def fold(stmt, aval):
    """The literal that an op on literals gives; None where it must be computed at run time."""
    if aval.shape != () or stmt.op.collective or stmt.op.runs or not (stmt.args or stmt.op.name in MADE):
        return None
    with np.errstate(all="raise"):
        try:
            value = compute(stmt, aval)
        except (ArithmeticError, ValueError, TypeError):
            return None
    if np.shape(value) != () or not isinstance(value, bool | int | float | complex | np.generic | np.ndarray):
        return None
    value = np.asarray(value, aval.dtype)[()]
    return value.item() if aval.weak or aval.dtype == np.bool_ else value


def compute(stmt, aval):
    """The value of a statement on literals: as Python computes if it gives a Python number."""
    if aval.weak and stmt.op.symbol in PYTHON and len(stmt.args) == 2:
        return PYTHON[stmt.op.symbol](*stmt.args)
    return stmt.op.impl(*stmt.args, **stmt.params)
