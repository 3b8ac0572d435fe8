"""Picking elements out: take, compress, diagonals, triangles, positions of nonzero elements."""

import numpy as np

from ..core import Aval
from ..errors import SizesByLane, TransformError
from .index_templates import canonical
from .op import TABLE, aval_of, function, is_reference, lookup, op
from .scatter import along, wrapped
from .shaping import coerced, normal_axes, normal_axis


def _refuse_lanes(axes, *args, **params):
    raise SizesByLane("the number of results differs from lane to lane", "Use np.where(condition, x, 0) and keep the shape.")


def _refuse_lowering(hlo, out, *args, **params):
    raise TransformError("the size of the result depends on the data, which jit cannot do", "Use np.where(condition, x, 0) and keep the shape.")


# along axes ---------------------------------------------------------------------------------------------------------------

def pick(a, index):
    """`a[index]` as a copy, also for a basic index."""
    template, operands = canonical(index, np.shape(a))
    result = TABLE["getitem"].bind(a, *operands, index=template)
    return result if is_reference(result) else np.copy(result)


@function(np.take)
def _take(a, indices, axis=None, out=None, mode="raise"):
    a, indices = coerced(a), coerced(indices)
    if axis is None:
        a, axis = lookup(np.ravel)(a), 0
    axis = normal_axis(axis, np.ndim(a))
    indices = wrapped(indices if is_reference(indices) or np.ndim(indices) == 0 else np.asarray(indices), np.shape(a)[axis], mode)
    result = pick(a if is_reference(a) else np.asarray(a), (*(slice(None),) * axis, indices))
    if out is None:
        return result
    out[...] = result
    return out


@op()
class take_along_axis:
    """The elements at `indices` along `axis`; the other axes are those of the array (or 1)."""

    along = True
    samples = [((np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]), np.array([[1, 0], [2, -1]])), {"axis": 1}),
               ((np.array([3.0, 1.0, 2.0]), np.array([2, 0, 0, 1])), {"axis": 0})]

    def impl(x, indices, axis):
        return np.take_along_axis(x, indices, axis)

    def infer(x, indices, axis):
        shape = [max(m, n) if None not in (m, n) else n for m, n in zip(indices.shape, x.shape, strict=True)]
        shape[axis] = indices.shape[axis]
        return Aval(tuple(shape), x.dtype)

    def lower(hlo, out, x, indices, axis):
        n = x.shape[axis]
        where = hlo.broadcast_to(hlo.convert(indices, np.int64), out.shape)
        where = hlo.select(hlo.compare("LT", where, 0), hlo.add(where, n), where)
        grid = [where if k == axis else hlo.iota(out.shape, np.int64, k) for k in range(x.ndim)]
        vectors = hlo.concatenate([hlo.reshape(g, (*out.shape, 1)) for g in grid], x.ndim)
        return hlo.gather(x, vectors, collapsed_slice_dims=tuple(range(x.ndim)), start_index_map=tuple(range(x.ndim)), slice_sizes=(1,) * x.ndim)

    def vjp(g, x, indices, out, axis):
        x_bar = np.zeros_like(x)
        np.add.at(x_bar, along(np.shape(out), np.ndim(x), axis, indices), g)
        return x_bar, None

    def jvp(dots, x, indices, out, axis):
        return TABLE["take_along_axis"].bind(dots[0], indices, axis=axis)

    def batch(axes, x, indices, axis):
        x, indices = (v if a == 0 else np.expand_dims(v, 0) for v, a in zip((x, indices), axes, strict=True))
        lanes = max(np.shape(x)[0], np.shape(indices)[0])
        return TABLE["take_along_axis"].bind(np.broadcast_to(x, (lanes, *np.shape(x)[1:])), indices, axis=axis + 1), 0

    def notation(x, indices, axis):
        return f"np.take_along_axis({{0}}, {{1}}, axis={axis})"


@function(np.take_along_axis)
def _take_along_axis(arr, indices, axis=-1):
    arr = coerced(arr)
    if axis is None:
        arr, axis = lookup(np.ravel)(arr), 0
    return TABLE["take_along_axis"].bind(arr, coerced(indices), axis=normal_axis(axis, np.ndim(arr)))


