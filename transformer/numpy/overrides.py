"""The functions of `transformer.numpy`: those of the op table, and those whose arguments or results are JAX's own."""

import numpy as np

from .. import eager
from ..eager import Function
from ..errors import ShapeError, TransformError
from ..frontend.reference import is_reference
from ..ops import op as optable
from .adapter import adapted, described
from .creation import array, asarray
from .dtypes import result_type

EXCLUDED = set("put place putmask copyto fill_diagonal put_along_axis asmatrix require asfortranarray asarray_chkfinite asanyarray"
               " ascontiguousarray piecewise apply_along_axis apply_over_axes vectorize".split())
"""Functions that change an array in place, or that take functions."""


def table_functions(module, prefix="transformer.numpy"):
    """The functions of a NumPy module that the op table knows."""
    found = {}
    for name in dir(module):
        function = getattr(module, name)
        if name.startswith("_") or name in EXCLUDED or isinstance(function, type) or not callable(function):
            continue
        if function in optable.FUNCTIONS:
            found[name] = adapted(function, name, prefix)
    return found


FUNCTIONS = table_functions(np)
"""Name -> function."""


def define(function):
    FUNCTIONS[function.__name__.rstrip("_")] = function
    return function


# types ------------------------------------------------------------------------------------------------------------------
def inexact(name):
    """A function that computes with floats where it is given integers."""
    of_floats = FUNCTIONS[name]

    def call(x, /, *options, **named):
        x = asarray(x)
        return of_floats(x if x.dtype.kind in "fcV" else astype(x, float), *options, **named)
    FUNCTIONS[name] = described(call, getattr(np, name), name)


def running(name):
    """A running sum or product: integers keep their type."""
    of_type = FUNCTIONS[name]

    def call(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        return of_type(a, axis=axis, dtype=a.dtype if dtype is None and a.dtype.kind in "iu" else dtype, out=out)
    FUNCTIONS[name] = described(call, call, name)


for _name in ("angle", "frexp", "modf", "reciprocal"):
    inexact(_name)


def inexact_pair(name, usual):
    of_floats = FUNCTIONS[name]

    def call(a, v, mode=usual, *, precision=None, preferred_element_type=None):
        a, v = asarray(a), asarray(v)
        dtype = result_type(a, v, float) if result_type(a, v).kind in "biu" else result_type(a, v)
        found = of_floats(astype(a, dtype), astype(v, dtype), mode)
        return found if preferred_element_type is None else astype(found, preferred_element_type)
    FUNCTIONS[name] = described(call, call, name)


inexact_pair("convolve", "full")
inexact_pair("correlate", "valid")
for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    running(_name)


# sorting ----------------------------------------------------------------------------------------------------------------
_sort, _argsort, _flip = (Function(f) for f in (np.sort, np.argsort, np.flip))


@define
def sort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """A sorted copy."""
    found = _sort.call((a,), {"axis": axis, "stable": stable})
    return _flip.call((found,), {"axis": 0 if axis is None else axis}) if descending else found


@define
def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """The indices that sort an array; equal elements keep their order."""
    if not descending:
        return _argsort.call((a,), {"axis": axis, "stable": True})
    a = asarray(a)
    a, axis = (a.reshape((-1,)), 0) if axis is None else (a, axis)
    found = _argsort.call((_flip.call((a,), {"axis": axis}),), {"axis": axis, "stable": True})
    return a.shape[axis] - 1 - _flip.call((found,), {"axis": axis})


# picking ----------------------------------------------------------------------------------------------------------------
_take, _take_along = Function(np.take), Function(np.take_along_axis)


@define
def take(a, indices, axis=None, out=None, mode=None, unique_indices=False, indices_are_sorted=False, fill_value=None):
    """Elements along an axis. mode "clip" or "wrap", or "fill": what is out of range reads as `fill_value` (default nan)."""
    if mode == "fill" or fill_value is not None:
        a = asarray(a)
        a, axis = (a.reshape((-1,)), 0) if axis is None else (a, axis % a.ndim)
        indices = asarray(indices)
        moved = FUNCTIONS["moveaxis"](a, axis, 0).at[indices].get(mode="fill", fill_value=fill_value)
        places = range(indices.ndim)
        return FUNCTIONS["moveaxis"](moved, tuple(places), tuple(axis + k for k in places))
    return _take.call((a, indices), {"axis": axis, "mode": mode if mode in ("clip", "wrap") else "raise"})


@define
def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None):
    """Elements of each line along an axis, at indices of their own."""
    if mode == "clip":
        arr, indices = asarray(arr), asarray(indices)
        n = arr.size if axis is None else arr.shape[axis]
        indices = FUNCTIONS["clip"](indices, -n, n - 1)
    return _take_along.call((arr, indices), {"axis": axis})


