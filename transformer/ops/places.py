"""The op places: the mask of a range of an axis. It marks what counts of an array whose length only the running program knows
(see `frontend.ragged`); `transforms.narrow` turns what it masks into slices again.
"""

import numpy as np

from ..core import Aval
from .op import op

BOOL = np.dtype(bool)


def between(at, bounds, starts, stops):
    """Where `at` is in the range: from the first of `bounds` on if it `starts`, before the last one if it `stops`."""
    tests = ([at >= bounds[0]] if starts else []) + ([at < bounds[-1]] if stops else [])
    return tests[0] if len(tests) == 1 else tests[0] & tests[1]


@op(differentiable=False)
class places:
    """The places of an axis of `size` from the first operand on (`starts`) and before the last operand (`stops`): a bool array."""

    cheap = True
    samples = [((np.int64(2),), {"size": 4, "starts": True, "stops": False}), ((np.int64(3),), {"size": 4, "starts": False, "stops": True}),
               ((np.int64(1), np.int64(9)), {"size": 5, "starts": True, "stops": True})]

    def impl(*bounds, size, starts, stops):
        return between(np.arange(size), bounds, starts, stops)

    def infer(*bounds, size, starts, stops):
        return Aval((size,), BOOL)

    def lower(hlo, out, *bounds, size, starts, stops):
        tests = []
        for bound, direction in zip(bounds, ["GE"] * starts + ["LT"] * stops):
            tests.append(hlo.compare(direction, hlo.constant(np.arange(size), bound.dtype), hlo.broadcast_to(bound, (size,))))
        return tests[0] if len(tests) == 1 else hlo.binary("and", *tests)

    def notation(*bounds, size, starts, stops):
        tests = [f"np.arange({size}) >= {{0}}"] * starts + [f"np.arange({size}) < {{{len(bounds) - 1}}}"] * stops
        return tests[0] if len(tests) == 1 else f"({tests[0]}) & ({tests[1]})"

    def batch(axes, *bounds, size, starts, stops):
        bounds = [np.reshape(b, (-1, 1)) if axis == 0 else b for axis, b in zip(axes, bounds)]
        return between(np.arange(size), bounds, starts, stops), 0
