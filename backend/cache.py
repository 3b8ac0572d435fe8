"""Executables kept by what they were compiled from: in memory, and on disk (see `disk`).

XLA loads each kernel of a program on CPU by itself, three memory maps each: some 100 maps for a program of middle size. Linux gives a process
65530 of them (vm.max_map_count), so that not their bytes but their maps limit how many programs can be kept.
"""

import functools
import gc
import os
import threading
from collections import OrderedDict

from . import client, disk, settings

LOOKS = 16
"""Once in so many builds the memory maps are counted: that takes 1 us a map."""


def map_limit():
    """How many memory maps a process may have before programs are forgotten: half of what Linux allows; elsewhere no limit is known."""
    try:
        with open("/proc/sys/vm/max_map_count") as found:
            return int(found.read()) // 2
    except OSError:
        return float("inf")


def map_count():
    with open("/proc/self/maps", "rb") as found:
        return found.read().count(b"\n")


class Cache:
    """A mapping that forgets the entries used longest ago; one build per key at a time, other keys go on.

    limit: of entries; map_limit: where the process has more memory maps, the older half is forgotten, and what is garbage collected.
    """

    def __init__(self, limit, map_limit=float("inf")):
        self.limit, self.map_limit, self.entries = limit, map_limit, OrderedDict()
        self.lock, self.building = threading.Lock(), {}
        self.built = 0

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
            self.keep(key, entry)
            return entry

    def keep(self, key, entry):
        """Add a new entry; forget old ones where there is no room."""
        with self.lock:
            self.built += 1
            crowded = self.map_limit < float("inf") and self.built % LOOKS == 0 and map_count() > self.map_limit
            self.entries[key] = entry
            room = len(self.entries) // 2 if crowded else self.limit
            while len(self.entries) > room:
                self.entries.popitem(last=False)
        if crowded:
            gc.collect()

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
            _memory = Cache(settings.cache_size(), map_limit())
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
