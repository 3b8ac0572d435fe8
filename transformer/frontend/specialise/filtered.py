"""Lists that a comprehension filters by array values: `[v for v in x if v > 0]`. Their length is known only as the program runs.

What stands for one is an array of unknown length (`ragged`) with a place for each item that may be in it. It is read as Python reads a list: by
`sum`, `len`, `max`, `sorted`, loops, positions, and functions of NumPy. Anything else is refused, as operators of lists and arrays differ.
"""

import numpy as np

from ...core import Apply
from ...errors import ValueDependent
from ...ops import op as optable
from ..ragged import Ragged
from ..ragged import call as ragged_call
from ..ragged import extents as ext
from ..reference import is_reference
from . import alternatives, branches
from .iteration import Items
from .leaves import blank, is_numbers
from .state import is_numeric

ADVICE = "Use np.where or a boolean mask."


class Filtered:
    """A list of the items of `array`, a ragged array of one axis or more; weak: they are Python numbers."""

    __transformer_opaque__ = True

    def __init__(self, array, weak, once=False):
        self.array, self.weak, self.once, self.spent = array, weak, once, False

    def frame_values(self):
        return self.array.frame_values()

    def read(self):
        """The list as it is read; what a generator gives is read once."""
        if self.spent:
            self.refuse()
        self.spent = self.once
        return self

    def __transformer_truth__(self):
        return True if self.once else self.count > 0

    def refuse(self, *_):
        raise ValueDependent("a list that array values filter is used where its length must be known", ADVICE)

    __len__ = __iter__ = __getitem__ = __setitem__ = __contains__ = __add__ = __radd__ = __mul__ = __rmul__ = __eq__ = __lt__ = __gt__ = refuse
    __bool__ = __iadd__ = __imul__ = __array__ = __le__ = __ge__ = refuse
    __hash__ = object.__hash__

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    @property
    def count(self):
        return self.array.shape[0]

    def item(self, index):
        if self.array.ndim > 1 or isinstance(index, slice):
            self.refuse()
        return alternatives.plain(self.array[index], self.weak)

    def items(self):
        """The list as a loop goes over it."""
        values = self.read()
        return Items(values.count, values.item, (values,))


class Kept(list):
    """Items that a comprehension keeps, each with the test of whether it does."""

    def __init__(self):
        super().__init__()
        self.tests = []

    def keep(self, value, test=True):
        self.append(value)
        self.tests.append(test)

    def result(self, ev, node, once=False):
        """The list, or what stands for it if tests are abstract."""
        if not any(map(is_reference, self.tests)):
            return self
        found = filtered(self, self.tests, once) if ev.builder.sized else None
        if found is None:
            raise ValueDependent("a comprehension is filtered by array values", ADVICE, ev.origin(node))
        return found


def item_under(ev, test, make, node):
    """The value of `make()`, which may fail where `test` does not hold; anything of its type there."""
    state = ev.capture()
    with ev.builder.nested() as block:
        value = make()
    if all(map(is_total, block)) and not changes(state):
        ev.adopt(block)
        return value
    state.restore()
    made = []

    def then():
        made.append(make())
        return made[0]

    def other():
        return blank(ev, made[0]) if made and is_numbers(made[0]) else 0.0
    return branches.choose(ev, test, then, other, node)


def is_total(stmt):
    """Whether a statement gives finite values and derivatives for all finite operands: then it may run whatever the test says."""
    if not isinstance(stmt, Apply) or not stmt.op.elementwise or not isinstance(stmt.op.impl, np.ufunc):
        return isinstance(stmt, Apply) and not stmt.args
    singular = stmt.op.singular
    return (singular(*stmt.args) if callable(singular) else singular) in (False, "operands")


def changes(state):
    """Whether a container has changed since `state`."""
    now = state.now()
    return any(now[key].get(k, state) is not v for key, (_, values) in state.containers.items() for k, v in values.items())


def filtered(items, tests, once):
    """The items of which the test holds; None if they are not numbers or arrays of one shape and type."""
    if not items or not all(map(is_numeric, items)) or len({np.shape(v) for v in items}) > 1:
        return None
    avals = [optable.aval_of(v) for v in items]
    if len({a.dtype for a in avals}) > 1 or len({a.weak for a in avals}) > 1:
        return None
    mask = np.stack([test if is_reference(test) else ext.constant(np.array(test)) for test in tests])
    items = np.stack([v if is_reference(v) else ext.constant(np.array(v)) for v in items])
    return Filtered(Ragged(items, (ext.Chosen(mask, len(tests)), *(None,) * (items.ndim - 1))), avals[0].weak, once)


def call(ev, fn, values, args, kwargs):
    """`fn(values, *args, **kwargs)` of a filtered list."""
    values = values.read()
    if fn is next and values.once and len(args) == 1:
        return branches.choose(ev, branches.truth(ev, values.count > 0, None), lambda: values.item(0), lambda: args[0], None)
    if fn is len and not args and not values.once:
        return values.count
    if fn is sum and len(args) <= 1 and set(kwargs) <= {"start"}:
        start = (*args, *kwargs.values(), 0)[0]
        total = alternatives.plain(np.astype(ragged_call(np.sum, (values.array,), {"axis": 0}), sum_type(values)), values.weak)
        return total if type(start) is int and start == 0 else start + total
    if fn in (any, all) and values.array.ndim == 1:
        return ragged_call(np.any if fn is any else np.all, (values.array,), {})
    if fn in (max, min) and values.array.ndim == 1 and not args and set(kwargs) <= {"default"}:
        def extreme():
            return alternatives.plain(ragged_call(np.max if fn is max else np.min, (values.array,), {}), values.weak)
        if not kwargs:
            return extreme()
        return branches.choose(ev, branches.truth(ev, values.count > 0, None), extreme, lambda: kwargs["default"], None)
    if fn is sorted and values.array.ndim == 1 and not args and not kwargs:
        return Filtered(ragged_call(np.sort, (values.array,), {}), values.weak)
    if fn in (list, tuple) and not args:
        return values
    if optable.FUNCTIONS.get(fn) is not None and getattr(fn, "__module__", "").startswith("numpy"):
        return ragged_call(fn, (values.array, *args), kwargs)
    raise ValueDependent(f"{getattr(fn, '__name__', fn)}() of a list that array values filter", ADVICE)


def sum_type(values):
    """The type of a sum that begins at the int 0: bools count."""
    dtype = values.array.dtype
    return np.dtype(np.int64) if dtype.kind == "b" else dtype


__all__ = ["Filtered", "Kept", "call", "item_under"]
