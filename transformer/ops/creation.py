"""Making arrays: constants, filled arrays, tapes, casts."""

import operator

import numpy as np

from ..core import Aval, Hole
from ..errors import TransformError
from .op import FUNCTIONS, TABLE, Op, aval_of, function, holds_reference, is_reference, lookup, op, register, result_dtype

DTYPES = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


def dtype_text(dtype):
    """A dtype as source: np.float32, or the Python type where they are the same."""
    dtype = np.dtype(dtype)
    return DTYPES.get(dtype.name, f"{'np' if hasattr(np, dtype.name) else 'ml_dtypes'}.{dtype.name}")


def _dims_text(shape):
    dims = [f"{{{d.position}}}" if isinstance(d, Hole) else str(d) for d in shape]
    return dims[0] if len(dims) == 1 else "(" + ", ".join(dims) + ")"


def _creation_text(name, shape, dtype, *fill):
    parts = [_dims_text(shape), *fill]
    if np.dtype(dtype) != np.float64:
        parts.append(f"dtype={dtype_text(dtype)}")
    return f"np.{name}({', '.join(parts)})"


def _filled(shape, args):
    return tuple(int(args[d.position]) if isinstance(d, Hole) else d for d in shape)


def _infer_shape(shape, dtype):
    return Aval(tuple(None if isinstance(d, Hole) else int(d) for d in shape), np.dtype(dtype))


def _declare_creation(name, value):
    """zeros, ones, empty: params shape (ints and holes) and dtype; operands are the dynamic dimensions."""
    make = getattr(np, name)

    def impl(*dims, shape, dtype):
        return make(_filled(shape, dims), dtype)

    def infer(*dims, shape, dtype):
        return _infer_shape(shape, dtype)

    def lower(hlo, out, *dims, shape, dtype):
        return hlo.full(out.shape, value, out.dtype)

    def notation(*dims, shape, dtype):
        return _creation_text(name, shape, dtype)

    def batch(axes, *dims, shape, dtype):
        raise TransformError(f"np.{name} with a size that differs from lane to lane", "Sizes must not depend on the batch.")

    def samples(rng):
        shapes = [(0,), (2, 0)] if name == "empty" else [(), (2,), (2, 3)]
        return [((), {"shape": s, "dtype": np.dtype(d)}) for s in shapes for d in (np.float64, np.int32)]

    register(Op(name, impl, infer, lower, batch=batch, notation=notation, samples=samples, differentiable=False))


for _name, _value in [("zeros", 0), ("ones", 1), ("empty", 0)]:
    _declare_creation(_name, _value)


@op(linear="jointly")
class full:
    def impl(value, *dims, shape, dtype):
        return np.full(_filled(shape, dims), value, dtype)

    def infer(value, *dims, shape, dtype):
        return _infer_shape(shape, dtype)

    def lower(hlo, out, value, *dims, shape, dtype):
        return hlo.broadcast_to(hlo.convert(value, out.dtype), out.shape)

    def vjp(g, value, *dims, out, shape, dtype):
        return (np.sum(g), *(None,) * len(dims)) if dims else np.sum(g)

    def batch(axes, value, *dims, shape, dtype):
        if any(a == 0 for a in axes[1:]):
            raise TransformError("np.full with a size that differs from lane to lane", "Sizes must not depend on the batch.")
        column = np.reshape(value, (-1,) + (1,) * len(shape))
        return np.broadcast_to(column, (np.shape(value)[0], *shape)).astype(dtype), 0

    def notation(value, *dims, shape, dtype):
        shape = tuple(Hole(d.position + 1) if isinstance(d, Hole) else d for d in shape)
        return _creation_text("full", shape, dtype, "{0}")

    def samples(rng):
        return [((rng.uniform(),), {"shape": s, "dtype": np.dtype(np.float64)}) for s in [(), (2, 3)]]


@op(differentiable=False)
class tape:
    """An array whose leading dimension grows: a list on NumPy, a capacity under XLA."""

    def impl(shape, dtype):
        return []

    def infer(shape, dtype):
        return Aval((None, *shape), np.dtype(dtype))

    def lower(hlo, out, shape, dtype):
        return hlo.full(out.shape, 0, out.dtype)

    def notation(shape, dtype):
        return "[]"


@op(differentiable=False)
class constant:
    """A static array. On NumPy it is made anew, so that a store into it stays inside the program."""

    def impl(value):
        return np.array(value)

    def infer(value):
        value = np.asarray(value)
        return Aval(value.shape, value.dtype)

    def lower(hlo, out, value):
        return hlo.constant(value, out.dtype)

    def samples(rng):
        return [((), {"value": v}) for v in (rng.uniform(size=(2, 3)), np.arange(3), np.array([np.inf, np.nan]), np.array(True))]


