"""Sorting, searching and counting."""

import numpy as np

from ..core import Aval, is_floating, is_real
from ..errors import ShapeError, TransformError, ValueDependent
from .batching import batched_along
from .op import array, aval_of, function, holds_reference, is_reference, op, operands, result_dtype
from .shaping import normal_axis

BINARY_SEARCH_FROM = 4096
"""searchsorted compares every pair up to this many, and searches by bisection beyond."""


def last_axis(axis, ndim, name):
    """A non-negative axis."""
    if ndim == 0 or not -ndim <= axis < ndim:
        raise ShapeError(f"{name}: axis {axis} is out of bounds for an array of {ndim} axes",
                         "Axes count from 0, or from -1 backwards.")
    return int(axis) % ndim


def axis_notation(call, aval, axis, kind=None):
    """`call({0}, axis=k)`, without the axis if it is the last one."""
    options = [f"axis={axis}"] if axis != aval.ndim - 1 else []
    options += [f'kind="{kind}"'] if kind else []
    return f"{call}({', '.join(['{0}', *options])})"


SAMPLE = np.array([[3.0, -1.0, 2.5, 0.5], [0.25, 4.0, -2.0, 1.0], [1.5, 0.75, -0.5, 2.0]])
AXES = [((SAMPLE,), {"axis": 0, "kind": None}), ((SAMPLE,), {"axis": 1, "kind": None}), ((SAMPLE[0],), {"axis": 0, "kind": "stable"})]


# sort and argsort -------------------------------------------------------------------------------------------------------

@op()
class sort:
    """The array sorted along an axis. A cotangent goes back to the element it came from."""

    samples = AXES
    batch = batched_along("sort", "axis")

    def impl(x, axis, kind):
        return np.sort(x, axis=axis, kind=kind)

    def infer(x, axis, kind):
        return Aval(x.shape, x.dtype)

    def lower(hlo, out, x, axis, kind):
        return hlo.sort([x], axis)[0]

    def vjp(g, x, out, axis, kind):
        order = argsort.bind(x, axis=axis, kind="stable")
        return np.take_along_axis(g, argsort.bind(order, axis=axis, kind=None), axis=axis)

    def jvp(dots, x, out, axis, kind):
        return np.take_along_axis(dots[0], argsort.bind(x, axis=axis, kind="stable"), axis=axis)

    def notation(x, axis, kind):
        return axis_notation("np.sort", x, axis, kind)


@op(differentiable=False)
class argsort:
    """The indices that sort an array along an axis."""

    samples = AXES
    positions = True
    batch = batched_along("argsort", "axis")

    def impl(x, axis, kind):
        return np.argsort(x, axis=axis, kind=kind)

    def infer(x, axis, kind):
        return Aval(x.shape, np.dtype(np.intp))

    def lower(hlo, out, x, axis, kind):
        return hlo.sort([x, hlo.iota(x.shape, out.dtype, axis)], axis)[1]

    def notation(x, axis, kind):
        return axis_notation("np.argsort", x, axis, kind)


def canonical(a, axis, kind, stable, name):
    """The operand, its axis and the kind ("stable" or None); axis None flattens."""
    a = array(a)
    if axis is None:
        a, axis = np.ravel(a), 0
    return a, last_axis(axis, len(aval_of(a).shape), name), "stable" if kind in ("stable", "mergesort") or stable else None


@function(np.sort)
def sort_call(a, axis=-1, kind=None, order=None, stable=None):
    a, axis, kind = canonical(a, axis, kind, stable, "sort")
    return sort.bind(a, axis=axis, kind=kind)


@function(np.argsort, method="argsort")
def argsort_call(a, axis=-1, kind=None, order=None, stable=None):
    a, axis, kind = canonical(a, axis, kind, stable, "argsort")
    return argsort.bind(a, axis=axis, kind=kind)


