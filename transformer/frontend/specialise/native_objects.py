"""Objects of the standard library and of NumPy with a state of their own: random generators, files, locks, contexts, loggers.

What they hold is no variable of the program: no condition gives it back, no loop carries it. So what may change one happens where it stands, once.
An object that the program made may be used where no condition or loop on array values stands between. One from outside is looked at anew at each
un-jitted call, and is refused where the program would go on with what it once gave.
"""

import collections
import contextvars
import datetime
import functools
import io
import os
import queue
import threading
import types
import uuid

import numpy as np

from ...access import Attribute, Called, Kept
from ...errors import TransformError, ValueDependent
from ...specialised import Guard
from .loaded import loaded
from .state import FOLLOWED, STDLIB

RANDOM = (np.random.Generator, np.random.RandomState)
VOLATILE_MODULES = {"random", "time", "secrets"}
NOW = datetime.datetime.now, datetime.datetime.utcnow, datetime.datetime.today, datetime.date.today
VOLATILE = {*NOW, uuid.uuid1, uuid.uuid4, os.urandom, os.getcwd, os.listdir, os.path.exists, os.path.isfile, os.path.getsize, open, input,
            np.load, np.loadtxt, np.genfromtxt, np.fromfile}
"""Functions that may give something else at each call."""

STATELESS = {"builtins", "collections", "datetime", "fractions", "enum", "re", "pathlib", "operator", "functools", "types", "typing", "dataclasses", "numbers",
             "abc", "string", "inspect", "itertools", "struct", "statistics", "ipaddress", "zoneinfo", "copy", "json", "math", "contextlib",
             "array", "ast", "uuid", "warnings", "unittest", "argparse"}
"""Modules of the standard library whose objects have no state, or one that the program follows."""
UNREAD = (type(threading.Lock()), type(threading.RLock()), type)
"""Classes of other modules on whose state, as on that of Decimals, no result depends."""

LEVELS = {"isEnabledFor", "getEffectiveLevel", "hasHandlers", "getChild"}
"""Methods of loggers from outside that only look: what they give is compared at each call."""
CHANGING = (contextvars.ContextVar, io.IOBase, queue.Queue, queue.SimpleQueue)
"""Classes whose methods, as those of loggers, change what outlives the call."""

MAKERS = {open, np.random.default_rng, contextvars.copy_context}
"""Functions, besides classes and tempfile.TemporaryFile, that make a new object."""


@functools.cache
def is_stateful(cls):
    """Whether objects of a class have a state that the program does not follow."""
    if issubclass(cls, (*UNREAD, *FOLLOWED, loaded("decimal", "Decimal"))):
        return False
    return any(base.__module__.startswith("numpy.random") or is_of_stateful_module(base) for base in cls.__mro__)


def is_of_stateful_module(cls):
    top = cls.__module__.partition(".")[0]
    return top in STDLIB and top.lstrip("_") not in STATELESS


def noted(ev, fn, args, result):
    """What a native function gives. An object that it makes is the program's; what it only looks up outside is compared at each call."""
    owner, name = getattr(fn, "__self__", None), getattr(fn, "__name__", "")
    if not isinstance(owner, list | tuple | dict | set | collections.deque):
        ev.created_inside(result)
    if is_stateful(type(result)) and (isinstance(fn, type) or is_one(fn, MAKERS) or fn is loaded("tempfile", "TemporaryFile")):
        ev.made[id(result)] = result, ev.builder.block
    elif is_read(owner, name):
        ev.externals.guards.append(Guard(Called(Attribute(Kept(owner), name), args), result, f"{type(owner).__name__}.{name}()"))
    elif fn is loaded("decimal", "getcontext") or fn is loaded("logging", "getLogger"):
        ev.externals.register(result, Called(Kept(fn), args), f"{fn.__name__}()")
    return result


def is_read(owner, name):
    """Whether a method of an object from outside only looks."""
    return isinstance(owner, loggers()) and name in LEVELS or isinstance(owner, contextvars.ContextVar) and name == "get"


def loggers():
    """The classes of loggers, if the program has them."""
    return loaded("logging", "Logger"), loaded("logging", "LoggerAdapter")


