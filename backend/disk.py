"""Files that outlive the process: a folder of checked, private entries, the ones used longest ago dropped.

    write(name, data)       bytes under a name; other processes see all of them or none
    data = read(name)       the bytes, or None: a file that is cut, garbled or somebody else's counts as missing, and is removed

The folder is TRANSFORMER_CACHE_DIR, by default $XDG_CACHE_HOME/transformer or ~/.cache/transformer; "off" means none. It is made for its
owner alone, and not used if others may write to it: its files are machine code.
"""

import functools
import hashlib
import os
import time
import warnings

from . import settings

MAGIC = b"transformer cache 1\n"
SUFFIX, PART = ".entry", ".part"
DIGEST = 32
HOUR = 3600.0
PRUNE_EVERY = 64
"""Files written between two looks at the size of the folder."""


def key_of(*parts):
    """The name of an entry that these values decide."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=DIGEST).hexdigest()


@functools.cache
def usable(folder):
    """Whether a folder is there, or can be made, and is nobody else's to write to. Says so if the user named it."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError as error:
        return _refuse(folder, error.strerror)
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
        return _refuse(folder, "others may write to it")
    return True


def _refuse(folder, why):
    if settings.is_cache_dir_named():
        warnings.warn(f"TRANSFORMER_CACHE_DIR {folder} is not used: {why}", stacklevel=4)
    return False


def folder():
    """The folder in use, or None."""
    path = settings.cache_dir()
    return path if path and usable(path) else None


def read(name):
    """The bytes of an entry, or None."""
    where = folder()
    if where is None:
        return None
    path = os.path.join(where, name + SUFFIX)
    try:
        with open(path, "rb") as file:
            data, changed = file.read(), os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    start = len(MAGIC) + DIGEST
    if data[:start] != MAGIC + digest(name, data[start:]):
        remove(path)
        return None
    if time.time() - changed > HOUR:
        touch(path)
    return data[start:]


def digest(name, data):
    """The checksum of an entry; its name is part of it, so that a file under another's name does not count."""
    return hashlib.blake2b(data, digest_size=DIGEST, key=name.encode()[:64]).digest()


def touch(path):
    """Note that an entry was used; an entry that another process has removed is none."""
    try:
        os.utime(path)
    except OSError:
        return


def remove(path):
    try:
        os.unlink(path)
    except OSError:
        return


_written = 0


def write(name, data):
    """Store an entry; a disk that is full or read-only stores none."""
    global _written
    where = folder()
    if where is None:
        return
    path = os.path.join(where, f"{name}.{os.getpid()}.{time.monotonic_ns()}{PART}")
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as file:
            file.write(MAGIC + digest(name, data) + data)
        os.replace(path, os.path.join(where, name + SUFFIX))
    except OSError:
        return remove(path)
    if _written % PRUNE_EVERY == 0:
        prune(where, settings.cache_limit())
    _written += 1


def prune(where, limit):
    """Remove the entries used longest ago until the others take at most `limit` bytes, and what killed processes left half written."""
    now, found = time.time(), []
    with os.scandir(where) as listing:
        for item in listing:
            if not item.name.endswith((SUFFIX, PART)):
                continue
            try:
                status = item.stat(follow_symlinks=False)
            except OSError:
                continue
            if item.name.endswith(SUFFIX):
                found.append((status.st_mtime, status.st_size, item.path))
            elif now - status.st_mtime > HOUR:
                remove(item.path)
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            break
        remove(path)
        total -= size


__all__ = ["folder", "key_of", "prune", "read", "write"]
