"""scipy.sparse as JAX has it: the solvers of `linalg`."""

from . import linalg as linalg

__all__ = ["linalg"]
