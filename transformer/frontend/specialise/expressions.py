"""Evaluation of expressions: one function per kind of node."""

import builtins
import enum
import inspect
import operator
import os
import types

import gast
import numpy as np

from ...access import Cell, Item, Kept
from ...errors import NeedStatic, TransformError, ValueDependent
from ...ops import op as optable
from ...ops.index_templates import canonical, is_advanced, result_shape
from .. import parse, promotion, ragged, views
from ..reference import contains_reference, is_reference
from . import alternatives, branches, calls, choices, descriptors, filtered, generator_expressions, generators, iteration, iterators, rebinding, special_methods
from .externals import SEQUENCES
from .loaded import loaded
from .state import is_numeric, is_users
from .templates import Template, as_parts, text_of

BINARY = {gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
          gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
          gast.BitAnd: operator.and_, gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift,
          gast.RShift: operator.rshift}
UNARY = {gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert}
COMPARE = {gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le, gast.Gt: operator.gt,
           gast.GtE: operator.ge, gast.Is: operator.is_, gast.IsNot: operator.is_not}


def load_name(ev, frame, node):
    name = node.id
    scope = frame
    while scope is not None:
        if name in scope.env and name not in scope.outer:
            return choices.narrowed(ev.usable(scope.env[name], node))
        if name in scope.local:
            raise ev.error(f"{name} is read before it is bound", "Bind it on every path that leads here.", node)
        root, scope = scope, scope.parent
    cell = root.parsed.closure.get(name)
    if cell is not None:
        return ev.externals.load(read_cell(cell, name), Cell(cell), name)
    space = root.parsed.globals
    if name in space:
        return ev.externals.load(space[name], Item(Kept(space), name), name)
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise ev.error(f"name {name} is not defined", "Define or import it before the call.", node)


def read_cell(cell, name):
    try:
        return cell.cell_contents
    except ValueError:
        raise TransformError(f"the variable {name} of the enclosing function has no value yet", "Bind it before the call.") from None


def constant(ev, frame, node):
    return node.value


def binary(ev, frame, node):
    left, right = ev.eval(frame, node.left), ev.eval(frame, node.right)
    ev.builder.origin = ev.origin(node)
    if isinstance(left, str) and isinstance(node.op, gast.Mod) and contains_reference(right):
        raise ev.error("an abstract value is formatted with %", "Use an f-string.", node)
    return operated(ev, node, left, right)


def operated(ev, node, left, right):
    """The value of a binary operation."""
    ev.check_usable((left, right), node)
    if isinstance(left, choices.Choice):
        return left.use(ev, lambda one: operated(ev, node, one, right), node)
    if isinstance(right, choices.Choice):
        return right.use(ev, lambda one: operated(ev, node, left, one), node)
    found = special_methods.binary(ev, node.op, left, right)
    left, right = opened(ev, left, right), opened(ev, right, left)
    if isinstance(node.op, gast.Mult):
        left, right = times(left, right), times(right, left)
    return ev.created(BINARY[type(node.op)](left, right)) if found is NotImplemented else found


def opened(ev, value, other):
    """An operand of an operator: a sequence that is joined or repeated keeps its items, others are read. A Fraction is a float beside one."""
    if isinstance(value, loaded("fractions", "Fraction")) and is_reference(other):
        if other.shape or other.dtype.kind not in "fc":
            raise ev.error("a Fraction and integers or arrays of the program make Fractions", "Convert it with float(...).")
        return float(value)
    return ev.items(value) if isinstance(other, list | tuple | int) else ev.open(value)


def times(value, other):
    """A factor: an integer that repeats a sequence is needed as a number."""
    scales = isinstance(other, list | tuple | str) and is_reference(value) and not value.shape
    repeats = scales and value.dtype.kind in "iu"
    if scales and not repeats and value.weak and value.dtype.kind in "fc":
        raise TypeError(f"can't multiply sequence by non-int of type '{host_type(value.aval).__name__}'")
    return value.static("the length of a sequence that is repeated").item() if repeats else value


