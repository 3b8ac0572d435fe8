"""References: what an abstract array is while a function is specialised or a rule is executed.

A reference is a storage and a chain of view operations. Reading it yields the storage's current version seen through the
chain; storing through it updates the storage. So `b = a; b += 1` changes `a`, and `v = a[1]; a[1] = 5.0` changes `v`, as in NumPy.
"""

import operator

import numpy as np

from ..core import Aval
from ..errors import NeedStatic, TakenOut, TransformError, TypeMismatch
from ..later import later
from ..ops import op as optable
from ..specialised import Reference, is_device_array, is_reference
from . import views

builder = later(globals(), "frontend.builder")


class Storage:
    """The memory of an array: the Core name that holds it, and a version that changes with every store.

    known: the value, where it is known while transforming. varies: that value is one of this call (it comes from an argument):
    it may decide a branch, but nothing may be computed from it outside of the program. pending: makes the value known, where a loop has
    left it. ties: see `sharing`. choices: weak references to the storages of which it is one, depending on a value.
    mixed: whether its type is another one on each side of a condition.
    jnp: not 0 for a value of `transformer.numpy`, whose types follow JAX's rules (see `promotion`).
    """

    __slots__ = ("__weakref__", "argument", "aval", "builder", "choices", "jnp", "known", "mixed", "name", "pending", "ties", "varies", "version")

    def __init__(self, name, aval, builder):
        self.name, self.aval, self.builder = name, aval, builder
        self.version, self.known, self.varies, self.argument, self.ties, self.choices, self.jnp, self.mixed = \
            0, None, False, None, [], (), 0, False
        self.pending = None

    def settled(self):
        """The value, where it is known or can be."""
        if self.pending is not None:
            self.pending()
        return self.known


class View:
    """One step of a chain: an op with one array operand, its dynamic index operands (references) and its params."""

    __slots__ = ("op", "args", "params")

    def __init__(self, op, args, params):
        self.op, self.args, self.params = op, args, params


