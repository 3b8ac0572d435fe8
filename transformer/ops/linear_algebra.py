"""Linear systems, determinants, inverses and norms. Factorisations are in `factorisations`.

Leading axes are stacks of matrices, as in NumPy. Derivatives of complex operands follow JAX's convention (transposed, not
conjugated).
"""

import functools

import numpy as np

from ..core import Aval
from ..errors import ShapeError
from . import lapack as lowering
from .op import array, aval_of, function, op, result_dtype


def inexact(*avals):
    """The dtype np.linalg computes in: float64 for integers."""
    dtype = result_dtype(*avals)
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def real_of(dtype):
    """The dtype of the real part."""
    return np.dtype(dtype).type(0).real.dtype


def square(name, aval):
    if aval.ndim < 2 or (aval.shape[-1] != aval.shape[-2] and None not in aval.shape[-2:]):
        raise ShapeError(f"{name} needs square matrices, not an array of shape {aval.shape}", "The last two axes must be equal.")
    return aval


def transpose(x):
    """The transposed matrices of a stack."""
    return x.T if x.ndim == 2 else np.swapaxes(x, -1, -2)


def conj(x):
    return np.conj(x) if x.dtype.kind == "c" else x


def adjoint(x):
    return conj(transpose(x))


def stretch(x):
    """A number per matrix, as an array that multiplies the matrices."""
    return x[..., None, None] if getattr(x, "ndim", 0) else x


def unbroadcast(x, shape):
    """x summed over the leading axes that were broadcast from an operand of this shape."""
    extra = tuple(range(x.ndim - len(shape)))
    x = np.sum(x, axis=extra) if extra else x
    ones = tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1)
    return np.sum(x, axis=ones, keepdims=True) if ones else x


@functools.cache
def result_type(fn):
    """The named tuple that a function of np.linalg returns."""
    return type(fn(np.eye(1)))


def sample_matrix(rng, *shape):
    """A well-conditioned sample matrix (stack)."""
    return rng.uniform(-1, 1, shape) + 2 * np.diag(np.arange(1.0, 1 + max(shape[-2:])))[: shape[-2], : shape[-1]]


def sample_squares(*params):
    """Samples of one square matrix and of a stack, for each params dict."""
    def draw(rng):
        return [((x,), dict(p)) for p in params or ({},) for x in (sample_matrix(rng, 3, 3), sample_matrix(rng, 2, 3, 3))]
    return draw


# systems and inverses -----------------------------------------------------------------------------------------------------

@op()
class solve:
    """x with a @ x = b; b is a vector or a stack of matrices."""

    raises = (np.linalg.LinAlgError,)
    promotes = True

    def samples(rng):
        vector = rng.normal(size=3)
        one, many, columns = sample_matrix(rng, 3, 3), sample_matrix(rng, 2, 3, 3), rng.normal(size=(2, 3, 2))
        return [((one, vector), {}), ((one, columns[0]), {}), ((many, columns), {}), ((many, vector), {}), ((one, columns), {})]

    def impl(a, b):
        return np.linalg.solve(a, b)

    def infer(a, b):
        square("solve", a)
        rows = b.shape[0] if b.ndim == 1 else b.shape[-2] if b.ndim else None
        if b.ndim == 0 or None not in (rows, a.shape[-1]) and rows != a.shape[-1]:
            raise ShapeError(f"solve: shapes {a.shape} and {b.shape} do not fit together", "b needs as many rows as a.")
        if b.ndim == 1:
            return Aval(a.shape[:-1], inexact(a, b))
        return Aval((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), inexact(a, b))

    def lower(hlo, out, a, b):
        return lowering.solve(hlo, out, a, b)

    def vjp(g, a, b, out):
        if b.ndim == 1 and a.ndim > 2:
            bars = np.linalg.solve(transpose(a), g[..., None])[..., 0]
        else:
            bars = np.linalg.solve(transpose(a), g)
        if b.ndim == 1:
            a_bar = -np.outer(bars, out) if a.ndim == 2 else -bars[..., :, None] * out[..., None, :]
        else:
            a_bar = -(bars @ transpose(out))
        return unbroadcast(a_bar, a.shape), unbroadcast(bars, b.shape)

    def jvp(dots, a, b, out):
        a_dot, b_dot = dots
        if a_dot is None:
            return np.linalg.solve(a, b_dot)
        change = -(a_dot @ (out if b.ndim > 1 or a.ndim == 2 else out[..., None]))
        if b.ndim == 1 and a.ndim > 2:
            change = change if b_dot is None else change + b_dot[:, None]
            return np.linalg.solve(a, change)[..., 0]
        return np.linalg.solve(a, change if b_dot is None else b_dot + change)

    def batch(axes, a, b):
        a_ndim, b_ndim = a.ndim - (axes[0] == 0), b.ndim - (axes[1] == 0)
        if b_ndim == 1:
            if axes == (None, 0) and a_ndim == 2:
                return np.linalg.solve(a, b.T).T, 0
            b = lead(b[..., None], axes[1], b_ndim + 1, a_ndim)
            return np.linalg.solve(lead(a, axes[0], a_ndim, b_ndim), b)[..., 0], 0
        return np.linalg.solve(lead(a, axes[0], a_ndim, b_ndim), lead(b, axes[1], b_ndim, a_ndim)), 0

    def notation(a, b):
        return "np.linalg.solve({0}, {1})"


