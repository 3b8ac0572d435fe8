"""Cutting a joint program at the seam: a forward part that returns residuals, and a pullback that takes them."""

import copy

from ...analysis.liveness import live_in, prune
from ...core import For, If, Move, Program, Update, is_name, names_bound, targets
from ..emission import Emitter
from .driver import seam_of


def split(joint, n_primal_outputs, n_seeds=None):
    """(forward, pullback) of a joint program made by `reverse`; nothing is computed twice.

    forward: the parameters of the primal program -> its outputs, then the residuals. pullback: the residuals, then the
    cotangent parameters -> the cotangents. n_seeds: how many outputs were seeded with "param" (all by default).
    """
    count = len(joint.params) - (n_primal_outputs if n_seeds is None else n_seeds)
    params, seeds = joint.params[:count], joint.params[count:]
    seam = seam_of(joint)
    sweep = joint.body[seam + 1:]
    primal, bars = joint.outputs[:n_primal_outputs], joint.outputs[n_primal_outputs:]
    needed = live_in(sweep, filter(is_name, bars))
    bound = {*params, *names_bound(joint.body[:seam])}
    residuals = [n for n in joint.avals if n in needed and n in bound]
    emitter = Emitter(joint, f"{joint.name}_forward")
    emitter.builder.params = list(params)
    with emitter.builder:
        body, renamed = bind_everywhere(emitter, joint.body[:seam], set(residuals), set(params))
    emitter.builder.body = body
    forward = emitter.finish([*primal, *(renamed.get(r, r) for r in residuals)])
    pullback = Program(f"{joint.name}_pullback", [*residuals, *seeds], sweep, bars, dict(joint.avals), dict(joint.hints),
                       set(joint.counters))
    return prune(forward), prune(pullback)


def bind_everywhere(emitter, stmts, wanted, bound):
    """(statements, renamed): names of `wanted` that only one branch of an `if` binds get a name that is bound either way.

    On the side that does not bind it, the name is zero: nothing reads it then. `bound`: the names bound before.
    """
    out, renamed, bound = [], {}, set(bound)
    for stmt in stmts:
        if isinstance(stmt, If):
            stmt, found = close_branches(emitter, stmt, wanted, bound)
            renamed.update(found)
        out.append(stmt)
        bound.update(visible(stmt))
    return out, renamed


def visible(stmt):
    """The names that a statement binds in its own block."""
    if isinstance(stmt, For | Update):
        return set()
    if isinstance(stmt, If):
        return set.intersection(*({n for s in side for n in visible(s)} for side in (stmt.body, stmt.orelse)))
    return set(targets(stmt))


def close_branches(emitter, stmt, wanted, bound):
    sides, renamed = [], {}
    for block in (stmt.body, stmt.orelse):
        side, found = bind_everywhere(emitter, block, wanted, bound)
        sides.append(list(side))
        renamed.update(found)
    names = [{n for s in side for n in visible(s)} for side in sides]
    loose = [n for n in emitter.source.avals if n in wanted and n not in bound
             and (renamed.get(n, n) in names[0]) != (renamed.get(n, n) in names[1])]
    moves = [[], []]
    for name in loose:
        inner, aval = renamed.get(name, name), emitter.source.avals[name]
        renamed[name] = emitter.fresh(emitter.source.hints.get(name, name), aval)
        for k, side in enumerate(sides):
            atom = inner if inner in names[k] else zeros(emitter, side, aval)
            moves[k].append(Move(renamed[name], atom))
    stmt = copy.copy(stmt)
    stmt.body, stmt.orelse = sides[0] + moves[0], sides[1] + moves[1]
    return stmt, renamed


def zeros(emitter, side, aval):
    """Zeros as an atom, computed in front of the Moves that end a branch."""
    with emitter.builder.nested() as block:
        atom = emitter.atom(emitter.placeholder(aval))
    end = len(side)
    while end and isinstance(side[end - 1], Move):
        end -= 1
    side[end:end] = block
    return atom


__all__ = ["split"]
