"""Functions of scipy with JAX's types: cluster.vq, fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse.linalg, special, stats."""

import importlib

MODULES = ("cluster", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "special", "stats")


def __getattr__(name):
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *MODULES})
