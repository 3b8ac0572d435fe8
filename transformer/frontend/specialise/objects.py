"""Making objects: metaclasses, `__new__` and `__init__` of the user's are entered, as calls of functions are."""

import dataclasses
import inspect
import types

from . import calls, expressions, statements


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
    if entered_code(getattr(cls, "__post_init__", None)) and is_generated(init) and new is object.__new__:
        return dataclass_instance(ev, cls, args, kwargs)
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


def is_generated(init):
    """Whether `dataclasses` has written an `__init__`."""
    return isinstance(init, types.FunctionType) and init.__code__.co_filename.startswith("<string>")


def dataclass_instance(ev, cls, args, kwargs):
    """What the `__init__` of a dataclass does whose `__post_init__` is the user's."""
    instance, given = cls.__new__(cls), inspect.signature(cls.__init__).bind(None, *args, **kwargs).arguments
    fields = {field.name: field for field in dataclasses.fields(cls)}
    passed_on = [name for name in cls.__dataclass_fields__ if name not in fields and name in inspect.signature(cls.__init__).parameters]
    for name, field in fields.items():
        if name in given:
            value = given[name]
        elif field.default_factory is not dataclasses.MISSING:
            value = calls.call(ev, field.default_factory, (), {})
        elif field.default is not dataclasses.MISSING:
            value = expressions.load_attribute(ev, cls, name, None) if name in vars(cls) else field.default
        else:
            continue
        if cls.__dataclass_params__.frozen:
            object.__setattr__(instance, name, value)
        else:
            statements.set_attribute(ev, instance, name, value)
    calls.call(ev, instance.__post_init__, tuple(given[name] if name in given else getattr(cls, name) for name in passed_on), {})
    return instance


def entered_code(fn):
    """Whether it is a function that the user wrote, and not one that a library made."""
    return isinstance(fn, types.FunctionType) and calls.is_user_code(fn) and not fn.__code__.co_filename.startswith(("<string>", "<attrs", "namedtuple_"))


__all__ = ["made"]
