"""Switches for looking for faults: `disable_jit` runs compiled functions as plain Python, `debug_nans` stops at the first nan.

    with disable_jit(): ...            config.update("jax_disable_jit", True)         TRANSFORMER_DISABLE_JIT=1
    with debug_nans(True): ...         config.update("jax_debug_nans", True)          TRANSFORMER_DEBUG_NANS=1

As long as no switch is on, calls do not look at them.
"""

import threading
import traceback
from contextlib import contextmanager

import numpy as np

from . import printing, tree
from .config import SWITCHES, config
from .errors import TransformError
from .transformed import Transformed

_plain_call = Transformed.__call__
_local = threading.local()
_lock = threading.Lock()
_open = 0


def is_on(name):
    """Whether a switch is on in this thread: by a block around, or for the process."""
    value = getattr(_local, name, None)
    return config.read(name) if value is None else value


def install():
    """Make calls look at the switches, or not, as they are now."""
    wanted = _open or any(map(config.read, SWITCHES))
    Transformed.__call__ = switched_call if wanted else _plain_call


@contextmanager
def switched(name, value):
    """A switch set inside of the block, in this thread."""
    global _open
    before = getattr(_local, name, None)
    with _lock:
        _open += 1
        install()
    setattr(_local, name, value)
    try:
        yield
    finally:
        setattr(_local, name, before)
        with _lock:
            _open -= 1
            install()


def disable_jit(disable=True):
    """Inside of the block jitted functions run as they are written, so that print and pdb see values.

    >>> import transformer
    >>> with disable_jit():
    ...     transformer.jit(lambda x: type(x))(1.0)
    <class 'float'>
    """
    return switched("disable_jit", bool(disable))


def debug_nans(new_val=True):
    """Inside of the block a nan in the result of a transformed function raises FloatingPointError, with the line that made it."""
    return switched("debug_nans", bool(new_val))


def debug_infs(new_val=True):
    """Inside of the block an infinity in the result of a transformed function raises FloatingPointError."""
    return switched("debug_infs", bool(new_val))


def switched_call(self, *args, **kwargs):
    """`Transformed.__call__` while a switch is on."""
    if self.kind == "jit" and is_on("disable_jit"):
        result = self.fn(*args, **kwargs)
    else:
        result = _plain_call.__get__(self)(*args, **kwargs)
    for name, test, what in (("debug_nans", np.isnan, "nan"), ("debug_infs", np.isinf, "inf")):
        if is_on(name) and any(holds(leaf, test) for leaf in tree.flatten(result)[0]):
            raise FloatingPointError(f"{what} in the result of {self!r}{place(self, args, kwargs)}")
    return result


def holds(leaf, test):
    value = np.asarray(leaf) if hasattr(leaf, "dtype") or isinstance(leaf, float | complex) else None
    return value is not None and value.dtype.kind in "fc" and bool(np.any(test(value)))


def place(transformed, args, kwargs):
    """The line of the generated source that makes it, found by running that on NumPy."""
    try:
        entry, leaves = transformed.find(args, kwargs)
    except TransformError:
        return ""
    function = printing.load(entry.program)
    with np.errstate(invalid="raise", divide="raise"):
        try:
            function(*map(np.asarray, entry.values(leaves)))
        except FloatingPointError as error:
            line = traceback.extract_tb(error.__traceback__)[-1].line
            return f": {error} in the line\n    {line}"
    return ""


if any(map(config.read, SWITCHES)):
    install()

__all__ = ["debug_infs", "debug_nans", "disable_jit"]
