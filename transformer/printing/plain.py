"""NumPy scalars that may print as Python numbers: `total = 0.0` where a loop adds to it, rather than `np.float64(0.0)`."""

import numpy as np

from ..core import Apply, Effect, For, If, Move, Update, While, is_name, operands, walk

DTYPES = {np.dtype(float), np.dtype(complex)}


def plain_numbers(program):
    """Names, of strong float64 or complex128 scalars, whose readers give the same result for a Python number.

    These are sums, differences and products with a NumPy value of the same dtype, stores, results, and Moves to such names.
    """
    moved = {s.target for s in walk(program.body) if isinstance(s, Move)}
    names = {n for n in moved if not program.avals[n].weak and program.avals[n].shape == () and program.avals[n].dtype in DTYPES}
    spoilt, moves = set(), []
    for stmt in walk(program.body):
        if isinstance(stmt, Move) and stmt.target in names:
            moves.append(stmt)
        elif isinstance(stmt, Apply | Move | Effect | If | For | While) and not (isinstance(stmt, Apply) and is_plain(stmt, program, names)):
            spoilt.update(operands(stmt))
        elif isinstance(stmt, Update):
            spoilt.update(a for a in (stmt.target, *stmt.args) if is_name(a))
    while True:
        more = {m.source for m in moves if m.target in spoilt and is_name(m.source)} - spoilt
        if not more:
            return names - spoilt
        spoilt |= more


def is_plain(stmt, program, names):
    """Whether an operand among `names` may be a Python number here: the other one is surely a NumPy value of the same dtype."""
    if stmt.op.symbol not in ("+", "-", "*") or len(stmt.args) != 2:
        return False
    one, other = stmt.args
    sure = [is_name(a) and a not in names and not program.avals[a].weak for a in (one, other)]
    return any(sure) and program.aval(one).dtype == program.aval(other).dtype
