"""Python's own numbers: float(), int(), abs(), round(), min(), max(), sum(), and the functions of math and cmath.

Their results are Python numbers, weak in NumPy's promotion, so they keep their own printed form (`math.sin(x)`) and value to the last
bit. Under a batch they become the NumPy function.
"""

import builtins
import cmath
import math

import numpy as np

from ..core import Aval
from ..errors import ShapeError
from . import complexes, integers, logic, trigonometry  # noqa: F401  (their ops are taken from the table)
from .op import FUNCTIONS, TABLE, Op, aval_of, function, is_reference, register
from .rounding import lower_trunc

BOOL, INT, FLOAT, COMPLEX = (np.dtype(t) for t in (bool, int, float, complex))


def scalar_aval(name, dtype):
    """Inference of a function of numbers."""
    def infer(*avals, **params):
        for aval in avals:
            if aval.shape not in ((), None) and aval.size != 1:
                raise ShapeError(f"{name} takes numbers, not an array of shape {aval.shape}", "Use the NumPy function of that name.")
        return Aval((), dtype, True)
    return infer


def number(x):
    """An operand as a number: an array of one element counts."""
    return np.reshape(x, ()) if is_reference(x) and x.shape else x


def _item(value):
    return value.item() if isinstance(value, np.ndarray | np.generic) else value


def declare(name, fn, dtype, array_form, lower, partials, text=None, samples=None, user=None):
    """An op on Python numbers. `array_form` is what it becomes under a batch: a function of arrays."""
    arity = len(partials)
    template = text or f"{name.replace('_', '.', 1)}({', '.join(f'{{{k}}}' for k in range(arity))})"

    def impl(*args):
        return fn(*map(_item, args))

    def batch(axes, *args):
        widened = (np.astype(a, dtype) if dtype in (FLOAT, COMPLEX) and aval_of(a).dtype != dtype and is_reference(a) else a for a in args)
        result = array_form(*widened)
        return (result if aval_of(result).dtype == dtype else np.astype(result, dtype)), 0

    def lower_widened(hlo, out, *args):
        if dtype in (FLOAT, COMPLEX):
            args = [hlo.convert(hlo.reshape(a, ()), dtype) for a in args]
        return hlo.convert(lower(hlo, out, *args), dtype)

    def scalar_samples(rng):
        return [(tuple(map(_item, args)), params) for args, params in samples(rng) if all(np.shape(a) == () for a in args)]
    entry = register(Op(name, impl, scalar_aval(text or template.split("(")[0], dtype), lower_widened, partials=tuple(partials),
                        batch=batch, notation=lambda *avals: template, samples=scalar_samples if samples else None,
                        differentiable=any(p is not None for p in partials)))

    def call(*args):
        return entry.bind(*map(number, args))
    call.__name__ = name
    if user is not False:
        FUNCTIONS[fn if user is None else user] = call
    return call


def declare_like(fn, ufunc, prefix="math", dtype=FLOAT):
    """A function of math or cmath with the rules of a ufunc."""
    base = FUNCTIONS[ufunc].__self__
    return declare(f"{prefix}_{fn.__name__}", fn, dtype, ufunc, base.lower, base.partials, samples=base.samples)


