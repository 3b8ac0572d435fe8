"""Shapes: views of an array's elements in another order or arrangement."""

import math
import operator

import numpy as np

from ..core import Aval
from ..errors import AxisMismatch, ShapeError, TransformError
from .op import TABLE, function, holds_reference, is_reference, lookup, op, view


def normal_axis(axis, ndim):
    """A non-negative axis of an array of `ndim` axes."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisMismatch(f"axis {axis} is out of bounds for an array of {ndim} axes", "Axes count from 0, or from -1 backwards.")
    return axis + ndim if axis < 0 else axis


def normal_axes(axis, ndim):
    """A tuple of non-negative axes, in the order given."""
    axes = tuple(normal_axis(a, ndim) for a in (axis if isinstance(axis, tuple | list) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"axis {axis} names an axis twice", "Name every axis once.")
    return axes


def static_shape(shape):
    """A tuple of ints from an int or a sequence."""
    if is_reference(shape) and shape.ndim == 1:
        shape = tuple(shape)
    return tuple(map(operator.index, shape)) if isinstance(shape, tuple | list | np.ndarray) else (operator.index(shape),)


def coerced(a):
    """A list that holds references as an array; anything else as it is."""
    return lookup(np.stack)([coerced(v) for v in a]) if isinstance(a, list | tuple) and holds_reference(a) else a


@op(linear="jointly")
class broadcast_to:
    """The array repeated along new or stretched axes to `shape`."""

    readonly = True
    samples = [((np.linspace(-1.0, 1.0, 3),), {"shape": (2, 3)}), ((np.array([[1.0], [2.0]]),), {"shape": (4, 2, 3)})]

    def impl(x, shape):
        return np.broadcast_to(x, shape)

    def infer(x, shape):
        offset = len(shape) - len(x.shape)
        if offset < 0 or any(m not in (1, n) and None not in (m, n) for m, n in zip(x.shape, shape[offset:], strict=False)):
            raise ShapeError(f"an array of shape {x.shape} cannot be broadcast to {shape}",
                             "Sizes must be equal or 1, axis by axis from the last.")
        return Aval(tuple(shape), x.dtype)

    def lower(hlo, out, x, shape):
        return hlo.broadcast_to(x, shape)

    def vjp(g, x, out, shape):
        offset = len(shape) - np.ndim(x)
        axes = (*range(offset), *(k + offset for k, n in enumerate(np.shape(x)) if n == 1 != shape[k + offset]))
        total = np.sum(g, axis=axes) if axes else g
        return total if np.shape(total) == np.shape(x) else np.reshape(total, np.shape(x))

    def batch(axes, x, shape):
        inner = (1,) * (len(shape) - np.ndim(x) + 1) + np.shape(x)[1:]
        lanes = np.shape(x)[0]
        return TABLE["broadcast_to"].bind(np.reshape(x, (lanes, *inner)), shape=(lanes, *shape)), 0

    def notation(x, shape):
        return f"np.broadcast_to({{0}}, {shape})"


@op(linear="jointly")
class reshape:
    """The elements, in C order, as an array of `shape` (-1 only where the number of elements is unknown)."""

    samples = [((np.linspace(-1.0, 1.0, 6),), {"shape": (2, 3)}), ((np.ones((2, 3)),), {"shape": (6,)})]

    def impl(x, shape):
        return np.reshape(x, shape)

    def infer(x, shape):
        if None not in x.shape and math.prod(shape) != math.prod(x.shape):
            raise ShapeError(f"an array of shape {x.shape} cannot be reshaped to {shape}",
                             "The number of elements must stay the same.")
        return Aval(tuple(None if n == -1 else n for n in shape), x.dtype)

    def lower(hlo, out, x, shape):
        return hlo.reshape(x, shape)

    def vjp(g, x, out, shape):
        return np.reshape(g, np.shape(x))

    def batch(axes, x, shape):
        return TABLE["reshape"].bind(x, shape=(np.shape(x)[0], *shape)), 0

    def notation(x, shape):
        if len(shape) == 1:
            return "np.ravel({0})"
        return f"np.reshape({{0}}, {shape})"

    def unview(parent, new, shape):
        return np.reshape(new, np.shape(parent))


@op(linear="jointly")
class transpose:
    """The axes in the order `axes`."""

    samples = [((np.arange(6.0).reshape(2, 3),), {"axes": (1, 0)}), ((np.arange(24.0).reshape(2, 3, 4),), {"axes": (2, 0, 1)})]

    def impl(x, axes):
        return np.transpose(x, axes)

    def infer(x, axes):
        return Aval(tuple(x.shape[a] for a in axes), x.dtype)

    def lower(hlo, out, x, axes):
        return hlo.transpose(x, axes)

    def vjp(g, x, out, axes):
        return np.transpose(g, tuple(int(a) for a in np.argsort(axes)))

    def batch(axes_batched, x, axes):
        return TABLE["transpose"].bind(x, axes=(0, *(a + 1 for a in axes))), 0

    def notation(x, axes):
        if axes == tuple(range(len(axes)))[::-1]:
            return "{0}.T"
        moved = [k for k, a in enumerate(axes) if k != a]
        if len(moved) == 2:
            return f"np.swapaxes({{0}}, {moved[0]}, {moved[1]})"
        return f"np.transpose({{0}}, {axes})"

    def as_index(aval, axes):
        return (slice(None),) * len(axes), (), axes


@op(linear="jointly")
class expand_dims:
    """New axes of size 1 at the positions `axis` of the result."""

    samples = [((np.arange(6.0).reshape(2, 3),), {"axis": (0,)}), ((np.arange(6.0).reshape(2, 3),), {"axis": (1, 3)})]

    def impl(x, axis):
        return np.expand_dims(x, axis)

    def infer(x, axis):
        dims = iter(x.shape)
        return Aval(tuple(1 if k in axis else next(dims) for k in range(len(x.shape) + len(axis))), x.dtype)

    def lower(hlo, out, x, axis):
        return hlo.reshape(x, out.shape)

    def vjp(g, x, out, axis):
        return np.squeeze(g, axis) if np.ndim(x) else g[(0,) * len(axis)]

    def batch(axes, x, axis):
        return TABLE["expand_dims"].bind(x, axis=tuple(a + 1 for a in axis)), 0

    def notation(x, axis):
        if x.weak:
            return f"np.expand_dims({{0}}, {axis[0] if len(axis) == 1 else axis})"
        entries = ["None" if k in axis else ":" for k in range(max(axis) + 1)]
        return f"{{0}}[{', '.join(entries)}]"

    def as_index(aval, axis):
        ndim = len(aval.shape) + len(axis)
        return tuple(None if k in axis else slice(None) for k in range(ndim)), (), tuple(range(ndim))


@op(linear="jointly")
class squeeze:
    """Without the axes `axis`, which have size 1."""

    samples = [((np.ones((2, 1, 3, 1)),), {"axis": (1,)}), ((np.ones((1, 2, 1)),), {"axis": (0, 2)})]

    def impl(x, axis):
        return np.squeeze(x, axis)

    def infer(x, axis):
        return Aval(tuple(n for k, n in enumerate(x.shape) if k not in axis), x.dtype)

    def lower(hlo, out, x, axis):
        return hlo.reshape(x, out.shape)

    def vjp(g, x, out, axis):
        return np.expand_dims(g, axis)

    def batch(axes, x, axis):
        return TABLE["squeeze"].bind(x, axis=tuple(a + 1 for a in axis)), 0

    def notation(x, axis):
        if [k for k, n in enumerate(x.shape) if n == 1] == list(axis):
            return "np.squeeze({0})"
        return f"np.squeeze({{0}}, axis={axis[0] if len(axis) == 1 else axis})"

    def as_index(aval, axis):
        return tuple(0 if k in axis else slice(None) for k in range(len(aval.shape))), (), tuple(range(len(aval.shape) - len(axis)))


@function(np.expand_dims)
def _expand_dims(a, axis):
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return view("expand_dims", a, axis=tuple(sorted(normal_axes(axes, np.ndim(a) + len(axes)))))


@function(np.squeeze)
def _squeeze(a, axis=None):
    shape = np.shape(a)
    axes = tuple(k for k, n in enumerate(shape) if n == 1) if axis is None else tuple(sorted(normal_axes(axis, len(shape))))
    if any(shape[k] != 1 for k in axes):
        raise ShapeError(f"squeeze of axis {axis} of an array of shape {shape}", "Only axes of size 1 can be removed.")
    return view("squeeze", a, axis=axes) if axes else a


# functions --------------------------------------------------------------------------------------------------------------

@function(np.broadcast_to)
def _broadcast_to(array, shape, subok=False):
    shape, array = static_shape(shape), coerced(array)
    return np.broadcast_to(array, shape) if not is_reference(array) else array if array.shape == shape else \
        view("broadcast_to", array, shape=shape)


@function(np.broadcast_arrays)
def _broadcast_arrays(*args, subok=False):
    arrays = [coerced(a) for a in args]
    shape = np.broadcast_shapes(*map(_shape, arrays))
    return tuple(_broadcast_to(a, shape) for a in arrays)


@function(np.reshape)
def _reshape(a, /, shape, order="C", *, copy=None):
    if order not in ("C", "F"):
        raise TransformError(f"reshape with order={order!r} depends on the layout in memory", "Use order='C' or 'F'.")
    a = coerced(a)
    shape = complete_shape(static_shape(shape), a)
    if order == "F":
        return _transpose(_reshape(_transpose(a), shape[::-1]))
    if is_reference(a) and a.shape == shape:
        return a
    return view("reshape", a, shape=shape) if can_view(a, shape) else TABLE["reshape"].bind(a, shape=shape)


def can_view(a, shape):
    """Whether NumPy's reshape of this reference is a view (True for what is no reference)."""
    return not is_reference(a) or None in a.shape or a.reshapes_in_place(shape)


