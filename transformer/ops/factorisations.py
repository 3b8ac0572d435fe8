"""Factorisations of matrices: cholesky, eigh, eigvals, svd, qr, pinv, lstsq.

A factorisation with several results is one op with a param `part`, so that each result is a statement of its own.
np.linalg.cholesky and eigh read one triangle of their operand only, so their derivative stands in that triangle.

Sources of the adjoints: M. B. Giles, "Collected matrix derivative results for forward and reverse mode AD" (2008);
J. Townsend, "Differentiating the singular value decomposition" (2016); G. H. Golub and V. Pereyra (1973) for the pseudoinverse.
"""

import numpy as np

from ..core import Aval
from ..errors import ShapeError, TransformError
from . import lapack
from .linear_algebra import adjoint, array, conj, inexact, real_of, result_type, sample_matrix, square, transpose
from .op import function, op


def sample_positive(*params):
    """Samples of one positive definite matrix and of a stack, for each params dict."""
    def draw(rng):
        matrices = [sample_matrix(rng, 3, 3), sample_matrix(rng, 2, 3, 3)]
        return [((x @ transpose(x),), dict(p)) for x in matrices for p in params]
    return draw


def sample_tall_and_wide(*params):
    """Samples of a matrix with more rows than columns, one with fewer, and a stack, for each params dict."""
    def draw(rng):
        tall, wide = sample_matrix(rng, 4, 3), sample_matrix(rng, 2, 4)
        return [((x,), dict(p)) for x in (tall, wide, np.stack([tall, -2 * tall])) for p in params]
    return draw


def diagonal_of(x):
    """The matrices with everything off the diagonal set to 0."""
    return x * np.eye(x.shape[-1], dtype=real_of(x.dtype))


def in_triangle(bar, lower):
    """The cotangent of a Hermitian operand of which one triangle is read."""
    both = bar + adjoint(bar)
    strict = np.tril(both, -1) if lower else np.triu(both, 1)
    return strict + (diagonal_of(np.real(bar)) if bar.dtype.kind == "c" else diagonal_of(bar))


def hermitian(x, lower):
    """The Hermitian matrix that one triangle of x stands for."""
    strict = np.tril(x, -1) if lower else np.triu(x, 1)
    return strict + adjoint(strict) + (diagonal_of(np.real(x)) if x.dtype.kind == "c" else diagonal_of(x))


def half_triangle(x):
    """The lower triangle, its diagonal halved."""
    return np.tril(x) - 0.5 * diagonal_of(x)


def guarded(x, gap):
    """x / gap; 0 where x is 0, so that equal eigenvalues do no harm unless a vector among them matters."""
    nothing = x == 0
    return np.where(nothing, 0, x / np.where(nothing, 1, gap))


def matrix_shape(name, aval):
    if aval.ndim < 2:
        raise ShapeError(f"{name} needs matrices, not an array of shape {aval.shape}", "Give at least two axes.")
    return aval.shape[:-2], aval.shape[-2], aval.shape[-1]


# cholesky -----------------------------------------------------------------------------------------------------------------

@op()
class cholesky:
    """The lower triangular L with L @ L^H = a (part "L"), or its adjoint (part "U", which reads the upper triangle)."""

    raises = (np.linalg.LinAlgError,)
    samples = sample_positive({"upper": False}, {"upper": True})

    def impl(a, upper):
        return np.linalg.cholesky(a, upper=True) if upper else np.linalg.cholesky(a)

    def infer(a, upper):
        return Aval(square("cholesky", a).shape, inexact(a))

    def lower(hlo, out, a, upper):
        return lapack.cholesky(hlo, out, a, upper)

    def vjp(g, a, out, upper):
        factor, g = (transpose(out), transpose(g)) if upper else (out, g)
        inner = half_triangle(transpose(factor) @ g)
        left = np.linalg.solve(transpose(factor), inner)
        bar = transpose(np.linalg.solve(transpose(conj(factor)), transpose(left)))
        return in_triangle(transpose(bar) if upper else bar, not upper)

    def jvp(dots, a, out, upper):
        factor, a_dot = (adjoint(out) if upper else out), hermitian(dots[0], not upper)
        left = np.linalg.solve(factor, a_dot)
        factor_dot = factor @ half_triangle(adjoint(np.linalg.solve(factor, adjoint(left))))
        return adjoint(factor_dot) if upper else factor_dot

    def batch(axes, a, upper):
        return cholesky.bind(a, upper=upper), 0

    def notation(a, upper):
        return "np.linalg.cholesky({0}, upper=True)" if upper else "np.linalg.cholesky({0})"


