"""Writing files."""

import os


def replace_file(path, content):
    """Write a file whole or not at all: a reader never sees a part of it."""
    import tempfile
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~current_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def current_umask():
    umask = os.umask(0)
    os.umask(umask)
    return umask


__all__ = ["replace_file"]
