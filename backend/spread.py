"""Programs on several devices: one replica per device, each with its block of every array, or one program that XLA partitions.

    run = compile(text, inputs, outputs)           inputs: (shape, dtype, sharding) per parameter, outputs likewise
    results = run.call(arguments)                  whole arrays in, `Placed` arrays out

As replicas the text computes on blocks and its collectives exchange values. As partitions (`partitioned=True`) it computes on whole
arrays, and an output without a sharding (None) gets the one that XLA chooses.
"""

import itertools

import numpy as np

from . import cache, client
from .array import Array
from .loaded import Loaded
from .placed import Placed, place
from .policy import overrides_for
from .sharding import Mesh, NamedSharding, Ordered, PartitionSpec, in_order


class Replicas:
    """A layout for `lower`: the program runs on every device of a mesh (axis name -> size), on blocks."""

    def __init__(self, devices, mesh):
        self.devices, self.mesh = tuple(devices), dict(mesh)


class Partitions:
    """A layout for `lower`: XLA splits the program over devices. inputs, outputs: a Sharding each, or None (an input is then whole
    on each device, an output as XLA chooses); outputs beyond these are whole on each device."""

    mesh = {}

    def __init__(self, devices, inputs, outputs):
        self.devices, self.inputs, self.outputs = tuple(devices), list(inputs), list(outputs)
        self.meshes = {}
        self.default = self.mesh_of(Mesh(np.array(self.devices, object), ("devices",)))

    def mesh_of(self, mesh):
        """The name of a mesh in the text."""
        key = (mesh.flat, tuple(mesh.shape.items()))
        return self.meshes.setdefault(key, f"mesh_{len(self.meshes)}")

    def attribute(self, sharding, ndim):
        """The text `<@mesh, [{"x"}, {}]>` of a sharding; whole on each device for None or an array on one device."""
        sharding = sharding.base if isinstance(sharding, Ordered) else sharding
        if not isinstance(sharding, NamedSharding):
            return f"<@{self.default}, [{', '.join(['{}'] * ndim)}]>"
        entries = [", ".join(f'"{n}"' for n in entry) for entry in (*sharding.names, *((),) * (ndim - len(sharding.names)))]
        return f"<@{self.mesh_of(sharding.mesh)}, [{', '.join(f'{{{e}}}' for e in entries)}]>"

    def attributes(self, params, outputs):
        """(attribute text per parameter, per output, declarations of the meshes)."""
        def text(sharding, value):
            return f"sdy.sharding = #sdy.sharding{self.attribute(sharding, value.ndim)}"
        given = [text(s, p) for s, p in zip(self.inputs, params, strict=True)]
        wanted = [text(s, o) if s is not None else "" for s, o in zip(self.outputs, outputs)]
        wanted += [text(None, o) for o in outputs[len(self.outputs):]]
        return given, wanted, "".join(self.declaration(key, name) for key, name in self.meshes.items())

    def declaration(self, key, name):
        devices, axes = key
        order = [self.devices.index(d) for d in devices]
        ids = "" if order == list(range(len(order))) else f", device_ids=[{', '.join(map(str, order))}]"
        return f"sdy.mesh @{name} = <[{', '.join(f'{chr(34)}{n}{chr(34)}={s}' for n, s in axes)}]{ids}>\n"


class SpreadExecutable(Loaded):
    """A program compiled for several devices. See the module's docstring."""

    def __init__(self, loaded, text, inputs, outputs, devices, callbacks=()):
        self.loaded, self.text, self.callbacks = loaded, text, tuple(callbacks)
        self.inputs = [(client.spec(shape, dtype), in_order(sharding, devices)) for shape, dtype, sharding in inputs]
        self.outputs = [(client.spec(shape, dtype), in_order(sharding, devices)) for shape, dtype, sharding in outputs]
        self.handlers = [client.handler(spec, sharding) for spec, sharding in self.outputs]
        self.specs = [spec for spec, _ in self.outputs]

    def call(self, args):
        """Run on a list of arrays of the signature's shapes; returns a list of `Placed`."""
        if len(args) != len(self.inputs):
            raise TypeError(f"the program takes {len(self.inputs)} arrays, {len(args)} are given")
        buffers = [self.placed(arg, spec, sharding) for arg, (spec, sharding) in zip(args, self.inputs)]
        results = self.loaded.execute_sharded(buffers).consume_with_handlers(self.handlers)
        if self.callbacks or not all(isinstance(a, Array) for a in args):
            for result in results:
                result.block_until_ready()
        return [Placed(buffer, spec, sharding) for buffer, (spec, sharding) in zip(results, self.outputs)]

    @staticmethod
    def placed(arg, spec, sharding):
        shape = arg.shape if isinstance(arg, Array | np.ndarray) else np.shape(arg)
        if shape != spec.shape:
            raise TypeError(f"the program takes an array of shape {spec.shape}, one of shape {shape} is given")
        return place(arg, spec, sharding)