@op()
class progression:
    """np.arange between floats. How many there are depends on the values: NumPy only."""

    impl = np.arange

    def infer(start, stop, step):
        return Aval((None,), result_dtype(start, stop, step))

    def lower(hlo, out, start, stop, step):
        raise TransformError("np.arange between floats gives a number of elements that depends on the data", "Use np.linspace, which is given their number.")

    def jvp(dots, start, stop, step, out):
        start_dot, step_dot = (0.0 if dot is None else dot for dot in (dots[0], dots[2]))
        return start_dot + (np.cumsum(np.ones_like(out)) - 1.0) * step_dot

    def vjp(g, start, stop, step, out):
        return np.sum(g), None, np.sum(g * (np.cumsum(np.ones_like(out)) - 1.0))

    def batch(axes, start, stop, step):
        raise TransformError("np.arange between floats of each lane of a batch gives results of different sizes", "Use np.linspace, which is given their number.")

    def notation(start, stop, step):
        return "np.arange({0}, {1}, {2})"

    def samples(rng):
        return [((0.3, 2.0, 0.4), {})]


@op(linear="jointly")
class copy:
    """The value under a name of its own, as NumPy's copy: a later store into the original does not show."""

    cheap = True

    def impl(x):
        return np.copy(x)[()]

    def infer(x):
        return Aval(x.shape, x.dtype)

    def lower(hlo, out, x):
        return hlo.convert(x, out.dtype)

    def vjp(g, x, out):
        return g

    def batch(axes, x):
        return TABLE["copy"].bind(x), 0

    def notation(x):
        return "np.copy({0})"

    def samples(rng):
        return [((rng.uniform(size=(2, 3)),), {})]


# casts ---------------------------------------------------------------------------
@op()
class astype:
    promotes = ()

    def impl(x, dtype):
        return np.asarray(x).astype(dtype)[()]

    def infer(x, dtype):
        return Aval(x.shape, np.dtype(dtype))

    def lower(hlo, out, x, dtype):
        return hlo.convert(x, out.dtype)

    def contribution(g, x, out, dtype):
        return g

    partials = (contribution,)
    del contribution

    def notation(x, dtype):
        dtype = np.dtype(dtype)
        if x.weak:
            return f"np.{'bool_' if dtype.kind == 'b' else dtype.name}({{0}})"
        return f"{{0}}.astype({dtype_text(dtype)})"

    def samples(rng):
        return [((rng.uniform(size=(2, 3)),), {"dtype": np.dtype(d)}) for d in (np.float64, np.float32, np.int64, bool)]


@function(np.astype, method="astype")
def astype_(x, dtype, order="K", casting="unsafe", subok=True, copy=True, device=None):
    """np.astype: a copy with another dtype."""
    return TABLE["astype"].bind(x, dtype=np.dtype(dtype))


# functions: filled arrays -------------------------------------------------------------
def static_shape(shape):
    """A shape as a tuple of ints; an abstract size is asked for as a static one."""
    return tuple(map(operator.index, shape)) if np.iterable(shape) else (operator.index(shape),)


