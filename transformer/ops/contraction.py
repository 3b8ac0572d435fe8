"""Sums of products of two arrays, described by one letter an axis as in einsum: their shape, their printed form, their rules.

    product(x, "ij", y, "kj", "ik")          emits x @ y.T

`matmul`, `dot`, `inner`, `outer` and `tensordot` are all declared from the letters of their operands (see `products`), so the
cotangent of each operand and the batched op are again sums of products, and `product` writes them as a person would.
"""

import math
import string

import numpy as np

from ..core import Aval
from ..errors import ShapeError
from .op import Op, aval_of, register, result_dtype

SMALL = 1024
"""Products of at most this many multiplications in a loop (a third of it elsewhere) are lowered as multiply-and-sum, which is cheaper."""


def shape_of(x):
    """Shape of a reference, array or number (a cotangent may be the number 1.0)."""
    return aval_of(x).shape


def unused(*letters):
    """A letter for the batch axis: b if free, else the first free one."""
    taken = set("".join(letters))
    return next(c for c in "b" + string.ascii_letters if c not in taken)


def sizes(name, shapes, letters, elastic=""):
    """Letter -> size. Sizes must agree, but for letters in `elastic` size 1 fits any size; ShapeError names the shapes."""
    found = {}
    for shape, axes in zip(shapes, letters, strict=True):
        for letter, size in zip(axes, shape, strict=True):
            known = found.get(letter)
            if known is None or (known == 1 and letter in elastic and size is not None):
                found[letter] = size
            elif size is not None and size != known and not (size == 1 and letter in elastic):
                listed = " and ".join(str(tuple(s)) for s in shapes)
                raise ShapeError(f"{name}: shapes {listed} do not fit together",
                                 f"Axes that are multiplied with each other have sizes {known} and {size}.")
    return found


def declare_product(name, impl, letters, elastic="", dot=False, **extra):
    """Declare a bilinear op. `letters(x_shape, y_shape, **params)` gives the letters of x, y and the result.

    dot: rules print `np.dot` instead of `@`, to keep the user's notation.
    """
    def infer(x, y, /, **params):
        lx, ly, lo = letters(x.shape, y.shape, **params)
        found = sizes(name, (x.shape, y.shape), (lx, ly), elastic)
        return Aval(tuple(found[c] for c in lo), result_dtype(x, y))

    def lower(hlo, out, x, y, /, **params):
        return lower_product(hlo, out, x, y, *letters(x.shape, y.shape, **params))

    def vjp(g, x, y, out, /, **params):
        lx, ly, lo = letters(x.shape, y.shape, **params)
        return (operand_bar(g, lo, y, ly, lx, x.shape, dot=dot),
                operand_bar(g, lo, x, lx, ly, y.shape, dot=dot, other_first=True))

    def batch(axes, x, y, /, **params):
        shapes = [v.shape if axis is None else v.shape[1:] for v, axis in zip((x, y), axes, strict=True)]
        lx, ly, lo = letters(*shapes, **params)
        b = unused(lx, ly, lo)
        lx, ly = (b + lx if axes[0] == 0 else lx), (b + ly if axes[1] == 0 else ly)
        return product(x, lx, y, ly, b + lo, dot), 0

    def kind(x, y, /, **params):
        *letters_in, lo = letters(x.shape, y.shape, **params)
        return kind_of(letters_in, lo)

    return register(Op(name, impl, infer, lower, vjp=vjp, batch=batch, linear="each", promotes=True, product=kind, **extra))


def kind_of(inputs, output):
    """What kind of product an einsum is: "batched dot" if an axis is common to two operands and the result; None if nothing is summed."""
    common = {c for i, letters in enumerate(inputs) for other in inputs[:i] for c in letters if c in other}
    if common <= set(output):
        return None
    return "batched dot" if common & set(output) else "dot"


def operand_bar(g, lo, other, l_other, letters, shape, dot=False, other_first=False):
    """The cotangent of an operand with these letters and this shape: g times the other operand, summed to its axes."""
    found = sizes("cotangent", (shape_of(g), shape_of(other)), (lo, l_other), elastic=lo + l_other)
    kept = [c for c, size in zip(letters, shape, strict=True) if c in found and (size != 1 or found[c] == 1)]
    if other_first:
        bar = product(other, l_other, g, lo, "".join(kept), dot)
    else:
        bar = product(g, lo, other, l_other, "".join(kept), dot)
    missing = tuple(i for i, c in enumerate(letters) if c not in kept)
    if missing:
        bar = np.broadcast_to(np.expand_dims(bar, missing), shape)
    return bar


