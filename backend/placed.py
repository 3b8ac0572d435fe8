"""`Placed`: an `Array` that is tied to its devices: to one other than the first, or to several that hold a block each."""

import functools
import threading

import numpy as np

from . import client
from .array import Array, unwrap
from .hlo import Hlo
from .sharding import Sharding, SingleDeviceSharding

_fetching = threading.Lock()


class Shard:
    """The block of an array on one device: `data` (an Array), `device`, `index` (slices), `replica_id`."""

    def __init__(self, data, device, index, replica_id):
        self.data, self.device, self.index, self.replica_id = data, device, index, replica_id

    def __repr__(self):
        return f"Shard(device={self.device}, index={self.index}, replica_id={self.replica_id}, data={self.data.value})"


class Placed(Array):
    """An Array with a sharding. Compiled functions run where it lies; NumPy functions gather it on the host."""

    __slots__ = ("_sharding",)

    def __init__(self, buffer, spec, sharding, value=None):
        super().__init__(buffer, spec, value)
        self._sharding = sharding

    @property
    def sharding(self):
        return self._sharding

    @property
    def signature(self):
        """What a program for this array depends on."""
        return self.spec, self._sharding

    @property
    def buffer(self):
        """jaxlib's array of all blocks."""
        return self._buffer

    def _gathered(self):
        """The whole array as a read-only ndarray."""
        if len(self._sharding.devices) == 1:
            return client.to_numpy(self._buffer)
        whole = np.empty(self.shape, self.dtype)
        blocks = fetch(self._buffer, self._sharding, self.shape, self.dtype)
        for number, index in reversed(list(enumerate(self._sharding.indices(self.shape)))):
            whole[index] = blocks[number]
        whole.flags.writeable = False
        return whole

    @property
    def device(self):
        return self._sharding.devices[0] if len(self._sharding.devices) == 1 else self._sharding

    def devices(self):
        return set(self._sharding.devices)

    def __copy__(self):
        return Placed(self._buffer, self.spec, self._sharding, self._value)

    @property
    def addressable_shards(self):
        """The blocks, one `Shard` per device."""
        seen, found = {}, []
        for device, index in zip(self._sharding.devices, self._sharding.indices(self.shape)):
            key = tuple((s.start, s.stop) for s in index)
            seen[key] = seen.get(key, -1) + 1
            block = np.ascontiguousarray(self.value[index]).reshape([hi - lo for lo, hi in key])
            found.append(Shard(placed(block, SingleDeviceSharding(device)), device, index, seen[key]))
        return found


@functools.cache
def fetcher(shape, dtype, sharding):
    """(program that hands the block of each device to the host, blocks by the device's number). jaxlib's own ways to look at a block
    import jax (0.10) or fail for results of replicas (0.12)."""
    hlo, blocks = Hlo("fetch"), {}
    number, block = hlo.op("replica_id", [], (), np.dtype(np.uint32)), hlo.parameter(shape, dtype)
    raw = hlo.op("bitcast_convert", [block], shape, np.dtype(f"u{dtype.itemsize}")) if dtype.kind == "V" else block

    def keep(number, block):
        blocks[int(number)] = np.array(block).view(dtype) if dtype.kind == "V" else np.array(block)
        return (np.int32(0),)
    done = hlo.callback(keep, [number, raw], [((), np.dtype(np.int32))])
    loaded = client.compile_text(hlo.finish(done), (), sharding.devices, hlo.callbacks)
    return loaded, client.handler(client.spec((), np.dtype(np.int32)), replicated(sharding)), blocks


def replicated(sharding):
    return Sharding(sharding.devices, sharding.axes, ())


def fetch(buffer, sharding, shape, dtype):
    """The blocks of a buffer as ndarrays, by number of the device."""
    with _fetching:
        loaded, handler, blocks = fetcher(sharding.shard_shape(shape), dtype, sharding)
        blocks.clear()
        done, = loaded.execute_sharded([buffer]).consume_with_handlers([handler])
        done.block_until_ready()
        return dict(blocks)


def place(value, spec, sharding):
    """A buffer of jaxlib for a value of the right shape and dtype. It may share an ndarray's memory."""
    if isinstance(value, Placed) and value.spec.shape == spec.shape and value.dtype == spec.dtype and \
            value.sharding.is_equivalent_to(sharding, len(spec.shape)):
        return value.buffer
    if type(value) is Array and value.dtype == spec.dtype and sharding.devices == (client.default_device(),):
        return value.buffer
    host = np.asarray(unwrap(value))
    if host.dtype != spec.dtype:
        host = host.astype(spec.dtype)
    blocks = [np.ascontiguousarray(host[index]).reshape(sharding.shard_shape(host.shape)) for index in sharding.indices(host.shape)]
    return client.put_blocks(blocks, spec, sharding)


def placed(value, sharding):
    """An Array of an array-like on the devices of a sharding; never shares memory with a writeable ndarray."""
    if isinstance(value, Placed) and value.sharding == sharding:
        return value
    host = value.value if isinstance(value, Array) else np.array(unwrap(value))
    sharding.check(host.shape)
    if not isinstance(value, Array):
        host.flags.writeable = False
    spec = value.spec if isinstance(value, Array) else client.spec(host.shape, host.dtype)
    return Placed(place(host, spec, sharding), spec, sharding, host)


__all__ = ["Placed", "Shard", "Sharding", "place", "placed"]
