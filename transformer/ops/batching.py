"""The batch rule of ops along an axis."""

from .op import TABLE


def batched_along(name, *keys):
    """The rule of an op of one array whose parameters `keys` count axes of it: behind a batch axis at 0 they are one more.

    >>> import numpy as np
    >>> from transformer.ops import scans
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> batched_along("running_max", "axis")((0,), rows, axis=0)
    (array([[1., 2.],
           [3., 4.]]), 0)
    """
    def batch(axes, x, **params):
        return TABLE[name].bind(x, **{**params, **{k: params[k] + 1 for k in keys}}), 0
    return batch


__all__ = ["batched_along"]
