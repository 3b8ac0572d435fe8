"""The builder of Core programs: emits statements into the block at hand and keeps names and avals."""

import builtins
import itertools
import keyword
import threading
from contextlib import contextmanager

import numpy as np

from .. import core
from ..core import Apply, Aval, Hole, Move, Program, Update, operands, targets, walk
from ..errors import TransformError
from ..ops import op as optable
from . import promotion
from .reference import Ref, Storage, is_device_array, is_reference

FLAGS = {"break": "broke", "continue": "skipped"}
"""Readable names of the flags that desugaring makes."""

RESERVED = {*keyword.kwlist, *dir(builtins), "np", "scipy", "math", "cmath", "row_swaps", "threefry"}
FOLD_LIMIT = 4096
RECENT = 8
"""How many statements back a value may have been computed that gets its name now (`a, b = f(x), g(x)`)."""
_active = threading.local()


def current():
    """The builder that operations on references emit into."""
    try:
        return _active.stack[-1]
    except (AttributeError, IndexError):
        raise TransformError("an abstract array is used outside of the function that is being transformed",
                             "Return it from the function instead of storing it elsewhere.") from None


def divides_by_zero(symbol, *values):
    """Whether Python refuses an operation on two numbers."""
    if symbol in ("/", "//", "%"):
        return values[1] == 0
    return symbol == "**" and values[0] == 0 and np.real(values[1]) < 0