def lead(x, axis, ndim, other):
    """x with axes of size 1 after its batch axis, so that its matrices align with an operand of `other` axes."""
    if axis is None or ndim >= other:
        return x
    return np.reshape(x, (x.shape[0], *(1,) * (other - ndim), *x.shape[1:]))


@op()
class inv:
    """The inverse matrix."""

    raises = (np.linalg.LinAlgError,)
    samples = sample_squares()

    def impl(a):
        return np.linalg.inv(a)

    def infer(a):
        return Aval(square("inv", a).shape, inexact(a))

    def lower(hlo, out, a):
        return lowering.inverse(hlo, out, a)

    def vjp(g, a, out):
        return -(transpose(out) @ g @ transpose(out))

    def jvp(dots, a, out):
        return -(out @ dots[0] @ out)

    def batch(axes, a):
        return np.linalg.inv(a), 0

    def notation(a):
        return "np.linalg.inv({0})"


SMALL = range(1, 7)
"""Numbers of rows for which all cofactors cost little."""


def cofactors(a):
    """The derivative of the determinant of small matrices; polynomials, so singular matrices are as good as any."""
    n = a.shape[-1]
    if n == 1:
        return np.ones_like(a)
    if n == 2:
        return a[..., ::-1, ::-1] * np.array([[1, -1], [-1, 1]], real_of(a.dtype))
    if n == 3:
        return np.cross(np.roll(a, -1, axis=-2), np.roll(a, -2, axis=-2))
    others = np.array([[j for j in range(n) if j != i] for i in range(n)])
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return np.linalg.det(a[..., others[:, None, :, None], others[None, :, None, :]]) * signs.astype(real_of(a.dtype))


@op()
class det:
    """The determinant. Its derivative needs an invertible matrix where the matrix is large."""

    samples = sample_squares()

    def impl(a):
        return np.linalg.det(a)

    def infer(a):
        return Aval(square("det", a).shape[:-2], inexact(a))

    def lower(hlo, out, a):
        return lowering.determinant(hlo, out, a)

    def vjp(g, a, out):
        if a.shape[-1] in SMALL:
            return stretch(g) * cofactors(a)
        return stretch(g * out) * transpose(np.linalg.inv(a))

    def jvp(dots, a, out):
        if a.shape[-1] in SMALL:
            return np.sum(cofactors(a) * dots[0], axis=(-2, -1))
        return out * np.trace(np.linalg.solve(a, dots[0]), axis1=-2, axis2=-1)

    def batch(axes, a):
        return np.linalg.det(a), 0

    def notation(a):
        return "np.linalg.det({0})"


