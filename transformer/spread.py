"""Programs on several devices.

    Blocks(...)        one replica of the program per device of a mesh; each computes on its block of every array, and collectives
                       exchange values: what `pmap` and `shard_map` run
    Partitioned(...)   one program on whole arrays that XLA splits over the devices: what `jit` runs on sharded arrays

Both are placements: `placement.executable(program, donate)` is the compiled form.
"""

import numpy as np

from backend import client, spread
from backend.placed import Placed, placed
from backend.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from .core import Aval, is_name
from .errors import TransformError
from .executable import Array, Compiled
from .frontend.builder import Builder
from .lower import lower
from .ops.op import TABLE


class Spread(Compiled):
    """A program that runs on several devices: `layout` is for `lower`, `inputs` and `outputs` are shardings."""

    def __init__(self, program, layout, inputs, outputs, donate=()):
        super().__init__(program)
        self.layout, self.inputs, self.outputs, self.given = layout, inputs, outputs, tuple(donate)

    @property
    def partitioned(self):
        return not self.layout.mesh

    def translate(self, capacity):
        lowered = lower(self.program, capacity, (), client.platform(), self.layout)
        params = [self.program.avals[p] for p in self.program.params]
        inputs = [(self.whole(a.shape, s), a.dtype, s) for a, s in zip(params, self.inputs, strict=True)]
        results = [self.program.aval(a) for a in self.program.outputs]
        outputs = [(self.whole(a.shape, s), a.dtype, s) for a, s in zip(results, self.outputs, strict=True)]
        outputs += [(self.whole(v.shape, self.everywhere), v.dtype, self.everywhere) for v in lowered.extra]
        return lowered, spread.compile(lowered.text, inputs, outputs, self.layout.devices, lowered.features, self.options,
                                       lowered.callbacks, self.partitioned)

    @property
    def everywhere(self):
        """The sharding of what a program reports: a row per replica, or one for all partitions."""
        mesh = Mesh(np.array(self.layout.devices, object), ("devices",))
        return NamedSharding(mesh, PartitionSpec() if self.partitioned else PartitionSpec("devices"))

    def whole(self, shape, sharding):
        """The shape of the array of which a program sees a block of this shape."""
        if self.partitioned:
            return shape
        return tuple(n * k for n, k in zip(shape, sharding.splits(len(shape)), strict=True))

    def reported(self, results):
        if self.partitioned:
            return results
        extra = [np.asarray(r) for r in results[self.lowered.count:]]
        if self.lowered.sized:
            extra[-1] = np.full_like(extra[-1], extra[-1].max())
        first = int(np.argmax(extra[0] != 0)) if self.lowered.failures else 0
        return [*results[: self.lowered.count], *(e[first] for e in extra)]

    def __call__(self, arguments):
        results = super().__call__(arguments)
        for position in self.given:
            give_up(arguments[position])
        return results


def give_up(array):
    """A donated argument can no longer be used."""
    if isinstance(array, Array) and not array.is_deleted():
        array.delete()


class Blocks:
    """One replica per device. levels: from the outside in, the mapped axes: (mesh axis, size, axis per parameter, axis per output).

    The devices lie on a mesh with one axis per level; a mapped axis of an array is split in blocks of size 1.
    """

    def __init__(self, devices, levels):
        self.levels = levels
        sizes = [size for _, size, _, _ in levels]
        self.mesh = Mesh(np.array(list(devices), object).reshape(sizes), [name for name, _, _, _ in levels])

    def executable(self, program, donate):
        ins = [[axes[k] for _, _, axes, _ in self.levels] for k in range(len(program.params))]
        outs = [[axes[k] for _, _, _, axes in self.levels] for k in range(len(program.outputs))]
        inputs = [self.sharding(program.avals[p].ndim, axes) for p, axes in zip(program.params, ins)]
        outputs = [self.sharding(program.aval(o).ndim, axes) for o, axes in zip(program.outputs, outs)]
        layout = spread.Replicas(self.mesh.flat, self.mesh.shape)
        return Spread(on_blocks(program, ins, outs), layout, inputs, outputs, donate)

    def sharding(self, ndim, axes):
        """The sharding of an array of `ndim` axes per device and one more per level that maps it."""
        entries = [None] * ndim
        for name, axis in reversed(list(zip(self.mesh.axis_names, axes))):
            if axis is not None:
                entries.insert(axis, name)
        return NamedSharding(self.mesh, PartitionSpec(*entries))


