"""Convolution: the op `convolve_windows`, whose derivatives are convolutions again.

Canonical layout: x (batch, features, *spatial), kernel (outputs, features of a group, *spatial), result (batch, outputs, *spatial).
`padding` holds a pair per spatial axis (negative: cut off), `dilation` zeros put between the elements of x, `spread` those between the
elements of the kernel, `groups` the number of parts into which the features fall.
"""

import functools
import string

import numpy as np

from ..core import Aval
from ..errors import ShapeError
from .creation import dtype_text
from .op import TABLE, op, result_dtype


def stretched(size, factor):
    """The length of an axis with factor - 1 zeros between its elements."""
    return (size - 1) * factor + 1 if size else 0


def out_size(size, kernel, stride, pair, dilation, spread):
    return max(0, (stretched(size, dilation) + sum(pair) - stretched(kernel, spread)) // stride + 1)


def window_text(text, shape, dtype, sizes, params):
    """Source of the windows of x: (batch, features, *places, *sizes)."""
    padding, dilation = params["padding"], params["dilation"]
    spatial = len(sizes)
    lead = "[:, :, "
    if any(d > 1 for d in dilation):
        unit = f"np.eye(1, {int(np.prod(dilation))}, dtype={dtype_text(dtype)}).reshape{(1, 1, *dilation)}"
        ends = ", ".join(f":{stretched(n, d)}" for n, d in zip(shape[2:], dilation))
        text = f"np.kron({text}, {unit}){lead}{ends}]"
    if any(lo < 0 or hi < 0 for lo, hi in padding):
        ends = [(max(0, -lo), stretched(n, d) + min(0, hi)) for n, d, (lo, hi) in zip(shape[2:], dilation, padding)]
        text = f"{text}{lead}{', '.join(f'{a}:{max(a, b)}' for a, b in ends)}]"
    if any(lo > 0 or hi > 0 for lo, hi in padding):
        pairs = ", ".join(f"({max(0, lo)}, {max(0, hi)})" for lo, hi in padding)
        text = f"np.pad({text}, ((0, 0), (0, 0), {pairs}))"
    whole = tuple(stretched(k, s) for k, s in zip(sizes, params["spread"]))
    text = f"np.lib.stride_tricks.sliding_window_view({text}, {whole}, axis={tuple(range(2, 2 + spatial))})"
    steps = [f"::{s}" if s > 1 else ":" for s in (*params["strides"], *params["spread"])]
    return text if set(steps) == {":"} else f"{text}{lead}{', '.join(steps)}]"


def conv_text(x, kernel, **params):
    """The convolution as one NumPy expression."""
    spatial, groups = len(x.shape) - 2, params["groups"]
    places, inner = string.ascii_lowercase[:spatial], string.ascii_lowercase[spatial:2 * spatial]
    text = window_text("{0}", x.shape, x.dtype, kernel.shape[2:], params)
    if groups == 1:
        return f"np.einsum('xy{places}{inner},zy{inner}->xz{places}', {text}, {{1}}, optimize=True)"
    outs = [out_size(n, k, s, p, d, w) for n, k, s, p, d, w in
            zip(x.shape[2:], kernel.shape[2:], params["strides"], params["padding"], params["dilation"], params["spread"])]
    split = (x.shape[0], groups, x.shape[1] // groups, *outs, *kernel.shape[2:])
    parts = (groups, kernel.shape[0] // groups, *kernel.shape[1:])
    product = (f"np.einsum('xwy{places}{inner},wzy{inner}->xwz{places}', {text}.reshape({split}), {{1}}.reshape({parts}), optimize=True)")
    return f"{product}.reshape({(x.shape[0], kernel.shape[0], *outs)})"


@functools.cache
def compiled(text):
    return eval(f"lambda x, k: {text.format('x', 'k')}", {"np": np})


def _samples(rng):
    def case(x, k, **changes):
        n = len(x) - 2
        params = {"strides": (1,) * n, "padding": ((0, 0),) * n, "dilation": (1,) * n, "spread": (1,) * n, "groups": 1} | changes
        return (rng.normal(size=x), rng.normal(size=k)), params
    return [case((2, 3, 5), (4, 3, 2)), case((2, 2, 5, 4), (3, 2, 3, 2), strides=(2, 1), padding=((1, 1), (0, 1))),
            case((1, 4, 6), (6, 2, 2), groups=2, spread=(2,), padding=((1, 0),)), case((2, 1, 4), (1, 1, 3), dilation=(2,), padding=((2, -1),))]


@op(linear="each")
class convolve_windows:
    samples = _samples
    promotes = True

    def product(*avals, **params):
        return "convolution"

    def impl(x, kernel, **params):
        avals = [Aval(v.shape, v.dtype) for v in (x, kernel)]
        return compiled(conv_text(*avals, **params))(x, kernel)

    def infer(x, kernel, strides, padding, dilation, spread, groups):
        if len(x.shape) != len(kernel.shape) or x.shape[1] != groups * kernel.shape[1] or kernel.shape[0] % groups:
            raise ShapeError(f"a convolution of shape {x.shape} with a kernel of shape {kernel.shape} and {groups} group(s)",
                             "The kernel needs x's number of features (divided by the groups), in the layout that is named.")
        outs = (out_size(*parts) for parts in zip(x.shape[2:], kernel.shape[2:], strides, padding, dilation, spread))
        return Aval((x.shape[0], kernel.shape[0], *outs), result_dtype(x, kernel))

    def lower(hlo, out, x, kernel, strides, padding, dilation, spread, groups):
        axes = ", ".join(map(str, range(len(strides))))
        pairs = "[" + ", ".join(f"[{lo}, {hi}]" for lo, hi in padding) + "]"
        attrs = (f"dimension_numbers = #stablehlo.conv<[b, f, {axes}]x[o, i, {axes}]->[b, f, {axes}]>, window_strides = {vector(strides)}, "
                 f"padding = dense<{pairs}> : tensor<{len(strides)}x2xi64>, lhs_dilation = {vector(dilation)}, rhs_dilation = {vector(spread)}, "
                 f"batch_group_count = 1 : i64, feature_group_count = {groups} : i64")
        return hlo.op("convolution", [hlo.convert(x, out.dtype), hlo.convert(kernel, out.dtype)], out.shape, out.dtype, attrs)

    def vjp(g, x, kernel, out, **params):
        return x_bar(g, x, kernel, **params), kernel_bar(g, x, kernel, **params)

    def batch(axes, x, kernel, groups, **params):
        return batched(axes, x, kernel, groups, params), 0

    notation = conv_text


def vector(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def apply(x, kernel, **params):
    return TABLE["convolve_windows"].bind(x, kernel, **params)


def x_bar(g, x, kernel, strides, padding, dilation, spread, groups):
    """The cotangent of x: the cotangent, spread by the strides, convolved with the kernel turned round."""
    outputs, features, *sizes = np.shape(kernel)
    turned = np.flip(kernel, tuple(range(2, kernel.ndim)))
    turned = np.reshape(turned, (groups, outputs // groups, features, *sizes))
    turned = np.reshape(np.swapaxes(turned, 1, 2), (groups * features, outputs // groups, *sizes))
    pairs = []
    for n, k, m, s, (lo, _), d, w in zip(np.shape(x)[2:], sizes, np.shape(g)[2:], strides, padding, dilation, spread):
        low = stretched(k, w) - 1 - lo
        pairs.append((low, stretched(n, d) - 1 + stretched(k, w) - stretched(m, s) - low))
    return apply(g, turned, strides=dilation, padding=tuple(pairs), dilation=strides, spread=spread, groups=groups)


def kernel_bar(g, x, kernel, strides, padding, dilation, spread, groups):
    """The cotangent of the kernel: x convolved with the cotangent, the batch in the place of the features."""
    count, all_features, *sizes = np.shape(x)
    features, outputs = all_features // groups, np.shape(g)[1]
    left = np.swapaxes(x, 0, 1)
    if groups > 1:
        left = np.reshape(left, (groups, features, count, *sizes))
        left = np.reshape(np.swapaxes(left, 0, 1), (features, groups * count, *sizes))
    right = np.swapaxes(g, 0, 1)
    pairs = []
    for n, k, m, s, (lo, _), d, w in zip(sizes, np.shape(kernel)[2:], np.shape(g)[2:], strides, padding, dilation, spread):
        pairs.append((lo, stretched(k, w) - 1 + stretched(m, s) - stretched(n, d) - lo))
    found = apply(left, right, strides=spread, padding=tuple(pairs), dilation=dilation, spread=strides, groups=groups)
    return np.reshape(np.swapaxes(found, 0, 1), (outputs, features, *np.shape(kernel)[2:]))


def batched(axes, x, kernel, groups, params):
    """A batch of convolutions as one: lanes become part of the batch, of the outputs, or groups of their own."""
    lanes = np.shape(x if axes[0] == 0 else kernel)[0]
    if axes[1] is None:
        found = apply(np.reshape(x, (-1, *np.shape(x)[2:])), kernel, groups=groups, **params)
        return np.reshape(found, (lanes, -1, *np.shape(found)[1:]))
    outputs = np.shape(kernel)[1]
    if axes[0] is None:
        whole = np.reshape(kernel, (lanes, groups, outputs // groups, *np.shape(kernel)[2:]))
        whole = np.reshape(np.swapaxes(whole, 0, 1), (lanes * outputs, *np.shape(kernel)[2:]))
        found = apply(x, whole, groups=groups, **params)
        found = np.reshape(found, (np.shape(x)[0], groups, lanes, outputs // groups, *np.shape(found)[2:]))
        found = np.moveaxis(found, 2, 0)
        return np.reshape(found, (lanes, np.shape(x)[0], outputs, *np.shape(found)[4:]))
    joined = np.swapaxes(x, 0, 1)
    count = np.shape(joined)[0]
    joined = np.reshape(joined, (count, -1, *np.shape(x)[3:]))
    found = apply(joined, np.reshape(kernel, (-1, *np.shape(kernel)[2:])), groups=groups * lanes, **params)
    return np.swapaxes(np.reshape(found, (count, lanes, outputs, *np.shape(found)[2:])), 0, 1)
