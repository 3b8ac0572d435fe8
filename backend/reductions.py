"""Reductions, windows, cumulative ops and sorting with NumPy's treatment of nan and of ties."""

import numpy as np

from .literals import ints_text
from .rounding import rounds_alike

UNROLLED_SCAN = 64
"""Cumulative ops up to this length are unrolled in log2(n) steps that fuse; longer ones run as a loop on CPU."""


def identity(kind, dtype):
    """The neutral element of a reduction."""
    if kind in ("add", "or", "xor"):
        return np.zeros((), dtype)[()]
    if kind == "multiply":
        return np.ones((), dtype)[()]
    if kind == "and":
        return np.bool_(True) if dtype.kind == "b" else np.array(-1).astype(dtype)[()]
    if dtype.kind == "b":
        return np.bool_(kind == "minimum")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if kind == "maximum" else info.max
    if dtype.kind == "c":
        return dtype.type(complex(-np.inf, -np.inf) if kind == "maximum" else complex(np.inf, np.inf))
    return np.asarray(-np.inf if kind == "maximum" else np.inf, dtype)[()]


def _init(hlo, x, init, kind):
    if init is None:
        init = identity(kind, x.dtype)
    return hlo.convert(init, x.dtype) if hasattr(init, "name") else hlo.constant(init, x.dtype)


def _combiner(hlo, kind, dtype):
    if dtype.kind == "c" and kind in ("maximum", "minimum"):
        return hlo.region([((), dtype)] * 2, lambda a, b: [_complex_extremum(hlo, kind, a, b)], isolated=True)
    return hlo.region([((), dtype)] * 2, lambda a, b: [hlo.op(kind, [a, b], (), dtype)], isolated=True)


def _complex_extremum(hlo, kind, a, b):
    """The larger or smaller of two complex numbers by real, then imaginary part; nan wins, as in NumPy."""
    before = _precedes_complex(hlo, "LT", a, b)
    chosen = hlo.select(before, b, a) if kind == "maximum" else hlo.select(before, a, b)
    return hlo.select(hlo.compare("NE", a, a), a, hlo.select(hlo.compare("NE", b, b), b, chosen))


def reduce(hlo, x, init, axes, kind):
    """Reduce over `axes` (dropped). kind: add multiply maximum minimum and or xor; init: number, scalar value, or None (neutral)."""
    axes = tuple(axes)
    if not axes:
        return x
    shape = tuple(n for a, n in enumerate(x.shape) if a not in axes)
    hlo.reductions.append((x.shape, axes))
    init = _init(hlo, x, init, kind)
    return hlo.op("reduce", [x, init], shape, x.dtype, f"dimensions = {ints_text(axes)}", [_combiner(hlo, kind, x.dtype)])


