"""Derivatives with respect to integers where `allow_int` asks for them: zeros of the type float0, which holds nothing."""

import dataclasses

import numpy as np

from . import tree
from .core import is_floating

float0 = np.dtype([("float0", np.void, 0)])
"""The dtype of derivatives with respect to integers."""


@dataclasses.dataclass(frozen=True)
class Float0Zeros:
    """In the structure of a result: an array of float0 of a known shape, which is no output of the program."""

    shape: tuple


def of_shape(shape, _):
    return np.zeros(shape, float0)


tree.register(Float0Zeros, lambda value: ((), value.shape), of_shape)


def outside(result):
    """A pytree with `Float0Zeros` for its arrays of float0."""
    return tree.tree_map(lambda leaf: Float0Zeros(leaf.shape) if getattr(leaf, "dtype", None) == float0 else leaf, result)


def without_integers(args, numbers, wanted):
    """`wanted` (positions of leaves, treedef) for each argument, with float0 zeros in the place of the leaves that are integers."""
    return [discrete_apart([leaf.aval for leaf in tree.flatten(args[n])[0]], *pair) for n, pair in zip(numbers, wanted)]


def discrete_apart(avals, positions, treedef):
    kept = [p for p, aval in zip(positions, avals) if is_floating(aval.dtype)]
    return kept, replaced(treedef, iter(avals))


def is_left(aval):
    """Whether a derivative is an output of the program: of numbers that move, and zeros for integers of unknown length."""
    return is_floating(aval.dtype) or None in aval.shape


def replaced(treedef, avals):
    if treedef.kind is None:
        aval = next(avals)
        return treedef if is_left(aval) else tree.Treedef(Float0Zeros, aval.shape, ())
    return treedef._replace(children=tuple(replaced(c, avals) for c in treedef.children))


def extended(treedef, shape):
    """The structure with these axes in front of those of all float0 zeros."""
    if treedef.kind is Float0Zeros:
        return treedef._replace(meta=(*shape, *treedef.meta))
    return treedef._replace(children=tuple(extended(c, shape) for c in treedef.children))


__all__ = ["Float0Zeros", "extended", "float0", "is_left", "outside", "replaced", "without_integers"]
