"""Functions of `transformer.numpy` that take arguments which NumPy's do not take, or take by keyword only."""

import numpy as np

from ..errors import ShapeError, TypeMismatch
from . import narrowing, overrides
from .adapter import described
from .counting import where
from .creation import asarray

PLAIN = overrides.FUNCTIONS | narrowing.FUNCTIONS
FUNCTIONS = {}
"""Name -> function, instead of that of `narrowing` or `overrides`."""

POSITIONS = {
    "argmax": "a axis out keepdims", "argmin": "a axis out keepdims", "nanargmax": "a axis out keepdims", "nanargmin": "a axis out keepdims",
    "average": "a axis weights returned keepdims", "count_nonzero": "a axis keepdims", "corrcoef": "x y rowvar dtype",
    "cov": "m y rowvar bias ddof fweights aweights dtype", "nanmean": "a axis dtype out keepdims where",
    "nanstd": "a axis dtype out ddof keepdims where mean", "nanvar": "a axis dtype out ddof keepdims where mean",
    "zeros_like": "a dtype shape", "ones_like": "a dtype shape", "full_like": "a fill_value dtype shape",
}
"""Name -> the parameters that may be given by position, in JAX's order."""


def by_position(name, parameters):
    plain, names = PLAIN[name], parameters.split()

    def call(*args, **kwargs):
        if len(args) > len(names):
            raise TypeMismatch(f"jnp.{name} takes up to {len(names)} positional arguments, not {len(args)}", f"They are {', '.join(names)}.")
        return plain(*args[:1], **dict(zip(names[1:], args[1:])), **kwargs)
    return described(call, getattr(np, name), name)


FUNCTIONS |= {name: by_position(name, parameters) for name, parameters in POSITIONS.items()}


def define(function):
    FUNCTIONS[function.__name__] = function
    return function


# reductions ---------------------------------------------------------------------------------------------------------------
def own_integers(name):
    """With promote_integers=False small integers are added up in their own type."""
    plain = PLAIN[name]

    def call(a, axis=None, dtype=None, *args, promote_integers=True, **kwargs):
        if dtype is None and not promote_integers and asarray(a).dtype.kind in "iu":
            dtype = asarray(a).dtype
        return plain(a, axis, dtype, *args, **kwargs)
    FUNCTIONS[name] = described(call, getattr(np, name), name)


own_integers("sum")
own_integers("prod")


# joining ------------------------------------------------------------------------------------------------------------------
def of_tuple(name):
    """Arrays given as `tup`."""
    plain = PLAIN[name]

    def call(tup, dtype=None):
        found = plain(tup)
        return found if dtype is None else PLAIN["astype"](found, dtype)
    FUNCTIONS[name] = described(call, call, name)


for _name in ("vstack", "hstack", "dstack", "column_stack"):
    of_tuple(_name)


# picking ------------------------------------------------------------------------------------------------------------------
@define
def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None, *, wrap_negative_indices=True):
    """Elements of each line along an axis, at indices of their own. mode "clip", or "fill": what is out of range reads as `fill_value`
    (default: nan, or the extreme integer)."""
    if mode != "fill" and fill_value is None:
        return PLAIN["take_along_axis"](arr, indices, axis, mode)
    arr, indices = asarray(arr), asarray(indices)
    n = arr.size if axis is None else arr.shape[axis]
    inside = (indices >= (-n if wrap_negative_indices else 0)) & (indices < n)
    if fill_value is None:
        limits = None if arr.dtype.kind not in "iu" else np.iinfo(arr.dtype)
        fill_value = {"i": limits and limits.min, "u": limits and limits.max, "b": True}.get(arr.dtype.kind, np.nan)
    found = PLAIN["take_along_axis"](arr, PLAIN["clip"](indices, -n, n - 1), axis)
    return PLAIN["astype"](where(inside, found, fill_value), arr.dtype)


@define
def unravel_index(indices, shape):
    """The positions along every axis of flat positions; negative ones count from the end, what is out of range is clipped."""
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))
    size, indices = int(np.prod(shape)), asarray(indices)
    indices = PLAIN["clip"](indices + size * (indices < 0), 0, max(size - 1, 0))
    return PLAIN["unravel_index"](indices, shape)


@define
def trim_zeros(filt, trim="fb", axis=None):
    """A vector without leading and trailing zeros."""
    if np.ndim(filt) != 1 or axis not in (None, 0, -1, (0,)):
        raise ShapeError(f"jnp.trim_zeros of {np.ndim(filt)} axes along axis {axis}", "It takes a vector.")
    return PLAIN["trim_zeros"](asarray(filt), trim)


# interpolation ------------------------------------------------------------------------------------------------------------
@define
def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation of (xp, fp) at x; `left` and `right` stand for values outside, or are "extrapolate"."""
    def outside(value, a, b):
        if not isinstance(value, str):
            return value
        if value != "extrapolate":
            raise TypeMismatch(f"jnp.interp does not know {value!r} for values outside", 'Pass a number, or "extrapolate".')
        x_, xp_, fp_ = (asarray(v) for v in (x, xp, fp))
        return fp_[a] + (fp_[b] - fp_[a]) / (xp_[b] - xp_[a]) * (x_ - xp_[a])
    return PLAIN["interp"](x, xp, fp, outside(left, 0, 1), outside(right, -1, -2), period)


@define
def polyval(p, x, *, unroll=16):
    """A polynomial at x, by Horner's scheme."""
    return PLAIN["polyval"](p, x)


@define
def delete(arr, obj, axis=None, *, assume_unique_indices=False):
    """The array without some of its slices."""
    return PLAIN["delete"](arr, obj, axis)
