"""Settings of the whole process, under JAX's names and without their `jax_` prefix.

    config.update("jax_enable_x64", True)      for good
    enable_x64(True)                           the same
    with enable_x64(True): ...                 for a block, in this thread only

The environment variable TRANSFORMER_ENABLE_X64 sets the value at the start. A setting of ours alone is `vectorise` (TRANSFORMER_VECTORISE):
whether programs that are built from then on, un-jitted, have array code in place of loops over elements where that gives the same.
"""

import importlib
import os
import threading

from .errors import TransformError

_local = threading.local()
_lock = threading.Lock()
_values = {}
MODE = [False]
"""Whether 64-bit types are made; None while some thread is in a block that settles what programs are built from (`x64()`, a mesh)."""
_blocks = 0


_changed = {}


def define(name, default, changed=None):
    """Add a setting; modules that own one call this when they are imported. changed(value) is told of an update and may refuse it."""
    _values.setdefault(name, default)
    if changed is not None:
        _changed[name] = changed


def flag(variable, default=False):
    """The value of an environment variable that switches something on."""
    text = os.environ.get(variable, "").strip().lower()
    if text not in ("", "0", "1", "false", "true", "off", "on"):
        raise TransformError(f"{variable} is {text!r}", "It must be 0 or 1.")
    return text in ("1", "true", "on") if text else default


class Config:
    """`config.update(name, value)`, `config.read(name)`, and each setting as an attribute."""

    def update(self, name, value):
        """Set a value for the process. Raises TransformError for a name that is not known."""
        name = self._known(name)
        if name in _changed:
            _changed[name](value)
        _values[name] = value

    def read(self, name):
        name = self._known(name)
        return x64() if name == "enable_x64" else _values[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.read("enable_x64" if name == "x64_enabled" else name)

    @staticmethod
    def _known(name):
        plain = name.removeprefix("jax_")
        if plain not in _values:
            import difflib
            near = difflib.get_close_matches(plain, _values, n=2)
            raise TransformError(f"there is no setting {name!r}", f"Known: {', '.join(near or sorted(_values))}.")
        return plain


class enable_x64:
    """Switch 64-bit types of `transformer.numpy` on or off: at once for the process, or for a `with` block in this thread."""

    def __init__(self, value=True):
        self.value, self.before = bool(value), _values["enable_x64"]
        set_x64(self.value)

    def __enter__(self):
        set_x64(self.before, 1)
        self.outer = getattr(_local, "x64", None)
        _local.x64 = self.value
        return self

    def __exit__(self, *exc):
        _local.x64 = self.outer
        set_x64(None, -1)


def set_x64(value, blocks=0):
    """Set the mode of the process, unless the value is None; `blocks`: how many more blocks are open, of this and other kinds."""
    global _blocks
    with _lock:
        _blocks += blocks
        _values["enable_x64"] = _values["enable_x64"] if value is None else bool(value)
        MODE[0] = None if _blocks else _values["enable_x64"]


def x64():
    """Whether `transformer.numpy` makes 64-bit numbers."""
    value = getattr(_local, "x64", None)
    return _values["enable_x64"] if value is None else value


def switch(name):
    """What is done when a switch of `switches` changes."""
    def changed(value):
        _values[name] = bool(value)
        importlib.import_module(f"{__package__}.switches").install()
    return changed


def settings():
    """All settings of the process, sorted by name."""
    return sorted(_values.items())


SWITCHES = ("disable_jit", "debug_nans", "debug_infs")

define("enable_x64", flag("TRANSFORMER_ENABLE_X64"), set_x64)
define("vectorise", flag("TRANSFORMER_VECTORISE", True))
set_x64(_values["enable_x64"])
for _name in SWITCHES:
    define(_name, flag(f"TRANSFORMER_{_name.upper()}"), switch(_name))
config = Config()

__all__ = ["Config", "config", "define", "enable_x64", "flag", "x64"]
