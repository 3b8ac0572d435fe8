"""Forward mode: tangent statements beside the primal ones.

    y = np.sin(x)              y = np.sin(x)
    return y                   y_dot = x_dot * np.cos(x)
                               return y, y_dot

Loops carry tangents, an `if` merges them, a store into `A` is followed by the store of the tangent into `A_dot`. A name has a
tangent if one of its versions is active: it depends on a differentiated parameter.
"""

import numpy as np

from ..analysis.activity import Flow, differentiable_operands, is_inexact
from ..core import WEAK_DTYPES, Apply, Aval, Derived, Effect, For, If, Mark, Move, Update, While, is_name, walk
from ..errors import MissingRule, TransformError, TypeMismatch
from ..ops.op import TABLE, needing_lengths, takes_out_by_name
from .custom_calls import before_forward
from .emission import Emitter


def forward(program, wrt):
    """The program that also pushes tangents forward.

    wrt: positions of the differentiated parameters; each gets a parameter `<name>_dot` at the end. The outputs are those of
    `program`, then the tangent of each (zeros where an output is not active).
    """
    return Forward(before_forward(program), tuple(wrt)).run()


def plain(aval):
    """An aval whose zero may be written 0.0: a Move gives it the type of its target."""
    return aval._replace(weak=True) if aval.shape == () and aval.dtype in WEAK_DTYPES.values() else aval


