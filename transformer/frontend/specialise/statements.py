"""Execution of statements: one function per kind of node."""

import importlib
from collections import deque

import gast
import numpy as np

from ...access import Kept
from ..ragged import is_ragged
from ..reference import is_reference
from . import alternatives, branches, calls, choices, descriptors, expressions, failures, iteration, loops, managers, special_methods, whiles
from .state import Undefined

INPLACE = {gast.Add: "iadd", gast.Sub: "isub", gast.Mult: "imul", gast.Div: "itruediv", gast.FloorDiv: "ifloordiv", gast.Mod: "imod",
           gast.Pow: "ipow", gast.MatMult: "imatmul", gast.BitAnd: "iand", gast.BitOr: "ior", gast.BitXor: "ixor",
           gast.LShift: "ilshift", gast.RShift: "irshift"}


def run_assign(ev, frame, node):
    value = ev.eval(frame, node.value)
    for target in node.targets:
        assign(ev, frame, target, value)


def assign(ev, frame, target, value):
    """Bind a target: a name, a subscript, an attribute, or a tuple of targets."""
    if isinstance(target, gast.Name):
        bind(ev, frame, target.id, value)
    elif isinstance(target, gast.Subscript):
        store_item(ev, ev.eval(frame, target.value), ev.eval(frame, target.slice), value, target)
    elif isinstance(target, gast.Attribute):
        owner = ev.eval(frame, target.value)
        ev.refuse_mutation(owner, f"attribute {target.attr} is set", ev.origin(target))
        if type(owner) is np.ndarray and ev.must_promote(owner, (), value):
            owner = ev.promote(owner, target)
        if is_reference(owner):
            ev.builder.origin = ev.origin(target)
            return owner.store_attribute(target.attr, value)
        set_attribute(ev, owner, target.attr, value)
    else:
        unpack(ev, frame, target, value)


def set_attribute(ev, owner, name, value):
    """Set an attribute; those of functions that are defined inside are kept apart, and what the user's classes do instead is entered."""
    if isinstance(owner, calls.Closure):
        owner.attributes[name] = value
    elif special_methods.enter(ev, owner, "setattr", name, value) is NotImplemented and \
            descriptors.enter(ev, owner, name, "set", value) is NotImplemented:
        setattr(owner, name, value)


def delete_item(ev, owner, index, node):
    if isinstance(index, choices.Choice):
        return index.use(ev, lambda one: delete_item(ev, owner, one, node), node)
    if isinstance(owner, dict):
        ev.usable(owner.get(index), node)
    del owner[index]


def delete_attribute(ev, owner, name, node):
    ev.refuse_mutation(owner, f"attribute {name} is deleted", ev.origin(node))
    if special_methods.enter(ev, owner, "delattr", name) is NotImplemented and descriptors.enter(ev, owner, name, "delete") is NotImplemented:
        delattr(owner, name)


def bind(ev, frame, name, value):
    owner = frame
    while name in owner.outer and owner.parent is not None:
        owner = owner.parent
    if is_reference(value):
        ev.builder.rename(value, name)
    owner.env[name] = value