def product(x, lx, y, ly, lo, dot=False):
    """The sum over the letters not in `lo` of x * y, in the plainest NumPy notation that says so.

    The letters within one operand differ. An axis of size 1 whose letter has another size in the other operand is dropped.
    """
    x, y, lx, ly = *drop_broadcast(x, lx, y, ly), *kept_letters(x, lx, y, ly)
    alone = [c for c in lx if c not in ly + lo] + [c for c in ly if c not in lx + lo]
    summed = [c for c in lx if c in ly and c not in lo]
    batched = [c for c in lx if c in ly and c in lo]
    if alone:
        return np.einsum(f"{lx},{ly}->{lo}", x, y)
    if not summed:
        return multiply(x, lx, y, ly, lo)
    if batched:
        return batched_product(x, lx, y, ly, lo, summed)
    return plain_product(x, lx, y, ly, lo, summed, np.dot if dot else np.matmul)


def drop_broadcast(x, lx, y, ly):
    """The operands without the axes of size 1 that are stretched to the size of the other operand's axis."""
    return squeeze(x, stretched(x, lx, y, ly)), squeeze(y, stretched(y, ly, x, lx))


def kept_letters(x, lx, y, ly):
    drop_x, drop_y = stretched(x, lx, y, ly), stretched(y, ly, x, lx)
    return ("".join(c for i, c in enumerate(lx) if i not in drop_x), "".join(c for i, c in enumerate(ly) if i not in drop_y))


def stretched(x, lx, y, ly):
    return tuple(i for i, c in enumerate(lx) if c in ly and x.shape[i] == 1 and y.shape[ly.index(c)] != 1)


def squeeze(x, axes):
    return np.squeeze(x, axis=axes) if axes else x


def multiply(x, lx, y, ly, lo):
    """No letter is summed: an outer or elementwise product."""
    if len(lx) == len(ly) == 1 and lx != ly:
        return np.outer(x, y) if lo == lx + ly else np.outer(y, x)
    return spread(x, lx, lo) * spread(y, ly, lo)


def spread(x, letters, lo):
    """x with its axes in the order of `lo`, and new axes of size 1 for the letters it lacks (none in front)."""
    order = tuple(letters.index(c) for c in lo if c in letters)
    if order != tuple(range(len(order))):
        x = np.transpose(x, order)
    index = tuple(slice(None) if c in letters else None for c in lo)
    while index and index[0] is None:
        index = index[1:]
    return x[index] if None in index else x


def plain_product(x, lx, y, ly, lo, summed, times):
    """No letter is common to both operands and the result: matrix products, else tensordot."""
    free_x, free_y = lo_of(lx, summed), lo_of(ly, summed)
    if len(summed) == 1:
        k = summed[0]
        for a, la, b, lb, target in ((x, lx, y, ly, free_x + free_y), (y, ly, x, lx, free_y + free_x)):
            if lo == target and (len(la) == 1 or la[-1] == k or len(la) == 2) and len(lb) <= 2:
                return matrix_product(a, la, b, lb, k, times)
            if len(lb) > 2 and len(la) == 2 and k in lb[-2:] and lo == lb[:-2] + lo_of(la, summed) + lo_of(lb[-2:], summed):
                return turned(a, la[-1] == k) @ turned(b, lb[-2] == k)
    if lo == free_y + free_x and lo != free_x + free_y:
        return np.tensordot(y, x, axes=(positions(ly, summed), positions(lx, summed)))
    bar = np.tensordot(x, y, axes=(positions(lx, summed), positions(ly, summed)))
    order = tuple((free_x + free_y).index(c) for c in lo)
    return bar if order == tuple(range(len(order))) else np.transpose(bar, order)


