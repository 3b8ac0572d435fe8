"""Functions that the evaluator handles itself: iteration, types, and higher-order functions.

Each takes the evaluator first, then the arguments of the function it stands for.
"""

import bisect
import functools
import inspect
import math
import operator

import numpy as np

from ...access import Called, Kept
from ...errors import NeedStatic, ValueDependent
from .. import lazy, updates
from ..ragged import is_ragged
from ..reference import is_reference
from . import alternatives, branches, calls, expressions, filtered, iteration, iterators, messages, special_methods
from .externals import Guard
from .state import is_users
from .statements import delete_attribute, set_attribute
from .templates import text_of


def range_(ev, *args):
    lo, hi, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if any(map(is_reference, (lo, hi, step))):
        return iteration.items_of_range(lo, hi, operator.index(step))
    return range(lo, hi, step)


def arange_items(ev, *args, **kwargs):
    """np.arange as a loop goes over it: a range if its bounds are abstract integers, else the array."""
    if not kwargs and any(map(is_reference, args)) and all(np.result_type(getattr(a, "dtype", a)).kind in "iu" for a in args):
        if all(not is_reference(a) or a.known is None for a in args if is_reference(a)):
            return range_(ev, *args)
    return calls.call_native(ev, np.arange, args, kwargs, None)


def items_or_list(ev, value):
    value = iterators.checked(ev, special_methods.items(ev, value))
    if isinstance(value, iterators.Cursor):
        return value.rest()
    value = ev.items(value)
    return iterators.cursor(ev, value).source


def enumerate_(ev, iterable, start=0):
    items = items_or_list(ev, iterable)
    if is_listed(items):
        return iterators.cursor(ev, iteration.Listed((items,), lambda i: (i + start, iterators.item_of(ev, items, i))))
    return iterators.cursor(ev, iteration.Items(items.length, lambda i: (i + start, items.item(i)), (items,)))


def enumerate_items(ev, iterable, start=0):
    """enumerate as a loop goes over it: of a list, the items as they are when their round comes."""
    return iteration.Numbered(iterable, start) if type(iterable) is list and not ev.externals.is_external(iterable) else enumerate_(ev, iterable, start)


