"""Comparisons, logic, tests of numbers, and selection."""

import functools

import numpy as np

from ..core import Aval, is_floating
from ..errors import TransformError
from .elementwise import like_result
from .op import TABLE, Op, array, aval_of, broadcast, function, holds_reference, known_shape, lookup, piecewise_constant, register, result_dtype
from .samples import ANY, PAIR

BOOL = np.dtype(bool)


# comparisons ------------------------------------------------------------------------
def _comparison(direction):
    """Complex numbers compare by real part, then by imaginary part."""
    def lower(hlo, out, x, y):
        dtype = hlo.promote(x, y)
        if dtype.kind != "c" or direction in ("EQ", "NE"):
            return hlo.compare(direction, x, y)
        x, y = (hlo.broadcast_to(hlo.convert(v, dtype), out.shape) for v in (x, y))
        first = hlo.compare(direction[0] + "T", hlo.real(x), hlo.real(y))
        tie = hlo.and_(hlo.compare("EQ", hlo.real(x), hlo.real(y)), hlo.compare(direction, hlo.imag(x), hlo.imag(y)))
        return hlo.or_(first, tie)
    return lower


for _ufunc, _symbol, _direction in [(np.less, "<", "LT"), (np.less_equal, "<=", "LE"), (np.greater, ">", "GT"),
                                    (np.greater_equal, ">=", "GE"), (np.equal, "==", "EQ"), (np.not_equal, "!=", "NE")]:
    piecewise_constant(_ufunc, _comparison(_direction), symbol=_symbol, samples=PAIR)


def _logical(kind):
    def lower(hlo, out, *operands):
        truths = [hlo.broadcast_to(hlo.convert(v, BOOL), out.shape) for v in operands]
        return hlo.op(kind, truths, out.shape, BOOL)
    return lower


for _ufunc, _kind in [(np.logical_and, "and"), (np.logical_or, "or"), (np.logical_xor, "xor"), (np.logical_not, "not")]:
    piecewise_constant(_ufunc, _logical(_kind), samples=ANY if _kind == "not" else PAIR)


# tests of numbers -------------------------------------------------------------------------
def _lower_isnan(hlo, out, x):
    return hlo.compare("NE", x, x)


def _parts(hlo, x):
    return [hlo.real(x), hlo.imag(x)] if x.dtype.kind == "c" else [x]


def _lower_isinf(hlo, out, x):
    if not is_floating(x.dtype):
        return hlo.full(out.shape, False, BOOL)
    found = [hlo.compare("EQ", hlo.abs(p), hlo.full(p.shape, np.inf, p.dtype)) for p in _parts(hlo, x)]
    return found[0] if len(found) == 1 else hlo.or_(*found)


def _lower_isfinite(hlo, out, x):
    if not is_floating(x.dtype):
        return hlo.full(out.shape, True, BOOL)
    found = [hlo.is_finite(p) for p in _parts(hlo, x)]
    return found[0] if len(found) == 1 else hlo.and_(*found)


for _ufunc, _lower in [(np.isnan, _lower_isnan), (np.isinf, _lower_isinf), (np.isfinite, _lower_isfinite)]:
    piecewise_constant(_ufunc, _lower, samples=ANY, nonfinite=True)


@function(np.isposinf)
def isposinf(x, out=None):
    """np.isposinf."""
    return np.isinf(x) & (x > 0)


@function(np.isneginf)
def isneginf(x, out=None):
    """np.isneginf."""
    return np.isinf(x) & (x < 0)


