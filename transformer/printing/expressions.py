"""Core atoms and op applications as gast expressions in NumPy's notation."""

import functools
import re

import gast
import numpy as np

from ..core import Aval, Hole, is_name, literal_aval
from ..frontend.syntax import negate
from ..ops.index_templates import Range, Window, covered
from ..ops.op import describe
from .literals import element, home, is_spelled_out, literal, nearly_uniform
from .plain import LOGICAL, plain_numbers

BINARY = {"+": gast.Add, "-": gast.Sub, "*": gast.Mult, "/": gast.Div, "//": gast.FloorDiv, "%": gast.Mod, "**": gast.Pow,
          "@": gast.MatMult, "<<": gast.LShift, ">>": gast.RShift, "|": gast.BitOr, "^": gast.BitXor, "&": gast.BitAnd}
COMPARE = {"<": gast.Lt, "<=": gast.LtE, ">": gast.Gt, ">=": gast.GtE, "==": gast.Eq, "!=": gast.NotEq}
UNARY = {"-": gast.USub, "+": gast.UAdd, "~": gast.Invert}


def name(text):
    return gast.Name(text, gast.Load(), None, None)


def target(text):
    return gast.Name(text, gast.Store(), None, None)


def constant(value):
    return gast.Constant(value, None)


def tuple_of(elements):
    return gast.Tuple(list(elements), gast.Load())


def subscript(value, index):
    return gast.Subscript(value, index, gast.Load())


def call(function, *args, **keywords):
    """A call; `function` is dotted text or a node, args are nodes."""
    function = parse(function) if isinstance(function, str) else function
    return gast.Call(function, list(args), [gast.keyword(k, v) for k, v in keywords.items()])


@functools.lru_cache(1000)
def _parsed(text):
    return gast.parse(text, mode="eval").body


def parse(text):
    """A fresh tree of an expression's text."""
    return copy(_parsed(text), {})


def copy(node, names):
    """A copy of a tree in which the names found in `names` are replaced by trees."""
    if isinstance(node, gast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, list):
        return [copy(child, names) for child in node]
    if not isinstance(node, gast.AST):
        return node
    return type(node)(*(copy(getattr(node, field, None), names) for field in node._fields))


def static(value):
    """The tree of a static parameter: a Python value, dtype, slice or ndarray."""
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return dtype_name(np.dtype(value))
    if isinstance(value, tuple):
        return tuple_of(map(static, value))
    if isinstance(value, list):
        return gast.List([static(v) for v in value], gast.Load())
    if value is None or isinstance(value, str | bytes) or value is Ellipsis:
        return constant(value)
    return literal(value)


def dtype_name(dtype):
    """np.float32, or bool for booleans as people write."""
    return name("bool") if dtype == np.bool_ else parse(f"{home(dtype)}.{dtype.name}")


def index_tree(template, shape, operands, avals):
    """The tree between the brackets of a canonical index template; `operands` are trees, `avals` theirs."""
    entries, axis = [], 0
    for entry in template:
        if entry is None:
            entries.append(constant(None))
            continue
        size = shape[axis]
        if isinstance(entry, Hole):
            entries.append(operands[entry.position])
        elif isinstance(entry, Window):
            entries.append(window_tree(operands[entry.position], entry.length))
        elif isinstance(entry, Range):
            entries.append(gast.Slice(*(bound_tree(b, operands) for b in entry), None))
        else:
            entries.append(slice_tree(entry, size) if isinstance(entry, slice) else position_tree(entry, size))
        axis += covered(avals[entry.position]) if isinstance(entry, Hole) else 1
    while len(entries) > 1 and is_full(entries[-1]):
        entries.pop()
    return entries[0] if len(entries) == 1 else tuple_of(entries)


def position_tree(position, size):
    """A static index; -1 for the last element of a longer axis."""
    return literal(-1 if size is not None and size > 4 and position == size - 1 else position)


def window_tree(start, length):
    """`i:i + n`."""
    if isinstance(start, gast.Constant):
        return gast.Slice(start, literal(start.value + length), None)
    return gast.Slice(start, gast.BinOp(start, gast.Add(), literal(length)), None)


def bound_tree(bound, operands):
    """A bound of a Range."""
    return operands[bound.position] if isinstance(bound, Hole) else bound if bound is None else literal(bound)


