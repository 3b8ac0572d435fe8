"""`Ragged`: an array with axes of unknown length, as the evaluator handles it. Operators, indexing and methods work on it."""

import numpy as np

from ...errors import NeedStatic
from ...ops import op as optable
from ..reference import is_reference
from . import extents as ext

RAW, FINITE, TYPICAL, ONE = 0, 1, 2, 3
"""What stands at places that do not count: anything; finite numbers; what also stands at a place that counts; the number 1."""

UNKNOWN = "an array whose length is not known before the program runs"


def is_ragged(value):
    return isinstance(value, Ragged)


class Ragged:
    """A static array (a reference) and an extent or None for each of its axes."""

    __slots__ = ("array", "extents", "memo", "state")
    __transformer_opaque__ = True
    __array_priority__ = 2000
    __hash__ = object.__hash__

    def __init__(self, array, extents, state=RAW):
        self.array, self.extents, self.state = array, tuple(extents), state
        self.memo = []

    def frame_values(self):
        """The abstract values inside."""
        return [self.array, *(v for e in self.extents if e is not None for v in e)]

    # parts: what branches and loops merge and carry ---------------------------
    @property
    def structure(self):
        """Kinds and sizes of the extents; ragged arrays of one structure differ in their items only."""
        return tuple(None if e is None else (type(e), e.size) for e in self.extents)

    @property
    def items(self):
        return [self.array, *(v for e in self.extents if e is not None for v in e[:-1])]

    def rebuilt(self, items):
        array, *rest = items
        rest = iter(rest)
        return Ragged(array, [None if e is None else type(e)(*(next(rest) for _ in e[:-1]), e.size) for e in self.extents])

    # shape and type ----------------------------------------------------------
    @property
    def shape(self):
        return tuple(n if e is None else ext.count(e) for n, e in zip(self.array.shape, self.extents))

    @property
    def ndim(self):
        return self.array.ndim

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def size(self):
        total = 1
        for n in self.shape:
            total = n if type(total) is int and total == 1 else total * n
        return total

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def reason(self):
        return "an array is returned whose shape depends on values"

    @property
    def T(self):
        return self.transpose()

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
        axes = [a % self.ndim for a in axes] or list(range(self.ndim))[::-1]
        return Ragged(np.transpose(self.array, axes), [self.extents[a] for a in axes], self.state)

    @property
    def real(self):
        return Ragged(self.array.real, self.extents, self.state)

    @property
    def imag(self):
        return Ragged(self.array.imag, self.extents, self.state)

    # what stands at the other places ------------------------------------------
    def valid(self, axes=None):
        """Where all of `axes` (default: all of unknown length) count, so that it broadcasts against the array."""
        found = None
        for axis, extent in enumerate(self.extents):
            if extent is None or axes is not None and axis not in axes:
                continue
            one = ext.valid(extent)
            rest = self.ndim - axis - 1
            one = one[(slice(None), *(None,) * rest)] if rest else one
            found = one if found is None else found & one
        return found

    def masked(self, fill, axes=None):
        """The array with `fill` at places that do not count (of `axes`)."""
        valid = self.valid(axes)
        if valid is None:
            return self.array
        fill = np.asarray(fill, self.dtype)[()] if self.dtype.kind != "f" or self.dtype != np.float64 else float(fill)
        return np.where(valid, self.array, fill)

    def finite(self):
        return self.masked(0) if self.state == RAW else self.array

    def standing_in(self, need):
        """The array as a function needs it: with finite numbers, ones, or elements that count at the places that do not."""
        if need == ONE:
            return self.array if self.state == TYPICAL else self.masked(1)
        return self.typical() if need == TYPICAL else self.finite()

    def typical(self):
        """The array with an element that counts at all places that do not."""
        if self.state == TYPICAL:
            return self.array
        picked = tuple(slice(None) if e is None else ext.first(e) for e in self.extents)
        element = self.array[picked]
        gone = [k for k, e in enumerate(self.extents) if e is not None]
        if element.ndim and gone:
            element = np.expand_dims(element, tuple(gone))
        return np.where(self.valid(), self.array, element)

    # protocols ----------------------------------------------------------------
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        from .functions import call
        return call(ufunc if method == "__call__" else getattr(ufunc, method), inputs, {**kwargs, **({"out": out} if out else {})})

    def __array_function__(self, function, types, args, kwargs):
        from .functions import call
        return call(function, args, kwargs)

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"arrays have no attribute {name}")
        from .functions import method
        return method(self, name)

    def __getitem__(self, index):
        from .indexing import read
        return read(self, index)

    def __setitem__(self, index, value):
        from .indexing import store
        store(self, index, value)

    def need_static(self, *_):
        raise NeedStatic(self.array, UNKNOWN)

    __len__ = __iter__ = __bool__ = __int__ = __float__ = __index__ = __array__ = __complex__ = need_static

    def __repr__(self):
        return f"<ragged {self.array!r}>"


def _operator(ufunc, reflected=False):
    def method(self, *others):
        from .functions import call
        return call(ufunc, (*others, self) if reflected else (self, *others), {})
    return method


def _inplace(ufunc):
    def method(self, other):
        from .functions import call
        self[...] = call(ufunc, (self, other), {})
        return self
    return method


def _install():
    from ..reference import BINARY, COMPARE, UNARY
    for name, ufunc in BINARY.items():
        plain = name.rstrip("_")
        setattr(Ragged, f"__{plain}__", _operator(ufunc))
        setattr(Ragged, f"__r{plain}__", _operator(ufunc, reflected=True))
        setattr(Ragged, f"__i{plain}__", _inplace(ufunc))
    for name, ufunc in {**COMPARE, **UNARY}.items():
        setattr(Ragged, f"__{name}__", _operator(ufunc))


_install()


def ragged_of(value):
    """An operand with its extents: (array, extents, state). Numbers have no axes."""
    if is_ragged(value):
        return value
    value = optable.array(value)
    value = ext.constant(value) if isinstance(value, np.ndarray) else value
    return Ragged(value, (None,) * (value.ndim if is_reference(value) else 0), TYPICAL)


def as_masks(value, axes, full=None):
    """An array as a ragged one that has a mask for each of `axes`. full: size -> the mask of an axis of which all counts."""
    value, full = ragged_of(value), {} if full is None else full
    extents = list(value.extents)
    for axis in axes:
        size = value.array.shape[axis]
        if extents[axis] is None and size not in full:
            full[size] = ext.constant(np.ones(size, bool))
        extents[axis] = ext.Chosen(full[size] if extents[axis] is None else ext.valid(extents[axis]), size)
    return Ragged(value.array, extents, value.state)


def common_masks(one, two):
    """The axes for which two arrays, of which one is ragged, need masks so that they have one structure; None if they cannot."""
    one, two = ragged_of(one), ragged_of(two)
    if not is_reference(one.array) or not is_reference(two.array) or one.array.shape != two.array.shape:
        return None
    return [k for k, (a, b) in enumerate(zip(one.structure, two.structure)) if a != b]


__all__ = ["FINITE", "ONE", "RAW", "TYPICAL", "Ragged", "as_masks", "common_masks", "is_ragged", "ragged_of"]
