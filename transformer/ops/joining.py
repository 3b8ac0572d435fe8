"""Joining and splitting arrays."""

import numpy as np

from ..core import Aval
from ..errors import ShapeError
from .op import TABLE, aval_of, function, is_reference, lookup, op
from .shaping import coerced, normal_axis


def _listed(xs):
    holes = [f"{{{k}}}" for k in range(len(xs))]
    return "[" + ", ".join(holes) + "]"


def _axis_text(axis):
    return f", axis={axis}" if axis else ""


def _lanes(axes, xs):
    """All operands with their lanes first; those without are repeated."""
    lanes = next(np.shape(x)[0] for x, a in zip(xs, axes, strict=True) if a == 0)
    return [x if a == 0 else np.broadcast_to(x, (lanes, *np.shape(x))) for x, a in zip(xs, axes, strict=True)]


def _section(axis, start, stop):
    return (*(slice(None),) * axis, slice(start, stop))


@op(linear="jointly")
class concatenate:
    """Arrays joined along an existing axis."""

    promotes = cheap = True
    samples = [((np.array([1.0, 2.0]), np.array([3.0])), {"axis": 0}), ((np.ones((2, 2)), np.full((2, 3), 2.0), np.zeros((2, 1))), {"axis": 1})]

    def impl(*xs, axis):
        return np.concatenate(xs, axis)

    def infer(*xs, axis):
        first = xs[0].shape
        for x in xs[1:]:
            others = [(m, n) for k, (m, n) in enumerate(zip(first, x.shape, strict=False)) if k != axis]
            if len(x.shape) != len(first) or any(None not in (m, n) and m != n for m, n in others):
                raise ShapeError(f"arrays of shapes {' and '.join(str(x.shape) for x in xs)} cannot be joined along axis {axis}",
                                 "They must have equal sizes along all other axes.")
        sizes = [x.shape[axis] for x in xs]
        total = None if None in sizes else sum(sizes)
        return Aval((*first[:axis], total, *first[axis + 1:]), np.result_type(*(x.dtype for x in xs)))

    def lower(hlo, out, *xs, axis):
        return hlo.concatenate([hlo.convert(x, out.dtype) for x in xs], axis)

    def vjp(g, *xs_out, axis):
        xs, stop, parts = xs_out[:-1], 0, []
        for x in xs:
            start, stop = stop, stop + np.shape(x)[axis]
            parts.append(g[_section(axis, start, stop)])
        return tuple(parts)

    def batch(axes, *xs, axis):
        return TABLE["concatenate"].bind(*_lanes(axes, xs), axis=axis + 1), 0

    def notation(*xs, axis):
        return f"np.concatenate({_listed(xs)}{_axis_text(axis)})"


@op(linear="jointly")
class stack:
    """Arrays of one shape joined along a new axis."""

    promotes = True
    samples = [((np.array([1.0, 2.0]), np.array([3.0, 4.0])), {"axis": 0}), ((np.ones((2, 3)), np.zeros((2, 3)), np.ones((2, 3))), {"axis": 1}),
               ((1.0, np.float64(2.0)), {"axis": 0})]

    def impl(*xs, axis):
        return np.stack(xs, axis)

    def infer(*xs, axis):
        shape = xs[0].shape
        if any(x.shape != shape for x in xs):
            raise ShapeError(f"arrays of shapes {' and '.join(str(x.shape) for x in xs)} cannot be stacked", "They must have one shape.")
        return Aval((*shape[:axis], len(xs), *shape[axis:]), np.result_type(*(x.dtype for x in xs)))

    def lower(hlo, out, *xs, axis):
        shape = (*out.shape[:axis], 1, *out.shape[axis + 1:])
        return hlo.concatenate([hlo.reshape(hlo.convert(x, out.dtype), shape) for x in xs], axis)

    def vjp(g, *xs_out, axis):
        return tuple(g[(*(slice(None),) * axis, k)] for k in range(len(xs_out) - 1))

    def batch(axes, *xs, axis):
        return TABLE["stack"].bind(*_lanes(axes, xs), axis=axis + 1), 0

    def notation(*xs, axis):
        if xs[0].shape == ():
            return f"np.array({_listed(xs)})"
        return f"np.stack({_listed(xs)}{_axis_text(axis)})"


