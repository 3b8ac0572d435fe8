"""Values that are no arrays and depend on a condition: `f = np.sin if x > 0 else np.cos`, `mode = "a" if x > 0 else "b"`, None or a name.

Such a value is one of several that are known, and a number in the program says which. What uses it is evaluated for each of them, under
conditions on the number; a comparison is a comparison of the number.
"""

import enum
import functools
import types

import numpy as np

from ...errors import TransformError, UnknownKey, ValueDependent
from ..reference import is_reference
from . import branches, calls, expressions
from .leaves import blank
from .state import is_numeric

LIMIT = 16
"""Number of values that a use is evaluated for."""
KINDS = (str, bytes, type(None), types.FunctionType, types.BuiltinFunctionType, np.ufunc, type, enum.Enum)


NUMBER = object()
"""The option that is a number or an array: its value is the choice's own."""


class Choice:
    """options[number], where `number` is abstract; `value` stands for the option NUMBER, if it is one."""

    __transformer_opaque__ = True

    def __init__(self, ev, options, number, value=None):
        self.ev, self.options, self.number, self.value = ev, options, number, value

    def frame_values(self):
        return [self.number, self.value]

    def __transformer_truth__(self):
        return self.holds(lambda one: one != 0 if is_numeric(one) else bool(one))

    def holds(self, test):
        """Whether the option at hand passes a test: True, False or an abstract boolean."""
        passed = [test(self.option(k)) for k in range(len(self.options))]
        if all(one is passed[0] for one in passed) and isinstance(passed[0], bool):
            return passed[0]
        cases = [self.number == k if one is True else np.logical_and(self.number == k, one) for k, one in enumerate(passed) if one is not False]
        found = functools.reduce(np.logical_or, cases)
        passing, failing = (frozenset(k for k, one in enumerate(passed) if one is not other) for other in (False, True))
        self.ev.meanings[key_of(found)] = (key_of(self.number), passing, failing)
        return found

    def left(self):
        """The positions of the options that the conditions around leave."""
        found = set(range(len(self.options)))
        for number, possible in self.ev.assumed:
            if number == key_of(self.number):
                found = found & possible
        return sorted(found) or [0]

    def narrowed(self):
        """The option, if the conditions around leave one."""
        found = self.left()
        return self if len(found) > 1 else self.option(found[0])

    def option(self, k):
        return self.value if self.options[k] is NUMBER else self.options[k]

    def kinds(self):
        """The kinds of its options, in words."""
        return " or ".join(sorted({branches.kind_of(self.option(k)) for k in range(len(self.options))}))

    def use(self, ev, function, node):
        """The value of function(option); an error that one of them raises is raised by the program, where it is that one."""
        def one(k):
            try:
                return function(self.option(k))
            except (TypeError, ValueError, LookupError, AttributeError) as error:
                if isinstance(error, TransformError):
                    raise
                from .failures import deliver
                deliver(ev, error)

        def at(k, *more):
            return branches.choose(ev, self.number == k, lambda: one(k), lambda: at(*more), node) if more else one(k)
        return at(*self.left())

    def refuse(self, *_):
        raise undecided()

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mul__ = __rmul__ = __mod__ = __rmod__ = refuse
    __iter__ = __getitem__ = __len__ = __contains__ = __int__ = __float__ = __index__ = __str__ = __format__ = __bool__ = __eq__ = refuse

    def __hash__(self):
        raise UnknownKey("the key of a dict, or an element of a set, depends on a condition on array values",
                         "Use it as a key on both sides of the condition.")


def undecided(origin=None):
    return ValueDependent("what is no number depends on array values", "Do on both sides of the condition what it is needed for.", origin)


def inside(values):
    """Whether a choice is among values, or in a list, tuple or dict among them."""
    return any(isinstance(v, Choice) or isinstance(v, list | tuple | dict) and inside(v.values() if isinstance(v, dict) else v) for v in values)


def key_of(ref):
    return ref.storage, ref.path_key()


