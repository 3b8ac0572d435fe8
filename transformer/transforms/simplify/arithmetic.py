"""Identities of + - * / ** and unary minus.

A rule takes the pass and a statement; it gives the replacing atom or statement, or None. Everything under `r.loose` holds only
up to the sign of zeros, nan from infinite partials, or rounding, and is for derivatives; the rest is exact in IEEE arithmetic.
"""

import math

import numpy as np

from ...core import Apply, is_name
from ...ops.op import TABLE


def is_number(value, number):
    """Whether a fill value is the given number (None is not)."""
    return value is not None and getattr(value, "shape", ()) == () and bool(value == number)


def is_plus_zero(value):
    return is_number(value, 0) and math.copysign(1.0, np.real(value)) > 0 and math.copysign(1.0, np.imag(value)) > 0


def is_minus_zero(value):
    return is_number(value, 0) and math.copysign(1.0, np.real(value)) < 0 and np.isrealobj(value)


def exact(r, atom):
    """Whether arithmetic on an atom is exact (integers)."""
    return r.aval(atom).dtype.kind in "iu"


def signs_move(r, stmt):
    """Whether -a * b is -(a * b): not for complex numbers, where a zero part may differ in sign."""
    kind = r.avals[stmt.target].dtype.kind
    return kind in "if" or (kind == "c" and r.loose(stmt))


def apply(stmt, op, *args, **params):
    return Apply(stmt.target, TABLE[op], args, params, stmt.origin)


def negated(r, atom):
    """What an atom is the negative of, if folding that in saves a statement; else None."""
    if not is_name(atom):
        negative = isinstance(atom, float | int) and not isinstance(atom, bool) and math.copysign(1.0, atom) < 0 and atom == atom
        return -atom if negative and atom != 0 else None
    stmt = r.definition(atom, "negative")
    return stmt.args[0] if stmt and (r.once(atom) or r.loose(stmt)) else None


def scaled_negatively(r, atom):
    """(c, y, swapped) if an atom is a product with a negative literal -c; else None."""
    stmt = r.definition(atom, "multiply", "divide")
    if stmt is None or not r.once(atom):
        return None
    factor, other = stmt.args
    if is_name(factor) or not is_name(other) or negated(r, factor) is None:
        return None
    return stmt, negated(r, factor), other


def positive_product(r, stmt, atom):
    """The name of c * y where `atom` is -c * y; None if it is no such product."""
    found = scaled_negatively(r, atom) if signs_move(r, stmt) else None
    return None if found is None else r.make(stmt, found[0].op, found[1], found[2])


def add_zero(r, stmt):
    x, y = stmt.args
    for zero, other in ((x, y), (y, x)):
        value = r.uniform(zero)
        if is_number(value, 0) and (exact(r, other) or is_minus_zero(value) or r.loose(stmt)):
            return other if r.aval(other).shape == r.avals[stmt.target].shape else spread_out(r, stmt, other)
    return None


def spread_out(r, stmt, atom):
    shape = r.avals[stmt.target].shape
    return None if None in shape or r.aval(atom).weak else apply(stmt, "broadcast_to", atom, shape=shape)


def add_twice(r, stmt):
    """x + x is 2.0 * x."""
    x, y = stmt.args
    if not r.loose(stmt) or not is_name(x) or x != y or r.avals[stmt.target].dtype.kind not in "fc":
        return None
    return apply(stmt, "multiply", 2.0, x)


def shift_twice(r, stmt):
    """(i + 1) - 1 is i, of integers."""
    i, last = stmt.args
    found = r.definition(i, "add", "subtract") if is_name(i) and type(last) is int and exact(r, i) else None
    if found is None or type(found.args[1]) is not int or not is_name(found.args[0]):
        return None
    total = sum(-n if s.op.impl is np.subtract else n for s, n in ((found, found.args[1]), (stmt, last)))
    return apply(stmt, "add" if total > 0 else "subtract", found.args[0], abs(total)) if total else found.args[0]


def add_negative(r, stmt):
    x, y = stmt.args
    if r.avals[stmt.target].dtype.kind not in "ifc":
        return None
    if negated(r, y) is not None:
        return apply(stmt, "subtract", x, negated(r, y))
    if is_name(x) and negated(r, x) is not None:
        return apply(stmt, "subtract", y, negated(r, x))
    found = positive_product(r, stmt, y)
    return None if found is None else apply(stmt, "subtract", x, found)


def subtract_zero(r, stmt):
    x, y = stmt.args
    value = r.uniform(y)
    if is_number(value, 0) and (exact(r, x) or is_plus_zero(value) or r.loose(stmt)):
        return x
    if r.loose(stmt) and is_number(r.uniform(x), 0) and r.avals[stmt.target].dtype.kind in "ifc":
        return apply(stmt, "negative", y)
    return None


