"""The batch rule of ops along an axis."""

from .op import TABLE


def later(axis):
    """An axis, or a tuple of axes, of an operand that has got a batch axis in front."""
    return tuple(a + 1 for a in axis) if isinstance(axis, tuple) else axis + 1


def batched_along(name, *keys):
    """The rule of an op of one array whose parameters `keys` (an int or a tuple) count axes of it: behind a batch axis at 0 they are one more.

    >>> import numpy as np
    >>> from transformer.ops import scans
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> batched_along("running_max", "axis")((0,), rows, axis=0)
    (array([[1., 2.],
           [3., 4.]]), 0)
    """
    def batch(axes, x, **params):
        return TABLE[name].bind(x, **{**params, **{k: later(params[k]) for k in keys}}), 0
    return batch


__all__ = ["batched_along", "later"]
