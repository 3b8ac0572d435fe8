"""Iterators: what they go through and how far they are. `next` moves one on, and so does a loop; the position is a value like any other, which
branches merge and loops carry.

    it = iter([1.0, 2.0, 3.0])
    for i in range(3):
        s += x[i] * next(it)        the item at an abstract position
"""

import itertools

import numpy as np

from ...errors import TransformError, ValueDependent
from ..reference import is_reference
from . import alternatives, branches, expressions, special_methods
from .iteration import Items, Listed, as_items
from .state import Undefined

LIMIT = 1_000_000
"""Items that an iterator of the standard library may give."""
VIEWS = (type({}.items()), type({}.values()))
NATIVE = {"builtins", "itertools"}


class Cursor:
    """An iterator over a list or `Items`; Items without a length never end."""

    def __init__(self, ev, source):
        self.ev, self.source, self.position = ev, source, 0

    def __iter__(self):
        return self

    def __next__(self):
        position, length = known(self.settled()), known(self.length)
        if length is not None and position >= length:
            raise StopIteration
        self.position = position + 1
        return self.item(position)

    @property
    def is_listed(self):
        return isinstance(self.source, list | Listed)

    @property
    def length(self):
        return len(self.source) if self.is_listed else self.source.length

    @property
    def is_endless(self):
        return self.length is None

    def item(self, position):
        return item_of(self.ev, self.source, position)

    def settled(self):
        if isinstance(self.position, Undefined):
            raise ValueDependent(self.position.reason, "Make a new iterator, or index the array or list.")
        return self.position

    def lose(self):
        """After a loop that leaves it somewhere, depending on values."""
        self.position = Undefined("how far an iterator is depends on array values: a loop over it ends early")

    def rest(self):
        """What is left, as a list or Items; nothing is left afterwards."""
        position = known(self.settled())
        if self.is_endless:
            self.lose()
        else:
            self.position = self.length
        if self.is_listed:
            return self.source[position:]
        return self.source if position == 0 else self.source.after(position)


def item_of(ev, source, position):
    """An item of a list or of `Items`."""
    if not isinstance(source, list):
        return source.item(position)
    return alternatives.pick(ev, source, position, None) if is_reference(position) else source[position]


def made(ev, source, make, behind=()):
    """Items of what `make` makes of the items of a list or of others, when their round comes. behind: what else they come from."""
    if isinstance(source, list | Listed):
        return Listed((source,), lambda i: make(item_of(ev, source, i)))
    return Items(source.length, lambda i: make(source.item(i)), (source, *behind))


def by_position(ev, value):
    """The items of an array, a range or of a dict's views by position; None of others."""
    if not isinstance(value, VIEWS):
        return value if isinstance(value, Listed) else items_of(ev, value)
    keys, held = list(value.mapping), value.mapping
    pick = (lambda key: (key, held[key])) if isinstance(value, VIEWS[0]) else lambda key: held[key]
    return Listed((keys,), lambda i: item_of(ev, [pick(key) for key in keys], i) if is_reference(i) else pick(keys[i]))


def known(number):
    if is_reference(number):
        raise ValueDependent("how far an iterator is depends on array values", "Index the array or list instead.")
    return number


def cursor(ev, value):
    """The iterator over a list, an array, a range, Items or another iterable."""
    if isinstance(value, Cursor):
        return value
    value = ev.items(value)
    return Cursor(ev, value if type(value) is list else list(value) if (items := by_position(ev, value)) is None else items)


def items_of(ev, value):
    """`as_items`, of a static array as it is when an item is asked for: it may be stored into in between."""
    items = as_items(value)
    if isinstance(value, np.ndarray) and items.bounds is None:
        return Items(items.length, lambda i: ev.seen(value)[i], items.sources)
    return items


def iter_(ev, value, *sentinel):
    if sentinel:
        raise TransformError("iter() with a sentinel calls a function until it gives that", "Write it as a while loop.")
    from .generators import Generator
    found = special_methods.enter(ev, value, "iter")
    value = value if found is NotImplemented else found
    if special_methods.method(value, "next"):
        return value
    value = special_methods.items(ev, value)
    return value if isinstance(value, Generator) else cursor(ev, checked(ev, value))


def next_(ev, value, *default):
    """`next(value)`: its item, and one step on."""
    try:
        found = special_methods.converted(ev, next, (value,))
    except StopIteration:
        if not default:
            raise
        found = default[0]
    if found is not NotImplemented:
        return found
    if not isinstance(value, Cursor):
        return next(checked(ev, value), *default)
    position, length = value.settled(), value.length
    if not is_reference(position) and not is_reference(length):
        return next(value, *default)
    if length is None or not default:
        value.position = position + 1
        return value.item(position)

    def further():
        value.position = position + 1
        return value.item(position)
    test = branches.truth(ev, position < length, None)
    if isinstance(test, bool):
        return further() if test else default[0]
    return branches.choose(ev, test, further, lambda: default[0], None)


def checked(ev, value):
    """Refuse to move on an iterator from outside: all that are made inside are cursors."""
    if is_native(value):
        raise ev.error("an iterator from outside is read: it would be moved on once, while transforming",
                       "Pass a list or an array, or make the iterator inside of the function.")
    return value


def is_native(value):
    """Whether a value is an iterator of Python or the standard library, or a generator."""
    return type(value).__module__ in NATIVE and hasattr(type(value), "__next__")


def kept(ev, result):
    """What a native function gives; for an iterator, a cursor over its items."""
    if not is_native(result):
        return result
    if isinstance(result, itertools.groupby):
        result = ((key, Cursor(ev, list(group))) for key, group in result)
    items = list(itertools.islice(result, LIMIT + 1))
    if len(items) > LIMIT:
        raise TransformError(f"an iterator gives more than {LIMIT} items", "Does it end? Bound it with itertools.islice.")
    return Cursor(ev, items)


def whole(ev, value):
    """All that is left in a cursor, as a list or Items."""
    if value.is_endless:
        raise ev.error("an iterator that never ends is read to its end", "Bound it with itertools.islice, or zip it with what ends.")
    return value.rest()


def count(ev, start=0, step=1):
    return Cursor(ev, Items(None, lambda k: start + k * step, (start, step)))


def cycle(ev, values):
    values = expressions.iterate(ev, values)
    over = Cursor(ev, values)
    return Cursor(ev, Items(None, lambda k: over.item(k % len(values)), (values,))) if values else over


def repeat(ev, value, times=None):
    return Cursor(ev, Items(times, lambda k: value, (value,)))


ITERATORS = {iter: iter_, next: next_, itertools.count: count, itertools.cycle: cycle, itertools.repeat: repeat}

__all__ = ["ITERATORS", "Cursor", "checked", "cursor", "is_native", "kept", "whole"]
