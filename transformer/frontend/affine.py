"""Sums of loop indices: what is known about an abstract integer while a function is specialised.

`x[i:i + 3]` has a static length if both bounds are the same sum of loop indices up to a constant, and no bound is clipped if the
lowest and the highest value of that sum lie inside the axis. Only loop indices of known range count: for all other integers the
answer is "unknown", and a slice bound must be static.
"""

import numpy as np

from ..core import Move, Update, is_name, walk
from ..errors import NeedStatic

CONSTANT = None
"""Key of the constant term of a sum."""


def note_loop(builder, index, lo, hi, step):
    """Record the range of a loop's index; lo and hi are ints or references."""
    low, high = interval(builder, lo), interval(builder, hi)
    if low is None or high is None:
        return
    last = (low[0], high[1] - 1) if step > 0 else (high[0] + 1, low[1])
    builder.ranges[index] = (last[0], max(last))


def interval(builder, value):
    """The lowest and the highest value of an int or reference, or None."""
    terms = affine(builder, value)
    if terms is None:
        return None
    low = high = terms.get(CONSTANT, 0)
    for name, factor in terms.items():
        if name is not CONSTANT:
            ends = [factor * end for end in builder.ranges[name]]
            low, high = low + min(ends), high + max(ends)
    return low, high


def difference(builder, value, other):
    """`value - other` where that is a constant, else None."""
    terms, others = affine(builder, value), affine(builder, other)
    if terms is None or others is None:
        return None
    rest = combine(terms, others, -1)
    return rest.get(CONSTANT, 0) if set(rest) <= {CONSTANT} else None


def affine(builder, value):
    """A sum {loop index: factor, CONSTANT: number} that an int, reference or atom is, or None."""
    atom = getattr(value, "storage", None)
    if atom is not None:
        if value.known is not None and value.dtype.kind in "iu" and value.shape == ():
            return {CONSTANT: int(value.known)}
        return _of_name(builder, atom.name) if not value.path and atom.builder is builder else None
    if is_name(value):
        return _of_name(builder, value)
    return {CONSTANT: int(value)} if isinstance(value, int | np.integer) and not isinstance(value, bool) else None


def _of_name(builder, name):
    if name in builder.ranges:
        return {name: 1}
    stmt = definition(builder, name)
    if stmt is None or stmt.op.impl not in RULES or builder.avals[name].dtype.kind not in "iu":
        return None
    terms = [affine(builder, a) for a in stmt.args]
    return None if None in terms else RULES[stmt.op.impl](*terms)


def definition(builder, name):
    """The Apply that binds a name."""
    return builder.defined.get(name)


def same_value(builder, value, other):
    """Whether two ints or references are certain to have the same value."""
    if value is other:
        return True
    gap = difference(builder, value, other)
    if gap is not None:
        return gap == 0
    if not hasattr(value, "storage") or not hasattr(other, "storage") or value.aval != other.aval:
        return False
    if value.storage is other.storage and value.path_key() == other.path_key():
        return True
    return same_name(builder, builder.read(value), builder.read(other))


def same_name(builder, one, two):
    """Whether two names are bound by equal statements of one block, with nothing changed in between."""
    if one == two:
        return type(one) is type(two)
    if not is_name(one) or not is_name(two):
        return False
    first, second = definition(builder, one), definition(builder, two)
    if first is None or second is None or first.op is not second.op or repr(first.params) != repr(second.params):
        return False
    block = next((b for b in builder.stack if any(s is second for s in b)), ())
    start = next((k for k, s in enumerate(block) if s is first), None)
    if start is None or len(first.args) != len(second.args):
        return False
    between = block[start:next(k for k, s in enumerate(block) if s is second)]
    changed = {s.target for s in walk(between) if isinstance(s, Move | Update)}
    return not changed & {*map(str, first.args)} and all(same_name(builder, a, b) for a, b in zip(first.args, second.args))


def prefer_static(builder, value):
    """Raise NeedStatic for a scalar argument that an abstract size depends on: it becomes a Python number."""
    names, seen = [builder.read(value)], set()
    parameters = {s.name: s for s in builder.parameters}
    while names:
        name = names.pop()
        if name in seen or not is_name(name):
            continue
        seen.add(name)
        storage = parameters.get(name)
        if storage is not None and not storage.aval.shape and storage.argument and storage.argument[0] == "leaf" and storage.argument[2] is not None:
            raise NeedStatic(type(value)(storage), "a size needs a value that is not known before the function runs")
        stmt = definition(builder, name)
        names += [] if stmt is None else stmt.args


def combine(x, y, factor=1):
    """x + factor * y."""
    out = dict(x)
    for name, value in y.items():
        out[name] = out.get(name, 0) + factor * value
    return {name: value for name, value in out.items() if value}


def _subtract(x, y):
    return combine(x, y, -1)


def _negative(x):
    return combine({}, x, -1)


def _multiply(x, y):
    if set(y) <= {CONSTANT}:
        return combine({}, x, y.get(CONSTANT, 0))
    return combine({}, y, x.get(CONSTANT, 0)) if set(x) <= {CONSTANT} else None


RULES = {np.add: combine, np.subtract: _subtract, np.negative: _negative, np.multiply: _multiply}