@function(np.linalg.cholesky)
def cholesky_call(a, /, *, upper=False):
    return cholesky.bind(array(a), upper=bool(upper))


# Hermitian eigenvalues --------------------------------------------------------------------------------------------------

@op()
class eigh:
    """Eigenvalues (part "values": of eigh, "only": of eigvalsh) or eigenvectors ("vectors") of Hermitian matrices, of which the
    triangle UPLO is read."""

    raises = (np.linalg.LinAlgError,)
    samples = sample_positive(*({"part": part, "UPLO": uplo} for part in ("only", "values", "vectors") for uplo in "LU"))

    def impl(a, part, UPLO):
        return np.linalg.eigvalsh(a, UPLO) if part == "only" else np.linalg.eigh(a, UPLO)[("values", "vectors").index(part)]

    def infer(a, part, UPLO):
        dtype = inexact(square("eigh", a))
        return Aval(a.shape, dtype) if part == "vectors" else Aval(a.shape[:-1], real_of(dtype))

    def lower(hlo, out, a, part, UPLO):
        return lapack.eigh(hlo, out, a, part, UPLO)

    def vjp(g, a, out, part, UPLO):
        if part != "vectors":
            v = eigh.bind(a, part="vectors", UPLO=UPLO)
            return in_triangle((conj(v) * g[..., None, :]) @ transpose(v), UPLO == "L")
        w = eigh.bind(a, part="values", UPLO=UPLO)
        inner = transpose(out) @ g
        inner = inner - adjoint(inner)
        inner = inner - diagonal_of(inner) if inner.dtype.kind == "c" else inner
        bar = conj(out) @ guarded(inner, 2 * (w[..., None, :] - w[..., :, None])) @ transpose(out)
        return in_triangle(bar, UPLO == "L")

    def jvp(dots, a, out, part, UPLO):
        v = out if part == "vectors" else eigh.bind(a, part="vectors", UPLO=UPLO)
        inner = adjoint(v) @ hermitian(dots[0], UPLO == "L") @ v
        if part != "vectors":
            return np.real(np.diagonal(inner, axis1=-2, axis2=-1)) if inner.dtype.kind == "c" else np.diagonal(inner, axis1=-2, axis2=-1)
        w = eigh.bind(a, part="values", UPLO=UPLO)
        return v @ guarded(inner - diagonal_of(inner), w[..., None, :] - w[..., :, None])

    def batch(axes, a, part, UPLO):
        return eigh.bind(a, part=part, UPLO=UPLO), 0

    def notation(a, part, UPLO):
        call = ("np.linalg.eigvalsh({0}" if part == "only" else "np.linalg.eigh({0}") + (', "U")' if UPLO == "U" else ")")
        return call + {"only": "", "values": "[0]", "vectors": "[1]"}[part]


@function(np.linalg.eigh)
def eigh_call(a, UPLO="L"):
    a = array(a)
    return result_type(np.linalg.eigh)(*(eigh.bind(a, part=part, UPLO=UPLO.upper()) for part in ("values", "vectors")))


@function(np.linalg.eigvalsh)
def eigvalsh_call(a, UPLO="L"):
    return eigh.bind(array(a), part="only", UPLO=UPLO.upper())