def note_entered(ev, manager, value):
    """What a context manager gives is made where it is entered."""
    if is_stateful(type(value)) and (value is not manager or id(manager) in ev.made):
        ev.made[id(value)] = value, ev.builder.block
    return value


def is_one(fn, functions):
    try:
        return fn in functions
    except TypeError:
        return False


def check_call(ev, fn, owner, args, kwargs, node):
    """Before a native function runs: it must neither draw what would be frozen into the program nor change what the program does not follow."""
    module, name = getattr(fn, "__module__", None) or "", getattr(fn, "__name__", "")
    if (fn is os.getenv or owner is os.environ) and args and isinstance(args[0], str):
        ev.externals.environment(args[0])
    if fn is np.errstate or fn is np.seterr:
        refuse_raising(ev, fn, (*args, *kwargs.values()), node)
    known = isinstance(owner, types.ModuleType | type | None)
    if known or owner is os.environ or not (is_stateful(type(owner)) or module.startswith("numpy.random")):
        drawn = module.startswith("scipy.stats") and name == "rvs" or module.startswith("numpy.random")
        if drawn or module in VOLATILE_MODULES and isinstance(fn, types.BuiltinFunctionType) or is_one(fn, VOLATILE):
            draw(ev, f"{module or type(owner).__name__}.{getattr(fn, '__name__', fn)}", node)
    elif id(owner) in ev.made:
        if type(owner).__name__ == "Random" or isinstance(owner, RANDOM):
            draw(ev, f"{module or type(owner).__name__}.{name}", node, inside=True)
        check_place(ev, owner, f".{name}() is called", ev.origin(node))
    elif is_read(owner, name):
        return
    elif isinstance(owner, (*CHANGING, *loggers(), loaded("logging", "Filterer"))):
        raise refusal(owner, f".{name}() is called", ev.origin(node))
    else:
        draw(ev, f"{module or type(owner).__name__}.{name}", node)


def refuse_raising(ev, fn, settings, node):
    """Operations of a program raise nothing for the sake of their values."""
    if {"raise", "call"} & {setting for setting in settings if isinstance(setting, str)}:
        raise ev.error(f"np.{fn.__name__} is to raise floating-point errors, which no program does", "Test the values, as with np.isfinite.", node)


def draw(ev, name, node, inside=False):
    """Note a call whose result differs from call to call, refuse it in a compiled function. inside: of an object made inside."""
    name = name.replace("numpy.random.mtrand", "np.random")
    ev.volatile = (name, ev.origin(node))
    if ev.refuse_volatile:
        raise ev.error(f"{name} is called in a compiled function: its value would be drawn once and never again",
                       "Draw outside and pass the numbers as an argument.", node)
    if not inside and not is_certain(ev, ev.builder.stack[0]):
        raise conditional(name, "is called", ev.origin(node))


def check_place(ev, owner, what, origin):
    """Refuse to change an object under a condition, or in a loop, that it was made outside of."""
    if not is_certain(ev, ev.made[id(owner)][1]):
        raise conditional(f"a {type(owner).__name__}", f"is changed ({what})", origin)


def is_certain(ev, home):
    """Whether control comes to the place at hand once for each time it comes to a block around it. The body of a `try` is none of its own."""
    for block in reversed(ev.builder.stack):
        if block is home:
            return True
        if not any(block is certain for certain in ev.certain):
            return False
    return False


def conditional(name, what, origin):
    return ValueDependent(f"{name} {what} under a condition or in a loop on array values, and has a state that no program follows",
                          "Use it in front of the condition or loop.", origin)


def check_store(ev, owner, what, origin):
    """Refuse a store into an object whose state no program follows, unless the program made it and always comes here."""
    if not isinstance(owner, type) and is_stateful(type(owner)):
        if id(owner) not in ev.made:
            raise refusal(owner, what, origin)
        check_place(ev, owner, what, origin)


def refusal(owner, what, origin):
    return TransformError(f"a {type(owner).__name__} outlives the call and is changed here ({what})",
                          "Do it before or after the call; a transformed function has no side effects.", origin)


__all__ = ["check_call", "check_store", "note_entered", "noted"]