class Builder:
    """Collects one Core program. Use `with builder:` around code that operates on references.

    `origin` is the user's line that statements emitted now stem from; `ranges` maps loop indices to their lowest and highest value;
    `defined` maps names to the Apply that binds them; `sized`: every size must be static, so that a mask selects a ragged array;
    `strict`: an op that fails on known values raises what it would raise in the running program, instead of being left to it;
    `failed`: the last error that passed the end of a nested block; `folded`: the statements whose value is known.
    """

    def __init__(self, name="f", parent=None):
        self.name, self.parent = name, parent
        self.params, self.avals, self.hints, self.counters = [], {}, {}, set()
        self.body = []
        self.stack = [self.body]
        self.defined = {}
        self.taken = {}
        self.origin = None
        self.lifted = {}
        self.parameters = []
        self.fold_limit = FOLD_LIMIT
        self.clock = itertools.count(1)
        self.reused, self.stored_in_loops = [], set()
        self.ranges = {}
        self.jnp = self.uses_jnp = False
        self.device_arrays = {}
        self.sized = self.strict = False
        self.failed, self.folded = None, set()

    def __enter__(self):
        if not hasattr(_active, "stack"):
            _active.stack = []
        _active.stack.append(self)
        return self

    def __exit__(self, *exc):
        _active.stack.pop()

    # names ----------------------------------------------------------------
    def fresh(self, hint, aval):
        """A new name that starts with `hint`, bound to `aval`."""
        base = (hint or "t").lstrip("_") or "t"
        base = FLAGS.get(base, base)
        if base in RESERVED:
            base += "_"
        name, number = base, self.taken.get(base, 0)
        while name in self.avals:
            number += 1
            name = f"{base}_{number}"
        self.taken[base] = number
        self.avals[name] = aval
        self.hints[name] = core.Derived(base) if isinstance(hint, core.Derived) else base
        return name

    def parameter(self, hint, aval):
        """A new parameter as a reference."""
        name = self.fresh(hint, aval)
        self.params.append(name)
        ref = self.reference(name)
        self.parameters.append(ref.storage)
        return ref

    def reference(self, name):
        """A reference to a name that is bound already; a new storage, so call it once a name."""
        return Ref(Storage(name, self.avals[name], self))

    def rename(self, ref, hint):
        """Give the user's name to a value that has just been computed and has none yet."""
        if ref.storage.builder is not self or hint.startswith("_"):
            return
        if ref.path:
            ref.hint = ref.hint or hint
            return
        name = ref.storage.name
        stmt = self.unread(name)
        if stmt is not None and self.hints[name] == stmt.op.name.rstrip("_"):
            stmt.target = ref.storage.name = self.fresh(hint, self.avals.pop(name))
            del self.hints[name]
            self.defined[stmt.target] = self.defined.pop(name, stmt)

    def unread(self, name):
        """The Apply among the last statements of the block that binds a name which no statement reads yet; None if there is none."""
        for stmt in self.block[:-RECENT - 1:-1]:
            if isinstance(stmt, Apply) and stmt.target == name:
                return stmt
            if any(name in (*operands(s), *targets(s)) for s in walk([stmt])):
                return None
        return None

    # statements -----------------------------------------------------------
    @property
    def block(self):
        return self.stack[-1]

    @contextmanager
    def nested(self, block=None):
        """Emit into a new block; yields the list of its statements."""
        block = [] if block is None else block
        self.stack.append(block)
        try:
            yield block
        except Exception as error:
            self.failed = error
            raise
        finally:
            self.stack.pop()

    def add(self, stmt):
        if stmt.origin is None:
            stmt.origin = self.origin
        self.block.append(stmt)
        if isinstance(stmt, Apply):
            self.defined[stmt.target] = stmt
        return stmt

    def emit(self, op, args, params, hint=None, weak=False):
        """Append `fresh = op(*args, **params)`; the result as a reference."""
        refs = [self.operand(a) for a in args]
        if not weak and promotion.applies(self, refs):
            return self.emit_jnp(op, refs, params, hint)
        return self.append(op, refs, params, hint, weak)

    def emit_jnp(self, op, refs, params, hint):
        """The same by JAX's rules of types."""
        self.uses_jnp = True
        refs, params, target, mark, wide = promotion.prepare(self, op, refs, params)
        return promotion.finish(self, self.append(op, refs, params, hint), op, target, mark, wide)

    def append(self, op, refs, params, hint=None, weak=False):
        atoms = [self.read(a) for a in refs]
        try:
            aval = op.infer(*[self.aval(a) for a in atoms], **params)
        except TransformError as error:
            raise error.at(self.origin)
        if weak and aval.shape == () and aval.dtype in core.WEAK_DTYPES.values():
            aval = Aval((), aval.dtype, True)
        target = self.fresh(hint or op.name, aval)
        stmt = self.add(Apply(target, op, tuple(atoms), params))
        ref = self.reference(target)
        try:
            ref.storage.known = self.fold(op, refs, params, aval)
        except Exception:
            self.block.pop()
            raise
        if ref.storage.known is not None:
            self.folded.add(stmt)
            if None in aval.shape:
                ref.aval = self.avals[target] = aval._replace(shape=ref.storage.known.shape)
        ref.storage.varies = any([getattr(r.storage, "varies", False) for r in refs if is_reference(r)])
        return ref

    def fold(self, op, refs, params, aval):
        """The value of an op whose operands are all known, if it is small; None otherwise."""
        limit = self.fold_limit
        if op.collective or op.runs or limit is not None and (None in aval.shape or aval.size > limit):
            return None
        values = [r.known if is_reference(r) else r for r in refs]
        if any(v is None or (limit is not None and np.size(v) > limit) for v in values):
            return None
        if self.strict and aval.weak and divides_by_zero(op.symbol, *values):
            raise ZeroDivisionError("division by zero")
        with np.errstate(all="ignore"):
            try:
                return np.asarray(op.impl(*values, **params), aval.dtype)
            except (ArithmeticError, ValueError):
                if self.strict:
                    raise
                return None

    def constant(self, value, hint="c"):
        """A static array as a reference."""
        value = np.array(value)
        ref = self.append(optable.TABLE["constant"], (), {"value": value}, hint)
        ref.storage.known = value
        return ref

    def device_constant(self, array):
        """A static device array as a marked reference, made at the start of the program."""
        if id(array) not in self.device_arrays:
            with self.nested(self.stack[0]):
                ref = self.constant(np.asarray(array))
            ref.storage.jnp = promotion.mark_of(array)
            self.uses_jnp = True
            self.device_arrays[id(array)] = array, ref
        return self.device_arrays[id(array)][1]

    def operand(self, value):
        """A value as it may stand in a statement: a reference of this builder, or a literal."""
        if is_reference(value):
            return value if value.storage.builder is self else self.lift(value)
        if is_device_array(value):
            return self.device_constant(value)
        if isinstance(value, np.ndarray | list | tuple):
            from .reference import as_array
            return as_array(value)
        if isinstance(value, bool | int | float | complex | np.generic):
            return value
        raise TransformError(f"a value of type {type(value).__name__} is used as an array",
                             "Arrays, numbers and containers of numbers can be operands.", self.origin)

    def read(self, value):
        """The atom (name or literal) that holds the current value of an operand."""
        if not is_reference(value):
            return value
        if value.storage.builder is not self:
            value = self.lift(value)
        return value.atom(self)

    def lift(self, ref):
        """A reference of an enclosing builder becomes a parameter here; `lifted` maps it to the parameter's name."""
        owner = self.parent
        while owner is not None and owner is not ref.storage.builder:
            owner = owner.parent
        if owner is None:
            raise TransformError("an abstract array of another transformation is used here",
                                 "Return it from that function, or pass it as an argument.", self.origin)
        key = (ref.storage, ref.storage.version, ref.path_key())
        if key not in self.lifted:
            inner = self.parameter(ref.hint or owner.hints.get(ref.storage.name, "closed"), ref.aval)
            inner.storage.jnp = ref.storage.jnp
            inner.storage.argument = ("lifted", None, ref)
            self.lifted[key] = inner
        return self.lifted[key]

    def aval(self, atom):
        return self.avals[atom] if isinstance(atom, str) else core.literal_aval(atom)

    def move(self, target, source):
        return self.add(Move(target, self.read(source)))

    def update(self, name, index, args, value, mode="set"):
        """Append an Update of a name of this builder; `args` and `value` are operands, `index` a canonical template."""
        atoms = tuple(self.read(self.operand(a)) for a in args)
        return self.add(Update(name, index, atoms, self.read(self.operand(value)), mode))

    def inline(self, program, args):
        """Append a program's statements, its parameters bound to `args` (operands); its outputs as references or literals."""
        names, rebound = {}, core.names_bound(program.body)
        for param, arg in zip(program.params, args, strict=True):
            atom = self.read(self.operand(arg))
            names[param] = self.copy_of(atom, param, program) if param in rebound else atom
        rename = Renamer(self, program, names)
        self.block.extend(rename.block(program.body))
        self.counters.update(names[c] for c in program.counters if c in names)
        return [self.reference(a) if isinstance(a, str) else a for a in map(rename.atom, program.outputs)]

    def alike(self, ref):
        """A name of its own for the value of a reference."""
        atom = self.read(ref)
        name = self.fresh(self.hints.get(atom, atom), self.aval(atom))
        self.add(Move(name, atom))
        return self.reference(name)

    def copy_of(self, atom, hint, program):
        """A name of its own for a parameter that the program rebinds or updates."""
        name = self.fresh(program.hints.get(hint, hint), program.avals[hint])
        self.add(Move(name, atom))
        return name

    def program(self, outputs, name=None):
        """The finished program; `outputs` are operands."""
        atoms = [self.read(self.operand(o)) for o in outputs]
        return Program(name or self.name, list(self.params), self.body, atoms, self.avals, self.hints, self.counters)


