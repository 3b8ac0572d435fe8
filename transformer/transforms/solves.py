"""Calls that solve a linear system, in Core: derivatives by the implicit function theorem, not through the solver.

    x = solve(A, b)          A x = b       reverse:  y = solve(A^T, x_bar);  b_bar = y;  A_bar = -y x^T  (the pullback of A(x) at -y)
                                           forward:  x_dot = solve(A, b_dot - A_dot x)
"""

import dataclasses
import functools

import numpy as np

from ..analysis.activity import is_inexact
from ..errors import MissingRule
from ..frontend.builder import Builder, current
from ..ops import barriers
from .custom_calls import BatchedPullable, Call, cotangent_aval, unmarked, zeros


class Solved(Call):
    """A call of a solver. Operands: the leaves of b, then what the matrix and the solver read from outside, which has derivatives too.

    matvec: parameters x, then the operands; the product of the matrix with x. transposed: parameters x_bar, then the operands; the
    solution of the transposed system, or None if no way to solve it is known.
    """

    closed_over = True
    solver = None

    def define(self, plain, matvec, transposed=None):
        self.matvec, self.transposed = matvec, transposed
        return super().define(plain)

    @property
    def outside(self):
        """Positions of the operands beyond b that have derivatives."""
        return [k for k, p in enumerate(self.plain.params) if k >= self.count and is_inexact(self.plain.avals[p])]

    @functools.cached_property
    def calling(self):
        """The program that is nothing but the call: derivatives of derivatives meet the call again."""
        with Builder(self.name) as builder:
            args = self.parameters(builder, self.plain, 0)
            return builder.program(called(builder, self, args))

    def parameters(self, builder, program, first):
        """New parameters like those of a program, from the one numbered `first` on."""
        return [builder.parameter(program.hints.get(p, p), program.avals[p]) for p in program.params[first:]]

    # reverse --------------------------------------------------------------------------------------
    @functools.cached_property
    def adjoint(self):
        """The solver of the transposed system, as a call: its operands are x_bar and what is read from outside."""
        if self.transposed is None:
            raise MissingRule("reverse mode through custom_linear_solve without transpose_solve", "Pass transpose_solve, or symmetric=True.")
        from .reverse import reverse
        count = self.count
        joint = unmarked(reverse(self.matvec, range(count), ["param"] * count))

        def program(extra, compute):
            with Builder(self.name) as builder:
                first = [builder.parameter("x_bar", cotangent_aval(a)) for a in self.avals * (1 + extra)]
                return builder.program(compute(builder, first, self.parameters(builder, self.plain, count)))
        nothing = [zeros(a) for a in self.avals]
        plain = program(0, lambda b, bars, rest: b.inline(self.transposed, [*bars, *nothing, *rest]))
        matvec = program(1, lambda b, ys, rest: b.inline(joint, [*nothing, *nothing, *rest, *ys[:count]])[count:])
        back = program(1, lambda b, zs, rest: b.inline(self.plain, [*zs[:count], *rest]))
        return Solved(self.name, count).define(plain, matvec, back)

    @functools.cached_property
    def rules(self):
        plain, adjoint = self.plain, self.adjoint
        first = dataclasses.replace(self.calling, outputs=self.calling.outputs * 2)
        with Builder(self.name) as builder:
            xs = [builder.parameter("x", a) for a in self.avals]
            bars = [builder.parameter("x_bar", cotangent_aval(a)) for a in self.avals]
            args = self.parameters(builder, plain, 0)
            ys = called(builder, adjoint, [*bars, *args[self.count:]])
            found = dict(enumerate(ys)) | dict(zip(self.outside, self.matrix_bars(builder, xs, ys, args)))
            return first, builder.program([found.get(k, 0.0) for k in range(len(args))])

    def matrix_bars(self, builder, xs, ys, args):
        """The cotangents of what the matrix is made of: the pullback of its product with x, at -y."""
        from .reverse import reverse
        from .simplify import simplify
        if not self.outside:
            return []
        joint = simplify(reverse(self.matvec, [len(xs) + k for k in self.outside], ["param"] * len(xs)))
        return builder.inline(unmarked(joint), [*xs, *args, *(-y for y in ys)])[len(xs):]

    def parts(self):
        return self.rules

    # forward --------------------------------------------------------------------------------------
    def push(self, dots, args, position):
        builder = current()
        key = (id(self), id(builder.block), tuple(map(builder.read, args)))
        memo = builder.__dict__.setdefault("pushed", {})
        if key not in memo:
            memo[key] = self.pushed(builder, dots, args), builder.block
        return memo[key][0][position]

    def pushed(self, builder, dots, args):
        from .forward import forward
        count = len(self.avals)
        xs = builder.inline(self.calling, args)
        right = [zeros(self.plain.avals[p]) if d is None else d for p, d in zip(self.plain.params, dots[:count])]
        active = [k for k in self.outside if dots[k] is not None]
        if active:
            product = forward(self.matvec, [count + k for k in active])
            moved = builder.inline(product, [*xs, *args, *(dots[k] for k in active)])[count:]
            right = [r - m for r, m in zip(right, moved)]
        right = [np.broadcast_to(r, a.shape) if np.shape(r) != a.shape else r for r, a in zip(right, self.avals)]
        return builder.inline(self.solver or self.calling, [*right, *args[count:]])

    # batch ------------------------------------------------------------------------------------------
    def batch(self, lanes):
        return BatchedSolved(self.name, self.count).define(self, lanes)


class BatchedSolved(Solved):
    """The batch of a call of a solver; `solver` takes a right side for each lane."""

    def define(self, source, lanes):
        self.source, self.lanes = source, lanes
        ones = [0] * source.count
        super().define(source.batched_plain(lanes), lanes.batch(source.matvec, [*ones, *lanes.axes]), source.transposed)
        return self

    @functools.cached_property
    def solver(self):
        return self.lanes.batch(self.source.solver or self.source.calling, [*[0] * self.source.count, *self.lanes.axes[self.source.count:]])

    rules = functools.cached_property(BatchedPullable.rules.func)
    bar = BatchedPullable.bar


def called(builder, call, args):
    """The results of a call as statements."""
    return [builder.append(barriers.custom_call, args, {"call": call, "position": k}, call.name) for k in range(len(call.avals))]


__all__ = ["Solved"]
