"""Collectives: ops that exchange values between the devices of `pmap` and `shard_map`, or between the lanes of `vmap`.

Each names one axis (`axis`) and knows its `size`. A batch over that very axis turns it into an operation on the batch axis, by the rule
`lanes(size, x, ...)`: `x` holds one value per lane along its first axis. `collective` tells whether the result is the "same" on all
lanes or "differs". On devices it becomes a collective of XLA among the replicas that differ in that axis alone.
"""

import numpy as np

from .. import axes
from ..core import Aval
from ..errors import ShapeError
from .batching import batched_along
from .op import TABLE, op


def refuse(x=None, axis=None, **params):
    """These ops cannot run on NumPy alone."""
    raise axes.unbound(axis)


def same(x, **params):
    return Aval(x.shape, x.dtype)


def scaled_axis(x, axis, numerator, denominator):
    """The shape of `x` with one size multiplied by numerator / denominator."""
    shape = list(x.shape)
    if shape[axis] is not None:
        shape[axis] = shape[axis] * numerator // denominator
    return tuple(shape)


def notation(name, *keys):
    """How a collective prints: `lax.all_gather({0}, 'dev', axis=1)`."""
    def write(*avals, **params):
        extra = "".join(f", {k}={params[k]!r}" for k in keys)
        return f"lax.{name}({'{0}, ' if avals else ''}{params['axis']!r}{extra})"
    return write


# lowering -------------------------------------------------------------------------------------------------
def groups(hlo, axis):
    """The attribute that says which replicas exchange values."""
    rows = rows_of(hlo, axis)
    return f"replica_groups = dense<{rows.tolist()}> : tensor<{rows.shape[0]}x{rows.shape[1]}xi64>"


def rows_of(hlo, axis):
    """The replicas along an axis, one row per group."""
    names, sizes = list(hlo.mesh), tuple(hlo.mesh.values())
    if axis not in names:
        raise axes.unbound(axis)
    return np.moveaxis(np.arange(np.prod(sizes, dtype=int)).reshape(sizes), names.index(axis), -1).reshape(-1, hlo.mesh[axis])


def combiner(hlo, kind, dtype):
    return hlo.region([((), dtype)] * 2, lambda a, b: [hlo.op(kind, [a, b], (), dtype)], isolated=True)


def all_reduce(hlo, x, axis, kind):
    return hlo.op("all_reduce", [x], x.shape, x.dtype, groups(hlo, axis), [combiner(hlo, kind, x.dtype)])


# reductions -------------------------------------------------------------------------------------------------
@op(linear="jointly")
class psum:
    """The sum of a value over an axis."""

    impl, infer, notation, batch = refuse, same, notation("psum"), batched_along("psum")
    collective = "same"

    def lanes(size, x, axis):
        return total(x)

    def lower(hlo, out, x, axis, size):
        return all_reduce(hlo, x, axis, "add")

    def vjp(g, x, out, axis, size):
        return TABLE["psum"].bind(g, axis=axis, size=size)


def total(x):
    """The sum over the lanes in the dtype of the values."""
    return np.sum(x, axis=0) if x.dtype.kind in "fc" else np.sum(x, axis=0, dtype=x.dtype)


def shared(out, x, axis, size):
    """Each lane's part of an extremum: lanes that hold it share it evenly."""
    holds = (x == out).astype(x.dtype)
    return holds / TABLE["psum"].bind(holds, axis=axis, size=size)


def extremum_vjp(g, x, out, axis, size):
    return TABLE["psum"].bind(g, axis=axis, size=size) * shared(out, x, axis, size)


def extremum_jvp(dots, x, out, axis, size):
    return TABLE["psum"].bind(dots[0] * shared(out, x, axis, size), axis=axis, size=size)


@op()
class pmax:
    """The largest value over an axis."""

    impl, infer, notation, batch = refuse, same, notation("pmax"), batched_along("pmax")
    vjp, jvp = extremum_vjp, extremum_jvp
    collective = "same"

    def lanes(size, x, axis):
        return np.max(x, axis=0)

    def lower(hlo, out, x, axis, size):
        return all_reduce(hlo, x, axis, "maximum")


@op()
class pmin:
    """The smallest value over an axis."""

    impl, infer, notation, batch = refuse, same, notation("pmin"), batched_along("pmin")
    vjp, jvp = extremum_vjp, extremum_jvp
    collective = "same"

    def lanes(size, x, axis):
        return np.min(x, axis=0)

    def lower(hlo, out, x, axis, size):
        return all_reduce(hlo, x, axis, "minimum")


# exchange -----------------------------------------------------------------------------------------------------
@op(linear="jointly")
class all_gather:
    """The values of all lanes, laid end to end along `dim`."""

    impl, batch = refuse, batched_along("all_gather", "dim")
    collective = "same"

    def notation(x, axis, size, dim):
        return f"lax.all_gather({{0}}, {axis!r}, axis={dim}, tiled=True)"

    def infer(x, axis, size, dim):
        return Aval(scaled_axis(x, dim, size, 1), x.dtype)

    def lanes(size, x, axis, dim):
        return np.moveaxis(x, 0, dim).reshape(scaled_axis(x[0], dim, size, 1))

    def lower(hlo, out, x, axis, size, dim):
        return hlo.op("all_gather", [x], out.shape, x.dtype, f"all_gather_dim = {dim} : i64, {groups(hlo, axis)}")

    def vjp(g, x, out, axis, size, dim):
        return TABLE["psum_scatter"].bind(g, axis=axis, size=size, dim=dim)


