"""Types of numbers under the names of JAX's module `dtypes`."""

import numpy as np

from .frontend.promotion import narrow
from .numpy import bfloat16, finfo, iinfo, issubdtype, result_type
from .zero_tangents import float0


def canonicalize_dtype(dtype, allow_extended_dtype=False):
    """The type in which numbers are kept: 32 bits for 64 unless `enable_x64`.

    >>> canonicalize_dtype(np.float64)
    dtype('float32')
    """
    return narrow(np.dtype(dtype))


__all__ = ["bfloat16", "canonicalize_dtype", "finfo", "float0", "iinfo", "issubdtype", "result_type"]
