"""What takes its items one at a time from an iterable, for generators: plain Python, entered as a user's functions are.

An item is asked for when Python asks for it, so that what a generator does, and what its consumer does in between, keeps its order.
"""

import itertools
import operator

END = object()


def numbered(iterable, start=0):
    number = start
    for item in iterable:
        yield number, item
        number += 1


def zipped(*iterables):
    iterators = [iter(values) for values in iterables]
    going = bool(iterators)
    while going:
        row = []
        for values in iterators:
            item = next(values, END)
            if item is END:
                return
            row.append(item)
        yield tuple(row)


def zipped_with(generator, before, after, lengths):
    """zip of one generator with the iterables around it, whose rows are `before[k]` and `after[k]`; lengths: of both, None where they never end."""
    first, last = lengths
    number = 0
    if first is not None and first <= 0:
        return
    for item in generator:
        if last is not None and number >= last:
            return
        yield *before[number], item, *after[number]
        number += 1
        if first is not None and number >= first:
            return


def mapped(function, *iterables):
    for items in zip(*iterables):
        yield function(*items)


def starmapped(function, iterable):
    for items in iterable:
        yield function(*items)


def filtered(function, iterable):
    for item in iterable:
        if item if function is None else function(item):
            yield item


def rejected(function, iterable):
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def sliced(iterable, *bounds):
    start, stop, step = bounds_of(*bounds)
    number = 0
    if stop is not None and stop <= 0:
        return
    for item in iterable:
        if number >= start and (number - start) % step == 0:
            yield item
        number += 1
        if stop is not None and number >= stop:
            return


def bounds_of(*bounds):
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return start or 0, stop, step or 1


def taken_while(function, iterable):
    for item in iterable:
        if not function(item):
            return
        yield item


def dropped_while(function, iterable):
    dropping = True
    for item in iterable:
        dropping = dropping and function(item)
        if not dropping:
            yield item


def chained(*iterables):
    for values in iterables:
        yield from values


def chained_from(iterable):
    for values in iterable:
        yield from values


def accumulated(iterable, function=operator.add, *, initial=None):
    values = iter(iterable)
    total = next(values, END) if initial is None else initial
    if total is END:
        return
    yield total
    for item in values:
        total = function(total, item)
        yield total


def pairs(iterable):
    values = iter(iterable)
    left = next(values, END)
    for item in values:
        yield left, item
        left = item


def total(iterable, start=0):
    for item in iterable:
        start = start + item
    return start


def counted(sequence):
    """The items of an object that has them at 0, 1, 2... and raises IndexError at the end."""
    number = 0
    while True:
        try:
            item = sequence[number]
        except IndexError:
            return
        yield item
        number += 1


def stepped(iterator):
    """The items that an object with a `__next__` gives."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


LAZY = {enumerate: numbered, map: mapped, filter: filtered, sum: total, zip: zipped, itertools.islice: sliced, itertools.takewhile: taken_while,
        itertools.dropwhile: dropped_while, itertools.chain: chained, itertools.chain.from_iterable: chained_from,
        itertools.accumulate: accumulated, itertools.starmap: starmapped, itertools.filterfalse: rejected, itertools.pairwise: pairs}
"""Function -> its counterpart here."""

__all__ = ["LAZY", "counted", "stepped", "total", "zipped_with"]
