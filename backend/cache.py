"""Executables kept by what they were compiled from: in memory, and on disk where TRANSFORMER_CACHE_DIR is set."""

import hashlib
import os
import pathlib
import tempfile
import threading
from collections import OrderedDict

from . import client, settings


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


def disk_path(text, overrides, places):
    """The file that holds the executable of a program; None if there is no disk cache."""
    folder = settings.cache_dir()
    if folder is None:
        return None
    key = hashlib.sha256(repr((text, overrides, places, client.versions(), cpu_features())).encode()).hexdigest()
    return pathlib.Path(folder) / f"{key}.xla"


def cpu_features():
    """What machine code depends on: an executable of another kind of CPU must not be loaded."""
    try:
        with open("/proc/cpuinfo") as info:
            return next((line for line in info if line.startswith(("flags", "Features"))), "")
    except OSError:
        import platform
        return platform.processor()


def read(path):
    """The bytes of a cache file, or None."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(path, data):
    """Store bytes so that other processes see all of them or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, path)
