"""NumPy's functions of arrays with axes of unknown length."""

import functools
import inspect

import numpy as np

from ...errors import NeedStatic
from ...ops import attainment
from ...ops import op as optable
from ...ops.reductions import axes_of
from ..reference import is_reference
from . import extents as ext
from .arrays import FINITE, ONE, RAW, TYPICAL, UNKNOWN, Ragged, is_ragged, ragged_of

CAREFREE = {np.add, np.subtract, np.multiply, np.negative, np.positive, np.conjugate, np.absolute, np.square, np.sin, np.cos, np.exp,
            np.tanh, np.maximum, np.minimum, np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal,
            np.logical_and, np.logical_or, np.logical_not, np.invert, np.bitwise_and, np.bitwise_or, np.isnan, np.isfinite, np.isinf,
            np.sign, np.floor, np.ceil, np.trunc, np.rint, np.fabs, np.arctan, np.where, np.clip, np.real, np.imag}
"""Functions that are smooth and finite where their operands are: any finite number may stand at places that do not count."""

AT_ONE = {np.divide, np.power, np.float_power, np.sqrt, np.cbrt, np.reciprocal, np.log, np.log2, np.log10, np.log1p, np.floor_divide,
          np.remainder, np.hypot, np.arctan2}
"""Ufuncs that are smooth and finite where their operands are 1, which then stands at places that do not count."""

ELEMENTWISE = {np.where, np.clip, np.real, np.imag, np.round, np.around, np.angle, np.nan_to_num, np.sinc, np.isclose}
"""Functions that are no ufuncs and work element by element."""

FUNCTIONS = {}


def inside(values):
    """Whether a ragged array is among values or in lists of them."""
    return any(is_ragged(v) or isinstance(v, list | tuple) and inside(v) for v in values)


def refuse(args):
    for value in args:
        if is_ragged(value):
            raise NeedStatic(value.array, UNKNOWN)
        if isinstance(value, list | tuple):
            refuse(value)
    raise NeedStatic(None, UNKNOWN)


def call(fn, args, kwargs):
    """`fn(*args, **kwargs)` where a ragged array is among the arguments; NeedStatic if the function is not known for them."""
    fn, out = np.absolute if fn is abs else fn, kwargs.get("out")
    if out is not None:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
        target = out[0] if isinstance(out, tuple) else out
        target[...] = call(fn, args, kwargs)
        return target
    if fn in FUNCTIONS:
        return FUNCTIONS[fn](*args, **kwargs) if takes(FUNCTIONS[fn], args, kwargs) else refuse((*args, *kwargs.values()))
    if isinstance(fn, np.ufunc) and not kwargs:
        if len(args) > fn.nin:
            args[fn.nin][...] = call(fn, args[:fn.nin], {})
            return args[fn.nin]
        return elementwise(fn, args, need_of(fn, args))
    if fn in ELEMENTWISE and not inside(kwargs.values()):
        return elementwise(fn, args, need_of(fn, args), kwargs)
    refuse((*args, *kwargs.values()))


def takes(implementation, args, kwargs):
    """Whether a function has parameters for these arguments."""
    try:
        inspect.signature(implementation).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def method(ragged, name):
    """A method of arrays by the function of its name."""
    if name in METHODS:
        return functools.partial(METHODS[name], ragged)
    fn = getattr(np, name, None)
    if fn in FUNCTIONS or fn in ELEMENTWISE:
        return functools.partial(_call_method, fn, ragged)
    raise NeedStatic(ragged.array, UNKNOWN)


def _call_method(fn, ragged, *args, **kwargs):
    return call(fn, (ragged, *args), kwargs)


def function(*fns):
    def declare(implementation):
        for fn in fns:
            FUNCTIONS[fn] = implementation
        return implementation
    return declare


# elementwise --------------------------------------------------------------------------------------------------------------
def need_of(fn, args):
    """What has to stand at the places of operands that do not count."""
    if fn in CAREFREE or fn is np.power and isinstance(args[1], int) and args[1] >= 0:
        return FINITE
    return ONE if fn in AT_ONE else TYPICAL


def elementwise(fn, args, need, kwargs=None):
    """Apply a function element by element: on static arrays whose axes have been brought to common extents."""
    operands, extents = align([ragged_of(a) for a in args])
    arrays = [o.array if not any(o.extents) else o.standing_in(need) for o in operands]
    state = TYPICAL if all(o.state == TYPICAL or need == TYPICAL for o in operands) else FINITE
    return Ragged(optable.lookup(fn)(*arrays, **(kwargs or {})), extents, state)


