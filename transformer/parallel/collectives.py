"""Collectives as users call them: on arrays, numbers and pytrees, over one named axis or several.

    psum(x, "dev")                       the sum over all devices of a pmap, or lanes of a vmap, with axis_name="dev"
    psum(x, ("row", "col"))              over two axes at once

What is known while transforming (numbers, arrays from outside) is the same on all lanes: psum(1, "dev") is the size of the axis.
"""

import math
import operator

import numpy as np

from .. import axes, tree
from ..core import literal_aval
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend.reference import is_reference
from ..ops.op import TABLE, lookup
from ..ops.shaping import normal_axis
from .groups import Groups


def axis_size(axis_name):
    """The number of lanes or devices along an axis (a tuple: the product). Raises UnboundAxis for a name that nothing maps."""
    return math.prod(axes.size_of(n) for n in axes.as_names(axis_name))


def axis_index(axis_name):
    """The number of this lane or device along an axis; of several axes the last varies fastest."""
    index = None
    for name in axes.as_names(axis_name):
        size = axes.size_of(name)
        number = TABLE["axis_index"].emit_weak(axis=name, size=size)
        index = number if index is None else index * size + number
    return index


def reduced(name, x, axis_name):
    """A reduction over each axis in turn."""
    for axis in axes.as_names(axis_name):
        x = TABLE[name].bind(x, axis=axis, size=axes.size_of(axis))
    return x


def shape_of(x):
    return x.shape if hasattr(x, "shape") else np.shape(x)


def _sum(x, axis_name):
    dtype = x.dtype if hasattr(x, "dtype") else literal_aval(x).dtype
    if dtype.kind == "b":
        x = x.astype(np.int32) if hasattr(x, "astype") else int(x)
    return reduced("psum", x, axis_name) if is_reference(x) else x * axis_size(axis_name)


def psum(x, axis_name, *, axis_index_groups=None):
    """The sum of the arrays in `x` over a named axis, the same on all lanes.

    axis_index_groups: lists of lanes of one size that split the axis; each lane has the result of its own group. So in all collectives.
    """
    axes.as_names(axis_name)
    if axis_index_groups is not None:
        return tree.tree_map(Groups(axis_name, axis_index_groups).sum, x)
    return tree.tree_map(lambda leaf: _sum(leaf, axis_name), x)


def pmean(x, axis_name, *, axis_index_groups=None):
    """The mean of the arrays in `x` over a named axis."""
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.sum(leaf) / groups.size, x)
    size = axis_size(axis_name)
    return tree.tree_map(lambda leaf: _sum(leaf, axis_name) / size, x)


def pmax(x, axis_name, *, axis_index_groups=None):
    """The largest values over a named axis, element by element."""
    axes.as_names(axis_name)
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.extremum(leaf, np.max), x)
    return tree.tree_map(lambda leaf: reduced("pmax", leaf, axis_name) if is_reference(leaf) else leaf, x)


def pmin(x, axis_name, *, axis_index_groups=None):
    """The smallest values over a named axis, element by element."""
    axes.as_names(axis_name)
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.extremum(leaf, np.min), x)
    return tree.tree_map(lambda leaf: reduced("pmin", leaf, axis_name) if is_reference(leaf) else leaf, x)


def emit(name, x, **params):
    """An op on a value that may be known: each lane has it."""
    return TABLE[name].bind(x, **params) if is_reference(x) else TABLE[name].emit(np.asarray(x), **params)


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False):
    """The values of all lanes: stacked along a new axis, or (tiled) laid end to end along an existing one. The same on all lanes."""
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.gather(leaf, axis, tiled), x)
    names = axes.as_names(axis_name)
    return tree.tree_map(lambda leaf: gathered(leaf, names, axis, tiled), x)


def gathered(x, names, axis, tiled):
    dim = normal_axis(axis, len(shape_of(x)) + (not tiled))
    if not tiled:
        x = lookup(np.expand_dims)(x, dim)
    for name in reversed(names):
        x = emit("all_gather", x, axis=name, size=axes.size_of(name), dim=dim)
    return x


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    """The sum over a named axis, of which lane k keeps block k along `scatter_dimension` (not tiled: element k, the axis is gone)."""
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.scatter(leaf, scatter_dimension, tiled), x)
    names = axes.as_names(axis_name)
    return tree.tree_map(lambda leaf: scattered(leaf, names, scatter_dimension, tiled), x)


