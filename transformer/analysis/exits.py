"""Loops whose rounds do nothing once a flag is raised: they may end there."""

import numpy as np

from ..core import Apply, If, Mark, Move, is_name


def exit_flag(loop):
    """The name of a flag; when it is true at the start of a round of a For, this round and all that follow change nothing. None: there is no such flag.

    The round is one `if not flag: ...`, whose other side keeps every name as it is, and what is computed in front of it for this round alone.
    """
    parts = [s for s in loop.body if not isinstance(s, Apply | Mark)]
    if not parts or not isinstance(parts[0], If) or not all(isinstance(s, Move) for s in parts[1:]):
        return None
    choice = parts[0]
    flag, idle = choice.test, choice.body
    for stmt in loop.body:
        if isinstance(stmt, Apply) and stmt.target == flag and stmt.op.impl is np.logical_not:
            flag, idle = stmt.args[0], choice.orelse
    if not is_name(flag) or any(isinstance(s, Apply) and s.target == flag for s in loop.body):
        return None
    return flag if keeps_all([*idle, *parts[1:]], {s.target for s in parts[1:]}) else None


def keeps_all(stmts, names):
    """Whether these statements are Moves after which each of the names holds what it held before."""
    held = {}
    for stmt in stmts:
        if not isinstance(stmt, Move):
            return False
        held[stmt.target] = held.get(stmt.source, stmt.source)
    return all(held[name] == name for name in names)
