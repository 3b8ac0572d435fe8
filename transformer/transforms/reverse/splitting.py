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


def bind_everywhere(emitter, stmts, wanted, bound, renamed=()):
    """(statements, renamed): names of `wanted` that only one branch of an `if` binds get a name that is bound either way.

    On the side that does not bind it, the name is zero: nothing reads it then. `bound`: the names bound before; `renamed`: those that
    have such a name already, name -> that of the present version.
    """
    out, renamed, bound = [], dict(renamed), set(bound)
    for stmt in stmts:
        if isinstance(stmt, If):
            stmt, renamed = close_branches(emitter, stmt, wanted, bound, renamed)
        else:
            for name in renamed.keys() & names_bound([stmt]).keys():
                del renamed[name]
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


def close_branches(emitter, stmt, wanted, bound, renamed):
    sides, versions = [], []
    for block in (stmt.body, stmt.orelse):
        side, found = bind_everywhere(emitter, block, wanted, bound, renamed)
        sides.append(list(side))
        own = {n for s in side for n in visible(s)} | renamed.keys() & names_bound(block).keys()
        versions.append({**{n: n for n in own}, **found})
    after, moves = {}, [[], []]
    for name in [n for n in emitter.source.avals if n in wanted and n not in bound]:
        atoms, aval = [v.get(name) for v in versions], emitter.source.avals[name]
        if atoms[0] == atoms[1]:
            after.update({} if atoms[0] in (None, name) else {name: atoms[0]})
            continue
        after[name] = emitter.fresh(emitter.source.hints.get(name, name), aval)
        for k, side in enumerate(sides):
            moves[k].append(Move(after[name], zeros(emitter, side, aval) if atoms[k] is None else atoms[k]))
    stmt = copy.copy(stmt)
    stmt.body, stmt.orelse = sides[0] + moves[0], sides[1] + moves[1]
    return stmt, after


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