def ndindex_items(ev, *shape):
    """np.ndindex as a loop goes over it: a range over the flat array, with the index of each place."""
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    strides = [math.prod(shape[k + 1:]) for k in range(len(shape))]

    def item(i):
        places = [i if stride == 1 else i // stride for stride in strides]
        return (*places[:1], *(at % n for at, n in zip(places[1:], shape[1:])))
    return iteration.Items(math.prod(shape), item, shape)


def ndenumerate_items(ev, array):
    array = np.asarray(array) if isinstance(array, list | tuple) else array
    places = ndindex_items(ev, *array.shape)
    return iteration.Items(places.length, lambda i: (places.item(i), array[places.item(i)]), (array,))


def ndenumerate(ev, array):
    return list(ndenumerate_items(ev, array))


def zip_(ev, *iterables, strict=False):
    shared = [it for it in iterables if isinstance(it, iterators.Cursor)]
    if len({*map(id, shared)}) < len(shared):
        return iterators.kept(ev, zip(*(iterators.cursor(ev, it) for it in iterables), strict=strict))
    parts = [items_or_list(ev, it) for it in iterables]
    listed = [p for p in parts if is_listed(p)]
    lengths = [len(p) if is_listed(p) else p.length for p in parts]
    if strict and len({*lengths}) > 1:
        raise ValueError("zip() has arguments of different length")
    ending = [n for n in lengths if n is not None]
    if all(n is None for p, n in zip(parts, lengths) if not is_listed(p)) and (ending or not parts):
        return iterators.cursor(ev, iteration.Listed(listed, lambda i: row(ev, parts, i)) if parts else [])
    length = functools.reduce(lambda a, b: np.minimum(a, b) if is_reference(a) or is_reference(b) else min(a, b), ending) if ending else None
    return iterators.cursor(ev, iteration.Items(length, lambda i: row(ev, parts, i), parts))


def is_listed(part):
    return isinstance(part, list | iteration.Listed)


def row(ev, parts, i):
    return tuple(iterators.item_of(ev, part, i) for part in parts)


def reversed_(ev, value):
    found = special_methods.enter(ev, value, "reversed")
    if found is not NotImplemented:
        return found
    if isinstance(value, iterators.Cursor):
        raise TypeError("an iterator cannot be reversed")
    items = items_or_list(ev, value)
    if isinstance(items, iteration.Items):
        return iterators.cursor(ev, items.reversed())
    last = len(items) - 1
    return iterators.cursor(ev, iteration.Listed((items,), lambda i: iterators.item_of(ev, items, last - i)))


def len_(ev, value):
    if is_ragged(value):
        return value.shape[0]
    ev.check_keys(value)
    found = special_methods.enter(ev, value, "len")
    return len(value) if found is NotImplemented else found


def shape_(ev, a):
    """np.shape; the rules of ops, which call it as well, may meet unknown sizes, users may not."""
    if is_reference(a) and None in a.shape:
        raise NeedStatic(a, "the size of an array that depends on data")
    return calls.call_native(ev, np.shape, (a,), {}, None)


def isinstance_(ev, value, kinds):
    """An abstract array is an ndarray; an abstract Python number is of its Python type."""
    if is_ragged(value):
        return isinstance_(ev, value.array, kinds)
    if not is_reference(value):
        return isinstance(value, kinds)
    check_type(ev, value)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    own = type(value.dtype.type(0).item()) if value.weak else np.ndarray if value.shape else value.dtype.type
    return any(isinstance(k, type) and (issubclass(own, k) or (not value.weak and getattr(k, "__transformer_array__", False))) for k in kinds)


def check_type(ev, value):
    """Refuse to look at the type of a number that has another one on each side of a condition on array values."""
    if value.storage.mixed and value.known is None:
        raise ValueDependent("the type of a number depends on a condition on array values", "Give it the same type on both sides.", ev.origin())


def id_(ev, value):
    ev.joined.check_key(value, ev.origin())
    return id(value)


def type_(ev, value, *rest):
    if rest or not is_reference(value):
        return type(value, *rest)
    check_type(ev, value)
    return type(value.dtype.type(0).item()) if value.weak else np.ndarray if value.shape else value.dtype.type


def callable_(ev, value):
    return callable(value) and not is_reference(value)


def list_(ev, value=()):
    return expressions.iterate(ev, value)


def tuple_(ev, value=()):
    return tuple(list_(ev, value))


def str_(ev, value="", *rest):
    if is_reference(value) and ev.values and value.known is not None and value.dtype.kind not in "fc":
        return str(value.known)
    return str(value, *rest) if rest else text_of(ev, value)


def repr_(ev, value):
    return text_of(ev, value, "r")


def reading_variables(fn, needed=0):
    """What stands for a function that reads the variables of its caller by name: those of the user's are none of Python's here."""
    def call(ev, *args, **kwargs):
        if fn is vars and args:
            held = expressions.load_attribute(ev, *args, "__dict__", None)
            ev.check_usable(held, None)
            return held
        if len(args) > needed:
            return calls.call_native(ev, fn, args, kwargs, None)
        raise ev.error(f"{fn.__name__}() reads variables by their names inside of a transformed function", "Use the variables themselves, or keep them in a dict.")
    return call


def getattr_(ev, owner, name, *default):
    if default and not hasattr_(ev, owner, name):
        return default[0]
    return ev.usable(expressions.load_attribute(ev, owner, name, None), None)


def hasattr_(ev, owner, name):
    found = hasattr(owner, name)
    if ev.externals.is_external(owner):
        ev.externals.guards.append(Guard(Called(Kept(hasattr), (owner, name)), found, f"hasattr(..., {name!r})"))
    ev.usable(inspect.getattr_static(owner, name, None), None)
    return found or isinstance(owner, calls.Closure) and name in owner.attributes


def setattr_(ev, owner, name, value):
    ev.refuse_mutation(owner, f"attribute {name} is set", ev.origin())
    set_attribute(ev, owner, name, value)


def delattr_(ev, owner, name):
    delete_attribute(ev, owner, name, None)


def fromiter(ev, iterable, dtype, count=-1):
    items = expressions.iterate(ev, iterable)
    if not any(map(is_reference, items)):
        return np.fromiter(items, dtype, count)
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return np.stack(items[:count] if count >= 0 else items).astype(dtype)


def map_(ev, fn, *iterables):
    rows = zip_(ev, *iterables)
    if not isinstance(rows.source, iteration.Items | iteration.Listed):
        return iterators.cursor(ev, [calls.call(ev, fn, items, {}, None) for items in expressions.iterate(ev, rows)])
    return iterators.cursor(ev, iterators.made(ev, rows.source, lambda items: calls.call(ev, fn, items, {}, None), (fn,)))


def filter_(ev, fn, iterable):
    kept = filtered.Kept()
    for item in expressions.iterate(ev, iterable):
        test = branches.truth(ev, item if fn is None else calls.call(ev, fn, (item,), {}, None), None)
        if test is not False:
            kept.keep(item, test)
    found = kept.result(ev, None, once=True)
    return found if isinstance(found, filtered.Filtered) else iterators.cursor(ev, list(found))


def reduce_(ev, fn, iterable, *initial):
    items = [*initial, *expressions.iterate(ev, iterable)]
    if not items:
        raise TypeError("reduce() of empty iterable with no initial value")
    return functools.reduce(lambda a, b: calls.call(ev, fn, (a, b), {}, None), items)


def sum_(ev, iterable, start=None):
    """sum; objects of the user's classes are added as the program adds them."""
    if not is_reference(iterable) and not isinstance(iterable, np.ndarray | range) and not is_ragged(iterable):
        iterable = expressions.iterate(ev, iterable)
        if any(special_methods.method(value, name) for value in (start, *iterable) for name in ("add", "radd")):
            return calls.enter_function(ev, lazy.total, (iterable, 0 if start is None else start), {})
    return calls.call_native(ev, sum, (iterable,) if start is None else (iterable, start), {}, None)


def dict_(ev, *given, **named):
    """dict; of an object of the user's with `keys`, its items at these."""
    if len(given) == 1 and is_users(type(given[0]).__module__) and hasattr(given[0], "keys") and not isinstance(given[0], dict):
        keys = expressions.iterate(ev, calls.call(ev, given[0].keys, (), {}))
        return {**{key: expressions.load_item(ev, given[0], key, None) for key in keys}, **named}
    return calls.call_native(ev, dict, calls.listed(ev, dict, special_methods.iterated(ev, dict, given)), named, None)


def bisect_(side):
    """bisect.bisect_left and bisect_right; at an abstract position np.searchsorted."""
    def user(ev, a, x, lo=0, hi=None, *, key=None):
        items = [calls.call(ev, key, (v,), {}) for v in expressions.iterate(ev, a)] if key is not None else a
        if is_reference(x) or any(map(is_reference, items)):
            items = items if is_reference(items) or isinstance(items, np.ndarray) else np.stack([np.asarray(v) if not is_reference(v) else v for v in items])
            return np.searchsorted(items[lo:hi], x, side) + lo
        return getattr(bisect, f"bisect_{side}")(items, x, lo, hi)
    return user


def sorted_(ev, iterable, key=None, reverse=False):
    items = expressions.iterate(ev, iterable)
    if key is None and (is_reference(iterable) or items and any(map(is_reference, items))):
        ordered = list(np.sort(iterable if is_reference(iterable) else np.stack(items)))
        return ordered[::-1] if reverse else ordered
    keys = keys_of(ev, items, key)
    if alternatives.comparable(keys):
        return alternatives.permute(ev, items, alternatives.order(keys, reverse), None)
    return [items[k] for k in sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)]