def unary(ev, frame, node):
    value = ev.eval(frame, node.operand)
    ev.builder.origin = ev.origin(node)
    if not isinstance(node.op, gast.Not):
        found = special_methods.unary(ev, node.op, value)
        return ev.created(UNARY[type(node.op)](value)) if found is NotImplemented else found
    test = branches.truth(ev, value, node)
    return (not test) if isinstance(test, bool) else np.logical_not(test)


def boolean(ev, frame, node):
    """`and`, `or` with short circuit; the later parts run under the test where they could fail."""
    stop_at = isinstance(node.op, gast.Or)
    return boolean_tail(ev, frame, node, node.values, stop_at)


def boolean_tail(ev, frame, node, parts, stop_at):
    value = ev.eval(frame, parts[0])
    if len(parts) == 1:
        return value
    test = branches.truth(ev, value, parts[0])
    if isinstance(test, bool):
        return value if test == stop_at else boolean_tail(ev, frame, node, parts[1:], stop_at)
    rest = lambda: boolean_tail(ev, frame, node, parts[1:], stop_at)
    if is_reference(value) and value.dtype == bool:
        joined = join_booleans(ev, value, rest, stop_at)
        if joined is not None:
            return choices.joined_test(ev, joined, test, stop_at)
    then, other = (lambda: value, rest) if stop_at else (rest, lambda: value)
    return choices.joined_test(ev, branches.choose(ev, test, then, other, node), test, stop_at)


def join_booleans(ev, value, rest, stop_at):
    """logical_and/or of both parts where evaluating the second one cannot fail; None (nothing emitted) otherwise."""
    state = ev.capture()
    with ev.builder.nested() as block, branches.assumed(ev, value, not stop_at):
        try:
            other = rest()
        except branches.BranchRaised:
            other = None
    fits = isinstance(other, bool | np.bool_) or (is_reference(other) and other.dtype == bool and other.shape == value.shape)
    if not fits or not branches.is_safe(block):
        state.restore()
        return None
    ev.adopt(block)
    return (np.logical_or if stop_at else np.logical_and)(value, other)


def conditional(ev, frame, node):
    test = branches.truth(ev, ev.eval(frame, node.test), node.test)
    if isinstance(test, bool):
        return ev.eval(frame, node.body if test else node.orelse)
    return branches.choose(ev, test, lambda: ev.eval(frame, node.body), lambda: ev.eval(frame, node.orelse), node)


def compare(ev, frame, node):
    left = ev.eval(frame, node.left)
    result = True
    for op, right_node in zip(node.ops, node.comparators):
        right = ev.eval(frame, right_node)
        ev.builder.origin = ev.origin(node)
        if isinstance(left, choices.Choice) or isinstance(right, choices.Choice):
            one = compare_choice(ev, op, left, right, node)
        elif isinstance(op, gast.In | gast.NotIn):
            found = member(ev, left, right, node)
            one = np.logical_not(found) if is_reference(found) and isinstance(op, gast.NotIn) else \
                (not found if isinstance(op, gast.NotIn) else found)
        else:
            if isinstance(op, gast.Is | gast.IsNot):
                ev.joined.check_identity(left, right, ev.origin(node))
                check_one_array(ev, left, right, node)
                ev.externals.compared(left)
                ev.externals.compared(right)
            elif type(left).__eq__ is object.__eq__:
                ev.joined.check_identity(left, right, ev.origin(node))
            one = special_methods.compare(ev, op, left, right)
            sides = (left, right) if isinstance(op, gast.Is | gast.IsNot) else (ev.open(left), ev.open(right))
            one = ev.created(COMPARE[type(op)](*sides)) if one is NotImplemented else one
        result = one if result is True else np.logical_and(result, one)
        left = right
    return result


def check_one_array(ev, left, right, node):
    """Refuse to compare with `is` an array that is one of two, or a number that may be a bool, depending on values."""
    for one, other in ((left, right), (right, left)):
        if is_reference(one) and one.known is None and (
                isinstance(other, bool) and one.storage.mixed or is_reference(other) and one is not other and other.storage in rebinding.possible(one.storage)):
            raise ValueDependent("whether two names are one object depends on a condition on array values", "Compare the values.", ev.origin(node))