@function(np.compress)
def _compress(condition, a, axis=None, out=None):
    a = coerced(a)
    if axis is None:
        a, axis = lookup(np.ravel)(a), 0
    condition = coerced(condition) if is_reference(condition) else np.asarray(condition, bool)
    size = np.shape(a)[axis]
    if np.shape(condition)[0] != size:
        condition = np.concatenate([condition, np.zeros(size - np.shape(condition)[0], bool)])
    return pick(a, (*(slice(None),) * normal_axis(axis, np.ndim(a)), condition))


@function(np.extract)
def _extract(condition, arr):
    where = lookup(np.ravel)(condition)
    return pick(lookup(np.ravel)(arr), where if aval_of(where).dtype.kind == "b" else where != 0)


@function(np.trim_zeros)
def _trim_zeros(filt, trim="fb", axis=None):
    """A vector without the zeros at its ends: a slice between bounds that depend on the elements."""
    filt = coerced(filt)
    if np.ndim(filt) != 1:
        raise TransformError("np.trim_zeros of an array of several axes is not known to transformer", "Slice it between bounds of your own.")
    if np.shape(filt) == (0,):
        return filt
    mask, n = filt != 0, np.shape(filt)[0]
    some, trim = lookup(np.any)(mask), trim.lower()
    first = lookup(np.where)(some, lookup(np.argmax)(mask), n) if "f" in trim else 0
    last = n - lookup(np.where)(some, lookup(np.argmax)(mask[::-1]), n * (trim == "b")) if "b" in trim else n
    return filt[first:last]


# diagonals ----------------------------------------------------------------------------------------------------------------

def _diagonal_length(rows, columns, offset):
    return max(0, min(rows + min(0, offset), columns - max(0, offset)))


@op(linear="jointly")
class diagonal:
    """The diagonal `offset` of the axes axis1 (rows) and axis2 (columns), as the last axis."""

    readonly = True
    samples = [((np.arange(6.0).reshape(2, 3),), {"offset": 1, "axis1": 0, "axis2": 1}),
               ((np.arange(24.0).reshape(2, 3, 4),), {"offset": -1, "axis1": 2, "axis2": 0})]

    def impl(x, offset, axis1, axis2):
        return np.diagonal(x, offset, axis1, axis2)

    def infer(x, offset, axis1, axis2):
        rest = [n for k, n in enumerate(x.shape) if k not in (axis1, axis2)]
        return Aval((*rest, _diagonal_length(x.shape[axis1], x.shape[axis2], offset)), x.dtype)

    def lower(hlo, out, x, offset, axis1, axis2):
        steps = np.arange(out.shape[-1])
        vectors = hlo.constant(np.stack([steps + max(0, -offset), steps + max(0, offset)], 1).astype(np.int64))
        sizes = [1 if k in (axis1, axis2) else n for k, n in enumerate(x.shape)]
        order = (axis1, axis2) if axis1 < axis2 else (axis2, axis1)
        return hlo.gather(x, vectors, offset_dims=tuple(range(x.ndim - 2)), collapsed_slice_dims=order, start_index_map=(axis1, axis2),
                          slice_sizes=tuple(sizes))

    def vjp(g, x, out, offset, axis1, axis2):
        x_bar = np.zeros_like(x)
        steps = np.arange(np.shape(out)[-1])
        last = np.moveaxis(x_bar, (axis1, axis2), (-2, -1))
        last[..., steps + max(0, -offset), steps + max(0, offset)] = g
        return x_bar

    def batch(axes, x, offset, axis1, axis2):
        return TABLE["diagonal"].bind(x, offset=offset, axis1=axis1 + 1, axis2=axis2 + 1), 0

    def notation(x, offset, axis1, axis2):
        text = f", {offset}" if offset else ""
        return f"np.diagonal({{0}}{text}{'' if (axis1, axis2) == (0, 1) else f', axis1={axis1}, axis2={axis2}'})"


