"""scipy.ndimage with JAX's types."""

import scipy.ndimage as _scipy

from ..numpy.adapter import adapted as _adapted
from ..ops.op import FUNCTIONS as _FUNCTIONS

_FUNCTIONS.load()
_MODES = {"constant": "grid-constant", "wrap": "grid-wrap"}
"""JAX's modes continue the array element by element."""
_MAPPED = _adapted(_scipy.map_coordinates, "map_coordinates", __name__)


def map_coordinates(input, coordinates, order, mode="constant", cval=0.0):
    """The values of an array at places between its elements: the nearest (order 0) or linear ones (order 1).

    coordinates: an array of places, or a list of them, for each axis. mode: how the array continues at its edges; cval: what is there by "constant".

    >>> import numpy as np
    >>> map_coordinates(np.array([0.0, 10.0]), [np.array([0.25, 3.0])], 1)
    Array([2.5, 0. ], dtype=float32)
    """
    return _MAPPED(input, coordinates, order=order, mode=_MODES.get(mode, mode), cval=cval)


__all__ = ["map_coordinates"]
