"""scipy.linalg with JAX's types: factors of matrices, systems of equations, structured matrices."""

import scipy.linalg as _scipy

from ..eager import new_array as _new_array
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

__all__ = sorted({*_NAMES, *_FIXED})