def _rows(arrays):
    """The operands of a joining function: a sequence, or an array whose rows are joined."""
    return [coerced(a) for a in arrays]


def _cast(result, dtype):
    return result if dtype is None else lookup(np.astype)(result, dtype)


@function(np.concatenate, np.concat)
def _concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = _rows(arrays)
    if axis is None:
        arrays, axis = [lookup(np.ravel)(a) for a in arrays], 0
    if any(np.ndim(a) == 0 for a in arrays):
        raise ShapeError("numbers cannot be concatenated", "Use np.array([a, b]) or np.stack.")
    axis = normal_axis(axis, np.ndim(arrays[0]))
    return _stored(_cast(TABLE["concatenate"].bind(*arrays, axis=axis), dtype), out)


@function(np.stack)
def _stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = _rows(arrays)
    axis = normal_axis(axis, np.ndim(arrays[0]) + 1)
    return _stored(_cast(TABLE["stack"].bind(*arrays, axis=axis), dtype), out)


def _stored(result, out):
    if out is None:
        return result
    out[...] = result
    return out


@function(np.vstack, *filter(None, [vars(np).get("row_stack")]))
def _vstack(tup, *, dtype=None, casting="same_kind"):
    arrays = _rows(tup)
    if all(np.ndim(a) == 1 for a in arrays):
        return _stack(arrays, dtype=dtype)
    return _concatenate([lookup(np.atleast_2d)(a) for a in arrays], dtype=dtype)


@function(np.hstack)
def _hstack(tup, *, dtype=None, casting="same_kind"):
    arrays = [lookup(np.atleast_1d)(a) for a in _rows(tup)]
    return _concatenate(arrays, 0 if np.ndim(arrays[0]) == 1 else 1, dtype=dtype)


@function(np.dstack)
def _dstack(tup):
    return _concatenate([lookup(np.atleast_3d)(a) for a in _rows(tup)], 2)


@function(np.column_stack)
def _column_stack(tup):
    arrays = _rows(tup)
    if all(np.ndim(a) == 1 for a in arrays):
        return _stack(arrays, 1)
    return _concatenate([a if np.ndim(a) > 1 else lookup(np.reshape)(a, (-1, 1)) for a in arrays], 1)


@function(np.block)
def _block(arrays):
    def depth(value):
        return 1 + max(map(depth, value)) if isinstance(value, list) else 0

    def leaves(value):
        return [leaf for v in value for leaf in leaves(v)] if isinstance(value, list) else [value]

    levels = depth(arrays)
    ndim = max(levels, *(np.ndim(leaf) for leaf in leaves(arrays)))

    def join(value, level):
        if not isinstance(value, list):
            return lookup(np.reshape)(value, (1,) * (ndim - np.ndim(value)) + np.shape(value))
        return _concatenate([join(v, level + 1) for v in value], ndim - levels + level)
    return join(arrays, 0)


@function(np.append)
def _append(arr, values, axis=None):
    return _concatenate([coerced(arr), coerced(values)], axis) if axis is not None else \
        _concatenate([lookup(np.ravel)(arr), lookup(np.ravel)(values)])


# splitting ----------------------------------------------------------------------------------------------------------------

def _pieces(ary, bounds, axis):
    return [ary[_section(axis, lo, hi)] for lo, hi in zip(bounds, bounds[1:], strict=False)]