@op(linear="jointly")
class diag:
    """The square matrix with a vector on its diagonal `k`."""

    samples = [((np.array([1.0, 2.0, 3.0]),), {"k": 0}), ((np.array([1.0, 2.0]),), {"k": -1}), ((np.array([1.0, 2.0]),), {"k": 2})]

    def impl(x, k):
        return np.diag(x, k)

    def infer(x, k):
        size = None if x.shape[0] is None else x.shape[0] + abs(k)
        return Aval((size, size), x.dtype)

    def lower(hlo, out, x, k):
        n, size = x.shape[0], out.shape[0]
        first = k if k > 0 else -k * size
        last = first + max(0, n - 1) * (size + 1)
        return hlo.reshape(hlo.pad(x, hlo.constant(0, x.dtype), [first], [size * size - last - min(n, 1)], [size]), out.shape)

    def vjp(g, x, out, k):
        return np.diagonal(g, k)

    def batch(axes, x, k):
        size = np.shape(x)[1] + abs(k)
        on = np.eye(size, k=k, dtype=bool)
        spread = np.pad(x, ((0, 0), (abs(k), 0)))
        return np.where(on, spread[:, None, :] if k >= 0 else spread[:, :, None], np.zeros((), x.dtype)), 0

    def notation(x, k):
        return f"np.diag({{0}}{f', {k}' if k else ''})"


@function(np.diagonal)
def _diagonal(a, offset=0, axis1=0, axis2=1):
    a = coerced(a)
    axis1, axis2 = normal_axes((axis1, axis2), np.ndim(a))
    if not is_reference(a):
        return np.diagonal(a, offset, axis1, axis2)
    return a.viewed(TABLE["diagonal"], (), {"offset": int(offset), "axis1": axis1, "axis2": axis2})


@function(np.linalg.diagonal)
def _linalg_diagonal(x, /, *, offset=0):
    return _diagonal(x, offset, -2, -1)


@function(np.diag)
def _diag(v, k=0):
    v = coerced(v)
    return TABLE["diag"].bind(v, k=int(k)) if np.ndim(v) == 1 else _diagonal(v, k)


@function(np.diagflat)
def _diagflat(v, k=0):
    return _diag(lookup(np.ravel)(v), k)