@op()
class eig:
    """Eigenvalues (part "values": of eig, "only": of eigvals) or eigenvectors ("vectors") of square matrices, always complex."""

    raises = (np.linalg.LinAlgError,)
    samples = [((x,), {"part": part}) for part in ("only", "values", "vectors")
               for x in (np.array([[1.0, 2.0, 0.3], [0.5, 4.0, -1.0], [0.2, 0.7, -3.0]]), np.array([[1.0, -2.0], [3.0, 0.5]]))]

    def impl(a, part):
        values = np.linalg.eigvals(a) if part == "only" else np.linalg.eig(a)[("values", "vectors").index(part)]
        return values.astype(np.result_type(values, np.complex64))

    def infer(a, part):
        shape = square("eig", a).shape
        return Aval(shape if part == "vectors" else shape[:-1], np.result_type(inexact(a), np.complex64))

    def lower(hlo, out, a, part):
        return lapack.eig(hlo, out, a, part)

    def vjp(g, a, out, part):
        if part != "vectors":
            v = eig.bind(a, part="vectors")
            inner = g[..., :, None] * transpose(v)
        else:
            v, w = out, eig.bind(a, part="values")
            inner = guarded_off_diagonal(transpose(v) @ gauge_bar(g, v), w) @ transpose(v)
        return transpose(np.linalg.inv(v)) @ inner

    def jvp(dots, a, out, part):
        v = out if part == "vectors" else eig.bind(a, part="vectors")
        inner = np.linalg.solve(v, dots[0] @ v)
        if part != "vectors":
            return np.diagonal(inner, axis1=-2, axis2=-1)
        return gauge_dot(v @ guarded_off_diagonal(inner, eig.bind(a, part="values")), v)

    def batch(axes, a, part):
        return eig.bind(a, part=part), 0

    def notation(a, part):
        dtype = np.result_type(inexact(a), np.complex64).name
        call = {"only": "eigvals({0})", "values": "eig({0})[0]", "vectors": "eig({0})[1]"}[part]
        return f"np.linalg.{call}.astype(np.{dtype})"


def guarded_off_diagonal(x, w):
    """x_ij / (w_j - w_i), 0 on the diagonal."""
    return guarded(x - diagonal_of(x), w[..., None, :] - w[..., :, None])


def pivot_of(v):
    """Where each column has its largest entry, which LAPACK makes real (one True a column), and that entry."""
    size = np.abs(v)
    rows = np.expand_dims(np.argmax(size, axis=-2), -2)
    at = np.arange(v.shape[-1])[:, None] == rows
    return at, np.sum(np.where(at, np.real(v), 0), axis=-2, keepdims=True)


def gauge_dot(dot, v):
    """The tangent of eigenvectors that keep length 1 and a real largest entry, from any tangent of them."""
    at, entry = pivot_of(v)
    stretch_by = np.sum(np.real(conj(v) * dot), axis=-2, keepdims=True)
    turn = np.sum(np.where(at, np.imag(dot), 0), axis=-2, keepdims=True) / entry
    return dot - v * (stretch_by + 1j * turn)


def gauge_bar(g, v):
    """The transpose of `gauge_dot`."""
    at, entry = pivot_of(v)
    along = np.sum(g * v, axis=-2, keepdims=True)
    return g - conj(v) * np.real(along) - 1j * np.where(at, np.imag(along) / entry, 0)


@function(np.linalg.eig)
def eig_call(a):
    a = array(a)
    return result_type(np.linalg.eig)(eig.bind(a, part="values"), eig.bind(a, part="vectors"))


@function(np.linalg.eigvals)
def eigvals_call(a):
    return eig.bind(array(a), part="only")


# singular values --------------------------------------------------------------------------------------------------------

@op()
class svd:
    """Part "U", "S" or "Vh" of the singular value decomposition; full_matrices None computes S alone."""

    raises = (np.linalg.LinAlgError,)
    samples = sample_tall_and_wide(*({"part": part, "full_matrices": False} for part in ("S", "U", "Vh")),
                                   {"part": "S", "full_matrices": None})

    def impl(a, part, full_matrices):
        if full_matrices is None:
            return np.linalg.svd(a, compute_uv=False)
        return getattr(np.linalg.svd(a, full_matrices=full_matrices), part)

    def infer(a, part, full_matrices):
        lead, m, n = matrix_shape("svd", a)
        k, dtype = None if None in (m, n) else min(m, n), inexact(a)
        if part == "S":
            return Aval((*lead, k), real_of(dtype))
        sides = {"U": (m, m if full_matrices else k), "Vh": (n if full_matrices else k, n)}
        return Aval((*lead, *sides[part]), dtype)

    def lower(hlo, out, a, part, full_matrices):
        return lapack.svd(hlo, out, a, part, full_matrices)

    def vjp(g, a, out, part, full_matrices):
        u, s, vh = (out if p == part else svd.bind(a, part=p, full_matrices=False) for p in ("U", "S", "Vh"))
        if part == "S":
            return (conj(u) * g[..., None, :]) @ conj(vh)
        check_vectors(a, full_matrices)
        return svd_vectors_bar(g, u, s, vh, part)

    def jvp(dots, a, out, part, full_matrices):
        u, s, vh = (out if p == part else svd.bind(a, part=p, full_matrices=False) for p in ("U", "S", "Vh"))
        inner = adjoint(u) @ dots[0] @ adjoint(vh)
        if part == "S":
            along = np.diagonal(inner, axis1=-2, axis2=-1)
            return np.real(along) if along.dtype.kind == "c" else along
        check_vectors(a, full_matrices)
        return svd_vectors_dot(dots[0], inner, u, s, vh, part)

    def batch(axes, a, part, full_matrices):
        return svd.bind(a, part=part, full_matrices=full_matrices), 0

    def notation(a, part, full_matrices):
        if full_matrices is None:
            return "np.linalg.svd({0}, compute_uv=False)"
        call = "np.linalg.svd({0})" if full_matrices else "np.linalg.svd({0}, full_matrices=False)"
        return f'{call}[{("U", "S", "Vh").index(part)}]'


