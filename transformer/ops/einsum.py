"""einsum: the user's subscripts are brought to one explicit form (`ij,jk->ik`), which the rules extend and rearrange."""

import string

import numpy as np

from ..core import Aval
from ..errors import ShapeError, TransformError
from .contraction import kind_of, lower_product, operand_bar, shape_of, sizes, unused
from .op import array, function, op, result_dtype


def split(subscripts):
    """("ij,jk->ik") to (["ij", "jk"], "ik")."""
    inputs, output = subscripts.split("->")
    return inputs.split(","), output


CASES = ["ij,jk->ik 23 34", "ii->i 33", "ii-> 33", "ij-> 23", "ij->j 23", "bij,jk,bk->bi 234 45 25", "iij,j->i 332 2", "i,j->ij 2 3",
         "bi,bi->b 23 23", "ij,k->i 23 4", "ij,ij->ij 13 21", "ij,ji-> 23 32", "iij->ji 223", "i,i,i-> 3 3 3", "ijj,jk->ki 233 32"]
"""Subscripts and shapes of the samples."""


@op(linear="each")
class einsum:
    """Sum of products over the letters that are not in the output."""

    promotes = True

    def samples(rng):
        cases = [case.split() for case in CASES]
        return [(tuple(rng.normal(size=tuple(map(int, shape))) for shape in shapes), {"subscripts": subscripts, "optimize": False})
                for subscripts, *shapes in cases]

    def impl(*args, subscripts, optimize):
        return np.einsum(subscripts, *args, optimize=optimize)

    def infer(*avals, subscripts, optimize):
        inputs, output = split(subscripts)
        found = sizes("einsum", [a.shape for a in avals], inputs, elastic=output + "".join(inputs))
        return Aval(tuple(found[c] for c in output), result_dtype(*avals))

    def lower(hlo, out, *args, subscripts, optimize):
        return lower_einsum(hlo, out, list(args), *split(subscripts))

    def vjp(g, *rest, subscripts, optimize):
        *args, _ = rest
        bars = tuple(einsum_bar(g, args, subscripts, optimize, i) for i in range(len(args)))
        return bars if len(bars) > 1 else bars[0]

    def batch(axes, *args, subscripts, optimize):
        inputs, output = split(subscripts)
        b = unused(*inputs, output)
        inputs = [b + letters if axis == 0 else letters for letters, axis in zip(inputs, axes, strict=True)]
        return einsum.bind(*args, subscripts=f"{','.join(inputs)}->{b}{output}", optimize=optimize), 0

    def product(*avals, subscripts, optimize):
        return kind_of(*split(subscripts))

    def notation(*avals, subscripts, optimize):
        places = ", ".join(f"{{{i}}}" for i in range(len(avals)))
        return f'np.einsum("{subscripts}", {places}' + (f", optimize={optimize!r})" if optimize else ")")


# rules --------------------------------------------------------------------------------------------------------------------

def einsum_bar(g, args, subscripts, optimize, position):
    """The cotangent of one operand: an einsum of g with the other operands, spread over what that operand was summed over."""
    inputs, output = split(subscripts)
    letters, shape = inputs[position], shape_of(args[position])
    distinct = "".join(dict.fromkeys(letters))
    extent = tuple(shape[letters.index(c)] for c in distinct)
    others = [(a, s) for i, (a, s) in enumerate(zip(args, inputs, strict=True)) if i != position]
    bar = distinct_bar(g, output, others, distinct, extent, optimize, position)
    return bar if distinct == letters else scatter_diagonal(bar, args[position], letters, distinct)


def distinct_bar(g, output, others, letters, extent, optimize, position):
    """`einsum_bar` for an operand without repeated letters."""
    plain = len(others) == 1 and len(set(others[0][1])) == len(others[0][1])
    if plain and set(letters) <= set(output + others[0][1]):
        return operand_bar(g, output, *others[0], letters, extent, other_first=position == 1)
    found = sizes("einsum", [shape_of(g), *(shape_of(a) for a, _ in others)], [output, *(s for _, s in others)],
                  elastic=string.ascii_letters)
    kept = "".join(c for c, size in zip(letters, extent, strict=True) if c in found and (size != 1 or found[c] == 1))
    bar = contract([g, *(a for a, _ in others)], [output, *(s for _, s in others)], kept, optimize)
    missing = tuple(i for i, c in enumerate(letters) if c not in kept)
    return np.broadcast_to(np.expand_dims(bar, missing), extent) if missing else bar


def contract(args, inputs, output, optimize):
    """einsum, or the operand itself (transposed) where nothing is left to do."""
    if len(args) == 1 and sorted(inputs[0]) == sorted(output):
        order = tuple(inputs[0].index(c) for c in output)
        return args[0] if order == tuple(range(len(order))) else np.transpose(args[0], order)
    return einsum.bind(*args, subscripts=f"{','.join(inputs)}->{output}", optimize=optimize)


def scatter_diagonal(bar, x, letters, distinct):
    """Zeros of x's shape with `bar` on the diagonal that the repeated letters name."""
    out = np.zeros_like(x, dtype=bar.dtype)
    ndim = len(distinct)
    grids = [np.arange(n).reshape((-1,) + (1,) * (ndim - 1 - i)) for i, n in enumerate(shape_of(bar))]
    out[tuple(grids[distinct.index(c)] for c in letters)] = bar
    return out


# lowering -----------------------------------------------------------------------------------------------------------------