@function(np.full)
def full_(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """np.full; the fill value may be abstract."""
    shape = static_shape(shape)
    if not is_reference(fill_value):
        fill_value = np.asarray(fill_value)
    dtype = np.dtype(dtype) if dtype is not None else aval_of(fill_value).dtype
    if np.ndim(fill_value):
        return np.astype(np.broadcast_to(fill_value, shape), dtype)
    return TABLE["full"].bind(fill_value, shape=shape, dtype=dtype)


def _like(name):
    """zeros_like and its kin: an array of the shape and dtype of another."""
    def like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        aval = aval_of(a)
        dtype = np.dtype(dtype) if dtype is not None else aval.dtype
        shape = aval.shape if shape is None else static_shape(shape)
        if None in shape:
            return TABLE["zeros_like"].bind(a, dtype=dtype) + (1 if name == "ones" else 0)
        if not is_reference(a):
            return getattr(np, name)(shape, dtype)
        return TABLE[name].emit(shape=shape, dtype=dtype)
    like.__name__, like.__doc__ = f"{name}_like", f"np.{name}_like."
    function(getattr(np, f"{name}_like"), array=True)(like)


for _name in ("zeros", "ones", "empty"):
    _like(_name)


@function(np.full_like, array=True)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """np.full_like."""
    return full_(np.shape(a) if shape is None else shape, fill_value, aval_of(a).dtype if dtype is None else dtype)


@op(differentiable=False)
class zeros_like:
    """Zeros of the shape of an array whose shape is not known."""

    def impl(x, dtype):
        return np.zeros_like(x, dtype)

    def infer(x, dtype):
        return Aval(x.shape, dtype)

    def lower(hlo, out, x, dtype):
        return hlo.full(out.shape, 0, dtype)

    def batch(axes, x, dtype):
        return TABLE["zeros_like"].bind(x, dtype=dtype), 0

    def notation(x, dtype):
        return "np.zeros_like({0})" if x.dtype == dtype else f"np.zeros_like({{0}}, dtype={dtype_text(dtype)})"

    def samples(rng):
        return [((rng.uniform(size=(2, 3)),), {"dtype": np.dtype(np.float64)})]


# functions: arrays from values ------------------------------------------------------------
def nested_array(value, dtype=None):
    """An array from an array, a number, or nested sequences of them."""
    if not isinstance(value, list | tuple):
        array = value
    elif holds_reference(value):
        array = lookup(np.stack)([nested_array(v) for v in value])
    else:
        array = np.array(value)
    if not is_reference(array):
        return np.asarray(array, dtype)
    if dtype is None:
        return array if not array.weak else TABLE["astype"].bind(array, dtype=array.dtype)
    return array if array.dtype == np.dtype(dtype) and not array.weak else TABLE["astype"].bind(array, dtype=np.dtype(dtype))


@function(np.array)
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """np.array: a new array, unless copy is False or None."""
    made = nested_array(object, dtype)
    if copy and made is object:
        made = TABLE["copy"].bind(made)
    return np.reshape(made, (1,) * (ndmin - np.ndim(made)) + np.shape(made)) if np.ndim(made) < ndmin else made


@function(np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.require, np.asarray_chkfinite)
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """np.asarray: the array itself where nothing has to change."""
    made = nested_array(a, dtype)
    return TABLE["copy"].bind(made) if copy and made is a else made


@function(np.copy)
def copy_(a, order="K", subok=False):
    """np.copy."""
    return array(a)


def _scalar_type(dtype):
    def convert(value=0):
        return nested_array(value, dtype)
    convert.__name__, convert.__doc__ = dtype.__name__, f"np.{dtype.__name__}: a cast."
    return convert


for _dtype in {np.dtype(c).type for c in "?bhilqBHILQefdFD"}:
    FUNCTIONS[_dtype] = _scalar_type(_dtype)


# functions: grids ----------------------------------------------------------------------------
@function(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """np.linspace; the ends may be abstract."""
    num = operator.index(num)
    intervals = num - 1 if endpoint else num
    delta = np.subtract(stop, start)
    kind = np.result_type(result_dtype(aval_of(start), aval_of(stop)), np.float64) if dtype is None else np.dtype(dtype)
    steps = np.reshape(np.arange(num, dtype=np.float64), (-1, *(1,) * np.ndim(delta)))
    step = delta / intervals if intervals > 0 else delta * np.nan
    y = (steps * step if intervals > 0 else steps * delta) + start
    if endpoint and num > 1:
        y[-1] = stop
    y = np.moveaxis(y, 0, axis) if axis else y
    y = np.astype(np.floor(y) if kind.kind in "iu" else y, kind) if y.dtype != kind else y
    return (y, step) if retstep else y


@function(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """np.logspace; the ends may be abstract."""
    y = np.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else np.astype(y, dtype)


@function(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """np.geomspace of real ends of one sign."""
    sign = np.sign(start)
    start, stop = start * sign, stop * sign
    y = logspace(np.log10(start), np.log10(stop), num, endpoint, 10.0)
    if num > 0:
        y[0] = start
        if num > 1 and endpoint:
            y[-1] = stop
    y = np.moveaxis(y * sign, 0, axis) if axis else y * sign
    return y if dtype is None else np.astype(y, dtype)


@function(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """np.meshgrid."""
    ndim, flat = len(xi), [np.ravel(nested_array(x)) for x in xi]
    places = [1 - k if indexing == "xy" and ndim > 1 and k < 2 else k for k in range(ndim)]
    shape = [0] * ndim
    for place, x in zip(places, flat, strict=True):
        shape[place] = np.shape(x)[0]
    grids = [np.reshape(x, tuple(-1 if k == place else 1 for k in range(ndim))) for place, x in zip(places, flat, strict=True)]
    return tuple(g if sparse else np.copy(np.broadcast_to(g, tuple(shape))) for g in grids)


@function(np.vander, array=True)
def vander(x, N=None, increasing=False):
    """np.vander: powers by repeated multiplication."""
    count = np.shape(x)[0] if N is None else operator.index(N)
    if not count:
        return np.zeros((np.shape(x)[0], 0))
    columns = [np.ones_like(x)]
    for _ in range(count - 1):
        columns.append(x if len(columns) == 1 else columns[-1] * x)
    return np.stack(columns if increasing else columns[::-1], axis=1)


# functions: types ------------------------------------------------------------------------------
@function(np.result_type)
def result_type(*values):
    """np.result_type, known from the avals."""
    return result_dtype(*(v if isinstance(v, Aval) else Aval((), np.dtype(v)) if isinstance(v, type | str | np.dtype) else aval_of(v)
                          for v in values))


@function(np.isscalar)
def isscalar(element):
    """np.isscalar."""
    return np.ndim(element) == 0


@function(np.can_cast)
def can_cast(from_, to, casting="safe"):
    """np.can_cast."""
    return np.can_cast(aval_of(from_).dtype if is_reference(from_) else from_, to, casting)
