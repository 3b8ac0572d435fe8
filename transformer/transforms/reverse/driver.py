"""The reverse sweep: straight-line statements, and the assembly of the joint program."""


from ...analysis.activity import Flow, differentiable_operands, is_inexact, singularity
from ...analysis.blocks import Blocks
from ...analysis.dependence import without_idle_stores
from ...analysis.liveness import prune
from ...core import Apply, Aval, Derived, For, If, Mark, Move, Program, Update, While, is_name, names_bound, operands
from ...errors import MissingRule, TransformError, TypeMismatch
from ...frontend.reference import is_reference
from ...ops.op import absorb, needing_lengths, takes_out_by_name
from ..custom_calls import after_reverse, before_reverse
from ..emission import Emitter
from ..simplify.collect_products import collect_products
from . import stores
from .bars import Bars
from .control import Control
from .early_exits import with_counted_rounds
from .frames import UNBOUND, Frame, Frames
from .patches import Patches, settle_tests
from .tapes import Tapes
from .undone import without_undone
from .untouched import without_unread_restoring
from .values import Values


def reverse(program, wrt, seeds, idle=()):
    """The joint program: the statements of `program`, the mark "reverse", and the sweep that pulls cotangents back.

    wrt: positions of the differentiated parameters. seeds: one per output: None (not differentiated), a number (the
    cotangent), or "param" (a new parameter `<output>_bar`, in order, holds it). The outputs are those of `program`, then the
    cotangent of each parameter of `wrt`. idle: positions of outputs that nobody wants; zeros stand for them.

    >>> import numpy as np
    >>> from transformer import printing
    >>> from transformer.frontend.builder import Builder
    >>> builder = Builder("f")
    >>> x = builder.parameter("x", Aval((3,), np.dtype(float)))
    >>> with builder:
    ...     y = np.sum(np.exp(x))
    >>> print(printing.source(reverse(builder.program([y]), [0], [2.0]), header=False))
    def f_grad(x):
        exp_1 = np.exp(x)
        # reverse
        sum_bar = 2.0
        x_bar = np.broadcast_to(sum_bar, (3,)) * exp_1
        return np.sum(exp_1), x_bar
    <BLANKLINE>
    """
    program = before_reverse(program, wrt)
    differentiated = [a for a, seed in zip(program.outputs, seeds, strict=True) if seed is not None and is_name(a)]
    program = with_counted_rounds(program, [program.params[k] for k in wrt], differentiated)
    return after_reverse(Reverse(settle_tests(program), tuple(wrt), tuple(seeds), idle=idle).run())


