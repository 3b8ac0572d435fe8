"""Messages that a program gives when it runs: `print`, `logging`, `warnings.warn`, and what is written to sys.stdout and sys.stderr.

    log.info("loss %s", loss)       ->      logging.getLogger('train').info('loss %s', loss)

They stay statements of the program, in order, with the values of the call.
"""

import sys
import warnings

from ...core import Effect
from . import calls
from .loaded import loaded
from .native import run_native
from .state import Undefined
from .templates import argument_source, class_source, exception_source, placed, printable, text_of

LEVELS = {"debug", "info", "warning", "warn", "error", "critical", "fatal", "exception", "log"}
STREAMS = ("stdout", "stderr")


def leave(ev, function, args, kwargs=(), modules=(), atoms=()):
    """Leave a call in the program: `function` is its source, `modules` are those that it names, `atoms` what it has of `Source`s."""
    atoms = [*atoms]
    text = [argument_source(printable(ev, a), ev.builder, atoms) for a in map(ev.open, args)]
    text += [f"{name}={value}" if isinstance(value, Source) else f"{name}={argument_source(printable(ev, value), ev.builder, atoms)}"
             for name, value in dict(kwargs).items()]
    ev.builder.add(Effect("print", tuple(atoms), {"text": f"{function}({', '.join(text)})", "modules": tuple(modules)}))


class Source(str):
    """Source of an argument, as it is."""

    __slots__ = ()


def stream_of(file):
    """`sys.stdout` or `sys.stderr` as source, or None for another file."""
    return next((Source(f"sys.{name}") for name in STREAMS if file is getattr(sys, name)), None)


def print_(ev, *args, sep=" ", end="\n", file=None, flush=False):
    given = {**({"sep": sep} if sep != " " else {}), **({"end": end} if end != "\n" else {})}
    if file is None or file is sys.stdout:
        return leave(ev, "print", args, given)
    if stream_of(file) is not None:
        return leave(ev, "print", args, {**given, "file": stream_of(file)}, ("sys",))
    texts = [text_of(ev, a) for a in map(ev.open, args)]
    if not all(isinstance(text, str) for text in texts):
        raise ev.error("values of the program are printed to a file", "Print to sys.stdout or sys.stderr, or return the values.")
    return calls.call_native(ev, file.write, (sep.join(texts) + end,), {}, None)


def warn(ev, message, category=None, stacklevel=1, source=None, **rest):
    if isinstance(message, Warning):
        message, category = str(message), type(message)
    name, modules = class_source(placed(category or UserWarning))
    if is_ignored(ev, message, category or UserWarning):
        return
    named = {} if name == "UserWarning" else {"category": Source(name)}
    leave(ev, "warnings.warn", (message,), named, ("warnings", *modules))


def is_ignored(ev, message, category):
    """Whether filters that the program has set around this place (`with warnings.catch_warnings()`) ignore a warning."""
    for action, pattern, kind, module, line in warnings.filters:
        if (action, pattern, kind, module, line) in ev.filters:
            return False
        if issubclass(category, kind) and module is None and not line and (pattern is None or isinstance(message, str) and pattern.match(message)):
            return action == "ignore"
    return False


def log(ev, logger, level, args, kwargs):
    """A message of a logger, whose source is given."""
    exception = kwargs.pop("exc_info", level == "exception")
    if exception is True and ev.handled:
        exception = ev.handled[-1]
    kept = {k: v for k, v in kwargs.items() if k == "extra" and v is not None}
    modules, atoms = ["logging"], []
    if isinstance(exception, BaseException):
        source, more = exception_source(ev, exception, atoms)
        modules += more
        kept["exc_info"] = Source(source)
    elif exception:
        kept["exc_info"] = True
    leave(ev, f"{logger}.{'error' if level == 'exception' else level}", args, kept, modules, atoms)


def of_method(ev, fn, args, kwargs):
    """The result of a method that gives a message, or of logging.info and its like; NotImplemented for others."""
    owner, name = getattr(fn, "__self__", None), getattr(fn, "__name__", "")
    if name in LEVELS and fn is loaded("logging", name):
        return log(ev, "logging", name, args, dict(kwargs))
    if isinstance(owner, loaded("logging", "Logger")) and name in LEVELS:
        return log(ev, logger_source(ev, owner), name, args, dict(kwargs))
    if isinstance(owner, loaded("logging", "LoggerAdapter")) and name in LEVELS:
        before, (message, *rest) = (args[:1], args[1:]) if name == "log" else ((), args)
        process = calls.call if calls.is_user_code(type(owner).process) else run_native
        message, kwargs = process(ev, owner.process, (message, dict(kwargs)), {})
        return calls.call(ev, getattr(owner.logger, name), (*before, message, *rest), kwargs, None)
    stream = stream_of(owner)
    if stream is None or name not in ("write", "flush"):
        return NotImplemented
    leave(ev, f"{stream}.{name}", args, {}, ("sys",))
    return len(args[0]) if args and isinstance(args[0], str) else Undefined("how much is written depends on array values")


def logger_source(ev, logger):
    import logging
    if isinstance(logger, logging.RootLogger):
        return "logging.getLogger()"
    if logging.getLogger(logger.name) is not logger:
        raise ev.error(f"the logger {logger.name} is none that logging.getLogger gives", "Make it with logging.getLogger(name).")
    return f"logging.getLogger({logger.name!r})"


MESSAGES = {print: print_, warnings.warn: warn}

__all__ = ["MESSAGES", "of_method"]
