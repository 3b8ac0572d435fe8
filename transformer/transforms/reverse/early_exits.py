"""Loops that a flag ends, made ready for the reverse sweep: it goes back over the rounds that were run, not over all that there might be.

    for i in range(2, n):               rounds = 0
        if not done:                    while not done and rounds < n - 2:
            x = step(x, i)        ->        i = rounds + 2
            done = test(x)                  x = step(x, i)
                                            done = test(x)
                                            rounds += 1
"""

import numpy as np

from ...analysis.activity import Flow
from ...analysis.exits import exit_flag
from ...core import Apply, For, If, Move, While, is_name, names_bound, operands, walk
from ..emission import Emitter, trailing_moves
from .bars import parallel_moves


def with_counted_rounds(program, wrt, outputs):
    """The program with a While for each For that a flag ends and that values to be differentiated pass through.

    wrt: names of the differentiated parameters; outputs: the differentiated outputs. A loop that masks arrays by its index stays a For:
    from the bounds of the index follows which part of an array a round needs.
    """
    found = [s for s in walk(program.body) if isinstance(s, For) and exit_flag(s) is not None and not masks_by_index(program, s)]
    if not found:
        return program
    flow = Flow(program)
    active = flow.varied(wrt) & flow.useful(outputs)
    found = [s for s in found if not active.isdisjoint(names_bound([s]))]
    return Counting(program, found).run() if found else program


def masks_by_index(program, loop):
    """Whether a loop compares arrays with its index, or with integers made from it."""
    made = {loop.index}
    for stmt in walk(loop.body):
        if isinstance(stmt, Apply) and not made.isdisjoint(operands(stmt)):
            aval = program.avals[stmt.target]
            if aval.shape and aval.dtype == bool:
                return True
            if not aval.shape and aval.dtype.kind in "iu":
                made.add(stmt.target)
    return False


class Counting(Emitter):
    def __init__(self, program, loops):
        super().__init__(program, program.name)
        self.loops = {id(loop) for loop in loops}

    def run(self):
        with self.builder:
            for stmt in self.source.body:
                self.stmt(stmt)
        return self.finish(self.source.outputs)

    def block(self, stmts):
        with self.builder.nested() as inner:
            for stmt in stmts:
                self.stmt(stmt)
        return inner

    def stmt(self, stmt):
        if id(stmt) in self.loops:
            self.counted(stmt)
        elif isinstance(stmt, For):
            self.add(stmt, body=self.block(stmt.body))
        elif isinstance(stmt, While):
            self.add(stmt, head=self.block(stmt.head), body=self.block(stmt.body))
        elif isinstance(stmt, If):
            self.add(stmt, body=self.block(stmt.body), orelse=self.block(stmt.orelse))
        else:
            self.builder.add(stmt)

    def counted(self, loop):
        """The While that stands for a For."""
        self.builder.origin = loop.origin
        flag, ref = exit_flag(loop), self.ref
        count = self.atom(self.count(loop))
        plain = not is_name(loop.lo) and loop.lo == 0 and loop.step == 1
        counter = loop.index if plain else self.fresh("rounds", self.source.avals[loop.index])
        with self.builder.nested() as head:
            test = self.atom(np.logical_and(np.logical_not(ref(flag)), ref(counter) < ref(count)))
        with self.builder.nested() as body:
            if not plain:
                self.bind(loop.index, ref(loop.lo) + ref(counter) * loop.step, self.start())
            self.round(loop, flag)
        self.builder.add(While(head, test, body, counter, loop.origin))

    def count(self, loop):
        """The number of rounds if nothing ends the loop."""
        lo, hi, step = loop.lo, loop.hi, loop.step
        if not is_name(lo) and not is_name(hi):
            return len(range(int(lo), int(hi), step))
        span = self.ref(hi) - self.ref(lo) if step > 0 else self.ref(lo) - self.ref(hi)
        return span if abs(step) == 1 else (span + (abs(step) - 1)) // abs(step)

    def round(self, loop, flag):
        """One round, for which the flag is known to be false."""
        choice = next(s for s in loop.body if isinstance(s, If))
        at = loop.body.index(choice)
        for stmt in loop.body[:at]:
            self.stmt(stmt)
        inner, ending = trailing_moves(choice.orelse if choice.test == flag else choice.body)
        for stmt in inner:
            self.stmt(stmt)
        held = {}
        for move in [*ending, *(s for s in loop.body[at:] if isinstance(s, Move))]:
            held[move.target] = held.get(move.source, move.source)
        parallel_moves(self.builder, held.items())
