"""Making objects: metaclasses, `__new__` and `__init__` of the user's are entered, as calls of functions are."""

import types

from . import calls


def made(ev, fn, args, kwargs, node):
    """The object that the call of a class, of `super().__call__` in a metaclass or of `Class[item]` makes; NotImplemented for other calls."""
    if isinstance(fn, type):
        return construct(ev, fn, args, kwargs, node)
    if getattr(fn, "__name__", "") == "__call__" and isinstance(getattr(fn, "__self__", None), type):
        return instantiate(ev, fn.__self__, args, kwargs, node)
    if isinstance(getattr(fn, "__origin__", None), type):
        return construct(ev, fn.__origin__, args, kwargs, node)
    return NotImplemented


def construct(ev, cls, args, kwargs, node):
    """Make an object; what of its making is the user's Python code is entered."""
    by_metaclass = type(cls).__call__
    if entered_code(by_metaclass):
        return calls.enter_function(ev, by_metaclass, (cls, *args), kwargs)
    return instantiate(ev, cls, args, kwargs, node)


def instantiate(ev, cls, args, kwargs, node):
    """What `type.__call__` does."""
    new, init = cls.__new__, cls.__init__
    if not entered_code(init) and not entered_code(new):
        return calls.call_native(ev, cls, args, kwargs, node)
    if entered_code(new):
        instance = calls.enter_function(ev, new, (cls, *args), kwargs)
    else:
        instance = cls.__new__(cls) if new is object.__new__ else cls.__new__(cls, *args, **kwargs)
    if isinstance(instance, BaseException):
        ev.constructed[id(instance)] = instance, args, kwargs
    if not isinstance(instance, cls) or not entered_code(init):
        return instance
    ev.externals.guard_method(cls, "__init__", init)
    calls.enter_function(ev, init, (instance, *args), kwargs)
    return instance


def entered_code(fn):
    """Whether it is a function that the user wrote, and not one that a library made."""
    return isinstance(fn, types.FunctionType) and calls.is_user_code(fn) and not fn.__code__.co_filename.startswith(("<string>", "<attrs", "namedtuple_"))


__all__ = ["made"]
