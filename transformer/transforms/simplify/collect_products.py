"""Products that a loop of the sweep adds up become one product of matrices behind the loop.

    for t in range(19, -1, -1):                            for t in range(19, -1, -1):
        ...                                                    ...
        W_bar = W_bar + np.outer(g, h_tape[t])                 g_tape[t] = g
                                                           W_bar += g_tape.T @ h_tape

What is added in a loop may be added later, if nothing in the loop reads the sum. A product behind the loop goes through W_bar
once, not once a round, and has the fast kernel of a large product. Only cotangents are summed in another order than before.
"""

import copy
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from ...analysis.liveness import prune
from ...core import Apply, For, Hole, If, Move, Program, Update, While, is_name, names_bound, operands, targets, walk
from ...ops import index_templates as templates
from ...ops.op import TABLE
from ..emission import Emitter
from .rewriting import Rewriter, holds

ROUNDS = 4
"""Loops of fewer rounds stay as they are,"""
WORK = 4096
"""as do sums of fewer products than this."""
ROOM = 4
"""Tapes may be so many times as large as the sum,"""
SMALL_TAPES = 1 << 17
"""or have so many elements."""
WHOLE = (slice(None), slice(None))


class Term(NamedTuple):
    """A product that `stmt` adds to a sum: left.T @ right of each round, or for `axis` (a row or a column of the sum at the loop's
    index) the vector of the statement `made`, with the fixed matrix before (`left` None) or behind the vector."""

    stmt: Any
    made: Any
    left: Any
    right: Any
    axis: Any = None


def collect_products(program, first):
    """The program with the sums in loops among its statements from `first` on taken out of them where that pays."""
    if not holds(program, For):
        return program
    collector = Collector(program)
    with collector.builder:
        body = program.body[:first] + collector.sweep(program.body[first:])
    if not collector.found:
        return program
    collector.builder.body = body
    return prune(collector.finish(collector.outputs))


class Collector(Emitter):
    """One run over a program. `found`: whether anything was collected; `later`: how many statements behind the loop at hand bind
    a name, None inside of other statements; `totals`: sum -> its name behind the loop."""

    def __init__(self, program):
        super().__init__(program, program.name)
        self.found, self.later, self.totals = False, None, {}
        self.outputs = program.outputs
        self.rebound = {s.target for s in walk(program.body) if isinstance(s, Move | Update)}
        self.reads = Counter(n for s in walk(program.body) for n in operands(s)) + Counter(filter(is_name, program.outputs))

    def sweep(self, stmts):
        """The statements of the sweep, rewritten one by one."""
        out, rest = [], stmts[::-1]
        self.later = count_bound(rest)
        while rest:
            stmt = rest.pop()
            for name in names_bound([stmt]):
                self.later[name] -= 1
            out.extend(self.loop(self.inner(stmt)))
            if self.totals:
                rest = self.with_totals(rest[::-1])[::-1]
                self.later = count_bound(rest)
        return out

    def with_totals(self, stmts):
        """The statements and outputs that follow, reading the totals."""
        rest = Rewriter(Program("rest", [], stmts, self.outputs, self.builder.avals, self.builder.hints, set()))
        rest.replaced, self.totals = self.totals, {}
        rest = rest.run()
        self.outputs = rest.outputs
        return rest.body

    def inner(self, stmt):
        """A statement with its blocks rewritten."""
        if isinstance(stmt, If | For | While):
            later, self.later = self.later, None
            stmt = copy.copy(stmt)
            stmt.body = self.block(stmt.body)
            if isinstance(stmt, If):
                stmt.orelse = self.block(stmt.orelse)
            self.later = later
        return stmt

    def block(self, stmts):
        return [made for stmt in stmts for made in self.loop(self.inner(stmt))]

    def loop(self, stmt):
        """The statements in place of one that may be a loop."""
        known = isinstance(stmt, For) and not is_name(stmt.lo) and not is_name(stmt.hi) and abs(stmt.step) == 1
        if not known or len(range(stmt.lo, stmt.hi, stmt.step)) < ROUNDS:
            return [stmt]
        return self.rounds(stmt)

    def rounds(self, stmt):
        """The statements in place of a loop of some known rounds."""
        return Loop(self, stmt).collected()


def count_bound(stmts):
    """How many of the statements bind each name."""
    return Counter(name for stmt in stmts for name in names_bound([stmt]))


