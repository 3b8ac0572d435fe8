"""Algebraic identities: those that change no bit everywhere, the others in derivatives only.

Before:                              After:
    a = x * 1.0                          a = x
    b = -y                               c = a - y
    c = a + b

>>> from .example import example, show
>>> show(apply_identities(example(lambda x, y: x * 1.0 + -y)))
negative = -y
add = x - y

The rules are in `arithmetic` and `arrangement`; each takes this pass and a statement, and gives the atom or statement that
replaces it, or None.
"""

import numpy as np

from ...core import Apply, Move, Update, blocks, is_name, names_rebound, operands, targets
from . import arithmetic, arrangement
from .derived import derived_names
from .rewriting import Rewriter, Scoped, count_uses

ROUNDS = 8
UNKNOWN = None, None
RULES = {name: arrangement.RULES.get(name, ()) + arithmetic.RULES.get(name, ()) for name in {**arithmetic.RULES, **arrangement.RULES}}


def apply_identities(program):
    """The program with simpler statements; replaced ones become Moves."""
    return Identities(program).run()


class Identities(Rewriter):
    def __init__(self, program):
        super().__init__(program)
        self.definitions, self.fillings, self.small = {}, {}, set()
        self.totals = Scoped()
        self.tables.append(self.totals)
        self.uses = count_uses(program)
        self.derived = derived_names(program)
        self.blank, self.cleared = {}, {}

    # what rules ask ------------------------------------------------------------
    def definition(self, atom, *ops):
        """The Apply that gives an atom its value, if it is one of `ops` and its operands still have the same values."""
        stmt, versions = self.definitions.get(atom, UNKNOWN) if is_name(atom) else UNKNOWN
        if stmt is None or ops and stmt.op.name not in ops:
            return None
        return stmt if versions is None or versions == tuple(map(self.version, stmt.args)) else None

    def once(self, atom):
        """Whether a name is read once only, so that folding it into its reader saves a statement."""
        return self.uses.get(atom, 2) <= 1

    def loose(self, stmt):
        """Whether a statement belongs to a derivative: zeros may lose their sign there, products may be reordered."""
        return stmt.target in self.derived

    def uniform(self, atom):
        """The number that fills an atom (a literal, or an array of equal numbers); None if there is no such number."""
        return self.fillings.get(atom) if is_name(atom) else atom

    def make(self, stmt, op, *args, **params):
        """Emit a helper statement in front of `stmt`; its name, or the atom that an identity puts in its place."""
        aval = op.infer(*map(self.aval, args), **params)
        weak = all(self.aval(a).weak for a in args) and self.avals[stmt.target].weak
        name = self.fresh(op.name, aval._replace(weak=weak))
        if stmt.target in self.derived:
            self.derived.add(name)
        self.uses[name] = 1
        self.apply(Apply(name, op, tuple(args), params, stmt.origin))
        return self.atom(name)

    # statements ------------------------------------------------------------------
    def apply(self, stmt):
        for _ in range(ROUNDS):
            stmt = self.slim(stmt)
            found = self.simpler(stmt)
            if found is None:
                break
            if not isinstance(found, Apply):
                return self.replace(stmt, found)
            stmt = found
        if stmt.target not in self.mutable:
            fixed = self.mutable.isdisjoint(stmt.args)
            self.definitions[stmt.target] = stmt, None if fixed else tuple(map(self.version, stmt.args))
            if stmt.op.name in arrangement.SPREAD:
                self.small.add(stmt.target)
            if stmt.op.name == "sum":
                place = stmt.args[0], self.version(stmt.args[0]), stmt.params["axis"], stmt.params["keepdims"]
                if place not in self.totals:
                    self.totals[place] = stmt.target
            filling = arrangement.filling(self, stmt)
            if filling is not None:
                self.fillings[stmt.target] = filling
                self.small.add(stmt.target)
        elif stmt.op.name in ("zeros", "empty"):
            self.blank[stmt.target] = self.out, len(self.out), stmt.op.name == "zeros"
        self.emit(stmt)

    def simpler(self, stmt):
        for rule in RULES.get(stmt.op.name, ()):
            found = rule(self, stmt)
            if found is not None and self.keeps(found, stmt):
                return found
        return None

    def keeps(self, found, stmt):
        """Whether a replacement has the aval of what it replaces."""
        want = self.avals[stmt.target]
        if not isinstance(found, Apply):
            have = self.aval(found)
            return have == want or (have.weak and not is_name(found) and want.weak and have.dtype == want.dtype)
        have = found.op.infer(*map(self.aval, found.args), **found.params)
        weak = bool(found.args) and all(self.aval(a).weak for a in found.args)
        return have.shape == want.shape and have.dtype == want.dtype and (weak or not want.weak)

    def replace(self, stmt, atom):
        if is_name(atom) and atom in self.mutable or stmt.target in self.mutable or not is_name(atom):
            return self.emit(Move(stmt.target, atom, stmt.origin))
        self.replaced[stmt.target] = atom
        self.uses[atom] = self.uses.get(atom, 0) + self.uses.get(stmt.target, 0) - 1

    def slim(self, stmt):
        """An elementwise statement that reads the number itself instead of an array filled with it."""
        if not stmt.op.elementwise or self.small.isdisjoint(stmt.args) or (stmt.op.impl is np.power and not self.loose(stmt)):
            return stmt
        for position, arg in enumerate(stmt.args):
            plain = arrangement.narrower(self, arg)
            if plain is None:
                continue
            args = (*stmt.args[:position], plain, *stmt.args[position + 1:])
            found = Apply(stmt.target, stmt.op, args, stmt.params, stmt.origin)
            if not all(self.aval(a).weak for a in args) and self.keeps(found, stmt):
                return self.slim(found)
        return stmt

    # stores into arrays of zeros -----------------------------------------------------
    def emit(self, stmt):
        if not self.cleared and not self.blank:
            return super().emit(stmt)
        if self.cleared:
            for name in (*operands(stmt), *targets(stmt)) if not blocks(stmt) else list(self.cleared):
                self.cleared.pop(name, None)
        for name in [n for n in getattr(stmt, "args", ()) if n in self.blank]:
            self.read(name)
        if isinstance(stmt, Move | Update):
            self.read(stmt.source if isinstance(stmt, Move) else stmt.value)
        return super().emit(stmt)

    def read(self, name):
        """An array that was read can no longer be made by its first store."""
        if name in self.blank:
            out, position, zero = self.blank[name]
            self.blank[name] = None, position, zero

    def loop(self, stmt):
        for name in names_rebound(stmt):
            self.blank.pop(name, None)
        return super().loop(stmt)

    def visit_if(self, stmt):
        for name in names_rebound(stmt):
            self.blank.pop(name, None)
        super().visit_if(stmt)

    def update(self, stmt):
        stmt = self.refill(self.slim_store(stmt))
        if stmt.target not in self.blank:
            zero = stmt.mode == "set" and not is_name(stmt.value) and stmt.value == 0
            place = self.out, len(self.out), self.place(stmt)
            self.emit(stmt)
            if zero and stmt.target in self.derived:
                self.cleared[stmt.target] = place
            return None
        out, position, zero = self.blank.pop(stmt.target)
        if stmt.mode == "add" and zero and not self.repeats(stmt) and stmt.target in self.derived:
            stmt = Update(stmt.target, stmt.index, stmt.args, stmt.value, "set", stmt.origin)
        whole = stmt.mode == "set" and arrangement.is_whole(stmt.index)
        if not whole or out is not self.out or self.aval(stmt.value) != self.avals[stmt.target] or stmt.value == stmt.target:
            return self.emit(stmt)
        out[position] = None
        self.emit(Move(stmt.target, stmt.value, stmt.origin))

    def place(self, stmt):
        return repr(stmt.index), tuple(map(repr, stmt.args)), tuple(map(self.version, stmt.args))

    def refill(self, stmt):
        """A[i] = 0 and then A[i] += v is A[i] = v."""
        out, position, place = self.cleared.get(stmt.target, (None, 0, None))
        if out is not self.out or stmt.mode != "add" or place != self.place(stmt) or self.repeats(stmt) or stmt.value == stmt.target:
            return stmt
        out[position] = None
        return Update(stmt.target, stmt.index, stmt.args, stmt.value, "set", stmt.origin)

    def slim_store(self, stmt):
        """A store of the number that fills an array, or of what is broadcast anyway."""
        plain = arrangement.narrower(self, stmt.value) if self.aval(stmt.value).shape else None
        if plain is None or is_name(plain) and (self.aval(plain).dtype != self.aval(stmt.value).dtype or plain == stmt.target):
            return stmt
        return Update(stmt.target, stmt.index, stmt.args, plain, stmt.mode, stmt.origin)

    def block(self, stmts):
        return [s for s in super().block(stmts) if s is not None]


__all__ = ["apply_identities"]
