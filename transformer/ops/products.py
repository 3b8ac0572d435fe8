"""Products of arrays: matmul, dot, inner, outer, tensordot, kron, cross, and what is made of them. Rules come from `contraction`."""

import functools
import operator
import string

import numpy as np

from ..errors import ShapeError, TransformError
from .contraction import declare_product, shape_of
from .op import FUNCTIONS, array, aval_of, function

BATCH_LETTERS = "abcdefgh" + string.ascii_uppercase


# matmul and dot -------------------------------------------------------------------------------------------------------------

def matmul_letters(x, y):
    """Letters of x @ y: the last axis of x with the last but one of y; leading axes broadcast."""
    if not x or not y:
        raise ShapeError(f"matmul: shapes {x} and {y} do not fit together", "Use * to multiply by a scalar.")
    lead_x, lead_y = BATCH_LETTERS[: max(0, len(x) - 2)], BATCH_LETTERS[: max(0, len(y) - 2)]
    lead_x, lead_y = lead_x[::-1], lead_y[::-1]
    lead = max(lead_x, lead_y, key=len)
    row, column = "i" * (len(x) > 1), "k" * (len(y) > 1)
    return lead_x + row + "j", lead_y + "j" + column, lead + row + column


def dot_letters(x, y):
    """Letters of np.dot: the last axis of x with the last but one of y; the other axes all stay."""
    names = iter(c for c in string.ascii_letters if c != "j")
    lead_x = "".join(next(names) for _ in x[:-1])
    if len(y) == 1:
        return lead_x + "j", "j", lead_x
    rest = "".join(next(names) for _ in y[:-1])
    return lead_x + "j", rest[:-1] + "j" + rest[-1:], lead_x + rest


def pairs(*shapes, **params):
    """Samples of two operands for each pair of shapes."""
    def draw(rng):
        return [((rng.normal(size=x), rng.normal(size=y)), params) for x, y in shapes]
    return draw


def joined(*draws):
    def draw(rng):
        return [sample for one in draws for sample in one(rng)]
    return draw