def on_blocks(program, ins, outs):
    """A program whose arrays have an axis of size 1 for each mapped one."""
    with Builder(program.name) as builder:
        refs = []
        for name, axes in zip(program.params, ins):
            aval, shape = program.avals[name], with_ones(program.avals[name].shape, axes)
            changed = shape != aval.shape
            ref = builder.parameter(program.hints.get(name, name), Aval(shape, aval.dtype) if changed else aval)
            refs.append(builder.emit(TABLE["reshape"], (ref,), {"shape": aval.shape}) if changed else ref)
        results = builder.inline(program, refs)
        for k, axes in enumerate(outs):
            aval = program.aval(program.outputs[k])
            shape = with_ones(aval.shape, axes)
            if shape != aval.shape:
                value = results[k] if is_name(program.outputs[k]) else np.asarray(results[k], aval.dtype)
                results[k] = builder.emit(TABLE["reshape"], (value,), {"shape": shape})
        return builder.program(results)


def with_ones(shape, axes):
    """A shape with an axis of size 1 for each mapped axis (from the outside in; None: not mapped)."""
    shape = list(shape)
    for axis in reversed(axes):
        if axis is not None:
            shape.insert(axis, 1)
    return tuple(shape)


class Partitioned:
    """XLA splits the program. inputs, outputs: a sharding or None per parameter and output."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = list(inputs), list(outputs)
        given = [s for s in (*self.inputs, *self.outputs) if s is not None]
        spreads = [s for s in given if len(s.devices) > 1]
        self.devices = (spreads or given)[0].devices
        for sharding in given:
            if set(sharding.devices) != set(self.devices) and not (spreads and len(sharding.devices) == 1 and sharding not in self.outputs):
                raise TransformError(f"arrays lie on different devices: {sharding} and {(spreads or given)[0]}",
                                     "Move them to the same devices with device_put.")

    def executable(self, program, donate):
        if len(self.devices) == 1:
            return OneDevice(program, self.devices[0], donate)
        whole = NamedSharding(Mesh(np.array(self.devices, object), ("devices",)), PartitionSpec())
        inputs = [s if s is not None and len(s.devices) > 1 else whole for s in self.inputs]
        outputs = [*self.outputs, *[None] * (len(program.outputs) - len(self.outputs))]
        for name, sharding in zip(program.params, inputs):
            sharding.check(program.avals[name].shape, name)
        for atom, sharding in zip(program.outputs, outputs):
            if sharding is not None:
                sharding.check(program.aval(atom).shape, "an output")
        return Spread(program, spread.Partitions(self.devices, inputs, outputs), inputs, outputs, donate)


class OneDevice(Compiled):
    """A program on one device that is not the first; its results stay there."""

    def __init__(self, program, device, donate):
        super().__init__(program, device=device)
        self.sharding, self.given = SingleDeviceSharding(device), tuple(donate)

    def __call__(self, arguments):
        if self.run is None:
            self.build(self.first_capacity(arguments))
        there = [placed(a, self.sharding) for a in arguments]
        results = super().__call__([Array(a.buffer, a.spec) for a in there])
        for position in self.given:
            give_up(arguments[position])
        return [Placed(r.buffer, r.spec, self.sharding) for r in results]


__all__ = ["Blocks", "OneDevice", "Partitioned", "Spread"]