@define
def clip(arr=None, /, min=None, max=None, *, a=None, a_min=None, a_max=None):
    """The array between two bounds."""
    arr = a if arr is None else arr
    return _clip.call((arr, a_min if min is None else min, a_max if max is None else max), {})


_clip = Function(np.clip)


# joining ----------------------------------------------------------------------------------------------------------------
_concatenate = Function(np.concatenate)


def rows(arrays):
    """A sequence of arrays; one array stands for its rows."""
    if isinstance(arrays, list | tuple):
        if not arrays:
            raise ShapeError("no arrays to join", "Pass one at least.")
        return list(arrays)
    return [arrays[i] for i in range(len(arrays))]


@define
def concatenate(arrays, axis=0, dtype=None):
    """Arrays joined along an axis."""
    return _concatenate.call((rows(arrays),), {"axis": axis, "dtype": dtype})


@define
def concat(arrays, /, *, axis=0):
    """Arrays joined along an axis."""
    return concatenate(arrays, axis)


def _joining(name):
    made = Function(getattr(np, name))

    def call(arrays, *args, **kwargs):
        return made.call((rows(arrays), *args), kwargs)
    call.__name__, call.__module__, call.__doc__ = name, "transformer.numpy", f"`numpy.{name}` with JAX's types."
    FUNCTIONS[name] = call


for _name in ("stack", "vstack", "hstack", "dstack", "column_stack", "block"):
    _joining(_name) if _name != "block" else None


@define
def append(arr, values, axis=None):
    """Values joined to the end of an array."""
    arr, values = asarray(arr), asarray(values)
    dtype = result_type(arr, values)
    if axis is None:
        arr, values, axis = arr.reshape((-1,)), values.reshape((-1,)), 0
    return concatenate([astype(arr, dtype), astype(values, dtype)], axis)


@define
def unstack(x, /, *, axis=0):
    """The slices along an axis, as a tuple."""
    return tuple(FUNCTIONS["moveaxis"](asarray(x), axis, 0))


@define
def array_split(ary, indices_or_sections, axis=0):
    """An array in parts, whose sizes differ by at most one."""
    return _array_split.call((ary, indices_or_sections), {"axis": axis})


_array_split = Function(np.array_split)


# updates ----------------------------------------------------------------------------------------------------------------
def changed(name):
    """A function of NumPy that changes its first argument, as one that returns the changed copy."""
    function = getattr(np, name)

    def call(a, *args, inplace=True, **kwargs):
        if inplace:
            raise TransformError(f"{name} changes an array in place, and arrays are immutable",
                                 f"Write a = jnp.{name}(a, ..., inplace=False).")
        if any(map(optable.holds_reference, (a, *args, *kwargs.values()))):
            def run(a, *args, **kwargs):
                copy = optable.TABLE["copy"].emit(a)
                optable.FUNCTIONS[function](copy, *args, **kwargs)
                return copy
        else:
            def run(a, *args, **kwargs):
                copy = np.array(a)
                function(copy, *args, **kwargs)
                return copy
        return eager.call(run, (asarray(a), *args), kwargs)
    call.__name__, call.__module__, call.__doc__ = name, "transformer.numpy", f"`numpy.{name}` of a copy (inplace=False)."
    FUNCTIONS[name] = call


for _name in ("put", "place", "fill_diagonal", "put_along_axis"):
    changed(_name)


