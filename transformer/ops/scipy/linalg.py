"""scipy.linalg: triangular solves, LU factors, the matrix exponential, and what is composed of them and of np.linalg.

Derivatives of factors: Giles, An extended collection of matrix derivative results (2008). expm: Higham, The scaling and squaring
method for the matrix exponential revisited (2005); its derivative is read off the exponential of a block matrix (Najfeld and Havel
1995).
"""

import math

import numpy as np
import scipy.linalg as sl

from ...core import Aval
from ...errors import ShapeError, TransformError
from .. import lapack
from ..linear_algebra import inexact, lead, sample_squares, square, transpose, unbroadcast
from ..op import FUNCTIONS, TABLE, array, broadcast, function, op


def stacked(call, *operands):
    """A function of matrices, for each matrix of stacks of equal leading axes."""
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in operands))
    operands = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in operands]
    if not batch:
        return call(*operands)
    results = [call(*(x[i] for x in operands)) for i in np.ndindex(*batch)]
    if not results:
        return np.linalg.solve(*operands)
    return np.stack(results).reshape(*batch, *results[0].shape)


# triangular systems -------------------------------------------------------------------------------------------------------
def sample_triangles(rng):
    a, b = np.tril(rng.normal(size=(2, 3, 3))) + 2 * np.eye(3), rng.normal(size=(2, 3, 2))
    flags = [{"lower": low, "unit": unit} for low in (False, True) for unit in (False, True)]
    return [((a[0], b[0]), f) for f in flags] + [((a, b), flags[2]), ((a[0], b), flags[0])]


