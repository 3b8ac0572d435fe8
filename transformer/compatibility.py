"""Names of JAX for which there is little to do here: scopes that name things, settings of accelerators, looks at types."""

from contextlib import contextmanager

import numpy as np

from backend import recycling

from .abstract import ShapeDtypeStruct
from .api import jacrev
from .frontend.reference import is_device_array, is_reference
from .zero_tangents import float0

jacobian = jacrev


@contextmanager
def named_scope(name):
    """A name for what is computed inside; accepted, the generated source has the user's names already."""
    yield name


def named_call(fun, *, name=None):
    """The function itself; accepted, see `named_scope`."""
    return fun


@contextmanager
def default_matmul_precision(new_val):
    """Accepted: products are computed in full precision."""
    yield new_val


@contextmanager
def ensure_compile_time_eval():
    """Accepted: what does not depend on arguments is always computed while transforming."""
    yield


@contextmanager
def checking_leaks():
    """Accepted: an abstract array outside of its function is always an error."""
    yield


def clear_caches():
    """Give back the memory of large results that is kept for later calls. Each transformed function has a cache of its own, which goes
    with it."""
    recycling.clear()


def effects_barrier():
    """Accepted: prints and callbacks of a program have run when its results are there."""


def typeof(x):
    """Shape and dtype of an array or number.

    >>> typeof(np.ones((2, 3)))
    ShapeDtypeStruct(shape=(2, 3), dtype=float64)
    """
    if is_reference(x) or is_device_array(x):
        return ShapeDtypeStruct(tuple(x.shape), x.dtype)
    value = np.asarray(x)
    return ShapeDtypeStruct(value.shape, value.dtype)


__all__ = ["checking_leaks", "clear_caches", "default_matmul_precision", "effects_barrier", "ensure_compile_time_eval", "float0", "jacobian",
           "named_call", "named_scope", "typeof"]
