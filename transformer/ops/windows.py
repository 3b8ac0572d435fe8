"""Reductions of the windows of an array: sums and extrema, as pooling layers take them.

`window`, `strides`, `padding` (pairs, not negative), `dilation` (zeros between elements, sums only) and `spread` (of the window) have one entry
per axis.
"""

import functools

import numpy as np

from ..core import Aval
from .attainment import attains, farthest
from .convolution import out_size, stretched
from .creation import dtype_text
from .op import TABLE, Op, op, register


def _shape(x, window, strides, padding, dilation, spread):
    return tuple(out_size(*parts) for parts in zip(x.shape, window, strides, padding, dilation, spread))


def _text(x, name, fill, window, strides, padding, dilation, spread):
    """The reduction as one NumPy expression."""
    text = "{0}"
    if any(d > 1 for d in dilation):
        ends = ", ".join(f":{stretched(n, d)}" for n, d in zip(x.shape, dilation))
        text = f"np.kron({text}, np.eye(1, {int(np.prod(dilation))}, dtype={dtype_text(x.dtype)}).reshape{dilation})[{ends}]"
    if any(lo < 0 or hi < 0 for lo, hi in padding):
        ends = [(max(0, -lo), stretched(n, d) + min(0, hi)) for n, d, (lo, hi) in zip(x.shape, dilation, padding)]
        text = f"{text}[{', '.join(f'{a}:{max(a, b)}' for a, b in ends)}]"
    if any(lo > 0 or hi > 0 for lo, hi in padding):
        pairs = ", ".join(f"({max(0, lo)}, {max(0, hi)})" for lo, hi in padding)
        constant = f", constant_values={fill}" if fill != "0" else ""
        text = f"np.pad({text}, ({pairs}{',' * (len(padding) == 1)}){constant})"
    ndim = len(window)
    whole = tuple(stretched(k, s) for k, s in zip(window, spread))
    text = f"np.lib.stride_tricks.sliding_window_view({text}, {whole})"
    steps = [f"::{s}" if s > 1 else ":" for s in (*strides, *spread)]
    if set(steps) != {":"}:
        text = f"{text}[{', '.join(steps)}]"
    dtype = f", dtype={dtype_text(x.dtype)}" if name == "sum" and x.dtype.kind in "iub" else ""
    return f"np.{name}({text}, axis={tuple(range(ndim, 2 * ndim))}{dtype})"


@functools.cache
def _compiled(text):
    return eval(f"lambda x: {text.format('x')}", {"np": np})


def _fill(dtype, largest):
    """Source of the neutral element of an extremum."""
    if dtype.kind in "iu":
        return str(np.iinfo(dtype).max if largest else np.iinfo(dtype).min)
    return "np.inf" if largest else "-np.inf"


def lengthened(params):
    """The parameters for an array with a batch axis in front."""
    pads = {"padding": ((0, 0), *params["padding"])}
    return {k: (1, *v) for k, v in params.items() if k != "padding"} | pads


def _samples(rng):
    def case(shape, **changes):
        n = len(shape)
        params = {"window": (2,) * n, "strides": (1,) * n, "padding": ((0, 0),) * n, "dilation": (1,) * n, "spread": (1,) * n} | changes
        return (rng.permutation(int(np.prod(shape))).reshape(shape) / 3.0,), params
    return [case((5,)), case((4, 5), strides=(2, 1), padding=((1, 1), (0, 1))), case((2, 6), window=(1, 3), spread=(1, 2)),
            case((5, 4), strides=(2, 2)), case((5, 7), window=(3, 2), strides=(3, 2), padding=((1, 1), (1, 0)))]


@op(linear="jointly")
class window_sum:
    samples = _samples

    def impl(x, **params):
        return _compiled(_text(Aval(x.shape, x.dtype), "sum", "0", **params))(x)

    def infer(x, **params):
        return Aval(_shape(x, **params), x.dtype)

    def lower(hlo, out, x, window, strides, padding, dilation, spread):
        return hlo.reduce_window(x, 0, "add", window, strides, padding, dilation, spread)

    def vjp(g, x, out, window, strides, padding, dilation, spread):
        pairs = []
        for n, k, m, s, (lo, _), d, w in zip(np.shape(x), window, np.shape(g), strides, padding, dilation, spread):
            low = stretched(k, w) - 1 - lo
            pairs.append((low, stretched(n, d) - 1 + stretched(k, w) - stretched(m, s) - low))
        return TABLE["window_sum"].bind(g, window=window, strides=dilation, padding=tuple(pairs), dilation=strides, spread=spread)

    def batch(axes, x, **params):
        return TABLE["window_sum"].bind(x, **lengthened(params)), 0

    def notation(x, **params):
        return _text(x, "sum", "0", **params)