@function(np.sort_complex)
def sort_complex(a):
    a = np.sort(array(a))
    return a if aval_of(a).dtype.kind == "c" else a.astype(np.complex128)


@function(np.lexsort)
def lexsort(keys, axis=-1):
    """Indices that sort by the last key first: stable sorts by one key after the other."""
    keys = [array(k) for k in keys]
    axis = last_axis(axis, len(aval_of(keys[0]).shape), "lexsort")
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for key in keys[1:]:
        step = np.argsort(np.take_along_axis(key, order, axis=axis), axis=axis, kind="stable")
        order = np.take_along_axis(order, step, axis=axis)
    return order


# partition ------------------------------------------------------------------------------------------------------------------

PARTS = [((SAMPLE,), {"kth": (1,), "axis": 0}), ((SAMPLE,), {"kth": (2,), "axis": 1}), ((SAMPLE[0],), {"kth": (0, 2), "axis": 0})]


def partition_notation(call, x, kth, axis):
    places = str(kth[0]) if len(kth) == 1 else str(kth)
    return f"{call}({{0}}, {places}" + (f", axis={axis})" if axis != x.ndim - 1 else ")")


def by_rank(values, source, target, axis):
    """Values that belong to the elements of `source`, in the places that these elements have in `target`."""
    ranked = np.take_along_axis(values, argsort.bind(source, axis=axis, kind="stable"), axis=axis)
    order = argsort.bind(target, axis=axis, kind="stable")
    return np.take_along_axis(ranked, argsort.bind(order, axis=axis, kind=None), axis=axis)


@op()
class partition:
    """The array with the k-th elements along an axis in their sorted place; compiled code sorts fully."""

    samples = PARTS
    batch = batched_along("partition", "axis")

    def impl(x, kth, axis):
        return np.partition(x, kth, axis=axis)

    def infer(x, kth, axis):
        return Aval(x.shape, x.dtype)

    def lower(hlo, out, x, kth, axis):
        return hlo.sort([x], axis)[0]

    def vjp(g, x, out, kth, axis):
        return by_rank(g, out, x, axis)

    def jvp(dots, x, out, kth, axis):
        return by_rank(dots[0], x, out, axis)

    def notation(x, kth, axis):
        return partition_notation("np.partition", x, kth, axis)


@op(differentiable=False)
class argpartition:
    """The indices that partition an array along an axis."""

    samples = PARTS
    positions = True
    batch = batched_along("argpartition", "axis")

    def impl(x, kth, axis):
        return np.argpartition(x, kth, axis=axis)

    def infer(x, kth, axis):
        return Aval(x.shape, np.dtype(np.intp))

    def lower(hlo, out, x, kth, axis):
        return hlo.sort([x, hlo.iota(x.shape, out.dtype, axis)], axis)[1]

    def notation(x, kth, axis):
        return partition_notation("np.argpartition", x, kth, axis)


def places(kth, size):
    """Static, non-negative positions."""
    found = tuple(int(k) for k in np.atleast_1d(kth))
    if any(not -size <= k < size for k in found):
        raise ShapeError(f"partition: kth = {kth} is out of bounds for an axis of size {size}", "Positions count from 0.")
    return tuple(k % size for k in found)


@function(np.partition)
def partition_call(a, kth, axis=-1, kind="introselect", order=None):
    a, axis, _ = canonical(a, axis, None, None, "partition")
    return partition.bind(a, kth=places(kth, aval_of(a).shape[axis]), axis=axis)


@function(np.argpartition, method="argpartition")
def argpartition_call(a, kth, axis=-1, kind="introselect", order=None):
    a, axis, _ = canonical(a, axis, None, None, "argpartition")
    return argpartition.bind(a, kth=places(kth, aval_of(a).shape[axis]), axis=axis)


# searching ---------------------------------------------------------------------------------------------------------------

BINS = np.array([-1.0, 0.0, 0.0, 1.5, 2.0])


