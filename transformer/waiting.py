"""Waiting for device arrays, and fetching them."""

import numpy as np

from . import tree
from .frontend.reference import is_device_array


def block_until_ready(x):
    """Wait until all arrays in a pytree are computed; returns the pytree.

    >>> block_until_ready({"a": 1.0})
    {'a': 1.0}
    """
    for leaf in tree.flatten(x)[0]:
        if hasattr(leaf, "block_until_ready"):
            leaf.block_until_ready()
    return x


def device_get(x):
    """The pytree with NumPy arrays in place of device arrays.

    >>> device_get([1.0])
    [1.0]
    """
    return tree.tree_map(lambda leaf: np.asarray(leaf) if is_device_array(leaf) else leaf, x)


__all__ = ["block_until_ready", "device_get"]
