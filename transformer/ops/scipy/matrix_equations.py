"""scipy.linalg: square roots of matrices, Sylvester's equation, banded systems.

Source: N. J. Higham, Functions of Matrices (2008), for the derivative of the square root as the solution of a Sylvester equation.
"""

import numpy as np
import scipy.linalg as sl

from ...core import Aval
from ...errors import ShapeError, ValueDependent
from .. import lapack
from ..linear_algebra import inexact, sample_matrix, square, transpose
from ..op import TABLE, array, function, is_reference, op
from .uncompiled import not_compiled


def each(call, *operands):
    """A function of matrices, for each matrix of stacks of one leading axis."""
    if operands[0].ndim == 2:
        return call(*operands)
    return np.stack([call(*matrices) for matrices in zip(*operands)])


def text(avals, call, single):
    """The notation of `each`: `single` for matrices; for stacks `call` of each."""
    if avals[0].ndim == 2:
        return single
    holes = ", ".join(f"{{{k}}}" for k in range(len(avals)))
    if len(avals) == 1:
        return f"np.stack([{call}(matrix) for matrix in {holes}])"
    return f"np.stack([{call}(*matrices) for matrices in zip({holes})])"


def lanes(name, axes, operands, ndims, **params):
    """The batch rule: a stack of matrices, more leading axes merged into one."""
    count = next(x.shape[0] for x, axis in zip(operands, axes) if axis == 0)
    whole = [x if axis == 0 else np.broadcast_to(x, (count, *x.shape)) for x, axis in zip(operands, axes)]
    lead = max((x.shape[: x.ndim - n] for x, n in zip(whole, ndims)), key=len)
    found = TABLE[name].bind(*(np.reshape(x, (-1, *x.shape[x.ndim - n:])) for x, n in zip(whole, ndims)), **params)
    return np.reshape(found, (*lead, *found.shape[1:])), 0


# Sylvester's equation -------------------------------------------------------------------------------------------------
@op()
class solve_sylvester:
    """x with a @ x + x @ b = q."""

    promotes = True
    lower = not_compiled(sl.solve_sylvester, "scipy.linalg")

    def samples(rng):
        return [((sample_matrix(rng, 3, 3), sample_matrix(rng, 2, 2) + 3 * np.eye(2), rng.normal(size=(3, 2))), {})]

    def impl(a, b, q):
        return each(sl.solve_sylvester, a, b, q)

    def infer(a, b, q):
        square("solve_sylvester", a), square("solve_sylvester", b)
        if (a.shape[-1], b.shape[-1]) != q.shape[-2:]:
            raise ShapeError(f"solve_sylvester: shapes {a.shape}, {b.shape} and {q.shape} do not fit together",
                             "q needs as many rows as a and as many columns as b.")
        lead = max((x.shape[:-2] for x in (a, b, q)), key=len)
        return Aval((*lead, *q.shape[-2:]), inexact(a, b, q))

    def vjp(g, a, b, q, out):
        bar = solved(transpose(a), transpose(b), g)
        return -(bar @ transpose(out)), -(transpose(out) @ bar), bar

    def jvp(dots, a, b, q, out):
        a_dot, b_dot, change = dots
        for term in (a_dot is not None and a_dot @ out, b_dot is not None and out @ b_dot):
            if term is not False:
                change = -term if change is None else change - term
        return solved(a, b, change)

    def batch(axes, a, b, q):
        return lanes("solve_sylvester", axes, (a, b, q), (2, 2, 2))

    def notation(*avals):
        return text(avals, "scipy.linalg.solve_sylvester", "scipy.linalg.solve_sylvester({0}, {1}, {2})")


def solved(a, b, q):
    return TABLE["solve_sylvester"].bind(a, b, q)


@function(sl.solve_sylvester)
def solve_sylvester_call(a, b, q):
    """scipy.linalg.solve_sylvester."""
    return solved(array(a), array(b), array(q))


def real_and_complex(rng):
    """Samples of a function of a matrix: one whose result is real, and one whose result is complex."""
    root = sample_matrix(rng, 3, 3)
    return [((root @ root.T,), {"as_complex": False}), ((root + 0j,), {"as_complex": True})]


# square root ----------------------------------------------------------------------------------------------------------
@op()
class sqrtm:
    """The principal square root; as_complex: what scipy gives for the values at hand."""

    lower, samples = not_compiled(sl.sqrtm, "scipy.linalg"), real_and_complex

    def impl(a, as_complex):
        root = each(sl.sqrtm, a)
        return root.astype(np.result_type(root, np.complex64)) if as_complex else root

    def infer(a, as_complex):
        dtype = inexact(square("sqrtm", a))
        return Aval(a.shape, np.result_type(dtype, np.complex64) if as_complex else dtype)

    def vjp(g, a, out, as_complex):
        bar = solved(transpose(out), transpose(out), g)
        return np.real(bar) if as_complex and a.dtype.kind != "c" else bar

    def jvp(dots, a, out, as_complex):
        return solved(out, out, dots[0])

    def batch(axes, a, as_complex):
        return lanes("sqrtm", axes, (a,), (2,), as_complex=as_complex)

    def notation(a, as_complex):
        call = text((a,), "scipy.linalg.sqrtm", "scipy.linalg.sqrtm({0})")
        return f"{call}.astype(np.{np.result_type(inexact(a), np.complex64).name})" if as_complex else call


