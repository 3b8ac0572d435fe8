"""`numpy.linalg` with JAX's types; symmetric matrices are made so first, as in JAX, where NumPy reads one triangle."""

import numpy as np

from .creation import asarray
from .overrides import table_functions

FUNCTIONS = table_functions(np.linalg, "transformer.numpy.linalg")
_cholesky, _eigh, _eigvalsh = (FUNCTIONS[name] for name in ("cholesky", "eigh", "eigvalsh"))


def symmetric(a):
    """The mean of a matrix, shape (..., n, n), and its conjugate transpose."""
    a = asarray(a)
    return (a + a.mT.conj()) / 2


def cholesky(a, *, upper=False, symmetrize_input=True):
    """`numpy.linalg.cholesky`: the triangular factor of matrices, shape (..., n, n); of their symmetric part if symmetrize_input.

    >>> print(cholesky(np.array([[4.0, 0.0], [2.0, 2.0]])).round(2))
    [[2.   0.  ]
     [0.5  1.32]]
    """
    return _cholesky(symmetric(a) if symmetrize_input else a, upper=upper)


def eigh(a, UPLO="L", symmetrize_input=True):
    """`numpy.linalg.eigh`: eigenvalues and eigenvectors of matrices, shape (..., n, n); of their symmetric part if symmetrize_input.

    >>> print(eigh(np.array([[1.0, 4.0], [0.0, 1.0]])).eigenvalues)
    [-1.  3.]
    """
    return _eigh(symmetric(a) if symmetrize_input else a, UPLO or "L")


def eigvalsh(a, UPLO="L", *, symmetrize_input=True):
    """`numpy.linalg.eigvalsh`: eigenvalues of matrices, shape (..., n, n); of their symmetric part if symmetrize_input.

    >>> print(eigvalsh(np.array([[1.0, 4.0], [0.0, 1.0]])))
    [-1.  3.]
    """
    return _eigvalsh(symmetric(a) if symmetrize_input else a, UPLO or "L")


globals().update({name: function for name, function in FUNCTIONS.items() if name not in globals()})
__all__ = sorted(FUNCTIONS)
