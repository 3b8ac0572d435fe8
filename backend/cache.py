"""Executables kept by what they were compiled from: in memory, and on disk (see `disk`)."""

import functools
import os
import threading
from collections import OrderedDict

from . import client, disk, settings


class Cache:
    """A mapping that forgets the entries used longest ago; one build per key at a time, other keys go on."""

    def __init__(self, limit):
        self.limit, self.entries = limit, OrderedDict()
        self.lock, self.building = threading.Lock(), {}

    def get(self, key, build):
        """The entry of `key`; `build()` makes it if it is missing."""
        with self.lock:
            if key in self.entries:
                self.entries.move_to_end(key)
                return self.entries[key]
            gate = self.building.setdefault(key, threading.Lock())
        with gate:
            with self.lock:
                if key in self.entries:
                    return self.entries[key]
            try:
                entry = build()
            finally:
                with self.lock:
                    self.building.pop(key, None)
            with self.lock:
                self.entries[key] = entry
                while len(self.entries) > self.limit:
                    self.entries.popitem(last=False)
            return entry

    def clear(self):
        with self.lock:
            self.entries.clear()

    def __len__(self):
        return len(self.entries)


_memory = None
_memory_lock = threading.Lock()


def memory():
    """The process-wide cache."""
    global _memory
    with _memory_lock:
        if _memory is None:
            _memory = Cache(settings.cache_size())
        return _memory


def disk_name(text, overrides, places):
    """The name under which the executable of a program is kept on disk."""
    return disk.key_of("executable", text, overrides, places, client.versions(), machine())


@functools.cache
def machine():
    """What machine code depends on besides its program: the kind of CPU, the number of devices, XLA's own flags."""
    return cpu_features(), len(client.devices()), os.environ.get("XLA_FLAGS", "")


def cpu_features():
    """An executable of another kind of CPU must not be loaded."""
    try:
        with open("/proc/cpuinfo") as info:
            return next((line for line in info if line.startswith(("flags", "Features"))), "")
    except OSError:
        import platform
        return platform.processor()
