"""Comparisons, logic and selection."""

import numpy as np

from ..core import Aval
from ..errors import TransformError
from .op import TABLE, broadcast, function, op, piecewise_constant, result_dtype
from .samples import PAIR


def operands_of(hlo, out, *values):
    """Operands of a comparison at the dtype NumPy compares in, broadcast to the result's shape."""
    dtype = result_dtype(*(Aval(v.shape, v.dtype, getattr(v, "weak", False)) for v in values))
    return [hlo.broadcast_to(hlo.convert(v, dtype), out.shape) for v in values]


def _comparison(direction):
    def lower(hlo, out, x, y):
        return hlo.compare(direction, *operands_of(hlo, out, x, y))
    return lower


for _ufunc, _symbol, _direction in [(np.less, "<", "LT"), (np.less_equal, "<=", "LE"), (np.greater, ">", "GT"),
                                    (np.greater_equal, ">=", "GE"), (np.equal, "==", "EQ"), (np.not_equal, "!=", "NE")]:
    piecewise_constant(_ufunc, _comparison(_direction), symbol=_symbol, samples=PAIR)


def _logical(kind):
    def lower(hlo, out, *operands):
        truths = [hlo.broadcast_to(hlo.convert(v, np.dtype(bool)), out.shape) for v in operands]
        return hlo.op(kind, truths, out.shape, np.dtype(bool))
    return lower


for _ufunc, _kind in [(np.logical_and, "and"), (np.logical_or, "or"), (np.logical_xor, "xor"), (np.logical_not, "not")]:
    piecewise_constant(_ufunc, _logical(_kind))


# selection ----------------------------------------------------------------------
class where_rules:
    def infer(c, x, y):
        return Aval(broadcast(c.shape, x.shape, y.shape), result_dtype(x, y))

    def lower(hlo, out, c, x, y):
        c = hlo.broadcast_to(hlo.convert(c, np.dtype(bool)), out.shape)
        x, y = (hlo.broadcast_to(hlo.convert(v, out.dtype), out.shape) for v in (x, y))
        return hlo.select(c, x, y)

    def d_x(g, c, x, y, out):
        return np.where(c, g, 0)

    def d_y(g, c, x, y, out):
        return np.where(c, 0, g)

    def samples(rng):
        shapes = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 1), ()), ((2, 1), (), (3,))]
        return [((rng.uniform(size=a) > 0.5, rng.uniform(size=b), rng.uniform(size=c)), {}) for a, b, c in shapes]


@op()
class where:
    impl = np.where
    infer, lower, samples = where_rules.infer, where_rules.lower, where_rules.samples
    partials = (None, where_rules.d_x, where_rules.d_y)
    masking = True


@function(np.where)
def where_(condition, *choices):
    """np.where: three arguments select; one argument is np.nonzero."""
    if not choices:
        return _nonzero(condition)
    if len(choices) != 2:
        raise TransformError("np.where takes one or three arguments", "Pass both x and y, or neither.")
    return TABLE["where"].bind(condition, *choices)


def _nonzero(condition):
    from .op import lookup
    return lookup(np.nonzero)(condition)
