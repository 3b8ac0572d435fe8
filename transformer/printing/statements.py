"""Core statements as gast statements: structured control flow, stores, tapes and effects in plain Python."""

import re

import gast
import numpy as np

from ..analysis.exits import exit_flag
from ..core import Aval, Hole, is_name
from ..frontend.syntax import negate
from . import expressions as tree
from .unparse import Comment


class Statements:
    """Prints blocks of a program. `nested` are the names that stand inside the expressions of their readers."""

    def __init__(self, program, expressions, nested, comments=False):
        self.program, self.expressions, self.nested, self.comments = program, expressions, nested, comments
        self.lists = expressions.lists
        self.line = None

    def block(self, stmts):
        """The gast statements of a block; `pass` where there are none."""
        printed = [line for stmt in stmts for line in self.stmt(stmt)]
        return printed if any(not isinstance(p, Comment) for p in printed) else [*printed, gast.Pass()]

    def stmt(self, stmt):
        lines = getattr(self, type(stmt).__name__.lower())(stmt)
        if self.comments and lines and stmt.origin is not None and str(stmt.origin) != self.line:
            self.line = str(stmt.origin)
            file, line = self.line.rsplit(":", 1)
            return [Comment(f"{re.split(r'[/]', file)[-1]}:{line}"), *lines]
        return lines

    def assign(self, name, value):
        return gast.Assign([tree.target(self.expressions.names.get(name, name))], value, None)

    # one statement each ------------------------------------------------------
    def apply(self, stmt):
        if stmt.target in self.nested:
            self.expressions.inlined[stmt.target] = self.expressions.apply(stmt)
            return []
        if stmt.target in self.lists:
            return [self.assign(stmt.target, gast.List([], gast.Load()))]
        return self.binding(stmt.target, self.expressions.apply(stmt))

    def move(self, stmt):
        return self.binding(stmt.target, self.expressions.cast(stmt.source, self.program.avals[stmt.target], stmt.target in self.expressions.plain))

    def binding(self, name, value):
        """An assignment; nothing where a name is given its own value."""
        printed = self.expressions.names.get(name, name)
        return [] if isinstance(value, gast.Name) and value.id == printed else [self.assign(name, value)]

    def update(self, stmt):
        aval = self.program.avals[stmt.target]
        if stmt.target in self.lists:
            return [self.append(stmt)]
        if aval.shape == ():
            return [self.scalar_store(stmt, aval)]
        whole = self.expressions.atom(stmt.target)
        index = self.expressions.index(stmt.args, stmt.index, aval)
        if stmt.mode == "set":
            return [self.augmented(stmt, aval) or gast.Assign([tree.subscript(whole, index)], self.expressions.array(stmt.value), None)]
        value = self.addend(stmt.value, aval)
        if self.repeats(stmt):
            return [gast.Expr(tree.call("np.add.at", whole, as_index(index), value))]
        return [gast.AugAssign(tree.subscript(whole, index), gast.Add(), value)]

    def augmented(self, stmt, aval):
        """`A[i] += v` for `A[i] = A[i] + v`; None for other stores."""
        outer = self.nested and self.nested.get(stmt.value)
        inner = outer and outer.op.symbol in tree.BINARY and self.nested.get(outer.args[0])
        if not inner or "index" not in inner.params or inner.args != (stmt.target, *stmt.args):
            return None
        if repr(inner.params["index"]) != repr(stmt.index) or not np.can_cast(self.program.avals[stmt.value].dtype, aval.dtype, "same_kind"):
            return None
        read, added = (self.expressions.inlined[outer.args[0]], self.expressions.array(outer.args[1]))
        return gast.AugAssign(read, tree.BINARY[outer.op.symbol](), added)

    def repeats(self, stmt):
        """Whether the index may name an element twice: then += would add once."""
        holes = [self.program.aval(stmt.args[e.position]) for e in stmt.index if isinstance(e, Hole)]
        return any(a.shape != () and a.dtype != np.bool_ for a in holes)

    def addend(self, atom, aval):
        """The value of an accumulating store; NumPy refuses to cast it to a lesser kind on its own."""
        have = self.program.aval(atom)
        if have.weak or np.can_cast(have.dtype, aval.dtype, "same_kind"):
            return self.expressions.array(atom)
        return self.expressions.cast(atom, Aval(have.shape, aval.dtype))

    def scalar_store(self, stmt, aval):
        """A NumPy scalar cannot be stored into: it is bound anew."""
        value = self.addend(stmt.value, aval) if stmt.mode == "add" else self.expressions.cast(stmt.value, aval)
        if self.program.aval(stmt.value).shape:
            value = tree.call("np.reshape", value, gast.Tuple([], gast.Load()))
        if stmt.mode == "add":
            value = gast.BinOp(self.expressions.atom(stmt.target), gast.Add(), value)
        return self.assign(stmt.target, value)

    def append(self, stmt):
        method = gast.Attribute(self.expressions.atom(stmt.target), "append", gast.Load())
        aval = self.program.avals[stmt.target]
        if aval.ndim > 1:
            return gast.Expr(tree.call(method, self.expressions.array(stmt.value)))
        entry = self.expressions.cast(stmt.value, Aval((), aval.dtype), stmt.target in self.expressions.plain)
        return gast.Expr(tree.call(method, entry))

    # control flow ----------------------------------------------------------------
    def if_(self, stmt):
        test = self.expressions.atom(stmt.test)
        body, orelse = self.block(stmt.body), self.block(stmt.orelse)
        empty = [isinstance(b[-1], gast.Pass) for b in (body, orelse)]
        if all(empty):
            return []
        if empty[0]:
            return [gast.If(negate(test), orelse, [])]
        return [gast.If(test, body, [] if empty[1] else orelse)]

    def for_(self, stmt):
        index, bounds = tree.target(self.expressions.names.get(stmt.index, stmt.index)), self.range(stmt)
        body = self.block(stmt.body)
        if exit_flag(stmt) is not None and isinstance(body[-1], gast.If) and not body[-1].orelse:
            body[-1:] = [gast.If(negate(body[-1].test), [gast.Break()], []), *body[-1].body]
        return [gast.For(index, bounds, body, [], None)]

    def range(self, stmt):
        lo, hi = self.expressions.atom(stmt.lo), self.expressions.atom(stmt.hi)
        if stmt.step != 1:
            return tree.call("range", lo, hi, tree.static(stmt.step))
        return tree.call("range", hi) if not is_name(stmt.lo) and stmt.lo == 0 else tree.call("range", lo, hi)

    def while_(self, stmt):
        head = [line for s in stmt.head for line in self.stmt(s)]
        test = self.expressions.atom(stmt.test)
        body = [] if not stmt.body else self.block(stmt.body)
        body += [self.advance(stmt.counter)] if stmt.counter else []
        start = [self.assign(stmt.counter, tree.constant(0))] if stmt.counter else []
        if not head:
            return [*start, gast.While(test, body or [gast.Pass()], [])]
        leave = gast.If(negate(test), [gast.Break()], [])
        return [*start, gast.While(tree.constant(True), [*head, leave, *body], [])]

    def advance(self, counter):
        return gast.AugAssign(tree.target(self.expressions.names.get(counter, counter)), gast.Add(), tree.constant(1))

    # effects and comments ------------------------------------------------------------
    def mark(self, stmt):
        return [Comment(stmt.text)]

    def effect(self, stmt):
        values = {f"_{k}": self.expressions.array(a) for k, a in enumerate(stmt.args)}
        return [Substitute(values).visit(gast.parse(stmt.params["text"]).body[0])]


class Substitute(gast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return self.values.get(node.id, node)


for _kind in ("if", "for", "while"):
    setattr(Statements, _kind, getattr(Statements, _kind + "_"))


def as_index(index):
    """An index outside of brackets: np.s_[...] where it holds a slice."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    if not any(isinstance(p, gast.Slice) for p in parts):
        return index
    return tree.subscript(tree.parse("np.s_"), index)

