"""JAX's `lax.linalg`: factors of matrices, and systems of triangular and tridiagonal ones, over the last two axes."""


from .. import numpy as jnp
from ..errors import TransformError
from ..numpy import linalg as factors
from ..scipy import linalg as scipy_linalg
from .control import scan


def cholesky(a, *, symmetrize_input=True):
    """The lower triangular factor L of a = L @ L^H. symmetrize_input: take the mean of a and its adjoint first.

    >>> cholesky(jnp.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return factors.cholesky(symmetrised(a) if symmetrize_input else adjoint_of_lower(a, True))


def symmetrised(a):
    a = jnp.asarray(a)
    return (a + jnp.conj(jnp.swapaxes(a, -1, -2))) / 2


def adjoint_of_lower(x, lower):
    """The Hermitian matrix whose lower (or upper) triangle is that of x."""
    x = jnp.asarray(x)
    part = jnp.tril(x) if lower else jnp.triu(x)
    rest = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    return part + jnp.conj(jnp.swapaxes(rest, -1, -2))


def eig(x, *, compute_left_eigenvectors=False, compute_right_eigenvectors=True):
    """[eigenvalues, right eigenvectors] of a matrix; without `compute_right_eigenvectors` the values only."""
    refuse("compute_left_eigenvectors=True", compute_left_eigenvectors, "Take the right ones of the adjoint.")
    if not compute_right_eigenvectors:
        return [factors.eigvals(x)]
    return list(factors.eig(x))


def eigh(x, *, lower=True, symmetrize_input=True, sort_eigenvalues=True, subset_by_index=None):
    """(eigenvectors, eigenvalues in rising order) of a Hermitian matrix."""
    refuse("subset_by_index", subset_by_index is not None, "Index the result.")
    w, v = factors.eigh(symmetrised(x) if symmetrize_input else adjoint_of_lower(x, lower))
    return v, w


def refuse(what, given, advice):
    if given:
        raise TransformError(f"lax.linalg does not take {what}", advice)


def lu(x):
    """(L and U in one matrix, pivots: the row that each row was exchanged with, the permutation of the rows)."""
    packed, pivots = scipy_linalg.lu_factor(x)
    pivots = jnp.asarray(pivots, jnp.int32)
    return packed, pivots, lu_pivots_to_permutation(pivots, jnp.shape(x)[-2])


def lu_pivots_to_permutation(pivots, permutation_size):
    """The permutation of `permutation_size` rows that a sequence of exchanges makes."""
    pivots = jnp.asarray(pivots)
    order = jnp.broadcast_to(jnp.arange(permutation_size, dtype=jnp.int32), (*pivots.shape[:-1], permutation_size))
    for i in range(pivots.shape[-1]):
        j = pivots[..., i:i + 1]
        first, second = order[..., i:i + 1], jnp.take_along_axis(order, j, -1)
        order = jnp.put_along_axis(order, j, first, -1, inplace=False)
        order = order.at[..., i:i + 1].set(second)
    return order


def qr(x, *, pivoting=False, full_matrices=True, use_magma=None):
    """(Q, R) with x = Q @ R; pivoting is not known."""
    refuse("pivoting=True", pivoting, "Use scipy.linalg.qr outside of transformed functions.")
    return tuple(factors.qr(x, mode="complete" if full_matrices else "reduced"))


def svd(x, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None):
    """(U, singular values, adjoint of V) with x = U @ diag(s) @ Vh, or the singular values only."""
    refuse("subset_by_index", subset_by_index is not None, "Index the result.")
    if not compute_uv:
        return factors.svd(x, compute_uv=False)
    return tuple(factors.svd(x, full_matrices=full_matrices))


def triangular_solve(a, b, *, left_side=False, lower=False, transpose_a=False, conjugate_a=False, unit_diagonal=False):
    """x of op(a) @ x = b (left_side) or x @ op(a) = b for a triangular matrix, over any leading axes.

    op: a itself, its transpose (transpose_a), its conjugate (conjugate_a), or both.

    >>> triangular_solve(jnp.array([[2.0, 0.0], [1.0, 4.0]]), jnp.array([[2.0], [5.0]]), left_side=True, lower=True)
    Array([[1.],
           [1.]], dtype=float32)
    """
    a, b = jnp.asarray(a), jnp.asarray(b)
    if conjugate_a:
        a = jnp.conj(a)
    a = jnp.tril(a) if lower else jnp.triu(a)
    if unit_diagonal:
        a = jnp.where(jnp.eye(a.shape[-1], dtype=bool), jnp.ones((), a.dtype), a)
    if transpose_a:
        a, lower = jnp.swapaxes(a, -1, -2), not lower
    if left_side:
        return solved(a, b, lower)
    return jnp.swapaxes(solved(jnp.swapaxes(a, -1, -2), jnp.swapaxes(b, -1, -2), not lower), -1, -2)


def solved(a, b, lower):
    """a @ x = b for a triangular matrix or a stack of them."""
    if a.ndim == 2:
        return scipy_linalg.solve_triangular(a, b, lower=lower)
    return factors.solve(a, b)


def householder_product(a, taus):
    """The product of reflections I - tau v v^H, whose vectors v stand below the diagonal of `a`: the Q of geqrf's result."""
    a, taus = jnp.asarray(a), jnp.asarray(taus)
    m, n = a.shape[-2:]
    q = jnp.broadcast_to(jnp.eye(m, dtype=a.dtype), (*a.shape[:-2], m, m))
    for k in range(taus.shape[-1]):
        column = jnp.where(jnp.arange(m) > k, a[..., k], 0)
        v = jnp.where(jnp.arange(m) == k, jnp.ones((), a.dtype), column)[..., None]
        q = q - taus[..., k, None, None] * (q @ v) @ jnp.conj(jnp.swapaxes(v, -1, -2))
    return q[..., :n]


