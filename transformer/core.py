"""Core Python: the small language between the frontend and everything after it.

A program is a list of statements over names, each name bound to one array or scalar of known aval. Every statement is one
line of Python (see `printing`), so a program can be printed, read and run on NumPy at every stage:

    Apply    name = op(...)            one op of the table
    Move     name = name               the only way to rebind a name; stands at the end of a branch or loop body, or right
                                       before the `if` or loop that rebinds it
    Update   name[index] = value       a new version of `name`; mode "add" is `np.add.at(name, index, value)`
    If, For, While                     structured control flow
    Effect   print, raise              kept, ordered, never differentiated
    Mark     # reverse                 a comment; the seam between the primal part and the reverse sweep

Atoms (operands) are names (`str`) or literals (Python and NumPy scalars).
"""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Aval(NamedTuple):
    """Abstract value: shape (a dimension may be None: unknown), dtype, and whether it is a weakly typed Python scalar."""

    shape: tuple
    dtype: np.dtype
    weak: bool = False

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    def __str__(self):
        if self.weak:
            return {"b": "bool", "i": "int", "f": "float", "c": "complex"}[self.dtype.kind]
        dims = ", ".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.dtype.name}[{dims}]"


class Hole(NamedTuple):
    """A dynamic entry of an index template: operand number `position` among the statement's index operands."""

    position: int


@dataclass(eq=False, slots=True)
class Apply:
    """`target = op(*args, **params)`; params are static."""

    target: str
    op: Any
    args: tuple
    params: dict
    origin: Any = None


@dataclass(eq=False, slots=True)
class Move:
    """`target = source`: rebinds `target`."""

    target: str
    source: Any
    origin: Any = None


@dataclass(eq=False, slots=True)
class Update:
    """`target[index] = value`, or `np.add.at(target, index, value)` for mode "add".

    `index` is a canonical template (see `indexing`); its holes are filled from `args`.
    """

    target: str
    index: tuple
    args: tuple
    value: Any
    mode: str = "set"
    origin: Any = None


@dataclass(eq=False, slots=True)
class If:
    """`if test: body else: orelse`; `test` is an atom of shape ()."""

    test: Any
    body: list
    orelse: list
    origin: Any = None


@dataclass(eq=False, slots=True)
class For:
    """`for index in range(lo, hi, step): body`; lo and hi are integer atoms, step a static nonzero int."""

    index: str
    lo: Any
    hi: Any
    step: int
    body: list
    origin: Any = None


@dataclass(eq=False, slots=True)
class While:
    """`while True: head; if not test: break; body`.

    `head` computes `test` anew each time round. `counter`, where given, is 0 before the first round and counts the finished
    rounds; after the loop it is the number of rounds.
    """

    head: list
    test: Any
    body: list
    counter: str | None = None
    origin: Any = None


@dataclass(eq=False, slots=True)
class Effect:
    """print or raise, kept in order.

    params["text"] is the statement's source with `_0`, `_1`... standing for the atoms in `args`, such as "print('row', _0)" or
    "raise ValueError(f'bad value {_0}')"; params["exception"] is the class that is raised.
    """

    kind: str
    args: tuple
    params: dict
    origin: Any = None


@dataclass(eq=False, slots=True)
class Mark:
    """A comment line. The text "reverse" at the top level is the seam where the reverse sweep begins."""

    text: str
    origin: Any = None


@dataclass(eq=False, slots=True)
class Program:
    """A Core program: parameters, statements, outputs (atoms), and the avals of all names.

    `hints` maps a name to the user's name it stems from; `counters` are integer names that point into tapes: they advance
    once a round for every lane of a batch.
    """

    name: str
    params: list
    body: list
    outputs: list
    avals: dict
    hints: dict = field(default_factory=dict)
    counters: set = field(default_factory=set)

    def aval(self, atom):
        return self.avals[atom] if isinstance(atom, str) else literal_aval(atom)


WEAK_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}


class Derived(str):
    """A hint of a name that belongs to a derivative (`x_dot`, `x_bar`); a user's own `x_bar` is a plain hint."""

    __slots__ = ()


def is_number(dtype):
    """Whether a type is of numbers or bools, those of ml_dtypes included."""
    return dtype.kind in "biufc" or (dtype.kind == "V" and dtype.isbuiltin == 2)


def is_floating(dtype):
    """Whether numbers of this type have derivatives: floats and complex numbers, bfloat16 and its like included."""
    return dtype.kind in "fc" or (dtype.kind == "V" and "float" in dtype.name)


def is_real(dtype):
    """Whether a type is of real floating-point numbers."""
    return dtype.kind != "c" and is_floating(dtype)


def literal_aval(value):
    """Aval of a literal: weak for Python numbers, strong for NumPy scalars (a bool is never weak in NumPy's rules)."""
    if type(value) in WEAK_DTYPES:
        return Aval((), WEAK_DTYPES[type(value)], True)
    value = np.asarray(value)
    return Aval(value.shape, value.dtype)


CONTROL = frozenset((If, For, While))
"""Statements with blocks inside."""


def is_name(atom):
    return isinstance(atom, str)


def blocks(stmt):
    """The nested statement lists of a statement, in order of execution."""
    kind = type(stmt)
    if kind not in CONTROL:
        return ()
    if kind is For:
        return (stmt.body,)
    return (stmt.body, stmt.orelse) if kind is If else (stmt.head, stmt.body)


def operands(stmt):
    """The names a statement itself reads (nested blocks not counted). An Update reads the old version of its target."""
    kind = type(stmt)
    if kind is Apply or kind is Effect:
        atoms = stmt.args
    elif kind is Mark:
        return []
    elif kind is Move:
        atoms = (stmt.source,)
    elif kind is Update:
        atoms = (stmt.target, *stmt.args, stmt.value)
    elif kind is For:
        atoms = (stmt.lo, stmt.hi)
    else:
        atoms = (stmt.test,)
    return [a for a in atoms if isinstance(a, str)]


def targets(stmt):
    """The names a statement itself binds (nested blocks not counted)."""
    kind = type(stmt)
    if kind is Apply or kind is Move or kind is Update:
        return [stmt.target]
    if kind is For:
        return [stmt.index]
    return [stmt.counter] if kind is While and stmt.counter else []


def walk(stmts):
    """All statements of a block and of the blocks inside it, outer before inner."""
    return iter(stmts) if CONTROL.isdisjoint(map(type, stmts)) else walk_inside(stmts)


def walk_inside(stmts):
    todo = [iter(stmts)]
    while todo:
        for stmt in todo[-1]:
            yield stmt
            if type(stmt) in CONTROL:
                todo.extend(map(iter, reversed(blocks(stmt))))
                break
        else:
            todo.pop()


def names_bound(stmts):
    """Ordered set (dict) of the names bound anywhere in `stmts`."""
    return dict.fromkeys(name for stmt in walk(stmts) for name in targets(stmt))


def names_read(stmts):
    """Ordered set (dict) of the names read anywhere in `stmts`."""
    return dict.fromkeys(name for stmt in walk(stmts) for name in operands(stmt))


def names_rebound(stmt):
    """Names bound before `stmt` (an If, For or While) that it may leave with another value: targets of Move and Update inside."""
    inner = [s for block in blocks(stmt) for s in walk(block)]
    return dict.fromkeys(s.target for s in inner if isinstance(s, Move | Update))
