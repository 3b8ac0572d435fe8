"""NumPy's functions by JAX's rules: the one adapter between `transformer.numpy` and the op table.

`call(implementation, args, kwargs)` runs an implementation of the table. Where an argument is a reference it emits statements as for
NumPy code, their types by JAX's rules (`frontend.promotion`). On arrays it computes at once, with NumPy on the host, and returns an
`Array`. Device arrays call the same functions for their operators and methods.
"""

import functools
import inspect

import numpy as np

from backend import array as device
from backend.array import Array, frozen_array

from .config import x64
from .errors import TransformError, TypeMismatch
from .frontend import promotion
from .frontend.builder import current
from .frontend.reference import is_device_array, is_reference
from .frontend.updates import At
from .ops import op as optable

HALF = ("float16", "bfloat16")


def call(implementation, args, kwargs, elementwise=False, typed=False, kept=False):
    """Run an implementation by JAX's rules.

    elementwise: it is an op on broadcast operands, whose result is weak where they are. typed: the user names the result's dtype.
    kept: arrays in half precision are handed over as they are.
    """
    if any(map(optable.holds_reference, (*args, *kwargs.values()))):
        return on_references(implementation, args, kwargs)
    return on_arrays(implementation, args, kwargs, elementwise, typed, kept)


# references -------------------------------------------------------------------------------------------------------------
def on_references(implementation, args, kwargs):
    builder = current()
    with promotion.jnp_rules(builder):
        args = [as_operand(builder, a) for a in args]
        kwargs = {k: as_operand(builder, v) for k, v in kwargs.items()}
        result = implementation(*args, **kwargs)
    builder.uses_jnp = True
    return convert(result, lambda leaf: promotion.marked(builder, leaf) if is_reference(leaf) else to_device(leaf, x64()))


def as_operand(builder, value):
    """A value as an implementation takes it: device arrays are references, and what is not marked is narrowed."""
    if is_device_array(value):
        return builder.device_constant(value)
    if is_reference(value):
        dtype = value.dtype if value.storage.jnp or value.weak else promotion.narrow(value.dtype)
        return promotion.cast(builder, value, dtype) if dtype != value.dtype else value
    if type(value) in (list, tuple):
        return type(value)(as_operand(builder, v) for v in value)
    return to_host(value, x64())


# arrays -----------------------------------------------------------------------------------------------------------------
def on_arrays(implementation, args, kwargs, elementwise, typed, kept):
    leaves = list(array_leaves((*args, *kwargs.values())))
    wide = x64() or any(a.dtype in promotion.NARROW and not a.weak_type for a in leaves if isinstance(a, Array))
    half = None if elementwise or kept else common_half(leaves)
    weak = elementwise and not typed and is_weak(args, wide)
    args = [to_host(a, wide, half) for a in args]
    kwargs = {k: to_host(v, wide, half) for k, v in kwargs.items()}
    with optable.computing(promotion.on_host(wide)), np.errstate(all="ignore"):
        result = implementation(*args, **kwargs)
    return convert(result, lambda leaf: to_device(leaf, wide, weak, None if typed else half))


def is_weak(args, wide):
    """Whether the result of an op on these operands gives way to other types."""
    types = [promotion.Type(a.dtype, a.weak_type) if isinstance(a, Array) else promotion.host_type(a, wide)
             for a in args if isinstance(a, Array | np.ndarray | np.generic | int | float | complex)]
    return bool(types) and any(t.weak for t in types) and promotion.join(tuple(types), wide).weak


def common_half(leaves):
    """The half precision that the arguments compute in, if they do."""
    if not any(a.dtype.name in HALF for a in leaves):
        return None
    found = promotion.join(tuple({promotion.Type(promotion.narrow(a.dtype), False) for a in leaves}), x64()).dtype
    return found if found.name in HALF else None


def array_leaves(values):
    for value in values:
        if type(value) in (list, tuple):
            yield from array_leaves(value)
        elif isinstance(value, Array | np.ndarray | np.generic):
            yield value


def to_host(value, wide, half=None):
    """A value as NumPy computes with it: read-only, in 32 bits unless `wide`, half precision in single precision."""
    if isinstance(value, Array):
        if value.weak_type and not value.shape:
            return value.value.item()
        return widened(value.value) if half else value.value
    if type(value) in (list, tuple):
        return type(value)(to_host(v, wide, half) for v in value)
    if isinstance(value, np.ndarray | np.generic):
        dtype = promotion.narrow(value.dtype, wide)
        if dtype != value.dtype:
            return value.astype(dtype)
        if half and value.dtype.name in HALF:
            return widened(value)
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
    return value


def widened(value):
    return value.astype(np.float32) if value.dtype.name in HALF else value


