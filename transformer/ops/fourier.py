"""Fourier transforms: four ops over one axis; the others are compositions, in NumPy's own order."""

import numpy as np

from ..core import Aval
from ..errors import ShapeError, TransformError
from .batching import batched_along
from .op import array, aval_of, function, op

REAL = np.array([[1.0, -2.0, 0.5, 3.0, 0.25], [0.75, 1.5, -1.0, 2.0, -0.5]])
OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": None}


def cases(x, *lengths):
    """Samples over both axes, several lengths and all normalisations."""
    every = [{"n": n, "axis": 1, "norm": None} for n in lengths]
    return [((x,), p) for p in (*every, {"n": lengths[0], "axis": 0, "norm": "ortho"}, {"n": lengths[-1], "axis": 1, "norm": "forward"})]


def complex_dtype(aval):
    return np.dtype(np.complex64 if aval.dtype in (np.float32, np.float16, np.complex64) else np.complex128)


def resized(aval, axis, n, dtype):
    return Aval((*aval.shape[:axis], n, *aval.shape[axis + 1:]), dtype)


def complex_result(x, n, axis, norm):
    return resized(x, axis, n, complex_dtype(x))


def fitted(x, n, axis):
    """x cut or filled with zeros to size n along an axis."""
    size = x.shape[axis]
    if size == n:
        return x
    if size > n:
        return x[(slice(None),) * axis + (slice(0, n),)]
    return np.pad(x, [(0, n - size if i == axis else 0) for i in range(x.ndim)])


def notation(call):
    def template(x, n, axis, norm):
        size = x.shape[axis] if call != "irfft" else None if x.shape[axis] is None else 2 * (x.shape[axis] - 1)
        options = ([f"n={n}"] if n != size else []) + ([f"axis={axis}"] if axis != x.ndim - 1 else [])
        options += [f'norm="{norm}"'] if norm else []
        return f"np.fft.{call}({', '.join(['{0}', *options])})"
    return template


def lower_transform(hlo, x, n, axis, norm, kind):
    """stablehlo.fft along one axis, scaled as `norm` says. kind: FFT, IFFT, RFFT or IRFFT."""
    length = n // 2 + 1 if kind == "IRFFT" else n
    x = lower_fitted(hlo, x, length, axis)
    order = [i for i in range(len(x.shape)) if i != axis] + [axis]
    x = hlo.transpose(x, tuple(order)) if axis != len(x.shape) - 1 else x
    size = n // 2 + 1 if kind == "RFFT" else n
    double = x.dtype in (np.float64, np.complex128)
    dtype = np.dtype((np.float64 if double else np.float32) if kind == "IRFFT" else (np.complex128 if double else np.complex64))
    attrs = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: {n}>"
    x = hlo.op("fft", [x], (*x.shape[:-1], size), dtype, attrs)
    back = tuple(order.index(i) for i in range(len(order)))
    x = hlo.transpose(x, back) if axis != len(order) - 1 else x
    scale = {"ortho": n ** -0.5, "forward": 1.0 / n}.get(norm, 1.0)
    if kind in ("IFFT", "IRFFT"):
        scale = {"ortho": n ** 0.5, "forward": float(n)}.get(norm, 1.0)
    return x if scale == 1.0 else hlo.multiply(x, hlo.constant(scale, dtype))


def lower_fitted(hlo, x, n, axis):
    size, ndim = x.shape[axis], len(x.shape)
    if size > n:
        return hlo.slice(x, (0,) * ndim, tuple(n if i == axis else d for i, d in enumerate(x.shape)), (1,) * ndim)
    if size < n:
        return hlo.pad(x, 0, (0,) * ndim, tuple(n - size if i == axis else 0 for i in range(ndim)), (0,) * ndim)
    return x


def lowering(kind):
    """The lowering of a transform of complex numbers."""
    def lower(hlo, out, x, n, axis, norm):
        return lower_transform(hlo, hlo.convert(x, out.dtype), n, axis, norm, kind)
    return lower


@op(linear="jointly")
class fft:
    """Discrete Fourier transform of size n along an axis."""

    samples = cases(REAL, 5, 8, 3)
    impl, notation, batch = np.fft.fft, notation("fft"), batched_along("fft", "axis")
    infer, lower = complex_result, lowering("FFT")

    def vjp(g, x, out, n, axis, norm):
        return fitted(fft.bind(g, n=n, axis=axis, norm=norm), x.shape[axis], axis)


@op(linear="jointly")
class ifft:
    """Inverse of `fft`."""

    samples = cases(REAL, 5, 8, 3)
    impl, notation, batch = np.fft.ifft, notation("ifft"), batched_along("ifft", "axis")
    infer, lower = complex_result, lowering("IFFT")

    def vjp(g, x, out, n, axis, norm):
        return fitted(ifft.bind(g, n=n, axis=axis, norm=norm), x.shape[axis], axis)


