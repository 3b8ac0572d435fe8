"""Where the elements of an array lie: meshes of devices, and shardings, which map axes of an array to axes of a mesh.

    mesh = Mesh(np.array(devices).reshape(4, 2), ("x", "y"))
    NamedSharding(mesh, PartitionSpec("x", "y"))     rows over x, columns over y
    NamedSharding(mesh, PartitionSpec(None, "y"))    columns over y, each block four times
    SingleDeviceSharding(device)
"""

import collections
import functools
import math
import threading

import numpy as np

from . import settings

_local = threading.local()


class Mesh:
    """A grid of devices with a name per axis. `with mesh:` makes it the mesh that functions without one use."""

    def __init__(self, devices, axis_names):
        self.devices = np.asarray(devices, dtype=object)
        self.axis_names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if self.devices.ndim != len(self.axis_names) or len(set(self.axis_names)) != len(self.axis_names):
            raise ValueError(f"a mesh of {self.devices.ndim} axes needs as many different names, not {self.axis_names}")
        self.flat = tuple(self.devices.flat)
        if len(set(self.flat)) != len(self.flat):
            raise ValueError("a mesh names a device twice; give each device one place")

    @property
    def shape(self):
        """Axis name -> size."""
        return collections.OrderedDict(zip(self.axis_names, self.devices.shape))

    @property
    def size(self):
        return self.devices.size

    def __eq__(self, other):
        return isinstance(other, Mesh) and (self.flat, self.axis_names, self.devices.shape) == (other.flat, other.axis_names, other.devices.shape)

    def __hash__(self):
        return hash((self.flat, self.axis_names, self.devices.shape))

    def __repr__(self):
        return f"Mesh({', '.join(f'{n!r}: {s}' for n, s in self.shape.items())})"

    def __enter__(self):
        count_blocks(1)
        _local.meshes = [*getattr(_local, "meshes", ()), self]
        return self

    def __exit__(self, *exc):
        _local.meshes = _local.meshes[:-1]
        count_blocks(-1)


def count_blocks(change):
    for function in settings.mesh_blocks:
        function(change)


def ambient_mesh():
    """The mesh of the innermost `with mesh:` block, or None."""
    meshes = getattr(_local, "meshes", ())
    return meshes[-1] if meshes else None


class PartitionSpec(tuple):
    """Per axis of an array the mesh axis it is split over: a name, a tuple of names, or None; axes left out are not split."""

    def __new__(cls, *entries):
        return super().__new__(cls, entries)

    def __repr__(self):
        return f"PartitionSpec({', '.join(map(repr, self))})"

    def __reduce__(self):
        return PartitionSpec, tuple(self)

    def names(self):
        """Per array axis a tuple of mesh axes; axes at the end that are not split are left out."""
        found = [() if e is None else (e,) if not isinstance(e, tuple | list) else tuple(e) for e in self]
        while found and not found[-1]:
            found.pop()
        return tuple(found)