def places(shape, window, strides, padding, spread):
    """Index arrays that read the windows of a padded array: the places, then the window; and the padding that is needed."""
    ndim, index = len(shape), []
    for axis, (n, k, s, pair, w) in enumerate(zip(shape, window, strides, padding, spread)):
        count = out_size(n, k, s, pair, 1, w)
        at = s * np.arange(count)[:, None] + w * np.arange(k)
        around = [1] * (2 * ndim)
        around[axis], around[ndim + axis] = count, k
        index.append(at.reshape(around))
    return tuple(index)


class _Extremum:
    """Rules of window_max and window_min: elements that tie share the cotangent evenly."""

    def read(x, fill, params):
        """(the padded array, index of its windows)."""
        padded = np.pad(x, params["padding"], constant_values=fill) if any(map(any, params["padding"])) else x
        return padded, places(np.shape(x), params["window"], params["strides"], params["padding"], params["spread"])

    def hits(kind, x, out, fill, params):
        """(whether each element of each window is the extremum, how many are, the index, axes of the windows)."""
        padded, index = _Extremum.read(x, fill, params)
        ndim = np.ndim(x)
        axes = tuple(range(ndim, 2 * ndim))
        hit = attains(kind, padded[index], np.reshape(out, (*np.shape(out), *(1,) * ndim)))
        return hit, np.sum(hit, axis=axes, dtype=out.dtype), index, axes


def tiled_bar(kind, g, x, out, fill, window, padding):
    """The cotangent of x where the windows are tiles: each element is in one of them at most."""
    sizes, ndim = np.shape(out), np.ndim(x)
    padded = np.pad(x, padding, constant_values=fill) if any(map(any, padding)) else x
    covered = tuple(n * k for n, k in zip(sizes, window))
    tiles = np.reshape(padded[tuple(slice(0, n) for n in covered)], tuple(n for pair in zip(sizes, window) for n in pair))
    apart = tuple(n for size in sizes for n in (size, 1))
    hit = attains(kind, tiles, np.reshape(out, apart))
    share = np.reshape(g, apart) / np.sum(hit, axis=tuple(range(1, 2 * ndim, 2)), keepdims=True, dtype=g.dtype)
    bar = np.reshape(np.where(hit, share, 0), covered)
    rest = [(0, max(0, n + lo - c)) for n, (lo, _), c in zip(np.shape(x), padding, covered)]
    bar = np.pad(bar, rest) if any(map(any, rest)) else bar
    return bar[tuple(slice(lo, lo + n) for n, (lo, _) in zip(np.shape(x), padding))]


def _declare_extremum(name, reduction, kind, largest):
    extremum = "min" if largest else "max"

    def impl(x, **params):
        return _compiled(notation(Aval(x.shape, x.dtype), **params))(x)

    def infer(x, **params):
        return Aval(_shape(x, **params), x.dtype)

    def lower(hlo, out, x, window, strides, padding, dilation, spread):
        return hlo.reduce_window(x, None, kind, window, strides, padding, dilation, spread)

    def vjp(g, x, out, dilation, **params):
        if params["strides"] == params["window"] and set(params["spread"]) == {1}:
            return tiled_bar(extremum, g, x, out, farthest(x.dtype, largest), params["window"], params["padding"])
        hit, count, index, axes = _Extremum.hits(extremum, x, out, farthest(x.dtype, largest), params)
        share = np.reshape(g / count, (*np.shape(out), *(1,) * np.ndim(x)))
        whole = np.zeros(tuple(n + lo + hi for n, (lo, hi) in zip(np.shape(x), params["padding"])), g.dtype)
        whole = TABLE["constant"].emit(value=whole)
        np.add.at(whole, index, np.where(hit, share, 0))
        return whole[tuple(slice(lo, lo + n) for n, (lo, _) in zip(np.shape(x), params["padding"]))]

    def jvp(dots, x, out, dilation, **params):
        hit, count, index, axes = _Extremum.hits(extremum, x, out, farthest(x.dtype, largest), params)
        padded, _ = _Extremum.read(dots[0], 0, params)
        return np.sum(np.where(hit, padded[index], 0), axis=axes) / count

    def batch(axes, x, **params):
        return TABLE[name].bind(x, **lengthened(params)), 0

    def notation(x, **params):
        return _text(x, reduction, _fill(x.dtype, largest), **params)

    register(Op(name, impl, infer, lower, vjp=vjp, jvp=jvp, batch=batch, notation=notation, samples=_samples, masking=True))


_declare_extremum("window_max", "max", "maximum", False)
_declare_extremum("window_min", "min", "minimum", True)
