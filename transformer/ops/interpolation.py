"""Interpolation, convolution, polynomials, phase unwrapping, the trapezoid rule."""

import numpy as np

from ..core import Aval
from ..errors import ShapeError, TransformError
from .op import array, aval_of, function, op, operands, result_dtype
from .products import conjugate


def in_type(value, dtype):
    """A value or number in a type."""
    return value.astype(dtype) if hasattr(value, "astype") else dtype.type(value)


# interpolation ------------------------------------------------------------------------------------------------------------

@function(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation of (xp, fp) at x; `left` and `right` stand for values outside."""
    x, xp, fp = (in_type(v, np.dtype(complex if aval_of(v).dtype.kind == "c" else float)) for v in operands(x, xp, fp))
    if period is not None:
        x, xp, fp = periodic(x, xp, fp, period)
    n = aval_of(xp).shape[0]
    if n == 1:
        inside = np.broadcast_to(fp[0], aval_of(x).shape)
    else:
        i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, n - 2)
        slope = (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i])
        inside = slope * (x - xp[i]) + fp[i]
    last = fp[-1] if right is None else np.where(x > xp[-1], right, fp[-1])
    result = np.where(x < xp[0], fp[0] if left is None else left, np.where(x >= xp[-1], last, inside))
    return result


def periodic(x, xp, fp, period):
    """The points brought into one period and sorted, one more on either side."""
    period = np.abs(period)
    x, xp = np.remainder(x, period), np.remainder(xp, period)
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    return (x, np.concatenate([xp[-1:] - period, xp, xp[:1] + period]), np.concatenate([fp[-1:], fp, fp[:1]]))


# convolution ---------------------------------------------------------------------------------------------------------------

@op(linear="each")
class convolve:
    """Discrete convolution of two vectors, the first not shorter than the second."""

    promotes = True

    def product(*avals, **params):
        return "convolution"

    def samples(rng):
        return [((rng.normal(size=n), rng.normal(size=m)), {"mode": mode})
                for mode in ("full", "same", "valid") for n, m in ((6, 3), (5, 4), (4, 1))]

    def impl(a, v, mode):
        return np.convolve(a, v, mode)

    def infer(a, v, mode):
        n, m = a.shape[0], v.shape[0]
        return Aval((None if None in (n, m) else n + m - 1 - sum(trimmed(m, mode)),), result_dtype(a, v))

    def lower(hlo, out, a, v, mode):
        m = v.shape[0]
        lo, hi = trimmed(m, mode)
        a, v = hlo.convert(a, out.dtype), hlo.reverse(hlo.convert(v, out.dtype), (0,))
        a = hlo.pad(a, 0, (m - 1 - lo,), (m - 1 - hi,))
        return lower_windows(hlo, a, v, out.shape[0], m)

    def vjp(g, a, v, out, mode):
        m = v.shape[0]
        if mode == "valid":
            return np.convolve(g, v[::-1]), np.convolve(a[::-1], g, "valid")
        if mode == "same":
            g = np.pad(g, trimmed(m, mode))
        return np.convolve(g, v[::-1], "valid"), np.convolve(g, a[::-1], "valid")

    def batch(axes, a, v, mode):
        n, m = a.shape[-1], v.shape[-1]
        lo, hi = trimmed(m, mode)
        index = np.arange(n + m - 1 - lo - hi)[:, None] + np.arange(m)
        a = np.pad(a, ((0, 0),) * (a.ndim - 1) + ((m - 1 - lo, m - 1 - hi),))
        v = v[..., ::-1]
        windows = a[..., index]
        if axes[1] is None:
            return windows @ v, 0
        return np.einsum("ij,bj->bi" if axes[0] is None else "bij,bj->bi", windows, v), 0

    def notation(a, v, mode):
        return "np.convolve({0}, {1})" if mode == "full" else f'np.convolve({{0}}, {{1}}, "{mode}")'


def trimmed(m, mode):
    """How many elements of the full convolution are left out at the two ends."""
    return {"full": (0, 0), "same": ((m - 1) // 2, m - 1 - (m - 1) // 2), "valid": (m - 1, m - 1)}[mode]


def lower_windows(hlo, a, v, size, m):
    """sum_j a[i + j] * v[j]: few terms as shifted sums, many as a product with the matrix of windows."""
    if m <= 16:
        total = None
        for j in range(m):
            weight = hlo.reshape(hlo.slice(v, (j,), (j + 1,)), ())
            term = hlo.multiply(hlo.slice(a, (j,), (j + size,)), hlo.broadcast_to(weight, (size,)))
            total = term if total is None else hlo.add(total, term)
        return total
    int64 = np.dtype(np.int64)
    index = hlo.add(hlo.iota((size, m), int64, 0), hlo.iota((size, m), int64, 1))
    windows = hlo.gather(a, hlo.reshape(index, (size, m, 1)), collapsed_slice_dims=(0,), start_index_map=(0,), slice_sizes=(1,))
    return hlo.dot_general(windows, v, contract=((1,), (0,)))


MODES = {0: "valid", 1: "same", 2: "full", "v": "valid", "s": "same", "f": "full"}


@function(np.convolve)
def convolve_call(a, v, mode="full"):
    a, v = np.atleast_1d(array(a)), np.atleast_1d(array(v))
    if a.ndim > 1 or v.ndim > 1 or 0 in (*a.shape, *v.shape):
        raise ShapeError(f"convolve takes two vectors that are not empty, not shapes {a.shape} and {v.shape}", "Ravel them first.")
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    return convolve.bind(a, v, mode=MODES.get(mode, mode))


@function(np.correlate)
def correlate(a, v, mode="valid"):
    """The convolution of a with the conjugate of v reversed."""
    a, v, mode = np.atleast_1d(array(a)), np.atleast_1d(array(v)), MODES.get(mode, mode)
    if v.shape[0] > a.shape[0]:
        return conjugate(correlate(v, a, mode))[::-1]
    return np.convolve(a, conjugate(v)[::-1], mode)


# polynomials and sums --------------------------------------------------------------------------------------------------

@function(np.polyval)
def polyval(p, x):
    """The polynomial p[0] * x**(n-1) + ... + p[n-1] by Horner's scheme."""
    p = p if isinstance(p, list | tuple) else list(p)
    if isinstance(x, np.poly1d):
        raise TransformError("np.polyval of a poly1d is not known to transformer", "Pass an array.")
    x = array(x)
    dtype = np.result_type(*(aval_of(c).dtype for c in (*p, x))) if p else aval_of(x).dtype
    if result_dtype(*map(aval_of, p), aval_of(x)) != dtype:  # numbers of Python are float64 in the array of coefficients
        p = [in_type(c, dtype) for c in p]
    y = np.zeros_like(x) if len(p) < 2 else None
    for coefficient in p:
        y = coefficient if y is None else y * x + coefficient
    return y


def _axis_index(ndim, axis, entry):
    return (slice(None),) * (axis % ndim) + (entry,)


@function(np.trapezoid, *filter(None, [getattr(np, "trapz", None)]))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of y over an axis by the trapezoid rule; x gives the points, dx their distance."""
    y = array(y)
    ndim = y.ndim
    if x is None:
        d = dx
    else:
        x = array(x)
        d = np.diff(x) if x.ndim == 1 else np.diff(x, axis=axis)
        if x.ndim == 1 and ndim > 1:
            d = np.reshape(d, (-1, *(1,) * (ndim - 1 - axis % ndim)))
    after, before = y[_axis_index(ndim, axis, slice(1, None))], y[_axis_index(ndim, axis, slice(None, -1))]
    return np.sum(d * (after + before) / 2.0, axis=axis)


@function(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    """The phase without jumps: differences larger than `discont` become their complement to the period."""
    p = array(p)
    ndim = p.ndim
    axis = axis % ndim
    steps = np.diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    high = period // 2 if isinstance(period, int) and aval_of(p).dtype.kind in "iu" else period / 2
    wrapped = np.mod(steps + high, period) - high
    wrapped = np.where((wrapped == -high) & (steps > 0), high, wrapped)
    correction = np.where(np.abs(steps) < discont, 0, wrapped - steps)
    first = p[_axis_index(ndim, axis, slice(None, 1))]
    rest = p[_axis_index(ndim, axis, slice(1, None))]
    return np.concatenate([first, rest + np.cumsum(correction, axis=axis)], axis=axis)


__all__ = ["convolve"]