def matrix_product(a, la, b, lb, k, times):
    """a's k with b's k, at most one of them of more than two axes; the result has the free axes of a, then those of b."""
    if len(la) == 1 and len(lb) == 2 and lb[-1] == k:
        return times(b, a)
    if len(lb) == 1 and len(la) == 2 and la[0] == k:
        return times(b, a)
    return times(turned(a, la[-1] == k), turned(b, lb[0] == k))


def turned(x, fits):
    """x, or x with its last two axes swapped if it does not fit as it is."""
    if fits:
        return x
    return x.T if len(x.shape) == 2 else np.swapaxes(x, -1, -2)


def batched_product(x, lx, y, ly, lo, summed):
    """Some letters are common to both operands and the result: a stack of matrix products, else einsum."""
    n = len(lo) - 2
    lead = lo[:n]
    if len(summed) == 1 and n > 0 and lx[:n] == ly[:n] == lead and len(lx) == len(ly) == n + 2:
        k, i, j = summed[0], lo_of(lx[n:], summed), lo_of(ly[n:], summed)
        if lo == lead + i + j:
            return turned(x, lx[-1] == k) @ turned(y, ly[-2] == k)
        if lo == lead + j + i:
            return turned(y, ly[-1] == k) @ turned(x, lx[-2] == k)
    return np.einsum(f"{lx},{ly}->{lo}", x, y)


def lo_of(letters, summed):
    return "".join(c for c in letters if c not in summed)


def positions(letters, summed):
    return tuple(letters.index(c) for c in summed)


# lowering -----------------------------------------------------------------------------------------------------------------

def lower_product(hlo, out, x, y, lx, ly, lo):
    """StableHLO of a sum of products whose result has aval `out`."""
    if out.dtype == bool:
        count = lower_product(hlo, Aval(out.shape, np.dtype(np.int32)), x, y, lx, ly, lo)
        return hlo.compare("NE", count, hlo.full(out.shape, 0, np.dtype(np.int32)))
    x, y = hlo.convert(x, out.dtype), hlo.convert(y, out.dtype)
    drop_x, drop_y = stretched(x, lx, y, ly), stretched(y, ly, x, lx)
    x, lx = lower_sum(hlo, x, lx, [c for i, c in enumerate(lx) if i in drop_x or c not in ly + lo])
    y, ly = lower_sum(hlo, y, ly, [c for i, c in enumerate(ly) if i in drop_y or c not in lx + lo])
    summed = [c for c in lx if c in ly and c not in lo]
    found = {**dict(zip(lx, x.shape, strict=True)), **dict(zip(ly, y.shape, strict=True))}
    every = lo + "".join(summed)
    if not summed or math.prod([found[c] for c in every]) <= limit(hlo):
        return lower_multiply(hlo, x, lx, y, ly, lo, every, found)
    batched = [c for c in lx if c in ly and c in lo]
    value = hlo.dot_general(x, y, batch=(positions(lx, batched), positions(ly, batched)),
                            contract=(positions(lx, summed), positions(ly, summed)))
    order = "".join(batched) + lo_of(lx, batched + summed) + lo_of(ly, batched + summed)
    return value if order == lo else hlo.transpose(value, positions(order, lo))


def lower_sum(hlo, x, letters, drop):
    """x summed over the letters in `drop`."""
    if not drop:
        return x, letters
    axes = positions(letters, drop)
    return hlo.reduce(x, 0, axes, "add"), lo_of(letters, drop)


def limit(hlo):
    """See SMALL. A program that XLA splits over devices has matrix products only: those it knows how to split."""
    return SMALL if hlo.depth else 0 if hlo.partitions else SMALL // 3


def lower_multiply(hlo, x, lx, y, ly, lo, every, found):
    """Multiply over all letters, then sum the last ones away."""
    shape = tuple(found[c] for c in every)
    value = hlo.multiply(lower_spread(hlo, x, lx, every, shape), lower_spread(hlo, y, ly, every, shape))
    if len(every) == len(lo):
        return value
    return hlo.reduce(value, 0, tuple(range(len(lo), len(every))), "add")


def lower_spread(hlo, x, letters, every, shape):
    order = sorted(range(len(letters)), key=lambda i: every.index(letters[i]))
    if order != list(range(len(order))):
        x = hlo.transpose(x, tuple(order))
    return hlo.broadcast_in_dim(x, shape, tuple(sorted(every.index(c) for c in letters)))
