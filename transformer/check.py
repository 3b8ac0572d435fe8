"""The specification of Core as a function: `check(program)` raises where a program breaks a rule. Tests run it after every pass.

- A name is bound before it is read, in this block or an enclosing one. A name bound in a branch can be read in another `If` on
  the same test, same branch (a *partial* name).
- Apply, For and While bind names that nothing else binds. Move may rebind a parameter or a name that a Move bound; where it
  rebinds a name of an enclosing block, only Moves follow it. The head of a While stores and rebinds nothing outside.
- The recorded aval of a name is what its op infers from the avals of the operands.
- Index templates cover every axis; the tests are scalars; bounds of a For are integers; every output is bound.
"""

from .core import Aval, Hole, Mark, Move, Program, Update, While, is_name, operands, targets, walk
from .errors import TransformError
from .ops import index_templates as templates
from .ops.op import broadcast


class MalformedProgram(TransformError):
    """A pass has built a program that is not Core."""


def check(program: Program):
    """Raise MalformedProgram unless `program` keeps the rules of Core; else return it."""
    Checker(program).run()
    return program


class Scope:
    """The names bound in one block, its enclosing scope, and the names that its `if`s bound in one branch only."""

    def __init__(self, parent=None, partial=None):
        self.parent, self.names, self.partial = parent, set(), {}
        self.reopened = partial

    def owner(self, name):
        """The scope in which `name` is bound, seen from here; None if nowhere."""
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope
            if scope.reopened is not None and name in scope.reopened.names:
                return scope.reopened
            scope = scope.parent
        return None

    def branch(self, key):
        """The partial names that an earlier `if` on the same test has left for this branch."""
        scope = self
        while scope is not None:
            for place in (scope, scope.reopened):
                if place is not None and key in place.partial:
                    return place.partial[key]
            scope = scope.parent
        return None