@op(differentiable=False)
class searchsorted:
    """Positions at which to insert `v` into the sorted vector `a`."""

    promotes = True
    samples = [((BINS, SAMPLE), {"side": side}) for side in ("left", "right")] + [((BINS, np.array(0.0)), {"side": "left"})]

    def impl(a, v, side):
        return np.searchsorted(a, v, side=side)

    def infer(a, v, side):
        if a.ndim != 1:
            raise ShapeError(f"searchsorted needs a sorted vector, not an array of shape {a.shape}", "Ravel and sort it first.")
        return Aval(v.shape, np.dtype(np.intp))

    def lower(hlo, out, a, v, side):
        dtype = result_dtype(Aval(a.shape, a.dtype, a.weak), Aval(v.shape, v.dtype, v.weak))
        a, v = hlo.convert(a, dtype), hlo.convert(v, dtype)
        if a.shape[0] * max(1, int(np.prod(v.shape))) <= BINARY_SEARCH_FROM:
            return count_before(hlo, a, v, side)
        return bisect(hlo, a, v, side)

    def batch(axes, a, v, side):
        if axes[0] is None:
            return searchsorted.bind(a, v, side=side), 0
        extra = np.ndim(v) - (axes[1] == 0)
        a = np.reshape(a, (a.shape[0], *(1,) * extra, a.shape[1]))
        v = np.expand_dims(v, -1)
        before = a < v if side == "left" else a <= v
        if is_floating(v.dtype):
            before = before | ((v != v) & (a == a) if side == "left" else (v != v))
        return np.sum(before, axis=-1), 0

    def notation(a, v, side):
        return "np.searchsorted({0}, {1})" if side == "left" else f'np.searchsorted({{0}}, {{1}}, side="{side}")'


def precedes(hlo, a, v, side):
    """Elementwise: does a[i] stand before the place of v? nan sorts last."""
    before = hlo.compare("LT" if side == "left" else "LE", a, v)
    if not is_real(a.dtype):
        return before
    last = hlo.compare("NE", v, v)
    return hlo.or_(before, hlo.and_(last, hlo.compare("EQ", a, a)) if side == "left" else last)


def count_before(hlo, a, v, side):
    """The number of elements that stand before v."""
    shape = (*v.shape, a.shape[0])
    wide = hlo.broadcast_in_dim(v, shape, tuple(range(len(v.shape))))
    ones = hlo.convert(precedes(hlo, hlo.broadcast_to(a, shape), wide, side), np.dtype(np.int64))
    return hlo.reduce(ones, 0, (len(v.shape),), "add")


def bisect(hlo, a, v, side):
    """Bisection, all of v at once: one gather a step."""
    int64, n = np.dtype(np.int64), a.shape[0]
    low, high = hlo.full(v.shape, 0, int64), hlo.full(v.shape, n, int64)
    for _ in range(n.bit_length()):
        middle = hlo.divide(hlo.add(low, high), 2)
        index = hlo.reshape(middle, (*v.shape, 1))
        probe = hlo.gather(a, index, collapsed_slice_dims=(0,), start_index_map=(0,), slice_sizes=(1,))
        open_ = hlo.compare("LT", low, high)
        right = hlo.and_(open_, precedes(hlo, probe, v, side))
        low, high = (hlo.select(right, hlo.add(middle, 1), low),
                     hlo.select(hlo.and_(open_, hlo.not_(right)), middle, high))
    return low


@function(np.searchsorted, method="searchsorted")
def searchsorted_call(a, v, side="left", sorter=None):
    a, v = array(a), array(v)
    if sorter is not None:
        a = np.take(a, sorter)
    return searchsorted.bind(a, v, side={"l": "left", "r": "right"}[side[0]])


