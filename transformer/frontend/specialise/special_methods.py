"""Special methods of the user's classes (`__add__`, `__getitem__`, `__len__`...) are entered, as calls of functions are.

Run natively they would read globals and attributes that nothing guards, and the program would go on answering from old values.
"""

import inspect
import operator
import types
from collections.abc import Mapping

import gast

from ...later import later
from .. import lazy
from ..reference import is_reference
from .state import is_users

calls = later(globals(), "frontend.specialise.calls")

BINARY = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "truediv", gast.FloorDiv: "floordiv", gast.Mod: "mod",
          gast.Pow: "pow", gast.MatMult: "matmul", gast.BitAnd: "and", gast.BitOr: "or", gast.BitXor: "xor", gast.LShift: "lshift",
          gast.RShift: "rshift"}
COMPARE = {gast.Eq: ("eq", "eq"), gast.NotEq: ("ne", "ne"), gast.Lt: ("lt", "gt"), gast.LtE: ("le", "ge"), gast.Gt: ("gt", "lt"),
           gast.GtE: ("ge", "le")}
"""Method of the left operand, method of the right one."""
UNARY = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}
OPERATORS = {getattr(operator, f"__{name}__"): kind for kind, name in (*BINARY.items(), *UNARY.items(), *((kind, name) for kind, (name, _) in COMPARE.items()))}
"""Function of the module operator -> the kind of operation."""
CONVERSIONS = ((abs, "abs"), (float, "float"), (int, "int"), (complex, "complex"), (round, "round"), (operator.index, "index"), (next, "next"))

ITERATING = (sum, max, min, any, all, set, frozenset, dict, iter)
"""Functions of Python that go through their arguments."""


def method(value, name):
    """The special method that a user's class defines in Python, or None."""
    if type(value).__module__ in ("builtins", "numpy") or is_reference(value):
        return None
    found = inspect.getattr_static(type(value), f"__{name}__", None)
    if isinstance(found, types.FunctionType) and calls.is_user_code(found):
        return found
    return None


def enter(ev, value, name, *args):
    """The result of the special method, NotImplemented if the class has none."""
    found = method(value, name)
    if found is None:
        return NotImplemented
    ev.externals.guard_method(type(value), f"__{name}__", found)
    return calls.enter_function(ev, found, (value, *args), {})


def binary(ev, node_op, left, right):
    """`left + right` and its like by special methods, NotImplemented if there are none."""
    name = BINARY[type(node_op)]
    return either(ev, left, right, name, f"r{name}")


def compare(ev, node_op, left, right):
    """`left < right` and its like by special methods, NotImplemented if there are none."""
    names = COMPARE.get(type(node_op))
    if names is None:
        return NotImplemented
    found = either(ev, left, right, *names)
    if found is NotImplemented and isinstance(node_op, gast.NotEq):
        found = either(ev, left, right, "eq", "eq")
        return found if found is NotImplemented else not found
    return found


def either(ev, left, right, name, reflected):
    """The method of the left operand, else that of the right; the other way round where the right one's class is the more special."""
    first = [(left, name, right), (right, reflected, left)]
    if type(right) is not type(left) and issubclass(type(right), type(left)) and method(right, reflected):
        first.reverse()
    for owner, one, other in first:
        found = enter(ev, owner, one, other)
        if found is not NotImplemented:
            return found
    return NotImplemented


def inplace(ev, node_op, old, new):
    """`old += new` and its like by special methods, NotImplemented if there are none."""
    found = enter(ev, old, f"i{BINARY[type(node_op)]}", new)
    return binary(ev, node_op, old, new) if found is NotImplemented else found


def unary(ev, node_op, value):
    return enter(ev, value, UNARY[type(node_op)])


def truth(ev, value):
    """What `bool(value)` asks, or the value itself."""
    if hasattr(type(value), "__transformer_truth__"):
        return value.__transformer_truth__()
    for name in ("bool", "len"):
        found = enter(ev, value, name)
        if found is not NotImplemented:
            return found
    return value


def items(ev, value):
    """The iterator that `iter(value)` gives, or the value itself."""
    found = enter(ev, value, "iter")
    if found is NotImplemented and method(value, "getitem") and not isinstance(value, list | tuple | str | Mapping):
        return calls.enter_function(ev, lazy.counted, (value,), {})
    value = value if found is NotImplemented else found
    return calls.enter_function(ev, lazy.stepped, (value,), {}) if method(value, "next") else value


def contains(ev, container, value):
    return enter(ev, container, "contains", value)


def converted(ev, fn, args):
    """`float(value)` and its like, NotImplemented if the class of the argument has no such method."""
    name = next((name for known, name in CONVERSIONS if known is fn), None)
    return NotImplemented if name is None or not args else enter(ev, args[0], name, *args[1:])


def iterated(ev, fn, args):
    """The arguments of a function that goes through the first one, with an iterator for what a user's class iterates over."""
    goes_through = any(fn is known for known in ITERATING) and (len(args) == 1 or fn is not max and fn is not min)
    return (items(ev, args[0]), *args[1:]) if goes_through and args else args


def operated(ev, fn, args):
    """`operator.add(left, right)` and its like by special methods, NotImplemented for others."""
    kind = OPERATORS.get(fn) if isinstance(fn, types.BuiltinFunctionType) else None
    if kind is None or not any(is_users(type(a).__module__) for a in args):
        return NotImplemented
    return (unary if len(args) == 1 else compare if kind in COMPARE else binary)(ev, kind(), *args)


__all__ = ["binary", "compare", "contains", "converted", "enter", "inplace", "items", "iterated", "method", "operated", "truth", "unary"]
