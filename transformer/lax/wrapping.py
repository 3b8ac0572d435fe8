"""How a function of `lax` is made from one written for NumPy arrays and references."""

import numpy as np

from .. import eager
from ..errors import TypeMismatch
from ..frontend.builder import current
from ..frontend.reference import is_reference
from ..numpy.adapter import described
from ..ops import op as optable


def lax(function):
    """The function by JAX's rules of types: on arrays it computes at once and gives an Array."""
    def call(*args, **kwargs):
        return eager.call(function, args, kwargs)
    made = described(call, function, function.__name__.rstrip("_"), "transformer.lax")
    made.__doc__ = function.__doc__
    return made


OPERANDS = {"igamma": ("a", "x"), "igammac": ("a", "x"), "betainc": ("a", "b", "x"), "polygamma": ("m", "x"), "zeta": ("x", "q")}
"""Names of the operands of functions of `lax`, where they are not x and y."""


def elementwise(name, function, doc=None):
    """The function of `lax` that is a ufunc or composite of NumPy's."""
    implementation = optable.FUNCTIONS[function]
    names = OPERANDS.get(name, ("x", "y"))

    def call(*args, **kwargs):
        named = [kwargs.pop(n) for n in names[len(args):] if n in kwargs]
        return eager.call(implementation, (*args, *named), without_hints(kwargs), isinstance(function, np.ufunc))
    made = described(call, function, name, "transformer.lax")
    made.__doc__ = doc or f"`{optable.describe(function)}`, elementwise."
    return made


def without_hints(kwargs):
    """Keywords without those that only steer how XLA computes."""
    return {k: v for k, v in kwargs.items() if k not in ("accuracy", "out_sharding", "precision")}


def normal_axes(axes, ndim, what):
    """Axes as non-negative ints."""
    axes = (axes,) if isinstance(axes, int | np.integer) else tuple(axes)
    for axis in axes:
        if not -ndim <= axis < ndim:
            raise TypeMismatch(f"{what}: axis {axis} is out of range for an array of {ndim} axes", "Axes count from 0.")
    return tuple(int(a) % ndim for a in axes)


def dtype_of(x):
    return x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype


def cast(x, dtype):
    """x in another dtype."""
    dtype = eager.array_dtype(dtype)
    return x if dtype_of(x) == dtype and not (is_reference(x) and x.weak) else np.astype(np.asarray(x) if not is_reference(x) else x, dtype)


def storable(x, *others):
    """A copy of x that may be stored into, part of the program if anything among `others` is."""
    if any(map(optable.holds_reference, others)) and not is_reference(x):
        x = current().constant(np.asarray(x))
    return np.copy(x)


__all__ = ["cast", "dtype_of", "elementwise", "lax", "normal_axes", "storable", "without_hints"]
