"""What forward and batch share: a program under construction that takes over the names of another one."""

import copy

import numpy as np

from ..core import Apply, Hole, Move, Program, is_name
from ..frontend.builder import Builder
from ..frontend.reference import is_reference
from ..ops.op import TABLE, lookup


def trailing_moves(stmts):
    """A block cut before the Moves at its end: (statements, Moves)."""
    at = len(stmts)
    while at and isinstance(stmts[at - 1], Move):
        at -= 1
    return stmts[:at], stmts[at:]


class Emitter:
    """Emits statements beside, or in place of, those of `program`, whose names keep their meaning.

    Operations on references are emitted by the rules' own NumPy code; `bind` gives their result the name it shall have.
    """

    def __init__(self, program, name):
        self.source = program
        self.builder = Builder(name)
        self.builder.params = list(program.params)
        self.builder.avals = dict(program.avals)
        self.builder.hints = dict(program.hints)
        self.builder.counters = set(program.counters)

    def ref(self, atom):
        """A name as a reference, a literal as it is."""
        return self.builder.reference(atom) if is_name(atom) else atom

    def atom(self, value):
        return self.builder.read(self.builder.operand(value))

    def aval(self, value):
        return value.aval if is_reference(value) else self.builder.aval(value)

    def emit(self, op, *args, **params):
        """`op` applied, also where no operand is a reference."""
        return self.builder.emit(op, args, params)

    def add(self, stmt, **changes):
        """Append a copy of a statement with some of its fields replaced."""
        stmt = copy.copy(stmt)
        for field, value in changes.items():
            setattr(stmt, field, value)
        return self.builder.add(stmt)

    def start(self):
        """The length of the block at hand, to be given to `bind`."""
        return len(self.builder.block)

    def bind(self, name, value, start):
        """Bind `name` (that has no binding yet) to a value that the statements since `start` computed."""
        atom = self.atom(value)
        block = self.builder.block
        if len(block) > start and isinstance(block[-1], Apply) and block[-1].target == atom:
            block[-1].target = name
            self.builder.avals[name] = self.builder.avals.pop(atom)
            self.forget(atom)
        else:
            self.builder.add(Move(name, atom))
        return name

    def forget(self, name):
        """Free a name that is not in use any more."""
        base = self.builder.hints.pop(name, name)
        number = self.builder.taken.get(base)
        if number and name == f"{base}_{number}":
            self.builder.taken[base] = number - 1

    def fresh(self, hint, aval):
        return self.builder.fresh(hint, aval)

    def zeros(self, aval):
        """Zeros of an aval: a literal for scalars, else an array."""
        if aval.shape == ():
            zero = aval.dtype.type(0)
            return zero.item() if aval.weak else zero
        return self.emit(TABLE["zeros"], shape=aval.shape, dtype=aval.dtype)

    def placeholder(self, aval):
        """Zeros that nothing reads; unknown dimensions are 0 on NumPy, and stay unknown in the types."""
        if None not in aval.shape:
            return self.zeros(aval)
        holes = iter(range(len(aval.shape)))
        shape = tuple(Hole(next(holes)) if n is None else n for n in aval.shape)
        return self.emit(TABLE["zeros"], *[0] * aval.shape.count(None), shape=shape, dtype=aval.dtype)

    def coerce(self, value, aval):
        """A value brought to the shape and dtype of `aval`."""
        have = self.aval(value)
        if have.dtype != aval.dtype and not (have.weak and have.shape == () and not is_reference(value)):
            if have.dtype.kind == "c" and aval.dtype.kind != "c":
                value = lookup(np.real)(value)
            if self.aval(value).dtype != aval.dtype:
                value = self.emit(TABLE["astype"], value, dtype=aval.dtype)
        if have.shape != aval.shape and None not in aval.shape:
            value = self.emit(TABLE["broadcast_to"], value, shape=aval.shape)
        return value

    def finish(self, outputs):
        """The program; its name is the builder's."""
        b = self.builder
        return Program(b.name, list(b.params), b.body, list(outputs), b.avals, b.hints, b.counters)


__all__ = ["Emitter", "trailing_moves"]
