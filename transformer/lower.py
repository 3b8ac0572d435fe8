"""Core -> StableHLO text.

    lowered = lower(program)                            from backend.compile import compile
    run = compile(lowered.text, lowered.features, callbacks=lowered.callbacks)
    results = run.call(arguments)                       the program's outputs, then what `Lowered` describes

`transformer.executable` does this and what follows from it: reruns with a larger capacity, raises deferred errors.

Statements become ops one by one; `if` and loops become regions that carry only the names that change and are read afterwards.
The text does not grow with trip counts. Three hidden names carry effects through control flow: the code of the first failure
(a raise, an index out of range), the tape capacity needed, and a token that keeps prints in order.
"""

from contextlib import contextmanager, nullcontext

import numpy as np

from backend.features import features_of
from backend.hlo import Hlo, Value

from .analysis.capacities import least_capacity, shapes_of
from .analysis.carries import Liveness, changed
from .analysis.exits import exit_flag
from .analysis.ordering import Ordering
from .analysis.shifts import Shifts
from .analysis.small_branches import is_scalar_work, is_small
from .analysis.sources import Sources
from .analysis.windows import Windows
from .core import Apply, Aval, For, Hole, Update, While, is_name, is_real, names_bound, names_read, walk
from .depth import deep_recursion
from .effects import CODE, INDEX, NEEDED, TOKEN, Effects
from .errors import TransformError
from .lowered import CAPACITY, Lowered
from .ops import index_lowering
from .ops.index_templates import FULL, result_shape
from .ops.op import TABLE
from .transforms.simplify.arrange_products import arrange_products
from .transforms.simplify.carry_rows import carry_rows
from .transforms.simplify.contract_sums import contract_sums
from .transforms.simplify.hoist_clears import hoist_clears
from .transforms.simplify.merge_stores import merge_stores
from .transforms.simplify.part_stores import is_short_store, part_stores

GROUP, STORING_GROUP, GROUPED_OPS = 8, 4, 80
"""Most rounds of a loop in one, of a loop that stores elements, and how many ops they may have together."""


@deep_recursion()
def lower(program, capacity=CAPACITY, donate=(), platform="cpu", layout=None, sizes=None):
    """Lower a program.

    Every unknown dimension (a tape's) becomes `capacity`, or more where that is sure to be enough for all rounds, or that of the argument
    it is in `sizes` (name -> capacity). `donate`: positions of parameters whose memory results may reuse; `layout`: for several devices,
    see `backend.spread`.
    """
    if platform == "cpu":
        program = part_stores(hoist_clears(carry_rows(merge_stores(contract_sums(program)))))
    capacity = max(capacity, least_capacity(program))
    return Lowering(arrange_products(program), capacity, platform, layout, sizes or {}).run(donate)