def check_vectors(a, full_matrices):
    if full_matrices and a.shape[-1] != a.shape[-2]:
        raise TransformError("the derivative of the full singular vectors is not defined", "Use full_matrices=False.")


def square_gaps(s):
    """s_j**2 - s_i**2."""
    return (s[..., None, :] - s[..., :, None]) * (s[..., None, :] + s[..., :, None])


def turning(inner, s):
    """The part of the derivative of complex singular vectors that turns their phases; U and Vh share it evenly."""
    return 0.5j * diagonal_of(np.imag(inner)) / s[..., None, :]


def off_diagonal(x):
    return x - diagonal_of(x)


def svd_vectors_bar(g, u, s, vh, part):
    """The cotangent of the operand from that of U or Vh."""
    if part == "Vh":
        return adjoint(svd_vectors_bar(adjoint(g), adjoint(vh), s, adjoint(u), "U"))
    inner = transpose(u) @ g
    mixed = inner - adjoint(inner)
    middle = guarded(off_diagonal(mixed) if g.dtype.kind == "c" else mixed, square_gaps(s)) * s[..., None, :]
    middle = middle + turning(inner, s) if g.dtype.kind == "c" else middle
    bar = conj(u) @ middle @ conj(vh)
    if u.shape[-2] == u.shape[-1]:
        return bar
    return bar + ((g - conj(u) @ inner) / s[..., None, :]) @ conj(vh)


def svd_vectors_dot(a_dot, inner, u, s, vh, part):
    """The tangent of U or Vh; inner = U^H a_dot V."""
    if part == "Vh":
        return adjoint(svd_vectors_dot(adjoint(a_dot), adjoint(inner), adjoint(vh), s, adjoint(u), "U"))
    scaled = inner * s[..., None, :]
    mixed = guarded(off_diagonal(scaled + adjoint(scaled)), square_gaps(s))
    dot = u @ (mixed + turning(inner, s) if inner.dtype.kind == "c" else mixed)
    if u.shape[-2] == u.shape[-1]:
        return dot
    return dot + (a_dot @ adjoint(vh) - u @ inner) / s[..., None, :]


