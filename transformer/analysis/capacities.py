"""How large the unknown dimensions of a lowered program's arrays are: a capacity each.

    tape = np.empty((n, m, 3))        sizes {"n": 32, "m": 8} -> tape: (32, 8, 3)

A dimension that is an int argument has that argument's capacity in `sizes`; all others have the default. An array that comes from
several (a Move) has one shape only if they agree, else all arrays take the default. The default leaves room for many rounds where the
entries of the tapes are small, and for all rounds where their number is bounded.
"""

import math

import numpy as np

from ..core import Apply, For, Hole, Move, Update, While, blocks, is_name, walk

ROOM = 1 << 18
"""Bytes of a program's tapes that spare it a second compilation for sure: it takes much longer than to clear them at each call."""

GUESS = 1 << 14
"""Bytes of tapes that may spare a second compilation: to clear them takes a microsecond or two."""


def shapes_of(program, sizes, default):
    """Name -> shape, for the names whose unknown dimensions are not all of the default capacity; {} where shapes disagree."""
    found, before = {}, None
    statements = [s for s in walk(program.body) if isinstance(s, Apply | Move) and None in program.avals[s.target].shape]
    while sizes and before != len(found):
        before = len(found)
        for stmt in statements:
            shape = shape_of(stmt, program, found, sizes, default)
            if shape is not None and found.setdefault(stmt.target, shape) != shape:
                return {}
    return {name: shape for name, shape in found.items() if shape != filled(program.avals[name].shape, default)}


def least_capacity(program):
    """A capacity that is worth its memory: that of all rounds there can be, or as much as small tapes take."""
    tapes = [s for s in walk(program.body) if isinstance(s, Apply) and s.op.name == "tape"]
    entry = max(1, sum(math.prod(s.params["shape"]) * np.dtype(s.params["dtype"]).itemsize for s in tapes))
    rounds = taped_rounds(program.body, {s.target for s in tapes}, 1) if tapes else 0
    return rounds if rounds * entry <= ROOM else GUESS // entry


def taped_rounds(stmts, tapes, around):
    """The most entries that a block, which runs `around` times, stores into one of the tapes."""
    found = 0
    for stmt in stmts:
        if isinstance(stmt, Update) and stmt.target in tapes:
            found = max(found, around)
        times = around * most_rounds(stmt) if isinstance(stmt, For | While) else around
        for block in blocks(stmt):
            found = max(found, taped_rounds(block, tapes, times))
    return found


def most_rounds(loop):
    """A bound on the rounds of a loop, infinity where none is known."""
    if isinstance(loop, For):
        return math.inf if is_name(loop.lo) or is_name(loop.hi) else len(range(int(loop.lo), int(loop.hi), loop.step))
    made, tests = {s.target: s for s in loop.head if isinstance(s, Apply)}, [loop.test]
    while tests:
        test = made.get(tests.pop())
        if test is not None and test.op.impl is np.logical_and:
            tests += test.args
        elif test is not None and test.op.impl is np.less and test.args[0] == loop.counter and not is_name(test.args[1]):
            return max(0, int(test.args[1]))
    return math.inf


def filled(shape, default):
    return tuple(default if d is None else d for d in shape)


def shape_of(stmt, program, found, sizes, default):
    """The shape of what a statement binds, None while it is not known."""
    if isinstance(stmt, Move):
        return found.get(stmt.source)
    dims = stmt.params.get("shape")
    if isinstance(dims, tuple) and any(isinstance(d, Hole) for d in dims):
        return tuple(sizes.get(stmt.args[d.position], default) if isinstance(d, Hole) else int(d) for d in dims)
    if not stmt.args or dims is not None:
        return filled(program.avals[stmt.target].shape, default)
    source = found.get(stmt.args[0]) if is_name(stmt.args[0]) else None
    index = stmt.params.get("index")
    if source is None or index is None:
        return source
    entries = [e for e in index if e is not None]
    kept = [n for n, e in zip(source, entries) if isinstance(e, slice)]
    return tuple(n if d is None else d for n, d in zip(kept, program.avals[stmt.target].shape)) if len(entries) == len(source) else None


__all__ = ["least_capacity", "shapes_of"]