@function(np.digitize)
def digitize(x, bins, right=False):
    """The bin of each x; bins may increase or decrease."""
    x, bins = array(x), array(bins)
    n = aval_of(bins).shape[0]
    side, mirrored = ("left", "right") if right else ("right", "left")
    up = np.searchsorted(bins, x, side=side)
    if is_static(bins):
        return up if n < 2 or bins[0] <= bins[-1] else n - np.searchsorted(bins[::-1], x, side=mirrored)
    return np.where(bins[0] <= bins[-1], up, n - np.searchsorted(bins[::-1], x, side=mirrored))


def is_static(value):
    return isinstance(value, np.ndarray | np.generic)


# counting ------------------------------------------------------------------------------------------------------------------

@op()
class unique:
    """The sorted distinct elements (part "values"), where they stand first ("index"), or how to rebuild ("inverse", "counts").

    axis: of the slices along it instead. Their number depends on the data: NumPy only.
    """

    samples = [((np.array([3.0, 1.0, 2.0, 3.5]),), {"part": "values"}),
               ((np.array([[3.0, 1.0], [2.0, 0.5], [4.0, 1.5]]),), {"part": "values", "axis": 0})]

    def impl(x, part, axis=None, equal_nan=True):
        found = np.unique(x, axis=axis, equal_nan=equal_nan, **({} if part == "values" else {f"return_{part}": True}))
        return found if part == "values" else found[1]

    def infer(x, part, axis=None, equal_nan=True):
        if part == "inverse":
            return Aval(x.shape if axis is None else x.shape[axis:axis + 1], np.dtype(np.intp))
        if part == "values":
            return Aval((None,) if axis is None else (*x.shape[:axis], None, *x.shape[axis + 1:]), x.dtype)
        return Aval((None,), np.dtype(np.intp))

    def lower(hlo, out, x, part, axis=None, equal_nan=True):
        raise TransformError("np.unique gives a number of elements that depends on the data",
                             "Compiled code needs static shapes: use transformer.numpy.unique(x, size=n).")

    def vjp(g, x, out, part, axis=None, equal_nan=True):
        first = unique.bind(x, part="index", axis=axis, equal_nan=equal_nan)
        x_bar = np.zeros_like(x, shape=np.shape(x) if axis is not None else (int(np.prod(np.shape(x))),))
        x_bar[(*[slice(None)] * (axis or 0), first)] = g
        return np.reshape(x_bar, np.shape(x))

    def jvp(dots, x, out, part, axis=None, equal_nan=True):
        first = unique.bind(x, part="index", axis=axis, equal_nan=equal_nan)
        return np.ravel(dots[0])[first] if axis is None else np.take(dots[0], first, axis=axis)

    def batch(axes, x, part, axis=None, equal_nan=True):
        raise TransformError("np.unique of each lane of a batch gives results of different sizes",
                             "Use transformer.numpy.unique(x, size=n), or call it outside of vmap.")

    def notation(x, part, axis=None, equal_nan=True):
        said = {f"return_{part}": part != "values", "axis": axis, "equal_nan": None if equal_nan else False}
        named = "".join(f", {name}={value}" for name, value in said.items() if value or value is not None and name != f"return_{part}")
        return f"np.unique({{0}}{named})" if part == "values" else f"np.unique({{0}}{named})[1]"


@function(np.unique)
def unique_call(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    ar = array(ar)
    how = {}
    if axis is not None:
        axis = normal_axis(axis, np.ndim(ar))
        how |= {} if np.ndim(ar) == 1 else {"axis": axis}
    if not equal_nan:
        how["equal_nan"] = False
    wanted = [("index", return_index), ("inverse", return_inverse), ("counts", return_counts)]
    parts = [unique.bind(ar, part=part, **how) for part, want in wanted if want]
    values = unique.bind(ar, part="values", **how)
    return (values, *parts) if parts else values


@function(np.union1d)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((ar1, ar2), axis=None))