def unpack(ev, frame, target, value):
    items = iteration.as_items(value) if isinstance(value, np.ndarray) else None
    values = expressions.iterate(ev, value) if items is None else list(items)
    stars = [i for i, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
    count = len(target.elts)
    if len(values) != count and not stars or len(values) < count - 1:
        word = "too many" if len(values) > count else "not enough"
        raise ev.error(f"{word} values to unpack: {len(values)} for {count} names", "Make both sides the same length.", target)
    if stars:
        first, rest = stars[0], count - stars[0] - 1
        middle = values[first:len(values) - rest]
        values = [*values[:first], middle, *values[len(values) - rest:]]
    for one, item in zip(target.elts, values):
        assign(ev, frame, one.value if isinstance(one, gast.Starred) else one, item)


def store_item(ev, owner, index, value, node):
    if isinstance(index, choices.Choice):
        return index.use(ev, lambda one: store_item(ev, owner, one, value, node), node)
    if isinstance(owner, dict):
        ev.joined.check_among(index, owner, ev.origin(node))
    if isinstance(owner, list | dict) and not is_reference(index) and is_same(owner, index, value):
        return
    if special_methods.enter(ev, owner, "setitem", index, value) is not NotImplemented:
        return
    ev.refuse_mutation(owner, "an element is set", ev.origin(node))
    if type(owner) is np.ndarray and ev.must_promote(owner, index, value):
        owner = ev.promote(owner, node)
    if is_reference(index) and isinstance(owner, list) and index.known is None and index.dtype.kind in "iu":
        return alternatives.put(ev, owner, index, value)
    if is_reference(index) and isinstance(owner, list):
        index = index.static("the position in a list").item()
    ev.builder.origin = ev.origin(node)
    owner[index] = value


def is_same(owner, index, value):
    """Whether the element is this very object already: what an in-place operation leaves behind."""
    try:
        return owner[index] is value
    except (LookupError, TypeError):
        return False


def run_augassign(ev, frame, node):
    import operator

    def apply(old, new):
        if isinstance(old, choices.Choice) or isinstance(new, choices.Choice):
            return expressions.operated(ev, node, old, new)
        found = special_methods.inplace(ev, node.op, old, new)
        return getattr(operator, INPLACE[type(node.op)])(old, new) if found is NotImplemented else found
    target = node.target
    if isinstance(target, gast.Name):
        old = ev.eval(frame, gast.copy_location(gast.Name(target.id, gast.Load(), None, None), target))
        new = ev.eval(frame, node.value)
        bind(ev, frame, target.id, apply(writable(ev, old, new, node), new))
        return
    owner = ev.eval(frame, target.value)
    if isinstance(target, gast.Attribute):
        from .expressions import load_attribute
        old = load_attribute(ev, owner, target.attr, target)
        new = ev.eval(frame, node.value)
        if type(owner) is np.ndarray and ev.must_promote(owner, (), new):
            owner = ev.promote(owner, target)
            old = load_attribute(ev, owner, target.attr, target)
        ev.refuse_mutation(owner, f"attribute {target.attr} is set", ev.origin(target))
        if is_reference(owner):
            ev.builder.origin = ev.origin(target)
            return owner.store_attribute(target.attr, plain_operator(node)(old, new))
        set_attribute(ev, owner, target.attr, apply(writable(ev, old, new, node), new))
        return
    add_to_item(ev, frame, node, owner, ev.eval(frame, target.slice), apply)


def add_to_item(ev, frame, node, owner, index, apply):
    """`owner[index] += value` and its like."""
    from .expressions import load_item
    target = node.target
    if isinstance(index, choices.Choice):
        return index.use(ev, lambda one: add_to_item(ev, frame, node, owner, one, apply), node)
    if type(owner) is np.ndarray and ev.has_dynamic(index):
        owner = ev.promote(owner, target)
    old = ev.usable(load_item(ev, owner, index, target), target)
    new = ev.eval(frame, node.value)
    if is_reference(owner) or type(owner) is np.ndarray or is_ragged(owner):
        store_item(ev, owner, index, plain_operator(node)(old, new), target)
        return
    store_item(ev, owner, index, apply(writable(ev, old, new, node), new), target)


def plain_operator(node):
    """The operation of an augmented assignment, with a result of its own."""
    import operator
    name = INPLACE[type(node.op)][1:]
    return getattr(operator, name + "_" if name in ("and", "or") else name)


def writable(ev, old, new, node):
    """The left side of an in-place operation: a static array that will hold abstract values joins the program first."""
    if isinstance(old, list | dict | set | deque):
        ev.refuse_mutation(old, "it is changed in place", ev.origin(node))
    if type(old) is np.ndarray and ev.must_promote(old, (), new):
        return ev.promote(old, node)
    return old


def run_expr(ev, frame, node):
    ev.eval(frame, node.value)


def run_if(ev, frame, node):
    test = branches.truth(ev, ev.eval(frame, node.test), node)
    if test is True or test is False:
        ev.run(frame, node.body if test else node.orelse)
        return
    branches.choose(ev, test, lambda: ev.run(frame, node.body), lambda: ev.run(frame, node.orelse), node)


def run_return(ev, frame, node):
    frame.result = None if node.value is None else ev.eval(frame, node.value)


def run_def(ev, frame, node):
    from .calls import Closure, call
    decorators = [ev.eval(frame, d) for d in node.decorator_list]
    value = Closure(ev, frame, node)
    for decorator in reversed(decorators):
        value = call(ev, decorator, (value,), {}, node)
    bind(ev, frame, node.name, value)


def run_pass(ev, frame, node):
    pass


def run_delete(ev, frame, node):
    for target in node.targets:
        if isinstance(target, gast.Name):
            frame.env[target.id] = Undefined(f"{target.id} was deleted")
        elif isinstance(target, gast.Subscript):
            owner, index = ev.eval(frame, target.value), ev.eval(frame, target.slice)
            if special_methods.enter(ev, owner, "delitem", index) is NotImplemented:
                ev.refuse_mutation(owner, "an element is deleted", ev.origin(target))
                delete_item(ev, owner, index, target)
        elif isinstance(target, gast.Attribute):
            delete_attribute(ev, ev.eval(frame, target.value), target.attr, target)
        else:
            raise ev.error("this cannot be deleted", "Delete variables, attributes, or elements of lists and dicts.", target)


def run_import(ev, frame, node):
    for alias in node.names:
        module = imported(ev, alias.name)
        top = imported(ev, alias.name.split(".")[0])
        bind(ev, frame, alias.asname or alias.name.split(".")[0], module if alias.asname else top)


def run_import_from(ev, frame, node):
    package = frame.parsed.globals.get("__package__") if node.level else None
    module = imported(ev, "." * node.level + (node.module or "") if node.level else node.module, package)
    for alias in node.names:
        if not hasattr(module, alias.name):
            if not hasattr(module, "__path__"):
                raise ImportError(f"cannot import name {alias.name!r} from {module.__name__!r}")
            imported(ev, f"{module.__name__}.{alias.name}")
        bind(ev, frame, alias.asname or alias.name, expressions.load_attribute(ev, module, alias.name, node))


def imported(ev, name, package=None):
    """A module; what the program reads from it is looked at again at each call, and also whether it is still missing."""
    try:
        module = importlib.import_module(name, package)
    except ModuleNotFoundError as error:
        ev.externals.missing(error.name)
        raise
    return ev.externals.load(module, Kept(module), module.__name__)


STATEMENTS = {
    gast.Assign: run_assign, gast.AugAssign: run_augassign, gast.Expr: run_expr, gast.If: run_if,
    gast.For: loops.run_for, gast.While: whiles.run_while, gast.Return: run_return, gast.Raise: failures.run_raise, gast.Try: failures.run_try,
    gast.With: managers.run_with, gast.FunctionDef: run_def, gast.Pass: run_pass, gast.Delete: run_delete,
    gast.Import: run_import, gast.ImportFrom: run_import_from, gast.Nonlocal: run_pass, gast.Global: run_pass,
}