@op()
class solve_triangular:
    """x with a @ x = b for matrices b, reading one triangle of a; unit: the diagonal counts as 1."""

    promotes = True
    samples = sample_triangles

    def impl(a, b, lower, unit):
        check_system(a, b)
        dtype = np.result_type(a, b, np.float32 if a.dtype.itemsize < 8 else np.float64)
        def one(a, b):
            with np.errstate(all="ignore"):
                return _substituted(a, b, lower, unit)
        return stacked(one, np.asarray(a, dtype), np.asarray(b, dtype))

    def infer(a, b, lower, unit):
        check_system(a, b)
        return Aval((*broadcast(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), inexact(a, b))

    def lower(hlo, out, a, b, lower, unit):
        batch = out.shape[:-2]
        a, b = (hlo.broadcast_to(hlo.convert(x, out.dtype), (*batch, *x.shape[-2:])) for x in (a, b))
        return lapack.triangular_solve(hlo, a, b, lower, unit)

    def vjp(g, a, b, out, lower, unit):
        bars = TABLE["solve_triangular"].bind(transpose(a), g, lower=not lower, unit=unit)
        a_bar = -(bars @ transpose(out))
        return unbroadcast(part_of(a_bar, lower, unit), a.shape), unbroadcast(bars, b.shape)

    def jvp(dots, a, b, out, lower, unit):
        a_dot, b_dot = dots
        change = b_dot
        if a_dot is not None:
            moved = part_of(a_dot, lower, unit) @ out
            change = -moved if b_dot is None else b_dot - moved
        return TABLE["solve_triangular"].bind(a, change, lower=lower, unit=unit)

    def batch(axes, a, b, lower, unit):
        a_ndim, b_ndim = a.ndim - (axes[0] == 0), b.ndim - (axes[1] == 0)
        return TABLE["solve_triangular"].bind(lead(a, axes[0], a_ndim, b_ndim), lead(b, axes[1], b_ndim, a_ndim), lower=lower, unit=unit), 0

    def notation(a, b, lower, unit):
        return "scipy.linalg.solve_triangular({0}, {1}" + ", lower=True" * lower + ", unit_diagonal=True" * unit + ")"


def check_system(a, b):
    square("solve_triangular", a)
    if b.ndim < 2 or b.shape[-2] != a.shape[-1]:
        raise ShapeError(f"solve_triangular: shapes {a.shape} and {b.shape} do not fit together", "b needs as many rows as a.")


def _substituted(a, b, lower, unit):
    """LAPACK's solution; infinite where the diagonal has a zero."""
    solver, = sl.get_lapack_funcs(("trtrs",), (a, b))
    x, info = solver(a, b, lower=lower, unitdiag=unit)
    return x if info == 0 else np.full_like(b, np.nan)


def part_of(x, lower, unit):
    """The triangle that is read."""
    return np.tril(x, -unit) if lower else np.triu(x, int(unit))


# LU factors -----------------------------------------------------------------------------------------------------------------
@op()
class lu_factor:
    """LU factors with row swaps: part 0 both factors in one matrix, part 1 the swaps (row i with row swaps[i])."""

    samples = sample_squares({"part": 0}, {"part": 1})

    def impl(a, part):
        with np.errstate(all="ignore"):
            routine, = sl.get_lapack_funcs(("getrf",), (a,))
            if part == 0:
                return stacked(lambda m: routine(m)[0], a)
            return stacked(lambda m: routine(m)[1].astype(np.int32)[None], a)[..., 0, :]

    def infer(a, part):
        if a.ndim < 2:
            raise ShapeError(f"lu_factor needs matrices, not an array of shape {a.shape}", "Give at least two axes.")
        return Aval((*a.shape[:-2], min(a.shape[-2:])), np.dtype(np.int32)) if part else Aval(a.shape, inexact(a))

    def lower(hlo, out, a, part):
        factors, pivots, _ = lapack.lu(hlo, hlo.convert(a, out.dtype if part == 0 else inexact_of(a)))
        return hlo.subtract(pivots, 1) if part else factors

    def vjp(g, a, out, part):
        low, up = triangles(out)
        inner = np.tril(transpose(low) @ np.tril(g, -1), -1) + np.triu(np.triu(g) @ transpose(up))
        left = TABLE["solve_triangular"].bind(transpose(low), inner, lower=False, unit=True)
        bar = transpose(TABLE["solve_triangular"].bind(up, transpose(left), lower=False, unit=False))
        return unpermuted(bar, TABLE["lu_factor"].bind(a, part=1))

    def jvp(dots, a, out, part):
        low, up = triangles(out)
        moved = permuted(dots[0], TABLE["lu_factor"].bind(a, part=1))
        left = TABLE["solve_triangular"].bind(low, moved, lower=True, unit=True)
        inner = transpose(TABLE["solve_triangular"].bind(transpose(up), transpose(left), lower=True, unit=False))
        return low @ np.tril(inner, -1) + np.triu(inner) @ up

    def batch(axes, a, part):
        return TABLE["lu_factor"].bind(a, part=part), 0

    def notation(a, part):
        return f"scipy.linalg.lu_factor({{0}})[{part}]"


def inexact_of(value):
    return inexact(Aval(value.shape, value.dtype))


def triangles(factors):
    """The unit lower and the upper triangle of square LU factors."""
    if factors.shape[-1] != factors.shape[-2]:
        raise TransformError("the derivative of the LU factors of a matrix that is not square is not known", "Use qr.")
    return np.tril(factors, -1) + np.eye(factors.shape[-1], dtype=factors.dtype), np.triu(factors)


@op(differentiable=False)
class swaps_order:
    """The order of rows that row swaps amount to, of n rows."""

    def impl(swaps, n):
        flat = np.reshape(swaps, (-1, np.shape(swaps)[-1]))
        orders = np.tile(np.arange(n, dtype=np.int32), (len(flat), 1))
        for order, row in zip(orders, flat):
            for i, j in enumerate(row):
                order[[i, j]] = order[[j, i]]
        return orders.reshape((*np.shape(swaps)[:-1], n))

    def infer(swaps, n):
        return Aval((*swaps.shape[:-1], n), np.dtype(np.int32))

    def lower(hlo, out, swaps, n):
        size, axis = swaps.shape[-1], len(swaps.shape) - 1
        one_based = hlo.add(hlo.convert(swaps, np.int32), 1)
        if size < n:
            rest = hlo.add(hlo.iota((*swaps.shape[:-1], n - size), np.dtype(np.int32), axis), size + 1)
            one_based = hlo.concatenate([one_based, rest], axis)
        return lapack.permutation(hlo, one_based)

    def batch(axes, swaps, n):
        return TABLE["swaps_order"].bind(swaps, n=n), 0

    def notation(swaps, n):
        return f"row_swaps.order({{0}}, {n})"

    def samples(rng):
        return [((rng.integers(0, 3, (2, 3)).astype(np.int32),), {"n": 3}), ((np.array([2, 2], np.int32),), {"n": 4})]


def order_of(swaps, n):
    return TABLE["swaps_order"].bind(swaps, n=n)


def permuted(x, swaps):
    """The rows of x after the swaps."""
    return np.take_along_axis(x, order_of(swaps, x.shape[-2])[..., None], axis=-2)


def unpermuted(x, swaps):
    """The rows of x before the swaps."""
    return np.take_along_axis(x, np.argsort(order_of(swaps, x.shape[-2]), axis=-1)[..., None], axis=-2)


# the matrix exponential -------------------------------------------------------------------------------------------------------
PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800,
        33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)
