"""Canonical index templates: what stands between the brackets of a getitem or an Update.

`canonical(index, shape)` turns what users write into a pair (template, operands). A template is a tuple that covers every axis
and holds no Ellipsis; together with the shape of the array and the avals of the operands it determines the result. Entries:

    int               static index, 0 <= i < size (as the user wrote it where the size is unknown)
    slice(None)       the whole axis, forwards; every spelling of it becomes this one
    slice(a, b, s)    static ints, 0 <= a, b <= size; s may be negative, then b is None where the slice runs to the axis's start
    None              a new axis
    Hole(k)           operand k: an int scalar (negative counts from the end, at run time too), an int array, or a bool array
                      of m axes, which covers m axes of the array
    Window(k, n)      n elements from operand k (an int scalar, not negative) on: printed `i:i + n`
    Range(a, b)       the elements from a on and before b, each None, an int or a Hole of an int scalar that is not negative:
                      `i:j`, whose length is not known. Only `transforms.narrow` makes these, for programs that run on NumPy

    A[i, 1:], A of shape (3, 4)    (Hole(0), slice(1, 4, 1)), (i,)
    A[..., -1]                     (slice(None), 3), ()
    A[mask] = 0                    (Hole(0),), (mask,)               mask of A's shape

An index is *basic* if no operand has axes: reads are views. Else it is *advanced*: the axes of the arrays (broadcast together)
stand where the first one stands if they are neighbours (ints and scalar holes count), else first, as in NumPy.
Slices are not hashable on Python 3.11: use `repr(template)` as a key.
"""

import operator
from typing import NamedTuple

import numpy as np

from ..core import Hole
from ..errors import IndexMismatch, ShapeError, TypeMismatch
from . import op as optable
from .op import is_reference

FULL = slice(None)


class Window(NamedTuple):
    """`length` elements of an axis, starting at operand `position` (an int scalar that is not negative)."""

    position: int
    length: int


class Range(NamedTuple):
    """The elements of an axis from `start` on and before `stop`: None, an int >= 0, or a Hole."""

    start: object
    stop: object


class Span(NamedTuple):
    """A Window with its operand, as an entry of an index that is not canonical yet."""

    start: object
    length: int


def canonical(index, shape):
    """Template and operands (references or static int arrays) of a user's index into an array of `shape`."""
    entries = [_entry(e) for e in (index if isinstance(index, tuple) else (index,))]
    entries = [e for entry in entries for e in entry]
    entries = _expand(entries, shape)
    template, operands, axis = [], [], 0
    for entry in entries:
        if entry is None:
            template.append(None)
        elif isinstance(entry, slice):
            template.append(_slice(entry, shape[axis], operands))
            axis += 1
        elif isinstance(entry, Span):
            template.append(Window(len(operands), entry.length))
            operands.append(entry.start)
            axis += 1
        elif isinstance(entry, int):
            template.append(_static(entry, axis, shape))
            axis += 1
        else:
            _check_operand(entry, axis, shape)
            template.append(Hole(len(operands)))
            operands.append(entry)
            axis += covered(entry)
    return tuple(template), tuple(operands)


def covered(operand):
    """The number of axes that an operand (anything with dtype and shape) covers."""
    return len(operand.shape) if not isinstance(operand, int) and operand.dtype == bool else 1