def tridiagonal_solve(dl, d, du, b):
    """x of T @ x = b, T with the diagonals dl (below, from its second entry), d and du (above, up to its last but one), b: (..., n, k).

    Source: the algorithm of Thomas (Golub and Van Loan, Matrix Computations, 4.3.6): it exchanges no rows.
    """
    dl, d, du, b = (jnp.moveaxis(jnp.asarray(v), axis, 0) for v, axis in ((dl, -1), (d, -1), (du, -1), (b, -2)))
    zero, nothing = jnp.zeros_like(du[0]), jnp.zeros_like(b[0])

    def forth(carry, row):
        c, x = carry
        below, middle, above, right = row
        pivot = middle - below * c
        made = above / pivot, (right - below[..., None] * x) / pivot[..., None]
        return made, made

    def back(x, row):
        c, y = row
        x = y - c[..., None] * x
        return x, x
    _, rows = scan(forth, (zero, nothing), (dl.at[0].set(0), d, du.at[-1].set(0), b))
    return jnp.moveaxis(scan(back, nothing, rows, reverse=True)[1], 0, -2)


def symmetric_product(a_matrix, c_matrix, *, alpha=1.0, beta=0.0, symmetrize_output=False):
    """alpha * a @ a^T + beta * c. symmetrize_output: accepted, all entries are there."""
    a = jnp.asarray(a_matrix)
    return alpha * (a @ jnp.swapaxes(a, -1, -2)) + beta * jnp.asarray(c_matrix)


def cholesky_update(r_matrix, w_vector):
    """The upper triangular R' with R'^T @ R' = R^T @ R + w w^T."""
    r, w = jnp.asarray(r_matrix), jnp.asarray(w_vector)
    return jnp.swapaxes(factors.cholesky(jnp.swapaxes(r, -1, -2) @ r + jnp.outer(w, w)), -1, -2)


__all__ = ["cholesky", "cholesky_update", "eig", "eigh", "householder_product", "lu", "lu_pivots_to_permutation", "qr", "svd",
           "symmetric_product", "triangular_solve", "tridiagonal_solve"]