class Renamer:
    """Copies the statements of a program into a builder under fresh names."""

    def __init__(self, builder, program, names):
        self.builder, self.program, self.names = builder, program, names

    def atom(self, atom):
        if not isinstance(atom, str):
            return atom
        if atom not in self.names:
            hint = self.program.hints.get(atom, atom)
            self.names[atom] = self.builder.fresh(hint, self.program.avals[atom])
        return self.names[atom]

    def atoms(self, atoms):
        return tuple(map(self.atom, atoms))

    def block(self, stmts):
        return [self.stmt(s) for s in stmts]

    def stmt(self, s):
        if isinstance(s, core.Apply):
            args = self.atoms(s.args)
            return Apply(self.atom(s.target), s.op, args, s.params, s.origin)
        if isinstance(s, core.Move):
            source = self.atom(s.source)
            return Move(self.atom(s.target), source, s.origin)
        if isinstance(s, core.Update):
            return Update(self.atom(s.target), s.index, self.atoms(s.args), self.atom(s.value), s.mode, s.origin)
        if isinstance(s, core.If):
            return core.If(self.atom(s.test), self.block(s.body), self.block(s.orelse), s.origin)
        if isinstance(s, core.For):
            lo, hi = self.atom(s.lo), self.atom(s.hi)
            return core.For(self.atom(s.index), lo, hi, s.step, self.block(s.body), s.origin)
        if isinstance(s, core.While):
            counter = self.atom(s.counter) if s.counter else None
            head = self.block(s.head)
            return core.While(head, self.atom(s.test), self.block(s.body), counter, s.origin)
        if isinstance(s, core.Mark):
            return s
        return core.Effect(s.kind, self.atoms(s.args), s.params, s.origin)


def _emit(op, args, params, weak=False):
    return current().emit(op, args, params, weak=weak)


optable.install(_emit, is_reference)

__all__ = ["Builder", "Hole", "Renamer", "current"]