@op()
class slogdet:
    """Part "sign" or "logabsdet" of the determinant."""

    samples = sample_squares({"part": "logabsdet"}, {"part": "sign"})

    def impl(a, part):
        return getattr(np.linalg.slogdet(a), part)

    def infer(a, part):
        dtype = inexact(square("slogdet", a))
        return Aval(a.shape[:-2], dtype if part == "sign" else real_of(dtype))

    def lower(hlo, out, a, part):
        return lowering.sign_and_log(hlo, out, a, part)

    def vjp(g, a, out, part):
        if part == "sign" and a.dtype.kind != "c":
            return np.zeros_like(a)
        if part == "sign":
            g = -1j * np.real(1j * g * out)
        return stretch(g) * transpose(np.linalg.inv(a))

    def jvp(dots, a, out, part):
        rate = np.trace(np.linalg.solve(a, dots[0]), axis1=-2, axis2=-1)
        if part == "logabsdet":
            return np.real(rate) if a.dtype.kind == "c" else rate
        return 1j * out * np.imag(rate) if a.dtype.kind == "c" else np.zeros_like(rate)

    def batch(axes, a, part):
        return slogdet.bind(a, part=part), 0

    def notation(a, part):
        return f"np.linalg.slogdet({{0}})[{0 if part == 'sign' else 1}]"


@function(np.linalg.solve)
def solve_call(a, b):
    return solve.bind(array(a), array(b))


@function(np.linalg.inv)
def inv_call(a):
    return inv.bind(array(a))


@function(np.linalg.det)
def det_call(a):
    return det.bind(array(a))


@function(np.linalg.slogdet)
def slogdet_call(a):
    a = array(a)
    return result_type(np.linalg.slogdet)(slogdet.bind(a, part="sign"), slogdet.bind(a, part="logabsdet"))


