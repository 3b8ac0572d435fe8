"""Statements to be added to the primal part: saves, tapes, counters. They are collected by place and put in at the end."""

import copy
from collections import defaultdict

from ...core import For, If, While


class Patches:
    """Lists of statements by place; a list may be emitted into at any time before `rebuilt`."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.lists = defaultdict(list)
        self.counters = {}

    def at(self, kind, block, position=None):
        return self.lists[kind, id(block), position]

    def before(self, block, position):
        """The list in front of a statement; Moves that end a block stay together."""
        if position >= block.trailing():
            return self.end(block)
        return self.at("before", block, position)

    def after(self, block, position):
        """The list behind a statement (for the head of a While, at the start of its body)."""
        if position < head_length(block):
            return self.start(block)
        return self.at("after", block, position)

    def start(self, block):
        return self.at("start", block)

    def end(self, block):
        """The list in front of the Moves that end a block."""
        return self.at("end", block)

    def last(self, block):
        """The list of further Moves that end a block."""
        return self.at("last", block)

    def rebuilt(self, block):
        """The statements of a block with the patches in their places."""
        head, trailing = head_length(block), block.trailing()
        out = [] if head else [*self.start(block)]
        for position, stmt in enumerate(block.stmts):
            if head and position == head:
                out.extend(self.start(block))
            if position == trailing:
                out.extend(self.end(block))
            out.extend(self.at("before", block, position))
            out.append(self.copied(stmt))
            out.extend(self.at("after", block, position))
        if head == len(block.stmts):
            out.extend(self.start(block) if head else [])
        if trailing == len(block.stmts):
            out.extend(self.end(block))
        return out + self.last(block)

    def copied(self, stmt):
        inner = self.blocks.inner[id(stmt)]
        counter = self.counters.get(id(stmt))
        stmt = copy.copy(stmt)
        if isinstance(stmt, If):
            stmt.body, stmt.orelse = map(self.rebuilt, inner)
        elif isinstance(stmt, For):
            stmt.body = self.rebuilt(inner[0])
        elif isinstance(stmt, While):
            whole = self.rebuilt(inner[0])
            stmt.head, stmt.body = whole[: len(stmt.head)], whole[len(stmt.head):]
            stmt.counter = counter or stmt.counter
        return stmt


def head_length(block):
    """How many statements of a block are the head of a While."""
    return len(block.owner.head) if isinstance(block.owner, While) else 0


def in_head(block, position):
    """Whether a statement stands in the head of a While, at any depth, inside of the innermost loop."""
    while block is not None:
        if position < head_length(block):
            return True
        if block.is_loop:
            return False
        block, position = block.parent, block.position
    return False
