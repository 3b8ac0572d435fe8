"""scipy.sparse.linalg: systems of linear equations by iterations. Derivatives are those of the solution, not of the iterations.

Sources: Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems (1952); van der Vorst, Bi-CGSTAB (1992);
Saad and Schultz, GMRES (1986).
"""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ..errors import ShapeError, TransformError
from ..lax import control
from ..ops.op import FUNCTIONS


def product(a):
    """The product with a matrix, as a function; functions are taken as they are."""
    if a is None:
        return lambda v: v
    if callable(a) and not isinstance(a, scipy.sparse.linalg.LinearOperator):
        return a
    matrix = dense(a)
    return lambda v: matrix @ v


def dense(a):
    """A matrix as an array."""
    if isinstance(a, scipy.sparse.linalg.LinearOperator):
        raise TransformError("a LinearOperator is not known to transformer", "Pass its function of a vector in its place.")
    if isinstance(a, scipy.sparse.spmatrix | scipy.sparse.sparray):
        return a.toarray()
    a = np.asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ShapeError(f"a system of equations with a matrix of shape {a.shape}", "Give a square matrix.")
    return a


def size(v):
    return np.sqrt(np.sum(np.real(v * np.conj(v))))


def by_conjugate_gradients(apply, b, x, precondition, tolerance, maxiter):
    """(x, what is left of the right side) for a matrix that is symmetric and positive definite."""
    r = b - apply(x)
    p, rho_before, count = np.zeros_like(b), np.ones((), b.dtype), 0
    while (size(r) > tolerance) & (count < maxiter):
        z = precondition(r)
        rho = np.sum(np.conj(r) * z)
        p = z + (rho / rho_before if count > 0 else 0.0) * p
        q = apply(p)
        alpha = rho / np.sum(np.conj(p) * q)
        x = x + alpha * p
        r = r - alpha * q
        rho_before = rho
        count = count + 1
    return x, size(r)


def by_bicgstab(apply, b, x, precondition, tolerance, maxiter):
    """(x, what is left of the right side) for any matrix."""
    r = b - apply(x)
    shadow, count = r, 0
    p, v = np.zeros_like(b), np.zeros_like(b)
    rho_before, alpha, omega = np.ones((), b.dtype), np.ones((), b.dtype), np.ones((), b.dtype)
    while (size(r) > tolerance) & (count < maxiter):
        rho = np.sum(np.conj(shadow) * r)
        p = r + (rho / rho_before * (alpha / omega)) * (p - omega * v)
        ahead = precondition(p)
        v = apply(ahead)
        alpha = rho / np.sum(np.conj(shadow) * v)
        s = r - alpha * v
        refined = precondition(s)
        t = apply(refined)
        weight = np.sum(np.real(np.conj(t) * t))
        omega = np.where(weight == 0, 0.0, np.sum(np.conj(t) * s) / np.where(weight == 0, 1.0, weight))
        x = x + alpha * ahead + omega * refined
        r = s - omega * t
        omega = np.where(omega == 0, 1.0, omega)
        rho_before = rho
        count = count + 1
    return x, size(r)


def by_gmres(apply, b, x, precondition, tolerance, maxiter, restart):
    """(x, what is left of the right side): the least residual in spaces of `restart` dimensions, one space after the other."""
    steps = min(restart, b.shape[0])
    r, count = b - apply(x), 0
    while (size(r) > tolerance) & (count < maxiter):
        x = x + precondition(least_residual(apply, precondition, r, steps))
        r = b - apply(x)
        count = count + 1
    return x, size(r)


def least_residual(apply, precondition, r, steps):
    """The vector of the space spanned by r and its images whose image is nearest to r."""
    basis, images = np.zeros((steps, r.shape[0]), r.dtype), np.zeros((steps, r.shape[0]), r.dtype)
    v = r / size(r)
    for k in range(steps):
        basis[k] = v
        w = apply(precondition(v))
        images[k] = w
        before = size(w)
        for _ in range(2):
            w = w - basis.T @ (np.conj(basis) @ w)
        length = size(w)
        v = np.where(length > 1e-12 * before, w / np.where(length == 0, 1.0, length), 0.0)
    return basis.T @ (np.linalg.pinv(images.T) @ r)


def solution(method, A, b, x0, M, rtol, atol, maxiter, rounds, *settings):
    """(x, 0 or the number of rounds after which it was given up)."""
    b = np.asarray(b)
    b = b if b.dtype.kind in "fc" else b.astype(float)
    if b.ndim == 2 and b.shape[1] == 1:
        raise ShapeError("a right side of one column", "Give a vector.")
    apply, precondition = product(A), product(M)
    maxiter = rounds * b.shape[0] if maxiter is None else maxiter
    start = np.zeros_like(b) if x0 is None else np.asarray(x0) + np.zeros_like(b)

    def search(residual, x):
        x, rest = method(apply, b, x, precondition, np.maximum(rtol * size(b), atol), maxiter, *settings)
        return x, np.where(rest <= np.maximum(rtol * size(b), atol), 0, maxiter)

    def again(linear, right):
        """Solve the system that derivatives need: with the matrix itself or, in reverse mode, with its transpose."""
        return method(linear, right, np.zeros_like(right), precondition, np.maximum(rtol * size(right), atol), maxiter, *settings)[0]
    return control.custom_root(lambda x: apply(x) - b, start, search, again, has_aux=True)


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """scipy.sparse.linalg.cg: (x, info)."""
    refuse_callback("cg", callback)
    return solution(by_conjugate_gradients, A, b, x0, M, rtol, atol, maxiter, 10)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """scipy.sparse.linalg.bicgstab: (x, info)."""
    refuse_callback("bicgstab", callback)
    return solution(by_bicgstab, A, b, x0, M, rtol, atol, maxiter, 10)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None):
    """scipy.sparse.linalg.gmres: (x, info)."""
    refuse_callback("gmres", callback)
    return solution(by_gmres, A, b, x0, M, rtol, atol, maxiter, 10, 20 if restart is None else restart)


def refuse_callback(name, callback):
    if callback is not None:
        raise TransformError(f"{name}(callback=...) is not known to transformer", "Leave it out.")


for _function in (cg, bicgstab, gmres):
    _function.entered = True
    FUNCTIONS[getattr(scipy.sparse.linalg, _function.__name__)] = _function
