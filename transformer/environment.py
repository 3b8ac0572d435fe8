"""What JAX says and settles about its surroundings: devices, arrays that are alive, moves between devices, strictness of types.

Of settings that only permit more than is done here, the value that changes nothing is accepted; any other is refused.
"""

import gc
import platform
import sys
from contextlib import contextmanager

import numpy as np

from backend import client
from backend.array import Array
from backend.placed import Shard

from . import tree
from .api import check_device
from .errors import ShapeError, TransformError
from .frontend.reference import is_reference
from .parallel import devices
from .parallel.sharded import with_sharding_constraint


class DeviceType(type):
    def __instancecheck__(cls, value):
        return devices.is_device(value)


class Device(metaclass=DeviceType):
    """The type of devices, for `isinstance` and annotations: what `devices()` lists."""


def default_device(device):
    """A block inside of which arrays are made on a device. Only the device that is used anyway is accepted.

    >>> from transformer import devices
    >>> with default_device(devices()[0]):
    ...     pass
    """
    check_device(device)
    return unchanged(device)


@contextmanager
def unchanged(value):
    yield value


def accepting(name, harmless, advice):
    """A setting of which only some values are accepted."""
    def setting(new_val=harmless[0]):
        if new_val not in harmless:
            raise TransformError(f"{name}({new_val!r}) is not known here", f"Known: {', '.join(map(repr, harmless))}. {advice}")
        return unchanged(new_val)
    setting.__name__ = setting.__qualname__ = name
    setting.__doc__ = f"A block in which {name} is one of {', '.join(map(repr, harmless))}: nothing changes; other values are refused."
    return setting


ALLOW = ("allow",)
transfer_guard = accepting("transfer_guard", ALLOW, "Moves between host and devices are not watched.")
transfer_guard_host_to_device = accepting("transfer_guard_host_to_device", ALLOW, "Moves to devices are not watched.")
transfer_guard_device_to_host = accepting("transfer_guard_device_to_host", ALLOW, "Moves to the host are not watched.")
transfer_guard_device_to_device = accepting("transfer_guard_device_to_device", ALLOW, "Moves between devices are not watched.")
numpy_dtype_promotion = accepting("numpy_dtype_promotion", ("standard",), "Convert with astype where types are to be explicit.")
numpy_rank_promotion = accepting("numpy_rank_promotion", ("allow",), "Broadcasting follows NumPy.")


def live_arrays(platform=None):
    """The device arrays that are alive, as a list."""
    found = [a for a in gc.get_objects() if isinstance(a, Array)]
    return [a for a in found if platform in (None, *{d.platform for d in a.devices()})]


def print_environment_info(return_string=False):
    """Print (or return) the versions and devices that a report of a fault should name."""
    from . import __version__
    lines = [f"transformer: {__version__}", f"jaxlib: {client.versions()[0]}", f"numpy: {np.__version__}",
             f"python: {sys.version.split()[0]}", f"devices: {client.devices()}", f"system: {platform.platform()}"]
    if return_string:
        return "\n".join(lines)
    print("\n".join(lines))
    return None


def copy_to_host_async(x):
    """Accepted: arrays are fetched when they are read."""


def reshard(xs, out_shardings):
    """The arrays of a pytree with other shardings: moved now, or, inside of a transformed function, as the compiler sees fit."""
    if any(map(is_reference, tree.flatten(xs)[0])):
        return with_sharding_constraint(xs, out_shardings)
    return devices.device_put(xs, out_shardings)


def make_array_from_callback(shape, sharding, data_callback, dtype=None):
    """An array of a shape, spread as a sharding says, whose blocks are data_callback(index), index: a tuple of slices.

    >>> from transformer import devices
    >>> from transformer.sharding import SingleDeviceSharding
    >>> place = SingleDeviceSharding(devices()[0])
    >>> make_array_from_callback((3,), place, lambda index: np.arange(3.0)[index])
    Array([0., 1., 2.], dtype=float32)
    """
    blocks = {str(index): (index, np.asarray(data_callback(index))) for index in sharding.indices(tuple(shape))}
    return assembled(shape, sharding, blocks.values(), dtype)


def make_array_from_single_device_arrays(shape, sharding, arrays, *, dtype=None):
    """An array of a shape, spread as a sharding says, from the arrays that lie on its devices: each is the block of its device."""
    by_device = {device: np.asarray(a) for a in arrays for device in a.devices()}
    missing = [d for d in sharding.devices if d not in by_device]
    if missing:
        raise ShapeError(f"no array lies on {', '.join(map(str, missing))}", "Give one array for each device of the sharding.")
    indices = sharding.devices_indices_map(tuple(shape))
    return assembled(shape, sharding, [(indices[d], by_device[d]) for d in sharding.devices], dtype)


def assembled(shape, sharding, blocks, dtype):
    """An array from (index, block) pairs."""
    blocks = list(blocks)
    whole = np.empty(tuple(shape), blocks[0][1].dtype if dtype is None else dtype)
    for index, block in blocks:
        if whole[index].shape != block.shape:
            raise ShapeError(f"a block of shape {block.shape} is given for {index} of an array of shape {tuple(shape)}",
                             f"Its shape must be {whole[index].shape}.")
        whole[index] = block
    return devices.device_put(whole, sharding)


__all__ = ["Device", "Shard", "copy_to_host_async", "default_device", "live_arrays", "make_array_from_callback",
           "make_array_from_single_device_arrays", "numpy_dtype_promotion", "numpy_rank_promotion", "print_environment_info", "reshard",
           "transfer_guard", "transfer_guard_device_to_device", "transfer_guard_device_to_host", "transfer_guard_host_to_device"]