def complete_shape(shape, a):
    """`shape` with -1 replaced, where the number of elements is known."""
    if shape.count(-1) > 1:
        raise ShapeError(f"reshape to {shape} leaves more than one size open", "Write -1 at most once.")
    if -1 not in shape or None in _shape(a):
        return shape
    size, rest = int(np.prod(_shape(a), dtype=int)), -int(np.prod(shape, dtype=int))
    if rest == 0 or size % rest:
        raise ShapeError(f"an array of shape {_shape(a)} cannot be reshaped to {shape}", "The number of elements must stay the same.")
    return tuple(size // rest if n == -1 else n for n in shape)


@function(np.ravel)
def _ravel(a, order="C"):
    return _reshape(a, (-1,), order="F" if order == "F" else "C")


@function(np.transpose, np.permute_dims)
def _transpose(a, axes=None):
    a = coerced(a)
    ndim = _ndim(a)
    axes = tuple(range(ndim))[::-1] if axes is None else normal_axes(axes, ndim)
    if len(axes) != ndim:
        raise ShapeError(f"transpose to axes {axes} of an array of {ndim} axes", "Name every axis once.")
    return a if axes == tuple(range(ndim)) else view("transpose", a, axes=axes)


@function(np.matrix_transpose, np.linalg.matrix_transpose)
def _matrix_transpose(x, /):
    return _swapaxes(x, -1, -2)


@function(np.swapaxes)
def _swapaxes(a, axis1, axis2):
    a = coerced(a)
    axes = list(range(_ndim(a)))
    one, two = normal_axis(axis1, len(axes)), normal_axis(axis2, len(axes))
    axes[one], axes[two] = axes[two], axes[one]
    return _transpose(a, axes)


@function(np.moveaxis)
def _moveaxis(a, source, destination):
    a = coerced(a)
    source, destination = normal_axes(source, _ndim(a)), normal_axes(destination, _ndim(a))
    order = [k for k in range(_ndim(a)) if k not in source]
    for to, axis in sorted(zip(destination, source, strict=True)):
        order.insert(to, axis)
    return _transpose(a, order)


@function(np.rollaxis)
def _rollaxis(a, axis, start=0):
    axis = normal_axis(axis, _ndim(a))
    start = start + _ndim(a) if start < 0 else start
    return _moveaxis(a, axis, start - 1 if axis < start else start)


@function(np.expand_dims)
def _expand_dims(a, axis):
    a = coerced(a)
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    return view("expand_dims", a, axis=tuple(sorted(normal_axes(axes, _ndim(a) + len(axes)))))


@function(np.squeeze)
def _squeeze(a, axis=None):
    a = coerced(a)
    shape = _shape(a)
    axes = tuple(k for k, n in enumerate(shape) if n == 1) if axis is None else tuple(sorted(normal_axes(axis, len(shape))))
    if any(shape[k] != 1 for k in axes):
        raise ShapeError(f"squeeze of axis {axis} of an array of shape {shape}", "Only axes of size 1 can be removed.")
    return view("squeeze", a, axis=axes) if axes else a


def _each(convert):
    """np.atleast_1d and so on: one array, or a tuple for several."""
    def atleast(*arrays):
        out = tuple(convert(coerced(a)) for a in arrays)
        return out[0] if len(out) == 1 else out
    return atleast


@function(np.atleast_1d)
@_each
def _atleast_1d(a):
    return a if _ndim(a) else _reshape(a, (1,))


@function(np.atleast_2d)
@_each
def _atleast_2d(a):
    return _reshape(a, (1, 1)) if _ndim(a) == 0 else _expand_dims(a, 0) if _ndim(a) == 1 else a


@function(np.atleast_3d)
@_each
def _atleast_3d(a):
    return {0: lambda: _reshape(a, (1, 1, 1)), 1: lambda: _expand_dims(a, (0, 2)), 2: lambda: _expand_dims(a, 2)}.get(_ndim(a), lambda: a)()


@function(np.flip)
def _flip(m, axis=None):
    m = coerced(m)
    axes = range(_ndim(m)) if axis is None else normal_axes(axis, _ndim(m))
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(_ndim(m)))]


@function(np.fliplr)
def _fliplr(m):
    return _flip(m, 1)


@function(np.flipud)
def _flipud(m):
    return _flip(m, 0)


@function(np.rot90)
def _rot90(m, k=1, axes=(0, 1)):
    m = coerced(m)
    first, second = normal_axes(axes, _ndim(m))
    if k % 4 == 0:
        return m[...]
    if k % 4 == 2:
        return _flip(_flip(m, first), second)
    return _swapaxes(_flip(m, second), first, second) if k % 4 == 1 else _flip(_swapaxes(m, first, second), second)


@function(np.shape)
def _shape(a):
    a = coerced(a)
    return a.shape if is_reference(a) else np.shape(a)


@function(np.ndim)
def _ndim(a):
    return len(_shape(a))


@function(np.size)
def _size(a, axis=None):
    if axis is None:
        a = coerced(a)
        return a.size if is_reference(a) else np.size(a)
    return int(np.prod([_shape(a)[k] for k in normal_axes(axis, _ndim(a))], dtype=int))