@op(linear="jointly")
class rfft:
    """Fourier transform of real input: the n // 2 + 1 terms of non-negative frequency."""

    samples = cases(REAL, 5, 8, 3)
    impl, notation, batch = np.fft.rfft, notation("rfft"), batched_along("rfft", "axis")

    def infer(x, n, axis, norm):
        if x.dtype.kind == "c":
            raise TransformError("np.fft.rfft needs real input", "Use np.fft.fft for complex arrays.")
        return resized(x, axis, n // 2 + 1, complex_dtype(x))

    def lower(hlo, out, x, n, axis, norm):
        x = hlo.convert(x, np.dtype(np.float32 if out.dtype == np.complex64 else np.float64))
        return lower_transform(hlo, x, n, axis, norm, "RFFT")

    def vjp(g, x, out, n, axis, norm):
        return fitted(np.real(fft.bind(g, n=n, axis=axis, norm=norm)), x.shape[axis], axis)


@op(linear="jointly")
class irfft:
    """Inverse of `rfft`: n real values."""

    samples = cases(REAL + 1j * REAL[::-1], 8, 9, 4)
    impl, notation, batch = np.fft.irfft, notation("irfft"), batched_along("irfft", "axis")

    def infer(x, n, axis, norm):
        return resized(x, axis, n, np.dtype(np.float32 if complex_dtype(x) == np.complex64 else np.float64))

    def lower(hlo, out, x, n, axis, norm):
        x = hlo.convert(x, np.dtype(np.complex64 if out.dtype == np.float32 else np.complex128))
        return lower_transform(hlo, x, n, axis, norm, "IRFFT")

    def vjp(g, x, out, n, axis, norm):
        bar = np.conj(rfft.bind(g, n=n, axis=axis, norm=OPPOSITE[norm]))
        weight = np.full(n // 2 + 1, 2.0, dtype=g.dtype)
        weight[0] = 1.0
        if n % 2 == 0:
            weight[-1] = 1.0
        weight = np.reshape(weight, (-1, *(1,) * (x.ndim - 1 - axis)))
        return fitted(weight * bar, x.shape[axis], axis)


def normal(a, axis, norm):
    a = array(a)
    ndim = len(aval_of(a).shape)
    if not -ndim <= axis < ndim:
        raise ShapeError(f"fft: axis {axis} is out of bounds for an array of {ndim} axes", "Axes count from 0.")
    if norm not in (None, "backward", "ortho", "forward"):
        raise TransformError(f"fft: norm={norm!r}", 'Use "backward", "ortho" or "forward".')
    return a, axis % ndim, None if norm == "backward" else norm


def declare_1d(call, entry, default):
    @function(call)
    def transform(a, n=None, axis=-1, norm=None, out=None):
        a, axis, norm = normal(a, axis, norm)
        n = default(aval_of(a).shape[axis]) if n is None else int(n)
        if n < 1:
            raise ShapeError(f"fft: {n} data points", "The transform needs at least one.")
        return entry.bind(a, n=n, axis=axis, norm=norm)
    transform.__name__ = entry.name


def same_size(size):
    return size


def real_size(size):
    return 2 * (size - 1)


declare_1d(np.fft.fft, fft, same_size)
declare_1d(np.fft.ifft, ifft, same_size)
declare_1d(np.fft.rfft, rfft, same_size)
declare_1d(np.fft.irfft, irfft, real_size)


@function(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """Transform of a signal with Hermitian symmetry: real output."""
    a, axis, norm = normal(a, axis, norm)
    n = real_size(a.shape[axis]) if n is None else int(n)
    return irfft.bind(np.conj(a), n=n, axis=axis, norm=OPPOSITE[norm])


@function(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of `hfft`."""
    a, axis, norm = normal(a, axis, norm)
    return np.conj(rfft.bind(a, n=a.shape[axis] if n is None else int(n), axis=axis, norm=OPPOSITE[norm]))


def sizes_and_axes(a, s, axes, inverse_real=False):
    """Axes and sizes of an n-dimensional transform."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(a.ndim - len(s), a.ndim)
    axes = [int(i) % a.ndim for i in axes]
    if s is None:
        s = [a.shape[i] for i in axes]
        if inverse_real:
            s[-1] = real_size(s[-1])
    return [a.shape[i] if n is None or n == -1 else int(n) for n, i in zip(s, axes, strict=True)], axes


def each_axis(transform, a, s, axes, norm):
    """The transform along one axis after the other, the last first."""
    for n, axis in reversed(list(zip(s, axes, strict=True))):
        a = transform(a, n, axis, norm)
    return a


@function(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None, out=None):
    a = array(a)
    return each_axis(np.fft.fft, a, *sizes_and_axes(a, s, axes), norm)


@function(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None, out=None):
    a = array(a)
    return each_axis(np.fft.ifft, a, *sizes_and_axes(a, s, axes), norm)


@function(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return fftn(a, s, axes, norm)


@function(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return ifftn(a, s, axes, norm)


@function(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    a = array(a)
    s, axes = sizes_and_axes(a, s, axes)
    return each_axis(np.fft.fft, np.fft.rfft(a, s[-1], axes[-1], norm), s[:-1], axes[:-1], norm)


@function(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    a = array(a)
    s, axes = sizes_and_axes(a, s, axes, inverse_real=True)
    for n, axis in zip(s[:-1], axes[:-1], strict=True):
        a = np.fft.ifft(a, n, axis, norm)
    return np.fft.irfft(a, s[-1], axes[-1], norm)


@function(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm)


@function(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm)


def shifted(x, axes, direction):
    x = array(x)
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    axes = tuple(i % x.ndim for i in axes)
    shift = tuple(x.shape[i] // 2 if direction > 0 else -(x.shape[i] // 2) for i in axes)
    return np.roll(x, shift, axes)


@function(np.fft.fftshift)
def fftshift(x, axes=None):
    """The zero frequency moved to the middle."""
    return shifted(x, axes, 1)


@function(np.fft.ifftshift)
def ifftshift(x, axes=None):
    """Inverse of `fftshift`."""
    return shifted(x, axes, -1)


@function(np.fft.fftfreq)
def fftfreq(n, d=1.0, device=None):
    """The frequencies of the terms of `fft`."""
    n = int(n)
    return np.concatenate([np.arange((n - 1) // 2 + 1), np.arange(-(n // 2), 0)]) * (1.0 / (n * d))


@function(np.fft.rfftfreq)
def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the terms of `rfft`."""
    return np.arange(int(n) // 2 + 1) * (1.0 / (n * d))


__all__ = ["fft", "ifft", "irfft", "rfft"]
