"""Products as compiled code likes them: few and large. They are rounded differently, so that only compiled programs are changed.

    for i in range(n):                               product = x.T @ y
        c[i] = x[:, i] @ y                           for i in range(n):
                                                         c[i] = product[i]

    z = (alpha * a) @ x                              z = alpha * (a @ x)

A product of fixed arrays in each round of a loop becomes one product in front of it (the covariance of 600x500 data: 20 -> 8 ms); a
number goes to the vector rather than to the matrix (two products of 2000x2000 matrices: 115 -> 2 ms).
"""

from ...analysis.liveness import prune
from ...core import Apply, Hole, is_name
from ...ops.op import TABLE
from .collect_products import ROOM, SMALL_TAPES, WORK, Collector, Loop


def arrange_products(program):
    """The program with the products of fixed arrays in front of their loops, and numbers behind products with vectors."""
    arranging = Arranging(program)
    with arranging.builder:
        body = arranging.block(program.body)
    if not arranging.found:
        return program
    arranging.builder.body = body
    return prune(arranging.finish(program.outputs))


class Arranging(Collector):
    def __init__(self, program):
        super().__init__(program)
        self.made = {}

    def block(self, stmts):
        made = self.made
        self.made = made | {s.target: s for s in stmts if isinstance(s, Apply)}
        out = super().block([part for s in stmts for part in self.scaled_behind(s)])
        self.made = made
        return out

    def rounds(self, stmt):
        return Hoisting(self, stmt).hoisted()

    def scaled_behind(self, stmt):
        """The statements in place of a product of a scaled matrix, which nothing else reads, and a vector."""
        if not isinstance(stmt, Apply) or stmt.op is not TABLE["matmul"]:
            return [stmt]
        avals = [self.builder.aval(a) for a in stmt.args]
        if sorted(a.ndim for a in avals) != [1, 2]:
            return [stmt]
        place = 0 if avals[0].ndim == 2 else 1
        scaled = self.made.get(stmt.args[place])
        if scaled is None or scaled.op is not TABLE["multiply"] or self.reads[stmt.args[place]] != 1:
            return [stmt]
        number, matrix = sorted(scaled.args, key=lambda a: self.builder.aval(a).ndim)
        if self.builder.aval(number).ndim or not is_name(matrix) or self.is_rebound((number, matrix)):
            return [stmt]
        if self.builder.aval(matrix) != avals[place] or avals[place].dtype.kind not in "fc":
            return [stmt]
        self.found = True
        product = self.builder.fresh("product", self.builder.avals[stmt.target])
        args = (matrix, stmt.args[1]) if place == 0 else (stmt.args[0], matrix)
        return [Apply(product, stmt.op, args, {}, stmt.origin), Apply(stmt.target, scaled.op, (number, product), {}, stmt.origin)]

    def is_rebound(self, atoms):
        """Whether an operand may have changed since the matrix was scaled."""
        return any(is_name(a) and a in self.rebound for a in atoms)


class Hoisting(Loop):
    """A loop with products of fixed arrays in front of it."""

    def hoisted(self):
        body = [self.read(s) if isinstance(s, Apply) and s.op is TABLE["matmul"] else s for s in self.stmt.body]
        if not self.before:
            return [self.stmt]
        self.emitter.found = True
        self.stmt.body = [*(self.offset or ()), *body]
        return [*self.before, self.stmt]

    def read(self, stmt):
        """A product as a row of all of them, where one of its operands is fixed and the other a part of a fixed array."""
        for moving, fixed in (stmt.args, stmt.args[::-1]):
            if not (is_name(moving) and is_name(fixed)) or fixed in self.bound or self.slice_of(moving) is None:
                continue
            aval, rounds = self.builder.avals[fixed], len(self.values)
            if (self.builder.avals[moving].ndim, aval.ndim) != (1, 2) or rounds * aval.size < WORK:
                continue
            if rounds * self.builder.avals[stmt.target].size > max(ROOM * aval.size, SMALL_TAPES):
                continue
            with self.builder.nested(self.before):
                matrix = self.emitter.ref(fixed)
                rows = self.emitter.atom(self.rows(moving, None) @ (matrix if moving == stmt.args[0] else matrix.T))
            return Apply(stmt.target, TABLE["getitem"], (rows, self.position()), {"index": (Hole(0), slice(None))}, stmt.origin)
        return stmt
