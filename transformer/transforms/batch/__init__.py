"""Batching: a program over arrays with one more axis, the lanes, as a person would write it.

    def layer(w, x):                        def layer_batched(w, x):            in_axes=(None, 0)
        return np.tanh(w @ x)                   return np.tanh(x @ w.T)

    def root(x):                            def root_batched(x):
        if x > 0:                               test = x > 0
            return np.sqrt(x)                   x_safe = np.where(test, x, 1)
        return 3 * x                            return np.where(test, np.sqrt(x_safe), 3 * x)

    while error > 1e-6: ...                 while np.any(error > 1e-6): ...     finished lanes keep what they have

`analysis` finds the names that differ from lane to lane and the blocks that only some lanes execute, `remedies` says how an
operation is kept from harm in lanes that stay out, `lanes` makes masks and operands, `indexing` batches indices, `tapes` places
the batch axis of tapes, `statements` batches operations, stores and effects, `control` branches and loops.
"""

import numpy as np

from ...axes import batching
from ...core import Aval, is_name
from ...errors import ShapeError, TransformError
from ...ops.op import TABLE, lookup
from .analysis import Analysis
from .control import Control


def batch(program, in_axes, out_axes, size, axis_name=None):
    """The program that computes `size` lanes at once.

    in_axes: for every parameter the position of its batch axis (None: the same for all lanes); out_axes: likewise for every
    output (an output that does not differ is repeated; None where it must not differ). axis_name: collectives over that name become
    operations on the batch axis.
    """
    names = [p for p, axis in zip(program.params, in_axes, strict=True) if axis is not None]
    control = Control(program, size, Analysis(program, names, axis_name))
    with control.builder, batching(axis_name):
        enter(control, in_axes)
        for target in control.block(program.body, control.analysis.top):
            control.bound.add(target)
        outputs = [leave(control, atom, axis) for atom, axis in zip(program.outputs, out_axes, strict=True)]
        return control.finish([control.atom(o) for o in outputs])


def enter(control, in_axes):
    """Parameters: the batch axis is moved to the front; what is stored into per lane is repeated."""
    for name, axis in zip(control.source.params, in_axes):
        aval, whole = control.source.avals[name], control.batched_aval(name)
        control.owner[name] = control.analysis.top
        if axis is None and name not in control.analysis.batched or axis == 0:
            control.movable.add(name)
            continue
        if axis is None:
            control.builder.avals[name] = aval
            value = lookup(np.copy)(control.emit(TABLE["broadcast_to"], control.ref(name), shape=whole.shape))
        else:
            at = normal(axis, len(whole.shape), f"in_axes of {name}")
            shape = (*aval.shape[:at], control.size, *aval.shape[at:])
            control.builder.avals[name] = Aval(shape, aval.dtype)
            value = moved(control, name, at, 0)
        start = control.start() - 1
        control.current[name] = control.place[name] = control.bind(control.fresh(name, whole), value, start)


def normal(axis, ndim, what):
    if not -ndim <= axis < ndim:
        raise ShapeError(f"{what} is {axis}, out of range for an array of {ndim} axes", "Axes count from 0, or from -1 backwards.")
    return axis + ndim if axis < 0 else axis


def moved(control, atom, source, destination):
    """An atom with its axis `source` moved to `destination`."""
    ndim = len(control.builder.aval(atom).shape)
    order = [k for k in range(ndim) if k != source]
    order.insert(destination, source)
    if order == list(range(ndim)):
        return control.ref(atom)
    return control.emit(TABLE["transpose"], control.ref(atom), axes=tuple(order))


def leave(control, atom, axis):
    """An output with its batch axis at `axis`."""
    batched, lane = control.batched(atom), control.source.aval(atom)
    if axis is None:
        if batched:
            raise ShapeError(f"an output of {control.source.name} differs from lane to lane, but its out_axes is None",
                                 "Give the position of its batch axis in out_axes, usually 0.")
        return control.value(atom)
    at = normal(axis, len(lane.shape) + 1, "out_axes")
    if batched:
        return moved(control, control.now(atom), 0, at)
    shape = (*lane.shape[:at], control.size, *lane.shape[at:])
    value = control.value(atom)
    if not is_name(atom) and np.ndim(atom) == 0:
        return control.full(atom, Aval(shape, lane.dtype), False)
    if at:
        value = control.emit(TABLE["expand_dims"], value, axis=(at,))
    return control.emit(TABLE["broadcast_to"], value, shape=shape)


__all__ = ["batch"]
