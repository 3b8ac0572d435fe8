"""Native code: what is run as it stands, and how it is run."""

import types

import numpy as np

from ...errors import NeedStatic, TakenOut, TransformError
from ...ops import op as optable
from ..reference import contains_reference
from . import choices, native_objects
from .state import Control


def run_native(ev, fn, args, kwargs):
    """Call native code. What it does with abstract values says nothing of the program: errors of it are not the user's, nor can it swallow ours."""
    before, ev.called_back, ev.escaped = (ev.called_back, ev.escaped), None, None
    try:
        result = native_objects.noted(ev, fn, args, fn(*args, **kwargs))
        if isinstance(ev.escaped, TransformError | Control):
            raise ev.escaped
        return result
    except Exception as error:
        if isinstance(error, TypeError) and not isinstance(error, TransformError) and choices.inside((*args, *kwargs.values())):
            raise choices.undecided(ev.origin()) from error
        if ev.called_back is not None and not is_ours(ev, error):
            raise not_called_back(ev, fn, ev.called_back, error) from error
        if ev.builder.strict and not is_ours(ev, error) and not isinstance(error, TypeError) and contains_reference([*args, *kwargs.values()]):
            raise ev.error(f"{getattr(fn, '__name__', fn)} cannot be called with an abstract value ({error})", "Call it outside of the try.") from error
        raise
    finally:
        ev.called_back, ev.escaped = before


def is_ours(ev, error):
    """Whether an error is the evaluator's or of a function of the user's, and not of native code that an abstract value was returned to."""
    if isinstance(error, NeedStatic | TakenOut) and ev.called_back is not None:
        return error.origin is not None
    return isinstance(error, TransformError | Control) or error is ev.escaped and not isinstance(error, SystemError)


def not_called_back(ev, fn, callback, error):
    """The error for native code that cannot go on with what a function of the user's returns while it is transformed."""
    cause = error.__cause__ if isinstance(error, SystemError) else None
    detail = str(cause or error).partition("\n")[0]
    return ev.error(f"{optable.describe(fn)} is not known to transformer, and cannot be run while transforming: it calls {callback.__name__}, "
                    f"whose values only the running program has ({detail})",
                    "Write it with NumPy (a loop, a condition), or call it outside of the transformed function.")


PLAIN = (bool, int, float, complex, str, type(None), np.ndarray, np.generic, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc)


def may_read_abstract(fn, seen=()):
    """Whether a function defined in the one at hand may read abstract values from the frames around it."""
    if not hasattr(type(fn), "frame_values") or any(fn is s for s in seen):
        return False
    return any(not (isinstance(v, PLAIN) or hasattr(type(v), "frame_values")) or may_read_abstract(v, (*seen, fn)) for v in fn.frame_values())


def has_source(implementation):
    """Whether an implementation is entered: a function, an object that is called, or a method of one."""
    return hasattr(implementation, "entered") or hasattr(getattr(implementation, "__self__", None), "entered")


__all__ = ["has_source", "may_read_abstract", "run_native"]