class Loop:
    """A loop of known rounds: `before`, the loop with fewer statements, `after`."""

    def __init__(self, collector, stmt):
        self.emitter, self.builder, self.stmt = collector, collector.builder, stmt
        self.values = range(stmt.lo, stmt.hi, stmt.step)[::stmt.step]  # ascending
        self.bound = names_bound([stmt])
        self.made = {s.target: s for s in stmt.body if isinstance(s, Apply)}
        self.before, self.after = [], []
        self.stores = {}
        self.stacks, self.gone, self.instead = {}, set(), {}
        self.offset = None

    def collected(self):
        for name in {s.target: None for s in self.stmt.body if isinstance(s, Update | Move)}:
            if name not in self.made and self.builder.avals[name].ndim == 2:
                self.collect(name)
        if not self.gone:
            return [self.stmt]
        self.emitter.found = True
        self.stmt.body = self.body()
        return [*self.before, self.stmt, *self.after]

    def collect(self, name):
        """Take the products out of the sum `name`."""
        products = []
        for stmt, value in self.added(name):
            term = self.term(stmt, value)
            if term is None or not self.pays(term, self.builder.avals[name]):
                continue
            self.gone.update({id(stmt), id(term.made)})
            if isinstance(stmt, Apply):
                self.instead[stmt.target] = next(a for a in stmt.args if a != value)
            with self.builder.nested(self.after):
                products.append(self.product(name, term))
        with self.builder.nested(self.after):
            self.add(name, products)

    def added(self, name):
        """[(statement, what it adds to the sum)]; empty where the loop does more with the sum than to add."""
        sums, added, moved = [name], [], False
        for stmt in self.stmt.body:
            touched = {n for s in walk([stmt]) for n in (*operands(s), *targets(s))} & set(sums)
            if not touched:
                continue
            last = sums[-1]
            if moved or touched != {last} and not (isinstance(stmt, Move) and touched <= {name, last}):
                return []
            if isinstance(stmt, Update) and stmt.mode == "add" and stmt.target == last and last not in (*stmt.args, stmt.value):
                added.append((stmt, stmt.value))
            elif isinstance(stmt, Apply) and stmt.op is TABLE["add"] and stmt.args.count(last) == 1:
                value = next(a for a in stmt.args if a != last)
                if self.builder.avals[stmt.target] != self.builder.avals[name]:
                    return []
                added.append((stmt, value))
                sums.append(stmt.target)
            elif isinstance(stmt, Move) and stmt.target == name and stmt.source == last:
                moved = True
            else:
                return []
        inside = Counter(n for s in walk(self.stmt.body) for n in operands(s))
        private = all(self.emitter.reads[s] == inside[s] for s in sums[1:])
        return added if private and (moved or len(sums) == 1) else []

    # products ---------------------------------------------------------------------------
    def term(self, stmt, value):
        """The Term of what a statement adds, or None."""
        made = self.made.get(value) if is_name(value) else None
        if made is None or self.emitter.reads[value] != 1:
            return None
        if isinstance(stmt, Update) and not templates.is_identity(stmt.index):
            return self.line(stmt, made)
        if made.op is TABLE["outer"]:
            return Term(stmt, made, *made.args) if all(map(is_name, made.args)) else None
        turned = self.made.get(made.args[0]) if made.op is TABLE["matmul"] else None
        if turned is None or turned.op is not TABLE["transpose"] or turned.params["axes"] != (1, 0):
            return None
        return Term(stmt, made, turned.args[0], made.args[1]) if self.builder.avals[made.args[1]].ndim == 2 else None

    def line(self, stmt, made):
        """The Term of a product of a fixed matrix and a vector that is added to the row or column at the loop's index."""
        if made.op is not TABLE["matmul"] or stmt.args != (self.stmt.index,) or len(stmt.index) != 2:
            return None
        if Hole(0) not in stmt.index or slice(None) not in stmt.index:
            return None
        left, right = made.args
        fixed, ranks = [a not in self.bound for a in made.args], [self.builder.avals[a].ndim for a in made.args]
        axis = stmt.index.index(Hole(0))
        if fixed == [True, False] and ranks == [2, 1]:
            return Term(stmt, made, left, right, (axis, 0))
        return Term(stmt, made, left, right, (axis, 1)) if fixed == [False, True] and ranks == [1, 2] else None

    def pays(self, term, aval):
        """Whether a product is large enough, and what has to be kept for it is not too large."""
        if self.builder.avals[term.made.target].dtype != aval.dtype or len(self.values) * aval.size < WORK:
            return False
        kept = [n for n in {term.left, term.right} if n in self.bound and self.slice_of(n) is None]
        room = sum(len(self.values) * self.builder.avals[n].size for n in kept)
        return room <= max(ROOM * aval.size, SMALL_TAPES)

    def product(self, name, term):
        """(where in the sum a product goes, the product), computed behind the loop."""
        ref = self.emitter.ref
        if term.axis is None:
            left, right = (self.rows(n, term) for n in (term.left, term.right))
            return WHOLE, left.T @ right
        axis, fixed = term.axis
        vectors = self.rows((term.right, term.left)[fixed], term)
        value = vectors @ (ref(term.left).T if fixed == 0 else ref(term.right))
        value = value if axis == 0 else value.T
        if len(self.values) == self.builder.avals[name].shape[axis]:
            return WHOLE, value
        here = slice(self.values[0], self.values[-1] + 1)
        return ((here, slice(None)) if axis == 0 else (slice(None), here)), value

    def add(self, name, products):
        """Add the products to the sum behind the loop: under a new name, where nothing there binds the old one."""
        rename = self.emitter.later is not None and not self.emitter.later[name]
        total = self.emitter.ref(name)
        for index, value in sorted(products, key=lambda p: p[0] == WHOLE):
            if rename and index == WHOLE:
                total = total + value
                self.emitter.totals[name] = self.emitter.atom(total)
            else:
                self.builder.add(Update(name, index, (), self.emitter.atom(value), "add"))

    # what the rounds multiply --------------------------------------------------------------
    def rows(self, name, term):
        """The vectors, or matrices one below the other, that a name stands for in the rounds, as a matrix."""
        ref, shape = self.emitter.ref, self.builder.avals[name].shape
        if name not in self.bound:
            return np.broadcast_to(ref(name), (len(self.values), *shape)).reshape((-1, shape[-1]))
        found = self.slice_of(name)
        if found is None:
            stack = ref(self.tape(name, term))
        else:
            array, axis, first = found
            size, here = self.builder.avals[array].shape[axis], slice(first, first + len(self.values))
            stack = ref(array) if size == len(self.values) else ref(array)[(slice(None),) * axis + (here,)]
            stack = stack.T if axis else stack
        return stack if len(shape) == 1 else stack.reshape((-1, shape[-1]))

    def slice_of(self, name):
        """(array, axis, first): the name is the part of a fixed array at the loop's index, which is at first at `first`; or None."""
        made = self.made.get(name)
        if made is None or made.op is not TABLE["getitem"] or len(made.args) != 2 or made.args[0] in self.bound:
            return None
        index, first = made.params["index"], self.first(made.args[1])
        plain = Counter(map(repr, index)) == Counter(map(repr, (Hole(0), *[slice(None)] * (len(index) - 1))))
        if not plain or first is None or first < 0:
            return None
        axis = index.index(Hole(0))
        return (made.args[0], axis, first) if axis == 0 or len(index) == 2 else None

    def first(self, atom):
        """The least value of an atom that is the loop's index plus or minus a number; None for others."""
        if atom == self.stmt.index:
            return self.values[0]
        made = self.made.get(atom) if is_name(atom) else None
        shift = {TABLE["add"]: 1, TABLE["subtract"]: -1}.get(made.op) if made else None
        known = shift and made.args[0] == self.stmt.index and isinstance(made.args[1], int)
        return self.values[0] + shift * made.args[1] if known else None

    def tape(self, name, term):
        """The array that keeps a name of each round."""
        if name not in self.stacks:
            aval = self.builder.avals[name]
            with self.builder.nested(self.before):
                hint = f"{self.builder.hints.get(name, name)}_tape"
                shape = (len(self.values), *aval.shape)
                self.stacks[name] = self.builder.emit(TABLE["empty"], (), {"shape": shape, "dtype": aval.dtype}, hint).storage.name
            index = (Hole(0), *[slice(None)] * aval.ndim)
            self.stores.setdefault(id(term.made), []).append(Update(self.stacks[name], index, (self.position(),), name))
        return self.stacks[name]

    def position(self):
        """The loop's index counted from 0."""
        if self.values[0] == 0:
            return self.stmt.index
        if self.offset is None:
            self.offset = []
            with self.builder.nested(self.offset):
                self.place = self.emitter.atom(self.emitter.ref(self.stmt.index) - self.values[0])
        return self.place

    def body(self):
        """The loop's statements without those that are gone."""
        out = list(self.offset or ())
        for stmt in self.stmt.body:
            out.extend(self.stores.get(id(stmt), ()))
            if id(stmt) in self.gone:
                continue
            if isinstance(stmt, Apply | Update | Move) and any(n in self.instead for n in (*operands(stmt), *targets(stmt))):
                stmt = self.renamed(stmt)
            if not (isinstance(stmt, Move) and stmt.target == stmt.source):
                out.append(stmt)
        return out

    def renamed(self, stmt):
        """A statement on the sum under the name that it has where less is added to it."""
        stmt = copy.copy(stmt)
        if isinstance(stmt, Apply):
            stmt.args = tuple(map(self.name_of, stmt.args))
        elif isinstance(stmt, Move):
            stmt.source = self.name_of(stmt.source)
        else:
            stmt.target = self.name_of(stmt.target)
        return stmt

    def name_of(self, atom):
        while atom in self.instead:
            atom = self.instead[atom]
        return atom
