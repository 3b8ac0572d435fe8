"""scipy.linalg: the logarithm, sines and cosines of matrices, Lyapunov's equations, and what np.linalg has under the same name.

Source: N. J. Higham, Functions of Matrices (2008); the derivative of the logarithm is read off the logarithm of a block matrix.
"""

import numpy as np
import scipy.linalg as sl

from ...core import Aval
from ...errors import TransformError, ValueDependent
from ..linear_algebra import adjoint, inexact, square, transpose
from ..op import FUNCTIONS, TABLE, array, function, is_reference, op
from .matrix_equations import each, lanes, real_and_complex, text
from .uncompiled import not_compiled


# logarithm ------------------------------------------------------------------------------------------------------------
@op()
class logm:
    """The principal logarithm, in double precision; as_complex: what scipy gives for the values at hand."""

    lower, samples = not_compiled(sl.logm, "scipy.linalg"), real_and_complex

    def impl(a, as_complex):
        log = each(sl.logm, a)
        return log.astype(np.complex128) if as_complex else log

    def infer(a, as_complex):
        return Aval(square("logm", a).shape, np.dtype(np.complex128 if as_complex else np.float64))

    def vjp(g, a, out, as_complex):
        bar = directional(transpose(a), g, as_complex)
        return np.real(bar) if as_complex and a.dtype.kind != "c" else bar

    def jvp(dots, a, out, as_complex):
        return directional(a, dots[0], as_complex)

    def batch(axes, a, as_complex):
        return lanes("logm", axes, (a,), (2,), as_complex=as_complex)

    def notation(a, as_complex):
        call = text((a,), "scipy.linalg.logm", "scipy.linalg.logm({0})")
        return f"{call}.astype(np.complex128)" if as_complex else call


def directional(a, change, as_complex):
    """The derivative of the logarithm at a along `change`."""
    n = a.shape[-1]
    change = np.broadcast_to(change, a.shape)
    a = a + np.zeros_like(change)
    top = np.concatenate([a, change], axis=-1)
    bottom = np.concatenate([np.zeros_like(a), a], axis=-1)
    return TABLE["logm"].bind(np.concatenate([top, bottom], axis=-2), as_complex=as_complex)[..., :n, n:]


@function(sl.logm)
def logm_call(A):
    """scipy.linalg.logm: real or complex, which the values decide."""
    A = array(A)
    known = A.known if is_reference(A) else A
    if known is None and A.dtype.kind != "c":
        raise ValueDependent("scipy.linalg.logm gives a real or a complex matrix, depending on the values", "Make the matrix complex.")
    return TABLE["logm"].bind(A, as_complex=A.dtype.kind == "c" or np.iscomplexobj(sl.logm(known)))


# functions of the exponential -----------------------------------------------------------------------------------------
def expm(a):
    return FUNCTIONS[sl.expm](a)


@function(sl.cosm)
def cosm(A):
    """scipy.linalg.cosm."""
    A = array(A)
    return np.real(expm(1j * A)) if A.dtype.kind != "c" else 0.5 * (expm(1j * A) + expm(-1j * A))


@function(sl.sinm)
def sinm(A):
    """scipy.linalg.sinm."""
    A = array(A)
    return np.imag(expm(1j * A)) if A.dtype.kind != "c" else -0.5j * (expm(1j * A) - expm(-1j * A))


@function(sl.tanm)
def tanm(A):
    """scipy.linalg.tanm."""
    return np.linalg.solve(cosm(A), sinm(A))


@function(sl.coshm)
def coshm(A):
    """scipy.linalg.coshm."""
    A = array(A)
    return 0.5 * (expm(A) + expm(-A))


@function(sl.sinhm)
def sinhm(A):
    """scipy.linalg.sinhm."""
    A = array(A)
    return 0.5 * (expm(A) - expm(-A))


@function(sl.tanhm)
def tanhm(A):
    """scipy.linalg.tanhm."""
    return np.linalg.solve(coshm(A), sinhm(A))


@function(sl.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """scipy.linalg.expm_frechet: (expm(A), its derivative along E), or the derivative alone."""
    A, E = array(A), array(E)
    n = A.shape[-1]
    whole = expm(np.concatenate([np.concatenate([A, E], axis=-1), np.concatenate([np.zeros_like(A), A], axis=-1)], axis=-2))
    return (whole[:n, :n], whole[:n, n:]) if compute_expm else whole[:n, n:]


# equations -------------------------------------------------------------------------------------------------------------
@function(sl.solve_continuous_lyapunov, sl.solve_lyapunov)
def solve_continuous_lyapunov(a, q):
    """scipy.linalg.solve_continuous_lyapunov: x with a @ x + x @ a^H = q."""
    a = array(a)
    return TABLE["solve_sylvester"].bind(a, adjoint(a), array(q))


@function(sl.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None):
    """scipy.linalg.solve_discrete_lyapunov: x with a @ x @ a^H - x + q = 0."""
    a, q = array(a), array(q)
    conjugate = np.conj(a) if a.dtype.kind == "c" else a
    left = np.eye(a.shape[0] ** 2) - np.kron(a, conjugate)
    return np.reshape(np.linalg.solve(left, np.ravel(q)), q.shape)


@function(sl.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """scipy.linalg.solve_toeplitz, by elimination."""
    parts = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr,)
    return np.linalg.solve(FUNCTIONS[sl.toeplitz](*parts), array(b))


# the names of np.linalg --------------------------------------------------------------------------------------------------
@function(sl.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """scipy.linalg.norm."""
    return np.linalg.norm(array(a), ord, axis, keepdims)


@function(sl.pinv)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """scipy.linalg.pinv."""
    if atol is not None or return_rank:
        raise TransformError("scipy.linalg.pinv with atol= or return_rank= is not known", "Use rtol=.")
    a = array(a)
    return np.linalg.pinv(a, rcond=max(a.shape[-2:]) * np.finfo(inexact(a)).eps if rtol is None else rtol)


@function(sl.lstsq)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    """scipy.linalg.lstsq."""
    return np.linalg.lstsq(array(a), array(b), rcond=cond)


@function(sl.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    """scipy.linalg.svdvals."""
    return np.linalg.svdvals(array(a))


@function(sl.eigvals)
def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    """scipy.linalg.eigvals of one matrix."""
    if b is not None or homogeneous_eigvals:
        raise TransformError("scipy.linalg.eigvals of two matrices is not known", "Use np.linalg.eigvals of b^-1 a.")
    return np.linalg.eigvals(array(a))


@function(sl.eig)
def eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False):
    """scipy.linalg.eig of one matrix: eigenvalues and right eigenvectors."""
    if b is not None or left or homogeneous_eigvals:
        raise TransformError("scipy.linalg.eig of two matrices, or with left vectors, is not known", "Use np.linalg.eig.")
    return tuple(np.linalg.eig(array(a))) if right else np.linalg.eigvals(array(a))


@function(sl.eigvalsh)
def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
             subset_by_value=None, driver=None):
    """scipy.linalg.eigvalsh of all eigenvalues."""
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        raise TransformError("scipy.linalg.eigvalsh with b= or a subset is not known", "Compute all eigenvalues of one matrix.")
    return np.linalg.eigvalsh(array(a), "L" if lower else "U")
