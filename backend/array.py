"""`Array`: an immutable n-dimensional array on a device, as compiled functions return it.

It holds a device buffer, a NumPy array, or both; each is made from the other when first needed. Operators, methods and NumPy
functions compute with NumPy on the host: speed belongs inside `jit`. `install` says by which rules of types they do so.
"""

import operator

import numpy as np

from . import client

NUMBERS = (bool, int, float, complex, np.generic)


class Rules:
    """How arrays compute: by NumPy's own rules unless others are installed."""

    def call(self, function, args, kwargs):
        """A NumPy function with arrays among its arguments."""
        return wrap(function(*unwrap(args), **unwrap(kwargs)))

    def method(self, name, args, kwargs):
        """The method `name` of the array that is the first argument."""
        return self.call(getattr(np, name), args, kwargs)

    def getitem(self, array, index):
        """`array[index]` for an index that is not for NumPy, else None."""
        return None

    def update(self, array):
        """`array.at`."""
        raise AttributeError("at")


_rules = Rules()


def install(rules):
    """Set the `Rules` of all arrays."""
    global _rules
    _rules = rules


def compute(function, *args, **kwargs):
    return _rules.call(function, args, kwargs)


class Array:
    """An immutable array. Make one with `array(value)`; convert back with `np.asarray(a)` or, for a writeable copy, `np.array(a)`.

    `spec` is one object per shape and dtype, good as a key.
    """

    __slots__ = ("__weakref__", "_buffer", "_value", "spec")
    __array_priority__ = 100
    __transformer_array__ = True

    def __init__(self, buffer, spec, value=None):
        self._buffer, self.spec, self._value = buffer, spec, value

    # storage -----------------------------------------------------------------
    @property
    def buffer(self):
        """The device buffer."""
        if self._buffer is None:
            self._buffer = client.put(self._value)
        return self._buffer

    @property
    def value(self):
        """The contents as a read-only ndarray, without a copy on CPU."""
        if self._value is None:
            if self._buffer.is_deleted():
                raise RuntimeError("this Array was donated to a compiled function, which has reused its memory; "
                                   "use the function's result, or do not donate the argument")
            self._value = self._gathered()
        return self._value

    def _gathered(self):
        """The contents of the device buffer as a read-only ndarray."""
        return client.to_numpy(self._buffer)

    @property
    def is_seen(self):
        """Whether an ndarray may share the device buffer's memory."""
        return self._value is not None

    def block_until_ready(self):
        """Wait until the array is computed; returns itself."""
        buffer = self._buffer
        if buffer is not None:
            buffer.block_until_ready()
        return self

    def is_deleted(self):
        return self._buffer is not None and self._buffer.is_deleted()

    def delete(self):
        """Free the device memory; the array can no longer be used."""
        self.buffer.delete()
        self._value = None

    @property
    def device(self):
        return self.buffer._sharding.device

    def devices(self):
        """The set of devices the array lives on."""
        return {self.device}

    @property
    def sharding(self):
        """Where the elements lie: a `sharding.Sharding`."""
        from .sharding import SingleDeviceSharding
        return SingleDeviceSharding(self.device)

    @property
    def addressable_shards(self):
        """The block of each device, with `data`, `device` and `index`; here one."""
        from .placed import Shard
        return [Shard(self, self.device, (slice(None),) * self.ndim, 0)]

    # description ---------------------------------------------------------------
    @property
    def shape(self):
        return self.spec.shape

    @property
    def dtype(self):
        return self.spec.dtype

    @property
    def weak_type(self):
        """Whether its dtype gives way to that of other operands (it was computed from Python numbers alone)."""
        return self.spec.weak_type

    @property
    def ndim(self):
        return len(self.spec.shape)

    @property
    def size(self):
        return int(np.prod(self.spec.shape, dtype=np.int64))

    @property
    def itemsize(self):
        return self.spec.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    def __len__(self):
        if not self.spec.shape:
            raise TypeError("len() of unsized object")
        return self.spec.shape[0]

    def __repr__(self):
        return format_array(self)

    def __str__(self):
        return str(self.value)

    def __format__(self, form):
        return format(self.value[()] if self.ndim == 0 else self.value, form)

    __hash__ = None

    # Python numbers ---------------------------------------------------------------
    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __complex__(self):
        return complex(self.value)

    def __index__(self):
        return operator.index(self.value[()])

    def __round__(self, digits=0):
        return compute(np.round, self, digits or 0)

    # NumPy -------------------------------------------------------------------------
    def __array__(self, dtype=None, copy=None):
        if copy:
            return np.array(self.value, dtype)
        return np.asarray(self.value, dtype) if copy is None else np.asarray(self.value, dtype, copy=False)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if not all(isinstance(x, (Array, np.ndarray, list, tuple, *NUMBERS)) for x in inputs):
            return NotImplemented
        out = kwargs.get("out", ())
        if any(isinstance(o, Array) for o in out):
            raise immutable()
        if not out:
            return compute(ufunc if method == "__call__" else getattr(ufunc, method), *inputs, **kwargs)
        return getattr(ufunc, method)(*map(unwrap, inputs), **{k: unwrap(v) for k, v in kwargs.items() if k != "out"}, out=out)

    def __array_function__(self, function, types, args, kwargs):
        if isinstance(kwargs.get("out"), Array):
            raise immutable()
        if function in FILLED:
            return function(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})
        return compute(function, *args, **kwargs)

    def __array_namespace__(self, api_version=None):
        return np

    def __dlpack__(self, **kwargs):
        value = self.value
        if not value.flags.writeable and kwargs.get("max_version", (0, 0)) < (1, 0):
            value = value.copy()
        return value.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()

    @property
    def __array_interface__(self):
        if self.dtype.kind == "V":
            raise AttributeError("NumPy's array interface does not know bfloat16 and its like; __array__ does")
        return self.value.__array_interface__

    @property
    def T(self):
        return compute(np.transpose, self)

    @property
    def mT(self):
        return compute(np.matrix_transpose, self)

    @property
    def real(self):
        return compute(np.real, self)

    @property
    def imag(self):
        return compute(np.imag, self)

    @property
    def at(self):
        """`a.at[index].set(value)` and its kin: a new array with some elements changed."""
        return _rules.update(self)

    @property
    def flat(self):
        return self.value.flat

    def item(self, *args):
        """The element as a Python number."""
        return self.value.item(*args)

    def tolist(self):
        return self.value.tolist()

    def tobytes(self, order="C"):
        return self.value.tobytes(order)

    def __getitem__(self, index):
        found = _rules.getitem(self, index)
        return frozen_array(self.value[unwrap(index)], self.weak_type) if found is None else found

    def __iter__(self):
        if not self.spec.shape:
            raise TypeError("iteration over a 0-d array")
        return map(wrap, self.value)

    def __contains__(self, item):
        return unwrap(item) in self.value

    def __setitem__(self, index, value):
        raise immutable()

    # copies -----------------------------------------------------------------------
    def __reduce__(self):
        return array, (np.array(self.value),)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def copy(self):
        """An Array never changes, so this is itself; `np.array(a)` makes a NumPy array of your own."""
        return self


