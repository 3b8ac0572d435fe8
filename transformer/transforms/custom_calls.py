"""Calls of functions that bring their own derivatives, in Core: kept as a call until a derivative is taken, then replaced.

    y = bounded(x)          reverse:    y = <the statements of `forward`>        bars of the arguments = <those of `backward`>
                            forward:    y = bounded(x);  y_dot = <those of `push`>
                            neither:    y = <the statements of the function itself>

A call with several results is one `custom_call` statement per result. All programs of a call take the same parameters: the leaves
of its arguments, then what its functions read from outside.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np

from ..analysis.activity import Flow, is_inexact
from ..axes import batching_name
from ..core import Apply, Aval, Mark, Move, blocks, is_name, names_bound, walk
from ..errors import MissingRule, TransformError
from ..frontend.builder import Builder, current
from ..ops import barriers
from .emission import Emitter


class Lanes(NamedTuple):
    """A batch of calls: 0 or None per operand, the number of lanes, the name of the axis or None."""

    axes: tuple
    size: int
    name: Any

    def batch(self, program, axes=None):
        """The batch of a program of the call; all results are batched."""
        from .batch import batch
        return batch(program, self.axes if axes is None else axes, [0] * len(program.outputs), self.size, self.name)


class Call:
    """A function with its own derivatives, for arguments of given types.

    plain: its program. count: how many operands are leaves of arguments; the others are read from outside. avals: of the results.
    """

    closed_over = False
    """Whether operands beyond `count` have derivatives too."""

    def __init__(self, name, count):
        self.name, self.count = name, count
        self.batches = {}

    def define(self, plain):
        """Set the function's program; the rules' programs follow in the subclasses."""
        self.plain = plain
        self.avals = [plain.aval(a) for a in plain.outputs]
        return self

    def run(self, args):
        """The results on NumPy, as a tuple."""
        from ..printing import load
        self.loaded = getattr(self, "loaded", None) or load(expand(self.plain))
        results = self.loaded(*args)
        return results if len(self.avals) > 1 else (results,)

    def push(self, dots, args, position):
        """The tangent of a result."""
        raise MissingRule(f"forward mode (jvp) through {self.name}, which has a derivative rule for reverse mode only (custom_vjp)",
                          "Use custom_jvp, whose rule serves both modes, or take the derivative by grad, vjp or jacrev.")

    def parts(self):
        """(program of the results and the residuals, program of the residuals and cotangents)."""
        raise NotImplementedError

    def pull(self, g, operands):
        """Contributions to the operands of a `pulled` statement; g: the cotangent of its result, or of several by position."""
        _, backward = self.parts()
        kept = len(operands) - 1 - len(self.plain.params)
        residuals, args = operands[1:kept + 1], operands[kept + 1:]
        bars = current().inline(unmarked(backward), [*residuals, *self.cotangents(g), *args])
        return (None,) * (kept + 1) + tuple(bars) + (None,) * (len(args) - len(bars))

    def cotangents(self, g):
        """The cotangent of each result: `g` itself, or a dict of those that are not zero."""
        given = g if isinstance(g, dict) else {0: g}
        return [given[k] if k in given else zeros(aval) for k, aval in enumerate(self.avals)]

    def batched(self, axes, args):
        """The same call for a batch of arguments."""
        size = next(a.shape[0] for a, axis in zip(args, axes) if axis == 0)
        lanes = Lanes(axes, size, batching_name())
        if lanes not in self.batches:
            self.batches[lanes] = self.batch(lanes)
        return self.batches[lanes]

    def batched_plain(self, lanes):
        return lanes.batch(self.plain)


def cotangent_aval(aval):
    """What the cotangent of a result looks like; results without derivatives have one of float64 zeros."""
    return Aval(aval.shape, aval.dtype if is_inexact(aval) else np.dtype(np.float64))


def zeros(aval):
    aval = cotangent_aval(aval)
    return np.zeros(aval.shape, aval.dtype) if aval.shape else aval.dtype.type(0)


class Pullable(Call):
    """A call with a rule for reverse mode: `forward` gives results and residuals, `backward` cotangents of the arguments.

    backward: parameters are the residuals, one cotangent a result, then the operands of the call; outputs, one an argument's leaf.
    """

    def define(self, plain, forward, backward):
        self.forward, self.backward = forward, backward
        return super().define(plain)

    def parts(self):
        return self.forward, self.backward

    def batch(self, lanes):
        return BatchedPullable(self.name, self.count).define(self.batched_plain(lanes), self, lanes)


class BatchedPullable(Pullable):
    """The batch of a pullable call; its rules are batched when they are asked for."""

    def define(self, plain, source, lanes):
        self.source, self.lanes = source, lanes
        return Call.define(self, plain)

    @functools.cached_property
    def rules(self):
        forward, backward = self.source.parts()
        axes = self.lanes.axes
        first = self.lanes.batch(forward)
        second = self.lanes.batch(backward, [0] * (len(backward.params) - len(axes)) + list(axes))
        with Builder(second.name) as builder:
            refs = [builder.parameter(second.hints.get(p, p), second.avals[p]) for p in second.params]
            bars = builder.inline(second, refs)
            return first, builder.program([self.bar(*parts) for parts in zip(bars, axes, backward.outputs)])

    def bar(self, bar, axis, atom):
        """The cotangent of an operand: summed over the lanes if they share it; a zero stays one."""
        if not is_name(atom):
            return atom
        return bar if axis == 0 else np.sum(bar, axis=0)

    def parts(self):
        return self.rules


class Pushable(Call):
    """A call with a rule for forward mode: `tangent` maps the operands and a tangent of each inexact leaf to results and tangents."""

    def define(self, plain, tangent):
        self.tangent = tangent
        return super().define(plain)

    @property
    def moving(self):
        """Positions of the operands that have tangents."""
        return [k for k in range(self.count) if is_inexact(self.plain.avals[self.plain.params[k]])]

    def push(self, dots, args, position):
        if any(d is not None for d in dots[self.count:]):
            raise closed_over(self)
        builder = current()
        key = (id(self), id(builder.block), tuple(map(builder.read, args)))
        memo = builder.__dict__.setdefault("pushed", {})
        if key not in memo:
            given = [zeros(self.plain.avals[self.plain.params[k]]) if dots[k] is None else dots[k] for k in self.moving]
            memo[key] = builder.inline(self.tangent, [*args, *given])[len(self.avals):], builder.block
        return memo[key][0][position]

    @functools.cached_property
    def transposed(self):
        """The rule for reverse mode: the tangents' program is linear in the tangents."""
        from .reverse import reverse, split
        from .simplify import simplify
        count, moving = len(self.avals), len(self.moving)
        params = len(self.tangent.params) - moving
        inexact = [is_inexact(a) for a in self.avals]
        seeds = [None] * count + ["param" if i else None for i in inexact]
        joint = reverse(self.tangent, range(params, params + moving), seeds)
        with Builder(self.name) as builder:
            refs = [builder.parameter(joint.hints.get(p, p), joint.avals[p]) for p in joint.params[:params]]
            still = [zeros(joint.avals[p]) for p in joint.params[params:params + moving]]
            bars = [builder.parameter(joint.hints.get(p, p), joint.avals[p]) for p in joint.params[params + moving:]]
            outputs = builder.inline(joint, [*refs, *still, *bars])
            joint = builder.program([*outputs[:count], *outputs[2 * count:]])
        first, second = split(simplify(joint), count, sum(inexact))
        return first, self.with_operands(second, inexact)

    def with_operands(self, program, inexact):
        """The pullback with the parameters that `backward` programs have."""
        kept = len(program.params) - sum(inexact)
        with Builder(self.name) as builder:
            residuals = [builder.parameter(program.hints.get(p, p), program.avals[p]) for p in program.params[:kept]]
            bars = [builder.parameter("bar", cotangent_aval(a)) for a in self.avals]
            for name in self.plain.params:
                builder.parameter(self.plain.hints.get(name, name), self.plain.avals[name])
            found = iter(builder.inline(program, [*residuals, *(b for b, i in zip(bars, inexact) if i)]))
            outputs = [next(found) if k in self.moving else 0.0 for k in range(self.count)]
            return builder.program(outputs)

    def parts(self):
        return self.transposed

    def batch(self, lanes):
        return BatchedPushable(self.name, self.count).define(self.batched_plain(lanes), self, lanes)