matmul = declare_product(
    "matmul", np.matmul, matmul_letters, elastic=BATCH_LETTERS, symbol="@",
    samples=pairs(((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)), ((5, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)),
                  ((5, 3, 4), (5, 4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((5, 3, 4), (4,)), ((4,), (5, 4, 2)), ((1, 3, 4), (5, 4, 2)),
                  ((1, 4), (4, 1)), ((3, 1), (1, 2))))
FUNCTIONS[np.matmul] = FUNCTIONS[operator.matmul] = matmul.call

dot = declare_product("dot", np.dot, dot_letters, dot=True,
                      samples=pairs(((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)), ((2, 3, 4), (5, 4, 2)),
                                    ((4,), (5, 4, 2)), ((2, 3, 4), (4,)), ((2, 3, 4), (4, 2))))


@function(np.dot, method="dot")
def dot_call(a, b):
    a, b = array(a), array(b)
    if shape_of(a) == () or shape_of(b) == ():
        return np.multiply(a, b)
    return dot.bind(a, b)


# inner, outer, tensordot ------------------------------------------------------------------------------------------------

def inner_letters(x, y):
    """Letters of np.inner: the last axis of both."""
    names = iter(c for c in string.ascii_letters if c != "k")
    lx, ly = ("".join(next(names) for _ in s[:-1]) for s in (x, y))
    return lx + "k", ly + "k", lx + ly


inner = declare_product("inner", np.inner, inner_letters, dot=True,
                        samples=pairs(((4,), (4,)), ((3, 4), (2, 4)), ((3, 4), (4,)), ((2, 3, 4), (5, 4))))


@function(np.inner)
def inner_call(a, b):
    a, b = array(a), array(b)
    if shape_of(a) == () or shape_of(b) == ():
        return np.multiply(a, b)
    return inner.bind(a, b)


def outer_letters(x, y):
    return "i", "j", "ij"


outer = declare_product("outer", np.outer, outer_letters, samples=pairs(((3,), (4,)), ((1,), (2,))))


@function(np.outer, np.linalg.outer)
def outer_call(a, b):
    return outer.bind(np.ravel(a), np.ravel(b))


def tensordot_letters(x, y, axes):
    """Letters of np.tensordot over axes = (axes of x, axes of y)."""
    names = iter(string.ascii_letters)
    lx = [next(names) for _ in x]
    ly = [next(names) for _ in y]
    for i, j in zip(*axes, strict=True):
        ly[j] = lx[i]
    lo = [c for i, c in enumerate(lx) if i not in axes[0]] + [c for j, c in enumerate(ly) if j not in axes[1]]
    return "".join(lx), "".join(ly), "".join(lo)


def tensordot_notation(x, y, axes):
    count = len(axes[0])
    if axes == (tuple(range(x.ndim - count, x.ndim)), tuple(range(count))):
        return f"np.tensordot({{0}}, {{1}}, axes={count})"
    if count == 1:
        return f"np.tensordot({{0}}, {{1}}, axes=({axes[0][0]}, {axes[1][0]}))"
    return f"np.tensordot({{0}}, {{1}}, axes={axes})"


tensordot = declare_product(
    "tensordot", np.tensordot, tensordot_letters, notation=tensordot_notation,
    samples=joined(pairs(((2, 3, 4), (4, 3, 5)), axes=((1, 2), (1, 0))), pairs(((2, 3), (4, 5)), axes=((), ())),
                   pairs(((2, 3, 4), (3, 4)), axes=((1, 2), (0, 1))), pairs(((3, 2), (3, 4)), axes=((0,), (0,)))))


@function(np.tensordot, np.linalg.tensordot)
def tensordot_call(a, b, axes=2):
    a, b = array(a), array(b)
    x, y = shape_of(a), shape_of(b)
    if isinstance(axes, int | np.integer):
        axes = tuple(range(len(x) - axes, len(x))), tuple(range(axes))
    axes_x, axes_y = (tuple(map(int, np.atleast_1d(v))) for v in axes)
    axes = tuple(i % max(1, len(x)) for i in axes_x), tuple(j % max(1, len(y)) for j in axes_y)
    if len(axes[0]) != len(axes[1]):
        raise ShapeError(f"tensordot: {len(axes[0])} axes of {x} are paired with {len(axes[1])} axes of {y}",
                         "Give as many axes of the first array as of the second.")
    return tensordot.bind(a, b, axes=axes)


# composites -----------------------------------------------------------------------------------------------------------------

@function(np.vdot)
def vdot(a, b):
    """The sum of conj(a) * b over all elements."""
    return np.dot(conjugate(np.ravel(a)), np.ravel(b))


def conjugate(x):
    """np.conj(x), or x itself where it is real."""
    return np.conj(x) if aval_of(x).dtype.kind == "c" else x


def along_last(x, axis):
    return x if axis in (-1, len(shape_of(x)) - 1) else np.moveaxis(x, axis, -1)


def vector_letters(row, column):
    """Letters of a product over the core axis i, other core axes as given, leading axes broadcast."""
    def letters(x, y):
        lead_x, lead_y = (BATCH_LETTERS[: max(0, len(s) - len(core))][::-1] for s, core in ((x, row), (y, column)))
        out = "".join(c for c in dict.fromkeys(row + column) if c != "i" or "i" not in row or "i" not in column)
        return lead_x + row, lead_y + column, max(lead_x, lead_y, key=len) + out
    return letters


VECTORS = pairs(((4,), (4,)), ((3, 4), (3, 4)), ((3, 4), (4,)), ((2, 1, 4), (3, 4)))
MATRICES = pairs(((3, 4), (4,)), ((2, 3, 4), (4,)), ((3, 4), (5, 4)), ((2, 1, 3, 4), (5, 4)))
TURNED = pairs(((4,), (4, 3)), ((4,), (2, 4, 3)), ((5, 4), (4, 3)), ((5, 4), (2, 1, 4, 3)))

vecdot = declare_product("vecdot", np.vecdot, vector_letters("i", "i"), elastic=BATCH_LETTERS, samples=VECTORS)


@function(np.vecdot, np.linalg.vecdot)
def vecdot_call(x1, x2, axis=-1):
    """The sum of conj(x1) * x2 over one axis; the other axes broadcast."""
    x1, x2 = along_last(array(x1), axis), along_last(array(x2), axis)
    if "c" in (aval_of(x1).dtype.kind, aval_of(x2).dtype.kind):
        return np.einsum("...i,...i->...", conjugate(x1), x2)
    return vecdot.bind(x1, x2)


if hasattr(np, "matvec"):
    matvec = declare_product("matvec", np.matvec, vector_letters("ki", "i"), elastic=BATCH_LETTERS, samples=MATRICES)
    vecmat = declare_product("vecmat", np.vecmat, vector_letters("i", "ik"), elastic=BATCH_LETTERS,
                             samples=TURNED)
    FUNCTIONS[np.matvec] = matvec.call

    @function(np.vecmat)
    def vecmat_call(x1, x2):
        """The conjugate of a vector times a matrix, over broadcast leading axes."""
        x1, x2 = array(x1), array(x2)
        if aval_of(x1).dtype.kind == "c":
            return np.einsum("...i,...ij->...j", np.conj(x1), x2)
        return vecmat.bind(x1, x2)

FUNCTIONS[np.linalg.matmul] = matmul.call


@function(np.kron)
def kron(a, b):
    """Kronecker product; the array with fewer axes gets axes of size 1 in front."""
    a, b = array(a), array(b)
    x, y = shape_of(a), shape_of(b)
    ndim = max(len(x), len(y))
    x, y = (1,) * (ndim - len(x)) + x, (1,) * (ndim - len(y)) + y
    a = np.reshape(a, [d for n in x for d in (n, 1)])
    b = np.reshape(b, [d for n in y for d in (1, n)])
    return np.reshape(a * b, [m * n for m, n in zip(x, y, strict=True)])


@function(np.cross, np.linalg.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of vectors of size 3 (or 2, where the third component is zero)."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = along_last(array(a), axisa), along_last(array(b), axisb)
    x, y = shape_of(a), shape_of(b)
    if x[-1:] not in ((2,), (3,)) or y[-1:] not in ((2,), (3,)):
        raise ShapeError(f"cross: shapes {x} and {y} do not fit together", "Vectors must have 2 or 3 components.")
    a0, a1, b0, b1 = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
    last = a0 * b1 - a1 * b0
    if x[-1] == y[-1] == 2:
        return last
    if x[-1] == 2:
        parts = [a1 * b[..., 2], -a0 * b[..., 2], last]
    elif y[-1] == 2:
        parts = [-a[..., 2] * b1, a[..., 2] * b0, last]
    else:
        a2, b2 = a[..., 2], b[..., 2]
        parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, last]
    result = np.stack(parts, axis=-1)
    return result if axisc in (-1, result.ndim - 1) else np.moveaxis(result, -1, axisc)


@function(np.linalg.multi_dot)
def multi_dot(arrays):
    """The product of matrices in the order of least cost; the first and the last may be vectors."""
    arrays = [array(a) for a in arrays]
    if len(arrays) == 2:
        return np.dot(*arrays)
    dims = [shape_of(arrays[0])[0] if len(shape_of(arrays[0])) == 2 else 1, *(shape_of(a)[0] for a in arrays[1:])]
    dims.append(shape_of(arrays[-1])[-1] if len(shape_of(arrays[-1])) == 2 else 1)
    if len(shape_of(arrays[0])) == 1:
        dims[1] = shape_of(arrays[0])[0]

    @functools.cache
    def cost(i, j):
        if i == j:
            return 0, None
        return min((cost(i, k)[0] + cost(k + 1, j)[0] + dims[i] * dims[k + 1] * dims[j + 1], k) for k in range(i, j))

    def multiply(i, j):
        if i == j:
            return arrays[i]
        k = cost(i, j)[1]
        return np.dot(multiply(i, k), multiply(k + 1, j))

    return multiply(0, len(arrays) - 1)


@function(np.linalg.matrix_power)
def matrix_power(a, n):
    """a multiplied with itself n times by repeated squaring, as NumPy does; n may be negative."""
    try:
        n = operator.index(n)
    except TypeError:
        raise TransformError("matrix_power needs an integer exponent", "Use a Python int.") from None
    if n == 0:
        return np.broadcast_to(np.eye(shape_of(a)[-1], dtype=aval_of(a).dtype), shape_of(a)).copy()
    if n < 0:
        a, n = np.linalg.inv(a), -n
    if n <= 3:
        return a if n == 1 else np.matmul(a, a) if n == 2 else np.matmul(np.matmul(a, a), a)
    power = result = None
    while n > 0:
        power = a if power is None else np.matmul(power, power)
        n, bit = divmod(n, 2)
        if bit:
            result = power if result is None else np.matmul(result, power)
    return result


__all__ = ["array", "conjugate", "dot", "inner", "matmul", "outer", "shape_of", "tensordot"]