THETA = {np.dtype(np.float64): 5.371920351148152, np.dtype(np.float32): 3.925724783138660}


@op()
class expm:
    """The matrix exponential."""

    samples = sample_squares()

    def impl(a):
        return sl.expm(a)

    def infer(a):
        return Aval(square("expm", a).shape, inexact(a))

    def lower(hlo, out, a):
        a = hlo.convert(a, out.dtype)
        return _lower_expm(hlo, a)

    def vjp(g, a, out):
        return directional(transpose(a), g)

    def jvp(dots, a, out):
        return directional(a, dots[0])

    def batch(axes, a):
        return TABLE["expm"].bind(a), 0

    def notation(a):
        return "scipy.linalg.expm({0})"


def directional(a, change):
    """The derivative of expm at a along `change`."""
    n = a.shape[-1]
    change = np.broadcast_to(change, a.shape)
    top = np.concatenate([a, change], axis=-1)
    bottom = np.concatenate([np.zeros_like(a), a], axis=-1)
    return TABLE["expm"].bind(np.concatenate([top, bottom], axis=-2))[..., :n, n:]


def _lower_expm(hlo, a):
    """Scaling by a power of two, a Pade approximant of order 13, repeated squaring."""
    real, axes = lapack.real_dtype(a.dtype), len(a.shape)
    sums = hlo.reduce(hlo.abs(a), 0, (axes - 2,), "add")
    norm = hlo.reduce(sums, None, (axes - 2,), "maximum")
    ratio = hlo.maximum(hlo.divide(norm, THETA[real]), hlo.full(norm.shape, 1.0, real))
    count = hlo.unary("ceil", hlo.divide(hlo.log(ratio), math.log(2.0)))
    count = hlo.select(hlo.compare("LT", count, 64.0), count, hlo.full(count.shape, 64.0, real))

    def spread(x):
        return hlo.broadcast_in_dim(x, a.shape, range(axes - 2))
    halves = hlo.exp(hlo.multiply(count, -math.log(2.0)))
    x = hlo.multiply(a, hlo.convert(spread(halves), a.dtype))
    result = _lower_pade(hlo, x)

    def squared(i, value):
        more = spread(hlo.compare("LT", hlo.broadcast_to(i, count.shape), count))
        return [hlo.add(i, 1.0), hlo.select(more, lapack.matmul(hlo, value, value), value)]

    def going(i, value):
        most = hlo.reduce(count, None, range(len(count.shape)), "maximum") if count.shape else count
        return hlo.compare("LT", i, most)
    return hlo.while_([hlo.constant(0.0, real), result], going, squared)[1]


