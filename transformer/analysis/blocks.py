"""Where names are bound: blocks, homes and versions of the names of a program.

A *block* is a statement list; the head and the body of a While count as one. The *home* of a name is the innermost block
that contains all its bindings. A name is *versioned* if it has more than one binding (stores included), else *stable*.
"""

from collections import defaultdict
from typing import Any, NamedTuple

from ..core import For, If, Move, While, targets


class Site(NamedTuple):
    """A binding of a name: a statement at a position of a block; a parameter has no statement."""

    block: Any
    position: int
    stmt: Any


class Block:
    """A statement list, the statement it belongs to, and the position of that one in the parent block."""

    def __init__(self, stmts, parent=None, owner=None, position=-1):
        self.stmts, self.parent, self.owner, self.position = stmts, parent, owner, position
        self.depth = 0 if parent is None else parent.depth + 1
        self.is_loop = isinstance(owner, For | While)
        self.loop = self if self.is_loop else parent.loop if parent is not None else None
        self.rebinds = defaultdict(list)

    def inside(self, other):
        """Whether this block is `other` or stands in it."""
        block = self
        while block.depth > other.depth:
            block = block.parent
        return block is other

    def loops(self):
        """The loop blocks around this one, outermost first, itself included."""
        found, block = [], self.loop
        while block is not None:
            found.append(block)
            block = block.parent.loop
        return found[::-1]

    def trailing(self):
        """The position from which on the block holds only Moves: those that rebind names of enclosing blocks."""
        end = len(self.stmts)
        while end and isinstance(self.stmts[end - 1], Move):
            end -= 1
        return end


class Blocks:
    """The blocks of a program, and for every name its sites and its home."""

    def __init__(self, program):
        self.inner = {}
        self.sites = defaultdict(list)
        self.top = Block(program.body)
        self.all = []
        for param in program.params:
            self.sites[param].append(Site(self.top, -1, None))
        self.visit(self.top)
        self.home = {name: self.home_of(sites) for name, sites in self.sites.items()}

    def visit(self, block):
        self.all.append(block)
        for position, stmt in enumerate(block.stmts):
            if isinstance(stmt, If):
                lists = [stmt.body, stmt.orelse]
            elif isinstance(stmt, For):
                lists = [stmt.body]
            elif isinstance(stmt, While):
                lists = [stmt.head + stmt.body]
            else:
                lists = []
            inner = self.inner[id(stmt)] = [Block(stmts, block, stmt, position) for stmts in lists]
            for name in targets(stmt):
                self.bind(name, Site(inner[0] if isinstance(stmt, For) else block, position, stmt))
            for one in inner:
                self.visit(one)

    def bind(self, name, site):
        self.sites[name].append(site)
        block, position = site.block, -1 if isinstance(site.stmt, For) else site.position
        while block is not None:
            if not block.rebinds[name] or block.rebinds[name][-1] != position:
                block.rebinds[name].append(position)
            block, position = block.parent, block.position

    def home_of(self, sites):
        block = sites[0].block
        for site in sites[1:]:
            while not site.block.inside(block):
                block = block.parent
        return block

    def side(self, block):
        """(test, number of the branch) for a branch of an `if`, else the block itself."""
        if not isinstance(block.owner, If):
            return block
        return block.owner.test, next(k for k, b in enumerate(self.inner[id(block.owner)]) if b is block)

    def is_versioned(self, name):
        return len(self.sites[name]) > 1

    def binds_always(self, block, name):
        """Whether `name` is bound after `block` has run, whichever branches were taken (a loop may run no round)."""
        for position in block.rebinds.get(name, ()):
            stmt = block.stmts[position] if position >= 0 else None
            if stmt is None or name in targets(stmt):
                return True
            if isinstance(stmt, If) and all(self.binds_always(b, name) for b in self.inner[id(stmt)]):
                return True
        return block is self.top and any(s.stmt is None for s in self.sites[name])

    def last_binding(self, block, name):
        """Block and position of the statement after which `name`, whose home is `block`, has its last version.

        A name that only some branches bind has it at the end of the last of these branches.
        """
        while True:
            position = block.rebinds[name][-1]
            if self.binds_always(block, name):
                return block, position
            inner = [b for b in self.inner[id(block.stmts[position])] if name in b.rebinds]
            block = inner[-1]
