"""scipy.fft with JAX's types: cosine transforms. The Fourier transforms are in `transformer.numpy.fft`."""

import scipy.fft as _scipy

from ..numpy.adapter import adapted as _adapted
from ..ops.op import FUNCTIONS as _FUNCTIONS

_FUNCTIONS.load()
dct, dctn, idct, idctn = (_adapted(getattr(_scipy, _name), _name, __name__) for _name in ("dct", "dctn", "idct", "idctn"))

__all__ = ["dct", "dctn", "idct", "idctn"]