class Ref(Reference):
    """An abstract array or scalar. Operators, indexing, methods and NumPy functions on it emit Core statements."""

    __slots__ = ("storage", "path", "aval", "cached", "hint", "__weakref__")
    __array_priority__ = 1000

    def __init__(self, storage, path=(), aval=None):
        self.storage, self.path = storage, path
        self.aval = storage.aval if aval is None else aval
        self.cached = None
        self.hint = None

    # reading -----------------------------------------------------------------
    def atom(self, builder):
        """The name that holds the current value in `builder`; emits the view's statements if need be."""
        if not self.path:
            return self.storage.name
        if self.cached is not None:
            version, block, name = self.cached
            if version == self.storage.version and any(block is b for b in builder.stack):
                builder.reused.append((self.storage, version, block))
                return name
        step = self.path[-1]
        name = builder.emit(step.op, (self.parent_ref(), *step.args), step.params, self.hint).storage.name
        self.cached = (self.storage.version, builder.block, name)
        return name

    def parent_ref(self):
        """The reference one view step up."""
        ref = Ref(self.storage)
        for step in self.path[:-1]:
            ref = ref.extended(step.op, step.args, step.params)
        return ref

    def viewed(self, op, args, params):
        """A view of this reference: reads through, stores go to the same storage. Chains of index-like steps are composed."""
        return views.derive(self, op, args, params)

    def extended(self, op, args, params):
        """This reference with one more step on its path, as it stands."""
        aval = op.infer(self.aval, *(optable.aval_of(a) for a in args), **params)
        return Ref(self.storage, (*self.path, View(op, tuple(args), params)), aval)

    def reshapes_in_place(self, shape):
        """Whether NumPy's reshape of this view is a view itself."""
        return views.reshapes_in_place(self, shape)

    def as_flat(self):
        """This view with one axis as `x.flat`."""
        return Flat(self.storage, self.path, self.aval)

    def window(self, stop, size):
        """The length of the slice from this index to `stop` of an axis of `size`, if static and never clipped; else None."""
        return views.window(self, stop, size)

    def path_key(self):
        return tuple((s.op.name, tuple(map(id, s.args)), repr(s.params)) for s in self.path)

    @property
    def known(self):
        """The value, where it is known while transforming (an ndarray), else None."""
        value = self.storage.settled()
        for step in self.path:
            if value is None:
                return None
            args = [a.known if is_reference(a) else a for a in step.args]
            value = None if any(a is None for a in args) else step.op.impl(value, *args, **step.params)
        return value

    # shape and type ----------------------------------------------------------
    @property
    def shape(self):
        return self.aval.shape

    @property
    def dtype(self):
        return self.aval.dtype

    @property
    def ndim(self):
        return len(self.aval.shape)

    @property
    def size(self):
        if None in self.aval.shape:
            raise NeedStatic(self, "the number of elements of an array whose size depends on data")
        return self.aval.size

    @property
    def itemsize(self):
        return self.aval.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def weak(self):
        return self.aval.weak

    def __len__(self):
        if not self.shape:
            raise TypeMismatch("len() of a scalar", "Only arrays with at least one axis have a length.")
        if self.shape[0] is None:
            raise NeedStatic(self, "the length of an array that depends on data")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeMismatch("a scalar cannot be iterated over", "Only arrays with at least one axis can.")
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return f"<abstract {self.aval} {self.storage.name}>"

    # conversions that need the value ---------------------------------------------
    def static(self, what):
        """The known value as a NumPy scalar or array; NeedStatic if it is abstract."""
        value = self.known
        if value is None:
            raise NeedStatic(self, f"{what} needs a value that is not known before the function runs")
        return value

    def frozen(self, what):
        """The known value for use outside of the program; an error if it is one of this call only, so that no derivative is lost."""
        if self.storage.varies and self.dtype.kind in "fc":
            raise TakenOut(f"{what} would take a value out of the program, and with it its derivative",
                           "Use NumPy functions on it that transformer knows.")
        return self.static(what)

    def __hash__(self):
        """That of the value: references are keys of the user's dicts and elements of the user's sets."""
        if self.shape:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self.static("the key of a dict or an element of a set").item())

    def __bool__(self):
        return bool(self.static("a truth test"))

    def __int__(self):
        return int(self.static("int()"))

    def __float__(self):
        return float(self.frozen("float()"))

    def __complex__(self):
        return complex(self.frozen("complex()"))

    def __index__(self):
        return operator.index(self.static("an index, a size or a range")[()])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.frozen("a conversion to ndarray"), dtype=dtype)

    # copies ---------------------------------------------------------------------
    def __copy__(self):
        return self if self.weak else optable.METHODS["copy"](self)

    def __deepcopy__(self, memo):
        """A copy; references to the whole of one array have one copy."""
        if self.path:
            return self.__copy__()
        if id(self.storage) not in memo:
            memo[id(self.storage)] = self.__copy__()
        return memo[id(self.storage)]

    def __reduce_ex__(self, protocol):
        raise TransformError("an abstract value cannot be pickled", "Return it, and write it outside of the transformed function.")

    # NumPy protocols ----------------------------------------------------------
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        target = ufunc if method == "__call__" else getattr(ufunc, method)
        return call_function(target, inputs, kwargs, out[0] if isinstance(out, tuple) else out)

    def __array_function__(self, function, types, args, kwargs):
        kwargs = dict(kwargs)
        return call_function(function, args, kwargs, kwargs.pop("out", None))

    def __getattr__(self, name):
        try:
            implementation = optable.JNP_METHODS.get(name) if self.storage.jnp else None
            implementation = implementation or optable.METHODS[name]
        except KeyError:
            if name.startswith("__") or not hasattr(np.ndarray, name):
                raise AttributeError(f"arrays have no attribute {name}") from None
            raise TransformError(f"arrays have no attribute or method {name} here",
                                 "Use the NumPy function of that name, or another method.") from None
        if name in optable.ATTRIBUTES:
            return implementation(self)
        return self.bound(implementation)

    def bound(self, implementation):
        """A method; it knows NumPy's function of the same meaning, if there is one."""
        def call(*args, **kwargs):
            return implementation(self, *args, **kwargs)
        if hasattr(implementation, "function"):
            call.function, call.array = implementation.function, self
        return call

    # indexing -------------------------------------------------------------------
    def __getitem__(self, index):
        return views.read(self, index)

    def __setitem__(self, index, value):
        views.store(self, index, value)

    def store_attribute(self, name, value):
        """`self.real = value`, and so on."""
        views.store_attribute(self, name, value)

    def accumulate(self, index, value):
        """`np.add.at(self, index, value)`."""
        views.store(self, index, value, "add")