class Sharding:
    """Base: `devices` (a flat tuple), `axes` (pairs of name and size, the last varies fastest), `names` (mesh axes per array axis)."""

    memory_kind = None

    def __init__(self, devices, axes, names):
        self.devices, self.axes, self.names = tuple(devices), tuple(axes), tuple(names)
        self.key = (self.devices, tuple(a for a in self.axes if a[1] > 1), self.names)
        self._hash = hash(self.key)
        self.placement = (self.devices, *self.numbered())

    def numbered(self):
        """(sizes of the axes, those that split each array axis, by number): the layout without names; axes of size 1 split nothing."""
        numbers = {name: k for k, name in enumerate(name for name, size in self.axes if size > 1)}
        split = [tuple(numbers[n] for n in names if n in numbers) for names in self.names]
        while split and not split[-1]:
            split.pop()
        return tuple(size for _, size in self.axes if size > 1), tuple(split)

    def __eq__(self, other):
        return self is other or isinstance(other, Sharding) and self.key == other.key

    def __hash__(self):
        return self._hash

    # description --------------------------------------------------------------------------------
    @property
    def device_set(self):
        return set(self.devices)

    addressable_devices = device_set

    @property
    def num_devices(self):
        return len(self.devices)

    @property
    def is_fully_replicated(self):
        return all(n == 1 for n in self.splits(len(self.names)))

    is_fully_addressable = True

    def splits(self, ndim):
        """The number of blocks along each array axis."""
        sizes = dict(self.axes)
        return [math.prod(sizes[n] for n in names) for names in (*self.names, *((),) * (ndim - len(self.names)))]

    def is_equivalent_to(self, other, ndim):
        """Whether each device holds the same block, whatever the axes of the meshes are called."""
        return self is other or self.placement == other.placement

    def check(self, shape, what="an array"):
        """ValueError where the sharding does not fit an array of this shape."""
        if len(self.names) > len(shape):
            raise ValueError(f"{what} of shape {tuple(shape)} has fewer axes than its sharding, {self!r}")
        for axis, (size, count) in enumerate(zip(shape, self.splits(len(shape)))):
            if size % count:
                raise ValueError(f"{what} of shape {tuple(shape)} is split in {count} blocks along axis {axis}, which {count} does not divide")

    def shard_shape(self, shape):
        """The shape of the block that each device holds."""
        self.check(shape)
        return tuple(size // count for size, count in zip(shape, self.splits(len(shape))))

    def indices(self, shape):
        """The block of each device, as a tuple of slices, in the order of `devices`."""
        return _indices(self, tuple(shape))

    def devices_indices_map(self, shape):
        return dict(zip(self.devices, self.indices(shape)))

    addressable_devices_indices_map = devices_indices_map


@functools.lru_cache(maxsize=1024)
def _indices(sharding, shape):
    blocks, sizes = sharding.shard_shape(shape), dict(sharding.axes)
    grid = [n for _, n in sharding.axes]
    found = []
    for position in range(len(sharding.devices)):
        place = dict(zip((n for n, _ in sharding.axes), np.unravel_index(position, grid) if grid else ()))
        index = []
        for axis, block in enumerate(blocks):
            number = 0
            for name in sharding.names[axis] if axis < len(sharding.names) else ():
                number = number * sizes[name] + int(place[name])
            index.append(slice(number * block, (number + 1) * block))
        found.append(tuple(index))
    return found


class Ordered(Sharding):
    """A sharding whose blocks stand in the order of other devices: as a program on these takes and gives them."""

    def __init__(self, base, devices):
        super().__init__(devices, base.axes, base.names)
        self.base, self.mesh, self.spec = base, getattr(base, "mesh", None), getattr(base, "spec", None)
        self.order = [base.devices.index(d) for d in self.devices]
        self.key, self.placement = (base.key, self.devices), (base.placement, self.devices)
        self._hash = hash(self.key)

    def indices(self, shape):
        found = self.base.indices(shape)
        return [found[k] for k in self.order]

    def with_axis(self):
        return Ordered(self.base.with_axis(), self.devices)

    def __repr__(self):
        return repr(self.base)


def in_order(sharding, devices):
    """The sharding with its blocks in the order of `devices`, the same ones."""
    base = sharding.base if isinstance(sharding, Ordered) else sharding
    return base if base.devices == tuple(devices) else Ordered(base, devices)


class SingleDeviceSharding(Sharding):
    """The whole array on one device."""

    def __init__(self, device, memory_kind=None):
        super().__init__((device,), (), ())
        self.device = device

    def with_axis(self):
        return self

    def __repr__(self):
        return f"SingleDeviceSharding({self.device})"


class NamedSharding(Sharding):
    """An array split over a mesh as a `PartitionSpec` says."""

    def __init__(self, mesh, spec, memory_kind=None):
        self.mesh, self.spec = mesh, spec if isinstance(spec, PartitionSpec) else PartitionSpec(*spec)
        names = self.spec.names()
        flat = [n for entry in names for n in entry]
        for name in flat:
            if name not in mesh.shape:
                raise ValueError(f"{self.spec} names {name!r}, which is no axis of {mesh}")
        if len(set(flat)) != len(flat):
            raise ValueError(f"{self.spec} names a mesh axis twice; a mesh axis can split one axis of an array only")
        super().__init__(mesh.flat, mesh.shape.items(), names)

    def with_axis(self):
        """The sharding of an array with one more axis, at the front, that is not split."""
        return NamedSharding(self.mesh, PartitionSpec(None, *self.spec))

    def __repr__(self):
        return f"NamedSharding({self.mesh}, {self.spec})"


__all__ = ["Mesh", "NamedSharding", "Ordered", "PartitionSpec", "Sharding", "SingleDeviceSharding", "ambient_mesh", "in_order"]
