"""scipy.ndimage: correlations with small filters, along one axis or several, with every way to continue the image at its edges.

Images of floats; sums are taken in double precision and given the image's type, as scipy does.
"""

import math

import numpy as np
import scipy.ndimage as nd
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import ShapeError, TransformError
from ..elementwise import root
from ..op import array, aval_of, function, is_reference
from .options import normal_axis

PADDING = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
           "constant": "constant", "grid-constant": "constant"}
SHORT = 9
"""Filters of up to so many weights are sums of shifted images; longer ones a product with windows."""


# parts ---------------------------------------------------------------------------------------------------
def image(name, x):
    x = array(x)
    if aval_of(x).dtype.kind not in "fc":
        raise TransformError(f"{name} of an image of {aval_of(x).dtype}, whose results scipy rounds towards 0, is not known to transformer",
                             "Convert the image to float first.")
    return x


def weights_of(name, weights):
    weights = array(weights)
    if aval_of(weights).dtype.kind == "c":
        raise TransformError(f"{name} with complex weights is not known to transformer", "Filter the real and the imaginary part.")
    return weights if is_reference(weights) else np.asarray(weights, float)


def returned(result, x, output):
    """A result in the type of the image or of `output`; stored there if that is an array."""
    if output is None or isinstance(output, str | type | np.dtype):
        dtype = aval_of(x).dtype if output is None else np.dtype(output)
        return result if aval_of(result).dtype == dtype else np.astype(result, dtype)
    output[...] = result
    return output


def continued(name, x, before, after, mode, cval):
    """The image continued by so many elements along each axis."""
    if not isinstance(mode, str) or mode not in PADDING:
        raise TransformError(f"{name}: mode={mode!r} is not known", f"Choose {', '.join(PADDING)}.")
    if not any(before) and not any(after):
        return x
    extra = {"constant_values": cval} if PADDING[mode] == "constant" else {}
    return np.pad(x, tuple(zip(before, after)), mode=PADDING[mode], **extra)


def centre(name, size, origin):
    """How many weights stand before the element that a sum is for."""
    before = size // 2 + int(origin)
    if size < 1 or not 0 <= before < size:
        raise ShapeError(f"{name}: origin {origin} of a filter of {size} elements", "Keep it within the filter.")
    return before


def sequence(value, count):
    """One value for each axis."""
    if isinstance(value, str) or not np.ndim(value) and not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ShapeError(f"{len(value)} values for {count} axes", "Give one value, or one for each axis.")
    return list(value)


def axes_of(name, axes, ndim):
    if axes is None:
        return list(range(ndim))
    return [normal_axis(name, k, ndim) for k in (axes if isinstance(axes, tuple | list) else (axes,))]


def sums_along(x, axis, weights, size):
    """sum over j of weights[j] * x[i + j] along an axis; weights None: all are 1."""
    n = np.shape(x)[axis] - size + 1
    if size > SHORT:
        windows = sliding_window_view(x, size, axis=axis)
        return np.sum(windows, axis=-1) if weights is None else windows @ weights
    total = None
    for j in range(size):
        if weights is not None and not is_reference(weights) and weights[j] == 0:
            continue
        moved = x[(slice(None),) * axis + (slice(j, j + n),)]
        term = moved if weights is None else weights[j] * moved
        total = term if total is None else total + term
    return np.zeros_like(x[(slice(None),) * axis + (slice(0, n),)]) if total is None else total


