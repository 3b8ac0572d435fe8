"""Bits read as another type of the same width."""

import numpy as np

from ..core import Aval
from .creation import dtype_text
from .op import TABLE, op


@op(differentiable=False)
class bitcast:
    def impl(x, dtype):
        return np.asarray(x).view(dtype).copy()[()]

    def infer(x, dtype):
        return Aval(x.shape, np.dtype(dtype))

    def lower(hlo, out, x, dtype):
        return hlo.op("bitcast_convert", [hlo.convert(x, x.dtype)], x.shape, out.dtype)

    def batch(axes, x, dtype):
        return TABLE["bitcast"].bind(x, dtype=dtype), 0

    def notation(x, dtype):
        if not x.shape:
            source = f"np.{x.dtype.name}" if x.weak else None
            return f"{source}({{0}}).view({dtype_text(dtype)})" if source else f"{{0}}.view({dtype_text(dtype)})"
        return f"{{0}}.view({dtype_text(dtype)}).copy()"

    samples = [((np.array([1.5, -2.0], np.float32),), {"dtype": np.dtype(np.int32)}), ((np.arange(3, dtype=np.uint32),), {"dtype": np.dtype(np.float32)})]
