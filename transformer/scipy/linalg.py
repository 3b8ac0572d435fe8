"""scipy.linalg with JAX's types: factors of matrices, systems of equations, structured matrices."""

import numpy as _np
import scipy.linalg as _scipy

from ..eager import new_array as _new_array
from ..nn.activations import by_jnp_rules as _by_jnp_rules
from ..numpy.adapter import adapted as _adapted
from ..ops.op import FUNCTIONS as _FUNCTIONS

_FUNCTIONS.load()
_NAMES = sorted(_name for _name in dir(_scipy) if _name[0] != "_" and callable(getattr(_scipy, _name))
                and not isinstance(getattr(_scipy, _name), type) and getattr(_scipy, _name) in _FUNCTIONS)
globals().update({_name: _adapted(getattr(_scipy, _name), _name, __name__) for _name in _NAMES})


def _fixed(name):
    """A matrix that depends on sizes alone."""
    def matrix(n, *args, **kwargs):
        made = getattr(_scipy, name)(int(n), *args, **kwargs)
        return _new_array(made.astype(float) if name.endswith("pascal") else made)
    matrix.__name__, matrix.__doc__ = name, f"`scipy.linalg.{name}` with JAX's types."
    return matrix


_FIXED = "dft hadamard helmert hilbert invhilbert invpascal pascal".split()
globals().update({_name: _fixed(_name) for _name in _FIXED})



@_by_jnp_rules
def companion(a):
    """The matrix whose characteristic polynomial has the coefficients `a`, highest power first."""
    n = _np.shape(a)[0]
    row = -a[1:] / a[0]
    return _np.concatenate([row[None], _np.eye(n - 2, n - 1, dtype=row.dtype)])


@_by_jnp_rules
def convolution_matrix(a, n, mode="full"):
    """The matrix M with M @ v = convolve(a, v, mode) for vectors v of length n."""
    m = _np.shape(a)[0]
    whole = _np.stack([_np.pad(a, (j, n - 1 - j)) for j in range(n)], axis=1)
    spare = min(n, m) - 1
    first, last = {"full": (0, 0), "same": (spare // 2, spare - spare // 2), "valid": (spare, spare)}[mode]
    return whole[first:m + n - 1 - last]


@_by_jnp_rules
def fiedler(a):
    """The distances between all pairs of numbers."""
    return _np.abs(a[:, None] - a[None, :])


@_by_jnp_rules
def leslie(f, s):
    """The matrix of a population: fertilities `f` in the first row, survival rates `s` below the diagonal."""
    return _np.concatenate([f[None], _np.concatenate([_np.diag(s), _np.zeros_like(s)[:, None]], axis=1)])


_OWN = ["companion", "convolution_matrix", "fiedler", "leslie"]
__all__ = sorted({*_NAMES, *_FIXED, *_OWN})