def is_full(node):
    return isinstance(node, gast.Slice) and node.lower is node.upper is node.step is None


def slice_tree(entry, size):
    """A slice as people write it: no bound that says nothing, negative bounds near the end."""
    start, stop, step = entry.start, entry.stop, 1 if entry.step is None else entry.step
    if step > 0:
        lower = None if not start else start
        upper = None if stop is None or stop == size else near_end(stop, size)
    else:
        lower = None if start is None or size is not None and start == size - 1 else start
        upper = stop
    return gast.Slice(*(None if v is None else literal(v) for v in (lower, upper, None if step == 1 else step)))


def near_end(stop, size):
    """-1 for size - 1 and so on, where that is clearer."""
    return stop - size if size is not None and size > 4 and 0 < size - stop <= 4 < stop else stop


class Expressions:
    """Turns atoms and Apply statements of a program into trees.

    `names` maps Core names to printed names, `inlined` maps the names that are put back into expressions to their trees.
    """

    def __init__(self, program, names=None, inlined=None, lists=()):
        self.program, self.names, self.inlined, self.lists = program, names or {}, {} if inlined is None else inlined, lists
        self.module_level, self.labels = [], {}
        self.plain = plain_numbers(program)

    def atom(self, atom):
        if not is_name(atom):
            return literal(atom)
        return self.inlined.get(atom) or name(self.names.get(atom, atom))

    def array(self, atom):
        """An atom as an operand of NumPy: a list tape becomes an array."""
        if atom not in self.lists:
            return self.atom(atom)
        aval = self.program.avals[atom]
        length = call("len", self.atom(atom)) if 0 in aval.shape else literal(-1)
        shape = tuple_of([length, *map(literal, aval.shape[1:])])
        listed = call("np.array", self.atom(atom), dtype=dtype_name(aval.dtype))
        return call("np.reshape", listed, shape)

    def cast(self, atom, aval, weakly=False):
        """An atom as a value of `aval` (a Move between Python numbers and NumPy scalars, or between dtypes).

        weakly: a Python number of the same dtype will do.
        """
        have = self.program.aval(atom)
        if weakly and (have.weak or atom in self.plain):
            have = have._replace(weak=aval.weak)
        elif is_name(atom) and atom in self.plain:
            have = have._replace(weak=True)
        if have.dtype == aval.dtype and have.weak == aval.weak:
            return self.atom(atom)
        if not is_name(atom):
            return literal(aval.dtype.type(atom) if not aval.weak else aval.dtype.type(atom).item())
        if aval.weak:
            return call({"b": "bool", "i": "int", "f": "float", "c": "complex"}[aval.dtype.kind], self.atom(atom))
        if aval.shape == ():
            return call(scalar_type(aval.dtype), self.atom(atom))
        return call(gast.Attribute(self.atom(atom), "astype", gast.Load()), dtype_name(aval.dtype))

    def index(self, stmt_args, template, aval):
        holes = [self.array(a) for a in stmt_args]
        return index_tree(template, aval.shape, holes, [self.program.aval(a) for a in stmt_args])

    def apply(self, stmt):
        """The right-hand side of an Apply."""
        op, avals, aval = stmt.op, [self.program.aval(a) for a in stmt.args], self.program.avals[stmt.target]
        if stmt.target in self.plain and op.impl in LOGICAL:
            return logical(LOGICAL[op.impl], [self.atom(a) for a in stmt.args])
        if op.symbol and (aval.weak or stmt.target in self.plain or not self.all_numbers(stmt)):
            return infix(op.symbol, [self.array(a) for a in stmt.args])
        if "index" in stmt.params and op.notation is None:
            return self.getitem(stmt)
        if op.name == "constant":
            return self.constant(np.asarray(stmt.params["value"]))
        if aval.weak and not (op.symbol and all(a.weak for a in avals)):
            return self.number(stmt, avals, aval)
        return self.noted(stmt, avals)

    def all_numbers(self, stmt):
        """Whether all operands may be Python numbers, so that an operator would give one."""
        return all(self.program.aval(a).weak or (is_name(a) and a in self.plain) for a in stmt.args)

    def constant(self, value):
        """A constant array: in the line that uses it, or, if it is large, at module level."""
        if is_spelled_out(value):
            return literal(value)
        key = value.dtype, value.shape, value.tobytes()
        if key not in self.labels:
            label = self.labels[key] = f"CONSTANT_{len(self.labels) + 1}"
            base, others = nearly_uniform(value)
            self.module_level.append(gast.Assign([target(label)], literal(base), None))
            for place in others:
                index = tuple_of(map(literal, place)) if len(place) > 1 else literal(place[0])
                self.module_level.append(gast.Assign([subscript(name(label), index)], element(value[place]), None))
        return name(self.labels[key])

    def number(self, stmt, avals, aval):
        """An Apply that gives a Python number."""
        kind = {"b": "bool", "i": "int", "f": "float", "c": "complex"}[aval.dtype.kind]
        args = [self.array(a) for a in stmt.args]
        if stmt.op.name == "astype":
            return call(kind, *args)
        if stmt.op.impl is np.logical_not and avals[0].weak:
            return negate(args[0])
        if stmt.op.impl is np.absolute and avals[0].weak:
            return call("abs", *args)
        text = stmt.op.notation(*avals, **stmt.params) if stmt.op.notation else ""
        tree = self.noted(stmt, avals)
        return tree if text.startswith(PYTHON_NUMBERS) else call(kind, tree)

    def noted(self, stmt, avals):
        """An Apply in the notation of its op, or as a call."""
        op = stmt.op
        if op.symbol and not self.all_numbers(stmt):
            return infix(op.symbol, [self.array(a) for a in stmt.args])
        text = op.notation(*avals, **stmt.params) if op.notation else None
        args = [self.array(a) for a in stmt.args]
        if text is None:
            return self.plain_call(stmt, args)
        if len(stmt.args) and stmt.args[0] in self.lists and text.startswith("{0}["):
            return self.getitem(stmt)
        return fill(text, args)

    def plain_call(self, stmt, args):
        function = describe(stmt.op.impl) if isinstance(stmt.op.impl, np.ufunc) else f"np.{stmt.op.name}"
        function = SHORT.get(function, function)
        keywords = {k: static(v) for k, v in stmt.params.items() if v is not None and v is not False}
        return call(function, *args, **keywords)

    def getitem(self, stmt):
        source, *rest = stmt.args
        template, aval = stmt.params["index"], self.program.aval(source)
        if source in self.plain and stmt.target not in self.plain and len(template) == 1:
            return call(scalar_type(aval.dtype), subscript(self.atom(source), self.index(rest, template, aval)))
        if source not in self.lists:
            array = self.atom(source) if is_name(source) else call("np.array", literal(source))
            return subscript(array, self.index(rest, template, aval))
        row = subscript(self.atom(source), self.index(rest, template[:1], aval))
        inner = self.index(rest, template[1:], Aval(aval.shape[1:], aval.dtype)) if len(template) > 1 else None
        return row if inner is None or is_full(inner) else subscript(row, inner)