def align(operands):
    """(the operands with equal extents axis by axis from the last, the extents of the result)."""
    ndim = max(o.ndim if is_reference(o.array) else 0 for o in operands)
    extents = [None] * ndim
    for back in range(1, ndim + 1):
        axes = [(k, len(o.extents) - back) for k, o in enumerate(operands) if len(o.extents) >= back]
        if any(operands[k].extents[axis] is not None for k, axis in axes):
            axes = [(k, axis) for k, axis in axes if operands[k].extents[axis] is not None or operands[k].array.shape[axis] != 1]
            own = [extent_of(operands[k], axis) for k, axis in axes]
            certain = all(ext.same_count(own[0], e) for e in own[1:])
            extents[-back] = common = unify(own) if certain else broadcast_extent(own)
            for k, axis in axes:
                operands[k] = (to_extent if certain else spread)(operands[k], axis, common)
    return operands, extents


def extent_of(ragged, axis):
    """The extent of an axis; all of it for one of static size."""
    found, size = ragged.extents[axis], ragged.array.shape[axis]
    return ext.Span(0, size, size) if found is None else found


def unify(extents):
    """The extent that all operands are brought to. A ValueError of the program if their lengths differ."""
    head, *rest = extents
    for other in rest:
        ext.require_same_count(head, other)
    size = min(e.size for e in extents)
    if all(ext.same(head, e) for e in rest):
        return head._replace(size=size)
    if len({*map(type, extents)}) == 1 and isinstance(head, ext.Span) and all(ext.affine.same_value(ext.current(), head.lo, e.lo) for e in rest):
        return head._replace(size=size)
    return ext.Span(0, ext.count(head), size)


def broadcast_extent(extents):
    """The extent of a result whose operands are as long as each other, or of one element; who is neither is found by `spread`."""
    n = ext.count(extents[0])
    for other in extents[1:]:
        if not is_reference(n):
            n = ext.count(other) if n == 1 else n
        else:
            n = np.where(n == 1, ext.count(other), n)
    return ext.Span(0, n, max(e.size for e in extents))


def to_extent(ragged, axis, extent):
    old = extent_of(ragged, axis)
    extents = [*ragged.extents]
    extents[axis] = extent
    if ext.same(old, extent) and old.size == extent.size:
        return Ragged(ragged.array, extents, ragged.state)
    return Ragged(ext.moved(ragged.array, axis, old, extent), extents, RAW)


def spread(ragged, axis, extent):
    """The operand on an extent that must be as long, if its own is not of one element, which goes to all places."""
    own = extent_of(ragged, axis)
    fitted = to_extent(ragged, axis, extent)
    if ext.same_count(own, extent):
        return fitted
    have, want = ext.count(own), ext.count(extent)
    if not is_reference(have) and have != 1 or not is_reference(have) and not is_reference(want):
        ext.require_same_count(own, extent)
        return fitted
    ext.refuse_lengths(np.logical_and(have != want, have != 1))
    element = np.expand_dims(np.take(ragged.array, ext.first(own), axis=axis), axis)
    return Ragged(np.where(have == 1, element, fitted.array), fitted.extents, fitted.state)


# reductions ---------------------------------------------------------------------------------------------------------------
def reduced(fn, x, axis, fill, keepdims=False, **keywords):
    """A reduction with its neutral element at places that do not count."""
    axes = axes_of(axis, x.ndim)
    result = optable.lookup(fn)(x.masked(fill, axes), axis=axes, keepdims=bool(keepdims), **keywords)
    return wrapped(result, x, axes, keepdims)


def wrapped(result, x, axes, keepdims=False):
    """A result without the reduced axes, with the extents of the others."""
    extents = [None if k in axes else e for k, e in enumerate(x.extents) if keepdims or k not in axes]
    return Ragged(result, extents) if any(e is not None for e in extents) else result


def begun(pair, result, initial):
    """The result of a reduction that starts with `initial`."""
    if initial is None:
        return result
    return call(pair, (result, initial), {}) if is_ragged(result) else optable.lookup(pair)(result, initial)


def counted(x, axes):
    total = 1
    for axis in axes:
        n = x.array.shape[axis] if x.extents[axis] is None else ext.count(x.extents[axis])
        total = n if type(total) is int and total == 1 else total * n
    return total


@function(np.sum, np.add.reduce)
def sum_(x, axis=None, dtype=None, out=None, keepdims=False, initial=None):
    return begun(np.add, reduced(np.sum, x, axis, 0, keepdims, **({} if dtype is None else {"dtype": dtype})), initial)


@function(np.prod, np.multiply.reduce)
def prod(x, axis=None, dtype=None, out=None, keepdims=False, initial=None):
    return begun(np.multiply, reduced(np.prod, x, axis, 1, keepdims, **({} if dtype is None else {"dtype": dtype})), initial)