@function(np.linalg.svd)
def svd_call(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = array(a)
    if not compute_uv:
        return svd.bind(a, part="S", full_matrices=None)
    return result_type(np.linalg.svd)(*(svd.bind(a, part=part, full_matrices=bool(full_matrices)) for part in ("U", "S", "Vh")))


@function(np.linalg.svdvals)
def svdvals(x, /):
    return svd.bind(array(x), part="S", full_matrices=None)


@function(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values above the tolerance."""
    A = array(A)
    if A.ndim < 2:
        return np.any(A != 0).astype(np.intp)
    s = svdvals(A)
    if tol is None:
        rtol = max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol
        tol = np.max(s, axis=-1, keepdims=True) * rtol
    return np.sum(s > tol, axis=-1)


# qr ---------------------------------------------------------------------------------------------------------------------------

@op()
class qr:
    """Part "Q" or "R" of the QR decomposition, reduced or complete."""

    samples = sample_tall_and_wide({"part": "Q", "mode": "reduced"}, {"part": "R", "mode": "reduced"})

    def impl(a, part, mode):
        return np.linalg.qr(a, "r") if part == "R" and mode == "reduced" else getattr(np.linalg.qr(a, mode), part)

    def infer(a, part, mode):
        lead, m, n = matrix_shape("qr", a)
        k = None if None in (m, n) else m if mode == "complete" else min(m, n)
        return Aval((*lead, *((m, k) if part == "Q" else (k, n))), inexact(a))

    def lower(hlo, out, a, part, mode):
        return lapack.qr(hlo, out, a, part, mode)

    def vjp(g, a, out, part, mode):
        return conj(qr_bar(conj(g), a, *factors(a, out, part, mode), part))

    def jvp(dots, a, out, part, mode):
        q, r = factors(a, out, part, mode)
        n, (a_dot,) = q.shape[-1], dots
        right = transpose(np.linalg.solve(transpose(r[..., :n]), transpose(a_dot[..., :n])))
        inner = adjoint(q) @ right
        below = np.tril(inner, -1)
        turn = below - adjoint(below)
        if a.dtype.kind == "c":
            turn = turn + 1j * diagonal_of(np.imag(inner))
        if part == "Q":
            return q @ turn + right - q @ inner
        return adjoint(q) @ a_dot - turn @ r

    def batch(axes, a, part, mode):
        return qr.bind(a, part=part, mode=mode), 0

    def notation(a, part, mode):
        if part == "R" and mode == "reduced":
            return 'np.linalg.qr({0}, "r")'
        return ("np.linalg.qr({0})" if mode == "reduced" else 'np.linalg.qr({0}, "complete")') + ("[0]" if part == "Q" else "[1]")


def factors(a, out, part, mode):
    """Q and R, for derivatives."""
    if mode == "complete" and a.shape[-2] > a.shape[-1]:
        raise TransformError("the derivative of the complete QR decomposition is not defined", 'Use mode="reduced".')
    return tuple(out if p == part else qr.bind(a, part=p, mode=mode) for p in ("Q", "R"))


def qr_bar(g, a, q, r, part):
    """The conjugate cotangent of the operand from that of Q or R."""
    n = q.shape[-1]
    if a.shape[-1] <= n:
        return tall_qr_bar(g if part == "Q" else None, g if part == "R" else None, q, r)
    if part == "Q":
        return widened(tall_qr_bar(g, None, q, r[..., :n]), a.shape)
    rest = g[..., n:]
    first = tall_qr_bar(a[..., n:] @ adjoint(rest), g[..., :n], q, r[..., :n])
    return np.concatenate([first, q @ rest], axis=-1)


def tall_qr_bar(q_bar, r_bar, q, r):
    """The same for a matrix with at least as many rows as columns; q_bar or r_bar may be None."""
    inner = None if r_bar is None else r @ adjoint(r_bar)
    if q_bar is not None:
        inner = -(adjoint(q_bar) @ q) if inner is None else inner - adjoint(q_bar) @ q
    below = np.tril(inner, -1)
    middle = below + diagonal_of(np.real(inner)) if inner.dtype.kind == "c" else np.tril(inner)
    spread = q @ (middle + adjoint(below))
    total = spread if q_bar is None else q_bar + spread
    return adjoint(np.linalg.solve(r, adjoint(total)))


def widened(x, shape):
    """x with columns of zeros on the right."""
    return np.concatenate([x, np.zeros_like(x, shape=(*shape[:-1], shape[-1] - x.shape[-1]))], axis=-1)


@function(np.linalg.qr)
def qr_call(a, mode="reduced"):
    a = array(a)
    if mode == "r":
        return qr.bind(a, part="R", mode="reduced")
    if mode not in ("reduced", "complete"):
        raise TransformError(f"np.linalg.qr with mode={mode!r} is not known to transformer", 'Use "reduced", "complete" or "r".')
    return result_type(np.linalg.qr)(qr.bind(a, part="Q", mode=mode), qr.bind(a, part="R", mode=mode))


# pseudoinverse and least squares ------------------------------------------------------------------------------------------

def missing(size, product):
    """The identity of this size minus a product."""
    return np.eye(size, dtype=real_of(product.dtype)) - product


@op()
class pinv:
    """The pseudoinverse. Its derivative holds where the rank does not change."""

    raises = (np.linalg.LinAlgError,)
    samples = sample_tall_and_wide({"rcond": None, "hermitian": False})

    def impl(a, rcond, hermitian):
        return np.linalg.pinv(a, hermitian=hermitian) if rcond is None else np.linalg.pinv(a, rcond, hermitian)

    def infer(a, rcond, hermitian):
        lead, m, n = matrix_shape("pinv", a)
        return Aval((*lead, n, m), inexact(a))

    def lower(hlo, out, a, rcond, hermitian):
        return lapack.pinv(hlo, out, a, rcond)

    def vjp(g, a, out, rcond, hermitian):
        m, n = a.shape[-2:]
        g_t, p_h = transpose(g), adjoint(out)
        bar = -(transpose(out) @ g @ transpose(out))
        rows = missing(m, a @ out) @ g_t @ out @ p_h
        columns = p_h @ out @ g_t @ missing(n, out @ a)
        return bar + conj(rows + columns)

    def jvp(dots, a, out, rcond, hermitian):
        m, n = a.shape[-2:]
        a_dot, p_h = dots[0], adjoint(out)
        d_h = adjoint(a_dot)
        return (out @ p_h @ d_h @ missing(m, a @ out) + missing(n, out @ a) @ d_h @ p_h @ out) - out @ a_dot @ out

    def batch(axes, a, rcond, hermitian):
        return pinv.bind(a, rcond=rcond, hermitian=hermitian), 0

    def notation(a, rcond, hermitian):
        options = ([f"rcond={rcond!r}"] if rcond is not None else []) + (["hermitian=True"] if hermitian else [])
        return f"np.linalg.pinv({', '.join(['{0}', *options])})"


@function(np.linalg.pinv)
def pinv_call(a, rcond=None, hermitian=False, *, rtol=None):
    rcond = rtol if rcond is None else rcond
    return pinv.bind(array(a), rcond=None if rcond is None else float(rcond), hermitian=bool(hermitian))


@op()
class lstsq:
    """The least-squares solution of a @ x = b of least norm."""

    raises = (np.linalg.LinAlgError,)
    promotes = True

    def samples(rng):
        return [((sample_matrix(rng, 4, 3), rng.normal(size=4)), {"rcond": None}),
                ((sample_matrix(rng, 2, 4), rng.normal(size=(2, 2))), {"rcond": None})]

    def impl(a, b, rcond):
        return np.linalg.lstsq(a, b, rcond=rcond)[0]

    def infer(a, b, rcond):
        if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
            raise ShapeError(f"lstsq: shapes {a.shape} and {b.shape} do not fit together", "Give a matrix and as many rows of b.")
        return Aval((a.shape[1], *b.shape[1:]), inexact(a, b))

    def lower(hlo, out, a, b, rcond):
        return lapack.lstsq(hlo, out, a, b, rcond)

    def vjp(g, a, b, out, rcond):
        p = pinv.bind(a, rcond=rcond, hermitian=False)
        column, x, b_2 = (v[:, None] if b.ndim == 1 else v for v in (g, out, b))
        p_t = transpose(p)
        b_bar = p_t @ column
        a_bar = -(b_bar @ transpose(x)) + conj((b_2 - a @ x) @ transpose(conj(p) @ b_bar))
        a_bar = a_bar + conj((adjoint(p) @ x) @ transpose(column - transpose(a) @ b_bar))
        return a_bar, b_bar[:, 0] if b.ndim == 1 else b_bar

    def jvp(dots, a, b, out, rcond):
        a_dot, b_dot = dots
        p = pinv.bind(a, rcond=rcond, hermitian=False)
        if a_dot is None:
            return p @ b_dot
        p_h, d_h = adjoint(p), adjoint(a_dot)
        free = d_h @ (p_h @ out)
        dot = p @ (p_h @ (d_h @ (b - a @ out))) + (free - p @ (a @ free)) - p @ (a_dot @ out)
        return dot if b_dot is None else dot + p @ b_dot

    def batch(axes, a, b, rcond):
        vector = b.ndim - (axes[1] == 0) == 1
        x = pinv.bind(a, rcond=rcond, hermitian=False) @ (b[..., None] if vector else b)
        return (x[..., 0] if vector else x), 0

    def notation(a, b, rcond):
        return f"np.linalg.lstsq({{0}}, {{1}}, rcond={rcond!r})[0]"


@function(np.linalg.lstsq)
def lstsq_call(a, b, rcond=None):
    """The solution, the sums of squared residuals, the rank and the singular values of a."""
    a, b = array(a), array(b)
    x = lstsq.bind(a, b, rcond=None if rcond is None else float(rcond))
    s = svdvals(a)
    tolerance = np.finfo(s.dtype).eps * max(a.shape) if rcond is None else rcond
    rank = np.sum(s > tolerance * s[0])
    residual = b - a @ x
    return x, np.sum(np.abs(residual) ** 2, axis=0, keepdims=b.ndim == 1), rank, s


__all__ = ["cholesky", "eig", "eigh", "lstsq", "pinv", "qr", "svd"]
