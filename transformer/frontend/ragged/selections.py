"""NumPy's functions whose results are as long as a mask has True: where every size must be known, they give arrays of unknown length.

    np.flatnonzero(x)       np.arange(x.size)[np.ravel(x != 0)]
"""

import numpy as np

from ..reference import as_array, is_reference
from . import extents as ext

SELECTIONS = {}


def selects(fn, args, kwargs):
    """Whether a call is one of these functions of an abstract array, in a program whose sizes must all be known."""
    from ..builder import current
    fn, args = as_function(fn, args)
    named = fn in SELECTIONS and not kwargs and args and is_reference(args[0]) and args[0].known is None
    return bool(named and args[0].shape and None not in args[0].shape and current().sized and (fn is not np.where or len(args) == 1))


def select(fn, args):
    fn, args = as_function(fn, args)
    return SELECTIONS[fn](*args)


def as_function(fn, args):
    """NumPy's function for a method of an abstract array, and its arguments."""
    return (fn.function, (fn.array, *args)) if hasattr(fn, "function") and hasattr(fn, "array") else (fn, args)


def selection(*fns):
    def declare(implementation):
        for fn in fns:
            SELECTIONS[fn] = implementation
        return implementation
    return declare


def as_mask(x):
    x = np.ravel(x)
    return x if x.dtype == bool else x != 0


@selection(np.flatnonzero)
def flatnonzero(x):
    return ext.constant(np.arange(x.size))[as_mask(x)]


@selection(np.nonzero, np.where)
def nonzero(x):
    flat, found = flatnonzero(x), []
    for size in x.shape[:0:-1]:
        found.append(flat % size)
        flat = flat // size
    return (flat, *found[::-1])


@selection(np.extract)
def extract(condition, x):
    return np.ravel(as_array(x))[as_mask(condition)]


@selection(np.compress)
def compress(condition, x):
    return np.ravel(as_array(x))[: condition.size][as_mask(condition)]
