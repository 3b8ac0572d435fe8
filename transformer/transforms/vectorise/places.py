"""Indices that take another element in each round, and the slices that take those of all rounds."""

from typing import NamedTuple

from ...analysis.bounds import Linear
from ...core import Hole
from ...ops.index_templates import FULL, Window


class Dependent(Exception):
    """The rounds of a loop are not known to be independent; the message says why."""


class Place(NamedTuple):
    """The entry of an index template in which the loop's index stands, as a linear form, and the slice of all rounds."""

    entry: int
    form: Linear
    slice: slice


def find_place(index, args, shape, forms, rounds):
    """The Place of an index template into an array of `shape`.

    Raises Dependent unless the index of the loop stands in one entry, before all axes that stay, and is in range in each round.
    """
    found = [k for k, e in enumerate(index) if isinstance(e, Hole | Window) and args[e.position] in forms]
    if len(found) != 1 or not isinstance(index[found[0]], Hole) or any(e is None or isinstance(e, slice | Window) for e in index[:found[0]]):
        raise Dependent("the index is not that of the first axis that stays")
    entry, = found
    form, size = forms[args[index[entry].position]], shape[entry]
    if None in shape:
        raise Dependent("a size is not known")
    if max(ends(form, rounds)) < 0:
        form = form.plus(Linear(size))
    if min(ends(form, rounds)) < 0 or max(ends(form, rounds)) >= size:
        raise Dependent("the index may be out of range")
    return Place(entry, form, as_slice(values(form, rounds), size))


def at_once(index, args, place):
    """An index template and its operands with the slice of all rounds in the place of the loop's index."""
    gone = index[place.entry].position
    moved = [e._replace(position=e.position - (e.position > gone)) if isinstance(e, Hole | Window) else e for e in index]
    moved[place.entry] = place.slice
    return tuple(moved), tuple(a for k, a in enumerate(args) if k != gone)


def values(form, rounds):
    """The values of a form, round by round, as a range."""
    factor = form.terms[0][1]
    first, step = form.constant + factor * rounds.start, factor * rounds.step
    return range(first, first + step * len(rounds), step)


def ends(form, rounds):
    found = values(form, rounds)
    return found[0], found[-1]


def as_slice(positions, size):
    """A range of positions of an axis as a canonical slice."""
    step = positions.step if len(positions) > 1 else 1
    if step > 0:
        stop = min(size, positions[-1] + 1 if step == 1 else positions[-1] + step)
        return FULL if (positions[0], stop, step) == (0, size, 1) else slice(positions[0], stop, step)
    return slice(positions[0], positions[-1] - 1 if positions[-1] else None, step)


__all__ = ["Dependent", "Place", "as_slice", "at_once", "ends", "find_place", "values"]
