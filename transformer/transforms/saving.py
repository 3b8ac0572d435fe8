"""What `checkpoint` keeps by its policy: the program of the results and kept values, and the one that goes on from these.

    def f(x, w):            forward: y = x @ w             again:  def f_grad(x, w, y, z_bar):
        y = x @ w                    z = np.sin(y)                     y_bar = z_bar * np.cos(y)
        z = np.sin(y)                return z, y                       x_bar = y_bar @ w.T
        return z                                                       ...

A value of a loop is kept in its tape, which the reverse sweep reads too.
"""

import copy
import dataclasses

from ..analysis.blocks import Blocks
from ..analysis.liveness import prune
from ..core import Apply, Move, Update, While, blocks, is_name, names_read, targets, walk
from ..errors import TypeMismatch
from ..ops import barriers
from .custom_calls import after_reverse, before_reverse, is_call, is_link
from .emission import Emitter
from .reverse.driver import Reverse, seam_of
from .reverse.patches import in_head, settle_tests
from .reverse.splitting import bind_everywhere
from .simplify import simplify


def saved(program, wrt, seeds, policy):
    """(forward, again): forward returns the results, then the kept values; again takes the parameters, the kept values, then
    the cotangents, and returns those of the parameters `wrt`.

    policy(op, *avals, **params): whether the result of an op is kept.
    """
    program = settle_tests(before_reverse(program, wrt))
    program, names = with_stable_values(program, chosen(program, policy))
    sweep = Reverse(program, tuple(wrt), tuple(seeds), names)
    joint = after_reverse(sweep.run())
    tapes = {name: kept.name for name, kept in sweep.values.kept.items() if name in names}
    seam, count = seam_of(joint), len(program.outputs)
    stores = {s.target: s for s in walk(joint.body[:seam]) if isinstance(s, Update) and s.target in tapes.values()}
    bound = {n for s in walk(joint.body[:seam]) for n in targets(s)}
    places = [tapes.get(n, n) for n in names if tapes.get(n, n) in bound]
    bars = joint.outputs[count:count + len(wrt)]
    again = simplify(Resumed(joint, len(program.params), tapes, stores, places).run(bars))
    read = {*names_read(again.body), *filter(is_name, again.outputs)}
    params = again.params[len(program.params):len(program.params) + len(places)]
    wanted = [k for k, param in enumerate(params) if param in read]
    again.params = [p for p in again.params if p not in params or p in read]
    return forward_part(joint, len(program.params), seam, count, [places[k] for k in wanted]), again


def chosen(program, policy):
    """The names whose values the policy keeps. Those in the condition of a while have no tape: they are computed again."""
    found, names, refused = Blocks(program), {}, set()
    for stmt in outside_heads(program.body):
        if isinstance(stmt, Apply) and stmt.args and not is_call(stmt) and not is_link(stmt):
            answer = policy(stmt.op, *map(program.aval, stmt.args), **stmt.params)
            if not isinstance(answer, bool):
                raise TypeMismatch(f"the policy of checkpoint returns {answer!r} for the op {stmt.op.name}",
                                   "A policy returns True (keep the result) or False.")
            if answer:
                names[unnamed(stmt, found)] = None
            elif getattr(policy, "unnamed_too", False):
                refused.add(unnamed(stmt, found))
    return [n for n in names if n not in refused]


def outside_heads(stmts):
    for stmt in stmts:
        yield stmt
        for block in [stmt.body] if isinstance(stmt, While) else blocks(stmt):
            yield from outside_heads(block)


def unnamed(stmt, found):
    """The target of a statement; of `checkpoint_name` the value that it names, which the derivative of what computed that reads too."""
    if stmt.op is not barriers.named_value or not is_name(stmt.args[0]) or found.is_versioned(stmt.args[0]):
        return stmt.target
    site = found.sites[stmt.args[0]][0]
    plain = isinstance(site.stmt, Apply) and site.stmt.args and not is_call(site.stmt) and not is_link(site.stmt)
    return stmt.args[0] if plain and not in_head(site.block, site.position) else stmt.target


def with_stable_values(program, names):
    """The program in which each chosen value has a name that nothing stores into, and these names."""
    found = Blocks(program)
    changed = {n for n in names if found.is_versioned(n)}
    return Separated(program, changed).run(names) if changed else (program, names)


class Separated(Emitter):
    """Rebuilds a program with a name of its own for each value of `changed`: `a = x @ y; a[0] = 1` keeps what `a` was at first."""

    def __init__(self, program, changed):
        super().__init__(program, program.name)
        self.first = {n: self.fresh(program.hints.get(n, n), program.avals[n]) for n in sorted(changed)}

    def run(self, names):
        self.builder.body = self.block(self.source.body)
        return self.finish(self.source.outputs), [self.first.get(n, n) for n in names]

    def block(self, stmts):
        out = []
        for stmt in stmts:
            if isinstance(stmt, Apply) and stmt.target in self.first:
                name = self.first[stmt.target]
                out += [dataclasses.replace(stmt, target=name), Move(stmt.target, name, stmt.origin)]
            else:
                out.append(rebuilt(stmt, self.block))
        return out


def rebuilt(stmt, block):
    """A statement with `block` applied to its nested blocks."""
    if not blocks(stmt):
        return stmt
    stmt = copy.copy(stmt)
    for field in ("head", "body", "orelse"):
        if hasattr(stmt, field):
            setattr(stmt, field, block(getattr(stmt, field)))
    return stmt


class Resumed(Emitter):
    """The joint program with the kept values as parameters: what computed or stored them is gone."""

    def __init__(self, joint, count, tapes, stores, places):
        super().__init__(joint, joint.name)
        self.tapes, self.stores = tapes, stores
        top = {n for s in joint.body for n in targets(s)}
        self.kept = {place: place if place in top else self.fresh_like(place) for place in places}
        self.builder.params[count:count] = self.kept.values()

    def fresh_like(self, name):
        return self.fresh(self.source.hints.get(name, name), self.source.avals[name])

    def run(self, outputs):
        with self.builder:
            self.block(self.source.body)
        return prune(self.finish(outputs))

    def block(self, stmts):
        for stmt in stmts:
            target = stmt.target if isinstance(stmt, Apply | Update) else None
            if target in self.kept or target in self.stores:
                if isinstance(stmt, Apply) and self.kept[target] != target:
                    self.builder.add(Move(target, self.kept[target], stmt.origin))
            elif isinstance(stmt, Apply) and self.tapes.get(target) in self.kept:
                self.read(stmt, self.tapes[target])
            else:
                self.builder.block.append(rebuilt(stmt, self.nested))

    def nested(self, stmts):
        with self.builder.nested() as block:
            self.block(stmts)
        return block

    def read(self, stmt, tape):
        """A kept value of a loop."""
        self.builder.origin, start = stmt.origin, self.start()
        self.bind(stmt.target, self.ref(tape)[tuple(map(self.ref, self.stores[tape].args))], start)


def forward_part(joint, params, seam, count, places):
    """The primal part of a joint program, which returns its results, then the kept values."""
    emitter = Emitter(joint, f"{joint.name}_forward")
    emitter.builder.params = joint.params[:params]
    with emitter.builder:
        body, renamed = bind_everywhere(emitter, joint.body[:seam], set(places), set(emitter.builder.params))
    emitter.builder.body = body
    return prune(emitter.finish([*joint.outputs[:count], *(renamed.get(p, p) for p in places)]))


__all__ = ["saved"]