# math ---------------------------------------------------------------------------------
for _name, _ufunc in [("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan),
                      ("sinh", np.sinh), ("cosh", np.cosh), ("tanh", np.tanh), ("asinh", np.arcsinh), ("acosh", np.arccosh),
                      ("atanh", np.arctanh), ("exp", np.exp), ("exp2", np.exp2), ("expm1", np.expm1), ("log2", np.log2),
                      ("log10", np.log10), ("log1p", np.log1p), ("sqrt", np.sqrt), ("cbrt", np.cbrt), ("fabs", np.fabs),
                      ("degrees", np.degrees), ("radians", np.radians), ("pow", np.power), ("atan2", np.arctan2), ("fmod", np.fmod),
                      ("copysign", np.copysign), ("nextafter", np.nextafter)]:
    declare_like(getattr(math, _name), _ufunc)

def _math_root(x):
    return TABLE["math_root"]


declare("math_root", math.sqrt, FLOAT, TABLE["root"].bind, TABLE["root"].lower, TABLE["root"].partials, "math.sqrt({0})",
        TABLE["root"].samples, user=False)
TABLE["math_sqrt"].of_squares = _math_root

_log = declare_like(math.log, np.log)


@function(math.log)
def log(x, base=None):
    """math.log."""
    return _log(x) if base is None else _log(x) / _log(base)


def _to_int(lower):
    def rule(hlo, out, x):
        x = hlo.convert(x, FLOAT) if x.dtype.kind != "f" else x
        return hlo.convert(lower(hlo, x), INT)
    return rule


def _as_int(ufunc):
    def array_form(x):
        return np.astype(ufunc(x), int)
    return array_form


for _name, _ufunc, _lower in [("floor", np.floor, lambda hlo, x: hlo.floor(x)), ("ceil", np.ceil, lambda hlo, x: hlo.ceil(x)),
                              ("trunc", np.trunc, lambda hlo, x: lower_trunc(hlo, x, x))]:
    declare(f"math_{_name}", getattr(math, _name), INT, _as_int(_ufunc), _to_int(_lower), (None,), samples=TABLE["sin"].samples)

for _name, _ufunc in [("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)]:
    declare(f"math_{_name}", getattr(math, _name), BOOL, _ufunc, TABLE[_name].lower, (None,), samples=TABLE["sin"].samples)

for _name, _ufunc in [("gcd", np.gcd), ("lcm", np.lcm)]:
    declare(f"math_{_name}", getattr(math, _name), INT, _ufunc, TABLE[_name].lower, (None, None), samples=TABLE[_name].samples)


def _folded(fn, start):
    pair = FUNCTIONS[fn]

    def fold(*numbers):
        total = numbers[0] if numbers else start
        for n in numbers[1:]:
            total = pair(total, n) if is_reference(total) or is_reference(n) else fn(total, n)
        return total
    FUNCTIONS[fn] = fold


_folded(math.gcd, 0)
_folded(math.lcm, 1)


@function(math.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """math.isclose."""
    gap = abs(a - b)
    bound = FUNCTIONS[builtins.max](rel_tol * FUNCTIONS[builtins.max](abs(a), abs(b)), abs_tol)
    return (a == b) | (gap <= bound)


@function(math.prod)
def math_prod(iterable, /, *, start=1):
    """math.prod: one factor after the other."""
    total = start
    for factor in iterable:
        total = factor if total is start and start == 1 else total * factor
    return total


@function(math.modf)
def math_modf(x):
    """math.modf: (fractional part, whole part), both floats."""
    whole = FUNCTIONS[float](FUNCTIONS[math.trunc](x))
    return FUNCTIONS[float](x) - whole, whole


def _declare_frexp():
    """The two results of math.frexp, as Python numbers."""
    mantissa, exponent = TABLE["frexp_mantissa"], TABLE["frexp_exponent"]
    parts = [(mantissa, FLOAT, 0, mantissa.partials), (exponent, INT, 1, (None,))]
    ops = [declare(f"math_frexp_{k}", lambda x, k=k: math.frexp(x)[k], dtype, base.bind, base.lower, partials,
                   text=f"math.frexp({{0}})[{k}]", samples=TABLE["sin"].samples, user=False) for base, dtype, k, partials in parts]

    @function(math.frexp)
    def math_frexp(x):
        """math.frexp: (mantissa, exponent)."""
        return tuple(op(x) for op in ops)


_declare_frexp()


@function(math.ldexp)
def math_ldexp(x, i):
    """math.ldexp."""
    return FUNCTIONS[float](np.ldexp(x, i))


@function(math.hypot)
def math_hypot(*coordinates):
    """math.hypot of any number of coordinates."""
    total = abs(coordinates[0]) if coordinates else 0.0
    for c in coordinates[1:]:
        total = _hypot(total, c)
    return total


_hypot = declare("math_hypot", math.hypot, FLOAT, np.hypot, TABLE["hypot"].lower, TABLE["hypot"].partials,
                 samples=TABLE["hypot"].samples, user=False)


@function(math.dist)
def math_dist(p, q):
    """math.dist."""
    return math_hypot(*(a - b for a, b in zip(p, q, strict=True)))


def _lower_remainder(hlo, out, x, y):
    quotient = hlo.round(hlo.divide(x, y))
    return hlo.subtract(x, hlo.multiply(quotient, y))


def _remainder_form(x, y):
    return x - np.rint(x / y) * y


def _pass(g, x, *rest):
    return g


def _remainder_d_y(g, x, y, out):
    return -g * np.rint(x / y)


declare("math_remainder", math.remainder, FLOAT, _remainder_form, _lower_remainder, (_pass, _remainder_d_y), samples=TABLE["fmod"].samples)


# error and gamma functions --------------------------------------------------------------
def _chlo(name):
    def lower(hlo, out, x):
        return hlo.op(f"chlo.{name}", [x], x.shape, x.dtype)
    return lower


def _erf_d_x(g, x, out):
    return (2 / math.sqrt(math.pi)) * g * np.exp(-x ** 2)


def _erfc_d_x(g, x, out):
    return -(2 / math.sqrt(math.pi)) * g * np.exp(-x ** 2)


BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""Coefficients of x ** -2, x ** -4... in the asymptotic series of log(x) - 1 / (2 x) - digamma(x)."""


def digamma(x):
    """Derivative of the logarithm of gamma: recurrence up to x + 8, then the asymptotic series; reflection below 0."""
    below = x <= 0
    reflected = np.where(below, 1 - x, x)
    shift = 0.0
    for k in range(8):
        shift = shift + 1 / (reflected + k)
    y = reflected + 8
    square, series = 1 / (y * y), 0.0
    for c in reversed(BERNOULLI):
        series = (series + c) * square
    value = np.log(y) - 0.5 / y - series - shift
    safe = np.where(below, x, 0.25)
    return np.where(below, value - math.pi / np.tan(math.pi * safe), value)


def _lgamma_d_x(g, x, out):
    return g * digamma(x)


def _gamma_d_x(g, x, out):
    return g * out * digamma(x)


def lower_gamma(hlo, x):
    """exp(lgamma(x)) with the sign of gamma: negative where floor(x) < 0 is odd."""
    size = hlo.exp(hlo.op("chlo.lgamma", [x], x.shape, x.dtype))
    low = hlo.floor(x)
    odd = hlo.compare("NE", hlo.op("remainder", [low, hlo.full(x.shape, 2, x.dtype)], x.shape, x.dtype), hlo.full(x.shape, 0, x.dtype))
    negative = hlo.and_(hlo.compare("LT", x, hlo.full(x.shape, 0, x.dtype)), odd)
    return hlo.select(negative, hlo.negate(size), size)


def _declare_special(name, lower, partial):
    """A function of math that NumPy lacks: on arrays it prints as np.vectorize(math.erf, [float])(x)."""
    fn = getattr(math, name)
    vectorized = np.vectorize(fn, [float])

    def impl(x):
        return vectorized(x)[()]

    def infer(x):
        return Aval(x.shape, FLOAT)

    def lower_array(hlo, out, x):
        return lower(hlo, out, hlo.convert(x, FLOAT))
    array_op = register(Op(name, impl, infer, lower_array, partials=(partial,), samples=TABLE["log"].samples,
                           notation=lambda x: f"np.vectorize(math.{name}, [float])({{0}})"))
    declare(f"math_{name}", fn, FLOAT, array_op.bind, lower, (partial,), samples=TABLE["log"].samples)


for _name, _lower, _partial in [("erf", _chlo("erf"), _erf_d_x), ("erfc", _chlo("erfc"), _erfc_d_x),
                                ("lgamma", _chlo("lgamma"), _lgamma_d_x), ("gamma", lambda hlo, out, x: lower_gamma(hlo, x), _gamma_d_x)]:
    _declare_special(_name, _lower, _partial)


# conversions --------------------------------------------------------------------------------
def _lower_convert(dtype):
    def lower(hlo, out, x):
        return hlo.convert(hlo.reshape(x, ()), dtype)
    return lower


def _cast(dtype):
    def array_form(x):
        return np.astype(x, dtype)
    return array_form


for _type, _dtype in [(float, FLOAT), (int, INT), (bool, BOOL), (complex, COMPLEX)]:
    declare(f"python_{_type.__name__}", _type, _dtype, _cast(_dtype), _lower_convert(_dtype),
            (_pass if _dtype.kind in "fc" else None,), text=f"{_type.__name__}({{0}})", samples=TABLE["sin"].samples)

_complex = FUNCTIONS[complex]


@function(complex)
def complex_(real=0, imag=None):
    """complex(real, imag)."""
    return _complex(real) if imag is None else _complex(real + 1j * imag)


# builtins -------------------------------------------------------------------------------------
@function(builtins.abs)
def abs_(x):
    """abs."""
    return x.__abs__()


@function(builtins.pow)
def pow_(base, exp, mod=None):
    """pow."""
    return base ** exp if mod is None else base ** exp % mod


@function(builtins.divmod)
def divmod_(x, y):
    """divmod."""
    return x // y, x % y


def _whole_number(x):
    return np.astype(np.rint(x), int)


declare("python_round", builtins.round, INT, _whole_number, _to_int(lambda hlo, x: hlo.round(x)), (None,), text="round({0})",
        samples=TABLE["sin"].samples)
_round_to_int = FUNCTIONS[builtins.round]


class _RoundTo:
    def impl(x, decimals):
        return round(_item(x), decimals)

    def infer(x, decimals):
        return x

    def batch(axes, x, decimals):
        return np.round(x, decimals), 0

    def notation(x, decimals):
        return f"round({{0}}, {decimals})"


_round_to = register(Op("python_round_to", _RoundTo.impl, _RoundTo.infer, TABLE["round"].lower, partials=(None,), batch=_RoundTo.batch,
                        notation=_RoundTo.notation, samples=lambda rng: [((0.123456,), {"decimals": 2})], differentiable=False))


@function(builtins.round)
def round_(number, ndigits=None):
    """round: to an int, or to `ndigits` decimals."""
    if ndigits is None:
        return _round_to_int(number)
    if not number.weak:
        return np.round(number, ndigits)
    return _round_to.bind(number, decimals=int(ndigits))


def _declare_choice(fn, before):
    """min and max of two numbers: the second is taken only if it is strictly better; the derivative is that of the one taken."""
    def better(x, y):
        return before(y, x)

    def d_x(g, x, y, out):
        return np.where(better(x, y), 0, g)

    def d_y(g, x, y, out):
        return np.where(better(x, y), g, 0)

    def infer(x, y):
        scalar_aval(f"{fn.__name__}()", FLOAT)(x, y)
        dtype = np.result_type(*(0.0 if a.weak and a.dtype == FLOAT else 0 if a.weak and a.dtype == INT else a.dtype for a in (x, y)))
        return Aval((), dtype, x.weak and y.weak)

    def impl(x, y):
        return fn(_item(x) if np.ndim(x) == 0 else x, _item(y) if np.ndim(y) == 0 else y)

    def lower(hlo, out, x, y):
        first = hlo.compare("GT" if before is np.greater else "LT", y, x)
        return hlo.select(first, hlo.convert(y, out.dtype), hlo.convert(x, out.dtype))

    def batch(axes, x, y):
        return np.where(better(x, y), y, x), 0

    def samples(rng):
        return [((rng.uniform(), rng.uniform()), {}), ((1.0, 0.5), {})]
    entry = register(Op(f"python_{fn.__name__}", impl, infer, lower, partials=(d_x, d_y), batch=batch, samples=samples,
                        notation=lambda x, y: f"{fn.__name__}({{0}}, {{1}})", masking=True))

    def user(*items):
        if len(items) == 1:
            if is_reference(items[0]) and items[0].ndim == 1:
                return np.max(items[0]) if fn is builtins.max else np.min(items[0])
            items = tuple(items[0])
        if not items:
            raise ValueError(f"{fn.__name__}() iterable argument is empty")
        best = items[0]
        for item in items[1:]:
            best = entry.bind(number(best), number(item)) if is_reference(best) or is_reference(item) else fn(best, item)
        return best
    user.__name__ = fn.__name__
    FUNCTIONS[fn] = user


_declare_choice(builtins.max, np.greater)
_declare_choice(builtins.min, np.less)


def _declare_sum(name, fn, text):
    """A sum of numbers, or of the elements of one array, with the rounding that Python gives it."""
    def impl(*terms):
        return fn(np.asarray(terms[0]).tolist() if np.ndim(terms[0]) else [_item(t) for t in terms])

    def infer(*terms):
        return Aval((), FLOAT, True)

    def lower(hlo, out, *terms):
        if terms[0].shape:
            return hlo.reduce(hlo.convert(terms[0], FLOAT), 0, (0,), "add")
        total = hlo.convert(terms[0], FLOAT)
        for term in terms[1:]:
            total = hlo.add(total, hlo.convert(term, FLOAT))
        return total

    def vjp(g, *terms, out):
        if np.ndim(terms[0]):
            return np.broadcast_to(g, np.shape(terms[0]))
        return (g,) * len(terms) if len(terms) > 1 else g

    def batch(axes, *terms):
        if np.ndim(terms[0]) == 2:
            return np.sum(terms[0], axis=1, dtype=FLOAT), 0
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total, 0

    def notation(*terms):
        listed = "{0}" if terms[0].shape else "[" + ", ".join(f"{{{k}}}" for k in range(len(terms))) + "]"
        return f"{text}({listed})"

    def samples(rng):
        return [((0.5, 1.5, 0.25), {}), ((0.5,), {})]
    return register(Op(name, impl, infer, lower, vjp=vjp, batch=batch, linear="jointly", notation=notation, samples=samples))


_python_sum = _declare_sum("python_sum", builtins.sum, "sum")
_fsum = _declare_sum("math_fsum", math.fsum, "math.fsum")


def _is_float(term):
    return term.weak and term.dtype == FLOAT if is_reference(term) else type(term) is float


@function(builtins.sum)
def sum_(iterable, /, start=0):
    """sum: one term after the other; Python floats with the compensation that Python has from 3.12 on."""
    if is_reference(iterable) and (iterable.shape[0] is None or iterable.shape[0] > 8):
        return _sum_of_rows(iterable, start)
    terms = list(iterable) if type(start) is int and start == 0 else [start, *iterable]
    if terms and all(map(_is_float, terms)):
        return _python_sum.bind(*terms)
    total = start if not terms else terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _sum_of_rows(array, start):
    """The sum of a long array, or one of unknown length, which may have no rows."""
    if type(start) is int and start == 0 and array.shape[0] is not None:
        return np.cumsum(array, axis=0)[-1]
    first = np.zeros(array.shape[1:], array.dtype) + start
    if np.shape(first) != array.shape[1:]:
        return start + np.sum(array, axis=0)
    return np.cumsum(np.concatenate([np.reshape(first, (1, *array.shape[1:])), array]), axis=0)[-1]


@function(math.fsum)
def fsum(seq):
    """math.fsum; compiled code adds in plain floating point."""
    return _fsum.bind(seq) if is_reference(seq) else _fsum.bind(*seq)


# cmath ------------------------------------------------------------------------------------------
for _name, _ufunc in [("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan),
                      ("sinh", np.sinh), ("cosh", np.cosh), ("tanh", np.tanh), ("asinh", np.arcsinh), ("acosh", np.arccosh),
                      ("atanh", np.arctanh), ("exp", np.exp), ("log10", np.log10), ("sqrt", np.sqrt)]:
    declare_like(getattr(cmath, _name), _ufunc, prefix="cmath", dtype=COMPLEX)

_clog = declare_like(cmath.log, np.log, prefix="cmath", dtype=COMPLEX)


@function(cmath.log)
def cmath_log(x, base=None):
    """cmath.log."""
    return _clog(x) if base is None else _clog(x) / _clog(base)


@function(cmath.phase)
def phase(z):
    """cmath.phase."""
    return FUNCTIONS[math.atan2](np.imag(z), np.real(z))


@function(cmath.polar)
def polar(z):
    """cmath.polar: (absolute value, phase)."""
    return abs(z), phase(z)


@function(cmath.rect)
def rect(r, phi):
    """cmath.rect."""
    return r * FUNCTIONS[math.cos](phi) + 1j * (r * FUNCTIONS[math.sin](phi))


for _name, _ufunc in [("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)]:
    declare(f"cmath_{_name}", getattr(cmath, _name), BOOL, _ufunc, TABLE[_name].lower, (None,), samples=TABLE["sin"].samples)