@define
def divmod(x1, x2, /):
    """(floor of the quotient, remainder)."""
    return FUNCTIONS["floor_divide"](x1, x2), FUNCTIONS["remainder"](x1, x2)


# polynomials ------------------------------------------------------------------------------------------------------------
_polymul, _polydiv, _roots = map(Function, (np.polymul, np.polydiv, np.roots))


@define
def polymul(a1, a2, *, trim_leading_zeros=False):
    """The product of two polynomials."""
    if trim_leading_zeros:
        a1, a2 = (FUNCTIONS["trim_zeros"](a, "f") for a in (a1, a2))
    return _polymul.call((a1, a2), {})


@define
def polydiv(u, v, *, trim_leading_zeros=False):
    """(quotient, remainder) of two polynomials; the remainder is as long as `u`."""
    quotient, rest = _polydiv.call((u, v), {})
    rest = FUNCTIONS["pad"](rest, (np.shape(u)[0] - np.shape(rest)[0], 0))
    return quotient, FUNCTIONS["trim_zeros"](rest, "f") if trim_leading_zeros else rest


@define
def roots(p, *, strip_zeros=True):
    """The zeros of a polynomial."""
    found = _roots.call((p,), {})
    return astype(found, complex) if found.dtype.kind != "c" else found


def histogram_of(name, count):
    made = Function(getattr(np, name))

    def call(*args, bins=10, range=None, weights=None, density=None):
        args, rest = args[:count], args[count:]
        bins, range, weights, density = (*rest, *(bins, range, weights, density)[len(rest):])
        counts, *edges = made.call(args, {"bins": bins, "range": range, "density": density, "weights": weights})
        return (astype(counts, int) if weights is None and not density else counts, *edges)
    FUNCTIONS[name] = described(call, getattr(np, name), name)


histogram_of("histogram2d", 2)
histogram_of("histogramdd", 1)


# others -----------------------------------------------------------------------------------------------------------------
@define
def astype(x, dtype, /, *, copy=False, device=None):
    """The array in another type."""
    return _astype.call((asarray(x), dtype), {})


_astype = Function(np.astype)


@define
def permute_dims(a, /, axes):
    """The axes in another order."""
    return FUNCTIONS["transpose"](a, axes)


@define
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements."""
    if np.shape(a1) != np.shape(a2):
        return array(False)
    return asarray(_array_equal.call((a1, a2), {"equal_nan": equal_nan}))


_array_equal = Function(np.array_equal)


_isin = FUNCTIONS["isin"]


@define
def isin(element, test_elements, assume_unique=False, invert=False, *, method="auto"):
    """Which elements are among others."""
    dtype = result_type(element, test_elements)
    return _isin(astype(asarray(element), dtype), astype(asarray(test_elements), dtype), invert=invert)


@define
def empty_like(prototype, dtype=None, shape=None, *, device=None):
    """Zeros of the shape and type of an array: as in JAX, memory is never left as it was."""
    return FUNCTIONS["zeros_like"](prototype, dtype, shape=shape, device=device)


@define
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close."""
    return asarray(FUNCTIONS["all"](FUNCTIONS["isclose"](a, b, rtol, atol, equal_nan)))


@define
def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes broadcast to."""
    return np.broadcast_shapes(*shapes)


@define
def ix_(*args):
    """Index arrays for the grid of all combinations."""
    made = [asarray(a) for a in args]
    return tuple(a.reshape(tuple(-1 if k == i else 1 for k in range(len(made)))) for i, a in enumerate(made))


@define
def einsum_path(subscripts, *operands, optimize="greedy"):
    """The order of contractions, as `numpy.einsum_path`."""
    return np.einsum_path(subscripts, *(np.empty(np.shape(o)) for o in operands), optimize=optimize)


@define
def iterable(y):
    """Whether a value can be iterated over."""
    return bool(y.shape) if is_reference(y) else np.iterable(y)


optable.JNP_METHODS.update({name: FUNCTIONS[name] for name in ("sort", "argsort", "take", "clip", "astype")})