@function(np.any)
def any_(x, axis=None, out=None, keepdims=False):
    return reduced(np.any, x, axis, 0, keepdims)


@function(np.all)
def all_(x, axis=None, out=None, keepdims=False):
    return reduced(np.all, x, axis, 1, keepdims)


@function(np.count_nonzero)
def count_nonzero(x, axis=None):
    return sum_(x != 0, axis)


def extreme(fn, pair, sign):
    def run(x, axis=None, out=None, keepdims=False, initial=None):
        if initial is None:
            require_elements(x, axes_of(axis, x.ndim))
        return begun(pair, reduced(fn, x, axis, farthest(x.dtype, sign), keepdims), initial)
    return run


def farthest(dtype, sign):
    """The neutral element of max (sign -1) or min (sign 1)."""
    if dtype.kind not in "fbiu":
        raise NeedStatic(None, UNKNOWN)
    return attainment.farthest(dtype, sign > 0)


def require_elements(x, axes):
    for axis in axes:
        extent = x.extents[axis]
        if extent is not None and not ext.is_filled(extent):
            ext.check(ext.count(extent) == 0, "ValueError('zero-size array to reduction operation which has no identity')", ValueError)


FUNCTIONS[np.max] = FUNCTIONS[np.amax] = FUNCTIONS[np.maximum.reduce] = extreme(np.max, np.maximum, -1)
FUNCTIONS[np.min] = FUNCTIONS[np.amin] = FUNCTIONS[np.minimum.reduce] = extreme(np.min, np.minimum, 1)


@function(sum)
def builtin_sum(x, start=0):
    return begun(np.add, sum_(x, 0), None if type(start) is int and start == 0 else start)


def of_elements(fn):
    """Python's function that iterates over numbers, by NumPy's; rows are no numbers."""
    def run(x):
        return FUNCTIONS[fn](x) if x.ndim == 1 else refuse([x])
    return run


FUNCTIONS |= {max: of_elements(np.max), min: of_elements(np.min)}


def position(fn, sign):
    def run(x, axis=None, out=None):
        if x.ndim != 1:
            refuse([x])
        require_elements(x, (0,))
        at, extent = optable.lookup(fn)(x.masked(farthest(x.dtype, sign))), x.extents[0]
        return at - extent.lo if isinstance(extent, ext.Span) else np.cumsum(extent.mask)[at] - 1
    return run


FUNCTIONS[np.argmax], FUNCTIONS[np.argmin] = position(np.argmax, -1), position(np.argmin, 1)


def divided(total, n):
    quotient = total / n
    kept = total.dtype if total.dtype.kind in "fc" else quotient.dtype
    return quotient if quotient.dtype == kept else quotient.astype(kept)


@function(np.mean)
def mean(x, axis=None, dtype=None, out=None, keepdims=False):
    return divided(sum_(x, axis, dtype, None, keepdims), counted(x, axes_of(axis, x.ndim)))


@function(np.var)
def var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    deviation = x - mean(x, axis, dtype, None, True)
    if x.dtype.kind == "c":
        deviation = call(np.absolute, (deviation,), {})
    return divided(sum_(deviation * deviation, axis, dtype, None, keepdims), counted(x, axes_of(axis, x.ndim)) - ddof)


@function(np.std)
def std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    from ...ops.elementwise import root
    found = var(x, axis, dtype, None, ddof, keepdims)
    return call(np.sqrt, (found,), {}) if is_ragged(found) else root(found)


@function(np.average)
def average(x, axis=None, weights=None):
    if weights is None:
        return mean(x, axis)
    return sum_(x * weights, axis) / call_any(np.sum, weights, axis=axis)


def call_any(fn, x, **kwargs):
    return call(fn, (x,), kwargs) if is_ragged(x) else optable.lookup(fn)(x, **kwargs)


@function(np.median)
def median(x, axis=None, out=None):
    if x.ndim != 1:
        refuse([x])
    ordered, n = sort(x), counted(x, (0,))
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


