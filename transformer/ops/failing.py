"""Operations that raise, depending on their operands' values, and tests that foretell it (indices out of range apart).

NumPy raises LinAlgError for a matrix that has no inverse or no factor, compiled code gives nan for it. Divisions by zero and functions of
`math` raise for Python numbers.
"""

import functools

import numpy as np

from .barriers import stop_gradient

DIVISIONS = ("divide", "floor_divide", "remainder")
DOMAINS = {"math_sqrt": lambda x: x < 0, "math_acos": lambda x: abs(x) > 1, "math_asin": lambda x: abs(x) > 1,
           **dict.fromkeys(("math_log", "math_log2", "math_log10"), lambda x: x <= 0), "math_log1p": lambda x: x <= -1}
"""Operations on Python numbers that raise ValueError, and for which operands."""

MESSAGES = {"inv": "Singular matrix", "solve": "Singular matrix", "cholesky": "Matrix is not positive definite", "eigh": "Eigenvalues did not converge",
            "eig": "Eigenvalues did not converge", "svd": "SVD did not converge", "pinv": "SVD did not converge",
            "lstsq": "SVD did not converge in Linear Least Squares"}
"""What NumPy says where an operation fails."""


def raised_by(op, aval):
    """The classes of exceptions that an op may raise. aval: that of its result."""
    if not aval.weak or aval.dtype.kind not in "ifc" or op.symbol in ("+", "-", "*"):
        return op.raises
    if op.name in DIVISIONS:
        return (*op.raises, ZeroDivisionError)
    return (*op.raises, ValueError) if op.name in DOMAINS else (*op.raises, ArithmeticError, ValueError)


def foretold(op, kind, args, params):
    """(the abstract test for an exception of class `kind`, the exception), or None where no test is known. args: references and literals."""
    if kind is ZeroDivisionError and op.name in DIVISIONS:
        return args[1] == 0, ZeroDivisionError("division by zero")
    if kind is ValueError and op.name in DOMAINS:
        return DOMAINS[op.name](args[0]), ValueError("math domain error")
    if kind is not np.linalg.LinAlgError:
        return None
    args = [stop_gradient(a) for a in args]
    given = functools.reduce(np.logical_or, (np.any(np.isnan(a)) for a in args))
    return np.logical_and(np.any(np.isnan(op.bind(*args, **params))), np.logical_not(given)), np.linalg.LinAlgError(MESSAGES[op.name])


__all__ = ["foretold", "raised_by"]
