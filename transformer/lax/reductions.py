"""Reductions, scans along an axis, sorting and pooling under XLA's names."""

import operator

import numpy as np

from .. import tree
from ..core import is_real
from ..errors import TypeMismatch
from ..frontend.reference import is_reference
from ..ops.op import TABLE
from ..ops.windows import places
from .products import ints, pairs_of
from .wrapping import cast, dtype_of, lax, normal_axes, storable


def kind_of(computation):
    """"add", "max", "min" or "mul" for a function that is known to be one of them, else None."""
    from .. import numpy as jnp
    from . import add, max, min, mul
    known = {"add": (add, jnp.add, np.add, operator.add), "max": (max, jnp.maximum, np.maximum), "min": (min, jnp.minimum, np.minimum),
             "mul": (mul, jnp.multiply, np.multiply, operator.mul)}
    return next((kind for kind, functions in known.items() if any(computation is f for f in functions)), None)


REDUCTIONS = {"add": np.sum, "max": np.max, "min": np.min, "mul": np.prod}
UFUNCS = {"add": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply}


@lax
def reduced(operand, kind, axes):
    """A known reduction over axes, in the operand's dtype."""
    if kind in ("add", "mul"):
        return REDUCTIONS[kind](operand, axis=axes, dtype=dtype_of(operand))
    return REDUCTIONS[kind](operand, axis=axes)


@lax
def combined(init, value, kind):
    return UFUNCS[kind](init, value)


def is_neutral(init, kind, dtype):
    """Whether an initial value is known to change nothing."""
    if is_reference(init) and init.known is None:
        return False
    value = np.asarray(init.known if is_reference(init) else init)
    if value.ndim:
        return False
    if kind in ("add", "mul"):
        return bool(value == (kind == "mul"))
    lowest = -np.inf if is_real(dtype) else np.iinfo(dtype).min if dtype.kind in "iu" else False
    highest = np.inf if is_real(dtype) else np.iinfo(dtype).max if dtype.kind in "iu" else True
    return bool(value <= lowest) if kind == "max" else bool(value >= highest)


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    """The elements along axes combined by an associative function, starting from an initial value."""
    leaves, treedef = tree.flatten(operands)
    axes = normal_axes(dimensions, np.ndim(leaves[0]), "reduce")
    kind = kind_of(computation)
    if kind is None or treedef.kind is not None:
        inits = tree.flatten_like(treedef, init_values)
        return folded(leaves, inits, computation, treedef, axes)
    value = reduced(leaves[0], kind, axes)
    return value if is_neutral(init_values, kind, dtype_of(leaves[0])) else combined(init_values, value, kind)


def folded(leaves, inits, computation, treedef, axes):
    """Reduction by any function: halves of the axes are combined until one element is left."""
    parts = [flat(v, axes) for v in leaves]
    while np.shape(parts[0])[0] > 1:
        count = np.shape(parts[0])[0]
        half = count // 2
        front, back = ([v[a:b] for v in parts] for a, b in ((0, half), (half, 2 * half)))
        both = tree.flatten(computation(tree.unflatten(treedef, front), tree.unflatten(treedef, back)))[0]
        parts = [together(v, old[2 * half:]) if count % 2 else v for v, old in zip(both, parts)]
    init = tree.unflatten(treedef, inits)
    return computation(init, tree.unflatten(treedef, [v[0] for v in parts])) if np.shape(parts[0])[0] else init


@lax
def flat(x, axes):
    """The reduced axes as one axis in front."""
    return flatten_axes(x, axes)


def flatten_axes(x, axes):
    others = [k for k in range(np.ndim(x)) if k not in axes]
    return np.reshape(np.transpose(x, (*axes, *others)), (-1, *(np.shape(x)[k] for k in others)))


@lax
def together(x, y):
    return np.concatenate([x, y], axis=0)


def named_reduction(name, function, keeps_dtype=False):
    """A reduction over `axes`."""
    def reduction(operand, axes, out_sharding=None):
        extra = {"dtype": dtype_of(operand)} if keeps_dtype else {}
        return function(operand, axis=normal_axes(axes, np.ndim(operand), name), **extra)
    reduction.__name__, reduction.__doc__ = name, f"`np.{function.__name__}` over axes."
    return lax(reduction)


reduce_sum = named_reduction("reduce_sum", np.sum, True)
reduce_prod = named_reduction("reduce_prod", np.prod, True)
reduce_max = named_reduction("reduce_max", np.max)
reduce_min = named_reduction("reduce_min", np.min)
reduce_and = named_reduction("reduce_and", np.all)
reduce_or = named_reduction("reduce_or", np.any)


@lax
def reduce_xor(operand, axes):
    """Exclusive or over axes."""
    parts = flatten_axes(operand, normal_axes(axes, np.ndim(operand), "reduce_xor"))
    while np.shape(parts)[0] > 1:
        half = np.shape(parts)[0] // 2
        parts = np.concatenate([np.bitwise_xor(parts[:half], parts[half:2 * half]), parts[2 * half:]], axis=0)
    return parts[0]


@lax
def argmax(operand, axis, index_dtype):
    """The index of the first largest element along an axis."""
    return cast(np.argmax(operand, axis=axis), index_dtype)


@lax
def argmin(operand, axis, index_dtype):
    """The index of the first smallest element along an axis."""
    return cast(np.argmin(operand, axis=axis), index_dtype)


