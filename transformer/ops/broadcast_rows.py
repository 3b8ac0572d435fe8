"""The elements that np.vectorize hands to its function, one row of each argument after the other."""

import math

import numpy as np

from ..errors import ShapeError, TransformError
from .op import array, aval_of


def core_axes(signature, count):
    """How many trailing axes of each argument belong together, from a signature such as "(n),(m,n)->(m)"."""
    if signature is None:
        return [0] * count
    entries = signature.replace(" ", "").split("->")[0][1:-1].split("),(")
    if len(entries) != count:
        raise TransformError(f"np.vectorize: the signature {signature} has {len(entries)} operands, {count} are given", "Give as many.")
    return [len(e.split(",")) if e else 0 for e in entries]


class Rows:
    """Arguments of a call of a np.vectorize object, broadcast and cut into `count` rows of shape `lead`."""

    def __init__(self, wrapper, args, kwargs):
        excluded, self.otypes = wrapper.excluded, wrapper.otypes
        entries = [*enumerate(args), *kwargs.items()]
        moving = {k: array(v) for k, v in entries if k not in excluded}
        self.fixed = {k: v for k, v in entries if k in excluded}
        cores = core_axes(wrapper.signature, len(moving))
        shapes = {k: aval_of(v).shape for k, v in moving.items()}
        inner = {k: s[len(s) - c:] for (k, s), c in zip(shapes.items(), cores)}
        self.lead = np.broadcast_shapes(*(s[: len(s) - len(inner[k])] for k, s in shapes.items()))
        self.count = math.prod(self.lead)
        if not self.count:
            raise ShapeError("np.vectorize of arrays without elements", "Give at least one element.")
        self.rows = {k: np.reshape(np.broadcast_to(v, (*self.lead, *inner[k])), (-1, *inner[k])) for k, v in moving.items()}
        self.positions, self.names = len(args), list(kwargs)

    def at(self, key, i):
        return self.fixed[key] if key in self.fixed else self.rows[key][i]

    def args(self, i):
        return [self.at(k, i) for k in range(self.positions)]

    def kwargs(self, i):
        return {k: self.at(k, i) for k in self.names}

    def buffers(self, results):
        """Arrays for all rows of each result, in the dtype of the first row or of `otypes`."""
        avals = [aval_of(array(r)) for r in results]
        dtypes = self.otypes if self.otypes else [a.dtype for a in avals]
        return [np.zeros((self.count, *a.shape), np.dtype(d)) for a, d in zip(avals, dtypes)]

    def shaped(self, buffer):
        return np.reshape(buffer, (*self.lead, *np.shape(buffer)[1:]))
