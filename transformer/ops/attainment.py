"""Where an extremum is taken: attains_max, attains_min, attains_nanmax, attains_nanmin, the comparison of an array with its extrema.

On NumPy that is `x == out`. Compiled code may compute `x` a second time in a derivative, and round it differently (a product and a sum
become one operation, or do not): then no element would equal `out`, and the cotangent would be lost. So the lowering finds the first extremum
itself, in one pass over the values; elements that equal it are others.
"""

import numpy as np

from ..core import Aval, is_floating, is_real
from .op import TABLE, Op, broadcast, register

BOOL = np.dtype(bool)


def infer(x, out):
    return Aval(broadcast(x.shape, out.shape), BOOL)


def extreme(hlo, x, kind, ignore_nan, axes):
    """The extrema of a value along axes; ignore_nan: nan where there is nothing else only."""
    if not ignore_nan or not is_floating(x.dtype):
        return hlo.reduce(x, None, axes, kind)
    best = hlo.reduce(without_nan(hlo, x, kind), None, axes, kind)
    nothing = hlo.reduce(hlo.compare("NE", x, x), None, axes, "and")
    return hlo.select(nothing, hlo.full(best.shape, np.nan, x.dtype), best)


def without_nan(hlo, x, kind):
    """The value with what no extremum is in the place of nan."""
    return hlo.select(hlo.compare("NE", x, x), hlo.full(x.shape, -np.inf if kind == "maximum" else np.inf, x.dtype), x)


def farthest(dtype, largest):
    """The largest or smallest value of a real type: what changes no minimum, or no maximum."""
    if is_real(dtype):
        return np.inf if largest else -np.inf
    if dtype.kind == "b":
        return largest
    return np.iinfo(dtype).max if largest else np.iinfo(dtype).min


def _declare(name, kind, ignore_nan):
    def lower(hlo, out, x, best):
        ones = (1,) * (len(x.shape) - len(best.shape)) + tuple(best.shape)[max(len(best.shape) - len(x.shape), 0):]
        axes = tuple(k for k, (n, m) in enumerate(zip(x.shape, ones)) if m == 1)
        if not axes or hlo.rounds_alike(x):
            return hlo.compare("EQ", hlo.broadcast_to(x, out.shape), hlo.broadcast_to(best, out.shape))
        kept = [k for k in range(len(x.shape)) if k not in axes]
        found, place = hlo.extremum(without_nan(hlo, x, kind) if ignore_nan else x, axes, kind)
        found, place = (hlo.broadcast_in_dim(v, x.shape, kept) for v in (found, place))
        first = hlo.compare("EQ", hlo.places(x.shape, axes), place)
        hit = hlo.and_(hlo.or_(hlo.compare("EQ", x, found), first), hlo.compare("EQ", x, x))
        return hlo.broadcast_to(hit, out.shape)

    def samples(rng):
        x = rng.integers(0, 3, (3, 4)).astype(float)
        return [((x, getattr(np, name)(x, axis=1, keepdims=True)), {}), ((x, getattr(np, name)(x)), {})]

    register(Op(f"attains_{name}", np.equal, infer, lower, symbol="==", partials=(None, None), samples=samples, differentiable=False))


for _name, _kind in [("max", "maximum"), ("min", "minimum")]:
    _declare(_name, _kind, ignore_nan=False)
    _declare(f"nan{_name}", _kind, ignore_nan=True)


def attains(name, x, out):
    """Where the elements of `x` are its extrema `out`, which have size 1 along the axes that were reduced. name: "max", "nanmin"..."""
    return TABLE[f"attains_{name}"].bind(x, out)