def scattered(x, names, scatter_dimension, tiled):
    shape, size = shape_of(x), math.prod(map(axes.size_of, names))
    dim = normal_axis(scatter_dimension, len(shape))
    if not tiled and shape[dim] != size:
        raise ShapeError(f"psum_scatter along axis {dim} of size {shape[dim]} needs the size of the named axis, {size}",
                         "Use tiled=True for blocks of several elements.")
    for name in names:
        x = emit("psum_scatter", x, axis=name, size=axes.size_of(name), dim=dim)
    return x if tiled else lookup(np.squeeze)(x, dim)


def ppermute(x, axis_name, perm):
    """Sends values between lanes: `perm` is a list of pairs (source, destination). A lane that gets nothing has zeros."""
    axis, = one_name(axis_name, "ppermute")
    size = axes.size_of(axis)
    pairs = tuple((operator.index(s), operator.index(d)) for s, d in perm)
    check_pairs(pairs, size)
    return tree.tree_map(lambda leaf: emit("ppermute", leaf, axis=axis, size=size, perm=pairs), x)


def check_pairs(pairs, size):
    for what, numbers in (("source", [s for s, _ in pairs]), ("destination", [d for _, d in pairs])):
        if len(set(numbers)) != len(numbers):
            raise TransformError(f"ppermute names a {what} twice: {list(pairs)}", "Each lane sends to one lane and gets from one.")
        if any(not 0 <= n < size for n in numbers):
            raise TransformError(f"ppermute over {size} lanes names a {what} out of range: {list(pairs)}", f"Lanes are numbered 0 to {size - 1}.")


def one_name(axis_name, what):
    names = axes.as_names(axis_name)
    if len(names) != 1:
        raise TypeMismatch(f"{what} takes one axis name, not {names}", "Call it once per axis.")
    return names


def pshuffle(x, axis_name, perm):
    """Lane k gets the value of lane perm[k]."""
    return ppermute(x, axis_name, list(zip(perm, range(len(perm)))))


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    """Lane k gets piece k of every lane. Not tiled: `split_axis` has the size of the named axis and goes, a new axis comes at `concat_axis`;
    tiled: pieces are blocks along `split_axis`, laid end to end along `concat_axis`."""
    if axis_index_groups is not None:
        groups = Groups(axis_name, axis_index_groups)
        return tree.tree_map(lambda leaf: groups.exchange(leaf, split_axis, concat_axis, tiled), x)
    axis, = one_name(axis_name, "all_to_all")
    return tree.tree_map(lambda leaf: exchanged(leaf, axis, split_axis, concat_axis, tiled), x)


def exchanged(x, axis, split, concat, tiled):
    size, shape = axes.size_of(axis), shape_of(x)
    split, concat = normal_axis(split, len(shape)), normal_axis(concat, len(shape))
    if tiled:
        return emit("all_to_all", x, axis=axis, size=size, split=split, concat=concat)
    if shape[split] != size:
        raise ShapeError(f"all_to_all splits axis {split} of size {shape[split]} among {size} lanes", "The sizes must be equal; or use tiled=True.")
    if split == concat:
        return emit("all_to_all", x, axis=axis, size=size, split=split, concat=concat)
    split, concat = (split + 1, concat) if concat < split else (split, concat + 1)
    x = lookup(np.expand_dims)(x, concat)
    return lookup(np.squeeze)(emit("all_to_all", x, axis=axis, size=size, split=split, concat=concat), split)


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    """Exchanges a named axis with an axis of the array, which has the same size."""
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def pbroadcast(x, axis_name, source):
    """The value of lane `source` on all lanes."""
    axis, = one_name(axis_name, "pbroadcast")
    chosen = TABLE["axis_index"].emit_weak(axis=axis, size=axes.size_of(axis)) == source
    return tree.tree_map(lambda leaf: _sum(lookup(np.where)(chosen, leaf, np.zeros((), leaf.dtype)), axis) if is_reference(leaf) else leaf, x)


__all__ = ["all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pmax", "pmean", "pmin", "ppermute", "pshuffle", "psum",
           "psum_scatter", "pswapaxes"]
