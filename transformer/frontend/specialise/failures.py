"""`raise` and `try`.

The body of a `try` is evaluated, and what it raises is handled there and then. Whether a statement of the running program fails may
depend on values. Where a handler could catch such a failure, types do not decide the program: an un-jitted call goes on in value mode,
in which operations run as they are met, and `jit` tests for the failure first where there is a test (see `caught`), and refuses elsewhere.
"""

from ...core import Effect
from ...errors import IndexMismatch, ShapeError, TransformError, ValueDependent
from ..syntax import contains_yield
from . import branches, calls, caught, generators, statements
from .state import Control, Undefined
from .templates import Template, exception_source


def run_raise(ev, frame, node):
    """Raise now where control is certain to come here, else leave a deferred raise in the program."""
    if node.exc is None:
        if not ev.handled:
            raise ev.error("a bare raise has nothing to raise again", "Name the exception.", node)
        return deliver(ev, ev.handled[-1])
    exception = made(ev, ev.eval(frame, node.exc), node)
    if node.cause is not None:
        exception.__cause__ = made(ev, ev.eval(frame, node.cause), node)
    if ev.handled and ev.handled[-1] is not exception:
        exception.__context__ = ev.handled[-1]
    deliver(ev, exception)


def made(ev, value, node):
    """The exception that `raise value` means."""
    return calls.call(ev, value, (), {}, node) if isinstance(value, type) else value


def deliver(ev, exception):
    """Raise an exception for the `try` around, or for the caller."""
    depth = len(ev.builder.stack)
    if depth in ev.attempts[-1:] or depth == 1 and not any(isinstance(a, Template) for a in exception.args):
        raise exception
    atoms = []
    source, modules = exception_source(ev, exception, atoms)
    ev.builder.add(Effect("raise", tuple(atoms), {"text": f"raise {source}", "exception": type(exception), "modules": modules}))
    if depth > 1:
        raise branches.BranchRaised


def run_try(ev, frame, node):
    handlers = [(handler, kinds(ev, frame, handler)) for handler in node.handlers]
    state = ev.capture() if handlers and ev.refuse_volatile and not contains_yield(node) else None
    classes = tuple(kind for _, found in handlers for kind in found)
    try:
        with ev.builder.nested() as block:
            ev.certain += [block] if state is None else []
            error = attempt(ev, frame, node.body, node, classes)
    except generators.Passing:
        ev.adopt(block)
        ev.run(frame, node.finalbody)
        raise
    kind = caught.possible(ev, block, classes)
    if kind is not None:
        if state is None or node.finalbody:
            raise undecided(ev, kind, node)
        state.restore()
        return caught.Protected(ev, frame, node, handlers, classes).run(node.body)
    ev.adopt(block)
    error = conclude(ev, frame, node, handlers, error)
    ev.run(frame, node.finalbody)
    if error is not None:
        deliver(ev, error)


def conclude(ev, frame, node, handlers, error):
    """Run what follows the body of a `try`, which raised an error, or none; the error that is left, or None."""
    if error is None:
        return attempt(ev, frame, node.orelse, node)
    handler = handler_of(handlers, error)
    return error if handler is None else handle(ev, frame, handler, error, node)


def handler_of(handlers, error):
    """The handler that catches an error, or None."""
    return next((handler for handler, found in handlers if isinstance(error, found)), None)


def kinds(ev, frame, handler):
    """The exception classes that a handler catches."""
    found = BaseException if handler.type is None else ev.eval(frame, handler.type)
    found = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in found):
        raise ev.error("`except` names something that is no class of exceptions", "Name exception classes.", handler)
    return found


def attempt(ev, frame, stmts, node, caught=()):
    """Run a block (statements, or a function); the error that it raises, which is the user's, or None."""
    ev.attempts.append(len(ev.builder.stack))
    before, ev.builder.strict = ev.builder.strict, ev.builder.strict or bool(caught)
    try:
        stmts() if callable(stmts) else ev.run(frame, stmts)
    except (Control, ValueDependent):
        raise
    except Exception as error:
        if isinstance(error, TransformError) and not isinstance(error, IndexMismatch | ShapeError):
            raise
        if ev.builder.failed is error:
            raise undecided(ev, type(error), node)
        return error
    finally:
        ev.attempts.pop()
        ev.builder.strict, ev.builder.failed = before, None
    return None


def undecided(ev, kind, node):
    return ValueDependent(f"whether {kind.__name__} is raised in this try depends on array values",
                          "Test for the case with if or np.where before it fails.", ev.origin(node))


def handle(ev, frame, handler, error, node):
    """Run a handler; the error that it raises, or None. A bare `raise` in it raises the error again."""
    name = None if handler.name is None else handler.name.id
    if name is not None:
        statements.bind(ev, frame, name, error)
    ev.handled.append(error)
    try:
        return attempt(ev, frame, handler.body, node)
    finally:
        ev.handled.pop()
        if name is not None:
            statements.bind(ev, frame, name, Undefined(f"{name} is deleted at the end of `except`"))
