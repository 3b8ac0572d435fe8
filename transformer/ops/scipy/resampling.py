"""scipy.ndimage: images at places between their elements, by the nearest element or linearly, with every way to continue the image."""

import itertools

import numpy as np
import scipy.ndimage as nd

from ...errors import ShapeError, TransformError
from ..op import array, function, operands
from .image_filters import image, returned, sequence
from .options import floating, only

MODES = ("constant", "grid-constant", "nearest", "reflect", "grid-mirror", "mirror", "wrap", "grid-wrap")


def checked(name, order, mode):
    if order not in (0, 1):
        raise TransformError(f"{name}(order={order}) is not known to transformer", "Pass order=1 (linear) or order=0 (nearest).")
    only(name, "mode", mode, *MODES)


def folded(at, n, mode):
    """Places brought into an image of n elements."""
    if mode == "nearest" or mode == "constant" or n == 1 and mode in ("mirror", "wrap"):
        return np.clip(at, 0, n - 1)
    if mode == "mirror":
        turn = np.remainder(at, 2 * n - 2)
        return np.where((turn >= n) | (at < 0) & (turn > n - 1), 2 * n - 2 - turn, turn)
    if mode in ("reflect", "grid-mirror"):
        turn = np.remainder(at, 2 * n)
        return np.where(at < 0, reflected_below(at, n), np.where(turn >= n, 2 * n - 1 - turn, turn))
    if mode == "wrap":
        span = n - 1
        below = at + span * (np.trunc(-at / span) + 1)
        return np.where(at < 0, below, np.where(at > span, at - span * np.trunc(at / span), at))
    if mode == "grid-wrap":
        below = at + n * (np.trunc((-1 - at) / n) + 1)
        return np.where(at < 0, below, np.where(at > n - 1, at - n * np.trunc(at / n), at))
    return at


def reflected_below(at, n):
    """Places before the first element, mirrored at the image's edge, half an element before it."""
    near = np.where(at < -2 * n, at + 2 * n * np.trunc(-at / (2 * n)), at)
    return np.where(near < -n, near + 2 * n, -near - 1)


def neighbours(at, n, order, mode):
    """[(index of an element, its weight, whether it is in the image or None)] for places along an axis."""
    inside = (at >= 0) & (at <= n - 1) if mode == "constant" else None
    at = folded(at, n, mode)
    if order == 0:
        found = [(np.floor(at + 0.5), None)]
    else:
        low = np.floor(at)
        found = [(low, 1.0 - (at - low)), (low + 1, at - low)]
    return [(*index(np.astype(i, int), n, mode, inside), weight) for i, weight in found]


def index(i, n, mode, inside):
    """(index within the image, whether there is an element)."""
    if mode == "grid-constant":
        inside = (i >= 0) & (i < n)
    if mode in ("reflect", "grid-mirror"):
        turn = np.remainder(i, 2 * n)
        return np.where(turn >= n, 2 * n - 1 - turn, turn), inside
    if mode == "mirror":
        i = np.where(i > n - 1, 2 * n - 2 - i, i)
    return np.remainder(i, n) if mode == "grid-wrap" else np.clip(i, 0, n - 1), inside


@function(nd.map_coordinates)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """scipy.ndimage.map_coordinates of order 0 or 1."""
    checked("map_coordinates", order, mode)
    x, places = operands(image("map_coordinates", input), floating(array(coordinates)))
    if np.shape(places)[0] != np.ndim(x):
        raise ShapeError(f"map_coordinates: {np.shape(places)[0]} coordinates for {np.ndim(x)} axes", "Give a row of places for each axis.")
    options = [neighbours(places[k], n, order, mode) for k, n in enumerate(np.shape(x))]
    total = 0.0
    for corner in itertools.product(*options):
        value = x[tuple(i for i, _, _ in corner)]
        if corner[0][1] is not None:
            inside = corner[0][1]
            for _, also, _ in corner[1:]:
                inside = inside & also
            value = np.where(inside, value, cval)
        for _, _, weight in corner:
            value = value if weight is None else value * weight
        total = total + value
    return returned(total, x, output)


def along_axis(x, axis, at, order, mode, cval):
    """The image at places along an axis."""
    shape = [-1 if k == axis else 1 for k in range(np.ndim(x))]
    total = 0.0
    for i, inside, weight in neighbours(at, np.shape(x)[axis], order, mode):
        value = np.take(x, i, axis=axis)
        value = value if inside is None else np.where(np.reshape(inside, shape), value, cval)
        total = total + (value if weight is None else value * np.reshape(weight, shape))
    return total


@function(nd.shift)
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """scipy.ndimage.shift of order 0 or 1."""
    checked("shift", order, mode)
    x = image("shift", input)
    result = x
    for axis, step in enumerate(sequence(array(shift), np.ndim(x))):
        result = along_axis(result, axis, np.arange(np.shape(x)[axis]) - step, order, mode, cval)
    return returned(result, x, output)


@function(nd.zoom)
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """scipy.ndimage.zoom of order 0 or 1."""
    checked("zoom", order, mode)
    x = image("zoom", input)
    result = x
    for axis, factor in enumerate(sequence(zoom, np.ndim(x))):
        n = np.shape(x)[axis]
        size = int(round(n * factor))
        at = np.arange(size)
        places = (at + 0.5) * (n / size) - 0.5 if grid_mode else at * ((n - 1) / (size - 1) if size > 1 else 1.0)
        result = along_axis(result, axis, places, order, mode, cval)
    return returned(result, x, output)


__all__ = ["map_coordinates"]