def compile(text, inputs, outputs, devices, features=(), options=(), callbacks=(), partitioned=False):
    """The executable of StableHLO text on `devices`. See the module's docstring."""
    overrides = overrides_for(features, options)
    free = [sharding is None for _, _, sharding in outputs] if partitioned else None

    def make():
        loaded = client.compile_text(text, overrides, devices, callbacks, free)
        chosen = outputs
        if free and any(free):
            chosen = with_choices(outputs, loaded.get_output_shardings(), devices, [s for _, _, s in inputs])
        return SpreadExecutable(loaded, text, inputs, chosen, devices, callbacks)
    if callbacks:
        return make()
    key = (text, overrides, devices, tuple(s for _, _, s in (*inputs, *outputs)), partitioned)
    return cache.memory().get(key, make)


# shardings that XLA chose ------------------------------------------------------------------------------------
def with_choices(outputs, found, devices, known):
    """The outputs with the shardings that XLA chose."""
    meshes = list(dict.fromkeys(s.mesh for s in known if isinstance(s, NamedSharding)))
    return [(shape, dtype, sharding or recovered(proto, len(shape), devices, meshes))
            for (shape, dtype, sharding), proto in zip(outputs, found, strict=True)]


def recovered(proto, ndim, devices, meshes):
    """A NamedSharding for XLA's description: over a mesh in use if one fits, else over a mesh made for it."""
    xla = client.library()
    found = proto if isinstance(proto, xla.HloSharding) else xla.HloSharding.from_proto(proto)
    if found.is_replicated() or ndim == 0:
        return NamedSharding(meshes[0] if meshes else Mesh(np.array(devices, object), ("d",)), PartitionSpec())
    dims, order = list(found.tile_assignment_dimensions()), list(found.tile_assignment_devices())
    for mesh in meshes:
        for names in candidates(mesh, dims[:ndim]):
            sharding = NamedSharding(mesh, as_spec(names))
            if blocks_of(sharding, ndim) == blocks_of_tiles(dims, ndim, order):
                return sharding
    grid = np.array([devices[k] for k in order], object).reshape(dims)
    names = [f"d{k}" for k in range(len(dims))]
    return NamedSharding(Mesh(grid, names), PartitionSpec(*names[:ndim]))


def as_spec(names):
    """The shortest PartitionSpec for a tuple of mesh axes per array axis."""
    entries = [n if len(n) > 1 else n[0] if n else None for n in names]
    while entries and entries[-1] is None:
        entries.pop()
    return PartitionSpec(*entries)


def candidates(mesh, splits):
    """Assignments of mesh axes to array axes with these numbers of blocks."""
    if not splits:
        yield ()
        return
    sizes = mesh.shape
    for count in range(len(sizes) + 1):
        for names in itertools.permutations(sizes, count):
            if np.prod([sizes[n] for n in names], dtype=int) == splits[0] and (splits[0] > 1 or not names):
                for rest in candidates(mesh, splits[1:]):
                    if not set(names) & {n for entry in rest for n in entry}:
                        yield (names, *rest)


def blocks_of(sharding, ndim):
    """Per device (by position) the number of its block along each axis."""
    splits = sharding.splits(ndim)
    return [tuple(s.start for s in index) for index in sharding.indices(splits)]


def blocks_of_tiles(dims, ndim, order):
    found = [None] * len(order)
    for number, device in enumerate(order):
        found[device] = tuple(map(int, np.unravel_index(number, dims)[:ndim]))
    return found


__all__ = ["Partitions", "Replicas", "SpreadExecutable", "compile"]