def reduce_window(hlo, x, init, kind, window, strides=None, padding=None, base_dilation=None, window_dilation=None):
    """Reduce each window. window, strides, dilations: one int per axis; padding: one (lo, hi) per axis."""
    ones = (1,) * x.ndim
    strides, base, dilation = strides or ones, base_dilation or ones, window_dilation or ones
    padding = padding or ((0, 0),) * x.ndim
    shape = tuple(max(0, ((n - 1) * b + 1 + lo + hi - ((w - 1) * d + 1)) // s + 1) for n, b, (lo, hi), w, d, s in
                  zip(x.shape, base, padding, window, dilation, strides, strict=True))
    pairs = "[" + ", ".join(f"[{lo}, {hi}]" for lo, hi in padding) + "]"
    attrs = (f"window_dimensions = {ints_text(window)}, window_strides = {ints_text(strides)}, base_dilations = {ints_text(base)}, "
             f"window_dilations = {ints_text(dilation)}, padding = dense<{pairs}> : tensor<{x.ndim}x2xi64>")
    init = _init(hlo, x, init, kind)
    return hlo.op("reduce_window", [x, init], shape, x.dtype, attrs, [_combiner(hlo, kind, x.dtype)])


def cumulative(hlo, x, axis, kind, reverse=False):
    """Inclusive scan along an axis. kind: add multiply maximum minimum (nan stays, as in NumPy). The loop adds in NumPy's order."""
    n = x.shape[axis]
    if n <= 1 or x.size == 0:
        return x
    if reverse:
        return hlo.reverse(cumulative(hlo, hlo.reverse(x, (axis,)), axis, kind), (axis,))
    if hlo.platform == "cpu" and n > UNROLLED_SCAN:
        return _scan_loop(hlo, x, axis, kind)
    return _scan_doubling(hlo, x, axis, kind)


def _scan_doubling(hlo, x, axis, kind):
    """log2(n) rounds: each adds the array shifted by 1, 2, 4..."""
    n, shift = x.shape[axis], 1
    while shift < n:
        limits = [d - (shift if a == axis else 0) for a, d in enumerate(x.shape)]
        lo = [shift if a == axis else 0 for a in range(x.ndim)]
        shifted = hlo.pad(hlo.slice(x, (0,) * x.ndim, limits), identity(kind, x.dtype), lo, (0,) * x.ndim)
        x = hlo.op(kind, [x, shifted], x.shape, x.dtype)
        shift *= 2
    return x


def _scan_loop(hlo, x, axis, kind):
    """One pass over the axis that carries the running value."""
    n = x.shape[axis]
    sizes = [1 if a == axis else d for a, d in enumerate(x.shape)]

    def starts(i):
        return [i if a == axis else 0 for a in range(x.ndim)]

    def body(i, total, out):
        total = hlo.op(kind, [total, hlo.dynamic_slice(x, starts(i), sizes)], total.shape, x.dtype)
        return [hlo.add(i, hlo.constant(1, np.int64)), total, hlo.dynamic_update_slice(out, total, starts(i))]
    start = hlo.full(sizes, identity(kind, x.dtype), x.dtype)
    inits = [hlo.constant(0, np.int64), start, hlo.full(x.shape, 0, x.dtype)]
    return hlo.while_(inits, lambda i, total, out: hlo.compare("LT", i, hlo.constant(n, np.int64)), body)[2]


def argreduce(hlo, x, axis, kind):
    """int64 index of the first maximum ("max") or minimum ("min") along an axis (dropped); the first nan wins, as in NumPy."""
    if x.dtype.kind == "c":
        raise TypeError("XLA has no argmax or argmin of complex numbers; compare real parts instead")
    return hlo.convert(extremum(hlo, x, (axis,), "maximum" if kind == "max" else "minimum")[1], np.int64)


def extremum(hlo, x, axes, kind):
    """(extrema, places) over `axes` (dropped): the place of the first of each, counted along these axes. The first nan wins.

    Where XLA might compute `x` again for a second look, and round it differently, none of its elements might equal an extremum: then both
    come out of one pass, which takes longer.
    """
    if x.dtype.kind == "b":
        best, place = extremum(hlo, hlo.convert(x, np.uint8), axes, kind)
        return hlo.convert(best, np.bool_), place
    axes, shape = tuple(axes), tuple(n for a, n in enumerate(x.shape) if a not in axes)
    index = places(hlo, x.shape, axes)
    hlo.reductions.append((x.shape, axes))
    if rounds_alike(hlo, x):
        return twice(hlo, x, index, axes, kind)
    start = hlo.constant(identity(kind, x.dtype), x.dtype), hlo.constant(np.iinfo(index.dtype).max, index.dtype)
    region = hlo.region([((), x.dtype), ((), index.dtype)] * 2, lambda *pairs: better(hlo, kind, *pairs), isolated=True)
    return hlo.ops("reduce", [x, index, *start], [(shape, x.dtype), (shape, index.dtype)], f"dimensions = {ints_text(axes)}", [region])


def twice(hlo, x, index, axes, kind):
    """The same in two passes."""
    best = hlo.reduce(x, None, axes, kind)
    found = hlo.compare("EQ", x, hlo.broadcast_in_dim(best, x.shape, [a for a in range(x.ndim) if a not in axes]))
    if _has_nan(x.dtype):
        found = hlo.or_(found, hlo.compare("NE", x, x))
    where = hlo.select(found, index, hlo.full(x.shape, np.iinfo(index.dtype).max, index.dtype))
    return best, hlo.reduce(where, None, axes, "minimum")


def places(hlo, shape, axes):
    """The number of each element along `axes`, in order."""
    dtype = np.dtype(np.int32 if int(np.prod([shape[a] for a in axes])) < 2**31 else np.int64)
    total = None
    for axis in axes:
        here = hlo.iota(shape, dtype, axis)
        total = here if total is None else hlo.add(hlo.multiply(total, hlo.full(shape, shape[axis], dtype)), here)
    return total


def better(hlo, kind, best, place, value, index):
    """The (extremum, place) of two."""
    order = hlo.compare("GT" if kind == "maximum" else "LT", value, best)
    tie = hlo.compare("EQ", value, best)
    if _has_nan(value.dtype):
        no_number, had_none = (hlo.compare("NE", v, v) for v in (value, best))
        order = hlo.or_(order, hlo.and_(no_number, hlo.compare("EQ", best, best)))
        tie = hlo.or_(tie, hlo.and_(no_number, had_none))
    taken = hlo.or_(order, hlo.and_(tie, hlo.compare("LT", index, place)))
    return [hlo.select(taken, value, best), hlo.select(taken, index, place)]


def sort(hlo, xs, axis, stable=True, descending=False):
    """Sort along an axis by the first value, the others carried along; nan comes last. Returns the list of sorted values."""
    xs = list(xs)
    parameters = [((), x.dtype) for x in xs for _ in (0, 1)]
    order = "GT" if descending else "LT"
    region = hlo.region(parameters, lambda a, b, *rest: [_precedes(hlo, order, a, b)], isolated=True)
    attrs = f"dimension = {axis} : i64, is_stable = {'true' if stable else 'false'}"
    return hlo.ops("sort", xs, [(x.shape, x.dtype) for x in xs], attrs, [region])


def _has_nan(dtype):
    """Whether a type is of real floating-point numbers, those of ml_dtypes included."""
    return dtype.kind == "f" or dtype.kind == "V" and "float" in dtype.name


def _precedes(hlo, order, a, b):
    if a.dtype.kind == "c":
        return _precedes_complex(hlo, order, a, b)
    before = hlo.compare(order, a, b)
    if not _has_nan(a.dtype):
        return before
    a_ok, b_nan = hlo.compare("EQ", a, a), hlo.compare("NE", b, b)
    return hlo.or_(before, hlo.and_(a_ok, b_nan))


def _precedes_complex(hlo, order, a, b):
    """Lexicographic by real, then imaginary part, each with nan last."""
    first = _precedes(hlo, order, hlo.real(a), hlo.real(b))
    after = _precedes(hlo, order, hlo.real(b), hlo.real(a))
    second = _precedes(hlo, order, hlo.imag(a), hlo.imag(b))
    return hlo.or_(first, hlo.and_(hlo.not_(after), second))
