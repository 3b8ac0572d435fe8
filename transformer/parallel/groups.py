"""Collectives among groups of lanes (`axis_index_groups`): a lane gathers the values of the axis and takes those of its own group.

    psum(x, "dev", axis_index_groups=[[0, 1], [2, 3]])       lanes 0 and 1 have the sum of theirs, lanes 2 and 3 that of theirs
"""

import numpy as np

from .. import axes
from ..errors import ShapeError, TransformError, TypeMismatch
from ..frontend.reference import is_reference
from ..ops.collectives import total
from ..ops.op import TABLE, lookup
from ..ops.shaping import normal_axis


class Groups:
    """A partition of the lanes of an axis into groups of one size."""

    def __init__(self, axis_name, groups):
        self.axis, *more = axes.as_names(axis_name)
        if more:
            raise TypeMismatch(f"axis_index_groups with several axes, {(self.axis, *more)}", "Name one axis.")
        self.lanes, self.size = axes.size_of(self.axis), len(groups[0])
        found = [list(map(int, g)) for g in groups]
        if sorted(lane for g in found for lane in g) != list(range(self.lanes)) or any(len(g) != self.size for g in found):
            raise TransformError(f"axis_index_groups {found} do not split the {self.lanes} lanes of {self.axis!r} into groups of one size",
                                 "Name each lane once, as in [[0, 1], [2, 3]].")
        self.members, self.places = np.zeros((self.lanes, self.size), np.int32), np.zeros(self.lanes, np.int32)
        for group in found:
            self.members[group] = group
            self.places[group] = range(self.size)

    def own(self, table):
        """The entry of a table for this lane."""
        return TABLE["constant"].emit(value=table)[TABLE["axis_index"].emit_weak(axis=self.axis, size=self.lanes)]

    def rows(self, x):
        """The values of the lanes of this lane's group, along a new first axis."""
        x = x if is_reference(x) else np.asarray(x)
        whole = TABLE["all_gather"].emit(lookup(np.expand_dims)(x, 0), axis=self.axis, size=self.lanes, dim=0)
        return whole[self.own(self.members)]

    def sum(self, x):
        return total(self.rows(x))

    def extremum(self, x, function):
        return lookup(function)(self.rows(x), axis=0)

    def gather(self, x, axis, tiled):
        """The values laid out along an axis: a new one, or (tiled) end to end."""
        rows = self.rows(x)
        shape = rows.shape[1:]
        dim = normal_axis(axis, len(shape) + (not tiled))
        found = lookup(np.moveaxis)(rows, 0, dim)
        return lookup(np.reshape)(found, (*shape[:dim], self.size * shape[dim], *shape[dim + 1:])) if tiled else found

    def piece(self, x, axis, tiled, what):
        """The part of an axis that belongs to this lane's place in its group: a block (tiled), or an element."""
        shape = x.shape
        if shape[axis] % self.size or not tiled and shape[axis] != self.size:
            raise ShapeError(f"{what} shares out an axis of size {shape[axis]} among {self.size} lanes", "The sizes must fit.")
        if tiled:
            x = lookup(np.reshape)(x, (*shape[:axis], self.size, shape[axis] // self.size, *shape[axis + 1:]))
        return lookup(np.take)(x, self.own(self.places), axis=axis)

    def scatter(self, x, dim, tiled):
        whole = self.sum(x)
        return self.piece(whole, normal_axis(dim, len(whole.shape)), tiled, "psum_scatter")

    def exchange(self, x, split, concat, tiled):
        rows = self.rows(x)
        ndim = len(rows.shape) - 1
        split, concat = normal_axis(split, ndim), normal_axis(concat, ndim)
        found = self.piece(rows, split + 1, tiled, "all_to_all")
        if not tiled:
            return lookup(np.moveaxis)(found, 0, concat)
        shape = found.shape[1:]
        laid = lookup(np.moveaxis)(found, 0, concat)
        return lookup(np.reshape)(laid, (*shape[:concat], self.size * shape[concat], *shape[concat + 1:]))


__all__ = ["Groups"]