def subtract_negative(r, stmt):
    x, y = stmt.args
    if r.avals[stmt.target].dtype.kind not in "ifc":
        return None
    if negated(r, y) is not None:
        return apply(stmt, "add", x, negated(r, y))
    found = positive_product(r, stmt, y)
    return None if found is None else apply(stmt, "add", x, found)


def multiply_one(r, stmt):
    x, y = stmt.args
    for one, other in ((x, y), (y, x)):
        if is_number(r.uniform(one), 1):
            return other if r.aval(other) == r.avals[stmt.target] else spread_out(r, stmt, other)
        if is_number(one, -1) and not is_name(one) and r.avals[stmt.target].dtype.kind in "if":
            return apply(stmt, "negative", other)
    return None


def multiply_zero(r, stmt):
    if not r.loose(stmt) or not any(is_number(r.uniform(a), 0) for a in stmt.args):
        return None
    return zeros(r, stmt)


def zeros(r, stmt):
    """A statement or literal of zeros with the aval of a statement's target."""
    aval = r.avals[stmt.target]
    if aval.shape == ():
        zero = aval.dtype.type(0)
        return zero.item() if aval.weak else zero
    return None if None in aval.shape else apply(stmt, "zeros", shape=aval.shape, dtype=aval.dtype)


def multiply_negative(r, stmt):
    """a * -b is -(a * b)."""
    x, y = stmt.args
    if not signs_move(r, stmt):
        return None
    minus_x, minus_y = (negated(r, a) if is_name(a) else None for a in (x, y))
    if minus_x is not None and minus_y is not None:
        return apply(stmt, stmt.op.name, minus_x, minus_y)
    if minus_x is not None:
        x, y = minus_x, y
    elif minus_y is not None:
        x, y = x, minus_y
    else:
        return None
    if negated(r, x) is not None and not is_name(x):
        return apply(stmt, stmt.op.name, negated(r, x), y)
    return apply(stmt, "negative", r.make(stmt, stmt.op, x, y))


def multiply_reciprocal(r, stmt):
    """g * (1 / x) is g / x."""
    if not r.loose(stmt):
        return None
    for g, reciprocal in (stmt.args, stmt.args[::-1]):
        found = r.definition(reciprocal, "divide")
        if found and r.once(reciprocal) and not is_name(found.args[0]) and is_number(found.args[0], 1):
            return apply(stmt, "divide", g, found.args[1])
    return None


def multiply_literals(r, stmt):
    """c * (d * x) is (c * d) * x for literals, or (c * g) with g = d * x."""
    if not r.loose(stmt):
        return None
    for c, product in (stmt.args, stmt.args[::-1]):
        found = r.definition(product, "multiply")
        if type(c) in (int, float) and found and r.once(product):
            for d, x in (found.args, found.args[::-1]):
                if type(d) in (int, float) and is_name(x):
                    return apply(stmt, "multiply", c * d, x)
    return None


def literal_outside(r, stmt):
    """(c * x) * y is c * (x * y) for a literal c, in derivatives."""
    if not r.loose(stmt):
        return None
    for product, other in (stmt.args, stmt.args[::-1]):
        found = r.definition(product, "multiply")
        if found and r.once(product) and type(found.args[0]) in (int, float) and is_name(found.args[1]) and is_name(other):
            pair = (found.args[1], other) if product is stmt.args[0] else (other, found.args[1])
            return apply(stmt, "multiply", found.args[0], r.make(stmt, stmt.op, *pair))
    return None


def literal_first(r, stmt):
    """2.0 * x rather than x * 2.0, in derivatives (users write as they like)."""
    x, y = stmt.args
    return apply(stmt, "multiply", y, x) if r.loose(stmt) and is_name(x) and not is_name(y) else None


def uniform_result(r, stmt):
    """Arithmetic on filled arrays fills an array."""
    aval = r.avals[stmt.target]
    if aval.shape == () or not r.loose(stmt) or None in aval.shape:
        return None
    values = [r.uniform(a) for a in stmt.args]
    if any([v is None for v in values]):
        return None
    with np.errstate(all="ignore"):
        value = stmt.op.impl(*values)
    return apply(stmt, "full", np.asarray(value, aval.dtype)[()].item(), shape=aval.shape, dtype=aval.dtype)


def negative_inside(r, stmt):
    """-sum(x) for sum(-x), and the same for ops that rearrange elements."""
    found = r.definition(stmt.args[0], "negative")
    if not found or not r.loose(stmt) or r.avals[stmt.target].dtype.kind not in "if":
        return None
    return apply(stmt, "negative", r.make(stmt, stmt.op, found.args[0], *stmt.args[1:], **stmt.params))


def subtract_itself(r, stmt):
    """x - x is 0, in derivatives."""
    x, y = stmt.args
    return zeros(r, stmt) if r.loose(stmt) and is_name(x) and x == y else None


