"""Lowering of reads and Updates at an index template to StableHLO.

A template is taken apart: first the *box*, the part of the array that slices, ints and scalar operands cut out (static slices
and one dynamic slice); then, inside the box, arrays and masks (gather, scatter, select). An Update changes the box and puts it
back, unless it is the whole array.
"""

from typing import NamedTuple

import numpy as np

from ..core import Hole
from ..errors import TransformError
from .index_templates import FULL, Window, advanced_dims, advanced_place, is_array, result_shape, slice_length


class Axis(NamedTuple):
    """What a template does to one axis: the box begins at `start` (int or scalar value) and has `count` elements `step` apart.

    `array` is the integer array or mask that indexes the box then, or None; `kept` says whether the axis stays in the result.
    """

    start: object
    count: int
    step: int = 1
    array: object = None
    kept: bool = True


def axes_of(hlo, template, shape, operands):
    """One Axis per axis of the array (a mask stands on the first of its axes, the others get `array` None)."""
    out = []
    for entry in template:
        if entry is None:
            continue
        size = shape[len(out)]
        if isinstance(entry, int):
            out.append(Axis(entry, 1, kept=False))
        elif isinstance(entry, slice):
            out.append(_slice_axis(entry, size))
        elif isinstance(entry, Window):
            out.append(Axis(wrapped(hlo, operands[entry.position], None), entry.length))
        elif not is_array(entry, operands):
            out.append(Axis(wrapped(hlo, operands[entry.position], size), 1, kept=False))
        else:
            array = operands[entry.position]
            out.append(Axis(0, size, array=array, kept=False))
            out.extend(Axis(0, n, kept=False) for n in (shape[len(out): len(out) + array.ndim - 1] if array.dtype == bool else ()))
    return out


def _slice_axis(entry, size):
    chosen = range(*entry.indices(size))
    return Axis(chosen.start if chosen else 0, len(chosen), chosen.step if chosen else 1)


def wrapped(hlo, index, size):
    """An index as int64, counted from the end where it is negative (size None: as it is); nothing is tested where it cannot be negative."""
    if index.literal is not None:
        value = int(index.literal)
        return value + size if value < 0 and size is not None else value
    certain = size is None or index.name in hlo.nonnegative
    index = index if index.dtype == np.int64 and not index.weak else hlo.convert(index, np.int64)
    if certain:
        return index
    return hlo.select(hlo.compare("LT", index, 0), hlo.add(index, size), index)


# the box ------------------------------------------------------------------------------------------------------------------

def read_box(hlo, x, axes):
    """The elements that slices, ints and scalars cut out; every axis of `x` is still there. What the scalars cut out comes first: XLA
    makes a slice that several rows are read from as a whole, in each round of a loop (a Gauss-Seidel sweep, n = 200: 5.9 -> 0.6 ms)."""
    spans = [max(0, (a.count - 1) * abs(a.step) + 1) for a in axes]
    low = [a.start if a.step > 0 else a.start + (a.count - 1) * a.step for a in axes]
    low = [0 if a.count == 0 else lo for a, lo in zip(axes, low, strict=True)]
    if not all(isinstance(lo, int) for lo in low):
        x, low = hlo.dynamic_slice(x, low, spans), [0] * len(axes)
    x = hlo.slice(x, low, [lo + span for lo, span in zip(low, spans, strict=True)], [abs(a.step) for a in axes])
    return hlo.reverse(x, [k for k, a in enumerate(axes) if a.step < 0])


def write_box(hlo, x, box, axes):
    """`x` with its box replaced."""
    if box.shape == x.shape and all(a.step == 1 for a in axes):
        return box
    box = hlo.reverse(box, [k for k, a in enumerate(axes) if a.step < 0])
    starts = [a.start if a.step > 0 else a.start + (a.count - 1) * a.step for a in axes]
    if any(abs(a.step) > 1 and a.count > 1 for a in axes):
        return _write_strided(hlo, x, box, axes, starts)
    if 0 in box.shape:
        return x
    return hlo.dynamic_update_slice(x, box, starts)


def _write_strided(hlo, x, box, axes, starts):
    """Spread the box over the range that it spans, and take it where a mask of the same pattern is set."""
    span = [(a.count - 1) * abs(a.step) + 1 for a in axes]
    interior = [abs(a.step) - 1 if a.count > 1 else 0 for a in axes]
    zeros = [0] * len(axes)
    spread = hlo.pad(box, 0, zeros, zeros, interior)
    mask = hlo.pad(hlo.full(box.shape, True, bool), False, zeros, zeros, interior)
    contiguous = [Axis(s, n) for s, n in zip(starts, span, strict=True)]
    return write_box(hlo, x, hlo.select(mask, spread, read_box(hlo, x, contiguous)), contiguous)


