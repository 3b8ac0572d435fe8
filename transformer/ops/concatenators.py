"""np.r_ and np.c_: arrays, numbers and slices (ranges) joined by an index expression."""

import numpy as np

from ..errors import TypeMismatch
from .op import array, aval_of, function


def ranged(item):
    """The numbers that a slice stands for: a range, or for an imaginary step so many points between its bounds."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if isinstance(step, complex):
        return np.linspace(start, item.stop, int(abs(step)))
    return np.arange(start, item.stop, step)


def widened(item, ndmin, place):
    """An item with at least `ndmin` axes; new ones stand first, or around the item's own from position `place` on."""
    item = array(item)
    ndim = len(aval_of(item).shape)
    item = np.reshape(item, (1,) * max(ndmin - ndim, 0 if ndim else 1) + np.shape(item))
    if place == -1 or not 0 < ndim < ndmin:
        return item
    missing = ndmin - ndim
    first = place + missing + 1 if place < 0 else place
    axes = list(range(ndmin))
    return np.transpose(item, axes[:first] + axes[missing:] + axes[first:missing])


def joined(key, axis, ndmin, place):
    """The items of an index, concatenated; a leading string "axis,ndmin,place" sets the layout."""
    items = list(key) if isinstance(key, tuple) else [key]
    if items and isinstance(items[0], str):
        try:
            numbers = [int(n) for n in items.pop(0).split(",")]
        except ValueError:
            raise TypeMismatch("np.r_ with a letter gives a matrix object", "Use numbers: np.r_['-1,2,0', x, y].") from None
        axis, ndmin, place = (*numbers, *(ndmin, place)[len(numbers) - 1:])
    return np.concatenate([widened(ranged(i) if isinstance(i, slice) else i, ndmin, place) for i in items], axis=axis)


@function(np.r_)
def rows(key):
    """np.r_[...]: along the first axis."""
    return joined(key, 0, 1, -1)


@function(np.c_)
def columns(key):
    """np.c_[...]: vectors as columns, along the last axis."""
    return joined(key, -1, 2, 0)