@function(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    ar1 = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return ar1[~np.isin(ar1, ar2)]


@function(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    return np.sort(np.concatenate((np.setdiff1d(ar1, ar2, assume_unique), np.setdiff1d(ar2, ar1, assume_unique))))


@function(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The common elements, sorted; with return_indices also where each array has them first."""
    values, first = np.unique(ar1, return_index=True)
    found = np.isin(values, ar2)
    if not return_indices:
        return values[found]
    others, first_of_others = np.unique(ar2, return_index=True)
    return values[found], first[found], first_of_others[np.isin(others, ar1)]


@op(differentiable=False)
class bincount:
    """How often each integer occurs; the length depends on the data: NumPy only (give minlength for a fixed length)."""

    samples = [((np.array([0, 2, 1, 2]),), {})]
    impl = np.bincount

    def infer(x):
        return Aval((None,), np.dtype(np.intp))

    def lower(hlo, out, x):
        raise TransformError("np.bincount without minlength gives a length that depends on the data",
                             "Compiled code needs static shapes: give minlength.")


@function(np.bincount)
def bincount_call(x, weights=None, minlength=0):
    """Counts, or sums of weights. With minlength the result has that length; a value beyond it raises IndexError."""
    length = int(minlength)
    known = x.known if is_reference(x) else None if holds_reference(x) else np.asarray(x)
    if known is not None and known.size:
        length = max(length, int(np.max(known)) + 1)
    x, *weights = operands(x) if weights is None else operands(x, weights)
    if length == 0 and not weights:
        return bincount.bind(x)
    if length == 0:
        raise ValueDependent("np.bincount of weights without minlength gives a length that depends on the data", "Give minlength.")
    index = x if aval_of(x).dtype.kind in "ub" else np.where(x < 0, length, x)
    counts = np.zeros_like(index, shape=(length,), dtype=np.float64 if weights else np.intp)
    np.add.at(counts, index, weights[0].astype(np.float64) if weights else 1)
    return counts


@function(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins: equal widths between the smallest and the largest element, or `range`."""
    bins = array(bins)
    if len(aval_of(bins).shape) == 1:
        return bins
    if isinstance(bins, str):
        raise TransformError(f"histogram: bins={bins!r} gives a number of bins that depends on the data", "Give their number.")
    lo, hi = (np.min(a), np.max(a)) if range is None else range
    half = np.where(lo == hi, 0.5, 0.0)
    return np.linspace(lo - half, hi + half, int(bins) + 1)


@function(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts (or sums of weights) in bins, and the edges. The last bin is closed on both sides."""
    a, *rest = operands(a) if weights is None else operands(a, weights)
    a = np.ravel(a)
    edges = histogram_bin_edges(a, bins, range)
    inside = (a >= edges[0]) & (a <= edges[-1])
    place = (bins_of_equal_width if len(aval_of(bins).shape) == 0 else bins_between)(a, edges, inside)
    each = np.ravel(rest[0]) if rest else 1
    counts = np.zeros_like(each if rest else place, shape=(aval_of(edges).shape[0] - 1,))
    np.add.at(counts, place, np.where(inside, each, 0))
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def bins_of_equal_width(a, edges, inside):
    """The number of each element's bin, by division, which rounding may put one bin off; 0 for elements outside of all bins."""
    a, edges = operands(a, edges)
    count = aval_of(edges).shape[0] - 1
    place = np.where(inside, (a - edges[0]) / (edges[-1] - edges[0]) * count, 0).astype(np.intp)
    place = np.minimum(place, count - 1)
    place = place - (inside & (a < edges[place]))
    return place + (inside & (a >= edges[place + 1]) & (place != count - 1))


def bins_between(a, edges, inside):
    """The number of each element's bin, by searching the edges; any bin for elements outside of all bins."""
    last = aval_of(edges).shape[0] - 2
    return np.clip(np.where(inside, np.searchsorted(edges, a, side="right") - 1, 0), 0, last)


__all__ = ["argpartition", "argsort", "bincount", "partition", "searchsorted", "sort", "unique"]
