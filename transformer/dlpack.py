"""Arrays shared with other libraries through DLPack; arrays themselves have `__dlpack__`."""

from .numpy import from_dlpack

__all__ = ["from_dlpack"]
