"""The program with slices in place of masks, once it is known what becomes of each statement (see `needs`)."""

import numpy as np

from ...analysis.bounds import Linear
from ...core import Apply, Aval, Hole, Move, Update, is_name
from ...ops.index_templates import FULL, Range, Window
from ...ops.op import TABLE
from ..simplify.rewriting import Rewriter
from .regions import fitting, is_all, is_turned, keeps_axis, mirrored, spread


class Narrowing(Rewriter):
    """narrowed: names computed in a region only -> the region."""

    def __init__(self, program, facts, needs):
        super().__init__(program)
        self.facts, self.needs = facts, needs
        self.narrowed, self.atoms_of = {}, {}
        for name in [*facts.bound]:
            form = facts.form(name) if program.avals[name].dtype.kind in "iu" else None
            if form is not None and form.terms:
                self.atoms_of.setdefault(form, []).append(name)
        self.here = None

    def choice(self, stmt):
        self.here = stmt
        return self.needs.choices.get(id(stmt))

    def visit_apply(self, stmt):
        choice = self.choice(stmt)
        if choice is None:
            return super().visit_apply(stmt)
        return getattr(self, choice.kind)(stmt, choice)

    def visit_move(self, stmt):
        if self.choice(stmt) is None:
            super().visit_move(stmt)

    def visit_update(self, stmt):
        choice = self.choice(stmt)
        if choice is None:
            return super().visit_update(stmt)
        if choice.kind == "drop":
            return None
        args = [self.operand(a, part) for a, part in zip(stmt.args, choice.parts)]
        for step in choice.steps:
            self.step(self.atom(stmt.target), stmt.index, args, step, stmt.origin)

    # what becomes of a statement ----------------------------------------------------------------
    def alias(self, stmt, choice):
        self.narrowed[stmt.target] = choice.region
        self.replaced[stmt.target] = self.operand(stmt.args[1], choice.parts[0])

    def shift(self, stmt, choice):
        self.narrowed[stmt.target] = choice.region
        self.replaced[stmt.target] = self.operand(*choice.parts)

    def drop(self, stmt, choice):
        """An array that nothing reads any more."""

    def store(self, stmt, choice):
        base = choice.parts[0]
        aval = self.program.avals[stmt.target]
        name = stmt.target
        if name not in self.mutable:
            name = self.replaced[stmt.target] = self.fresh(self.program.hints.get(name) or name, aval)
            self.hints[name] = self.program.hints.get(stmt.target) or stmt.target
        if is_name(base):
            self.emit(Move(name, self.atom(base), stmt.origin))
        else:
            self.emit(filled(name, base, aval, stmt.origin))
        for step in choice.steps:
            self.step(name, (FULL,) * aval.ndim, (), step, stmt.origin)

    def narrow(self, stmt, choice):
        if stmt.op is TABLE["getitem"]:
            return self.getitem(stmt, choice)
        args = [self.operand(a, part) for a, part in zip(stmt.args, choice.parts)]
        self.bind(stmt, args, choice.region)

    def bind(self, stmt, args, region, params=None):
        """The statement on narrower operands."""
        params, old = stmt.params if params is None else params, self.program.avals[stmt.target]
        new = stmt.op.infer(*map(self.aval, args), **params)
        if new.dtype != old.dtype:
            args = [self.strong(now, before) for now, before in zip(args, stmt.args)]
            new = stmt.op.infer(*map(self.aval, args), **params)
        self.avals[stmt.target] = Aval(new.shape, old.dtype, old.weak and new.weak)
        if not is_all(region):
            self.narrowed[stmt.target] = region
        self.emit(Apply(stmt.target, stmt.op, tuple(args), params, stmt.origin))

    def strong(self, atom, before):
        """An operand in the dtype that it had before it became a number."""
        want = self.program.aval(before)
        if self.aval(atom).weak == want.weak and self.aval(atom).dtype == want.dtype:
            return atom
        if not is_name(atom):
            return want.dtype.type(atom)
        return self.computed("astype", (atom,), {"dtype": want.dtype})

    # operands -------------------------------------------------------------------------------------
    def operand(self, atom, region):
        """An operand in a region."""
        now = self.atom(atom)
        if now in self.facts.numbers:
            return self.aval(now).dtype.type(self.facts.numbers[now])
        if not is_name(now) or is_all(region) or self.aval(now).shape == ():
            return now
        have = self.narrowed.get(atom)
        region = spread(region, self.facts.shape(atom))
        if have is not None:
            if tuple(have) != tuple(region):
                raise AssertionError(f"{atom} is narrowed to {have}, but read in {region}")
            return now
        index, args = self.inside((FULL,) * len(region), (), region, self.facts.shape(atom))
        return self.computed("getitem", (now, *args), {"index": index})

    def computed(self, op, args, params):
        """A new name for the result of an op."""
        op = TABLE[op]
        name = self.fresh(op.name, op.infer(*map(self.aval, args), **params))
        self.emit(Apply(name, op, tuple(args), params, self.here.origin))
        return name

    def getitem(self, stmt, choice):
        source, *rest = stmt.args
        now = self.atom(source)
        if self.aval(now).shape == () and self.facts.shape(source) != ():
            self.narrowed[stmt.target], self.replaced[stmt.target] = choice.region, now
            return
        turned = any(map(is_turned, stmt.params["index"]))
        inner = choice.parts[0] if source in self.narrowed or turned else None
        if turned:
            now = self.operand(source, inner)
        shape = self.facts.shape(source)
        rest = [self.operand(a, part) for a, part in zip(rest, choice.parts[1:])]
        index, args = self.inside(stmt.params["index"], rest, choice.region, shape, stmt.args[1:], inner)
        self.bind(stmt, [now, *args], choice.region, {"index": index})

    # indices --------------------------------------------------------------------------------------
    def inside(self, template, args, region, shape, before=None, done=None):
        """(template, operands) of a region of what an index selects; index arrays are given for the region already.

        before: the operands as they were in the program; done: the region that the array is narrowed to already.
        """
        entries, args, axis, out = [], list(args), 0, 0
        before = args if before is None else before
        operands = [self.aval(a) for a in before]
        for entry in template:
            if entry is None:
                entries.append(None)
                out += 1
                continue
            kept = keeps_axis(entry, operands)
            stretch = region[out] if kept and out < len(region) else None
            if stretch and done and done[axis]:
                entry = FULL if entry == FULL else slice(None, None, -1)
            elif stretch and not isinstance(entry, Hole):
                entry = self.stretched(entry, stretch, shape[axis], before, args)
            out += kept
            entries.append(entry)
            axis += 1
        return tuple(entries), tuple(args)

    def stretched(self, entry, stretch, size, before, args):
        """A Range entry for the part `stretch` of what an entry takes of an axis; its operands are appended to `args`."""
        if isinstance(entry, slice) and entry == FULL:
            bounds = [b and self.bound(b, size) for b in stretch]
        else:
            window = isinstance(entry, Window)
            start = self.facts.form(before[entry.position]) if window else Linear(entry.start)
            bounds = [self.integer(start.plus(end)) for end in ends(stretch, entry.length if window else entry.stop - entry.start)]
        if not is_name(bounds[0]) and bounds[0] == 0:
            bounds[0] = None
        if not is_name(bounds[1]) and bounds[1] == size:
            bounds[1] = None
        return Range(*(self.entry(b, args) for b in bounds))

    def entry(self, bound, args):
        if not is_name(bound):
            return bound
        args.append(bound)
        return Hole(len(args) - 1)

    def bound(self, form, size):
        """A bound of a slice of a whole axis; NumPy counts negative ones from the end, and cuts large ones off, itself."""
        atom = self.integer(form)
        while is_name(atom) and atom in self.facts.made:
            inner = self.uncut(self.facts.made[atom], size)
            if inner is None:
                break
            atom = inner
        return atom

    def uncut(self, stmt, size):
        """v of min(v, size) and of max(v + size if v < 0 else v, 0)."""
        if stmt.op.impl is np.minimum and not is_name(stmt.args[1]) and stmt.args[1] == size:
            return stmt.args[0] if self.facts.is_steady(stmt.args[0], stmt, self.here) else None
        if stmt.op.impl is not np.maximum or is_name(stmt.args[1]) or stmt.args[1] != 0 or not is_name(stmt.args[0]):
            return None
        choice = self.facts.made.get(stmt.args[0])
        if choice is None or choice.op.impl is not np.where or not self.facts.is_steady(choice.args[2], choice, self.here):
            return None
        test, moved = (self.facts.made.get(a) if is_name(a) else None for a in choice.args[:2])
        value = choice.args[2]
        negative = test is not None and test.op.impl is np.less and test.args == (value, 0)
        return value if negative and moved is not None and moved.op.impl is np.add and moved.args == (value, size) else None

    def integer(self, form):
        """An atom with the value of a linear form, where the statement at hand stands."""
        if not form.terms:
            return form.constant
        for name in self.atoms_of.get(form, ()):
            if self.facts.is_known(name, self.here) and name not in self.replaced:
                return name
        total = None
        for name, factor in sorted(form.terms, key=lambda term: term[1] < 0):
            if total is None and factor < 0:
                total = form.constant
                form = form._replace(constant=0)
            part = name if abs(factor) == 1 else self.computed("multiply", (abs(factor), name), {})
            total = part if total is None else self.computed("add" if factor > 0 else "subtract", (total, part), {})
        if form.constant:
            total = self.computed("add" if form.constant > 0 else "subtract", (total, abs(form.constant)), {})
        return total

    # stores ---------------------------------------------------------------------------------------
    def step(self, array, template, args, step, origin):
        """One store into a region of what an index selects of an array."""
        kind, region, value = step
        shape = self.avals[array].shape
        operands = [self.aval(a) for a in args]
        places = sum(e is None or keeps_axis(e, operands) for e in template)
        value = self.operand(value, fitting(region, self.facts.shape(value)))
        template, region, value = self.forwards(template, region, value, shape)
        if not is_name(value) and self.aval(value).dtype == self.avals[array].dtype:
            value = np.asarray(value).item()
        index, operands = self.inside(template, args, spread(region, (0,) * places), shape)
        if kind == "subtract":
            item = self.computed("getitem", (array, *operands), {"index": index})
            value, kind = self.computed("subtract", (item, value), {}), "set"
        self.emit(Update(array, index, operands, value, kind, origin))

    def forwards(self, template, region, value, shape):
        """A store into regions of axes that run backwards as a store of the value turned round."""
        turns = [k for k, e in enumerate(template) if is_turned(e) and k < len(region) and region[k]]
        if not turns:
            return template, region, value
        region = tuple(mirrored(self.facts, s, shape[k]) if k in turns else s for k, s in enumerate(region))
        template = tuple(FULL if k in turns else e for k, e in enumerate(template))
        have = self.aval(value).shape
        back = [len(template) - k for k in turns]
        index = tuple(slice(None, None, -1) if len(have) - k in back and n != 1 else FULL for k, n in enumerate(have))
        return template, region, value if all(e == FULL for e in index) else self.computed("getitem", (value,), {"index": index})


def ends(stretch, length):
    """The bounds of a stretch of `length` places as linear forms."""
    return (Linear(0) if stretch.lo is None else stretch.lo), (Linear(length) if stretch.hi is None else stretch.hi)


def filled(name, value, aval, origin):
    """A new array of one number."""
    params = {"shape": aval.shape, "dtype": aval.dtype}
    if value in (0, 1):
        return Apply(name, TABLE["ones" if value else "zeros"], (), params, origin)
    return Apply(name, TABLE["full"], (value,), params, origin)


__all__ = ["Narrowing"]
