"""Which names may share memory once a program is printed: reads of NumPy views, Moves, tape entries.

Core has value semantics; NumPy does not. `source_of(stmt)` is the one place that knows which statements make a name refer to memory
that another name refers to.
"""

from ..core import Apply, Hole, Move, Update, is_name, walk

VIEWS = {"broadcast_to", "diagonal", "einsum", "expand_dims", "getitem", "imag", "optimization_barrier", "real", "reshape", "squeeze",
         "stop_gradient", "transpose"}
"""Ops whose result may be a view of their first operand (a test finds those that are missing)."""

READ_ONLY = {"broadcast_to", "diagonal"}
"""Views that NumPy refuses to store into."""


def tapes(program):
    """The tapes, which print as lists of arrays."""
    return {s.target for s in walk(program.body) if isinstance(s, Apply) and s.op.name == "tape"}


def source_of(stmt, program, lists):
    """The name whose memory the target of `stmt` may refer to afterwards; None if its memory is new or it holds a number."""
    if isinstance(stmt, Update):
        return stmt.value if stmt.target in lists and is_name(stmt.value) and shaped(stmt.value, program) else None
    if isinstance(stmt, Move):
        have, want = program.aval(stmt.source), program.avals[stmt.target]
        same = is_name(stmt.source) and have.dtype == want.dtype and shaped(stmt.target, program)
        return stmt.source if same else None
    if not isinstance(stmt, Apply) or stmt.op.name not in VIEWS or not is_name(stmt.args[0]):
        return None
    if "index" in stmt.params and is_element(stmt, program):
        return None
    return stmt.args[0]


def shaped(name, program):
    return program.avals[name].shape != ()


def is_element(stmt, program):
    """Whether a getitem gives a NumPy scalar or a new array (an index array), not a view."""
    index = stmt.params["index"]
    holes = [program.aval(stmt.args[e.position + 1]) for e in index if isinstance(e, Hole)]
    return program.avals[stmt.target].shape == () or any(h.shape != () or h.dtype == bool for h in holes)


class Groups:
    """Union-find over names: those in one group may share memory at some point of the program."""

    def __init__(self):
        self.parent = {}

    def find(self, name):
        root = name
        while self.parent.get(root, root) != root:
            root = self.parent[root]
        while self.parent.get(name, name) != root:
            self.parent[name], name = root, self.parent[name]
        return root

    def join(self, one, other):
        self.parent.setdefault(one, one)
        self.parent.setdefault(other, other)
        self.parent[self.find(one)] = self.find(other)


def memory_groups(program):
    """Name -> group, for the names that may share memory with another one."""
    lists, groups = tapes(program), Groups()
    for stmt in walk(program.body):
        if isinstance(stmt, Apply | Move | Update):
            source = source_of(stmt, program, lists)
            if source is not None:
                groups.join(stmt.target, source)
    return {name: groups.find(name) for name in list(groups.parent)}
