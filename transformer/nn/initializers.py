"""Initial values of weights: each maker gives a function (key, shape, dtype) -> array.

Sources: Glorot and Bengio (2010); LeCun et al., Efficient backprop (1998); He et al. (2015); Saxe et al. (2014).
"""

import math

import numpy as np

from ..errors import ShapeError, TransformError
from ..frontend import promotion
from ..random.arrays import orthogonals
from ..random.calling import host_sampler
from ..random.keys import as_shape
from ..random.samplers import between, gaussian, parameter, type_of
from ..random.samplers import truncated_normal as truncated

Initializer = type(lambda: None)
TRUNCATED_DEVIATION = 0.87962566103423978
"""Standard deviation of a normal number cut off at 2."""


def kind_of(dtype, default):
    return type_of(default if dtype is None else dtype, "fc", "initializer")


def zeros(key, shape, dtype=None, out_sharding=None):
    """Zeros; the key is not used."""
    return constant(0)(key, shape, dtype)


def ones(key, shape, dtype=None, out_sharding=None):
    """Ones; the key is not used."""
    return constant(1)(key, shape, dtype)


def constant(value, dtype=None):
    """Makes arrays filled with a value."""
    def init(key, shape, dtype=dtype, out_sharding=None):
        from .. import numpy as jnp
        return jnp.full(as_shape(shape), value, promotion.default("f") if dtype is None else dtype)
    return init


def uniform(scale=1e-2, dtype=None):
    """Makes uniform numbers in [0, scale)."""
    return initializer(lambda key, shape, kind: between(key, shape, kind, kind.type(0), kind.type(1)) * parameter(scale, kind), dtype)


def normal(stddev=1e-2, dtype=None):
    """Makes normal numbers of the given standard deviation."""
    return initializer(lambda key, shape, kind: gaussian(key, shape, kind) * parameter(stddev, kind), dtype)


def truncated_normal(stddev=1e-2, dtype=None, lower=-2.0, upper=2.0):
    """Makes normal numbers cut off at `lower` and `upper`, multiplied by stddev."""
    return initializer(lambda key, shape, kind: truncated.plain(key, lower, upper, shape, kind) * parameter(stddev, kind), dtype)


def initializer(draw, dtype):
    """The function (key, shape, dtype) of a draw on a key's words."""
    def init(key, shape, dtype=dtype, out_sharding=None):
        return drawn(key, as_shape(shape), kind_of(dtype, None))

    def initial_weights(key, shape, kind):
        return draw(key, shape, kind)
    drawn = host_sampler(initial_weights)
    return init


def fans(shape, in_axis, out_axis, batch_axis=()):
    """(fan in, fan out): how many inputs and outputs one unit has; axes that are neither count for both."""
    if len(shape) < 2:
        raise ShapeError(f"an initialiser that scales by fan-in and fan-out needs at least two axes, not the shape {shape}", "Use normal() or zeros.")
    def size(axes):
        return math.prod(shape[a] for a in (axes if isinstance(axes, tuple | list) else (axes,)))
    inputs, outputs = size(in_axis), size(out_axis)
    field = math.prod(shape) / inputs / outputs / size(batch_axis)
    return inputs * field, outputs * field


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    """Makes numbers of variance scale / n; n is the fan-in, the fan-out, their mean or their geometric mean.

    mode: "fan_in", "fan_out", "fan_avg" or "fan_geo_avg". distribution: "normal", "truncated_normal" or "uniform".
    """
    def draw(key, shape, kind):
        fan_in, fan_out = fans(shape, in_axis, out_axis, batch_axis)
        sizes = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2, "fan_geo_avg": math.sqrt(fan_in * fan_out)}
        if mode not in sizes:
            raise TransformError(f"mode={mode!r} of an initialiser is not known", f"Choose one of {', '.join(sizes)}.")
        return scaled(key, shape, kind, np.float64(scale / sizes[mode]), distribution)
    return initializer(draw, dtype)


def scaled(key, shape, kind, variance, distribution):
    """Numbers of the given variance."""
    real = np.dtype(f"f{kind.itemsize // 2}") if kind.kind == "c" else kind
    deviation = np.sqrt(parameter(variance, real))
    if distribution == "normal":
        return gaussian(key, shape, kind) * deviation
    if distribution == "uniform" and kind.kind != "c":
        return between(key, shape, kind, kind.type(-1), kind.type(1)) * np.sqrt(kind.type(3) * parameter(variance, kind))
    if distribution == "truncated_normal" and kind.kind != "c":
        return truncated.plain(key, -2.0, 2.0, shape, kind) * (deviation / kind.type(TRUNCATED_DEVIATION))
    raise TransformError(f"distribution={distribution!r} of an initialiser is not known for {kind}", "Choose normal, truncated_normal or uniform.")


def family(name, scale, mode, distribution):
    """A maker of variance scaling with fixed scale, mode and distribution."""
    def make(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Variance scaling with scale {scale}, {mode}, {distribution}."
    return make


glorot_uniform = xavier_uniform = family("glorot_uniform", 1.0, "fan_avg", "uniform")
glorot_normal = xavier_normal = family("glorot_normal", 1.0, "fan_avg", "truncated_normal")
lecun_uniform = family("lecun_uniform", 1.0, "fan_in", "uniform")
lecun_normal = family("lecun_normal", 1.0, "fan_in", "truncated_normal")
he_uniform = kaiming_uniform = family("he_uniform", 2.0, "fan_in", "uniform")
he_normal = kaiming_normal = family("he_normal", 2.0, "fan_in", "truncated_normal")


def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Makes orthogonal matrices times `scale`; of more than two axes, those but column_axis count as rows."""
    def draw(key, shape, kind):
        if len(shape) < 2:
            raise ShapeError(f"an orthogonal initialiser needs at least two axes, not the shape {shape}", "Use normal().")
        columns = shape[column_axis]
        rows = math.prod(shape) // columns
        tall = (columns, rows) if rows < columns else (rows, columns)
        q = orthogonals(key, *tall, (), kind)
        q = np.swapaxes(q, 0, 1) if rows < columns else q
        q = np.reshape(q, (*(n for a, n in enumerate(shape) if a != column_axis % len(shape)), columns))
        return parameter(scale, kind) * np.moveaxis(q, -1, column_axis)
    return initializer(draw, dtype)


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Makes kernels of convolutions (..., in, out) that are orthogonal at their centre and 0 elsewhere."""
    def draw(key, shape, kind):
        if len(shape) not in (3, 4, 5) or shape[-1] < shape[-2]:
            raise ShapeError(f"a delta-orthogonal initialiser needs 3 to 5 axes and at least as many outputs as inputs, not the shape {shape}",
                             "Use orthogonal().")
        q = orthogonals(key, shape[-1], shape[-1], (), kind)[: shape[-2]]
        centre = [(n - 1) // 2 for n in shape[:-2]]
        pads = [(c, n - 1 - c) for c, n in zip(centre, shape)] + [(0, 0), (0, 0)]
        return np.pad(parameter(scale, kind) * np.reshape(q, (*(1,) * len(centre), *shape[-2:])), pads)
    return initializer(draw, dtype)


__all__ = ["Initializer", "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "kaiming_normal",
           "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal", "truncated_normal", "uniform",
           "variance_scaling", "xavier_normal", "xavier_uniform", "zeros"]