@function(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    a, b = array(a), array(b)
    if axes is not None:
        a = np.transpose(a, [i for i in range(a.ndim) if i not in axes] + list(axes))
    shape = a.shape[b.ndim:]
    return np.reshape(np.linalg.solve(np.reshape(a, (-1, int(np.prod(shape)))), np.ravel(b)), shape)


@function(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    a = array(a)
    return np.reshape(np.linalg.inv(np.reshape(a, (int(np.prod(a.shape[:ind])), -1))), a.shape[ind:] + a.shape[:ind])


# norms ------------------------------------------------------------------------------------------------------------------------

NORMS = [((np.array([[3.0, -4.0, 1.0], [0.5, 2.0, -1.0]]),), {"axis": axis, "keepdims": keep})
         for axis, keep in (((0, 1), False), ((1,), False), ((0,), True))]


@op()
class norm:
    """The Euclidean (Frobenius) norm over axes; its gradient at 0 is 0."""

    samples = NORMS

    def impl(x, axis, keepdims):
        return np.linalg.norm(x, axis=norm_axis(x.ndim, axis), keepdims=keepdims)

    def infer(x, axis, keepdims):
        dims = (1 if i in axis else n for i, n in enumerate(x.shape) if keepdims or i not in axis)
        return Aval(tuple(dims), real_of(inexact(x)))

    def lower(hlo, out, x, axis, keepdims):
        if x.dtype.kind == "c":
            x = hlo.abs(x)
        x = hlo.convert(x, out.dtype)
        return hlo.reshape(hlo.sqrt(hlo.reduce(hlo.multiply(x, x), 0, axis, "add")), out.shape)

    def vjp(g, x, out, axis, keepdims):
        ratio = g / np.where(out == 0, 1, out)
        return (ratio if keepdims or not ratio.ndim else np.expand_dims(ratio, axis)) * conj(x)

    def jvp(dots, x, out, axis, keepdims):
        along = np.sum(np.real(conj(x) * dots[0]) if x.dtype.kind == "c" else x * dots[0], axis=axis, keepdims=keepdims)
        return along / np.where(out == 0, 1, out)

    def batch(axes, x, axis, keepdims):
        axis = tuple(i + 1 for i in axis)
        if len(axis) <= 2:
            return norm.bind(x, axis=axis, keepdims=keepdims), 0
        return np.sqrt(np.sum(np.real(conj(x) * x), axis=axis, keepdims=keepdims)), 0

    def notation(x, axis, keepdims):
        axis = norm_axis(x.ndim, axis)
        options = [f"axis={axis}"] if axis is not None else []
        options += ["keepdims=True"] if keepdims else []
        return f"np.linalg.norm({', '.join(['{0}', *options])})"


def norm_axis(ndim, axis):
    """The axis argument that NumPy's norm takes: None for all axes, an int for one."""
    return None if len(axis) == ndim else axis[0] if len(axis) == 1 else axis


@function(np.linalg.norm)
def norm_call(x, ord=None, axis=None, keepdims=False):
    """Vector norms over one axis, matrix norms over two, the norm of all elements without ord."""
    x = array(x)
    ndim = len(aval_of(x).shape)
    if axis is None:
        axis = tuple(range(ndim))
        if ord is not None and ndim not in (1, 2):
            raise ShapeError(f"norm of order {ord} needs a vector or a matrix, not {ndim} axes", "Give axis.")
    axis = tuple(int(i) % ndim for i in (axis if isinstance(axis, tuple | list) else (axis,)))
    if ord is None or (ord == 2 and len(axis) == 1) or (ord == "fro" and len(axis) == 2):
        return norm.bind(x, axis=axis, keepdims=bool(keepdims))
    if len(axis) == 1:
        return vector_order(x, ord, axis[0], keepdims)
    return matrix_order(x, ord, axis, keepdims)


def vector_order(x, ord, axis, keepdims):
    """The norm of order `ord` along an axis; its gradient at 0 is 0 for every order above 1."""
    size = np.abs(x)
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdims).astype(real_of(inexact(aval_of(x))))
    if isinstance(ord, str):
        raise ShapeError(f"norm: order {ord!r} is not for vectors", "Use a number, np.inf or -np.inf.")
    if ord == 1:
        return np.sum(size.astype(float) if size.dtype.kind in "iub" else size, axis=axis, keepdims=keepdims)
    total = np.sum(size ** float(ord), axis=axis, keepdims=keepdims)
    return np.where(total == 0, 0, np.where(total == 0, 1, total) ** (1.0 / ord))


def matrix_order(x, ord, axis, keepdims):
    """The norm of order `ord` of matrices that lie along two axes."""
    row, column = axis
    if ord in (2, -2, "nuc"):
        values = np.linalg.svdvals(np.moveaxis(x, axis, (-2, -1)))
        result = {2: np.max, -2: np.min, "nuc": np.sum}[ord](values, axis=-1)
    elif ord in (1, -1, np.inf, -np.inf):
        inner, outer = (row, column) if abs(ord) == 1 else (column, row)
        sums = np.sum(np.abs(x), axis=inner, keepdims=True)
        result = (np.max if ord > 0 else np.min)(sums, axis=(inner, outer))
    else:
        raise ShapeError(f"norm: order {ord!r} is not for matrices", "Use 'fro', 'nuc', 1, 2, -1, -2, np.inf or -np.inf.")
    return np.expand_dims(result, axis) if keepdims else result


@function(np.linalg.vector_norm)
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """np.linalg.norm of the elements over any axes."""
    x = array(x)
    if axis is None and not keepdims:
        return norm_call(np.ravel(x), ord)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(i % x.ndim for i in axes)
    if len(axes) == 1:
        return norm_call(x, ord, axes[0], keepdims)
    rest = [i for i in range(x.ndim) if i not in axes]
    flat = np.reshape(np.transpose(x, [*axes, *rest]), [-1, *(x.shape[i] for i in rest)])
    result = norm_call(flat, ord, 0)
    return np.expand_dims(result, axes) if keepdims else result


@function(np.linalg.matrix_norm)
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return norm_call(x, ord, (-2, -1), keepdims)


@function(np.linalg.cond)
def cond(x, p=None):
    """The condition number: the ratio of the singular values, or the product of two norms."""
    x = array(x)
    if p is None or p in (2, -2):
        s = np.linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm_call(x, p, (-2, -1)) * norm_call(np.linalg.inv(x), p, (-2, -1))


__all__ = ["det", "inv", "norm", "slogdet", "solve"]