def _lower_pade(hlo, x):
    def scaled(value, factor):
        return hlo.multiply(value, hlo.full(value.shape, factor, value.dtype))

    def total(pairs):
        result = None
        for factor, value in pairs:
            term = scaled(value, float(factor))
            result = term if result is None else hlo.add(result, term)
        return result
    eye = lapack.identity(hlo, x.shape, x.dtype)
    x2 = lapack.matmul(hlo, x, x)
    x4 = lapack.matmul(hlo, x2, x2)
    x6 = lapack.matmul(hlo, x4, x2)
    b = [c / PADE[0] for c in PADE]
    odd = lapack.matmul(hlo, x6, total([(b[13], x6), (b[11], x4), (b[9], x2)]))
    odd = lapack.matmul(hlo, x, hlo.add(odd, total([(b[7], x6), (b[5], x4), (b[3], x2), (b[1], eye)])))
    even = lapack.matmul(hlo, x6, total([(b[12], x6), (b[10], x4), (b[8], x2)]))
    even = hlo.add(even, total([(b[6], x6), (b[4], x4), (b[2], x2), (b[0], eye)]))
    return lapack.solve_matrices(hlo, hlo.subtract(even, odd), hlo.add(even, odd))


# functions that users call ----------------------------------------------------------------------------------------------------
def as_columns(b, solve):
    """solve(b) for a vector or a matrix b."""
    if b.ndim == 1:
        return np.squeeze(solve(np.expand_dims(b, -1)), -1)
    return solve(b)


@function(sl.solve_triangular)
def solve_triangular_call(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """scipy.linalg.solve_triangular."""
    a, b = array(a), array(b)
    way = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}.get(trans)
    if way is None:
        raise TransformError(f"solve_triangular: trans={trans!r} is not known", "Choose 0, 1 or 2.")
    if way:
        a, lower = transpose(a) if way == 1 else np.conj(transpose(a)), not lower
    return as_columns(b, lambda m: TABLE["solve_triangular"].bind(a, m, lower=bool(lower), unit=bool(unit_diagonal)))


