"""Staging: NumPy memory that a device buffer shares, into which arguments from the host are copied.

    staging = Staging(device, [(shape, dtype), ...])
    memories, buffers = staging.take()        memories[k][...] = argument
    done = run(buffers, True)
    staging.give(done.consume_token().block_until_ready, memories, buffers)

A new device buffer costs several microseconds, a copy of a small array a tenth of one. The buffers are used again by the next call,
which first waits until the program of this one is done with them; calls at the same time each have buffers of their own.
The caller's array is free as soon as it is copied. On CPU only: elsewhere a buffer does not share the host's memory.
"""

import numpy as np

from . import client

SHARED, LARGEST = 1 << 18, 1 << 22
"""Bytes beyond which a copy costs more than a new buffer (7 us): of an array whose memory the buffer shares, and of any array."""
ALIGNMENT = 64


class Staging:
    """See the module's docstring."""

    def __init__(self, device, signature):
        self.device, self.signature = device, list(signature)
        self.free = []

    def take(self):
        """(memories, buffers) that no program reads."""
        try:
            wait, memories, buffers = self.free.pop()
        except IndexError:
            return self.make()
        try:
            wait()
        except client.library().XlaRuntimeError:
            return self.make()  # the program failed, which its results tell; whether it still reads the memories is not known
        return memories, buffers

    def make(self):
        memories = [aligned(shape, dtype) for shape, dtype in self.signature]
        return memories, [client.put(m, self.device) for m in memories]

    def give(self, wait, memories, buffers):
        """Hand the memories back; wait(): returns when the program that reads them has run."""
        self.free.append((wait, memories, buffers))


def aligned(shape, dtype):
    """Zeros at an address that XLA takes as it is."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start:start + size].view(dtype).reshape(shape)


def stages(device, shape, dtype, is_read=True):
    """Whether an argument of this type can be staged on a device. What the program does not read is not copied, whatever its size."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return device.platform == "cpu" and 0 < size and (size <= LARGEST or not is_read) and shares(device)


def is_lent(array):
    """Whether a buffer that shares the memory of an ndarray costs less than a copy."""
    return array.nbytes > SHARED and array.ctypes.data % ALIGNMENT == 0 and array.flags.c_contiguous


def shares(device):
    """Whether a buffer of the device shares the memory that it is made of."""
    if device.id not in _shares:
        memory = aligned((1,), np.dtype(np.float32))
        _shares[device.id] = client.shares_memory(client.put(memory, device), memory)
    return _shares[device.id]


_shares = {}

__all__ = ["Staging", "is_lent", "stages"]
