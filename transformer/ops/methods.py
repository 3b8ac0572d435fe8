"""Methods and attributes of arrays.

Where NumPy has a function of the method's name with the same parameters, the method is that function; the others stand here.
"""

import numpy as np

from ..errors import ShapeError, TransformError
from .op import ATTRIBUTES, METHODS, TABLE, lookup
from .op import view as derived

AS_FUNCTION = """all any argmax argmin argpartition argsort choose clip conj conjugate cumprod cumsum diagonal dot max mean min
nonzero prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var""".split()


def _method(name):
    function = getattr(np, name)

    def call(array, *args, out=None, **kwargs):
        result = lookup(function)(array, *args, **kwargs)
        if out is None:
            return result
        out[...] = result
        return out
    call.function = function
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
def view(array, dtype=None, type=None):
    """The array itself as another view; its bytes as another type are refused."""
    if dtype is not None and np.dtype(dtype) != array.dtype or type not in (None, np.ndarray):
        raise TransformError(f"view() reads the bytes of a {array.dtype} array as another type",
                             "Use astype, x.real and x.imag, or lax.bitcast_convert_type for bits.")
    return array[...]


@method
def flatten(array, order="C"):
    """A copy with one axis."""
    array = lookup(np.transpose)(array) if order == "F" else array
    return lookup(np.copy)(array) if array.ndim == 1 else TABLE["reshape"].bind(array, shape=(-1 if None in array.shape else array.size,))


@method
def compress(array, condition, axis=None, out=None):
    return lookup(np.compress)(condition, array, axis=axis)


@method
def copy(array, order="C"):
    return lookup(np.copy)(array)


@attribute
def flat(array):
    """The elements in C order, as a view with one axis."""
    return derived("reshape", array, shape=(-1 if None in array.shape else array.size,)).as_flat()


@method
def item(array, *args):
    """One element, as a Python number."""
    if not args and array.size != 1:
        raise ShapeError(f"item() of an array of shape {array.shape}", "Only an array of one element has one; or pass an index.")
    if len(args) == 1 and not isinstance(args[0], tuple):
        element = flat(array)[args[0]]
    else:
        element = array[args[0] if len(args) == 1 else args or (0,) * array.ndim]
    python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[element.dtype.kind]
    return element if element.weak else lookup(python)(element)


@method
def tolist(array):
    """Nested lists of elements."""
    return [tolist(row) for row in array] if array.ndim else item(array)


@method
def fill(array, value):
    array[...] = value


@method
def sort(array, axis=-1, kind=None, order=None, *, stable=None):
    """In place, unlike np.sort."""
    array[...] = lookup(np.sort)(array, axis)


@method
def partition(array, kth, axis=-1, kind="introselect", order=None):
    array[...] = lookup(np.partition)(array, kth, axis)