class Checker:
    def __init__(self, program):
        self.program = program
        self.binders = {}
        self.stmt = None

    def fail(self, what):
        where = f" in {type(self.stmt).__name__} {', '.join(targets(self.stmt))}".rstrip() if self.stmt else ""
        origin = getattr(self.stmt, "origin", None)
        raise MalformedProgram(f"{self.program.name}: {what}{where}", "This is a fault of a pass of transformer.", origin)

    def run(self):
        scope = Scope()
        for param in self.program.params:
            if param in self.binders:
                self.fail(f"parameter {param} occurs twice")
            self.binders[param] = "param"
            self.bind(scope, param)
        self.count_binders()
        self.block(self.program.body, scope, True)
        self.stmt = None
        for atom in self.program.outputs:
            self.read(scope, atom)

    def count_binders(self):
        """`binders` tells parameters, names bound "once" (by Apply, For, While) and names bound by Moves ("many")."""
        for self.stmt in walk(self.program.body):
            if isinstance(self.stmt, Update):
                continue
            for name in targets(self.stmt):
                move, before = isinstance(self.stmt, Move), self.binders.get(name)
                if before is not None and (not move or before == "once"):
                    self.fail(f"{name} is bound twice")
                self.binders.setdefault(name, "many" if move else "once")
        self.stmt = None

    # names -----------------------------------------------------------------------
    def bind(self, scope, name):
        if name not in self.program.avals:
            self.fail(f"{name} has no aval")
        scope.names.add(name)

    def read(self, scope, atom):
        if is_name(atom) and scope.owner(atom) is None:
            self.fail(f"{atom} is read before it is bound")
        return self.program.aval(atom)

    # statements --------------------------------------------------------------------
    def block(self, stmts, scope, top=False, head=False):
        """Check a block; names that it rebinds outside are rebound by the Moves at its end."""
        ended = None
        for stmt in stmts:
            self.stmt = stmt
            for name in () if isinstance(stmt, While) else operands(stmt):
                self.read(scope, name)
            outside = isinstance(stmt, Move) and scope.owner(stmt.target) not in (None, scope)
            if ended is not None and not isinstance(stmt, Move | Mark):
                self.fail(f"the Move to {ended}, bound outside of this block, does not stand at its end")
            if head and (outside or isinstance(stmt, Update) and scope.owner(stmt.target) is not scope):
                self.fail(f"the head of a while changes {stmt.target}")
            ended = stmt.target if outside else ended
            getattr(self, type(stmt).__name__.lower())(stmt, scope, outside)

    def apply(self, stmt, scope, outside):
        have = self.program.avals.get(stmt.target)
        if have is None:
            self.fail(f"{stmt.target} has no aval")
        try:
            want = stmt.op.infer(*map(self.program.aval, stmt.args), **stmt.params)
        except TransformError as error:
            self.fail(f"{stmt.op.name} does not fit its operands ({error.what})")
        if not self.fits(have, want) or (have.weak and have.shape != ()):
            self.fail(f"{stmt.target} is recorded as {have}, but {stmt.op.name} gives {want}")
        self.bind(scope, stmt.target)

    def fits(self, have, want):
        same = len(have.shape) == len(want.shape) and all(None in (m, n) or m == n for m, n in zip(have.shape, want.shape))
        return same and have.dtype == want.dtype

    def move(self, stmt, scope, outside):
        have, want = self.program.avals.get(stmt.target), self.program.aval(stmt.source)
        if have is None:
            self.fail(f"{stmt.target} has no aval")
        if not self.fits(have, want._replace(dtype=have.dtype)) or (have.dtype != want.dtype and not want.weak):
            self.fail(f"{stmt.target} is recorded as {have}, but gets a {want}")
        if not outside:
            self.bind(scope, stmt.target)
        self.forget(scope, stmt.target)

    def forget(self, scope, name):
        """A test that changes no longer opens the branches it has opened."""
        while scope is not None:
            scope.partial = {k: v for k, v in scope.partial.items() if k[0] != name}
            scope = scope.parent

    def update(self, stmt, scope, outside):
        self.forget(scope, stmt.target)
        target, value = self.program.avals[stmt.target], self.program.aval(stmt.value)
        if stmt.mode not in ("set", "add"):
            self.fail(f"unknown mode {stmt.mode}")
        shape = self.template(stmt.index, target, [self.program.aval(a) for a in stmt.args])
        try:
            whole = broadcast(shape, value.shape)
        except TransformError:
            whole = None
        if whole is None or not self.fits(Aval(whole, target.dtype), Aval(shape, target.dtype)):
            self.fail(f"a value of shape {value.shape} is stored into {stmt.target}[...] of shape {shape}")

    def template(self, index, aval, avals):
        """The shape that a canonical template selects."""
        axes = 0
        for entry in index:
            if isinstance(entry, Hole | templates.Window):
                if not 0 <= entry.position < len(avals) or avals[entry.position].dtype.kind not in "biu":
                    self.fail(f"the index {index} of {stmt_name(self.stmt)} has a hole without an integer or boolean operand")
            elif not (entry is None or isinstance(entry, slice | int | templates.Range)) or isinstance(entry, bool):
                self.fail(f"the index {index} is not canonical")
            axes += 0 if entry is None else templates.covered(avals[entry.position]) if isinstance(entry, Hole) else 1
        if axes != len(aval.shape):
            self.fail(f"the index {index} covers {axes} of {len(aval.shape)} axes")
        return templates.result_shape(index, aval.shape, avals)

    def if_(self, stmt, scope, outside):
        self.scalar(stmt.test)
        inner = [Scope(scope, scope.branch((stmt.test, side))) for side in (True, False)]
        for block, side in zip((stmt.body, stmt.orelse), inner):
            self.block(block, side)
        for side, block in zip((True, False), inner):
            block.names |= block.reopened.names if block.reopened else set()
            block.partial = {**(block.reopened.partial if block.reopened else {}), **block.partial}
            scope.partial[stmt.test, side] = block
        both = inner[0].names & inner[1].names
        scope.names |= {n for n in both if self.binders.get(n) != "once"}

    def scalar(self, atom):
        if self.program.aval(atom).shape != ():
            self.fail(f"the test {atom} is {self.program.aval(atom)}, not a scalar")

    def for_(self, stmt, scope, outside):
        for atom in (stmt.lo, stmt.hi):
            aval = self.program.aval(atom)
            if aval.shape != () or aval.dtype.kind not in "iu":
                self.fail(f"the bound {atom} is {aval}, not an integer")
        if not isinstance(stmt.step, int) or stmt.step == 0:
            self.fail(f"the step {stmt.step} is not a static nonzero integer")
        inner = Scope(scope)
        self.bind(inner, stmt.index)
        self.block(stmt.body, inner)

    def while_(self, stmt, scope, outside):
        inner = Scope(scope)
        if stmt.counter:
            self.bind(scope, stmt.counter)
        self.block(stmt.head, inner, head=True)
        self.stmt = stmt
        self.read(inner, stmt.test)
        self.scalar(stmt.test)
        self.block(stmt.body, inner)

    def effect(self, stmt, scope, outside):
        if stmt.kind not in ("print", "raise", "assert"):
            self.fail(f"unknown effect {stmt.kind}")
        holes = [p.position for p in stmt.params.get("template", ()) if isinstance(p, Hole)]
        if any(not 0 <= p < len(stmt.args) for p in holes):
            self.fail("the template of a print has a hole without an operand")

    def mark(self, stmt, scope, outside):
        pass


for _kind in ("if", "for", "while"):
    setattr(Checker, _kind, getattr(Checker, _kind + "_"))


def stmt_name(stmt):
    return ", ".join(targets(stmt)) or type(stmt).__name__


__all__ = ["MalformedProgram", "check"]
