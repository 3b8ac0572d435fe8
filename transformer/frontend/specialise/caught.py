"""What a handler may catch when the program runs: failures that depend on values.

Compiled code does not raise in the middle: a matrix that cannot be inverted gives nan. For failures that a test foretells, a compiled `try`
becomes a condition:

    try:                                  failed = np.any(np.isnan(np.linalg.inv(a))) and not np.any(np.isnan(a))
        b = np.linalg.inv(a)              if failed:
    except LinAlgError:             ->        b = np.linalg.pinv(a)
        b = np.linalg.pinv(a)             else:
                                              b = np.linalg.inv(a)

The statement of the body is evaluated twice, for the test and behind it, so that no derivative is taken of what failed.
"""

import gast

from ...core import Apply, Effect, Update, is_name, walk
from ...ops import failing
from ..syntax import at
from . import branches, failures


def possible(ev, stmts, classes):
    """The class of an exception that a statement of the running program could raise and a handler of `classes` catch, or None."""
    return next((kind for stmt in walk(stmts) for kind in raised_by(ev, stmt) if is_caught(kind, classes)), None)


def is_caught(kind, classes):
    return any(issubclass(kind, c) or issubclass(c, kind) for c in classes)


def raised_by(ev, stmt):
    """The classes of exceptions that a statement may raise, depending on values."""
    if isinstance(stmt, Effect):
        return (stmt.params["exception"],) if stmt.kind == "raise" else ()
    if stmt in ev.builder.folded or not isinstance(stmt, Apply | Update):
        return ()
    found = ()
    if isinstance(stmt, Update) and stmt.args or isinstance(stmt, Apply) and ("index" in stmt.params and len(stmt.args) > 1 or stmt.op.along):
        found += (IndexError,)
    return found + failing.raised_by(stmt.op, ev.builder.avals[stmt.target]) if isinstance(stmt, Apply) else found


def foretold(ev, stmt, classes):
    """(the abstract test for a failure of a statement, the exception), or None where there is no test."""
    kind = next(kind for kind in raised_by(ev, stmt) if is_caught(kind, classes))
    if not isinstance(stmt, Apply):
        return None
    return failing.foretold(stmt.op, kind, [ev.builder.reference(a) if is_name(a) else a for a in stmt.args], stmt.params)


class Protected:
    """The body of a `try` of which single statements may fail. handlers: [(handler, the classes it catches)]; classes: of all of them."""

    def __init__(self, ev, frame, node, handlers, classes):
        self.ev, self.frame, self.node, self.handlers, self.classes = ev, frame, node, handlers, classes

    def run(self, stmts, passed=0):
        """Run statements of the body and what follows it. passed: how many failures of the first one have been excluded."""
        if not stmts:
            return self.conclude(None)
        builder, before = self.ev.builder, self.ev.capture()
        with builder.nested() as made:
            error = failures.attempt(self.ev, self.frame, stmts[:1], self.node, self.classes)
        failing = [s for s in made if possible(self.ev, [s], self.classes) is not None][passed:]
        if not failing:
            self.ev.adopt(made)
            return self.run(stmts[1:]) if error is None else self.conclude(error)
        first = failing[0]
        if not all(isinstance(s, Apply) for s in made):
            raise self.undecided(first)
        before.restore()
        builder.block.extend(made[:made.index(first)])
        found = foretold(self.ev, first, self.classes)
        if found is None:
            raise self.undecided(first)
        test, error = found
        branches.choose(self.ev, test, lambda: self.conclude(error), lambda: self.run(stmts, passed + 1), self.choice(error))

    def choice(self, error):
        """An `if` in place of the `try`. A handler that leaves needs no value for names that are not read after it."""
        node, handler = at(gast.If(None, [], []), self.node), failures.handler_of(self.handlers, error)
        if hasattr(handler, "left"):
            node.left = {"body": handler.left}
        return node

    def undecided(self, stmt):
        return failures.undecided(self.ev, possible(self.ev, [stmt], self.classes), self.node)

    def conclude(self, error):
        error = failures.conclude(self.ev, self.frame, self.node, self.handlers, error)
        if error is not None:
            failures.deliver(self.ev, error)
