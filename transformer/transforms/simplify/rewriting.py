"""The walk that the simplifying passes share: statements in order, with versions of the names that are rebound or stored into.

A name that only an Apply (or a loop, or the caller) binds is immutable. Any other name has a version that changes with every Move and
Update, on the way into a loop that changes it and on the way out of a branch that does: two reads see the same value if they see
the same version.
"""

import itertools
import operator
from contextlib import ExitStack, contextmanager

from ...core import Apply, Effect, For, Hole, If, Move, Program, Update, While, is_name, names_rebound, operands, walk
from ...frontend.builder import RESERVED


class Scoped(dict):
    """A dict whose entries made inside `with table:` go away at its end."""

    def __init__(self):
        super().__init__()
        self.marks, self.log = [], []

    def __setitem__(self, key, value):
        if self.marks:
            self.log.append((key, self.get(key, Scoped)))
        super().__setitem__(key, value)

    def __enter__(self):
        self.marks.append(len(self.log))

    def __exit__(self, *exc):
        for _ in range(len(self.log) - self.marks.pop()):
            key, before = self.log.pop()
            if before is Scoped:
                del self[key]
            else:
                super().__setitem__(key, before)


class Rewriter:
    """Rebuilds a program statement by statement. Passes override `apply`, `move`, `update`; `tables` are scoped by block."""

    def __init__(self, program):
        self.program = program
        self.avals, self.hints = dict(program.avals), dict(program.hints)
        self.mutable = {s.target for s in walk(program.body) if type(s) in (Move, Update)}
        self.versions, self.clock = {}, itertools.count(1)
        self.replaced = {}
        self.out = []
        self.tables = []
        self.numbers = {}
        self.depth = 0

    def run(self):
        """The program rewritten; the same object if nothing in it has changed."""
        p = self.program
        body = self.block(p.body)
        outputs = [self.atom(a) for a in p.outputs]
        if alike(body, p.body) and alike(outputs, p.outputs):
            return p
        return Program(p.name, list(p.params), body, outputs, self.avals, self.hints, self.counters())

    def counters(self):
        """The counters, and what stands for them now."""
        return set(self.program.counters) | {n for n in map(self.replaced.get, self.program.counters) if is_name(n)}

    # names --------------------------------------------------------------------
    def aval(self, atom):
        return self.avals[atom] if is_name(atom) else self.program.aval(atom)

    def atom(self, atom):
        """What stands for an atom now."""
        return self.replaced.get(atom, atom) if is_name(atom) else atom

    def atoms(self, atoms):
        """What stands for atoms now; the same tuple if they stand for themselves."""
        if not self.renames():
            return atoms
        found = tuple(map(self.atom, atoms))
        return atoms if alike(found, atoms) else found

    def repeats(self, stmt):
        """Whether arrays are in the index of an Update: they may name an element twice."""
        return any(self.aval(stmt.args[e.position]).shape for e in stmt.index if isinstance(e, Hole))

    def renames(self):
        """Whether something may stand for a name; if not, statements stay as they are."""
        return bool(self.replaced)

    def version(self, atom):
        return self.versions.get(atom, 0) if is_name(atom) else 0

    def bump(self, name):
        self.versions[name] = next(self.clock)

    def fresh(self, hint, aval):
        base = hint + "_" if hint in RESERVED else hint
        number = self.numbers.get(base, 0)
        name = base
        while name in self.avals:
            number += 1
            name = f"{base}_{number}"
        self.numbers[base] = number
        self.avals[name], self.hints[name] = aval, base
        return name

    # statements -----------------------------------------------------------------
    def emit(self, stmt):
        self.out.append(stmt)
        if type(stmt) in (Move, Update):
            self.bump(stmt.target)

    def block(self, stmts):
        """The rewritten statements of a block."""
        outer, self.out = self.out, []
        for stmt in stmts:
            self.stmt(stmt)
        self.out, inner = outer, self.out
        return inner

    def stmt(self, stmt):
        if type(stmt) is Apply:
            return self.visit_apply(stmt)
        getattr(self, "visit_" + type(stmt).__name__.lower())(stmt)

    def visit_apply(self, stmt):
        args = self.atoms(stmt.args)
        self.apply(stmt if args is stmt.args else Apply(stmt.target, stmt.op, args, stmt.params, stmt.origin))

    def visit_move(self, stmt):
        source = self.atom(stmt.source)
        if source != stmt.target or not is_name(source):
            self.move(stmt if source is stmt.source else Move(stmt.target, source, stmt.origin))

    def visit_update(self, stmt):
        args, value = self.atoms(stmt.args), self.atom(stmt.value)
        kept = args is stmt.args and value is stmt.value
        self.update(stmt if kept else Update(stmt.target, stmt.index, args, value, stmt.mode, stmt.origin))

    def visit_effect(self, stmt):
        args = self.atoms(stmt.args)
        self.emit(stmt if args is stmt.args else Effect(stmt.kind, args, stmt.params, stmt.origin))

    def visit_mark(self, stmt):
        self.emit(stmt)

    apply = move = update = branch = emit

    @contextmanager
    def scope(self):
        """What is put into the tables inside goes away at the end."""
        with ExitStack() as stack:
            for table in self.tables:
                stack.enter_context(table)
            self.depth += 1
            yield
            self.depth -= 1

    @contextmanager
    def loop(self, stmt):
        """The scope of a loop: names that it changes have new versions inside and after."""
        changed = names_rebound(stmt)
        for name in changed:
            self.bump(name)
        with self.scope():
            yield
        for name in changed:
            self.bump(name)

    def visit_if(self, stmt):
        test = self.atom(stmt.test)
        test = stmt.test if test in self.mutable else test
        changed = names_rebound(stmt)
        before = {n: self.version(n) for n in changed}
        with self.scope():
            body = self.block(stmt.body)
        self.versions.update(before)
        with self.scope():
            orelse = self.block(stmt.orelse)
        for name in changed:
            self.bump(name)
        kept = test is stmt.test and alike(body, stmt.body) and alike(orelse, stmt.orelse)
        self.branch(stmt if kept else If(test, body, orelse, stmt.origin))

    def visit_for(self, stmt):
        lo, hi = self.atom(stmt.lo), self.atom(stmt.hi)
        with self.loop(stmt):
            body = self.block(stmt.body)
        kept = lo is stmt.lo and hi is stmt.hi and alike(body, stmt.body)
        self.emit(stmt if kept else For(stmt.index, lo, hi, stmt.step, body, stmt.origin))

    def visit_while(self, stmt):
        with self.loop(stmt):
            head = self.block(stmt.head)
            test = self.atom(stmt.test)
            body = self.block(stmt.body)
        kept = test is stmt.test and alike(head, stmt.head) and alike(body, stmt.body)
        self.emit(stmt if kept else While(head, test, body, stmt.counter, stmt.origin))


def alike(found, given):
    """Whether two sequences hold the same objects."""
    return len(found) == len(given) and all(map(operator.is_, found, given))


def holds(program, *kinds):
    """Whether a program has a statement of one of these kinds."""
    return not set(kinds).isdisjoint(map(type, walk(program.body)))


def count_uses(program):
    """How many times each name is read."""
    uses = dict.fromkeys(program.avals, 0)
    for stmt in walk(program.body):
        for name in operands(stmt):
            uses[name] += 1
    for atom in program.outputs:
        if is_name(atom):
            uses[atom] += 1
    return uses

