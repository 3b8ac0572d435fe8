"""Bind a name anew where a store replaces the whole array: nothing of the old one is read back, restored or kept on a tape for it.

Before:                              After:
    h = x @ w                            h = x @ w
    h[:] = h + b                         h_1 = h + b
    y = np.sin(h)                        y = np.sin(h_1)

A loop or branch that replaces an array of an enclosing block hands the new one on by a Move at its end, as for any name that it
rebinds. A store of `np.where(mask, value, h)` stays: it is a store into a part of h.

>>> from .example import example, np, show
>>> def double(x):
...     y = np.sin(x)
...     y *= 2.0
...     return y + x
>>> show(rebind_overwritten(example(double)))
sin = np.sin(x)
multiply = sin * 2.0
sin_1 = multiply
add = sin_1 + x
"""

from dataclasses import replace

from ...core import CONTROL, Apply, For, If, Move, Update, While, blocks, targets, walk
from ...ops.op import TABLE
from .rewriting import Rewriter, holds


def rebind_overwritten(program):
    """The program without stores of whole arrays, as far as types agree."""
    if not holds(program, Update):
        return program
    rebinding = Rebinding(program)
    return rebinding.run() if rebinding.found else program


def is_whole(stmt):
    """Whether a statement stores into all elements of an array, each from one place of its value."""
    return type(stmt) is Update and stmt.mode == "set" and all(isinstance(e, slice) and e == slice(None) for e in stmt.index)


def unconditional(stmts):
    """The statements of a block, and of the loops inside it, that no `if` decides on."""
    for stmt in stmts:
        yield stmt
        if isinstance(stmt, For | While):
            for block in blocks(stmt):
                yield from unconditional(block)


def bound(stmts):
    """The names that statements bind, not counting stores into them."""
    return {n for s in stmts if type(s) is not Update for n in targets(s)}


class Rebinding(Rewriter):
    """`replaced`: name -> its name from here on in this block."""

    def __init__(self, program):
        super().__init__(program)
        self.in_branches = bound(walk(program.body)) - bound(unconditional(program.body)) - set(program.params)
        self.changed = {}
        self.made = {s.target: s for s in walk(program.body) if type(s) is Apply}
        self.found = self.survey(program.body)
        self.movable = {*program.params, *(s.target for s in walk(program.body) if type(s) is Move)}

    def survey(self, stmts):
        """The names that a block replaces, also noted for each control statement in it."""
        found = {}
        for stmt in stmts:
            if type(stmt) in CONTROL:
                inner = {}
                for block in blocks(stmt):
                    inner.update(self.survey(block))
                self.changed[id(stmt)] = inner
                found.update(inner)
            elif self.may_go(stmt):
                found[stmt.target] = True
        return found

    def may_go(self, stmt):
        """Names that a branch binds may be read in a later one on the same test: they stay."""
        if not is_whole(stmt) or stmt.target in self.in_branches or self.is_partial(stmt):
            return False
        return self.aval(stmt.value) == self.avals[stmt.target]

    def is_partial(self, stmt):
        """Whether a store keeps some elements: where a mask chooses, it takes the array's own."""
        made = self.made.get(stmt.value)
        return made is not None and made.op is TABLE["where"] and any(self.root(a) == stmt.target for a in made.args[1:])

    def root(self, atom):
        """The array that an atom is read from."""
        made = self.made.get(atom)
        return made.args[0] if made is not None and made.op is TABLE["getitem"] else atom

    # statements ------------------------------------------------------------------------
    def update(self, stmt):
        target = self.atom(stmt.target)
        if self.may_go(stmt):
            name, made = self.renewed(stmt.target), self.made.get(stmt.value)
            if made is not None and self.hints.get(made.target) == made.op.name.rstrip("_"):
                self.hints[made.target] = self.hints[name]  # a value without a name is the array's from now on
            self.emit(Move(name, stmt.value, stmt.origin))
            self.replaced[stmt.target] = name
        else:
            self.emit(stmt if target == stmt.target else replace(stmt, target=target))

    def move(self, stmt):
        target = self.atom(stmt.target)
        self.emit(stmt if target == stmt.target else replace(stmt, target=target))

    def renewed(self, name):
        """A new name for another array in the place of one."""
        found = self.fresh(self.hints.get(name, name), self.avals[name])
        self.movable.add(found)
        return found

    # blocks ------------------------------------------------------------------------------
    def carried(self, stmt):
        """Names of enclosing blocks that a control statement replaces -> what they are called in it; each can be rebound."""
        names = {}
        for name in self.changed[id(stmt)]:
            if name not in self.bound:
                continue
            now = self.atom(name)
            if now not in self.movable:
                before, now = now, self.renewed(name)
                self.emit(Move(now, before, stmt.origin))
                self.replaced[name] = now
            names[name] = now
        return names

    def inner(self, stmts, carried):
        """A block of a control statement: what it replaces is handed on at its end."""
        replaced, bound = dict(self.replaced), set(self.bound)
        body = self.block(stmts)
        ends = [Move(now, self.replaced[name]) for name, now in carried.items() if self.replaced.get(name, name) != now]
        self.replaced, self.bound = replaced, bound
        return body + ends

    def run(self):
        self.bound = set(self.program.params)
        return super().run()

    def stmt(self, stmt):
        super().stmt(stmt)
        self.bound.update(targets(stmt))
        if isinstance(stmt, If):
            self.bound.update(self.joined(stmt))

    def joined(self, stmt):
        """Names that both branches bind by Moves."""
        sides = [{s.target for s in block if type(s) is Move} for block in blocks(stmt)]
        return sides[0] & sides[1]

    def visit_if(self, stmt):
        carried = self.carried(stmt)
        test = self.atom(stmt.test)
        self.emit(If(test, self.inner(stmt.body, carried), self.inner(stmt.orelse, carried), stmt.origin))

    def visit_for(self, stmt):
        carried = self.carried(stmt)
        self.emit(For(stmt.index, self.atom(stmt.lo), self.atom(stmt.hi), stmt.step, self.inner(stmt.body, carried), stmt.origin))

    def visit_while(self, stmt):
        carried = self.carried(stmt)
        replaced, bound = dict(self.replaced), set(self.bound)
        head = self.block(stmt.head)
        test = self.atom(stmt.test)
        body = self.inner(stmt.body, carried)
        self.replaced, self.bound = replaced, bound
        self.emit(While(head, test, body, stmt.counter, stmt.origin))


__all__ = ["rebind_overwritten"]