def to_device(value, wide, weak=False, half=None):
    """A result as an `Array`; what is no array of numbers stays as it is."""
    if type(value) in (bool, int, float, complex):
        return frozen_array(np.asarray(value, promotion.default(np.asarray(value).dtype.kind, wide)), type(value) is not bool)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biufcV" or value.dtype.names:
        return value
    dtype = promotion.narrow(value.dtype, wide)
    dtype = half if half and dtype == np.float32 else dtype
    return frozen_array(value if value.dtype == dtype else value.astype(dtype), weak and value.dtype.kind in "ifc")


def convert(value, leaf):
    """Apply `leaf` to the leaves of a result (tuples, named tuples, lists, dicts)."""
    if isinstance(value, tuple):
        items = [convert(v, leaf) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [convert(v, leaf) for v in value]
    if isinstance(value, dict):
        return {k: convert(v, leaf) for k, v in value.items()}
    return leaf(value)


# functions --------------------------------------------------------------------------------------------------------------
IGNORED = {"precision", "out_sharding", "device", "symmetrize_input", "promote_integers", "unique_indices", "indices_are_sorted",
           "wrap_negative_indices", "mode", "method", "optimize", "unpack", "casting", "subset_by_index"}
"""Keywords of JAX that steer how something is computed, not what; dropped where the implementation has no such parameter."""


DESCRIPTIONS = {np.ndim, np.size, np.shape, np.isscalar, np.can_cast, np.result_type, np.iscomplexobj, np.isrealobj, np.iterable}
"""Functions whose result is a plain Python value."""


class Function:
    """A function of NumPy by JAX's rules: `call(args, kwargs)` runs the table's implementation, with dtypes as they are kept."""

    def __init__(self, function):
        implementation = table_implementation(function)
        self.implementation = implementation
        self.elementwise = function is np.where or getattr(implementation, "__func__", None) is optable.Op.call
        self.describes = function in DESCRIPTIONS
        parameters = parameters_of(implementation)
        self.accepted = set(parameters)
        self.open = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        places = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.dtype_place = places.index("dtype") if "dtype" in places else None

    def call(self, args, kwargs):
        if kwargs.get("out", None) is not None:
            raise TransformError("out= has no meaning here: arrays are immutable", "Use the result instead.")
        wanted = kwargs.pop("preferred_element_type", None) if "preferred_element_type" not in self.accepted else None
        kwargs = {k: v for k, v in kwargs.items() if k != "out" and (self.open or k in self.accepted or k not in IGNORED)}
        if "dtype" in kwargs:
            kwargs["dtype"] = array_dtype(kwargs["dtype"])
        if self.dtype_place is not None and len(args) > self.dtype_place:
            args = (*args[: self.dtype_place], array_dtype(args[self.dtype_place]), *args[self.dtype_place + 1:])
        if self.describes:
            return self.implementation(*(np.asarray(a) if isinstance(a, Array) else a for a in args), **kwargs)
        typed = kwargs.get("dtype") is not None or (self.dtype_place is not None and len(args) > self.dtype_place)
        result = call(self.implementation, args, kwargs, self.elementwise, typed)
        return result if wanted is None else result.astype(array_dtype(wanted))


def table_implementation(function):
    """The op table's implementation of a NumPy function; the function itself where the table has none."""
    try:
        return optable.FUNCTIONS[function]
    except (KeyError, TypeError):
        return function


def parameters_of(implementation):
    try:
        return inspect.signature(implementation).parameters
    except (TypeError, ValueError):
        return {}


function_of = functools.cache(Function)


def call_numpy(function, args, kwargs):
    """A NumPy function or ufunc with an `Array` among its arguments; also the operators of arrays."""
    return function_of(function).call(args, kwargs)


def call_method(name, args, kwargs):
    """A method of an `Array`: the function of `transformer.numpy` of its name."""
    from . import numpy
    return getattr(numpy, name)(*args, **kwargs)


def getitem(array, index):
    """`array[index]` with references in the index: the array becomes part of the program. None if there are none."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(map(is_reference, parts)):
        return current().device_constant(array)[index]
    return None


def update(array):
    """`array.at`."""
    return At(array, frozen_array)


def array_dtype(dtype):
    """A dtype that a user names, as it is kept; None stays None."""
    if dtype is None:
        return None
    try:
        return promotion.narrow(np.dtype(dtype))
    except TypeError:
        raise TypeMismatch(f"{dtype!r} is no dtype", "Name one, such as jnp.float32 or 'int8'.") from None


def new_array(value, dtype=None, weak=False):
    """An `Array` with a copy of an ndarray's contents, in 32 bits unless 64-bit types are switched on."""
    value = np.array(value, dtype)
    return to_device(value, x64(), weak)


class Rules(device.Rules):
    call, method, getitem, update = map(staticmethod, (call_numpy, call_method, getitem, update))


device.install(Rules())

__all__ = ["Array", "Function", "array_dtype", "call", "call_numpy", "new_array", "to_device"]
