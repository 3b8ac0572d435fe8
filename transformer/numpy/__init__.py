"""NumPy's functions with JAX's types: 32-bit numbers, weak Python scalars, immutable arrays.

    import transformer.numpy as jnp

    x = jnp.arange(6.0).reshape(2, 3)          float32
    x.at[0].set(1.0)                           a new array; x is as it was

Every function here is the op table's implementation of NumPy's function of that name behind one adapter, so that gradients, batches
and compiled programs are the same for both; what differs are the types (see `transformer.frontend.promotion`). Outside of
transformed functions they compute at once and return an `Array`.
"""

import numpy as _np

from ..eager import Array
from . import counting, creation, functional, overrides, parameters
from . import dtypes as _dtypes
from . import fft as fft
from . import linalg as linalg
from .adapter import ufunc

_own = parameters.PLAIN | parameters.FUNCTIONS
for _module, _names in [
    (creation, """array asarray copy zeros ones empty full arange linspace logspace geomspace tril_indices_from triu_indices_from
     diag_indices_from from_dlpack mgrid ogrid r_ c_"""),
    (counting, """nonzero flatnonzero argwhere where extract compress repeat unique unique_values unique_counts unique_inverse unique_all
     union1d intersect1d setxor1d setdiff1d bincount histogram histogram_bin_edges"""),
    (_dtypes, "can_cast finfo iinfo isdtype isscalar issubdtype promote_types result_type"),
    (functional, "vectorize apply_along_axis apply_over_axes piecewise fromfunction frompyfunc"),
]:
    _own |= {_name: getattr(_module, _name) for _name in _names.split()}
_own |= creation.MADE | _dtypes.SCALARS | _dtypes.ABSTRACT
_own |= {_name: getattr(_np, _name) for _name in
         "pi e euler_gamma inf nan newaxis dtype s_ index_exp save savez get_printoptions set_printoptions printoptions".split()}
globals().update(_own)

ndarray = Array
ComplexWarning = _np.exceptions.ComplexWarning


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text that `repr` gives."""
    return repr(arr)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text that `str` gives."""
    return str(a)


__all__ = sorted({*_own, "Array", "ComplexWarning", "array_repr", "array_str", "fft", "linalg", "ndarray", "ufunc"} - {"bool"})