def compare_choice(ev, op, left, right, node):
    """A comparison with one of several known values: of names, functions, None by the number that says which, of others for each."""
    chosen, other = (left, right) if isinstance(left, choices.Choice) else (right, left)
    if isinstance(op, gast.In | gast.NotIn) and chosen is left and not contains_reference(other):
        return chosen.holds(lambda one: (one in ev.open(other)) == isinstance(op, gast.In))
    if type(op) in COMPARE and choices.can_be_chosen(ev, other) and not isinstance(other, choices.Choice):
        return chosen.holds(lambda one: COMPARE[type(op)](*((one, other) if chosen is left else (other, one))))
    if type(op) in COMPARE and not isinstance(other, choices.Choice):
        return chosen.use(ev, lambda one: COMPARE[type(op)](*((one, other) if chosen is left else (other, one))), node)
    raise ValueDependent("a value that depends on a condition on array values is compared", "Compare it on both sides of the condition.", ev.origin(node))


def member(ev, value, container, node):
    if container is os.environ:
        ev.externals.environment(value)
    found = special_methods.contains(ev, container, value)
    if found is not NotImplemented:
        return branches.truth(ev, found, node)
    if type(container) in (list, tuple, dict, set, frozenset):
        ev.joined.check_among(value, container, ev.origin(node))
    container = special_methods.items(ev, container)
    if isinstance(container, iterators.Cursor | generators.Generator):
        over, container = container, iterate(ev, container)
        over.lose()
    if is_reference(container):
        return np.any(container == value)
    among = is_numeric(value) and type(container) in (list, tuple) and any(is_reference(v) and not v.shape for v in container)
    if among or is_reference(value) and isinstance(container, list | tuple | set | range):
        found = False
        for item in ev.items(container):
            equal = item == value
            found = equal if found is False else np.logical_or(found, equal)
        return found
    return value in ev.open(container)


def call(ev, frame, node):
    return calls.call_node(ev, frame, node)


def looped(ev, frame, node):
    return calls.call_node(ev, frame, node, looped=True) if isinstance(node, gast.Call) else ev.eval(frame, node)


def attribute(ev, frame, node):
    return ev.usable(load_attribute(ev, ev.eval(frame, node.value), node.attr, node), node)


def load_attribute(ev, owner, name, node):
    ev.usable(owner, node)
    ev.builder.origin = ev.origin(node)
    if isinstance(owner, choices.Choice):
        return owner.use(ev, lambda one: load_attribute(ev, one, name, node), node)
    if ev.externals.is_external(owner):
        return ev.externals.attribute(owner, name)
    if isinstance(owner, calls.Closure) and name in owner.attributes:
        return owner.attributes[name]
    if is_reference(owner) and name in ("shape", "size") and None in owner.shape:
        raise NeedStatic(owner, "the size of an array that depends on data")
    if is_reference(owner) and name == "__class__":
        return host_type(owner.aval)
    cls = owner if isinstance(owner, type) else type(owner)
    if is_users(cls.__module__) and not issubclass(cls, enum.Enum):
        computed = descriptors.get(ev, owner, name)
        if computed is not NotImplemented:
            return computed
        found = of_class(owner, cls, name)
        if found is not MISSING:
            return ev.externals.class_attribute(cls, name)
    if is_reference(owner) and not hasattr(owner, name) and hasattr(host_type(owner.aval), name):
        raise ev.error(f"the attribute {name} of an abstract value is not known", "Compute it with NumPy functions.", node)
    value = getattr(owner, name)
    if isinstance(value, types.MethodType):
        ev.externals.guard_method(overriding(owner, name) if isinstance(owner, super) else type(owner), name, value.__func__)
    return ev.created(value) if isinstance(owner, np.ndarray) else value


def host_type(aval):
    """The type of a value in the running program."""
    [kind] = optable.python_types([aval])
    return np.ndarray if aval.shape else kind if isinstance(kind, type) else kind.type


def overriding(owner, name):
    """The class whose attribute `super().name` is."""
    classes = owner.__self_class__.__mro__
    return next(cls for cls in classes[classes.index(owner.__thisclass__) + 1:] if name in vars(cls))