class BatchedPushable(Pushable):
    """The batch of a pushable call; its rule, which may hold the call itself, is batched when it is asked for."""

    def define(self, plain, source, lanes):
        self.source, self.lanes = source, lanes
        return Call.define(self, plain)

    @functools.cached_property
    def tangent(self):
        axes = self.lanes.axes
        return self.lanes.batch(self.source.tangent, [*axes, *(axes[k] for k in self.source.moving)])


class Recomputed(Call):
    """A call whose reverse sweep computes it again from its operands, and from the values inside that a policy keeps."""

    closed_over = True

    def __init__(self, name, count, policy=None):
        super().__init__(name, count)
        self.policy = policy

    @functools.cached_property
    def rules(self):
        plain, count = self.plain, len(self.avals)
        wrt = [k for k, p in enumerate(plain.params) if is_inexact(plain.avals[p])]
        first, again = self.halves(wrt, ["param" if is_inexact(a) else None for a in self.avals])
        kept = [first.aval(a) for a in first.outputs[count:]]
        first = dataclasses.replace(first, outputs=[*first.outputs[:count], *first.params, *first.outputs[count:]])
        return first, self.backward(again, wrt, kept)

    def halves(self, wrt, seeds):
        """(program of the results and what is kept, program of the parameters, what is kept and the cotangents)."""
        from .reverse import reverse
        from .saving import saved
        from .simplify import simplify
        if self.policy is not None:
            return saved(self.plain, wrt, seeds, self.policy)
        joint = reverse(self.plain, wrt, seeds)
        return self.plain, simplify(dataclasses.replace(joint, outputs=joint.outputs[len(self.avals):]))

    def backward(self, again, wrt, kept):
        """The program with the parameters that `backward` programs have."""
        plain = self.plain
        with Builder(self.name) as builder:
            residuals = [(plain.hints.get(p, p), plain.avals[p]) for p in plain.params]
            residuals += zip((again.hints.get(p, p) for p in again.params[len(residuals):]), kept)
            refs = [builder.parameter(hint, aval) for hint, aval in residuals]
            bars = [builder.parameter("bar", cotangent_aval(a)) for a in self.avals]
            args = [builder.parameter(plain.hints.get(p, p), plain.avals[p]) for p in plain.params]
            inputs = [self.fenced(builder, ref, hint) for ref, (hint, _) in zip(refs, residuals)]
            active = [b for b, a in zip(bars, self.avals) if is_inexact(a)]
            found = iter(builder.inline(unmarked(again), [*inputs, *active]))
            return builder.program([next(found) if k in wrt else 0.0 for k in range(len(args))])

    def fenced(self, builder, ref, hint):
        """A value that compilers do not follow back, so that nothing is shared with the first run; a tape that grows has no such form."""
        if None in ref.aval.shape:
            return ref
        return builder.append(barriers.optimization_barrier, [ref], {}, hint)

    def parts(self):
        return self.rules

    def batch(self, lanes):
        return Recomputed(self.name, self.count, self.policy).define(self.batched_plain(lanes))


