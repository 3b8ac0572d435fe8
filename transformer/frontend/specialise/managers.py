"""`with`: context managers are entered and left while transforming.

Those of the user's classes are entered as calls are. Of a function made by contextlib.contextmanager, the body of `with` runs where it yields, so
that its own `try` and `finally` stand around it.
"""

import contextlib
import types

import gast

from ...errors import ValueDependent
from .. import parse
from ..reference import is_reference
from . import branches, calls, caught, failures, generators, native_objects, special_methods


def run_with(ev, frame, node):
    run_items(ev, frame, node, 0)


def run_items(ev, frame, node, number):
    """Enter the managers from a position on, and run the body inside of them."""
    if number == len(node.items):
        return ev.run(frame, node.body)
    item = node.items[number]
    manager = ev.eval(frame, item.context_expr)
    if is_reference(manager):
        raise ev.error("an array is no context manager", "Use `with` on static objects such as np.errstate().", node)

    def body(value):
        if item.optional_vars is not None:
            ev.assign(frame, item.optional_vars, value)
        run_items(ev, frame, node, number + 1)
    function = getattr(manager, "func", None) if type(manager) is contextlib._GeneratorContextManager else None
    if isinstance(function, calls.Closure) or isinstance(function, types.FunctionType) and calls.is_user_code(function):
        return run_generator(ev, frame, manager, body)
    enter, leave = (of_user if special_methods.method(manager, "enter") else of_library)(ev, manager)
    around(ev, frame, node, manager, lambda: body(enter()), leave)


def run_generator(ev, frame, manager, body):
    """Run the body where the generator of a manager yields."""
    generator, taken = calls.call(ev, manager.func, manager.args, manager.kwds), []

    def take(value):
        taken.append(value)
        ev.frames.append(frame)
        try:
            body(value)
        finally:
            ev.frames.pop()
        return False
    generator.run(generators.Consumer(take))
    if not taken:
        raise RuntimeError("generator didn't yield")


def of_user(ev, manager):
    """(enter, leave) of a manager whose class is the user's."""
    return (lambda: special_methods.enter(ev, manager, "enter")), lambda *error: special_methods.enter(ev, manager, "exit", *error)


def of_library(ev, manager):
    return (lambda: native_objects.note_entered(ev, manager, manager.__enter__())), manager.__exit__


def around(ev, frame, node, manager, body, leave):
    """Run a body inside of a manager, and leave it; what an error is that the manager takes ends here."""
    start, classes = len(ev.builder.block), swallowed(manager)
    try:
        error = failures.attempt(ev, frame, body, node, classes)
    except BaseException:
        if special_methods.method(manager, "exit") is None:
            leave(None, None, None)
        raise
    kind = caught.possible(ev, ev.builder.block[start:], classes)
    if kind is not None:
        raise failures.undecided(ev, kind, node)
    if error is None:
        leave(None, None, None)
        return
    taken = branches.truth(ev, leave(type(error), error, error.__traceback__), node)
    if is_reference(taken):
        raise ValueDependent("whether a context manager takes an error depends on array values", "Catch it with try.", ev.origin(node))
    if not taken:
        failures.deliver(ev, error)


def swallowed(manager):
    """The classes of errors that a manager may take."""
    if isinstance(manager, contextlib.suppress):
        return manager._exceptions
    leaving = special_methods.method(manager, "exit")
    if leaving is None:
        return ()
    returns = [n.value for n in gast.walk(parse.parse(leaving).node) if isinstance(n, gast.Return)]
    gives_none = all(value is None or isinstance(value, gast.Constant) and not value.value for value in returns)
    return () if gives_none else (Exception,)


__all__ = ["run_with"]
