"""Frames: the blocks that the reverse sweep is in the middle of, outermost first."""

from contextlib import contextmanager

UNBOUND = object()
"""What `env` says of a versioned name whose first binding has been undone."""


class Frame:
    """A block while it is swept backwards.

    stmts: the reversed statements so far; start: statements to stand before them.
    state: how many statements of the block are not undone: the names have the values from after statement `state - 1`.
    env: versioned name -> the name that holds, in the reverse sweep, the version at this state.
    memo: stable name -> the name under which its value has been revived.
    index, pointer: in a loop, the atoms at which this round's entries of tapes are read.
    bars: name -> Bar of this state. carries: cotangents (name -> carried name) that the reversed loop hands on.
    """

    def __init__(self, block):
        self.block = block
        self.stmts, self.start = [], []
        self.state = len(block.stmts)
        self.env, self.memo, self.bars, self.carries = {}, {}, {}, {}
        self.index = self.pointer = self.pointer_name = None


class Frames:
    """The stack of frames, and the builder that emits into the innermost one."""

    def __init__(self, builder):
        self.builder = builder
        self.stack = []

    @property
    def inner(self):
        return self.stack[-1]

    @contextmanager
    def entered(self, frame):
        """Work on a nested block."""
        self.stack.append(frame)
        try:
            with self.builder.nested(frame.stmts):
                yield frame
        finally:
            self.stack.pop()

    @contextmanager
    def outwards(self, frame):
        """Emit into an enclosing frame, in front of the statement that is being reversed there."""
        whole = self.stack
        self.stack = whole[: whole.index(frame) + 1]
        try:
            with self.builder.nested(frame.stmts):
                yield frame
        finally:
            self.stack = whole

    def of_block(self, block):
        """The frame of a block, or None."""
        return next((f for f in reversed(self.stack) if f.block is block), None)

    def find(self, table, name):
        """The innermost entry of `name` in the frames' `table`, or None."""
        for frame in reversed(self.stack):
            found = getattr(frame, table).get(name)
            if found is not None:
                return found
        return None
