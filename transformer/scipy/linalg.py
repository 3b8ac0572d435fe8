"""scipy.linalg with JAX's types: factors of matrices, systems of equations, structured matrices."""

import scipy.linalg as _scipy

from ..numpy.adapter import adapted as _adapted
from ..ops.op import FUNCTIONS as _FUNCTIONS

_NAMES = """block_diag cho_factor cho_solve cholesky circulant det eigh expm hankel inv lu lu_factor lu_solve polar qr solve solve_triangular
svd toeplitz""".split()
_FUNCTIONS.load()
globals().update({_name: _adapted(getattr(_scipy, _name), _name, __name__) for _name in _NAMES})

__all__ = sorted(_NAMES)