# along an axis --------------------------------------------------------------------------------------------------------------
def cumulative(name, scan, keeps_dtype=False):
    def cumulate(operand, axis=0, reverse=False):
        extra = {"dtype": dtype_of(operand)} if keeps_dtype else {}
        axis, = normal_axes(axis, np.ndim(operand), name)
        if not reverse:
            return scan(operand, axis=axis, **extra)
        return np.flip(scan(np.flip(operand, axis), axis=axis, **extra), axis)
    cumulate.__name__, cumulate.__doc__ = name, "The running result along an axis; reverse: from the end."
    return lax(cumulate)


def running_logsumexp(x, axis):
    """log of the running sum of exponentials, in log2(n) rounds."""
    shift, x = 1, np.moveaxis(x, axis, -1)
    while shift < np.shape(x)[-1]:
        x = np.concatenate([x[..., :shift], np.logaddexp(x[..., shift:], x[..., :-shift])], axis=-1)
        shift *= 2
    return np.moveaxis(x, -1, axis)


cumsum = cumulative("cumsum", np.cumsum, True)
cumprod = cumulative("cumprod", np.cumprod, True)
cummax = cumulative("cummax", np.maximum.accumulate)
cummin = cumulative("cummin", np.minimum.accumulate)
cumlogsumexp = cumulative("cumlogsumexp", running_logsumexp)


# sorting -----------------------------------------------------------------------------------------------------------------------
def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    """Sorted along an axis; of several arrays the first `num_keys` are the keys, and all are put into their order."""
    if not isinstance(operand, tuple | list):
        return sort_one(operand, dimension)
    return tuple(sort_all(list(operand), dimension, num_keys))


@lax
def sort_one(operand, dimension):
    return np.sort(operand, axis=dimension)


@lax
def sort_all(operands, dimension, num_keys):
    order = None
    for key in operands[num_keys - 1::-1] if num_keys > 1 else operands[:1]:
        key = key if order is None else np.take_along_axis(key, order, axis=dimension)
        step = np.argsort(key, axis=dimension, kind="stable")
        order = step if order is None else np.take_along_axis(order, step, axis=dimension)
    return [np.take_along_axis(x, order, axis=dimension) for x in operands]


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    """Keys sorted along an axis, and values in their order."""
    return sort((keys, values), dimension, is_stable, 1)


@lax
def top_k(operand, k, *, axis=-1):
    """(the k largest elements along an axis, from the largest on, their indices)."""
    axis, = normal_axes(axis, np.ndim(operand), "top_k")
    size = np.shape(operand)[axis]
    if not 0 <= k <= size:
        raise TypeMismatch(f"top_k: {k} of {size} elements are asked for", "Ask for as many as there are at most.")
    order = np.flip(np.argsort(np.flip(operand, axis), axis=axis, kind="stable"), axis)
    order = size - 1 - order[(*(slice(None),) * axis, slice(0, k))]
    return np.take_along_axis(operand, order, axis=axis), cast(order, np.int32)


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1, aggregate_to_topk=True):
    """`top_k`; here it is exact."""
    return top_k(operand, k, axis=reduction_dimension)


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1, aggregate_to_topk=True):
    """(the k smallest elements along an axis, their indices); here it is exact."""
    from . import neg
    values, places = top_k(neg(operand), k, axis=reduction_dimension)
    return neg(values), places


# windows ------------------------------------------------------------------------------------------------------------------------
def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None, padding="VALID", base_dilation=None,
                  window_dilation=None):
    """The elements of each window combined: pooling. computation: lax.add, lax.max, lax.min, or any associative function.

    window_dimensions, window_strides, the dilations: an int per axis; padding: "SAME", "VALID" or a pair per axis.
    """
    ndim = np.ndim(operand)
    window = ints(window_dimensions, ndim)
    strides, dilation, spread = (ints(v, ndim) for v in (window_strides, base_dilation, window_dilation))
    kind = kind_of(computation)
    params = {"window": window, "strides": strides, "padding": pairs_of(padding, np.shape(operand), window, strides, spread),
              "dilation": dilation, "spread": spread}
    if kind in ("add", "max", "min") and (kind == "add" or set(dilation) == {1}):
        value = pooled(operand, kind, params)
        return value if is_neutral(init_value, kind, dtype_of(operand)) else combined(init_value, value, kind)
    if set(dilation) != {1}:
        raise TypeMismatch("reduce_window with base_dilation for this computation", "Pad the operand with lax.pad (interior) first.")
    return reduce(windows(operand, init_value, params), init_value, computation, range(ndim, 2 * ndim))


@lax
def pooled(operand, kind, params):
    return TABLE[f"window_{'sum' if kind == 'add' else kind}"].bind(operand, **params)


@lax
def windows(operand, fill, params):
    """All windows: the places, then the axes of the window."""
    padding = params["padding"]
    index = places(np.shape(operand), params["window"], params["strides"], padding, params["spread"])
    shape = tuple(n + lo + hi for n, (lo, hi) in zip(np.shape(operand), padding))
    whole = storable(np.broadcast_to(cast(fill, dtype_of(operand)), shape), operand)
    whole[tuple(slice(lo, lo + n) for n, (lo, _) in zip(np.shape(operand), padding))] = operand
    return whole[index]


__all__ = ["approx_max_k", "approx_min_k", "argmax", "argmin", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "reduce",
           "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_prod", "reduce_sum", "reduce_window", "reduce_xor", "sort",
           "sort_key_val", "top_k"]
