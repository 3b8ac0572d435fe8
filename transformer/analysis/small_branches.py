"""Which branches are better computed on both sides and selected from than taken: few ops, on scalars and single elements only."""

from ..core import Apply, Effect, If, Mark, Move, Update, walk
from ..ops.index_templates import result_shape

SMALL = 24


def is_small(program, stmts):
    """Whether a side of an `if` is such a branch."""
    return sum(1 for _ in walk(stmts)) <= SMALL and all(is_scalar_work(program, s) for s in stmts)


def is_scalar_work(program, stmt):
    """Whether a statement computes scalars only, or stores a single element."""
    if isinstance(stmt, If):
        return all(is_scalar_work(program, s) for s in (*stmt.body, *stmt.orelse))
    if isinstance(stmt, Effect):
        return stmt.kind == "raise" and are_scalars(program, stmt.args)
    if isinstance(stmt, Update):
        args = [program.aval(a) for a in stmt.args]
        return are_scalars(program, [*stmt.args, stmt.value]) and set(result_shape(stmt.index, program.aval(stmt.target).shape, args)) <= {1}
    if isinstance(stmt, Apply):
        args = stmt.args[1:] if "index" in stmt.params else stmt.args
        return are_scalars(program, [stmt.target, *args])
    return isinstance(stmt, Mark) or isinstance(stmt, Move) and are_scalars(program, [stmt.target])


def are_scalars(program, atoms):
    return all(program.aval(a).shape == () for a in atoms)
