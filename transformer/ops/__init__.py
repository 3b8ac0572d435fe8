"""The op table: importing this package declares every op and every function that users may call."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

SEGMENTS = ("segment_max", "segment_min", "segment_prod", "segment_sum")
"""Functions that JAX has in its module `ops`."""


def __getattr__(name):
    if name not in SEGMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("transformer.segments"), name)
