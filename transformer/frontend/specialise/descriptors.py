"""Attributes that the user's classes compute: properties, descriptors, cached properties, `__getattr__`. Their functions are entered."""

import functools
import inspect

from ...access import Attribute, Item, Kept
from . import calls, special_methods
from .state import is_users

MISSING = object()
ACCESSORS = {"get": "fget", "set": "fset", "delete": "fdel"}


def enter(ev, owner, name, what, *args):
    """What a property or a descriptor of the class of `owner` does to get, set or delete an attribute; NotImplemented where there is none of the user's."""
    found = held(owner, name)
    if isinstance(found, property):
        function = getattr(found, ACCESSORS[what])
        if function is None:
            return NotImplemented
        ev.externals.class_attribute(type(owner), name)
        return calls.call(ev, function, (owner, *args), {})
    if found is MISSING or special_methods.method(found, what) is None:
        return NotImplemented
    holder = next(cls for cls in type(owner).__mro__ if name in vars(cls))
    ev.externals.load(found, Item(Attribute(Kept(holder), "__dict__"), name), f"{holder.__name__}.{name}")
    return special_methods.enter(ev, found, what, owner, *(args if what != "get" else (type(owner),)))


def held(owner, name):
    """What a user's class holds under a name, or MISSING."""
    return inspect.getattr_static(type(owner), name, MISSING) if is_users(type(owner).__module__) else MISSING


def get(ev, owner, name):
    """An attribute of an object that its class computes, NotImplemented for others."""
    if isinstance(owner, type) or not is_users(type(owner).__module__):
        return NotImplemented
    found = special_methods.enter(ev, owner, "getattribute", name)
    if found is not NotImplemented:
        return found
    own, computed = getattr(owner, "__dict__", {}), held(owner, name)
    if isinstance(computed, functools.cached_property):
        return cached(ev, owner, name, computed, own)
    if name not in own or isinstance(computed, property) or special_methods.method(computed, "set"):
        found = enter(ev, owner, name, "get")
        if found is NotImplemented and computed is MISSING and name not in own:
            return special_methods.enter(ev, owner, "getattr", name)
    return found


def cached(ev, owner, name, computed, own):
    """The value of a cached property: computed where there is none yet."""
    if name in own:
        return NotImplemented
    value = calls.call(ev, computed.func, (owner,), {})
    own[name] = value
    return value


__all__ = ["enter", "get"]