@function(sl.sqrtm)
def sqrtm_call(A):
    """scipy.linalg.sqrtm: real or complex, which the values decide."""
    A = array(A)
    known = A.known if is_reference(A) else A
    if known is None and A.dtype.kind != "c":
        raise ValueDependent("scipy.linalg.sqrtm gives a real or a complex matrix, depending on the values", "Make the matrix complex.")
    return TABLE["sqrtm"].bind(A, as_complex=A.dtype.kind == "c" or np.iscomplexobj(sl.sqrtm(known)))


# banded systems ---------------------------------------------------------------------------------------------------------
@op()
class solve_banded:
    """x with a @ x = b for a matrix with `below` and `above` diagonals beside the main one, which are the rows of ab."""

    promotes = True

    def lower(hlo, out, ab, b, below, above):
        matrix = lower_dense(hlo, hlo.convert(ab, out.dtype), below, above)
        right = hlo.convert(b, out.dtype)
        if len(b.shape) == len(ab.shape):
            return lapack.solve_matrices(hlo, matrix, right)
        return hlo.reshape(lapack.solve_matrices(hlo, matrix, hlo.reshape(right, (*b.shape, 1))), out.shape)

    def samples(rng):
        ab = rng.normal(size=(3, 5)) + np.array([[0.0], [4.0], [0.0]])
        return [((ab, rng.normal(size=5)), {"below": 1, "above": 1}), ((ab, rng.normal(size=(5, 2))), {"below": 2, "above": 0})]

    def impl(ab, b, below, above):
        if ab.ndim == 2:
            return sl.solve_banded((below, above), ab, b)
        return np.stack([sl.solve_banded((below, above), *one) for one in zip(ab, b)])

    def infer(ab, b, below, above):
        if ab.ndim not in (2, 3) or ab.shape[-2] != below + above + 1 or b.shape[ab.ndim - 2] != ab.shape[-1]:
            raise ShapeError(f"solve_banded: shapes {ab.shape} and {b.shape} do not fit {below} and {above} diagonals",
                             "Give a row per diagonal, and as many rows of b as columns.")
        return Aval(b.shape, inexact(ab, b))

    def vjp(g, ab, b, out, below, above):
        bar = banded(turned(ab, below, above), g, above, below)
        rows, inside = places(ab.shape[-1], below, above)
        terms = spread(bar, rows, ab.ndim) * np.expand_dims(out, ab.ndim - 2)
        terms = np.sum(terms, axis=-1) if b.ndim == ab.ndim else terms
        return -np.where(inside, terms, 0), bar

    def jvp(dots, ab, b, out, below, above):
        ab_dot, b_dot = dots
        if ab_dot is None:
            return banded(ab, b_dot, below, above)
        columns, _ = places(ab.shape[-1], above, below)
        terms = turned(ab_dot, below, above)
        terms = (terms[..., None] if b.ndim == ab.ndim else terms) * spread(out, columns, ab.ndim)
        change = np.sum(terms, axis=ab.ndim - 2)
        return banded(ab, -change if b_dot is None else b_dot - change, below, above)

    def batch(axes, ab, b, below, above):
        return lanes("solve_banded", axes, (ab, b), (2, b.ndim - (axes[1] == 0)), below=below, above=above)

    def notation(ab, b, below, above):
        if ab.ndim == 3:
            return f"np.stack([scipy.linalg.solve_banded(({below}, {above}), *pair) for pair in zip({{0}}, {{1}})])"
        return f"scipy.linalg.solve_banded(({below}, {above}), {{0}}, {{1}})"


def lower_dense(hlo, ab, below, above):
    """The whole matrix: XLA has no elimination within a band."""
    n, batch = ab.shape[-1], len(ab.shape) - 2
    shape = (*ab.shape[:-2], n, n)
    offset = hlo.subtract(hlo.iota(shape, np.dtype(np.int32), batch), hlo.iota(shape, np.dtype(np.int32), batch + 1))
    total = hlo.full(shape, 0.0, ab.dtype)
    for k in range(below + above + 1):
        starts, stops = (*(0,) * batch, k, 0), (*ab.shape[:-2], k + 1, n)
        row = hlo.reshape(hlo.slice(ab, starts, stops), (*ab.shape[:-2], n))
        spread_row = hlo.broadcast_in_dim(row, shape, (*range(batch), batch + 1))
        total = hlo.select(hlo.compare("EQ", offset, k - above), spread_row, total)
    return total


def banded(ab, b, below, above):
    return TABLE["solve_banded"].bind(ab, b, below=below, above=above)


def places(n, below, above):
    """For each entry of the stored diagonals its row in the matrix (its column is that of the entry), and whether it is inside."""
    rows = np.arange(n) + np.arange(-above, below + 1)[:, None]
    return np.clip(rows, 0, n - 1), (rows >= 0) & (rows < n)


def spread(x, rows, ndim):
    """The rows of x for each entry of the stored diagonals."""
    return x[rows] if ndim == 2 else x[:, rows]


def turned(ab, below, above):
    """The diagonals of the transposed matrix."""
    columns, inside = places(ab.shape[-1], above, below)
    order = np.arange(below + above, -1, -1)[:, None]
    return np.where(inside, ab[..., order, columns], 0)


@function(sl.solve_banded)
def solve_banded_call(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """scipy.linalg.solve_banded."""
    below, above = map(int, l_and_u)
    return banded(array(ab), array(b), below, above)
