"""Which operations give the same bits on arrays and on numbers."""

import numpy as np

from ...ops.op import TABLE, python_types
from .places import Dependent

ARITHMETIC = {np.add, np.subtract, np.multiply}
EXACT = {*ARITHMETIC, np.divide, np.negative, np.positive, np.square, np.sqrt, np.absolute, np.fabs, np.maximum, np.minimum,
         np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not,
         np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert}
"""Defined to the last bit, by IEEE 754 or as operations on integers. Others, such as np.sin, may have a second version for arrays."""


def check_rounding(op, params, old, new, result, exact):
    """Raise Dependent unless `op` gives the same on arrays as round by round.

    old, new: the avals of the operands in one round and of those in all rounds; result: the aval of the result in one round.
    exact: whether each bit of a floating-point result counts.
    """
    if any(a.dtype.kind not in "biuf" for a in (*old, result)):
        raise Dependent("not only real numbers")
    if result.weak and not (op.impl in ARITHMETIC and result.dtype.kind == "f"):
        raise Dependent("arithmetic of Python's numbers, which may raise or be of any size")
    if op is TABLE["where"]:
        return
    if op is TABLE["astype"]:
        if not np.can_cast(old[0].dtype, result.dtype, "same_kind"):
            raise Dependent("a conversion that may not fit")
        return
    if not isinstance(op.impl, np.ufunc) or params:
        raise Dependent(f"{op.name} is no function of NumPy's on elements")
    if op.impl not in EXACT and (exact or result.dtype.kind != "f"):
        raise Dependent(f"{op.name} may round in another way")
    if loop_types(op.impl, old) != loop_types(op.impl, new):
        raise Dependent(f"{op.name} would compute in other types")


def loop_types(ufunc, avals):
    """The types of the operands and of the result with which NumPy computes."""
    return ufunc.resolve_dtypes((*python_types(avals), *(None,) * ufunc.nout))


__all__ = ["check_rounding"]
