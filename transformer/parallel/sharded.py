"""`shard_map`: a function that sees the block of each device of a mesh, and `with_sharding_constraint`.

A call from outside runs one replica per device. Met inside of another transform, a shard_map is a batch over each axis of the mesh:
the arrays are cut in blocks, which are the lanes, and collectives become operations on the lanes.
"""

import dataclasses

from backend import spread
from backend.array import Array
from backend.sharding import NamedSharding, PartitionSpec, ambient_mesh

from .. import aot, api, axes, derivatives, pipeline, tree
from ..core import Aval
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend.builder import Builder
from ..frontend.reference import is_reference
from ..frontend.specialise import Param, Static
from ..ops.op import TABLE
from ..spread import Spread, is_sharding, on_mesh
from ..transformed import Transformed
from ..transforms.batch import batch
from ..transforms.batch.analysis import Analysis
from .collectives import emit
from .devices import device_put


class OnMesh:
    """One replica per device of a mesh, each with its block of every array; a spec per parameter and output."""

    def __init__(self, mesh, ins, outs):
        self.mesh, self.ins, self.outs = mesh, ins, outs

    def executable(self, program, donate):
        inputs, outputs = ([NamedSharding(self.mesh, s) for s in specs] for specs in (self.ins, self.outs))
        return Spread(program, spread.Replicas(self.mesh.flat, self.mesh.shape), inputs, outputs, donate)


class ShardMapped(Transformed):
    kind = "shard_map"
    compiled = True
    spreads = True

    @property
    def mesh(self):
        mesh = self.settings["mesh"] or ambient_mesh()
        if mesh is None:
            raise TransformError(f"shard_map of {self.__name__} has no mesh", "Pass mesh=, or call it inside of `with mesh:`.")
        return mesh

    def lower(self, *args, **kwargs):
        """The program of one device, lowered; see `jit(f).lower`."""
        return aot.lower(self, args, kwargs)

    def build_call(self, args, kwargs, leaves):
        specialised, ins, outs = self.on_blocks(args, kwargs)
        pipeline.record("shard_map", specialised.program)
        return dataclasses.replace(specialised, placement=OnMesh(self.mesh, ins, outs))

    def build(self, args, kwargs):
        specialised, ins, outs = self.on_blocks(args, kwargs)
        program = whole(specialised.program, self.mesh, ins, outs)
        return derivatives.finish(specialised, program, specialised.out_tree, f"{specialised.program.name}_whole", "shard_map")

    def on_blocks(self, args, kwargs):
        """(the program of one device, spec per parameter, spec per output)."""
        if kwargs:
            raise TypeMismatch(f"shard_map of {self.__name__} is called with keyword arguments", "Pass them by position, with a spec each.")
        mesh, specs = self.mesh, self.settings["in_specs"]
        entries = list(specs) if type(specs) in (tuple, list) and not isinstance(specs, PartitionSpec) else [specs] * len(args)
        if len(entries) != len(args):
            raise TypeMismatch(f"in_specs has {len(entries)} entries, {self.__name__} is called with {len(args)} arguments",
                               "Give one spec per argument, or one for all.")
        given = [spec for value, entry in zip(args, entries) for spec in specs_of(value, entry)]
        chosen = iter(given)
        args = [api.map_params(lambda p: block(p, next(chosen), mesh), a) for a in args]
        with axes.bind(dict(mesh.shape)):
            specialised = pipeline.build(self.fn, args, {})
        ins = [given[i.key] if i.kind == "leaf" else PartitionSpec() for i in specialised.inputs]
        outs = tree.broadcast_prefix(self.settings["out_specs"], specialised.out_tree, is_spec)
        outs = [PartitionSpec() if s is None else s for s in outs]
        for axis in mesh.axis_names:
            check(specialised.program, ins, outs, axis, self.settings["check"])
        return specialised, ins, outs


def is_spec(value):
    return value is None or isinstance(value, PartitionSpec)


def specs_of(value, prefix):
    """The spec of each dynamic leaf of an argument."""
    leaves, treedef = tree.flatten(value)
    found = tree.broadcast_prefix(prefix, treedef, is_spec)
    return [PartitionSpec() if s is None else s for leaf, s in zip(leaves, found) if isinstance(leaf, Param) and not isinstance(leaf, Static)]


def block(param, spec, mesh):
    """The parameter of one device."""
    try:
        shape = NamedSharding(mesh, spec).shard_shape(param.aval.shape)
    except ValueError as error:
        raise ShapeError(f"{param.name}: {error}", "Choose specs that fit the shapes, or pad the arrays.") from None
    return Param(param.aval._replace(shape=shape), None, param.name, param.jnp)


def names_in(spec):
    return [n for entry in spec.names() for n in entry]


def check(program, ins, outs, axis, strict):
    """Collectives must be met by all devices; an output that is not split over an axis must be the same along it."""
    analysis = Analysis(program, [p for p, spec in zip(program.params, ins) if axis in names_in(spec)], axis)
    for atom, spec in zip(program.outputs, outs):
        if strict and axis not in names_in(spec) and analysis.is_batched(atom):
            raise ShapeError(f"an output of {program.name} differs along the mesh axis {axis!r}, over which its out_specs does not split it",
                             f"Reduce it first (psum over {axis!r}), name the axis in out_specs, or pass check_vma=False to take the first device's.")