def closed_over(call):
    return TransformError(f"{call.name} has a derivative rule of its own and reads a value from outside that is differentiated here",
                          "Pass that value as an argument: the rule gives derivatives for arguments only.")


# replacing calls ---------------------------------------------------------------------------------------------------------
def is_call(stmt):
    return isinstance(stmt, Apply) and stmt.op is barriers.custom_call


def has_calls(program):
    return any(is_call(s) for s in walk(program.body))


class Replacing(Emitter):
    """Rebuilds a program with the calls that `chosen(stmt)` picks replaced by what `emit` makes of them."""

    def __init__(self, program):
        super().__init__(program, program.name)

    def run(self):
        with self.builder:
            self.block(self.source.body)
            return self.finish(self.source.outputs)

    def block(self, stmts):
        done = set()
        for at, stmt in enumerate(stmts):
            self.builder.origin = stmt.origin
            if is_call(stmt) and self.chosen(stmt):
                if id(stmt) not in done:
                    group = results_of(stmt, stmts[at:])
                    done.update(map(id, group))
                    self.emit_call(stmt.params["call"], group)
                continue
            self.builder.add(with_blocks(stmt, [self.nested(b) for b in blocks(stmt)]))

    def nested(self, stmts):
        with self.builder.nested() as block:
            self.block(stmts)
        return block

    def chosen(self, stmt):
        return True

    def emit_call(self, call, group):
        """The function itself."""
        outputs = self.builder.inline(expand(call.plain), map(self.ref, group[0].args))
        for stmt in group:
            self.builder.add(Move(stmt.target, self.atom(outputs[stmt.params["position"]])))


