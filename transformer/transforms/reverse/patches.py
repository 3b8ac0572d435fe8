"""Statements to be added to the primal part: saves, tapes, counters. They are collected by place and put in at the end."""

import copy
from collections import defaultdict

from ...analysis.blocks import Blocks
from ...core import Apply, For, If, Move, While, is_name, walk
from ..emission import Emitter


class Patches:
    """Lists of statements by place; a list may be emitted into at any time before `rebuilt`. copies: id of a statement -> its rebuilt copy."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.lists = defaultdict(list)
        self.counters, self.tests, self.copies = {}, {}, {}

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
        return self.part(block, 0, len(block.stmts))

    def head(self, block, length):
        """The head of a While: nothing is added but copies of tests."""
        return [s for k in range(length) for s in (*self.at("before", block, k), self.copied(block.stmts[k]))]

    def part(self, block, first, last):
        """The statements from position `first` on; the start and the end of a While's block belong to its body."""
        trailing = max(block.trailing(), first)
        out = [*self.start(block)]
        for position in range(first, last):
            if position == trailing:
                out.extend(self.end(block))
            out.extend(self.at("before", block, position))
            out.append(self.copied(block.stmts[position]))
            out.extend(self.at("after", block, position))
        return out + (self.end(block) if trailing == last else []) + self.last(block)

    def copied(self, stmt):
        if type(stmt) is Apply:
            copied = self.copies[id(stmt)] = Apply(stmt.target, stmt.op, stmt.args, stmt.params, stmt.origin)
            return copied
        inner = self.blocks.inner[id(stmt)]
        counter, test = self.counters.get(id(stmt)), self.tests.get(id(stmt))
        given, stmt = stmt, copy.copy(stmt)
        self.copies[id(given)] = stmt
        if isinstance(stmt, If):
            stmt.test = test or stmt.test
            stmt.body, stmt.orelse = map(self.rebuilt, inner)
        elif isinstance(stmt, For):
            stmt.body = self.rebuilt(inner[0])
        elif isinstance(stmt, While):
            head, end = len(stmt.head), len(inner[0].stmts)
            stmt.head, stmt.body = self.head(inner[0], head), self.part(inner[0], head, end)
            stmt.counter = counter or stmt.counter
        return stmt


def settle_tests(program):
    """The program with a copy as the test of each `if` whose test is rebound elsewhere: branches are reopened by their test."""
    if not any(type(s) is If for s in walk(program.body)):
        return program
    blocks = Blocks(program)
    found = [(b, k) for b in blocks.all for k, s in enumerate(b.stmts)
             if isinstance(s, If) and is_name(s.test) and blocks.is_versioned(s.test)]
    if not found:
        return program
    emitter, patches = Emitter(program, program.name), Patches(blocks)
    for block, position in found:
        stmt = block.stmts[position]
        name = emitter.fresh(program.hints.get(stmt.test, stmt.test), program.avals[stmt.test])
        patches.tests[id(stmt)] = name
        patches.at("before", block, position).append(Move(name, stmt.test))
    emitter.builder.body = patches.rebuilt(blocks.top)
    return emitter.finish(program.outputs)


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