class Lowering:
    """One run over a program. `env` maps the names in scope to hlo values."""

    def __init__(self, program, capacity, platform, layout, sizes):
        self.program, self.capacity, self.layout, self.sizes = program, capacity, layout, sizes
        self.shapes = shapes_of(program, sizes, capacity)
        self.hlo = Hlo(program.name, platform)
        self.hlo.mesh = layout.mesh if layout else {}
        self.hlo.partitions = layout if layout and not layout.mesh else None
        self.effects = Effects(program, self)
        self.live = Liveness(program, self.effects)
        self.features = self.live.features()
        self.sources = Sources(program)
        self.shifts = Shifts(program)
        self.owns = platform == "cpu" and "scalar_loop" in self.features
        self.ordering = Ordering(self.hlo, self.owns) if self.owns or "element_loop" in self.features else None
        self.env = {}
        self.predicate = self.windows = None

    def run(self, donate):
        for name in self.program.params:
            aval = self.program.avals[name]
            if None in aval.shape:
                raise TransformError(f"the argument {name} has an unknown size under jit", "Pass an array of known shape.")
            self.env[name] = self.hlo.parameter(aval.shape, aval.dtype, aval.weak)
        self.env.update(self.effects.initial())
        self.block(self.program.body)
        outputs = [self.output(atom) for atom in self.program.outputs]
        extra = [self.env[name] for name in self.effects.outputs()]
        extra = [self.hlo.reshape(v, (1, *v.shape)) for v in extra] if self.hlo.mesh else extra
        outputs += extra
        text = self.hlo.finish(outputs, self.aliases(outputs, donate), self.hlo.partitions)
        return Lowered(text, len(self.program.outputs), self.effects.failures, NEEDED in self.env, self.capacity,
                       self.hlo.callbacks, self.features | features_of(self.hlo), extra)

    def output(self, atom):
        aval = self.program.aval(atom)
        if None in aval.shape:
            raise TransformError(f"an output has the shape {aval}, which depends on data: jit needs sizes that are known",
                                 "Return an array of fixed size, or call the function without jit.")
        return self.hlo.convert(self.read(atom), aval.dtype)

    def aliases(self, outputs, donate):
        """Parameter position -> output of the same type, each output once."""
        free, chosen = list(range(len(self.program.outputs))), {}
        for position in donate:
            param = self.hlo.params[position]
            fits = [k for k in free if outputs[k].type == param.type]
            if fits:
                chosen[position] = fits[0]
                free.remove(fits[0])
        return chosen

    # names --------------------------------------------------------------------
    def aval(self, name):
        """The aval of a name, with the capacity for unknown dimensions."""
        aval = self.program.avals[name] if name in self.program.avals else self.effects.avals[name]
        if None not in aval.shape:
            return aval
        if name in self.shapes:
            return Aval(self.shapes[name], aval.dtype)
        return Aval(tuple(self.capacity if d is None else d for d in aval.shape), aval.dtype)

    def read(self, atom):
        return self.env[atom] if is_name(atom) else self.hlo.constant(atom)

    def bind(self, name, value):
        """Bind a name to a value, which is brought to the name's dtype."""
        aval = self.aval(name)
        if value.shape != aval.shape:
            raise TransformError(f"{name} is lowered with shape {value.shape}, its aval is {aval}", "This is a fault of an op's lowering.")
        value = self.hlo.convert(value, aval.dtype)
        if self.effects.ranges.is_nonnegative(name):
            self.hlo.nonnegative.add(value.name)
        self.env[name] = Value(value.name, value.shape, value.dtype, True, value.literal) if aval.weak else value

    def rebind(self, names, values):
        for name, value in zip(names, values, strict=True):
            self.env[name] = Value(value.name, value.shape, value.dtype, self.aval(name).weak)

    def zeros(self, name):
        aval = self.aval(name)
        return self.hlo.full(aval.shape, 0, aval.dtype)

    def values(self, names):
        """Current values; zeros for a name that this branch has not bound."""
        return [self.hlo.convert(self.env[n], self.aval(n).dtype) if n in self.env else self.zeros(n) for n in names]

    # statements ---------------------------------------------------------------
    def block(self, stmts):
        for stmt in stmts:
            try:
                if type(stmt) is Apply:
                    self.lower_apply(stmt)
                    continue
                with self.effects.looked_over(stmt) if isinstance(stmt, For | While) else nullcontext():
                    getattr(self, "lower_" + type(stmt).__name__.lower())(stmt)
            except TransformError as error:
                raise error.at(getattr(stmt, "origin", None))

    def lower_mark(self, stmt):
        pass

    def lower_apply(self, stmt):
        avals = [self.program.aval(a) for a in stmt.args]
        check_sizes(stmt, avals, self.program.avals[stmt.target])
        self.effects.before_apply(stmt)
        values = [self.read(a) for a in stmt.args]
        if self.windows and id(stmt) in self.windows.axes:
            result = self.windows.read(self.hlo, stmt, values[0], values[1:], self.starts)
        else:
            result = stmt.op.rule("lower")(self.hlo, self.aval(stmt.target), *values, **stmt.params)
        self.bind(stmt.target, result)
        if self.ordering:
            for atom, value in zip(stmt.args, values):
                if atom in self.live.stored:
                    self.ordering.note(value, self.env[stmt.target])

    def starts(self, array, operands, index):
        return [a.start for a in index_lowering.axes_of(self.hlo, index, array.shape, operands)]

    def lower_move(self, stmt):
        self.bind(stmt.target, self.read(stmt.source))

    def lower_update(self, stmt):
        self.effects.before_update(stmt)
        args = [self.read(a) for a in stmt.args]
        target, value, mode = self.env[stmt.target], self.hlo.convert(self.read(stmt.value), self.aval(stmt.target).dtype), stmt.mode
        if self.predicate is not None:
            value = self.predicated(stmt, target, value, args)
        shared = self.shifts.is_shared(stmt)
        apart = mode == "set" and not self.sources.reads_elsewhere(stmt)

        def store(value):
            return index_lowering.update(self.hlo, target, value, stmt.index, args, mode, shared, apart)
        self.bind(stmt.target, self.ordering.store(target, value, store) if self.ordering else store(value))

    def predicated(self, stmt, target, value, args):
        """What a store in a branch stores, or adds, whether it is taken or not: the old elements, or zeros that leave -0.0 as it is."""
        aval = Aval(result_shape(stmt.index, target.shape, args), target.dtype)
        if stmt.mode == "add":
            other = self.hlo.full(aval.shape, zero_to_add(target.dtype), target.dtype)
        else:
            other = index_lowering.read(self.hlo, aval, target, args, stmt.index)
        return self.hlo.select(self.predicate, self.hlo.broadcast_to(value, aval.shape), other)

    def lower_effect(self, stmt):
        self.effects.emit(stmt)

    # control flow --------------------------------------------------------------
    def lower_if(self, stmt):
        names = self.live.results(stmt)
        test = self.hlo.convert(self.read(stmt.test), bool)
        if self.needs_no_branch(stmt.body) and self.needs_no_branch(stmt.orelse):
            self.select_sides(stmt, test, names)
        elif names:
            results = self.hlo.if_(test, lambda: self.branch(stmt.body, names), lambda: self.branch(stmt.orelse, names))
            self.rebind(names, results)

    def select_sides(self, stmt, test, names):
        """Compute both sides and select scalars; a store keeps the old element where its side is not taken, so that arrays go
        from one side to the other and are never copied."""
        outer = self.predicate
        arrays = [n for n in names_bound([*stmt.body, *stmt.orelse]) if n in self.env and self.env[n].shape]
        results = []
        for block, holds in ((stmt.body, test), (stmt.orelse, self.hlo.not_(test))):
            self.predicate = holds if outer is None else self.hlo.and_(outer, holds)
            results.append(self.side(block, [*names, *arrays]))
            self.rebind(arrays, results[-1][len(names):])
        self.predicate = outer
        yes, no = results
        for name, x, y in zip(names, yes, no):
            if not x.shape:
                self.rebind([name], [x if x is y else self.hlo.select(test, x, y)])

    def branch(self, stmts, names):
        """Lower a block in a scope of its own; the values of `names` at its end."""
        with self.scope():
            self.block(stmts)
            return self.values(names)

    def side(self, stmts, names):
        """The same without a region: both sides are computed one after the other."""
        env, self.env = self.env, dict(self.env)
        self.block(stmts)
        values, self.env = self.values(names), env
        return values

    @contextmanager
    def scope(self):
        """Names bound inside are gone afterwards."""
        env, self.env = self.env, dict(self.env)
        with self.ordering.scope() if self.ordering else nullcontext():
            yield
        self.env = env

    def needs_no_branch(self, stmts):
        """Whether a side of an `if` is better computed in any case, and selected from."""
        return all(is_short_store(self.program, s) for s in stmts) or is_small(self.program, stmts)

    def lower_for(self, stmt):
        names = self.live.results(stmt)
        lo, hi = (self.hlo.convert(self.read(a), np.int64) for a in (stmt.lo, stmt.hi))
        if CODE in self.env and hi.literal is None and not exchanges(stmt):
            hi = self.hlo.select(self.effects.is_fine(), hi, lo)
        if self.ordering:
            lo = self.ordering.after_reads([self.env[n] for n in names if n in self.env], lo)

        count = self.rounds_at_once(stmt)
        if is_static(lo, hi) and len(range(lo.literal, hi.literal, stmt.step)) <= count > 1:
            for index in range(lo.literal, hi.literal, stmt.step):
                self.round(stmt, self.hlo.constant(index, np.int64))
            return
        carried = [lo, *self.values(names)]
        if count > 1:
            carried = self.repeat(stmt, names, carried, self.end_of_groups(stmt, lo, hi, count), count)
        results = self.repeat(stmt, names, carried, hi, 1)
        if self.ordering:
            for name in names_read(stmt.body).keys() & self.env.keys() & self.live.stored:
                self.ordering.note(self.env[name], results[0])
        self.rebind(names, results[1:])

    def repeat(self, stmt, names, carried, end, count):
        """The loop of a For up to `end`, `count` rounds of it in one; carried: the index and the values of `names`."""
        flag = None if exchanges(stmt) else exit_flag(stmt)

        def test(index, *values):
            more = self.hlo.compare("LT" if stmt.step > 0 else "GT", index, end)
            return self.hlo.and_(more, self.hlo.not_(values[names.index(flag)])) if flag in names else more

        def body(index, *values):
            with self.scope():
                self.rebind(names, values)
                index = self.hlo.own(index) if self.owns else index
                outer, self.windows = self.windows, Windows(self.program, self.effects.ranges, stmt, count)
                for self.windows.round in range(count):
                    index = self.round(stmt, index)
                self.windows = outer
                return [index, *self.values(names)]
        return self.hlo.while_(carried, test, body)

    def round(self, stmt, index):
        """One round of a For; the index of the next one."""
        self.bind(stmt.index, index)
        self.block(stmt.body)
        return self.hlo.add(index, self.hlo.constant(stmt.step, np.int64))

    def rounds_at_once(self, stmt):
        """How many rounds of a For become one of XLA's: several where they are short, as each round of XLA's hands its values on
        through memory (Nussinov's table, n = 180: 2.5 -> 1.2 ms; eight rounds for each byte of a checksum: 400 -> 150 us; with stores
        the gradients of x[i] += 0.5 * x[i-1], n = 10000: 95 -> 70 us, and of a pairing table: 740 -> 550 us)."""
        if not all(is_scalar_work(self.program, s) for s in stmt.body):
            return 1
        most = GROUP if not any(isinstance(s, Update) for s in walk(stmt.body)) else STORING_GROUP if self.owns else 1
        return max(1, min(most, GROUPED_OPS // max(1, sum(1 for _ in walk(stmt.body)))))

    def end_of_groups(self, stmt, lo, hi, count):
        """Up to where whole groups of rounds go: the index of the last round of a group is before the end."""
        rest = (count - 1) * stmt.step
        if is_static(lo, hi):
            return self.hlo.constant(hi.literal - rest, np.int64)
        return self.hlo.select(self.hlo.compare("LT" if stmt.step > 0 else "GT", lo, hi), self.hlo.subtract(hi, rest), lo)

    def lower_while(self, stmt):
        names = self.live.results(stmt)
        if stmt.counter:
            self.env[stmt.counter] = self.hlo.constant(0, self.aval(stmt.counter).dtype)
            names = [stmt.counter, *names]
        head = self.live.head_results(stmt)
        if head is None:
            self.while_simple(stmt, names)
        else:
            self.while_rotated(stmt, names, head)

    def test_of(self, stmt):
        """The test after the head, which also fails once the program has failed: the loop might not end then."""
        test = self.hlo.convert(self.read(stmt.test), bool)
        return self.hlo.and_(test, self.effects.is_fine()) if CODE in self.env and not exchanges(stmt) else test

    def advance(self, stmt):
        if stmt.counter:
            self.bind(stmt.counter, self.hlo.add(self.env[stmt.counter], self.hlo.constant(1, self.aval(stmt.counter).dtype)))

    def while_simple(self, stmt, names):
        """The head computes nothing but the test: it becomes the loop's test."""
        def scoped(block, finish):
            def region(*values):
                with self.scope():
                    self.rebind(names, values)
                    for stmts in block:
                        self.block(stmts)
                    return finish()
            return region

        def finish():
            self.advance(stmt)
            return self.values(names)
        repeated = [stmt.head] if names_bound(stmt.head).keys() & names_read(stmt.body).keys() else []
        test = scoped([stmt.head], lambda: self.test_of(stmt))
        self.rebind(names, self.hlo.while_(self.values(names), test, scoped([*repeated, stmt.body], finish)))

    def while_rotated(self, stmt: While, names, head):
        """The head runs once before the loop and at the end of each round; the test and what the head binds are carried."""
        self.block(stmt.head)
        carried = [*names, *head]

        def body(test, *values):
            with self.scope():
                self.rebind(carried, values)
                self.block(stmt.body)
                self.advance(stmt)
                self.block(stmt.head)
                return [self.test_of(stmt), *self.values(carried)]
        results = self.hlo.while_([self.test_of(stmt), *self.values(carried)], lambda test, *values: test, body)
        self.rebind(carried, results[1:])


def zero_to_add(dtype):
    """The number whose sum with any x is x."""
    return complex(-0.0, -0.0) if dtype.kind == "c" else -0.0 if is_real(dtype) else 0


def is_static(lo, hi):
    return lo.literal is not None and hi.literal is not None


def exchanges(loop):
    """Whether a loop holds a collective: then all devices go through all its rounds, or the others would wait for ever."""
    return any(isinstance(s, Apply) and s.op.collective for s in walk([loop]))


def check_sizes(stmt, avals, out):
    """Unknown sizes stand for a capacity: only creating such an array, and reading it at integers, has a meaning."""
    if None in out.shape and not ("shape" in stmt.params or any(None in a.shape for a in avals)):
        raise TransformError(f"the result of {stmt.op.name} has a size that depends on data ({out}): jit needs sizes that are known",
                             "Use a masked form such as np.where(mask, x, 0), or call the function without jit.")
    if not any(None in a.shape for a in avals) or stmt.op is TABLE["zeros_like"]:
        return
    index = stmt.params.get("index")
    entries = [e for e in index if e is not None] if index is not None else None
    if entries is None or len(entries) != len(avals[0].shape) or any(None in a.shape for a in avals[1:]):
        refuse(stmt)
    for entry, size in zip(entries, avals[0].shape):
        number = isinstance(entry, Hole) and avals[1 + entry.position].dtype.kind in "iu"
        whole = isinstance(entry, slice) and entry == FULL
        if size is None and not (number or whole or isinstance(entry, int) and entry >= 0):
            refuse(stmt)


def refuse(stmt):
    raise TransformError(f"{stmt.op.name} reads an array whose size depends on data: jit needs sizes that are known",
                         "Call the function without jit, or make the size a static argument.")


__all__ = ["CODE", "FULL", "INDEX", "TOKEN", "Lowered", "Lowering", "changed", "lower"]