# reading ------------------------------------------------------------------------------------------------------------------

def read(hlo, out, x, operands, template):
    """The value of `x[template]`."""
    shape = result_shape(template, x.shape, operands)
    if None in shape:
        raise TransformError("an array is read at a boolean mask under jit: the size of the result depends on the data",
                             "Use np.where(mask, x, 0), or np.sum(..., where=mask).")
    axes = axes_of(hlo, template, x.shape, operands)
    box = read_box(hlo, x, axes)
    if not any(a.array is not None for a in axes):
        return hlo.reshape(box, shape)
    return hlo.reshape(_gather(hlo, box, template, operands, axes), shape)


def _gather(hlo, box, template, operands, axes):
    where, indices, dims = _indices(hlo, box, template, operands, axes)
    place = advanced_place_kept(template)
    rest = len([a for k, a in enumerate(axes) if k not in where])
    offset = [k if k < place else k + len(dims) for k in range(rest)]
    sizes = [1 if k in where else n for k, n in enumerate(box.shape)]
    gathered = hlo.gather(box, indices, offset_dims=tuple(offset), collapsed_slice_dims=tuple(where), start_index_map=tuple(where),
                          slice_sizes=tuple(sizes))
    return gathered


def advanced_place_kept(template):
    """How many axes of the box that stay stand before the array indices in the result (new axes not counted)."""
    return sum(e is not None for e in template[: advanced_place(template)])


def _indices(hlo, box, template, operands, axes):
    """The axes that array indices take away (ints and scalars too: their box has size 1), and the index vectors for gather."""
    where = [k for k, a in enumerate(axes) if not a.kept]
    dims = advanced_dims(template, operands)
    columns = []
    for k in where:
        index = axes[k].array
        index = hlo.constant(0, np.int64) if index is None else wrapped_array(hlo, index, box.shape[k])
        columns.append(hlo.reshape(hlo.broadcast_to(index, dims), (*dims, 1)))
    return where, hlo.concatenate(columns, len(dims)), dims


def wrapped_array(hlo, index, size):
    index = hlo.convert(index, np.int64)
    return hlo.select(hlo.compare("LT", index, 0), hlo.add(index, size), index)


# updates ------------------------------------------------------------------------------------------------------------------

def update(hlo, x, value, template, operands, mode="set", shared=False, apart=False):
    """The new version of `x` after `x[template] = value` (mode "add": np.add.at).

    shared: the value is added at several places. apart: computing the value reads nothing of `x` but what it replaces, so that it
    can be stored in place (50 steps of Jacobi's method in 150x150: 0.8 ms -> 0.55 ms).
    """
    value = hlo.convert(value, x.dtype)
    axes = axes_of(hlo, template, x.shape, operands)
    masks = [o for e in template if is_array(e, operands) for o in [operands[e.position]] if o.dtype == bool]
    if masks:
        return _update_masked(hlo, x, value, template, operands, axes, mode)
    value = hlo.broadcast_to(value, result_shape(template, x.shape, operands))
    if not any(a.array is not None for a in axes):
        new = hlo.reshape(value, [a.count for a in axes])
        if shared and is_large(x, new, axes) and is_narrow(x, new) and (mode == "add" or number(hlo, x) == 0):
            return _add_from_margins(hlo, x, new, axes, mode)
        if is_large(x, new, axes) and not apart and (mode == "add" or x.ndim > 1 and new.shape[-1] < x.shape[-1]):
            return _update_padded(hlo, x, new, axes, mode)
        if mode == "add":
            new = _plus(hlo, read_box(hlo, x, axes), new)
        return write_box(hlo, x, new, axes)

    box = read_box(hlo, x, axes)
    value = hlo.reshape(value, _without_new_axes(template, value.shape, operands))
    return write_box(hlo, x, _scatter(hlo, box, value, template, operands, axes, mode), axes)


def is_large(x, box, axes):
    """Whether a static box is a good part of the array, not all of it: then whole-array ops, which XLA fuses with their neighbours,
    beat an update in place (100 steps of a 200x200 heat equation: 8 ms -> 2.3 ms, its gradient 14 ms -> 5 ms)."""
    static = all(isinstance(a.start, int) and a.step == 1 for a in axes)
    return static and x.shape != box.shape and 4 * box.size >= x.size


def is_narrow(x, box):
    """Whether margins on all sides of the box, as wide as it may move in the array, cost little."""
    return 2 * np.prod([2 * n - c for n, c in zip(x.shape, box.shape)]) <= 3 * x.size


