"""Batching of the statements that stand alone: operations, stores, effects."""

import numpy as np

from ...core import Apply, For, Hole, If, Update, is_floating
from ...errors import MissingRule, TransformError
from ...ops.index_templates import FULL, result_shape
from ...ops.op import TABLE, lookup, python_types
from .indexing import batch_read, batch_store
from .lanes import Lanes
from .remedies import LANE, remedies


class Statements(Lanes):
    """Adds the statements without blocks."""

    # operations -------------------------------------------------------------------
    def apply(self, stmt, region):
        name = stmt.target
        self.bound.add(name)
        if name not in self.analysis.batched and not self.analysis.exchanges(stmt):
            self.add(stmt, args=tuple(map(self.now, stmt.args)))
            return
        start = self.start()
        value = self.exchanged(stmt) if self.analysis.exchanges(stmt) else self.result(stmt, region)
        if self.batched_aval(name).shape != self.aval(value).shape:
            value = self.repeated(value, name)
        self.bind(name, self.coerce(value, self.batched_aval(name)), start)

    def exchanged(self, stmt):
        """A collective over the axis of this batch: an operation on the batch axis."""
        args = [self.value(a) for a in stmt.args]
        args = [x if self.batched(a) else self.emit(TABLE["broadcast_to"], x, shape=(self.size, *self.source.aval(a).shape))
                for a, x in zip(stmt.args, args)]
        params = {k: v for k, v in stmt.params.items() if k != "size"}
        return stmt.op.lanes(self.size, *args, **params)

    def repeated(self, value, name):
        """A value that is the same for all lanes so far, with a batch axis; it is stored into."""
        aval, last = self.batched_aval(name), self.builder.block[-1]
        constant = last.params.get("value") if isinstance(last, Apply) and not last.args else None
        if constant is not None and np.all(constant == constant.flat[:1]):
            return self.builder.constant(np.broadcast_to(constant, aval.shape))
        return lookup(np.copy)(self.spread(value, name))

    def result(self, stmt, region):
        """The batched value of an Apply."""
        if "shape" in stmt.params and self.makes_array(stmt):
            return self.created(stmt, region)
        if not any(map(self.batched, stmt.args)):
            return self.emit(stmt.op, *map(self.value, stmt.args), **stmt.params)
        if stmt.op.gather:
            source, *args = stmt.args
            return self.read(source, stmt.params["index"], args, region)
        args = [self.operand(a, region, remedy) for a, remedy in zip(stmt.args, remedies(stmt))]
        if stmt.op.elementwise and stmt.op.batch is None:
            return self.elementwise(stmt, args)
        axes = self.lane_axes(stmt.args)
        if stmt.op.batch is None:
            raise MissingRule(f"op {stmt.op.name} has no rule for batching (vmap)",
                              "Add `batch` to its declaration in transformer/ops.")
        result, axis = stmt.op.batch(axes, *args, **stmt.params)
        return result if axis == 0 else lookup(np.moveaxis)(result, axis, 0)

    def lane_axes(self, atoms):
        return tuple(0 if self.batched(a) else None for a in atoms)

    def makes_array(self, stmt):
        """Whether an Apply makes an array of a given shape, its operands being sizes only."""
        return len(stmt.args) == sum(isinstance(d, Hole) for d in stmt.params["shape"])

    def created(self, stmt, region):
        """A new array with a batch axis."""
        shape, axis = stmt.params["shape"], self.analysis.axes.get(stmt.target, 0)
        sizes = [self.size_of(a, stmt, region) for a in stmt.args]
        axis -= self.lane_rank(stmt.target) - len(shape)
        return self.emit(stmt.op, *sizes, **{**stmt.params, "shape": (*shape[:axis], self.size, *shape[axis:])})

    def size_of(self, atom, stmt, region):
        """A size that holds the entries of every lane; only tapes may differ in size."""
        if not self.batched(atom):
            return self.value(atom)
        dynamic = max(k for k, d in enumerate(stmt.params["shape"]) if isinstance(d, Hole))
        if dynamic >= self.analysis.scalars.get(stmt.target, 0):
            raise TransformError(f"np.{stmt.op.name} with a size that differs from lane to lane",
                                 "The sizes of arrays must not depend on the batch.")
        return lookup(np.max)(self.operand(atom, region, LANE))

    def elementwise(self, stmt, args):
        """An elementwise op: operands of fewer axes get axes of size 1 behind the batch axis."""
        rank = self.lane_rank(stmt.target)
        args = self.cast_weak(stmt, args)
        args = [self.expanded(x, self.lane_rank(a), rank) if self.batched(a) else x for a, x in zip(stmt.args, args)]
        return stmt.op.bind(*args, **stmt.params)

    def cast_weak(self, stmt, args):
        """Batched Python numbers are arrays: cast them as NumPy would the numbers."""
        avals = [self.source.aval(a) for a in stmt.args]
        if not isinstance(stmt.op.impl, np.ufunc) or not any(v.weak and self.batched(a) for a, v in zip(stmt.args, avals)):
            return args
        ufunc = stmt.op.impl
        resolved = ufunc.resolve_dtypes((*python_types(avals), *(None,) * ufunc.nout))
        return [TABLE["astype"].bind(x, dtype=d) if v.weak and self.batched(a) and v.dtype != d and is_floating(d) else x
                for a, x, v, d in zip(stmt.args, args, avals, resolved)]

    # indexing -----------------------------------------------------------------------
    def read(self, source, template, args, region):
        """The batched value of `source[template]`; index operands are made safe."""
        operands = [self.operand(a, region, 0) for a in args]
        array, axes = self.value(source), self.lane_axes((source, *args))
        prefix = self.analysis.axes.get(source, 0) if self.batched(source) else 0
        if prefix:
            template, operands = self.stacked(template, args, operands, prefix)
            return self.emit(TABLE["getitem"], array, *operands, index=template)
        return batch_read(axes, array, *operands, index=template)[0]

    def stacked(self, template, args, operands, prefix):
        """The template and operands for an array whose batch axis comes after `prefix` leading scalars."""
        entry, atoms = FULL, [args[e.position] for e in template[:prefix] if isinstance(e, Hole)]
        if any(map(self.batched, atoms)):
            entry, operands = Hole(len(operands)), [*operands, np.arange(self.size)]
        return (*template[:prefix], entry, *template[prefix:]), operands

    def update(self, stmt, region):
        target = self.now(stmt.target)
        if stmt.target not in self.analysis.batched:
            self.add(stmt, target=target, args=tuple(map(self.now, stmt.args)), value=self.now(stmt.value))
        elif self.analysis.axes.get(stmt.target):
            self.stacked_update(stmt, target, region)
        else:
            self.batched_update(stmt, target, region)
        self.invalidate(target)

    def store_mask(self, stmt, region):
        """The mask of the lanes that a store concerns; None for all. Lanes that did not write an entry of a tape never read it."""
        if not self.analysis.is_masked(stmt.target, region) or stmt.target in self.analysis.tapes:
            return None
        return self.mask(region)

    def stored_rank(self, stmt):
        """The number of lane axes of the part of an array that a store concerns."""
        avals = [self.source.aval(a) for a in stmt.args]
        return len(result_shape(stmt.index, self.source.avals[stmt.target].shape, avals))

    def masked_value(self, stmt, mask, region):
        """The value to store and its batch axis (0 or None); lanes outside of the mask keep what they have."""
        value, axis = self.value(stmt.value), 0 if self.batched(stmt.value) else None
        if mask is None:
            return value, axis
        rank = self.stored_rank(stmt)
        old = self.read(stmt.target, stmt.index, stmt.args, region) if stmt.mode == "set" else 0
        value = self.expanded(value, self.lane_rank(stmt.value), rank) if axis == 0 else value
        return lookup(np.where)(self.aligned(mask, rank), value, old), 0

    def batched_update(self, stmt, target, region):
        operands, axes = [self.operand(a, region, 0) for a in stmt.args], list(self.lane_axes(stmt.args))
        mask = self.store_mask(stmt, region)
        selects = [k for k, a in enumerate(stmt.args) if self.source.aval(a).dtype == bool]
        if mask is not None and selects:
            k = selects[0]
            aligned = self.aligned(mask, self.lane_rank(stmt.args[k]))
            operands[k], axes[k], mask = lookup(np.bitwise_and)(aligned, operands[k]), 0, None
        value, axis = self.masked_value(stmt, mask, region)
        batch_store(self.ref(target), stmt.index, operands, tuple(axes), value, axis, stmt.mode)

    def stacked_update(self, stmt, target, region):
        """A store into a tape: the batch axis stands behind the leading scalars."""
        prefix, rank = self.analysis.axes[stmt.target], self.stored_rank(stmt)
        value, axis = self.masked_value(stmt, self.store_mask(stmt, region), region)
        if axis == 0:
            value = self.expanded(value, len(self.aval(value).shape) - 1, rank)
        if stmt.target in self.analysis.tapes:
            shape = self.builder.avals[target].shape[1:]
            value = value if self.aval(value).shape == shape else self.emit(TABLE["broadcast_to"], value, shape=shape)
        operands = [self.operand(a, region, 0) for a in stmt.args]
        template, operands = self.stacked(stmt.index, stmt.args, operands, prefix)
        self.builder.add(Update(target, template, tuple(map(self.atom, operands)), self.atom(value), stmt.mode))

    # effects ------------------------------------------------------------------------------
    def effect(self, stmt, region):
        mask = self.mask(region)
        if stmt.kind == "print" and any(map(self.batched, stmt.args)):
            self.print_lanes(stmt, mask)
            return
        lane = None
        if any(map(self.batched, stmt.args)):
            lane = 0 if mask is None else self.lane(mask)
        self.add(stmt, args=self.one_lane(stmt.args, lane))

    def one_lane(self, atoms, lane):
        return tuple(self.atom(self.at_lane(self.value(a), lane, self.lane_rank(a)) if self.batched(a) else self.value(a))
                     for a in atoms)

    def print_lanes(self, stmt, mask):
        """A print of each lane, in order."""
        index = self.fresh("lane", self.builder.aval(0))
        with self.nested() as inner:
            self.add(stmt, args=self.one_lane(stmt.args, index))
        body = inner
        if mask is not None:
            with self.nested() as body:
                taken = self.atom(self.at_lane(self.ref(mask), index, 0))
                self.builder.add(If(taken, inner, []))
        self.builder.add(For(index, 0, self.size, 1, body))


__all__ = ["Statements"]