def multiply_quotient(r, stmt):
    """(x / y) * y is x, in derivatives."""
    if not r.loose(stmt):
        return None
    for quotient, y in (stmt.args, stmt.args[::-1]):
        found = r.definition(quotient, "divide")
        if found and is_name(y) and found.args[1] == y:
            return found.args[0]
    return None


def sum_at_hand(r, stmt):
    """sum(c * y) is c * sum(y) where sum(y) is at hand and c is the same along the axes of the sum, in derivatives; sums and differences
    of such summands alike."""
    if not r.loose(stmt):
        return None
    factors = total(r, stmt, stmt.args[0])
    if factors and len(factors) == 2:
        return apply(stmt, "multiply", *factors)
    found = r.definition(stmt.args[0], "add", "subtract")
    parts = [total(r, stmt, a) if r.aval(a).shape == r.aval(stmt.args[0]).shape else None for a in found.args] if found else [None]
    if None in parts:
        return None
    return apply(stmt, found.op.name, *(p[0] if len(p) == 1 else r.make(stmt, TABLE["multiply"], *p) for p in parts))


def total(r, stmt, atom):
    """The factors of the sum of an atom over the axes of the statement `stmt`, if it is at hand: one or two atoms; else None."""
    known = known_total(r, stmt, atom)
    product = r.definition(atom, "multiply")
    if known or not product:
        return (known,) if known else None
    for c, y in (product.args, product.args[::-1]):
        known = known_total(r, stmt, y)
        if known is None or not is_name(c) or r.aval(y).shape != r.aval(atom).shape:
            continue
        shape = (1,) * (r.aval(y).ndim - r.aval(c).ndim) + r.aval(c).shape
        fits = [a for a in (c, without_new_axes(r, c)) if r.aval(a).shape == r.aval(known).shape]
        if fits and {shape[k] for k in stmt.params["axis"]} == {1}:
            return fits[0], known
    return None


def known_total(r, stmt, atom):
    """The name of the sum of an atom over the axes of `stmt`, or None."""
    found = r.totals.get((atom, r.version(atom), stmt.params["axis"], stmt.params["keepdims"])) if is_name(atom) else None
    return found if found and r.avals[found] == r.avals[stmt.target] else None


def without_new_axes(r, atom):
    """What an atom was before axes of size 1 were put into it."""
    found = r.definition(atom, "expand_dims", "reshape", "getitem")
    if not found or len(found.args) > 1 or not all(e is None or isinstance(e, slice) and e == slice(None) for e in found.params.get("index", ())):
        return atom
    before, after = ([n for n in r.aval(a).shape if n != 1] for a in (found.args[0], atom))
    return found.args[0] if before == after and None not in after else atom


def divide_one(r, stmt):
    x, y = stmt.args
    if is_number(r.uniform(y), 1):
        return x
    if r.loose(stmt) and is_number(r.uniform(x), 0):
        return zeros(r, stmt)
    return None


def negative_negative(r, stmt):
    found = r.definition(stmt.args[0], "negative")
    return found.args[0] if found else None


def negative_product(r, stmt):
    """-(c * x) is -c * x, also for quotients."""
    found = r.definition(stmt.args[0], "multiply", "divide") if signs_move(r, stmt) else None
    if found is None or not r.once(stmt.args[0]) or type(found.args[0]) not in (int, float) or not is_name(found.args[1]):
        return None
    if found.args[0] == 0 or found.args[0] != found.args[0]:
        return None
    return apply(stmt, found.op.name, -found.args[0], found.args[1])


def negative_difference(r, stmt):
    found = r.definition(stmt.args[0], "subtract")
    if found and r.loose(stmt) and r.once(stmt.args[0]):
        return apply(stmt, "subtract", *found.args[::-1])
    return zeros(r, stmt) if r.loose(stmt) and is_number(r.uniform(stmt.args[0]), 0) else None


def power_one(r, stmt):
    x, y = stmt.args
    return x if not is_name(y) and is_number(y, 1) else None


RULES = {
    "add": (add_zero, shift_twice, add_negative, add_twice, uniform_result),
    "subtract": (subtract_zero, subtract_itself, shift_twice, subtract_negative, uniform_result),
    "multiply": (multiply_one, multiply_zero, multiply_negative, multiply_reciprocal, multiply_quotient, multiply_literals, literal_first,
                 literal_outside, uniform_result),
    "divide": (divide_one, multiply_negative, uniform_result),
    "negative": (negative_negative, negative_product, negative_difference, uniform_result),
    "power": (power_one, uniform_result),
    "sum": (negative_inside, sum_at_hand),
    **dict.fromkeys(("reshape", "transpose", "getitem", "broadcast_to", "squeeze", "expand_dims"), (negative_inside,)),
}
