"""Making arrays."""

import operator

import numpy as np

from .. import eager
from ..config import x64
from ..eager import Function
from ..errors import NeedStatic, TypeMismatch
from ..frontend.reference import is_device_array, is_reference
from ..ops import op as optable
from ..ops.op import holds_reference
from .adapter import described

_array = Function(np.array)
PYTHON = (bool, int, float, complex)


def array(object, dtype=None, copy=True, order="K", ndmin=0, *, device=None, out_sharding=None):
    """An array of an array-like: numbers, nested sequences, NumPy arrays; 32-bit unless 64-bit types are switched on."""
    dtype = eager.array_dtype(dtype)
    if holds_reference(object):
        return _array.call((object,), {"dtype": dtype, "ndmin": ndmin})
    if is_device_array(object) and dtype in (None, object.dtype) and np.ndim(object) >= ndmin:
        return object
    weak = dtype is None and (type(object) in (int, float, complex) or getattr(object, "weak_type", False))
    wide = x64() or (is_device_array(object) and dtype is None)
    value = np.array(host(object), dtype)
    refuse_strange(object, value, wide)
    return eager.to_device(value.reshape((1,) * (ndmin - value.ndim) + value.shape) if value.ndim < ndmin else value, wide, weak)


def refuse_strange(object, value, wide):
    """Only numbers make arrays; Python's integers fit into 32 bits, or 64-bit types are switched on."""
    if value.dtype.kind in "OUSmM":
        raise TypeMismatch(f"jnp.array of {type(object).__name__} {object!r:.40} makes no array of numbers", "Pass numbers, or nested lists of them.")
    if value.dtype.kind in "iu" and value.dtype.itemsize == 8 and not wide and type(object) in (int, list, tuple):
        kept = np.iinfo(eager.array_dtype(value.dtype))
        if value.size and (value.max() > kept.max or value.min() < kept.min):
            raise OverflowError(f"Python int too large to convert to {kept.dtype}; use config.update('jax_enable_x64', True)")


def host(value):
    """Nested sequences with device arrays inside as NumPy takes them."""
    if isinstance(value, list | tuple):
        return [host(v) for v in value]
    return np.asarray(value) if is_device_array(value) else value


def asarray(a, dtype=None, order=None, *, copy=None, device=None, out_sharding=None):
    """The array itself where nothing has to change, else as `array`."""
    if is_reference(a) and a.storage.jnp and not copy and eager.array_dtype(dtype) in (None, a.dtype):
        return a
    return array(a, dtype)


def copy(a, order=None):
    """An array of its own."""
    return array(a)


def size_of(value):
    """A size as an int, a shape as a tuple of ints; abstract ones are asked for as static."""
    if isinstance(value, list | tuple) or (np.ndim(value) == 1 and not is_reference(value)):
        return tuple(map(operator.index, value))
    return operator.index(value)


def filled(name):
    make = np.zeros if name == "empty" else getattr(np, name)  # as in JAX, memory is never left as it was

    def call(shape, dtype=None, *, device=None, out_sharding=None):
        return eager.to_device(make(size_of(shape), eager.array_dtype(float if dtype is None else dtype)), x64())
    return described(call, call, name)


zeros, ones, empty = map(filled, ("zeros", "ones", "empty"))


def full(shape, fill_value, dtype=None, *, device=None, out_sharding=None):
    """An array of one value."""
    value = asarray(fill_value, dtype)
    shape = size_of(shape)
    return array(eager.call(optable.FUNCTIONS[np.broadcast_to], (value, shape if isinstance(shape, tuple) else (shape,)), {}))


def static(value):
    """An argument that steers the shape or the entries of a new array, as a plain value."""
    if is_reference(value):
        return value.static("an argument of this function").item()
    if is_device_array(value):
        return np.asarray(value)[()]
    if type(value) in (list, tuple):
        return type(value)(map(static, value))
    return value


def on_host(name):
    """A function whose arguments are sizes and the like: NumPy's result as an array."""
    function = getattr(np, name)

    def call(*args, dtype=None, device=None, out_sharding=None, **kwargs):
        if dtype is not None:
            kwargs["dtype"] = eager.array_dtype(dtype)
        found = function(*map(static, args), **{k: static(v) for k, v in kwargs.items()})
        return eager.convert(found, lambda leaf: eager.to_device(leaf, x64()))
    return described(call, function, name)


HOST = """eye identity tri indices bartlett blackman hamming hanning kaiser diag_indices mask_indices tril_indices triu_indices
frombuffer fromfile fromiter fromstring load loadtxt unpackbits""".split()
MADE = {name: on_host(name) for name in HOST}


def arange(start, stop=None, step=None, dtype=None, *, device=None, out_sharding=None):
    """Evenly spaced numbers: integers if the arguments are, else floats."""
    start, stop, step = map(static, (start, stop, step))
    bounds = (0, start) if stop is None else (start, stop)
    if dtype is None:
        kinds = [np.asarray(v) for v in (start, stop, step) if v is not None]
        strong = [v.dtype for v, given in zip(kinds, [v for v in (start, stop, step) if v is not None]) if isinstance(given, np.generic)]
        dtype = np.result_type(*strong, *(0.0 if k.dtype.kind == "f" else 0 for k in kinds))
    dtype = eager.array_dtype(dtype)
    if dtype.kind == "V":
        return eager.to_device(np.arange(*bounds, 1 if step is None else step, dtype=np.float32).astype(dtype), x64())
    return eager.to_device(np.arange(*bounds, 1 if step is None else step, dtype=dtype), x64())


_linspace, _logspace, _geomspace = (Function(f) for f in (np.linspace, np.logspace, np.geomspace))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced numbers from start to stop."""
    return _linspace.call((start, stop, size_of(num), endpoint, retstep), {"dtype": dtype, "axis": axis})


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` numbers evenly spaced on a log scale."""
    return _logspace.call((start, stop, size_of(num), endpoint, base), {"dtype": dtype, "axis": axis})


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers in geometric progression."""
    return _geomspace.call((start, stop, size_of(num), endpoint), {"dtype": dtype, "axis": axis})


def tril_indices_from(arr, k=0):
    """Indices of the lower triangle of an array's last two axes."""
    return MADE["tril_indices"](np.shape(arr)[-2], k, np.shape(arr)[-1])


def triu_indices_from(arr, k=0):
    """Indices of the upper triangle of an array's last two axes."""
    return MADE["triu_indices"](np.shape(arr)[-2], k, np.shape(arr)[-1])


def diag_indices_from(arr):
    """Indices of the main diagonal of an array with equal axes."""
    return MADE["diag_indices"](np.shape(arr)[0], np.ndim(arr))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array of another library."""
    return eager.to_device(np.array(np.from_dlpack(x)), True)


class Grid:
    """mgrid, ogrid, r_ and c_: NumPy's index tricks as arrays."""

    __transformer_opaque__ = True

    def __init__(self, trick):
        self.trick = trick

    def __getitem__(self, index):
        found = self.trick[static_index(index)]
        return eager.convert(found, lambda leaf: eager.to_device(leaf, x64()))


def static_index(index):
    if isinstance(index, tuple):
        return tuple(map(static_index, index))
    if isinstance(index, slice):
        return slice(*(static(v) for v in (index.start, index.stop, index.step)))
    if is_reference(index) and index.shape:
        raise NeedStatic(index, "r_ and c_ take static values; use concatenate")
    return static(index)


mgrid, ogrid, r_, c_ = map(Grid, (np.mgrid, np.ogrid, np.r_, np.c_))