@function(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    axes = axes_of(axis, x.ndim)
    if ord not in (None, 1, 2, np.inf, "fro") or x.ndim > 1 and ord not in (None, "fro"):
        refuse([x])
    return wrapped(np.linalg.norm(x.masked(0, axes), ord, axis=axes[0] if len(axes) == 1 else axes, keepdims=keepdims), x, axes, keepdims)


# products -----------------------------------------------------------------------------------------------------------------
def ndim_of(x):
    return x.ndim if is_ragged(x) else len(optable.aval_of(optable.array(x)).shape)


def product(fn, x, y):
    """A product that contracts the last axis of x with the last but one of y (its only one)."""
    x, y = ragged_of(x), ragged_of(y)
    if x.ndim > 2 or y.ndim > 2:
        refuse([v for v in (x, y) if any(v.extents)])
    ax, ay = x.ndim - 1, max(y.ndim - 2, 0)
    if x.extents[ax] is not None or y.extents[ay] is not None:
        common = unify([extent_of(x, ax), extent_of(y, ay)])
        x, y = to_extent(x, ax, common), to_extent(y, ay, common)
    result = optable.lookup(fn)(x.masked(0, (ax,)), y.masked(0, (ay,)))
    extents = [*x.extents[:ax], *(e for k, e in enumerate(y.extents) if k != ay)]
    return Ragged(result, extents) if any(e is not None for e in extents) else result


@function(np.dot)
def dot(x, y):
    return product(np.dot, x, y) if ndim_of(x) and ndim_of(y) else x * y


FUNCTIONS[np.matmul] = functools.partial(product, np.matmul)


@function(np.inner)
def inner(x, y):
    if ndim_of(x) != 1 or ndim_of(y) != 1:
        refuse([x, y])
    return product(np.dot, x, y)


@function(np.vdot)
def vdot(x, y):
    return inner(call_any(np.conj, x), y)


@function(np.outer)
def outer(x, y):
    if ndim_of(x) != 1 or ndim_of(y) != 1:
        refuse([x, y])
    return call(np.multiply, (x[:, None], y[None, :]), {})


def outer_of(ufunc, x, y):
    if ndim_of(x) != 1 or ndim_of(y) != 1:
        refuse([x, y])
    return call(ufunc, (x[:, None], y[None, :]), {})


for _ufunc in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum):
    FUNCTIONS[_ufunc.outer] = functools.partial(outer_of, _ufunc)


# order, shape -------------------------------------------------------------------------------------------------------------
@function(np.flip)
def flip(x, axis=None):
    axes = axes_of(axis, x.ndim)
    extents = [flipped(e) if k in axes and e is not None else e for k, e in enumerate(x.extents)]
    return Ragged(np.flip(x.array, axes), extents, x.state)


def flipped(extent):
    if isinstance(extent, ext.Chosen):
        return ext.Chosen(np.flip(extent.mask), extent.size)
    return ext.Span(extent.size - extent.hi, extent.size - extent.lo, extent.size)


FUNCTIONS[np.flipud] = functools.partial(flip, axis=0)
FUNCTIONS[np.fliplr] = functools.partial(flip, axis=1)


@function(np.sort)
def sort(x, axis=-1):
    axis = axis % x.ndim
    ordered = np.sort(x.masked(farthest(x.dtype, 1), (axis,)), axis=axis)
    extents = [*x.extents]
    if extents[axis] is not None:
        extents[axis] = ext.Span(0, ext.count(extents[axis]), x.array.shape[axis])
    return Ragged(ordered, extents)


def scan(run, neutral):
    """The rule of a running sum or product, in which elements outside of the array count as `neutral`."""
    @function(run)
    def scanned(x, axis=None):
        if axis is None and x.ndim != 1:
            refuse([x])
        axis = 0 if axis is None else axis % x.ndim
        return Ragged(run(x.masked(neutral, (axis,)), axis=axis), x.extents, x.state if x.state == RAW else FINITE)
    return scanned


scan(np.cumsum, 0)
scan(np.cumprod, 1)


@function(np.copy, np.array, np.asarray, np.ascontiguousarray)
def copy(x, dtype=None, order="K"):
    x = x if dtype is None else astype(x, dtype)
    return Ragged(np.copy(x.array), x.extents, x.state)


@function(np.astype)
def astype(x, dtype, **keywords):
    return Ragged(x.array.astype(dtype), x.extents, x.state)


@function(np.ravel)
def ravel(x):
    return x if x.ndim == 1 else refuse([x])


@function(np.transpose)
def transpose(x, axes=None):
    return x.transpose(*(axes or ()))


@function(np.shape)
def shape(x):
    return x.shape


@function(np.size)
def size(x):
    return x.size


@function(np.ndim)
def ndim(x):
    return x.ndim


def _like(fn):
    def make(x, dtype=None, **keywords):
        return Ragged(optable.lookup(fn)(x.array, **({} if dtype is None else {"dtype": dtype}), **keywords), x.extents, FINITE)
    return make


for _fn in (np.zeros_like, np.ones_like, np.empty_like):
    FUNCTIONS[_fn] = _like(_fn)

def fill(x, value):
    x[...] = value


METHODS = {"copy": copy, "astype": astype, "flatten": ravel, "fill": fill}
