"""Values that have only moved to other places, by a window of a wider array: they are read where they come from.

    v = np.pad(x, (0, 6))[i:i + 6]                  s = np.sum(x[i:])
    s = np.sum(np.where(np.arange(6) < 6 - i, v, 0.0))

    pad_bar = np.zeros(12)
    pad_bar[i:i + 6] = v                            x_bar[i:] += v[:6 - i]
    x_bar = x_bar + pad_bar[:6]
"""

from typing import NamedTuple

from ...analysis.bounds import Linear
from ...core import Apply, Move, Update
from ...ops.index_templates import FULL, Window
from ...ops.op import TABLE
from .regions import Stretch


class Moved(NamedTuple):
    """A read that gives the part `region` of `value` at the places `places`, and zeros elsewhere; `array` is in between."""

    array: str
    value: str
    region: tuple
    places: tuple


def moved(facts, zero, uses, stmt):
    """The Moved of a getitem; None if it is none. zero(name): the region outside of which an array is 0, or None."""
    array, *rest = stmt.args
    store = stored_once(facts, uses, array, stmt)
    if rest or store is None or len(stmt.params["index"]) != len(store.index):
        return None
    nonzero = zero(store.value) or (None,) * len(store.index)
    places = []
    for entry, read, part, size in zip(store.index, stmt.params["index"], nonzero, facts.shape(array)):
        if entry == FULL and read == FULL:
            places.append(part)
            continue
        if not isinstance(entry, Window) or not isinstance(read, slice) or read.step not in (None, 1):
            return None
        first, last = read.indices(size)[:2]
        start = facts.form(store.args[entry.position])
        if start is None:
            return None
        lo, hi = part or (None, None)
        lo, hi = (start.plus(bound or Linear(end)).plus(Linear(first), -1) for bound, end in ((lo, 0), (hi, entry.length)))
        if not facts.is_at_least(lo, 0) or not facts.is_at_most(hi, last - first):
            return None
        places.append(stretch_of(lo, hi, last - first))
    return Moved(array, store.value, tuple(nonzero), tuple(places))


def unpadded(facts, stmt, region):
    """(array, region) that a getitem reads in a region, the array being one that has been padded; None where padding may be read."""
    made = facts.made.get(stmt.args[0])
    if made is None or made.op is not TABLE["pad"] or made.params["mode"] != "constant" or not facts.is_steady(made.args[0], made, stmt):
        return None
    index, shape, places = stmt.params["index"], facts.shape(made.args[0]), []
    if len(index) != len(shape):
        return None
    for entry, part, (before, after), size in zip(index, region, made.params["width"], shape):
        if entry == FULL and before == after == 0:
            places.append(part)
            continue
        start = facts.form(stmt.args[1 + entry.position]) if isinstance(entry, Window) else None
        if start is None:
            return None
        lo, hi = part or (None, None)
        lo, hi = (start.plus(bound or Linear(end)).plus(Linear(before), -1) for bound, end in ((lo, 0), (hi, entry.length)))
        if not facts.is_at_least(lo, 0) or not facts.is_at_most(hi, size):
            return None
        places.append(stretch_of(lo, hi, size))
    return made.args[0], tuple(places)


def stretch_of(lo, hi, size):
    """A Stretch of an axis; None for all of it."""
    lo, hi = None if lo == Linear(0) else lo, None if hi == Linear(size) else hi
    return Stretch(lo, hi) if lo or hi else None


def stored_once(facts, uses, array, reader):
    """The only Update of an array of zeros that nothing but it and `reader` reads, all in one block; else None."""
    binders = facts.binders.get(array, ())
    if len(binders) < 2 or uses[array] != 2 or type(binders[-1]) is not Update:
        return None
    made = binders[0]
    if type(made) is Move:
        made = facts.made.get(made.source)
    blocks = {facts.sites[id(s)].blocks for s in (*binders, reader)}
    alone = len(binders) == 2 and len(blocks) == 1 and facts.shape(binders[-1].value) != ()
    return binders[-1] if alone and type(made) is Apply and made.op is TABLE["zeros"] else None


__all__ = ["Moved", "moved", "unpadded"]
