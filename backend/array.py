"""`Array`: an immutable n-dimensional array on a device, as compiled functions return it.

It holds a device buffer, a NumPy array, or both; each is made from the other when first needed. Operators, methods and NumPy
functions compute with NumPy on the host: speed belongs inside `jit`.
"""

import operator

import numpy as np

from . import client

NUMBERS = (bool, int, float, complex, np.generic)


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
            self._value = client.to_numpy(self._buffer)
        return self._value

    @property
    def is_seen(self):
        """Whether an ndarray may share the device buffer's memory."""
        return self._value is not None

    def block_until_ready(self):
        """Wait until the array is computed; returns itself."""
        if self._buffer is not None:
            self._buffer.block_until_ready()
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
        return wrap(np.round(self.value, digits or 0))

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
        result = getattr(ufunc, method)(*map(unwrap, inputs), **{k: unwrap(v) for k, v in kwargs.items() if k != "out"},
                                        **({"out": out} if out else {}))
        return result if out else wrap(result)

    def __array_function__(self, function, types, args, kwargs):
        if isinstance(kwargs.get("out"), Array):
            raise immutable()
        return wrap(function(*unwrap(args), **unwrap(kwargs)))

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
        return self.value.__array_interface__

    @property
    def T(self):
        return wrap(self.value.T)

    @property
    def mT(self):
        return wrap(self.value.mT)

    @property
    def real(self):
        return wrap(self.value.real)

    @property
    def imag(self):
        return wrap(self.value.imag)

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
        return wrap(self.value[unwrap(index)])

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
        value = np.asarray(value)
        if value.base is not None or value.flags.writeable:
            value = value.copy() if value.base is not None else value
            value.flags.writeable = False
        return Array(None, client.spec(value.shape, value.dtype), value)
    return value


def array(value, dtype=None, device=None):
    """An Array of an array-like; always a copy, so that later changes of an ndarray do not show."""
    if isinstance(value, Array) and dtype in (None, value.dtype) and device is None:
        return value
    host = np.array(unwrap(value), dtype)
    host.flags.writeable = False
    return Array(client.put(host, device) if device is not None else None, client.spec(host.shape, host.dtype), host)


def immutable():
    return TypeError("an Array cannot be changed in place; write `a = np.array(a)` first to get a NumPy array of your own")


def format_array(a):
    """`Array([1., 2.], dtype=float32)`."""
    text = np.array2string(a.value, separator=", ", prefix="Array(", suffix=")")
    line = f"Array({text}, dtype={a.dtype.name})"
    return line if a.size else f"Array([], shape={a.shape}, dtype={a.dtype.name})"


def _binary(fn, reflected=False):
    def method(self, other):
        if not isinstance(other, (Array, np.ndarray, *NUMBERS)):
            return NotImplemented
        x, y = self.value, unwrap(other)
        return wrap(fn(y, x) if reflected else fn(x, y))
    method.__name__ = fn.__name__
    return method


def _unary(fn):
    def method(self):
        return wrap(fn(self.value))
    method.__name__ = fn.__name__
    return method


def _method(name):
    def method(self, *args, **kwargs):
        return wrap(getattr(self.value, name)(*unwrap(args), **unwrap(kwargs)))
    method.__name__ = name
    method.__doc__ = f"As `numpy.ndarray.{name}`."
    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
    _plain = _name.rstrip("_")
    setattr(Array, f"__{_plain}__", _binary(getattr(operator, _name)))
    setattr(Array, f"__r{_plain}__", _binary(getattr(operator, _name), reflected=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Array, f"__{_name}__", _binary(getattr(operator, _name)))
Array.__divmod__, Array.__rdivmod__ = _binary(divmod), _binary(divmod, reflected=True)
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Array, f"__{_name}__", _unary(getattr(operator, _name)))
for _name in ("all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip", "compress", "conj", "conjugate", "cumprod",
              "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round",
              "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var", "view"):
    setattr(Array, _name, _method(_name))