def lower_einsum(hlo, out, args, inputs, output):
    """Diagonals first, then products of two operands at a time in NumPy's greedy order, sums of lone letters along the way."""
    dtype = np.dtype(np.int32) if out.dtype == bool else out.dtype
    pairs = [lower_diagonal(hlo, hlo.convert(a, dtype), letters) for a, letters in zip(args, inputs, strict=True)]
    for left, right in contraction_path([(p[0].shape, p[1]) for p in pairs], output):
        (x, lx), (y, ly) = pairs[left], pairs[right]
        rest = [p for i, p in enumerate(pairs) if i not in (left, right)]
        needed = set(output).union(*(letters for _, letters in rest))
        lo = "".join(c for c in dict.fromkeys(lx + ly) if c in needed) if rest else output
        found = sizes("einsum", (x.shape, y.shape), (lx, ly), elastic=lx + ly)
        aval = Aval(tuple(found[c] for c in lo), dtype)
        pairs = [*rest, (lower_product(hlo, aval, x, y, lx, ly, lo), lo)]
    value = lower_sum_to(hlo, *pairs[0], output)
    if out.dtype != bool:
        return value
    return hlo.compare("NE", value, hlo.full(out.shape, 0, dtype))


def contraction_path(operands, output):
    """Pairs of positions to contract, each result appended at the end."""
    if len(operands) <= 2:
        return [(0, 1)] * (len(operands) - 1)
    subscripts = ",".join(letters for _, letters in operands) + "->" + output
    arrays = [np.broadcast_to(0.0, shape) for shape, _ in operands]
    path = np.einsum_path(subscripts, *arrays, optimize="greedy")[0][1:]
    pairs, count = [], len(operands)
    for step in path:
        step = sorted(step)
        while len(step) > 1:
            pairs.append((step[0], step[1]))
            count -= 1
            step = [s - (s > pairs[-1][0]) - (s > pairs[-1][1]) for s in step[2:]] + [count - 1]
    return pairs


def lower_diagonal(hlo, x, letters):
    """x with the axes of repeated letters replaced by their diagonal."""
    for c in dict.fromkeys(letters):
        while letters.count(c) > 1:
            i = letters.index(c)
            j = letters.index(c, i + 1)
            on = hlo.compare("EQ", hlo.iota(x.shape, np.dtype(np.int64), i), hlo.iota(x.shape, np.dtype(np.int64), j))
            x = hlo.reduce(hlo.select(on, x, hlo.full(x.shape, 0, x.dtype)), 0, (j,), "add")
            letters = letters[:j] + letters[j + 1:]
    return x, letters


def lower_sum_to(hlo, x, letters, output):
    """x summed over the letters not in `output`, its axes in the order of `output`."""
    drop = tuple(i for i, c in enumerate(letters) if c not in output)
    x = hlo.reduce(x, 0, drop, "add") if drop else x
    letters = "".join(c for c in letters if c in output)
    order = tuple(letters.index(c) for c in output)
    return x if order == tuple(range(len(order))) else hlo.transpose(x, order)


# the user's call ------------------------------------------------------------------------------------------------------------

@function(np.einsum)
def einsum_call(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """np.einsum with string subscripts, or with a list of axis numbers after each operand."""
    if isinstance(operands[0], str):
        args = [array(a) for a in operands[1:]]
        inputs, output = parse(operands[0], args)
    else:
        args, inputs, output = interleaved(operands)
    if len(args) != len(inputs):
        raise ShapeError(f"einsum: {len(inputs)} groups of subscripts for {len(args)} operands", "Give one group for each operand.")
    if dtype is not None:
        args = [np.asarray(a).astype(dtype) if not hasattr(a, "astype") else a.astype(dtype) for a in args]
    inputs, output = expand_ellipsis(inputs, output, [len(shape_of(a)) for a in args])
    known = set("".join(inputs))
    if len(set(output)) != len(output) or not set(output) <= known:
        raise ShapeError(f"einsum: the output subscripts '{output}' repeat a letter or have one that no operand has",
                         "Each output letter must stand once, and in some operand.")
    return einsum.bind(*args, subscripts=f"{','.join(inputs)}->{output}", optimize=optimize)


def parse(subscripts, args):
    """Input groups and the output, which may be None (implicit)."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    if set(inputs + output) - set(string.ascii_letters + ",."):
        raise TransformError(f"einsum: the subscripts '{subscripts}' hold a character that is not a letter",
                             "Use letters, commas, '...' and one '->'.")
    return inputs.split(","), output if arrow else None


def interleaved(operands):
    """The form np.einsum(a, [0, 1], b, [1, 2], [0, 2]) as letters; numbers keep their order."""
    letters = string.ascii_uppercase + string.ascii_lowercase

    def text(axes):
        return "".join("..." if a is Ellipsis else letters[a] for a in axes)

    pairs = operands[: len(operands) // 2 * 2]
    output = text(operands[-1]) if len(operands) % 2 else None
    return [array(a) for a in pairs[::2]], [text(axes) for axes in pairs[1::2]], output


def expand_ellipsis(inputs, output, ndims):
    """Groups with '...' replaced by letters (aligned from the last axis), and the explicit output."""
    widths = [ndim - len(s.replace("...", "")) if "..." in s else 0 for s, ndim in zip(inputs, ndims, strict=True)]
    for s, ndim, width in zip(inputs, ndims, widths, strict=True):
        if width < 0 or ("..." not in s and len(s) != ndim):
            raise ShapeError(f"einsum: the subscripts '{s}' do not fit an array of {ndim} axes", "Give one letter for each axis.")
    taken = "".join(inputs) + (output or "")
    free = [c for c in string.ascii_letters if c not in taken][: max(widths, default=0)]
    lead = "".join(free)
    full = [s.replace("...", lead[len(lead) - w:]) for s, w in zip(inputs, widths, strict=True)]
    if output is None:
        once = "".join(s.replace("...", "") for s in inputs)
        output = "..." * bool(lead) + "".join(c for c in sorted(set(once)) if once.count(c) == 1)
    return full, output.replace("...", lead)


__all__ = ["einsum"]