MISSING = object()


def of_class(owner, cls, name):
    """What a user's class holds under a name, if `owner.name` means that: a value, a property, a static method or a class method; else MISSING."""
    if owner is not cls and name in getattr(owner, "__dict__", ()):
        return MISSING
    found = inspect.getattr_static(cls, name, MISSING)
    is_descriptor = hasattr(type(found), "__get__") and not isinstance(found, property | staticmethod | classmethod)
    return MISSING if is_descriptor and owner is not cls else found


def subscript(ev, frame, node):
    owner = ev.eval(frame, node.value)
    index = ev.eval(frame, node.slice)
    return ev.usable(load_item(ev, owner, index, node), node)


def load_item(ev, owner, index, node):
    ev.usable(owner, node)
    ev.builder.origin = ev.origin(node)
    if isinstance(owner, dict):
        ev.joined.check_among(index, owner, ev.origin(node))
    if isinstance(index, choices.Choice):
        return index.use(ev, lambda one: load_item(ev, owner, one, node), node)
    if isinstance(owner, choices.Choice):
        return owner.use(ev, lambda one: load_item(ev, one, index, node), node)
    if isinstance(owner, iteration.Items | filtered.Filtered):
        return owner.item(index)
    found = special_methods.enter(ev, owner, "getitem", index)
    if found is not NotImplemented:
        return found
    if is_reference(index) and isinstance(owner, dict):
        index = index.static("the key of a dict").item()
    if ev.externals.is_external(owner) and isinstance(owner, SEQUENCES | dict):
        if not is_reference(index):
            return ev.externals.item(owner, index)
        owner = ev.open(owner)
    if is_reference(index) and isinstance(owner, list | tuple) and index.known is None and index.dtype.kind in "iu":
        return alternatives.pick(ev, owner, index, node)
    if isinstance(owner, np.ndarray) and ev.has_dynamic(index):
        owner = ev.promote(owner, node, stored=False) if gives_view(owner, index) else ev.operand(owner)
    if type(owner) in CONCATENATORS and ev.has_dynamic(index):
        return ev.created(optable.lookup(owner, ev.origin(node))(promotion.on_numpy(ev.builder, ev.open(index))))
    return ev.created(owner[index])


CONCATENATORS = (type(np.r_), type(np.c_))


def gives_view(array, index):
    """Whether `array[index]` shares the array's memory, so that a store into it must reach the array."""
    if views.needs_ragged(index):
        return not ragged.concerns(index) and not ragged.has_mask(index)
    template, operands = canonical(index, array.shape)
    return not is_advanced(template, operands) and result_shape(template, array.shape, operands) != ()


def slice_(ev, frame, node):
    parts = [None if p is None else ev.eval(frame, p) for p in (node.lower, node.upper, node.step)]
    return slice(*parts)


def elements(ev, frame, nodes):
    values = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            values.extend(iterate(ev, ev.eval(frame, node.value)))
        else:
            values.append(ev.eval(frame, node))
    return values


def iterate(ev, value):
    """The items of an iterable as a list."""
    value = iterators.whole(ev, value) if isinstance(value, iterators.Cursor) else value
    if isinstance(value, generators.Generator):
        return generators.values_of(value)
    items = iteration.as_items(value) if is_reference(value) or isinstance(value, range | iteration.Items) else None
    if items is not None:
        return list(items)
    value = special_methods.items(ev, value)
    return iterate(ev, value) if isinstance(value, iterators.Cursor | generators.Generator) else list(ev.items(iterators.checked(ev, value)))


def tuple_(ev, frame, node):
    return tuple(elements(ev, frame, node.elts))


def list_(ev, frame, node):
    return elements(ev, frame, node.elts)


def set_(ev, frame, node):
    return set(elements(ev, frame, node.elts))


def dict_(ev, frame, node):
    result = {}
    for key, value in zip(node.keys, node.values):
        if key is None:
            result.update(ev.items(ev.eval(frame, value)))
        else:
            result[ev.eval(frame, key)] = ev.eval(frame, value)
    return result