@function(np.array_split)
def _array_split(ary, indices_or_sections, axis=0):
    ary = coerced(ary)
    axis = normal_axis(axis, np.ndim(ary))
    size = np.shape(ary)[axis]
    if isinstance(indices_or_sections, int | np.integer) or is_reference(indices_or_sections) and not indices_or_sections.shape:
        count = int(indices_or_sections)
        each, extra = divmod(size, count)
        bounds = np.cumsum([0] + extra * [each + 1] + (count - extra) * [each]).tolist()
    else:
        bounds = [0, *map(int, indices_or_sections), size]
    return _pieces(ary, bounds, axis)


@function(np.split)
def _split(ary, indices_or_sections, axis=0):
    sections = indices_or_sections
    if isinstance(sections, int | np.integer) and np.shape(ary)[axis] % sections:
        raise ShapeError(f"an axis of size {np.shape(ary)[axis]} cannot be split into {sections} equal parts", "Use np.array_split.")
    return _array_split(ary, sections, axis)


@function(np.hsplit)
def _hsplit(ary, indices_or_sections):
    return _split(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0)


@function(np.vsplit)
def _vsplit(ary, indices_or_sections):
    return _split(ary, indices_or_sections, 0)


@function(np.dsplit)
def _dsplit(ary, indices_or_sections):
    return _split(ary, indices_or_sections, 2)


@function(np.unstack)
def _unstack(x, /, *, axis=0):
    x = coerced(x)
    axis = normal_axis(axis, np.ndim(x))
    return tuple(x[(*(slice(None),) * axis, k)] for k in range(np.shape(x)[axis]))


# inserting and removing -------------------------------------------------------------------------------------------------

def _flattened(arr, axis):
    return (lookup(np.ravel)(arr), 0) if axis is None else (coerced(arr), normal_axis(axis, np.ndim(arr)))


@function(np.delete)
def _delete(arr, obj, axis=None):
    arr, axis = _flattened(arr, axis)
    size = np.shape(arr)[axis]
    if not is_reference(obj):
        return lookup(np.take)(arr, np.delete(np.arange(size), obj), axis)
    if aval_of(obj).dtype.kind != "b" and not np.ndim(obj):
        places = np.arange(size - 1)
        return lookup(np.take)(arr, places + (places >= _within(obj, size)), axis)
    gone = obj if aval_of(obj).dtype.kind == "b" else lookup(np.isin)(np.arange(size), _within(obj, size))
    kept = lookup(np.logical_not)(gone)
    return arr[(*(slice(None),) * axis, kept)]


def _within(place, size):
    """Places that are not known, counted from the front; one that does not exist is an index out of bounds."""
    return lookup(np.take)(np.arange(size), place)


@function(np.insert)
def _insert(arr, obj, values, axis=None):
    """`values` before the static positions `obj`, of the dtype of `arr`."""
    arr, axis = _flattened(arr, axis)
    values, size = coerced(values), np.shape(arr)[axis]
    if is_reference(obj) and np.ndim(obj):
        obj = np.asarray(obj.static("the places of np.insert"))
    single = np.ndim(obj) == 0 and not isinstance(obj, slice)
    if single and np.ndim(values):
        values = lookup(np.moveaxis)(lookup(np.reshape)(values, (1,) * (np.ndim(arr) - np.ndim(values)) + np.shape(values)), 0, axis)
    shape = list(np.shape(arr))
    count = np.arange(size)[obj].size if isinstance(obj, slice) else np.size(obj)
    shape[axis] = (np.shape(values)[axis] if np.ndim(values) else 1) if single else count
    values = lookup(np.broadcast_to)(values, tuple(shape))
    if is_reference(obj):
        places, obj = np.arange(size + shape[axis]), _within(obj + size * (obj < 0), size + 1)
        order = lookup(np.where)(places < obj, places, lookup(np.where)(places < obj + shape[axis], size + places - obj, places - shape[axis]))
    else:
        order = np.insert(np.arange(size), obj, size + np.arange(shape[axis]))
    joined = _concatenate([arr, lookup(np.astype)(values, aval_of(arr).dtype)], axis)
    return lookup(np.take)(joined, order, axis)
