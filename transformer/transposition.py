"""The transpose of a linear function."""

import numpy as np

from . import tree
from .directional import vjp


def linear_transpose(fun, *primals):
    """The transpose of a function that is linear in its arguments: it maps a cotangent of the result to a tuple of cotangents.

    primals: arrays or ShapeDtypeStructs; only their shapes and dtypes count.

    >>> transpose = linear_transpose(lambda x: 3.0 * x, 1.0)
    >>> transpose(2.0)
    (6.0,)
    """
    _, pullback = vjp(fun, *(tree.tree_map(zeros, p) for p in primals))
    return pullback


def zeros(leaf):
    """Zeros like an array, a number or a ShapeDtypeStruct."""
    if isinstance(leaf, float | complex):
        return type(leaf)(0)
    return np.zeros(leaf.shape, leaf.dtype) if hasattr(leaf, "shape") else np.zeros_like(leaf)


__all__ = ["linear_transpose"]