class Reverse(Emitter):
    """One run over a program. keep: names of loops whose values get a tape in any case; the tapes are the last outputs. idle: see `reverse`."""

    def __init__(self, program, wrt, seeds, keep=(), idle=()):
        super().__init__(program, f"{program.name}_grad")
        self.wrt, self.seeds, self.keep, self.idle = wrt, seeds, keep, idle
        self.flow = Flow(program)
        self.active = self.active_names()
        self.masked, self.unbounded, self.strange = self.flow.masked(), self.flow.unbounded(), self.flow.strange()
        self.blocks = Blocks(program)
        self.patches, self.frames = Patches(self.blocks), Frames(self.builder)
        self.protected = set()
        self.tapes = Tapes(self)
        self.values = Values(self)
        self.bars = Bars(self)
        self.control = Control(self)
        self.value, self.primal = self.values.find, self.values.primal

    def active_names(self):
        """The names whose cotangents are needed; parameters without derivatives are refused."""
        params = [self.source.params[k] for k in self.wrt]
        for name in params:
            aval = self.source.avals[name]
            if not is_inexact(aval):
                raise TypeMismatch(f"parameter {name} is {aval}: it has no derivative", "Differentiate with respect to floats only.")
        outputs = [a for a, seed in zip(self.source.outputs, self.seeds, strict=True) if seed is not None]
        return self.flow.varied(params) & self.flow.useful(outputs)

    def run(self):
        frame = Frame(self.blocks.top)
        with self.builder, self.frames.entered(frame):
            tapes = [self.values.keep(name) for name in self.keep if self.blocks.home[name].loop is not None]
            self.seed()
            self.sweep(frame)
            bars = [self.result(self.source.params[k]) for k in self.wrt]
        outputs, copies = self.kept_outputs(frame.stmts)
        body = [*self.patches.rebuilt(self.blocks.top), *(Move(copy, name) for name, copy in copies.items()), Mark("reverse")]
        b = self.builder
        joint = prune(Program(b.name, list(b.params), body + frame.stmts, outputs + bars + tapes, b.avals, b.hints, b.counters))
        self.values.refuse_unset(joint)
        undone = [pair._replace(store=self.patches.copies[id(pair.store)]) for pair in self.values.undone]
        for change in (lambda p: without_undone(p, undone), lambda p: without_unread_restoring(p, undone),
                       lambda p: without_idle_stores(p, seam_of(p))):
            body = change(joint)
            if body is not joint.body:
                joint.body = body
                joint = prune(joint)
        return without_copies(collect_products(joint, seam_of(joint) + 1), copies)

    def kept_outputs(self, sweep):
        """The outputs of the primal part, and copies (name -> copy) of those that the sweep may change as it undoes stores."""
        changed, outputs = names_bound(sweep), [0 if k in self.idle else a for k, a in enumerate(self.source.outputs)]
        copies = {a: self.fresh_like(a) for a in dict.fromkeys(outputs) if is_name(a) and a in changed}
        return [copies.get(a, a) for a in outputs], copies

    # seeds and results ----------------------------------------------------------------
    def seed(self):
        for atom, seed in zip(self.source.outputs, self.seeds, strict=True):
            if seed is None:
                continue
            aval = self.source.aval(atom)
            start = self.start()
            if isinstance(seed, str):
                hint = Derived(f"{self.builder.hints.get(atom, atom) if is_name(atom) else 'out'}_bar")
                bar = self.builder.parameter(hint, Aval(aval.shape, aval.dtype))
            elif is_name(atom) and atom in self.active:
                bar = self.constant_seed(seed, atom, aval)
            if is_name(atom) and atom in self.active:
                self.bars.add(atom, bar, start)

    def constant_seed(self, seed, atom, aval):
        """A number as the cotangent of an output: a name for a scalar, a filled array otherwise."""
        name = self.builder.fresh(self.bars.hint(atom), Aval((), aval.dtype, aval.dtype == float))
        self.builder.add(Move(name, float(seed) if aval.dtype == float else aval.dtype.type(seed)))
        return self.ref(name) if aval.shape == () else self.bars.reduce(self.ref(name), aval.shape)

    def result(self, name):
        """The cotangent of a parameter, with the parameter's shape and dtype."""
        self.builder.origin = None
        return self.bars.atom(name)

    # services for the parts --------------------------------------------------------------
    is_reference = staticmethod(is_reference)

    def named(self, value, hint, start):
        """The atom of a value; the last statement since `start` gets a name after `hint` if it computed the value."""
        atom, block = self.atom(value), self.builder.block
        own = len(block) > start and isinstance(block[-1], Apply) and block[-1].target == atom
        if not own or atom in self.protected or self.builder.hints.get(atom) == hint:
            return atom
        aval = self.builder.avals.pop(atom)
        self.forget(atom)
        block[-1].target = self.builder.fresh(hint, aval)
        return block[-1].target

    def protect(self, atom):
        """An atom that must keep its name, since more than one statement may read it later."""
        self.protected.add(atom)
        return atom

    def fresh_like(self, name):
        """A new name for another version of `name`."""
        return self.builder.fresh(self.builder.hints.get(name, name), self.builder.avals[name])

    # statements -----------------------------------------------------------------------
    def sweep(self, frame):
        """Undo the statements of a frame's block, last one first."""
        for position in range(len(frame.block.stmts) - 1, -1, -1):
            frame.state = position + 1
            stmt = frame.block.stmts[position]
            self.builder.origin = stmt.origin
            self.stmt(stmt, frame, position)
            frame.state = position

    def stmt(self, stmt, frame, position):
        if isinstance(stmt, Apply):
            self.apply(stmt)
            if self.blocks.is_versioned(stmt.target):
                frame.env[stmt.target] = UNBOUND
        elif isinstance(stmt, Move):
            g = self.bars.pop(stmt.target) if stmt.target in self.active else None
            self.values.undo_move(stmt, frame.block, position)
            if g is not None and is_name(stmt.source) and stmt.source in self.active:
                self.bars.add(stmt.source, self.ref(g), self.start())
        elif isinstance(stmt, Update):
            self.values.undo_update(stmt, frame.block, position)
            frame.state = position
            stores.pull_back(self, stmt)
        elif isinstance(stmt, If | For | While):
            self.control.reverse(stmt, frame)

    def apply(self, stmt):
        if stmt.target not in self.active:
            return
        g = self.bars.pop(stmt.target)
        positions = [k for k in differentiable_operands(stmt) if stmt.args[k] in self.active]
        if g is None or not positions:
            return
        g = self.ref(g)
        try:
            if stmt.op.gather:
                self.bars.scatter(stmt.args[0], stmt.params["index"], [self.value(a) for a in stmt.args[1:]], g)
            elif stmt.op.elementwise and stmt.op.vjp is None:
                self.elementwise(stmt, g, positions)
            else:
                self.general(stmt, g, positions)
        except TransformError as error:
            raise error.at(stmt.origin)

    def elementwise(self, stmt, g, positions):
        primals = *(self.primal(a) for a in stmt.args), self.primal(stmt.target)
        for k in positions:
            start = self.start()
            contribution = stmt.op.partials[k](g, *primals, **stmt.params)
            self.bars.add(stmt.args[k], self.guarded(stmt, g, contribution, start, primals), start)

    def guarded(self, stmt, g, contribution, start, primals):
        """The contribution of an elementwise op, zero wherever a mask made the cotangent zero."""
        if contribution is None or stmt.target not in self.masked:
            return contribution
        strange = self.reads(start, [p for a, p in zip((*stmt.args, stmt.target), primals, strict=True) if a in self.strange])
        return absorb(g, contribution) if strange or self.may_be_infinite(stmt) else contribution

    def may_be_infinite(self, stmt):
        """Whether a partial can be infinite; one that is made of the operands alone needs an operand that can be."""
        kind = singularity(stmt)
        return kind is True or (kind == "operands" and any(a in self.unbounded for a in stmt.args if is_name(a)))

    def reads(self, start, primals):
        """Whether the statements since `start` read one of these values."""
        names = {self.atom(p) for p in primals if is_reference(p)}
        return any(not names.isdisjoint(operands(s)) for s in self.builder.block[start:])

    def general(self, stmt, g, positions):
        if stmt.op.vjp is None:
            raise MissingRule(f"op {stmt.op.name} has no reverse-mode derivative",
                              "Add `vjp` to its declaration in transformer/ops, or use forward mode (jvp).")
        primals, out = [self.primal(a) for a in stmt.args], self.primal(stmt.target)
        start = self.start()
        with needing_lengths((*primals, out)):
            found = stmt.op.vjp(g, *primals, out=out, **stmt.params) if takes_out_by_name(stmt.op.vjp) else stmt.op.vjp(g, *primals, out, **stmt.params)
        found = found if isinstance(found, tuple) else (found,)
        for k in positions:
            contribution = self.guarded(stmt, g, found[k], start, (*primals, out)) if stmt.op.elementwise else found[k]
            self.bars.add(stmt.args[k], contribution, start)


def without_copies(program, copies):
    """The program without the copies of outputs that its sweep does not change after all."""
    changed = names_bound(program.body[seam_of(program):])
    idle = {copy: name for name, copy in copies.items() if name not in changed}
    program.body = [s for s in program.body if not (isinstance(s, Move) and s.target in idle)]
    program.outputs = [idle.get(a, a) for a in program.outputs]
    return program


def seam_of(program):
    """The position of the last mark "reverse"."""
    return max(k for k, s in enumerate(program.body) if isinstance(s, Mark) and s.text == "reverse")
