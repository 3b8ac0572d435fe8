"""np.pad in the modes that compute what they add: a ramp to an end value, the maximum, minimum, mean or median of an axis, odd reflections."""

import numpy as np

from ..errors import TransformError

STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


def pairs(value, ndim):
    """A (before, after) pair per axis from what np.pad takes: a number, a pair for all axes, or a pair for each."""
    return [tuple(pair) for pair in np.broadcast_to(np.asarray(value, object), (ndim, 2))]


def part(x, axis, start, stop):
    return x[(slice(None),) * axis + (slice(start, stop),)]


def ramp(x, axis, width, end_values):
    """Lines from the outermost elements to the end values."""
    shape = [1] * np.ndim(x)
    sides = []
    for first, count, end in zip((True, False), width, end_values):
        shape[axis] = count
        share = np.reshape(np.arange(count) / max(count, 1), shape)
        edge = part(x, axis, 0, 1) if first else part(x, axis, -1, None)
        sides.append(end + (edge - end) * (share if first else np.flip(share, axis)))
    return np.concatenate([sides[0], x, sides[1]], axis=axis)


def statistic(x, axis, width, lengths, compute):
    """Copies of a statistic of the outermost `lengths` elements (None: of all)."""
    n = np.shape(x)[axis]
    inner = [part(x, axis, 0, lengths[0] or n), part(x, axis, -(lengths[1] or n), None)]
    sides = [np.repeat(compute(v, axis=axis, keepdims=True), count, axis=axis) for v, count in zip(inner, width)]
    return np.concatenate([sides[0], x, sides[1]], axis=axis)


def odd(x, axis, width, mode):
    """Reflections at the outermost elements, turned over: twice the edge minus the reflected elements."""
    before, after = width
    skipped, period = (0, np.shape(x)[axis]) if mode == "symmetric" else (1, np.shape(x)[axis] - 1)
    while before or after:
        n = np.shape(x)[axis]
        most = max((n - skipped) // max(period, 1) * period, 1)
        low, high = min(before, most), min(after, most)
        sides = [2 * part(x, axis, 0, 1) - np.flip(part(x, axis, skipped, skipped + low) if period else part(x, axis, 0, 1), axis)] if low else []
        sides.append(x)
        if high:
            sides.append(2 * part(x, axis, n - 1, n) - np.flip(part(x, axis, n - skipped - high, n - skipped) if period else part(x, axis, 0, 1), axis))
        x, before, after = np.concatenate(sides, axis=axis), before - low, after - high
    return x


def padded(x, width, mode, stat_length=None, end_values=0):
    """np.pad of an inexact array in one of these modes; width: a static pair per axis."""
    if mode in ("reflect", "symmetric"):
        for axis, pair in enumerate(width):
            x = odd(x, axis, pair, mode)
        return x
    if x.dtype.kind not in "fc":
        raise TransformError(f"np.pad(mode={mode!r}) of integers rounds, which is not known to transformer", "Convert to float first.")
    lengths, ends = pairs(stat_length, np.ndim(x)), pairs(end_values, np.ndim(x))
    for axis, pair in enumerate(width):
        if pair == (0, 0):
            continue
        if mode == "linear_ramp":
            x = ramp(x, axis, pair, ends[axis])
        else:
            x = statistic(x, axis, pair, lengths[axis], STATISTICS[mode])
    return x