class Forward(Emitter):
    """One run over a program. `dots` maps an active name to the name of its tangent."""

    def __init__(self, program, wrt):
        super().__init__(program, f"{program.name}_jvp")
        self.wrt = wrt
        self.active = Flow(program).varied([program.params[k] for k in wrt])
        changing = {s.target for s in walk(program.body) if isinstance(s, Move | Update)}
        self.slots = changing & self.active
        self.dots = {}

    def run(self):
        with self.builder:
            for position in self.wrt:
                self.parameter(self.source.params[position])
            for param in self.source.params:
                if param in self.active and param not in self.dots:
                    self.bind_zeros(param)
            self.block(self.source.body)
            tangents = [self.tangent(a) for a in self.source.outputs]
            return self.finish([*self.source.outputs, *map(self.atom, tangents)])

    def parameter(self, name):
        aval = self.source.avals[name]
        if not is_inexact(aval):
            raise TypeMismatch(f"parameter {name} is {aval}: it has no tangent", "Differentiate with respect to floats only.")
        self.builder.params.append(self.dot_name(name))

    def dot_name(self, name):
        """The name of the tangent of `name`, made where it is asked for first."""
        if name not in self.dots:
            self.dots[name] = self.fresh(Derived(self.hint(name) + "_dot"), self.source.avals[name])
        return self.dots[name]

    def hint(self, name):
        return self.builder.hints.get(name, name).rstrip("_")

    def tangent(self, atom):
        """The tangent of an atom as an operand; zeros where it is not active."""
        if is_name(atom) and atom in self.active:
            return self.ref(self.dots[atom])
        return self.zeros_of(atom)

    def is_active(self, atom):
        return is_name(atom) and atom in self.active

    # statements -----------------------------------------------------------------
    def block(self, stmts):
        at = 0
        while at < len(stmts):
            end = at
            while end < len(stmts) and isinstance(stmts[end], Move):
                end += 1
            if end > at:
                self.moves(stmts[at:end])
            else:
                self.stmt(stmts[at])
            at = max(end, at + 1)

    def nested(self, stmts):
        with self.builder.nested() as block:
            self.block(stmts)
        return block

    def stmt(self, stmt):
        self.builder.origin = stmt.origin
        if isinstance(stmt, Apply):
            self.apply(stmt)
        elif isinstance(stmt, Update):
            self.update(stmt)
        elif isinstance(stmt, If):
            self.add(stmt, body=self.nested(stmt.body), orelse=self.nested(stmt.orelse))
        elif isinstance(stmt, For):
            self.add(stmt, body=self.nested(stmt.body))
        elif isinstance(stmt, While):
            self.add(stmt, head=self.nested(stmt.head), body=self.nested(stmt.body))
        elif isinstance(stmt, Effect | Mark):
            self.add(stmt)
        else:
            raise TransformError(f"forward mode does not know the statement {stmt!r}")

    def moves(self, stmts):
        """Moves that stand together: the tangent of each target moves with it."""
        zeros = {}
        for stmt in stmts:
            if stmt.target in self.active and not self.is_active(stmt.source):
                aval = self.source.avals[stmt.target]
                zeros[stmt.target] = self.atom(self.zeros(plain(aval)) if None not in aval.shape else self.zeros_of(stmt.source))
        for stmt in stmts:
            self.builder.origin = stmt.origin
            source = self.dots[stmt.source] if self.is_active(stmt.source) else None
            self.add(stmt)
            if stmt.target in self.active:
                self.builder.add(Move(self.dot_name(stmt.target), zeros.get(stmt.target) if source is None else source))

    def update(self, stmt):
        self.add(stmt)
        if stmt.target not in self.active or (stmt.mode == "add" and not self.is_active(stmt.value)):
            return
        self.add(stmt, target=self.dots[stmt.target], value=self.atom(self.stored(stmt)))

    def stored(self, stmt):
        """The tangent that an Update stores; an entry of a growing tape needs its full shape."""
        if self.is_active(stmt.value):
            return self.ref(self.dots[stmt.value])
        aval = self.source.avals[stmt.target]
        if aval.shape and aval.shape[0] is None:
            return self.zeros_of(stmt.value, aval.dtype)
        return self.zeros(Aval((), aval.dtype, True))

    def apply(self, stmt):
        self.add(stmt)
        if stmt.target not in self.active:
            return
        positions = [k for k in differentiable_operands(stmt) if stmt.args[k] in self.active]
        if not positions:
            self.bind_zeros(stmt.target, stmt)
            return
        start = self.start()
        try:
            value = self.coerce(self.rule(stmt, positions), self.source.avals[stmt.target])
        except TransformError as error:
            raise error.at(stmt.origin)
        if stmt.target not in self.slots and len(self.builder.block) == start and self.is_stable(value):
            self.dots[stmt.target] = self.atom(value)
        else:
            self.bind(self.dot_name(stmt.target), value, start)

    def is_stable(self, value):
        """Whether a value is a name that is never rebound, so that the tangent may go by that name."""
        atom = self.atom(value)
        return is_name(atom) and atom not in {self.dots[n] for n in self.slots if n in self.dots}

    # tangents -----------------------------------------------------------------------
    def rule(self, stmt, positions):
        """The tangent of the result of an Apply, from the op's own rules."""
        op, params = stmt.op, stmt.params
        args, out = [self.ref(a) for a in stmt.args], self.ref(stmt.target)
        if op.jvp is not None:
            dots = tuple(self.tangent(a) if k in positions else None for k, a in enumerate(stmt.args))
            with needing_lengths((*args, out)):
                return op.jvp(dots, *args, out=out, **params) if takes_out_by_name(op.jvp) else op.jvp(dots, *args, out, **params)
        if op.elementwise and all(op.partials[k] is not None for k in positions):
            return self.sum(op.partials[k](self.tangent(stmt.args[k]), *args, out, **params) for k in positions)
        if op.linear == "jointly":
            return op.bind(*(self.linear_operand(stmt, k, positions) for k in range(len(args))), **params)
        if op.linear == "each":
            return self.sum(op.bind(*args[:k], self.tangent(stmt.args[k]), *args[k + 1:], **params) for k in positions)
        raise MissingRule(f"op {op.name} has no forward-mode derivative",
                          "Add `jvp`, `linear` or partials to its declaration in transformer/ops, or use reverse mode (grad, vjp).")

    def linear_operand(self, stmt, position, positions):
        """What stands in the place of an operand when a linear op is applied to tangents.

        The sizes of an array that is made stay.
        """
        atom = stmt.args[position]
        if position in positions:
            return self.tangent(atom)
        aval = self.source.aval(atom)
        if "shape" in stmt.params and aval.dtype.kind in "iu" and aval.shape == ():
            return self.ref(atom)
        return self.zeros_of(atom, self.source.avals[stmt.target].dtype)

    def sum(self, terms):
        total = None
        for term in terms:
            total = term if total is None else np.add(total, term)
        return total

    # zeros -----------------------------------------------------------------------------
    def bind_zeros(self, name, stmt=None):
        """Bind the tangent of a name whose first version is not active."""
        start, aval = self.start(), self.source.avals[name]
        if None not in aval.shape:
            value = self.zeros(aval)
        elif stmt is not None and "shape" in stmt.params:
            op = stmt.op if stmt.op.name == "tape" else TABLE["zeros"]
            dims = stmt.args if len(stmt.args) == sum(not isinstance(d, int) for d in stmt.params["shape"]) else stmt.args[1:]
            value = self.emit(op, *map(self.ref, dims), shape=stmt.params["shape"], dtype=aval.dtype)
        else:
            value = self.zeros_of(name)
        self.bind(self.dot_name(name), value, start)

    def zeros_of(self, atom, dtype=None):
        """Zeros of the shape of an atom."""
        aval = self.source.aval(atom)
        if None in aval.shape:
            return np.zeros_like(self.ref(atom), dtype=dtype)
        return self.zeros(aval if dtype is None else aval._replace(dtype=dtype))


__all__ = ["forward"]