@op(linear="jointly")
class psum_scatter:
    """The sum over an axis, of which each lane keeps its block along `dim`."""

    impl, batch = refuse, batched_along("psum_scatter", "dim")
    collective = "differs"

    def notation(x, axis, size, dim):
        return f"lax.psum_scatter({{0}}, {axis!r}, scatter_dimension={dim}, tiled=True)"

    def infer(x, axis, size, dim):
        check_divides(x, dim, size, "psum_scatter")
        return Aval(scaled_axis(x, dim, 1, size), x.dtype)

    def lanes(size, x, axis, dim):
        whole = total(x)
        return np.moveaxis(whole.reshape(in_blocks(whole.shape, dim, size)), dim, 0)

    def lower(hlo, out, x, axis, size, dim):
        return hlo.op("reduce_scatter", [x], out.shape, x.dtype, f"scatter_dimension = {dim} : i64, {groups(hlo, axis)}",
                      [combiner(hlo, "add", x.dtype)])

    def vjp(g, x, out, axis, size, dim):
        return TABLE["all_gather"].bind(g, axis=axis, size=size, dim=dim)


@op(linear="jointly")
class all_to_all:
    """Every lane sends block k along `split` to lane k, and lays what it gets end to end along `concat`."""

    impl, batch = refuse, batched_along("all_to_all", "split", "concat")
    collective = "differs"

    def notation(x, axis, size, split, concat):
        return f"lax.all_to_all({{0}}, {axis!r}, {split}, {concat}, tiled=True)"

    def infer(x, axis, size, split, concat):
        check_divides(x, split, size, "all_to_all")
        apart = Aval(scaled_axis(x, split, 1, size), x.dtype)
        return Aval(scaled_axis(apart, concat, size, 1), x.dtype)

    def lanes(size, x, axis, split, concat):
        blocks = x.reshape((size, *in_blocks(x.shape[1:], split, size)))
        blocks = np.moveaxis(blocks, 1 + split, 0)
        shape = scaled_axis(blocks[0, 0], concat, size, 1)
        return np.moveaxis(blocks, 1, 1 + concat).reshape((size, *shape))

    def lower(hlo, out, x, axis, size, split, concat):
        attrs = f"split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = {size} : i64, {groups(hlo, axis)}"
        return hlo.op("all_to_all", [x], out.shape, x.dtype, attrs)

    def vjp(g, x, out, axis, size, split, concat):
        return TABLE["all_to_all"].bind(g, axis=axis, size=size, split=concat, concat=split)


@op(linear="jointly")
class ppermute:
    """The value of another lane: `perm` holds pairs (source, destination); a lane without a source gets zeros."""

    impl, infer, notation, batch = refuse, same, notation("ppermute", "perm"), batched_along("ppermute")
    collective = "differs"

    def lanes(size, x, axis, perm):
        source = dict((d, s) for s, d in perm)
        order = np.array([source.get(k, 0) for k in range(size)])
        shift = int(-order[0]) % size
        if len(source) == size and np.array_equal(order, (np.arange(size) - shift) % size):
            return np.roll(x, shift, axis=0)
        if len(source) == size:
            return x[order]
        got = np.array([k in source for k in range(size)]).reshape(size, *(1,) * (x.ndim - 1))
        return np.where(got, x[order], x.dtype.type(0))

    def lower(hlo, out, x, axis, size, perm):
        pairs = [(int(row[s]), int(row[d])) for row in rows_of(hlo, axis) for s, d in perm]
        attrs = f"source_target_pairs = dense<{list(map(list, pairs)) if pairs else ''}> : tensor<{len(pairs)}x2xi64>"
        return hlo.op("collective_permute", [x], x.shape, x.dtype, attrs)

    def vjp(g, x, out, axis, size, perm):
        return TABLE["ppermute"].bind(g, axis=axis, size=size, perm=tuple((d, s) for s, d in perm))


@op(differentiable=False)
class axis_index:
    """The number of the lane or device along an axis."""

    impl, notation = refuse, notation("axis_index")
    collective = "differs"

    def infer(axis, size):
        return Aval((), np.dtype(np.int64))

    def lanes(size, axis):
        return TABLE["constant"].emit(value=np.arange(size))

    def lower(hlo, out, axis, size):
        names = list(hlo.mesh)
        if axis not in names:
            raise axes.unbound(axis)
        stride = int(np.prod([hlo.mesh[n] for n in names[names.index(axis) + 1:]], dtype=int))
        number = hlo.convert(hlo.op("replica_id", [], (), np.dtype(np.uint32)), np.int64)
        return hlo.remainder(hlo.divide(number, hlo.constant(stride, np.int64)), hlo.constant(size, np.int64))


def in_blocks(shape, dim, size):
    """A shape with the axis `dim` cut in `size` blocks."""
    return (*shape[:dim], size, shape[dim] // size, *shape[dim + 1:])


def check_divides(x, dim, size, what):
    if x.shape[dim] % size:
        raise ShapeError(f"{what} splits axis {dim} of size {x.shape[dim]} in {size} blocks", "The number of lanes must divide the size.")
