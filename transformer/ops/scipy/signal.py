"""scipy.signal: convolution and correlation of arrays of any number of axes.

The op is the "full" or the "valid" convolution; "same" is the middle of a full one. Its derivatives are convolutions again.
"""

import numpy as np
import scipy.signal as ss

from ...core import Aval
from ...errors import ShapeError, TransformError
from ..op import TABLE, array, aval_of, function, op, result_dtype


def flipped(x):
    return np.flip(x)


def samples(rng):
    shapes = [((5,), (3,), "full"), ((5,), (3,), "valid"), ((4, 3), (2, 2), "full"), ((4, 5), (2, 3), "valid"), ((2, 3), (4, 2), "full")]
    return [((rng.normal(size=x), rng.normal(size=y)), {"mode": mode}) for x, y, mode in shapes]


@op(linear="each")
class signal_convolve:
    """The convolution; in mode "valid" no axis of x is shorter than that of y."""

    promotes = True
    samples = samples

    def product(*avals, **params):
        return "convolution"

    def impl(x, y, mode):
        return ss.convolve(x, y, mode)

    def infer(x, y, mode):
        sign = 1 if mode == "full" else -1
        sizes = (None if None in (n, m) else n + sign * (m - 1) for n, m in zip(x.shape, y.shape))
        return Aval(tuple(sizes), result_dtype(x, y))

    def lower(hlo, out, x, y, mode):
        pairs = ", ".join(f"[{n - 1}, {n - 1}]" if mode == "full" else "[0, 0]" for n in y.shape)
        dims, ndim = ", ".join(map(str, range(len(y.shape)))), len(y.shape)
        ones = f"array<i64: {', '.join(['1'] * ndim)}>"
        turned = hlo.reverse(hlo.convert(y, out.dtype), tuple(range(ndim)))
        attrs = (f"dimension_numbers = #stablehlo.conv<[b, f, {dims}]x[o, i, {dims}]->[b, f, {dims}]>, window_strides = {ones}, "
                 f"padding = dense<[{pairs}]> : tensor<{ndim}x2xi64>, lhs_dilation = {ones}, rhs_dilation = {ones}, "
                 f"batch_group_count = 1 : i64, feature_group_count = 1 : i64")
        operands = [hlo.reshape(v, (1, 1, *v.shape)) for v in (hlo.convert(x, out.dtype), turned)]
        return hlo.reshape(hlo.op("convolution", operands, (1, 1, *out.shape), out.dtype, attrs), out.shape)

    def vjp(g, x, y, out, mode):
        if mode == "valid":
            return convolved(g, flipped(y), "full"), flipped(convolved(x, flipped(g), "valid"))
        return convolved(g, flipped(y), "valid"), convolved(g, flipped(x), "valid")

    def batch(axes, x, y, mode):
        if axes[1] is None:
            return convolved(x, y[None], mode), 0
        if axes[0] is None and mode == "full":
            return convolved(x[None], y, "full"), 0
        return batched(axes, x, y, mode), 0

    def notation(x, y, mode):
        return f'scipy.signal.convolve({{0}}, {{1}}, "{mode}")'


def convolved(x, y, mode):
    return TABLE["signal_convolve"].bind(x, y, mode=mode)


def batched(axes, x, y, mode):
    """One convolution per lane: a convolution with as many groups as lanes."""
    lanes = np.shape(y)[0]
    spatial = np.ndim(y) - 1
    x = x if axes[0] == 0 else np.broadcast_to(x, (lanes, *np.shape(x)))
    pads = tuple((n - 1, n - 1) if mode == "full" else (0, 0) for n in np.shape(y)[1:])
    turned = np.expand_dims(np.flip(y, tuple(range(1, spatial + 1))), 1)
    ones = (1,) * spatial
    found = TABLE["convolve_windows"].bind(np.expand_dims(x, 0), turned, strides=ones, padding=pads, dilation=ones, spread=ones, groups=lanes)
    return found[0]


def ordered(x, y, mode):
    """The operands, checked; for "valid" the larger one first."""
    x, y = array(x), array(y)
    shapes = [aval_of(v).shape for v in (x, y)]
    if len(shapes[0]) != len(shapes[1]) or not shapes[0]:
        raise ShapeError(f"convolve: arrays of shapes {shapes[0]} and {shapes[1]} do not fit together", "Give both as many axes.")
    if mode not in ("full", "same", "valid"):
        raise TransformError(f"convolve: mode={mode!r} is not known", "Choose 'full', 'same' or 'valid'.")
    if mode == "valid" and any(n < m for n, m in zip(*shapes)):
        if any(n > m for n, m in zip(*shapes)):
            raise ShapeError(f"convolve: neither of the shapes {shapes[0]} and {shapes[1]} holds the other", "mode='valid' needs that.")
        return y, x
    return x, y


def middle(full, shape):
    """The part of that shape in the middle."""
    starts = [(n - m) // 2 for n, m in zip(full.shape, shape)]
    return full[tuple(slice(s, s + m) for s, m in zip(starts, shape))]


@function(ss.convolve)
def convolve(in1, in2, mode="full", method="auto"):
    """scipy.signal.convolve."""
    x, y = ordered(in1, in2, mode)
    if mode == "same":
        return middle(convolved(x, y, "full"), aval_of(x).shape)
    return convolved(x, y, mode)


@function(ss.fftconvolve)
def fftconvolve(in1, in2, mode="full", axes=None):
    """scipy.signal.fftconvolve over all axes."""
    if axes is not None:
        raise TransformError("fftconvolve(axes=...) is not known", "Use np.fft.rfftn and irfftn over these axes.")
    return convolve(in1, in2, mode)


@function(ss.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """scipy.signal.convolve2d with zeros outside."""
    if boundary != "fill" or fillvalue != 0:
        raise TransformError(f"convolve2d: boundary={boundary!r} is not known", "Pad the array before.")
    return convolve(in1, in2, mode)


@function(ss.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    """scipy.signal.correlate: the convolution with the second array reversed and conjugated."""
    x, y = array(in1), array(in2)
    conjugate = np.conj(y) if aval_of(y).dtype.kind == "c" else y
    if mode == "valid" and any(n < m for n, m in zip(np.shape(x), np.shape(y))):
        return np.conj(np.flip(correlate(y, x, mode, method)))
    return convolve(x, np.flip(conjugate), mode)


@function(ss.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """scipy.signal.correlate2d with zeros outside."""
    if boundary != "fill" or fillvalue != 0:
        raise TransformError(f"correlate2d: boundary={boundary!r} is not known", "Pad the array before.")
    return correlate(in1, in2, mode)