def with_blocks(stmt, inner):
    """A control statement with other blocks; any other statement as it is."""
    names = {1: ("body",), 2: ("head", "body") if hasattr(stmt, "head") else ("body", "orelse")}.get(len(inner), ())
    return dataclasses.replace(stmt, **dict(zip(names, inner))) if inner else stmt


def results_of(first, stmts):
    """The statements of one call, up to where an operand changes."""
    found = []
    for stmt in stmts:
        if is_call(stmt) and stmt.params["call"] is first.params["call"] and stmt.args == first.args:
            found.append(stmt)
        elif any(n in first.args for n in names_bound([stmt])):
            break
    return found


def expand(program):
    """The program in which each call is the function itself."""
    return Replacing(program).run() if has_calls(program) else program


class BeforeForward(Replacing):
    def chosen(self, stmt):
        return isinstance(stmt.params["call"], Recomputed)


def before_forward(program):
    """The program as forward mode takes it: what is recomputed in reverse mode stands as it is."""
    while any(is_call(s) and isinstance(s.params["call"], Recomputed) for s in walk(program.body)):
        program = BeforeForward(program).run()
    return program


class BeforeReverse(Replacing):
    """Active calls become their `forward` programs, cut off from their operands, and a `pulled` statement that links both."""

    def __init__(self, program, wrt):
        super().__init__(program)
        flow = Flow(program)
        params = [program.params[k] for k in wrt]
        self.active = flow.varied(params) & flow.useful(program.outputs)

    def chosen(self, stmt):
        return stmt.target in self.active and any(a in self.active for a in stmt.args)

    def emit_call(self, call, group):
        args = group[0].args
        if not call.closed_over and any(is_name(a) and a in self.active for a in args[call.count:]):
            raise closed_over(call)
        forward, _ = call.parts()
        found = self.builder.inline(forward, list(map(self.detached, args)))
        count = len(call.avals)
        results, residuals = found[:count], [self.atom(v) for v in found[count:]]
        if count == 1:
            self.link(barriers.pulled, group[0].target, (self.atom(results[0]), *residuals, *args), {"call": call, "box": None})
            return
        box, token = {}, self.fresh(call.name, Aval((), np.dtype(np.float64)))
        self.link(barriers.pulled, token, (np.float64(0.0), *residuals, *args), {"call": call, "box": box})
        for stmt in group:
            position = stmt.params["position"]
            self.link(barriers.linked, stmt.target, (self.atom(results[position]), token), {"box": box, "position": position})

    def detached(self, atom):
        """An operand of the forward rule: cut off from what it depends on."""
        if not is_name(atom) or atom not in self.active:
            return self.ref(atom)
        return self.builder.append(barriers.detached, [self.ref(atom)], {}, self.builder.hints.get(atom, atom))

    def link(self, op, target, args, params):
        self.builder.add(Apply(target, op, args, params))


def before_reverse(program, wrt):
    """The program as the reverse sweep takes it."""
    return BeforeReverse(program, wrt).run() if has_calls(program) else program


def after_reverse(program):
    """The joint program without the links: further derivatives go through the statements of the rules."""
    if not any(is_link(s) for s in walk(program.body)):
        return program
    return dataclasses.replace(program, body=unlinked(program.body))


def is_link(stmt):
    return isinstance(stmt, Apply) and stmt.op in (barriers.detached, barriers.pulled, barriers.linked)


def unmarked(program):
    """The program without comments: the seam of the joint program is the only one there."""
    return dataclasses.replace(program, body=without_marks(program.body))


def without_marks(stmts):
    return [with_blocks(s, [without_marks(b) for b in blocks(s)]) for s in stmts if not isinstance(s, Mark)]


def unlinked(stmts):
    return [Move(s.target, s.args[0], s.origin) if is_link(s) else with_blocks(s, [unlinked(b) for b in blocks(s)]) for s in stmts]


__all__ = ["Call", "Pullable", "Pushable", "Recomputed", "after_reverse", "before_forward", "before_reverse", "expand"]
