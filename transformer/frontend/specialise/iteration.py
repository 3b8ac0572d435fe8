"""Iterables with an abstract index: ranges, rows of arrays, and what enumerate, zip and reversed make of them."""

import numpy as np

from ...errors import NeedStatic, TransformError, TypeMismatch
from ..ragged import is_ragged
from ..reference import is_reference


class Items:
    """An iterable with an abstract index: `length` (int or reference; None: it never ends), `item(i)`, `sources` (what its items come from), and
    `bounds` for range itself."""

    def __init__(self, length, item, sources, bounds=None):
        self.length, self.item, self.sources, self.bounds = length, item, sources, bounds

    def reversed(self):
        if self.bounds is not None:
            lo, hi, step = self.bounds
            if step in (1, -1):
                return items_of_range(hi - step, lo - step, -step)
        last = self.length - 1
        return Items(self.length, lambda i: self.item(last - i), self.sources)

    def after(self, position):
        """The items from a position on."""
        length = None if self.length is None else np.maximum(self.length - position, 0) if is_reference(self.length) else max(self.length - position, 0)
        if self.bounds is not None:
            lo, hi, step = self.bounds
            return Items(length, self.at(position), self.sources, (lo + position * step, hi, step))
        return Items(length, self.at(position), self.sources)

    def at(self, position):
        return lambda i: self.item(position + i)

    def decided(self):
        """The same with numbers for a length and bounds whose values are known."""
        if self.bounds is not None and all(map(is_known, self.bounds)):
            return items_of_range(*(int(b.known) if is_reference(b) else b for b in self.bounds))
        return Items(int(self.length.known), self.item, self.sources) if is_reference(self.length) and is_known(self.length) else self

    def __iter__(self):
        if is_reference(self.length):
            raise NeedStatic(self.length, "the number of iterations")
        if self.bounds is not None and not any(map(is_reference, self.bounds)):
            return iter(range(*self.bounds))
        return (self.item(i) for i in range(self.length))

    def __len__(self):
        return int(self.length)


class Listed:
    """Items that come from lists, as they are when their round comes: the lists may change in between. item(i) takes abstract positions, too."""

    def __init__(self, lists, item):
        self.lists, self.item = lists, item

    def __len__(self):
        return min(map(len, self.lists))

    def __getitem__(self, positions):
        return [self.item(i) for i in range(*positions.indices(len(self)))]


class Numbered:
    """The items of a list with their numbers, as they are when their round comes: the list may change in between."""

    def __init__(self, items, start):
        self.items, self.start = items, start

    def __iter__(self):
        return enumerate(self.items, self.start)


def is_known(value):
    return not is_reference(value) or value.known is not None


def items_of_range(lo, hi, step=1):
    if not any(map(is_reference, (lo, hi))):
        return Items(len(range(lo, hi, step)), lambda i: lo + i * step, (), (lo, hi, step))
    for bound in (lo, hi):
        if is_reference(bound) and bound.dtype.kind not in "biu":
            raise TypeMismatch(f"a bound of a range is {bound.dtype}", "Convert it with int(...) first.")
    length = (hi - lo + (step - (1 if step > 0 else -1))) // step
    return Items(np.maximum(length, 0), lambda i: lo + i * step, (), (lo, hi, step))


def as_items(value):
    """`value` as Items if it can be iterated over with an abstract index, else None."""
    if isinstance(value, Items):
        return value
    if isinstance(value, range):
        return items_of_range(value.start, value.stop, value.step)
    if is_ragged(value):
        return Items(value.shape[0], lambda i: value[i], (value,))
    if is_reference(value) or isinstance(value, np.ndarray):
        if value.ndim == 0:
            raise TransformError("a scalar cannot be iterated over", "Only arrays with at least one axis can.")
        progression = arithmetic(value)
        return progression or Items(len(value), lambda i: value[i], (value,))
    return None


def arithmetic(value):
    """A static integer array 0, 1, 2... is a range."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iu" and len(value) > 1:
        step = int(value[1]) - int(value[0])
        if step and np.array_equal(value, value[0] + step * np.arange(len(value))):
            return items_of_range(int(value[0]), int(value[0]) + step * len(value), step)
    return None
