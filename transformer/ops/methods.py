"""Methods and attributes of arrays.

Where NumPy has a function of the method's name with the same parameters, the method is that function; the others stand here.
"""

import numpy as np

from .op import ATTRIBUTES, FUNCTIONS, METHODS, TABLE, is_reference, lookup, view

AS_FUNCTION = """all any argmax argmin argpartition argsort choose clip compress conj conjugate cumprod cumsum diagonal dot max mean min
nonzero prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var""".split()


def _method(name):
    function = getattr(np, name)

    def call(array, *args, out=None, **kwargs):
        result = lookup(function)(array, *args, **kwargs)
        if out is None:
            return result
        out[...] = result
        return out
    return call


for _name in AS_FUNCTION:
    METHODS[_name] = _method(_name)


def method(implementation):
    METHODS[implementation.__name__.rstrip("_")] = implementation
    return implementation


def attribute(implementation):
    ATTRIBUTES.add(implementation.__name__)
    return method(implementation)


@attribute
def T(array):
    return lookup(np.transpose)(array)


@attribute
def mT(array):
    return lookup(np.swapaxes)(array, -1, -2)


@method
def reshape(array, *shape, order="C", copy=None):
    return lookup(np.reshape)(array, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)


@method
def transpose(array, *axes):
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return lookup(np.transpose)(array, axes or None)


@method
def flatten(array, order="C"):
    """A copy with one axis."""
    flat = lookup(np.ravel)(array, order)
    return lookup(np.copy)(flat)


@method
def copy(array, order="C"):
    return lookup(np.copy)(array)


__all__ = ["FUNCTIONS", "TABLE", "is_reference", "view"]