# along one axis ------------------------------------------------------------------------------------------
@function(nd.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """scipy.ndimage.correlate1d."""
    x, weights = image("correlate1d", input), weights_of("correlate1d", weights)
    axis = normal_axis("correlate1d", axis, np.ndim(x))
    if np.ndim(weights) != 1:
        raise ShapeError(f"correlate1d: weights of shape {np.shape(weights)}", "Give a vector.")
    size = np.shape(weights)[0]
    before = centre("correlate1d", size, origin)
    margins = [[n * (k == axis) for k in range(np.ndim(x))] for n in (before, size - 1 - before)]
    return returned(sums_along(continued("correlate1d", x, *margins, mode, cval), axis, weights, size), x, output)


@function(nd.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """scipy.ndimage.convolve1d."""
    weights = weights_of("convolve1d", weights)
    even = np.shape(weights)[0] % 2 == 0
    return correlate1d(input, weights[::-1], axis, output, mode, cval, -origin - even)


@function(nd.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """scipy.ndimage.uniform_filter1d."""
    x = image("uniform_filter1d", input)
    axis, size = normal_axis("uniform_filter1d", axis, np.ndim(x)), int(size)
    before = centre("uniform_filter1d", size, origin)
    margins = [[n * (k == axis) for k in range(np.ndim(x))] for n in (before, size - 1 - before)]
    return returned(sums_along(continued("uniform_filter1d", x, *margins, mode, cval), axis, None, size) / size, x, output)


@function(nd.gaussian_filter1d)
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    """scipy.ndimage.gaussian_filter1d; with radius= its width has a derivative."""
    radius = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if radius < 0 or radius != int(radius) or order < 0 or order != int(order):
        raise TransformError(f"gaussian_filter1d of radius {radius} and order {order}", "Give whole numbers from 0 on.")
    return correlate1d(input, bell(sigma, int(order), int(radius))[::-1], axis, output, mode, cval, 0)


def bell(sigma, order, radius):
    """The weights of a derivative of the normal density: Hermite's polynomial times the density at whole numbers, whose sum is 1."""
    at = np.arange(-radius, radius + 1)
    density = np.exp(-0.5 * (at / sigma) ** 2)
    density = density / np.sum(density)
    scaled = at / sigma
    before, factor = 0.0, 1.0
    for k in range(order):
        before, factor = factor, -scaled * factor - k * before
    return density if order == 0 else factor * density / sigma ** order


# along several axes ----------------------------------------------------------------------------------------
@function(nd.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """scipy.ndimage.correlate."""
    x, weights = image("correlate", input), weights_of("correlate", weights)
    axes = axes_of("correlate", axes, np.ndim(x))
    if np.ndim(weights) != len(axes):
        raise ShapeError(f"correlate: weights of {np.ndim(weights)} axes for {len(axes)}", "Give as many.")
    sizes, origins = [1] * np.ndim(x), [0] * np.ndim(x)
    for axis, size in zip(sorted(axes), np.shape(weights)):
        sizes[axis] = size
    for axis, shift in zip(axes if len(axes) < np.ndim(x) else sorted(axes), sequence(origin, len(axes))):
        origins[axis] = shift
    before = [centre("correlate", n, shift) for n, shift in zip(sizes, origins)]
    moved = continued("correlate", x, before, [n - 1 - b for n, b in zip(sizes, before)], mode, cval)
    return returned(sums_over(moved, np.reshape(weights, sizes), sizes), x, output)


def sums_over(x, weights, sizes):
    """sum over j of weights[j] * x[i + j]."""
    if math.prod(sizes) > SHORT:
        windows = sliding_window_view(x, tuple(sizes))
        return np.tensordot(windows, weights, len(sizes))
    shape, total = [n - size + 1 for n, size in zip(np.shape(x), sizes)], None
    for place in np.ndindex(*sizes):
        if is_reference(weights) or weights[place] != 0:
            term = weights[place] * x[tuple(slice(j, j + n) for j, n in zip(place, shape))]
            total = term if total is None else total + term
    return np.zeros_like(x[tuple(slice(0, n) for n in shape)]) if total is None else total


@function(nd.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """scipy.ndimage.convolve."""
    weights = weights_of("convolve", weights)
    origins = [-shift - (n % 2 == 0) for n, shift in zip(np.shape(weights), sequence(origin, np.ndim(weights)))]
    return correlate(input, np.flip(weights), output, mode, cval, origins, axes=axes)


def in_turn(name, x, output, mode, axes, one, *options):
    """A filter along each of the axes, one after the other: one(image, axis, mode, *options), which may be None to leave an axis out."""
    x = image(name, x)
    axes = axes_of(name, axes, np.ndim(x))
    result = x
    for axis, its_mode, *its in zip(axes, sequence(mode, len(axes)), *(sequence(o, len(axes)) for o in options)):
        result = one(result, axis, its_mode, *its)
    return returned(result, x, output)


@function(nd.gaussian_filter)
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None):
    """scipy.ndimage.gaussian_filter."""
    def one(x, axis, mode, sigma, order, radius):
        if not is_reference(sigma) and sigma <= 1e-15:
            return x
        return gaussian_filter1d(x, sigma, axis, order, None, mode, cval, truncate, radius=radius)
    return in_turn("gaussian_filter", input, output, mode, axes, one, sigma, order, radius)


@function(nd.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """scipy.ndimage.uniform_filter."""
    def one(x, axis, mode, size, origin):
        return x if size <= 1 else uniform_filter1d(x, size, axis, None, mode, cval, origin)
    return in_turn("uniform_filter", input, output, mode, axes, one, size, origin)


def edges(name, input, axis, output, mode, cval, smooth):
    """A difference along an axis, smoothed along the others."""
    x = image(name, input)
    axis, modes = normal_axis(name, axis, np.ndim(x)), sequence(mode, np.ndim(x))
    result = correlate1d(x, [-1, 0, 1], axis, None, modes[axis], cval)
    for k in range(np.ndim(x)):
        if k != axis:
            result = correlate1d(result, smooth, k, None, modes[k], cval)
    return returned(result, x, output)


@function(nd.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """scipy.ndimage.sobel."""
    return edges("sobel", input, axis, output, mode, cval, [1, 2, 1])


@function(nd.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """scipy.ndimage.prewitt."""
    return edges("prewitt", input, axis, output, mode, cval, [1, 1, 1])


def summed(name, input, output, mode, axes, one):
    """The sum of a filter along each of the axes."""
    x = image(name, input)
    axes = axes_of(name, axes, np.ndim(x))
    terms = [one(x, axis, its_mode) for axis, its_mode in zip(axes, sequence(mode, len(axes)))]
    return returned(sum(terms[1:], terms[0]) if terms else x, x, output)


@function(nd.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """scipy.ndimage.laplace."""
    return summed("laplace", input, output, mode, axes, lambda x, axis, mode: correlate1d(x, [1, -2, 1], axis, None, mode, cval))


def derivative(order, sigma, cval, options, axes):
    """A derivative along an axis of the image seen through a normal density."""
    def along_axis(x, axis, mode):
        orders = [order if k == axis else 0 for k in axes_of("gaussian_filter", axes, np.ndim(x))]
        return gaussian_filter(x, sigma, orders, None, mode, cval, axes=axes, **options)
    return along_axis


@function(nd.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """scipy.ndimage.gaussian_laplace."""
    return summed("gaussian_laplace", input, output, mode, axes, derivative(2, sigma, cval, kwargs, axes))


@function(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """scipy.ndimage.gaussian_gradient_magnitude; its derivative where the gradient is 0 is 0."""
    slope = derivative(1, sigma, cval, kwargs, axes)
    return returned(root(summed("gaussian_gradient_magnitude", input, None, mode, axes, lambda *place: slope(*place) ** 2)), array(input), output)


__all__ = ["axes_of", "image", "returned", "sequence"]