@function(np.trace)
def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return lookup(np.sum)(_diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@function(np.linalg.trace)
def _linalg_trace(x, /, *, offset=0, dtype=None):
    return _trace(x, offset, -2, -1, dtype)


# triangles ----------------------------------------------------------------------------------------------------------------

def _declare_triangle(name, direction):
    """tril and triu: the last two axes with zeros above or below the diagonal k."""
    run = getattr(np, name)

    def impl(x, k):
        return run(x, k)

    def infer(x, k):
        return Aval(x.shape, x.dtype)

    def lower(hlo, out, x, k):
        rows, columns = hlo.iota(out.shape, np.int64, x.ndim - 2), hlo.iota(out.shape, np.int64, x.ndim - 1)
        return hlo.select(hlo.compare(direction, columns, hlo.add(rows, k)), x, hlo.full(x.shape, 0, x.dtype))

    def vjp(g, x, out, k):
        return TABLE[name].bind(g, k=k)

    def batch(axes, x, k):
        return TABLE[name].bind(x, k=k), 0

    def notation(x, k):
        return f"np.{name}({{0}}{f', {k}' if k else ''})"

    samples = [((np.arange(1.0, 10.0).reshape(3, 3),), {"k": 0}), ((np.arange(1.0, 13.0).reshape(2, 2, 3),), {"k": -1})]
    rules = {"impl": impl, "infer": infer, "lower": lower, "vjp": vjp, "batch": batch, "notation": notation, "samples": samples}
    op(linear="jointly")(type(name, (), rules))

    @function(run)
    def triangle(m, k=0):
        m = coerced(m)
        n = np.shape(m)[-1]
        return TABLE[name].bind(m if np.ndim(m) > 1 else lookup(np.broadcast_to)(m, (n, n)), k=int(k))


_declare_triangle("tril", "LE")
_declare_triangle("triu", "GE")


@function(np.tril_indices_from)
def _tril_indices_from(arr, k=0):
    return np.tril_indices(np.shape(arr)[-2], k, np.shape(arr)[-1])


@function(np.triu_indices_from)
def _triu_indices_from(arr, k=0):
    return np.triu_indices(np.shape(arr)[-2], k, np.shape(arr)[-1])


@function(np.diag_indices_from)
def _diag_indices_from(arr):
    return np.diag_indices(np.shape(arr)[0], np.ndim(arr))


# positions ----------------------------------------------------------------------------------------------------------------

@op(differentiable=False)
class flatnonzero:
    """Flat positions of the elements that are not zero."""

    lower, batch = _refuse_lowering, _refuse_lanes

    def impl(x):
        return np.flatnonzero(x)

    def infer(x):
        return Aval((None,), np.dtype(np.intp))


@op(differentiable=False)
class argwhere:
    """One row per element that is not zero: its position."""

    lower, batch = _refuse_lowering, _refuse_lanes

    def impl(x):
        return np.argwhere(x)

    def infer(x):
        return Aval((None, len(x.shape)), np.dtype(np.intp))


def _known(a):
    """The value of an argument that is known while transforming, else None."""
    return a.known if is_reference(a) else np.asarray(a)


@function(np.flatnonzero)
def _flatnonzero(a):
    a = coerced(a)
    return np.flatnonzero(_known(a)) if _known(a) is not None else TABLE["flatnonzero"].bind(a)


@function(np.argwhere)
def _argwhere(a):
    a = coerced(a)
    return np.argwhere(_known(a)) if _known(a) is not None else TABLE["argwhere"].bind(a)


@function(np.nonzero)
def _nonzero(a):
    a = coerced(a)
    if _known(a) is not None:
        return np.nonzero(_known(a))
    if np.ndim(a) == 1:
        return (TABLE["flatnonzero"].bind(a),)
    where = TABLE["argwhere"].bind(a)
    return tuple(where[:, k] for k in range(np.ndim(a)))


@function(np.unravel_index)
def _unravel_index(indices, shape, order="C"):
    """The positions along every axis of flat positions."""
    indices, rest, out = coerced(indices), coerced(indices), []
    sizes = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))
    for n in (sizes[1:][::-1] if order == "C" else sizes[:-1]):
        out.append(lookup(np.remainder)(rest, n))
        rest = lookup(np.floor_divide)(rest, n)
    out.append(rest)
    return tuple(out[::-1] if order == "C" else out)


@function(np.ravel_multi_index)
def _ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The flat position of positions along every axis."""
    modes = (mode,) * len(dims) if isinstance(mode, str) else mode
    parts = [wrapped(coerced(i), n, m) for i, n, m in zip(multi_index, dims, modes, strict=True)]
    pairs = list(zip(parts, dims, strict=True))[:: 1 if order == "C" else -1]
    total = pairs[0][0]
    for part, n in pairs[1:]:
        total = total * n + part
    return total


@function(np.ix_)
def _ix(*args):
    """Index arrays that make an outer product."""
    out = []
    for k, a in enumerate(map(coerced, args)):
        a = _nonzero(a)[0] if aval_of(a).dtype.kind == "b" else a
        out.append(lookup(np.reshape)(a, tuple(-1 if j == k else 1 for j in range(len(args)))))
    return tuple(out)


@function(np.apply_along_axis)
def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = coerced(arr)
    axis = normal_axis(axis, np.ndim(arr))
    last = lookup(np.moveaxis)(arr, axis, -1)
    outer = np.shape(last)[:-1]
    results = [func1d(last[where], *args, **kwargs) for where in np.ndindex(*outer)]
    stacked = lookup(np.stack)(results)
    shaped = lookup(np.reshape)(stacked, outer + np.shape(stacked)[1:])
    inner = np.ndim(stacked) - 1
    return lookup(np.moveaxis)(shaped, tuple(range(len(outer), len(outer) + inner)), tuple(range(axis, axis + inner))) if inner else shaped


@function(np.apply_over_axes)
def _apply_over_axes(func, a, axes):
    for axis in normal_axes(axes, np.ndim(a)):
        result = func(a, axis)
        a = result if np.ndim(result) == np.ndim(a) else lookup(np.expand_dims)(result, axis)
    return a