@function(np.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """np.isclose."""
    if aval_of(a).dtype.kind == aval_of(b).dtype.kind == "b":
        return a == b
    close = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | (a == b)
    return close | (np.isnan(a) & np.isnan(b)) if equal_nan else close


@function(np.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """np.allclose."""
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@function(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    """np.array_equal."""
    if known_shape(a1) != known_shape(a2):
        return False
    same = a1 == a2
    return np.all(same | (np.isnan(a1) & np.isnan(a2)) if equal_nan else same)


@function(np.array_equiv)
def array_equiv(a1, a2):
    """np.array_equiv."""
    shapes = known_shape(a1), known_shape(a2)
    try:
        broadcast(*shapes)
    except TransformError:
        return False
    return np.all(a1 == a2)


@function(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """np.isin by comparison with every test element."""
    element, tests = (lookup(np.asarray)(v) for v in (element, test_elements))
    found = np.any(np.expand_dims(element, -1) == np.ravel(tests), axis=-1)
    return ~found if invert else found


@function(np.iscomplexobj)
def iscomplexobj(x):
    """np.iscomplexobj, known from the dtype."""
    return aval_of(x).dtype.kind == "c"


@function(np.isrealobj)
def isrealobj(x):
    """np.isrealobj, known from the dtype."""
    return aval_of(x).dtype.kind != "c"


# selection ----------------------------------------------------------------------------------
class _Where:
    def infer(c, x, y):
        return Aval(broadcast(c.shape, x.shape, y.shape), result_dtype(x, y))

    def lower(hlo, out, c, x, y):
        c = hlo.broadcast_to(hlo.convert(c, BOOL), out.shape)
        x, y = like_result(hlo, out, x, y)
        return hlo.select(c, x, y)

    def d_x(g, c, x, y, out):
        return np.where(c, g, 0)

    def d_y(g, c, x, y, out):
        return np.where(c, 0, g)

    def jvp(dots, c, x, y, out):
        return np.where(c, *(0 if dot is None else dot for dot in dots[1:]))

    def samples(rng):
        shapes = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 1), ()), ((2, 1), (), (3,))]
        return [((rng.uniform(size=a) > 0.5, rng.uniform(size=b), rng.uniform(size=c)), {}) for a, b, c in shapes]


register(Op("where", np.where, _Where.infer, _Where.lower, partials=(None, _Where.d_x, _Where.d_y), jvp=_Where.jvp, masking=True,
            promotes=(1, 2), samples=_Where.samples))


@function(np.where)
def where(condition, *choices):
    """np.where: three arguments select; one argument is np.nonzero."""
    if not choices:
        return lookup(np.nonzero)(condition)
    if len(choices) != 2:
        raise TransformError("np.where takes one or three arguments", "Pass both x and y, or neither.")
    return TABLE["where"].bind(condition, *choices)


@function(np.select)
def select(condlist, choicelist, default=0):
    """np.select: the first choice whose condition holds."""
    if len(condlist) != len(choicelist) or not condlist:
        raise TransformError("np.select needs as many conditions as choices, at least one", "Pass two lists of one length.")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = np.where(condition, choice, result)
    return result


@function(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    """np.piecewise: functions of the whole array, of which the entries under their condition are kept."""
    x = lookup(np.asarray)(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    result = np.zeros_like(x)
    if len(funclist) == len(conditions) + 1:
        covered = functools.reduce(np.logical_or, conditions)
        conditions.append(np.logical_not(covered))
    if len(funclist) != len(conditions):
        raise TransformError("np.piecewise needs one function for each condition, and perhaps one for the rest", "Pass as many.")
    for condition, f in zip(conditions, funclist, strict=True):
        value = f(x, *args, **kw) if callable(f) else f
        result = np.where(condition, lookup(np.asarray)(value, x.dtype), result)
    return result


@function(np.choose)
def choose(a, choices, out=None, mode="raise"):
    """np.choose among a list of arrays; indices must be in range."""
    if holds_reference([choices]) and not isinstance(choices, list | tuple):
        choices = [choices[i] for i in range(choices.shape[0])]
    a = array(a)
    if mode == "wrap":
        a = a % len(choices)
    elif mode == "clip":
        a = np.clip(a, 0, len(choices) - 1)
    elif holds_reference(a) and aval_of(a).dtype != bool:
        a, *choices = np.broadcast_arrays(np.where(a < 0, len(choices), a), *choices)  # the index of none is out of range
        return np.take_along_axis(np.stack(choices), a[None], axis=0)[0]
    elif not holds_reference(a) and (np.min(a) < 0 or np.max(a) >= len(choices)):
        raise ValueError("invalid entry in choice array")
    result = choices[-1]
    for k in reversed(range(len(choices) - 1)):
        result = np.where(a == k, choices[k], result)
    return result