def sort(ev, items, key=None, reverse=False):
    """list.sort."""
    ev.refuse_mutation(items, ".sort() is called", ev.origin())
    items[:] = sorted_(ev, items, key, reverse)


def keys_of(ev, items, key):
    return items if key is None else [calls.call(ev, key, (item,), {}, None) for item in items]


def extreme(fn, position):
    """max or min; the first item with the largest or smallest key."""
    def user(ev, *items, key=None, **default):
        if len(items) == 1 and isinstance(items[0], iterators.Cursor):
            items = (expressions.iterate(ev, items[0]),)
        items = expressions.iterate(ev, items[0]) if len(items) == 1 and (key is not None or default) else items
        if default and not items:
            return default["default"]
        if key is None or not items:
            return calls.call_native(ev, fn, items if key is None and not default else (items,), {}, None)
        keys = keys_of(ev, items, key)
        if alternatives.comparable(keys) and not isinstance(keys[0], tuple):
            return alternatives.pick(ev, items, position(np.stack(keys)), None)
        return items[fn(range(len(items)), key=keys.__getitem__)]
    return user


def any_(ev, iterable):
    return np.any(iterable) if is_vector(iterable) else decided(ev, iterable, True, np.logical_or)


def all_(ev, iterable):
    return np.all(iterable) if is_vector(iterable) else decided(ev, iterable, False, np.logical_and)