def joined_test(ev, found, first, stop_at):
    """Note what `first and ...` (stop_at False) or `first or ...`, whose value is `found`, says of the options that `first` tells apart."""
    meaning = ev.meanings.get(key_of(first))
    if meaning is not None and is_reference(found):
        number, passing, failing = meaning
        ev.meanings[key_of(found)] = (number, passing | failing, failing) if stop_at else (number, passing, passing | failing)
    return found


def narrowed(value):
    return value.narrowed() if isinstance(value, Choice) else value


def can_be_chosen(ev, value):
    """Whether a value may be an option: it is as good after the condition as it is inside."""
    if isinstance(value, calls.Closure):
        return not value.defaults and not value.kwdefaults and not value.attributes and any(value.frame is frame for frame in ev.frames)
    return isinstance(value, (Choice, *KINDS))


def options_of(value):
    return value.options if isinstance(value, Choice) else [NUMBER if is_numeric(value) else value]


def value_of(value):
    """The number among the options of a side, or None."""
    return value.value if isinstance(value, Choice) else value if is_numeric(value) else None


def same(one, other):
    return one is other or type(one) is type(other) and isinstance(one, str | bytes) and one == other


def merged(merge, left, right, hint):
    """The choice of what two sides of a condition leave, or None. merge: the Merge at work."""
    if not all(can_be_chosen(merge.ev, side) or is_numeric(side) for side in (left, right)):
        return None
    options = [*options_of(left)]
    places = [place(options, option) for option in options_of(right)]
    if len(options) > LIMIT:
        return None
    sides = []
    for block, value, moved in ((merge.body, left, None), (merge.orelse, right, places)):
        with merge.builder.nested(block):
            sides.append(renumbered(value, moved))
    hint = hint if isinstance(hint, str) else "choice"
    return Choice(merge.ev, options, merge.numeric(*sides, f"{hint}_kind" if NUMBER in options else hint), number_of(merge, left, right, hint))


def number_of(merge, left, right, hint):
    """The number that either side leaves; zeros stand for none."""
    one, two = value_of(left), value_of(right)
    if one is None and two is None:
        return None
    one, two = (blank(merge.ev, other) if value is None else value for value, other in ((one, two), (two, one)))
    return merge.numeric(one, two, hint)


def place(options, value):
    """The position of an option; a new one is appended."""
    for k, option in enumerate(options):
        if same(option, value):
            return k
    options.append(value)
    return len(options) - 1


def renumbered(value, places):
    """The number of what one side leaves among all options. places: those of its own options, None if they are the first."""
    if not isinstance(value, Choice):
        return 0 if places is None else places[0]
    if places is None or places == [*range(len(places))]:
        return value.number
    found = places[-1]
    for k, at in reversed([*enumerate(places[:-1])]):
        found = np.where(value.number == k, at, found)
    return found


def called(ev, fn, args, kwargs, node):
    """A call of a choice, or of a library function that is given one; NotImplemented for others."""
    if isinstance(fn, Choice):
        return fn.use(ev, lambda one: calls.call(ev, callable_(one), args, kwargs, node), node)
    given = {**dict(enumerate(args)), **kwargs}
    at = next((key for key, value in given.items() if isinstance(value, Choice)), None)
    if at is None or calls.enters_as_given(fn):
        return NotImplemented

    def with_one(one):
        values = {**given, at: one}
        return calls.call(ev, fn, tuple(values[k] for k in range(len(args))), {k: values[k] for k in kwargs}, node)
    return given[at].use(ev, with_one, node)


def callable_(value):
    if not callable(value):
        raise TypeError(f"{type(value).__name__!r} object is not callable")
    return value


def are_options(ev, items):
    """Whether all items of a list may be options of a choice."""
    return 0 < len(items) <= LIMIT and all(can_be_chosen(ev, v) and not isinstance(v, Choice) for v in items)


def among(ev, items, index, node):
    """The item of a list at an abstract position, or None if the items are no options."""
    if not are_options(ev, items) or ev.decided_by_integers(index):
        return None
    return Choice(ev, [*items], expressions.load_item(ev, ev.builder.constant(np.arange(len(items))), index, node))