# as a batch over blocks ---------------------------------------------------------------------------------------
def whole(program, mesh, ins, outs):
    """The program on whole arrays."""
    params = [program.avals[p] for p in program.params]
    results = [program.aval(o) for o in program.outputs]
    lanes = program
    taken = [[] for _ in outs]
    for axis in reversed(mesh.axis_names):
        analysis = Analysis(lanes, [p for p, s in zip(lanes.params, ins) if axis in names_in(s)], axis)
        kept = [axis in names_in(s) or analysis.is_batched(o) for s, o in zip(outs, lanes.outputs)]
        lanes = batch(lanes, [0 if axis in names_in(s) else None for s in ins], [0 if k else None for k in kept], mesh.shape[axis], axis)
        taken = [[axis, *t] if k else t for t, k in zip(taken, kept)]
    with Builder(program.name) as builder:
        refs = []
        for name, aval, spec in zip(program.params, params, ins):
            shape = tuple(n * k for n, k in zip(aval.shape, NamedSharding(mesh, spec).splits(aval.ndim)))
            ref = builder.parameter(program.hints.get(name, name), aval if shape == aval.shape else Aval(shape, aval.dtype))
            refs.append(cut(ref, aval.shape, spec, mesh))
        values = builder.inline(lanes, refs)
        return builder.program([joined(v, aval.shape, spec, mesh, t) for v, aval, spec, t in zip(values, results, outs, taken)])


def split_shape(block_shape, spec, mesh):
    """(names of the mesh axes that split an array, in order; shape with each split axis as its mesh axes and the block)."""
    names, shape = [], []
    for axis, size in enumerate(block_shape):
        entry = spec.names()[axis] if axis < len(spec.names()) else ()
        names += [*entry, None]
        shape += [*(mesh.shape[n] for n in entry), size]
    return names, tuple(shape)


def cut(ref, block_shape, spec, mesh):
    """The blocks of an array: mesh axes first, in the order of the mesh."""
    used = names_in(spec)
    if not used:
        return ref
    names, shape = split_shape(block_shape, spec, mesh)
    order = [names.index(n) for n in mesh.axis_names if n in used] + [k for k, n in enumerate(names) if n is None]
    return emit("transpose", emit("reshape", ref, shape=shape), axes=tuple(order))


def joined(value, block_shape, spec, mesh, taken):
    """The array of which `value` holds the blocks; along mesh axes that do not split it the first one is taken."""
    used = names_in(spec)
    for axis in [a for a in taken if a not in used]:
        value, taken = value[(slice(None),) * taken.index(axis) + (0,)], [a for a in taken if a != axis]
    if not used:
        return value
    names, shape = split_shape(block_shape, spec, mesh)
    lead = [n for n in mesh.axis_names if n in used]
    rest = iter(range(len(lead), len(names)))
    order = tuple(lead.index(n) if n is not None else next(rest) for n in names)
    whole_shape = tuple(n * k for n, k in zip(block_shape, NamedSharding(mesh, spec).splits(len(block_shape))))
    return emit("reshape", emit("transpose", value, axes=order), shape=whole_shape)


@api.decorator
def shard_map(f, mesh=None, in_specs=None, out_specs=None, check_vma=True, check_rep=None, axis_names=None):
    """Run a function on the block of each device of a mesh; inside, collectives over the mesh's axes exchange values.

    in_specs, out_specs: a PartitionSpec per argument and result (or a tree that stops early). check_vma: refuse an output that differs
    along an axis over which its spec does not split it; else the first device's is taken.
    Raises ShapeError where blocks do not fit.

    >>> import numpy as np
    >>> from transformer.sharding import P, make_mesh
    >>> print(shard_map(np.cos, mesh=make_mesh((1,), ("x",)), in_specs=P("x"), out_specs=P("x"))(np.zeros(2)))
    [1. 1.]
    """
    if axis_names is not None and mesh is not None and set(axis_names) != set(mesh.axis_names):
        raise TransformError("shard_map over some axes of a mesh only is not supported", "Make a mesh of these axes, or leave axis_names out.")
    return ShardMapped(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check=check_vma if check_rep is None else check_rep)


def with_sharding_constraint(x, shardings):
    """The arrays in `x`, laid out on the devices as the shardings (or PartitionSpecs, inside of `with mesh:`) say: a hint inside of jit."""
    leaves, treedef = tree.flatten(x)
    found = tree.broadcast_prefix(shardings, treedef, is_sharding)
    return tree.unflatten(treedef, [leaf if s is None else constrained(leaf, on_mesh(s)) for leaf, s in zip(leaves, found)])


def constrained(leaf, sharding):
    if is_reference(leaf):
        sharding.check(leaf.shape)
        return TABLE["constrained"].bind(leaf, sharding=sharding)
    return device_put(leaf, sharding) if isinstance(leaf, Array) else leaf


__all__ = ["ShardMapped", "shard_map", "with_sharding_constraint"]
