"""scipy.sparse.linalg with JAX's signatures: systems of linear equations by iterations, differentiated through the solution."""

from ... import numpy as jnp
from ...flatten_util import ravel_pytree
from .. import krylov


def solved(method, A, b, x0, tol, atol, maxiter, M, *settings):
    """x for a right side, and an initial guess, in containers."""
    flat, restore = ravel_pytree(b)
    start = None if x0 is None else ravel_pytree(x0)[0]
    x, _ = krylov.solution(method, on_vectors(A, restore), flat, start, on_vectors(M, restore), tol, atol, maxiter, 10, *settings)
    return restore(jnp.asarray(x)), None


def on_vectors(a, restore):
    """A function of containers as one of vectors; a matrix as it is."""
    if not callable(a):
        return a
    return lambda v: ravel_pytree(a(restore(v)))[0]


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """x with A x = b for a symmetric positive definite A, a matrix or a linear function, by conjugate gradients; and None.

    b, x0: arrays, or containers of arrays. tol, atol: the residual's norm is at most the larger of tol * |b| and atol. M: an approximate inverse of A.
    """
    return solved(krylov.by_conjugate_gradients, A, b, x0, tol, atol, maxiter, M)


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """x with A x = b for any A, by stabilised biconjugate gradients; and None."""
    return solved(krylov.by_bicgstab, A, b, x0, tol, atol, maxiter, M)


def gmres(A, b, x0=None, *, tol=1e-5, atol=0.0, restart=20, maxiter=None, M=None, solve_method="batched"):
    """x with A x = b for any A, by least residuals in spaces of `restart` dimensions; and None."""
    return solved(krylov.by_gmres, A, b, x0, tol, atol, maxiter, M, restart)


__all__ = ["bicgstab", "cg", "gmres"]
