"""`numpy.fft` with JAX's types."""

import numpy as np

from .. import eager
from .creation import asarray, static
from .overrides import table_functions

globals().update(table_functions(np.fft, "transformer.numpy.fft"))


def fftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies of the bins of `fft`."""
    return asarray(np.fft.fftfreq(static(n), static(d)), eager.array_dtype(dtype))


def rfftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies of the bins of `rfft`."""
    return asarray(np.fft.rfftfreq(static(n), static(d)), eager.array_dtype(dtype))


__all__ = sorted({*table_functions(np.fft), "fftfreq", "rfftfreq"})
