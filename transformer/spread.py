"""Programs on several devices.

    Blocks(...)        one replica of the program per device of a mesh; each computes on its block of every array, and collectives
                       exchange values: what `pmap` and `shard_map` run
    Partitioned(...)   one program on whole arrays that XLA splits over the devices: what `jit` runs on sharded arrays

Both are placements: `placement.executable(program, donate)` is the compiled form.
"""

import dataclasses

import numpy as np

from backend import client, spread
from backend.placed import Placed
from backend.placed import placed as place
from backend.sharding import Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding, ambient_mesh

from . import tree
from .abstract import ShapeDtypeStruct
from .core import Aval, is_name
from .errors import ShapeError, TransformError, TypeMismatch
from .executable import Array, Compiled
from .frontend.builder import Builder
from .frontend.specialise import Param, Static
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
            check_fit(sharding, program.avals[name].shape, name)
        for atom, sharding in zip(program.outputs, outputs):
            check_fit(sharding, program.aval(atom).shape, "an output")
        return Spread(program, spread.Partitions(self.devices, inputs, outputs), inputs, outputs, donate)


def check_fit(sharding, shape, what):
    try:
        if sharding is not None:
            sharding.check(shape, what)
    except ValueError as error:
        raise ShapeError(str(error), "Choose another PartitionSpec, or pad the array.") from None


class OneDevice(Compiled):
    """A program on one device that is not the first; its results stay there."""

    def __init__(self, program, device, donate):
        super().__init__(program, device=device)
        self.sharding, self.given = SingleDeviceSharding(device), tuple(donate)

    def __call__(self, arguments):
        if self.run is None:
            self.build(self.first_capacity(arguments))
        there = [place(a, self.sharding) for a in arguments]
        results = super().__call__([Array(a.buffer, a.spec) for a in there])
        for position in self.given:
            give_up(arguments[position])
        return [Placed(r.buffer, r.spec, self.sharding) for r in results]


# which placement a call has ------------------------------------------------------------------------------------
def placed(specialised, leaves, given=None, wanted=None):
    """A built program with the placement that its arguments (or the shardings `given` for them, one per leaf) and the shardings
    `wanted` for its results ask for; as it is if they ask for none."""
    inputs = [sharding_of(source, leaves, given) for source in specialised.inputs]
    outputs = [None] * len(specialised.program.outputs)
    if wanted is not None:
        outputs = [on_mesh(s) for s in tree.broadcast_prefix(wanted, specialised.out_tree, is_sharding)]
    if not any(s is not None for s in (*inputs, *outputs)):
        return specialised
    return dataclasses.replace(specialised, placement=Partitioned(inputs, outputs))


def sharding_of(source, leaves, given):
    if source.kind == "leaf":
        if given is not None and given[source.key] is not None:
            return given[source.key]
        value = leaves[source.key]
    else:
        value = source.value.access() if source.kind == "hidden" else None
    if isinstance(value, ShapeDtypeStruct):
        return value.sharding
    return value.sharding if isinstance(value, Placed) else None


def is_sharding(value):
    return value is None or isinstance(value, Sharding | PartitionSpec)


def on_mesh(value):
    """A PartitionSpec means the mesh of the `with mesh:` block around the call."""
    if not isinstance(value, PartitionSpec):
        return value
    mesh = ambient_mesh()
    if mesh is None:
        raise TransformError(f"{value} needs a mesh", "Write NamedSharding(mesh, spec), or `with mesh:` around the call.")
    return NamedSharding(mesh, value)


def leaf_shardings(prefix, args, kwargs):
    """The sharding of each dynamic leaf from one for all, one per (not static) argument, or a tree of them."""
    plain = [a for a in args if not isinstance(a, Static)]
    entries = list(prefix) if type(prefix) in (tuple, list) else [prefix] * len(plain)
    if len(entries) != len(plain):
        raise TypeMismatch(f"in_shardings has {len(entries)} entries for {len(plain)} positional arguments", "Give one per argument, or one for all.")
    found = []
    for value, entry in [*zip(plain, entries), *((v, None) for v in kwargs.values())]:
        values, treedef = tree.flatten(value)
        chosen = tree.broadcast_prefix(entry, treedef, is_sharding)
        found += [on_mesh(s) for leaf, s in zip(values, chosen) if isinstance(leaf, Param)]
    return found


__all__ = ["Blocks", "OneDevice", "Partitioned", "Spread", "leaf_shardings", "on_mesh", "placed"]