def comprehension(collect):
    def run(ev, frame, node):
        inner = calls.inner_frame(frame)
        results = filtered.Kept()
        first = ev.eval_looped(frame, node.generators[0].iter)
        generate(ev, inner, node, node.generators, results, iterate(ev, first))
        return collected(ev, node, results, collect)
    return run


def collected(ev, node, results, collect):
    """What a comprehension gives for the items that it keeps."""
    results = results.result(ev, node, collect is iter)
    if isinstance(results, filtered.Filtered):
        return results
    return iterators.cursor(ev, list(results)) if collect is iter else collect(results)


def generate(ev, frame, node, generators, results, items=None):
    """Keep what a comprehension gives; items: those of its first iterable."""
    if not generators:
        return results.keep(element(ev, frame, node))
    generator = generators[0]
    tests = generator.ifs
    test = tests[0] if len(tests) == 1 else gast.copy_location(gast.BoolOp(gast.And(), tests), tests[0]) if tests else None
    for item in iterate(ev, ev.eval_looped(frame, generator.iter)) if items is None else items:
        ev.assign(frame, generator.target, item)
        holds = test is None or branches.truth(ev, ev.eval(frame, test), test)
        if is_reference(holds):
            if generators[1:] or isinstance(node, gast.DictComp | gast.SetComp) or not ev.builder.sized:
                raise ValueDependent("a comprehension is filtered by array values", "Use np.where or a boolean mask.", ev.origin(node))
            results.keep(filtered.item_under(ev, holds, lambda: element(ev, frame, node), node), holds)
        elif holds:
            generate(ev, frame, node, generators[1:], results)


read_at_once = comprehension(iter)
"""A generator expression of which all items are read now."""


def element(ev, frame, node):
    if isinstance(node, gast.DictComp):
        return ev.eval(frame, node.key), ev.eval(frame, node.value)
    return ev.eval(frame, node.elt)


def lambda_(ev, frame, node):
    return calls.Closure(ev, frame, node)


def named(ev, frame, node):
    value = ev.eval(frame, node.value)
    owner = frame
    while getattr(owner, "comprehension", False):
        owner = owner.parent
    ev.assign(owner, node.target, value)
    return value


def joined(ev, frame, node):
    parts = []
    for part in node.values:
        value = ev.eval(frame, part)
        parts.extend(as_parts(value))
    if any(not isinstance(p, str) for p in parts):
        return Template(parts)
    return "".join(parts)


def formatted(ev, frame, node):
    value = ev.eval(frame, node.value)
    spec = "" if node.format_spec is None else ev.eval(frame, node.format_spec)
    conversion = "" if node.conversion in (-1, None) else chr(node.conversion)
    if is_reference(value):
        return Template([(value, conversion, spec)])
    found = special_methods.enter(ev, value, "format", spec)
    if found is not NotImplemented and not conversion:
        return found
    text = text_of(ev, value, conversion.replace("s", "")) if not spec or conversion in ("r", "s") else value
    if isinstance(text, Template):
        return text if not spec else text.characters()
    return format(ascii(value), spec) if conversion == "a" else format(text, spec)


def starred(ev, frame, node):
    return ev.eval(frame, node.value)


EXPRESSIONS = {
    gast.Name: load_name, gast.Constant: constant, gast.BinOp: binary, gast.UnaryOp: unary, gast.BoolOp: boolean,
    gast.IfExp: conditional, gast.Compare: compare, gast.Call: call, gast.Attribute: attribute, gast.Subscript: subscript,
    gast.Slice: slice_, gast.Tuple: tuple_, gast.List: list_, gast.Set: set_, gast.Dict: dict_,
    gast.ListComp: comprehension(list), gast.SetComp: comprehension(set), gast.DictComp: comprehension(dict),
    gast.GeneratorExp: generator_expressions.generator_expression, gast.Lambda: lambda_, gast.NamedExpr: named, gast.JoinedStr: joined,
    gast.FormattedValue: formatted, gast.Starred: starred,
    gast.Yield: generators.yield_, gast.YieldFrom: generators.yield_from,
}

__all__ = ["EXPRESSIONS", "load_attribute", "load_item", "parse"]