def _entry(entry):
    """What one user entry stands for: a list of int, slice, None, Ellipsis, reference or int array."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice | Span):
        return [entry]
    if isinstance(entry, bool | np.bool_):
        return _static_mask(np.array(entry))
    if isinstance(entry, int | np.integer):
        return [int(entry)]
    if is_reference(entry):
        return _abstract(entry)
    if isinstance(entry, list | tuple) and _holds_reference(entry):
        return _abstract(optable.lookup(np.stack)(entry))
    if isinstance(entry, np.ndarray | list | tuple | range):
        return _array(entry)
    if hasattr(entry, "__array__"):
        return _array(np.asarray(entry))
    if hasattr(entry, "__index__"):
        return [int(entry.__index__())]
    raise TypeMismatch(f"an array is indexed with a value of type {type(entry).__name__}",
                       "Indices are integers, slices, None, ..., and arrays of integers or booleans.")


def _holds_reference(value):
    return any(_holds_reference(v) if isinstance(v, list | tuple) else is_reference(v) for v in value)


def _array(entry):
    array = np.asarray(entry)
    if array.size == 0 and not isinstance(entry, np.ndarray):
        array = array.astype(np.intp)
    if array.dtype == bool:
        return _static_mask(array)
    _check_dtype(array.dtype)
    return [int(array)] if array.ndim == 0 else [array]


def _abstract(ref):
    """A reference: static where its value is known and small in effect, else a dynamic operand."""
    _check_dtype(ref.dtype)
    if ref.known is None:
        return [ref]
    return _static_mask(ref.known) if ref.dtype == bool else [int(ref.known)] if not ref.shape else [ref]


def _static_mask(mask):
    if mask.ndim == 0:
        if mask:
            return [None]
        raise IndexMismatch("an array is indexed with False", "Index with a slice of length zero instead.")
    return [_Nonzero(mask)]


class _Nonzero:
    """A static mask, to be replaced by its integer arrays once its shape is checked."""

    def __init__(self, mask):
        self.mask, self.shape, self.dtype = mask, mask.shape, mask.dtype


def _expand(entries, shape):
    """Replace the Ellipsis, append the axes that are not named, replace static masks by integer arrays."""
    named = sum(0 if e is None or e is Ellipsis else covered(e) if hasattr(e, "dtype") else 1 for e in entries)
    if sum(e is Ellipsis for e in entries) > 1:
        raise IndexMismatch("an index has more than one '...'", "Write ':' for the other one.")
    if named > len(shape):
        raise IndexMismatch(f"an array of {len(shape)} axes is indexed with {named} indices",
                            f"The array has shape {shape}.")
    if not any(e is Ellipsis for e in entries):
        entries = [*entries, Ellipsis]
    at = next(k for k, e in enumerate(entries) if e is Ellipsis)
    entries = [*entries[:at], *[FULL] * (len(shape) - named), *entries[at + 1:]]
    out, axis = [], 0
    for entry in entries:
        if isinstance(entry, _Nonzero):
            _check_mask(entry, axis, shape)
            out.extend(np.nonzero(entry.mask))
        else:
            out.append(entry)
        axis += 0 if entry is None else covered(entry) if hasattr(entry, "dtype") else 1
    return out


def _static(index, axis, shape):
    size = shape[axis]
    if size is None:
        return index
    if not -size <= index < size:
        raise IndexMismatch(f"index {index} is out of bounds for axis {axis} with size {size}",
                            f"The array has shape {shape}.")
    return index + size if index < 0 else index


def _slice(entry, size, operands):
    """The canonical form of a slice of an axis of `size`; abstract bounds of unknown distance raise NeedStatic."""
    if is_reference(entry.start) and entry.step in (None, 1) and entry.stop is not None and size is not None:
        length = entry.start.window(entry.stop, size)
        if length is not None:
            operands.append(entry.start)
            return Window(len(operands) - 1, length)
    bounds = [None if b is None else operator.index(b) for b in (entry.start, entry.stop, entry.step)]
    if bounds[2] == 0:
        raise IndexMismatch("a slice has step 0", "Use a step of 1 or -1.")
    if size is None:
        plain = bounds[0] in (None, 0) and bounds[1] is None and bounds[2] in (None, 1)
        return FULL if plain else slice(*bounds)
    start, stop, step = slice(*bounds).indices(size)
    if (start, stop, step) == (0, size, 1):
        return FULL
    if (step > 0) == (stop <= start):
        return slice(0, 0, 1) if step > 0 or stop >= start else slice(start, None if stop < 0 else stop, step)
    return slice(start, None if stop < 0 else stop, step)


def _check_dtype(dtype):
    if dtype.kind not in "iub":
        raise TypeMismatch(f"an array of {dtype} is used as an index", "Convert it with .astype(int) first.")


def _check_mask(mask, axis, shape):
    covers = shape[axis: axis + len(mask.shape)]
    if any(None not in (m, n) and m != n for m, n in zip(mask.shape, covers, strict=True)):
        raise IndexMismatch(f"a boolean index of shape {mask.shape} does not match the axes {covers} that it covers",
                            f"The array has shape {shape}.")


def _check_operand(operand, axis, shape):
    if operand.dtype == bool:
        return _check_mask(operand, axis, shape)
    size = shape[axis]
    if isinstance(operand, np.ndarray) and operand.size and size is not None:
        worst = operand.min() if operand.min() < -size else operand.max()
        if not -size <= worst < size:
            raise IndexMismatch(f"index {worst} is out of bounds for axis {axis} with size {size}",
                                f"The array has shape {shape}.")


# what a template means ------------------------------------------------------------------------------------------------

def fill(template, operands):
    """The index that a template stands for, its operands being values or references."""
    return tuple(_filled(e, operands) for e in template)


def _filled(entry, operands):
    if isinstance(entry, Hole):
        return operands[entry.position]
    if isinstance(entry, Window):
        return _span(operands[entry.position], entry.length)
    return slice(*(_filled(bound, operands) for bound in entry)) if isinstance(entry, Range) else entry


def _span(start, length):
    return Span(start, length) if is_reference(start) else slice(start, start + length)


def slice_length(entry, size):
    """The number of elements that a canonical slice takes of an axis of `size` (None: unknown)."""
    if size is None:
        return None
    return len(range(*entry.indices(size)))


def is_array(entry, operands):
    """Whether an entry is an array index (of one axis or more, or a mask)."""
    if not isinstance(entry, Hole) or isinstance(operands[entry.position], int):
        return False
    return len(operands[entry.position].shape) > 0 or operands[entry.position].dtype == bool


def is_advanced(template, operands):
    return any(is_array(e, operands) for e in template)


def is_identity(template):
    return all(isinstance(e, slice) and e == FULL for e in template)


def advanced_dims(template, operands):
    """Broadcast shape of the array indices; a mask gives one unknown dimension."""
    shapes = [(None,) if operands[e.position].dtype == bool else operands[e.position].shape
              for e in template if isinstance(e, Hole)]
    try:
        return optable.broadcast(*shapes)
    except ShapeError:
        raise IndexMismatch(f"index arrays of shapes {' and '.join(map(str, shapes))} do not fit together",
                            "Index arrays are broadcast together; np.ix_ makes an outer product.") from None


def advanced_place(template):
    """How many entries that keep an axis stand before the array indices: 0 if those are not neighbours."""
    where = [k for k, e in enumerate(template) if isinstance(e, int | Hole)]
    if where != list(range(where[0], where[-1] + 1)):
        return 0
    return where[0]


def result_shape(template, shape, operands):
    """The shape of `array[template]` for an array of `shape`; operands are avals or anything with shape and dtype."""
    dims, axis = [], 0
    for entry in template:
        if entry is None:
            dims.append(1)
            continue
        if isinstance(entry, slice):
            dims.append(slice_length(entry, shape[axis]))
        elif isinstance(entry, Window | Range):
            dims.append(entry.length if isinstance(entry, Window) else None)
        axis += covered(operands[entry.position]) if isinstance(entry, Hole) else 1
    if not is_advanced(template, operands):
        return tuple(dims)
    at = advanced_place(template)
    return (*dims[:at], *advanced_dims(template, operands), *dims[at:])