@function(sl.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """scipy.linalg.cholesky: the upper factor unless `lower`."""
    return np.linalg.cholesky(array(a), upper=not lower)


@function(sl.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """scipy.linalg.cho_factor; the other triangle is 0."""
    return cholesky(a, lower), lower


@function(sl.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """scipy.linalg.cho_solve."""
    c, lower = c_and_lower
    c, adjoint = array(c), np.conj(transpose(array(c)))
    first, second = (c, adjoint) if lower else (adjoint, c)
    inner = solve_triangular_call(first, b, lower=True)
    return solve_triangular_call(second, inner)


@function(sl.solve)
def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    """scipy.linalg.solve; assume_a="pos" solves by Cholesky's factors."""
    a, b = array(a), array(b)
    a = transpose(a) if transposed else a
    if assume_a in ("pos", "positive definite"):
        return cho_solve((cholesky(a, lower), lower), b)
    if assume_a in ("lower triangular", "upper triangular"):
        return solve_triangular_call(a, b, lower=assume_a.startswith("lower"))
    if assume_a in ("sym", "her", "symmetric", "hermitian"):
        a = np.tril(a) + np.conj(transpose(np.tril(a, -1))) if lower else np.triu(a) + np.conj(transpose(np.triu(a, 1)))
    return np.linalg.solve(a, b)


@function(sl.lu_factor)
def lu_factor_call(a, overwrite_a=False, check_finite=True):
    """scipy.linalg.lu_factor."""
    a = array(a)
    return TABLE["lu_factor"].bind(a, part=0), TABLE["lu_factor"].bind(a, part=1)


@function(sl.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """scipy.linalg.lu_solve."""
    factors, swaps = map(array, lu_and_piv)
    solve = TABLE["solve_triangular"].bind

    def plain(b):
        inner = solve(factors, permuted(b, swaps), lower=True, unit=True)
        return solve(factors, inner, lower=False, unit=False)

    def of_transpose(b):
        turned = transpose(factors) if trans == 1 else np.conj(transpose(factors))
        inner = solve(turned, b, lower=True, unit=False)
        return unpermuted(solve(turned, inner, lower=False, unit=True), swaps)
    return as_columns(array(b), plain if trans == 0 else of_transpose)


@function(sl.lu)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """scipy.linalg.lu: a = p @ l @ u."""
    a = array(a)
    rows, size = a.shape[-2], min(a.shape[-2:])
    factors, swaps = lu_factor_call(a)
    low = np.tril(factors[..., :, :size], -1) + np.eye(rows, size, dtype=factors.dtype)
    up = np.triu(factors[..., :size, :])
    if permute_l:
        return unpermuted(low, swaps), up
    order = np.argsort(order_of(swaps, rows), axis=-1)
    if p_indices:
        return order, low, up
    return np.astype(np.expand_dims(order, -1) == np.arange(rows), np.abs(factors[..., :0, :0]).dtype), low, up


@function(sl.expm)
def expm_call(A):
    """scipy.linalg.expm."""
    return TABLE["expm"].bind(array(A))


@function(sl.inv)
def inv(a, overwrite_a=False, check_finite=True):
    """scipy.linalg.inv."""
    return np.linalg.inv(array(a))


@function(sl.det)
def det(a, overwrite_a=False, check_finite=True):
    """scipy.linalg.det."""
    return np.linalg.det(array(a))


@function(sl.eigh)
def eigh(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
         subset_by_index=None, subset_by_value=None, driver=None):
    """scipy.linalg.eigh of all eigenvalues."""
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        raise TransformError("scipy.linalg.eigh with b= or a subset is not known", "Compute all eigenvalues of one matrix.")
    uplo = "L" if lower else "U"
    return np.linalg.eigvalsh(array(a), uplo) if eigvals_only else tuple(np.linalg.eigh(array(a), uplo))


@function(sl.svd)
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """scipy.linalg.svd."""
    found = np.linalg.svd(array(a), full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


@function(sl.qr)
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """scipy.linalg.qr without pivoting."""
    if pivoting or mode not in ("full", "r", "economic"):
        raise TransformError(f"scipy.linalg.qr(mode={mode!r}, pivoting={pivoting}) is not known", "Choose mode 'full', 'r' or 'economic'.")
    found = np.linalg.qr(array(a), {"full": "complete", "r": "r", "economic": "reduced"}[mode])
    return (found,) if mode == "r" else tuple(found)


@function(sl.block_diag)
def block_diag(*arrs):
    """scipy.linalg.block_diag."""
    blocks = [np.atleast_2d(array(b)) for b in arrs] or [np.zeros((1, 0))]
    width = sum(b.shape[1] for b in blocks)
    rows, before = [], 0
    for block in blocks:
        rows.append(np.pad(block, ((0, 0), (before, width - before - block.shape[1]))))
        before += block.shape[1]
    return np.concatenate(rows, axis=0)


@function(sl.toeplitz)
def toeplitz(c, r=None):
    """scipy.linalg.toeplitz: constant along diagonals."""
    c = np.ravel(array(c))
    r = np.conj(c) if r is None else np.ravel(array(r))
    values = np.concatenate([c[::-1], r[1:]])
    n, m = c.shape[0], r.shape[0]
    return FUNCTIONS[np.take](values, n - 1 - np.arange(n)[:, None] + np.arange(m))


@function(sl.hankel)
def hankel(c, r=None):
    """scipy.linalg.hankel: constant along antidiagonals."""
    c = np.ravel(array(c))
    r = np.zeros_like(c) if r is None else np.ravel(array(r))
    return FUNCTIONS[np.take](np.concatenate([c, r[1:]]), np.arange(c.shape[0])[:, None] + np.arange(r.shape[0]))


@function(sl.circulant)
def circulant(c):
    """scipy.linalg.circulant: the columns are rotations of c."""
    c = np.ravel(array(c))
    n = c.shape[0]
    return FUNCTIONS[np.take](c, (np.arange(n)[:, None] - np.arange(n)) % n)


@function(sl.polar)
def polar(a, side="right"):
    """scipy.linalg.polar: a unitary and a positive semidefinite factor."""
    u, s, vh = np.linalg.svd(array(a), full_matrices=False)
    scaled = (np.conj(transpose(vh)) * s) @ vh if side == "right" else (u * s) @ np.conj(transpose(u))
    return u @ vh, scaled


__all__ = ["expm", "lu_factor", "solve_triangular"]
