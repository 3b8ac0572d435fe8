"""How an operation is kept from harm in lanes that do not execute it: `np.sqrt(np.where(mask, x, 1))`.

A lane that stays out of a branch may hold any finite value. Most operations give finite values and derivatives then. Others need
a harmless value in place of the operand: a number, or the value of a lane that does execute the branch.
"""

import numpy as np

from ...core import is_name

KEEP, LANE = "keep", "lane"
"""Remedies: leave the operand as it is; take the value of a lane that executes the statement. Others are numbers."""

NUMBERS = {
    np.divide: (KEEP, 1), np.floor_divide: (KEEP, 1), np.remainder: (KEEP, 1), np.fmod: (KEEP, 1), np.reciprocal: (1,),
    np.sqrt: (1,), np.cbrt: (1,), np.power: (1, KEEP), np.float_power: (1, KEEP),
    np.log: (1,), np.log2: (1,), np.log10: (1,), np.log1p: (1,),
    np.exp: (0,), np.exp2: (0,), np.expm1: (0,), np.sinh: (0,), np.cosh: (0,), np.logaddexp: (0, 0), np.logaddexp2: (0, 0),
    np.tan: (0,), np.arcsin: (0,), np.arccos: (0,), np.arctanh: (0,), np.arccosh: (2,), np.arctan2: (KEEP, 1), np.hypot: (1, KEEP),
}
"""Per NumPy function the remedy of each operand, where a number will do. 1 ** y and y / 1 are finite for all finite y."""


def remedies(stmt):
    """The remedy of each operand of an Apply."""
    op, count = stmt.op, len(stmt.args)
    if op.gather:
        return (KEEP, *(0,) * (count - 1))
    if op.impl is np.power and is_natural(stmt.args[1]):
        return (KEEP, KEEP)
    if op.impl in NUMBERS if isinstance(op.impl, np.ufunc) else False:
        return NUMBERS[op.impl]
    finite = not op.singular if op.elementwise else op.linear is not None
    return ((KEEP if finite or op.impl is np.multiply else LANE),) * count


def is_natural(atom):
    return not is_name(atom) and isinstance(atom, int | np.integer) and atom >= 0


__all__ = ["KEEP", "LANE", "remedies"]
