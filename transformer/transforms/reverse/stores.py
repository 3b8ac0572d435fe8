"""The cotangents of a store `A[index] = value`."""

import numpy as np

from ...core import Hole, Update, is_name
from ...ops import index_templates as templates
from ...ops.op import TABLE


def pull_back(sweep, stmt):
    """`value_bar = A_bar[index]; A_bar[index] = 0`; a store of mode "add" leaves A_bar."""
    name = stmt.target
    if name not in sweep.active or sweep.bars.get(name).atom is None:
        return
    wanted = is_name(stmt.value) and stmt.value in sweep.active
    if templates.is_identity(stmt.index):
        return pull_back_whole(sweep, stmt, wanted)
    args = tuple(map(sweep.value, stmt.args))
    if wanted:
        start = sweep.start()
        bar = at_mask(sweep, stmt, args)
        if bar is None:
            bar = read(sweep, sweep.bars.get(name).atom, args, stmt.index)
        if stmt.mode == "set":
            bar = last_writers(sweep, bar, stmt, args)
        given = sweep.atom(bar)
    if stmt.mode == "set":
        zero = sweep.builder.avals[name].dtype.type(0).item()
        sweep.builder.add(Update(sweep.bars.own(name), stmt.index, args, zero))
    if wanted:
        sweep.bars.add(stmt.value, sweep.ref(given), start)


def pull_back_whole(sweep, stmt, wanted):
    """A store into the whole array: its cotangent goes to the value as it is."""
    bar = sweep.bars.get(stmt.target).atom
    if stmt.mode == "set":
        sweep.bars.pop(stmt.target)
    else:
        sweep.bars.put(stmt.target, sweep.bars.get(stmt.target)._replace(owned=False))
    if wanted:
        sweep.bars.add(stmt.value, sweep.ref(bar), sweep.start())


def read(sweep, name, args, index):
    return sweep.builder.emit(TABLE["getitem"], [sweep.ref(a) for a in (name, *args)], {"index": index})


def at_mask(sweep, stmt, args):
    """`np.where(mask, A_bar, 0)` for the store of one value at all places of a mask: no array of unknown length; None for other stores."""
    index, ndim = stmt.index, len(sweep.builder.aval(stmt.value).shape)
    masks = [k for k, e in enumerate(index) if isinstance(e, Hole) and sweep.builder.aval(args[e.position]).dtype == bool]
    if len(masks) != 1 or not all(isinstance(e, slice | int) for k, e in enumerate(index) if k not in masks):
        return None
    place, = masks
    mask = sweep.ref(args[index[place].position])
    behind = sum(isinstance(e, slice) for e in index[place + 1:])
    if ndim > (behind if all(isinstance(e, slice) for k, e in enumerate(index) if k != place) else 0):
        return None
    whole = (*index[:place], *(slice(None),) * mask.ndim, *index[place + 1:])
    bar = sweep.ref(sweep.bars.get(stmt.target).atom)
    part = bar if templates.is_identity(whole) else read(sweep, sweep.bars.get(stmt.target).atom, (), whole)
    return np.where(np.reshape(mask, (*mask.shape, *(1,) * behind)) if behind else mask, part, 0)


def last_writers(sweep, bar, stmt, args):
    """The cotangent of the value of a store whose index may repeat: only the last writer of an element gets it."""
    avals = [sweep.builder.aval(a) for a in args]
    arrays = [e for e in stmt.index if templates.is_array(e, avals)]
    if not arrays or any(avals[e.position].dtype == bool for e in arrays) or are_distinct(sweep, stmt, arrays):
        return bar
    aval = sweep.builder.avals[stmt.target]
    shape = templates.result_shape(stmt.index, aval.shape, avals)
    order = np.reshape(sweep.builder.constant(np.arange(int(np.prod(shape)))), shape)
    writers = sweep.emit(TABLE["zeros"], shape=aval.shape, dtype=np.dtype(np.int64))
    name = sweep.atom(writers)
    sweep.builder.add(Update(name, stmt.index, args, sweep.atom(order)))
    return np.where(read(sweep, name, args, stmt.index) == order, bar, 0)


def are_distinct(sweep, stmt, arrays):
    """Whether the index arrays are known and name no element twice."""
    known = [sweep.values.known(stmt.args[e.position]) for e in stmt.index if isinstance(e, Hole) and e in arrays]
    if len(known) != 1 or known[0] is None:
        return False
    size = sweep.builder.avals[stmt.target].shape[stmt.index.index(arrays[0])] if None not in stmt.index else None
    places = known[0] if size is None else np.where(known[0] < 0, known[0] + size, known[0])
    return len(np.unique(places)) == known[0].size and (size is not None or bool((known[0] >= 0).all()))