def scalar_type(dtype):
    return "np.bool_" if dtype == np.bool_ else f"{home(dtype)}.{dtype.name}"


SHORT = {"np.absolute": "np.abs", "np.conjugate": "np.conj"}
"""What people write."""

PYTHON_NUMBERS = ("math.", "abs(", "float(", "int(", "bool(", "round(", "len(", "min(", "max(", "divmod(", "pow(", "sum(")
"""Notations that give Python numbers already."""


def infix(symbol, operands):
    if len(operands) == 1:
        return gast.UnaryOp(UNARY[symbol](), operands[0])
    left, right = operands
    if symbol in COMPARE:
        return gast.Compare(left, [COMPARE[symbol]()], [right])
    return gast.BinOp(left, BINARY[symbol](), right)


def logical(word, operands):
    """not a, a and b, a or b."""
    return negate(operands[0]) if word == "not" else gast.BoolOp(gast.And() if word == "and" else gast.Or(), operands)


HOLE = re.compile(r"\{(\d+)\}")


def fill(text, operands):
    """The tree of a notation template: `{0}.T`, `np.sum({0}, axis=1)`."""
    text = HOLE.sub(lambda m: f"hole_{m[1]}_", text)
    return copy(_parsed(text), {f"hole_{k}_": tree for k, tree in enumerate(operands)})


__all__ = ["Expressions", "call", "constant", "literal_aval", "name", "parse", "static", "subscript", "target", "tuple_of"]