def _add_from_margins(hlo, x, box, axes, mode):
    """The sum with a part of the box in margins of zeros: these are the same for every place that the box, or a multiple of it, is added
    at, computed once, and read without tests (25 steps of a heat equation in 25x25x25, gradient: 1.3 ms -> 0.5 ms). A store ("set") is
    one into zeros."""
    root, factor = (box, 1) if mode == "set" else unscaled(hlo, box)
    margins = [n - a.count for n, a in zip(x.shape, axes, strict=True)]
    low = [m - a.start for m, a in zip(margins, axes, strict=True)]
    wide = hlo.pad(root, 0, margins, margins)
    part = hlo.slice(wide, low, [k + n for k, n in zip(low, x.shape, strict=True)], [1] * x.ndim)
    if mode == "set":
        return part
    if factor == -1:
        return hlo.subtract(x, part)
    return _plus(hlo, x, part if factor == 1 else hlo.multiply(part, hlo.full(part.shape, factor, part.dtype)))


def unscaled(hlo, x):
    """(root, number) whose product is an array of floats, rounded once; others are their own root."""
    op, operands = hlo.made.get(x.name, ("parameter", ())) if x.dtype.kind in "fc" else ("parameter", ())
    if op == "negate":
        root, factor = unscaled(hlo, operands[0])
        return root, -factor
    for one, two in ((0, 1), (1, 0)) if op == "multiply" else ():
        factor = number(hlo, operands[one])
        if factor is not None and np.isfinite(factor):
            return operands[two], factor
    return x, 1


def number(hlo, x):
    """The number that all elements of an array are known to be; None for others."""
    op, operands = hlo.made.get(x.name, ("parameter", ()))
    return operands[0].literal if op == "broadcast_in_dim" else x.literal


def _update_padded(hlo, x, box, axes, mode):
    """The update as a sum with, or a selection from, the box padded to the array's shape."""
    low = [a.start for a in axes]
    high = [n - a.start - a.count for n, a in zip(x.shape, axes, strict=True)]
    if mode == "add":
        return _plus(hlo, x, hlo.pad(box, 0, low, high))
    mask = hlo.pad(hlo.full(box.shape, True, bool), False, low, high)
    return hlo.select(mask, hlo.pad(box, 0, low, high), x)


def _plus(hlo, x, y):
    return hlo.op("or" if x.dtype == bool else "add", [x, y], x.shape, x.dtype)


def _without_new_axes(template, shape, operands):
    """A result shape without the axes that None entries made."""
    place, block = advanced_place(template), len(advanced_dims(template, operands))
    kept = [e for e in template if not isinstance(e, int | Hole)]
    gone = {k if k < place else k + block for k, e in enumerate(kept) if e is None}
    return [n for k, n in enumerate(shape) if k not in gone]


def _scatter(hlo, box, value, template, operands, axes, mode):
    where, indices, dims = _indices(hlo, box, template, operands, axes)
    place = advanced_place_kept(template)
    windows = tuple(k if k < place else k + len(dims) for k in range(len(axes) - len(where)))
    kind = "or" if mode == "add" and box.dtype == bool else mode
    return hlo.scatter(box, indices, value, kind, update_window_dims=windows, inserted_window_dims=tuple(where),
                       scatter_dims_to_operand_dims=tuple(where))


def _update_masked(hlo, x, value, template, operands, axes, mode):
    """A store at a mask: select, for a value that is the same at every set position."""
    arrays = [e for e in template if is_array(e, operands)]
    ndim = len(result_shape(template, x.shape, operands))
    if len(arrays) > 1 or None in template or 0 < ndim <= value.ndim and value.shape[value.ndim - ndim + advanced_place(template)] != 1:
        raise TransformError("a store at a boolean mask under jit whose value has as many elements as the mask has True",
                             "Use x = np.where(mask, value, x), with a value of x's shape.")
    mask = operands[arrays[0].position]
    at = next(k for k, a in enumerate(axes) if a.array is not None)
    box = read_box(hlo, x, axes)
    mask = hlo.broadcast_in_dim(mask, box.shape, range(at, at + mask.ndim))
    value = hlo.broadcast_to(hlo.reshape(value, _mask_value_shape(value, ndim, template, axes)), box.shape)
    new = _plus(hlo, box, value) if mode == "add" else value
    return write_box(hlo, x, hlo.select(mask, new, box), axes)


def _mask_value_shape(value, ndim, template, axes):
    """Shape of the value against the box: size 1 where the mask and the ints stand."""
    shape = (1,) * (ndim - value.ndim) + value.shape
    place = advanced_place(template)
    rest = iter([n for k, n in enumerate(shape) if k != place])
    return [next(rest) if a.kept else 1 for a in axes]


__all__ = ["FULL", "read", "slice_length", "update"]
