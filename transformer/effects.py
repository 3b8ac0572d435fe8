"""Effects in a lowered program: deferred failures, the tape capacity needed, prints in order.

They are carried by hidden names, which loops and branches hand on like any other changed name. A failure sets the code once; what
is computed afterwards is not used.
"""

import builtins
import importlib
import sys
from contextlib import contextmanager

import numpy as np

from .analysis.ranges import Ranges
from .core import Apply, Aval, Effect, For, Hole, If, Move, Update, While, blocks, is_name, names_bound, walk
from .lowered import Failure, python_value
from .ops.index_templates import Window, covered

CODE, INDEX, NEEDED, TOKEN = "?code", "?index", "?needed", "?token"
INT64 = np.dtype(np.int64)
LONG = 256
"""Index arrays of so many elements are looked at before a loop, see `looked_over`."""


class Effects:
    """The hidden names of one program. `lowering` gives access to the hlo builder and the environment."""

    def __init__(self, program, lowering):
        self.program, self.lowering, self.ranges = program, lowering, Ranges(program)
        self.avals, self.failures, self.sites, self.tracked = {}, [], {}, {}
        self.moved = {s.target for s in walk(program.body) if isinstance(s, Move)}
        self.made = {s.target: s for s in walk(program.body) if isinstance(s, Apply)}
        self.doubtful = {}
        self.plan(program.body, set(), {})

    # planning ---------------------------------------------------------------------
    def plan(self, stmts, checked, limits):
        """Register the statements of a block; `checked` holds the indices that are certain to have been checked before, `limits` the
        ranges of bounds of the loops around that follow from there being a round."""
        sides = {}
        for stmt in stmts:
            self.register(stmt, checked, limits)
            inner = set(checked)
            around = limits | self.ranges.of_bounds(stmt) if isinstance(stmt, For) else limits
            for number, block in enumerate(blocks(stmt)):
                inner = inner if isinstance(stmt, While) else checked | self.side(sides, stmt, number)
                self.plan(block, inner, around)
                self.side(sides, stmt, number).update(inner)

    def side(self, sides, stmt, number):
        """The indices checked in earlier `if`s of a block that take the same side."""
        known = isinstance(stmt, If) and stmt.test not in self.moved
        return sides.setdefault((stmt.test, number), set()) if known else set()

    def register(self, stmt, checked, limits):
        """Find what a statement may do; `tracked` maps it to the hidden names that it changes."""
        if isinstance(stmt, Effect):
            self.register_effect(stmt)
        elif isinstance(stmt, Apply):
            if "index" in stmt.params and stmt.args:
                self.register_index(stmt, dynamic_entries(self.program, stmt.args[0], stmt.params["index"], stmt.args[1:]), checked, limits)
            elif stmt.op.along:
                axis, array = stmt.params["axis"], self.program.aval(stmt.args[0])
                self.register_index(stmt, [(axis, array.shape[axis], None, stmt.args[1])], checked, limits)
            if None in self.program.avals[stmt.target].shape and "shape" in stmt.params and stmt.args:
                self.track(stmt, NEEDED, Aval((), INT64))
        elif isinstance(stmt, Update):
            self.register_index(stmt, dynamic_entries(self.program, stmt.target, stmt.index, stmt.args), checked, limits)
            if None in self.program.avals[stmt.target].shape:
                self.track(stmt, NEEDED, Aval((), INT64))

    def register_effect(self, stmt):
        if stmt.kind == "print":
            self.track(stmt, TOKEN, Aval((), np.dtype(np.int32)))
            return
        names = tuple(f"?raise_{len(self.failures)}_{k}" for k in range(len(stmt.args)))
        avals = tuple(map(self.program.aval, stmt.args))
        self.add_failure(stmt, Failure(stmt.params["exception"], stmt.params["text"], avals, stmt.origin, names))
        for name, aval in zip(names, avals):
            self.track(stmt, name, aval._replace(weak=False))

    def register_index(self, stmt, entries, checked, limits):
        for axis, size, entry, atom in entries:
            key = (atom, size, getattr(entry, "length", None))
            if size is None or key in checked or self.ranges.is_within(atom, size, entry, limits):
                continue
            if atom not in self.moved:
                checked.add(key)
            text = f"raise IndexError(f'index {{_0}} is out of bounds for axis {axis} with size {size}')"
            self.add_failure(stmt, Failure(IndexError, text, (Aval((), INT64, True),), stmt.origin, (INDEX,)), (atom, size, entry))

    def add_failure(self, stmt, failure, check=None):
        self.failures.append(failure)
        self.sites.setdefault(id(stmt), []).append((len(self.failures), failure, check))
        self.track(stmt, CODE, Aval((), np.dtype(np.int32)))
        self.track(stmt, INDEX, Aval((), INT64))

    def track(self, stmt, name, aval):
        self.avals[name] = aval
        self.tracked.setdefault(id(stmt), {})[name] = None

    def initial(self):
        """The hidden names and their first values."""
        return {name: self.lowering.hlo.full(aval.shape, 0, aval.dtype) for name, aval in self.avals.items()}

    def outputs(self):
        """The hidden names that are results of the program, in order."""
        operands = [n for f in self.failures for n in f.names if n != INDEX]
        return [*([CODE, INDEX, *operands] if self.failures else []), *([TOKEN] if TOKEN in self.avals else []), *([NEEDED] if NEEDED in self.avals else [])]

    def changed_in(self, stmts):
        return dict.fromkeys(n for s in walk(stmts) for n in self.tracked.get(id(s), ()))

    def changed(self, stmt):
        return list(self.changed_in([stmt]))

    # emission -----------------------------------------------------------------------
    @property
    def hlo(self):
        return self.lowering.hlo

    def is_fine(self):
        """Whether nothing has failed so far."""
        return self.hlo.compare("EQ", self.lowering.env[CODE], self.hlo.constant(0, np.int32))

    def fail(self, number, failure, values, test=None):
        """Record a failure if `test` holds (None: it does) and nothing has failed before."""
        env, hlo = self.lowering.env, self.hlo
        first = self.is_fine() if test is None else hlo.and_(self.is_fine(), test)
        for name, value in zip(failure.names, values, strict=True):
            env[name] = hlo.select(first, hlo.convert(value, self.avals[name].dtype), env[name])
        env[CODE] = hlo.select(first, hlo.constant(number, np.int32), env[CODE])

    def emit(self, stmt):
        if stmt.kind == "print":
            return self.emit_print(stmt)
        for number, failure, _ in self.sites[id(stmt)]:
            self.fail(number, failure, [self.lowering.read(a) for a in stmt.args])

    def emit_print(self, stmt):
        avals = [self.program.aval(a) for a in stmt.args]
        code = compile(stmt.params["text"], "<print>", "exec")

        def show(token, *values):
            scope = {"np": np, "print": builtins.print, "debug": sys.modules.get(f"{__package__}.debug"), **modules_named(stmt)}
            exec(code, scope, {f"_{k}": python_value(v, a) for k, (v, a) in enumerate(zip(values, avals))})
            return (np.asarray(token) + np.int32(1),)
        values = [self.lowering.env[TOKEN], *map(self.lowering.read, stmt.args)]
        self.lowering.env[TOKEN], = self.hlo.callback(show, values, [((), np.int32)])

    def before_apply(self, stmt):
        self.check_indices(stmt)
        if NEEDED in self.tracked.get(id(stmt), ()):
            shape = self.lowering.aval(stmt.target).shape
            for size, dim in zip(shape, stmt.params["shape"]):
                if isinstance(dim, Hole):
                    self.need(self.lowering.read(stmt.args[dim.position]), size)

    def before_update(self, stmt):
        self.check_indices(stmt)
        shape = zip(self.program.avals[stmt.target].shape, self.lowering.aval(stmt.target).shape)
        for (size, capacity), entry in zip(shape, [e for e in stmt.index if e is not None]):
            if size is None and isinstance(entry, Hole):
                self.need(self.hlo.add(self.lowering.read(stmt.args[entry.position]), 1), capacity)

    def need(self, size, capacity):
        """Report a size; for a dimension with a capacity of its own, only one that is too large, as more than the default."""
        env, size = self.lowering.env, self.hlo.convert(size, INT64)
        if size.shape:
            size = self.hlo.reduce(size, np.int64(0), tuple(range(len(size.shape))), "maximum")
        if capacity != self.lowering.capacity:
            more = self.hlo.op("maximum", [size, self.hlo.constant(self.lowering.capacity + 1, INT64)], (), INT64)
            size = self.hlo.select(self.hlo.compare("GT", size, capacity), more, self.hlo.constant(0, INT64))
        env[NEEDED] = self.hlo.op("maximum", [env[NEEDED], size], (), INT64)

    def check_indices(self, stmt):
        for number, failure, (atom, size, entry) in self.sites.get(id(stmt), ()):
            doubt = self.doubtful.get(self.key(self.source(atom, size), size, entry))
            if doubt is None:
                self.check_index(number, failure, atom, size, entry)
                continue
            names = [CODE, *failure.names]
            results = self.hlo.if_(doubt, lambda: self.checked(names, number, failure, atom, size, entry), lambda: self.lowering.values(names))
            self.lowering.rebind(names, results)

    def check_index(self, number, failure, atom, size, entry):
        index = self.hlo.convert(self.lowering.read(atom), INT64)
        bad = self.outside(index, size, entry)
        if index.shape:
            axes = range(index.ndim)
            index = self.hlo.reduce(self.hlo.select(bad, index, np.iinfo(np.int64).max), None, axes, "minimum")
            bad = self.hlo.reduce(bad, False, axes, "or")
        self.fail(number, failure, [index], bad)

    def checked(self, names, *check):
        """The hidden names after a check in a branch."""
        with self.lowering.scope():
            self.check_index(*check)
            return self.lowering.values(names)

    def outside(self, index, size, entry):
        """Where an index is out of range."""
        low, high = (0, size - entry.length) if isinstance(entry, Window) else (-size, size - 1)
        return self.hlo.or_(self.hlo.compare("LT", index, low), self.hlo.compare("GT", index, high))

    # loops ------------------------------------------------------------------------------
    @contextmanager
    def looked_over(self, loop):
        """Look at index arrays that a loop does not change before it: where all their elements are in range, the rounds, which read at
        some of them (`x[columns[start:stop]]`), do not look again (a sparse matrix of 4096 rows times a vector: 170 -> 60 ms)."""
        bound, made = names_bound([loop]), []
        for stmt in walk([loop]):
            for _, _, check in self.sites.get(id(stmt), ()):
                source = check and self.source(*check[:2])
                if source is None or source in bound or source not in self.lowering.env or self.program.aval(source).size < LONG:
                    continue
                key = self.key(source, *check[1:])
                if key not in self.doubtful:
                    index = self.hlo.convert(self.lowering.env[source], INT64)
                    self.doubtful[key] = self.hlo.reduce(self.outside(index, *check[1:]), False, range(index.ndim), "or")
                    made.append(key)
        yield
        for key in made:
            del self.doubtful[key]

    def source(self, atom, size):
        """The array that has all elements of an index, apart from numbers in range that a mask puts into it."""
        made = self.made.get(atom) if is_name(atom) else None
        if made is None or made.op.impl is not np.where or not is_name(made.args[1]) or is_name(made.args[2]):
            return atom if is_name(atom) else None
        return self.source(made.args[1], size) if -size <= made.args[2] < size else atom

    def key(self, source, size, entry):
        value = self.lowering.env.get(source)
        return value and (value.name, size, getattr(entry, "length", None))


def modules_named(stmt):
    """The modules that the source of an effect names, under the names by which it begins."""
    for name in stmt.params.get("modules", ()):
        importlib.import_module(name)
    return {root: sys.modules[root] for root in (name.partition(".")[0] for name in stmt.params.get("modules", ()))}


def dynamic_entries(program, array, index, args):
    """(axis, size, entry, operand) for each integer operand of an index template."""
    shape, axis = program.aval(array).shape, 0
    for entry in index:
        if entry is None:
            continue
        if isinstance(entry, Hole | Window):
            aval = program.aval(args[entry.position])
            if aval.dtype.kind in "iu":
                yield axis, shape[axis], entry, args[entry.position]
            axis += covered(aval) if isinstance(entry, Hole) else 1
        else:
            axis += 1