class Flat(Ref):
    """`x.flat`: a store into it reaches x, what is read from it is a copy."""

    __slots__ = ()

    def __getitem__(self, index):
        found = views.read(self, index)
        return views.copy(found) if is_reference(found) and found.storage is self.storage else found


def call_function(function, args, kwargs, out=None):
    """Call the table's implementation of a NumPy function; `out` is stored into, as NumPy does."""
    implementation = optable.lookup(function)
    if getattr(implementation, "__func__", None) is optable.Op.call:
        return implementation(*args, out=out, **kwargs)
    with optable.needing_lengths((*args, *(v for a in args if isinstance(a, list | tuple) for v in a))):
        result = implementation(*args, **kwargs)
    if out is None:
        return result
    out[...] = result
    return out


def as_array(value):
    """A static array, or a nested list of references and numbers, as a reference or number."""
    if is_reference(value) or np.isscalar(value):
        return value
    if isinstance(value, np.ndarray):
        return builder.current().constant(value)
    if is_device_array(value):
        return builder.current().operand(value)
    if contains_reference(value):
        return optable.lookup(np.stack)([as_array(v) for v in value])
    return builder.current().constant(np.array(value))


def contains_reference(value):
    if isinstance(value, list | tuple):
        return any(map(contains_reference, value))
    return is_reference(value)


OPERANDS = (Ref, np.ndarray, np.generic, bool, int, float, complex, list, tuple)


def _operator(fn, ufunc, reflected=False):
    """An operator of references. Python numbers alone stay a Python number (weak)."""
    def method(self, *others):
        if others and not isinstance(others[0], OPERANDS) and not is_device_array(others[0]):
            return NotImplemented
        args = (*others, self) if reflected else (self, *others)
        weak = all(a.weak if is_reference(a) else type(a) in (bool, int, float, complex) for a in args)
        if not weak:
            return optable.lookup(ufunc)(*args)
        return builder.current().emit(optable.lookup(ufunc).__self__, python_operands(ufunc, args), {}, weak=True)
    return method


def python_operands(ufunc, args):
    """Operands of Python numbers as Python computes with them: bools count as ints, and a negative power of an int is a float."""
    kinds = [a.dtype.kind if is_reference(a) else np.asarray(a).dtype.kind for a in args]
    if ufunc in ARITHMETIC and set(kinds) == {"b"}:
        return tuple(optable.lookup(int)(a) if is_reference(a) else int(a) for a in args)
    if ufunc is np.power and set(kinds) <= {"i", "b"} and not is_reference(args[1]) and args[1] < 0:
        return optable.lookup(float)(args[0]), args[1]
    return args


def _inplace(symbol):
    """In-place operators store into the array; scalars and values of `transformer.numpy` are rebound."""
    ufunc = BINARY[symbol]
    def method(self, other):
        result = optable.lookup(ufunc)(self, other) if not self.weak else getattr(operator, symbol)(self, other)
        if not self.shape or self.storage.jnp:
            return result
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeMismatch(f"a {result.dtype} result does not fit in place into an array of {self.dtype}",
                               "Write x = x + y, or convert with astype.")
        self[...] = result
        return self
    return method


BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
          "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and_": np.bitwise_and, "or_": np.bitwise_or,
          "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift}
COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}

ARITHMETIC = {*(BINARY[k] for k in ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift")), *UNARY.values()}

for _name, _ufunc in BINARY.items():
    _plain = _name.rstrip("_")
    setattr(Ref, f"__{_plain}__", _operator(getattr(operator, _name), _ufunc))
    setattr(Ref, f"__r{_plain}__", _operator(getattr(operator, _name), _ufunc, reflected=True))
    setattr(Ref, f"__i{_plain}__", _inplace(_name))
for _name, _ufunc in {**COMPARE, **UNARY}.items():
    setattr(Ref, f"__{_name}__", _operator(getattr(operator, _name), _ufunc))

__all__ = ["Aval", "Ref", "Storage", "View", "as_array", "call_function", "contains_reference", "is_reference"]