FILLED = {np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like}
"""NumPy's functions that make a writeable array to be filled: they give an ndarray, as `np.array` and `np.zeros` do."""


def unwrap(value):
    """Arrays (also inside lists, tuples and dicts) as ndarrays."""
    if isinstance(value, Array):
        return value.value
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(map(unwrap, value))
    if type(value) is dict:
        return {k: unwrap(v) for k, v in value.items()}
    return value


def wrap(value):
    """ndarrays and NumPy scalars as Arrays; anything else as it is."""
    if type(value) is tuple or type(value) is list:
        return type(value)(map(wrap, value))
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufcV" and value.dtype.names is None:
        return frozen_array(value)
    return value


def array(value, dtype=None, device=None):
    """An Array of an array-like; always a copy, so that later changes of an ndarray do not show."""
    if isinstance(value, Array) and dtype in (None, value.dtype) and device is None:
        return value
    host = np.array(unwrap(value), dtype)
    host.flags.writeable = False
    return Array(client.put(host, device) if device is not None else None, client.spec(host.shape, host.dtype), host)


def frozen_array(value, weak_type=False):
    """An Array of an ndarray or NumPy scalar, which is copied if it is a view and made read-only if not."""
    value = np.asarray(value)
    if value.base is not None:
        value = value.copy()
    value.flags.writeable = False
    return Array(None, client.spec(value.shape, value.dtype, weak_type), value)


def immutable():
    return TypeError("an Array is immutable: item assignment and in-place changes do not work; make a new one with "
                     "`a = a.at[index].set(value)`, or write `a = np.array(a)` first to get a NumPy array of your own")


def format_array(a):
    """`Array([1., 2.], dtype=float32)`."""
    text = np.array2string(a.value, separator=", ", prefix="Array(", suffix=")")
    line = f"Array({text}, dtype={a.dtype.name})"
    return line if a.size else f"Array([], shape={a.shape}, dtype={a.dtype.name})"


def _binary(ufunc, reflected=False):
    def method(self, other):
        if not isinstance(other, (Array, np.ndarray, *NUMBERS)):
            return NotImplemented
        return compute(ufunc, other, self) if reflected else compute(ufunc, self, other)
    return method


def _unary(ufunc):
    def method(self):
        return compute(ufunc, self)
    return method


def _method(name):
    def method(self, *args, **kwargs):
        return _rules.method(name, (self, *args), kwargs)
    method.__name__ = name
    method.__doc__ = f"As `numpy.{name}`."
    return method


def _reshape(self, *shape, order="C"):
    """As `numpy.ndarray.reshape`."""
    return compute(np.reshape, self, shape[0] if len(shape) == 1 else shape, order=order)


def _transpose(self, *axes):
    """As `numpy.ndarray.transpose`."""
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return compute(np.transpose, self, axes or None)


def _flatten(self, order="C"):
    """As `numpy.ndarray.flatten`."""
    return compute(np.ravel, self, order=order)


def _view(self, dtype=None):
    """The same bytes as another dtype."""
    return frozen_array(self.value.view(dtype or self.dtype))


BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
          "mod": np.remainder, "divmod": np.divmod, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
          "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift}
COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
METHODS = """all any argmax argmin argpartition argsort astype choose clip compress conj conjugate cumprod cumsum diagonal dot max mean min
nonzero prod ptp ravel repeat round searchsorted sort squeeze std sum swapaxes take trace var""".split()

for _name, _ufunc in BINARY.items():
    setattr(Array, f"__{_name}__", _binary(_ufunc))
    setattr(Array, f"__r{_name}__", _binary(_ufunc, reflected=True))
for _name, _ufunc in COMPARE.items():
    setattr(Array, f"__{_name}__", _binary(_ufunc))
for _name, _ufunc in UNARY.items():
    setattr(Array, f"__{_name}__", _unary(_ufunc))
for _name in METHODS:
    setattr(Array, _name, _method(_name))
Array.reshape, Array.transpose, Array.flatten, Array.view = _reshape, _transpose, _flatten, _view