def is_vector(value):
    return is_reference(value) and len(value.shape) == 1


def decided(ev, iterable, decisive, join):
    """any or all: a `decisive` item that is known decides, else the abstract items do."""
    tests = [branches.truth(ev, item, None) for item in expressions.iterate(ev, iterable)]
    abstract = [t for t in tests if not isinstance(t, bool)]
    if decisive in [t for t in tests if isinstance(t, bool)] or not abstract:
        return any(t is decisive for t in tests) is decisive
    return functools.reduce(join, abstract)


def hash_(ev, value):
    if is_reference(value) and value.shape:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    return hash(value.static("a hash").item() if is_reference(value) else value)


def combined_at(ufunc):
    """np.maximum.at and its like."""
    def at(ev, a, indices, b):
        (a, *rest), _ = calls.promote_target(ev, ufunc.at, (a, indices, b), {}, None)
        if is_reference(a):
            updates.combine_at(ufunc, a, *map(ev.open, rest))
        else:
            ev.refuse_mutation(a, "an element is changed", ev.origin())
            ufunc.at(a, *rest)
    return at


READING_VARIABLES = {fn: reading_variables(fn, needed) for fn, needed in {locals: 0, globals: 0, eval: 3, exec: 3, vars: 0, dir: 0}.items()}

INTRINSICS = {**READING_VARIABLES,
           repr: repr_, len: len_, np.shape: shape_, hash: hash_, id: id_, range: range_, enumerate: enumerate_, zip: zip_, reversed: reversed_,
           isinstance: isinstance_, type: type_, callable: callable_, list: list_, tuple: tuple_, dict: dict_, str: str_, getattr: getattr_, hasattr: hasattr_,
           setattr: setattr_, delattr: delattr_, map: map_, filter: filter_, np.fromiter: fromiter, np.ndenumerate: ndenumerate,
           functools.reduce: reduce_, sorted: sorted_, sum: sum_, bisect.bisect_left: bisect_("left"), bisect.bisect_right: bisect_("right"),
           any: any_, all: all_, max: extreme(max, np.argmax), min: extreme(min, np.argmin), **iterators.ITERATORS, **messages.MESSAGES,
           **{ufunc.at: combined_at(ufunc) for ufunc in updates.COMBINING}}

LOOPED = ((np.arange, arange_items), (enumerate, enumerate_items), (np.ndindex, ndindex_items), (np.ndenumerate, ndenumerate_items))
"""Functions with another result where it is only looped over."""

PASSED_ON = (enumerate, zip, reversed)
"""Functions whose arguments are looped over where their result is."""
