"""Devices, and arrays on them."""

from backend import client
from backend.array import Array, array
from backend.placed import Placed, placed
from backend.sharding import Sharding, SingleDeviceSharding

from .. import tree
from ..errors import ShapeError
from ..frontend import promotion
from ..frontend.reference import is_reference


def devices(backend=None):
    """All devices, as a list; of one platform ("cpu", "cuda"...) where given. Each has `id` and `platform`."""
    return client.devices(backend)


def local_devices(backend=None):
    """The devices of this process."""
    return client.devices(backend)


def device_count(backend=None):
    """The number of devices."""
    return len(client.devices(backend))


def local_device_count(backend=None):
    """The number of devices of this process."""
    return len(client.devices(backend))


def default_backend():
    """The name of the platform that compiled functions run on."""
    return client.platform()


def process_index(backend=None):
    """The number of this process."""
    return 0


def process_count(backend=None):
    """The number of processes."""
    return 1


def process_indices(backend=None):
    return [0]


host_count, host_id, host_ids = process_count, process_index, process_indices


def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    """The arrays in `x` as device arrays: on a device, or spread as a sharding says (one for all, or a pytree of them like `x`).

    64-bit numbers become 32-bit ones unless `enable_x64` is on, as everywhere in `transformer.numpy`. src, donate, may_alias: accepted,
    arrays are immutable.
    Raises ShapeError where a sharding does not fit an array.

    >>> device_put([1.0, 2.0])
    [Array(1., dtype=float32), Array(2., dtype=float32)]
    """
    leaves, treedef = tree.flatten(x)
    targets = tree.broadcast_prefix(device, treedef, lambda v: v is None or isinstance(v, Sharding) or is_device(v))
    return tree.unflatten(treedef, [put(leaf, target) for leaf, target in zip(leaves, targets)])


def is_device(value):
    return hasattr(value, "platform") and hasattr(value, "id")


def put(leaf, target):
    if is_reference(leaf):
        return leaf
    if not isinstance(leaf, Array):
        leaf = as_array(leaf)
    if target is None:
        return leaf
    if not isinstance(target, Sharding):
        target = SingleDeviceSharding(target)
    if target.devices == (client.default_device(),) and not isinstance(leaf, Placed):
        return leaf
    try:
        return placed(leaf, target)
    except ValueError as error:
        raise ShapeError(str(error), "Choose another PartitionSpec, or pad the array.") from None


def as_array(value):
    found = array(value)
    dtype = promotion.narrow(found.dtype)
    return found if dtype == found.dtype else array(value, dtype)


__all__ = ["default_backend", "device_count", "device_put", "devices", "local_device_count", "local_devices", "process_count", "process_index"]
