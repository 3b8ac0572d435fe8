"""Layers of networks as pairs of functions.

    init, apply = serial(Dense(128), Relu, Dense(10), LogSoftmax)
    shape, params = init(key, (-1, 784))
    scores = apply(params, pictures)

init(rng, input_shape) -> (output_shape, params); apply(params, inputs, **kwargs) -> outputs. Names and draws are those of JAX's stax.
"""

import functools
import operator

from .. import lax, nn, random
from .. import numpy as jnp
from ..abstract import ShapeDtypeStruct
from ..aot import eval_shape
from ..nn.initializers import glorot_normal, normal, ones, zeros

GLOROT, SMALL, TINY = glorot_normal(), normal(), normal(1e-6)


# dense and convolutional layers ---------------------------------------------------------------------------------------------
def Dense(out_dim, W_init=GLOROT, b_init=SMALL):
    """inputs @ W + b."""
    def init_fun(rng, input_shape):
        for_w, for_b = random.split(rng)
        return (*input_shape[:-1], out_dim), (W_init(for_w, (input_shape[-1], out_dim)), b_init(for_b, (out_dim,)))

    def apply_fun(params, inputs, **kwargs):
        w, b = params
        return jnp.dot(inputs, w) + b
    return init_fun, apply_fun


def shape_of(function, *shapes):
    """The shape of a result; axes of unknown length (-1) are passed as 1, and are -1 again."""
    open_axis = [n == -1 for n in shapes[0]]
    found = eval_shape(function, *(ShapeDtypeStruct(tuple(abs(n) for n in s), "float32") for s in shapes)).shape
    return tuple(-1 if k < len(open_axis) and open_axis[k] else n for k, n in enumerate(found))


def convolutional(convolve, dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init):
    """A layer of `convolve`, and a number for each channel of the result."""
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    strides = strides or (1,) * len(filter_shape)
    W_init = W_init or glorot_normal(rhs_spec.index("I"), rhs_spec.index("O"))

    def apply_fun(params, inputs, **kwargs):
        w, b = params
        return convolve(inputs, w, strides, padding, dimension_numbers=dimension_numbers) + b

    def init_fun(rng, input_shape):
        sizes = iter(filter_shape)
        kernel_shape = tuple({"O": out_chan, "I": input_shape[lhs_spec.index("C")]}[c] if c in "OI" else next(sizes) for c in rhs_spec)
        bias_shape = tuple(out_chan if c == "C" else 1 for c in out_spec)
        for_w, for_b = random.split(rng)
        out = shape_of(lambda x, w: convolve(x, w, strides, padding, dimension_numbers=dimension_numbers), input_shape, kernel_shape)
        return out, (W_init(for_w, kernel_shape), b_init(for_b, bias_shape))
    return init_fun, apply_fun


def GeneralConv(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=TINY):
    """A convolution with axes in any order, and a number for each channel."""
    return convolutional(lax.conv_general_dilated, dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init)


def GeneralConvTranspose(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=TINY):
    """The transpose of a convolution with axes in any order, and a number for each channel."""
    return convolutional(lax.conv_transpose, dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init)


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


def BatchNorm(axis=(0, 1, 2), epsilon=1e-5, center=True, scale=True, beta_init=zeros, gamma_init=ones):
    """Mean 0 and variance 1 along `axis`, then scaled and shifted by parameters."""
    axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def init_fun(rng, input_shape):
        shape = tuple(n for k, n in enumerate(input_shape) if k not in axis)
        for_beta, for_gamma = random.split(rng)
        return input_shape, (beta_init(for_beta, shape) if center else (), gamma_init(for_gamma, shape) if scale else ())

    def apply_fun(params, x, **kwargs):
        beta, gamma = params
        place = tuple(1 if k in axis else n for k, n in enumerate(x.shape))
        z = nn.standardize(x, axis, epsilon=epsilon)
        z = z * jnp.reshape(gamma, place) if scale else z
        return z + jnp.reshape(beta, place) if center else z
    return init_fun, apply_fun


# pooling ------------------------------------------------------------------------------------------------------------------
def pooling(reducer, start, rescale=None):
    """A maker of layers that reduce windows."""
    def layer(window_shape, strides=None, padding="VALID", spec=None):
        strides = strides or (1,) * len(window_shape)
        spec = spec or "N" + "D" * len(window_shape) + "C"
        inner = iter(zip(window_shape, strides))
        dims, steps = zip(*((1, 1) if c in "NC" else next(inner) for c in spec))

        def apply_fun(params, inputs, **kwargs):
            out = lax.reduce_window(inputs, start, reducer, dims, steps, padding)
            return rescale(out, inputs, dims, steps, padding) if rescale else out

        def init_fun(rng, input_shape):
            return shape_of(lambda x: lax.reduce_window(x, start, reducer, dims, steps, padding), input_shape), ()
        return init_fun, apply_fun
    return layer


def by_count(out, inputs, dims, steps, padding):
    """Sums over the number of elements in each window."""
    return out / lax.reduce_window(jnp.ones_like(inputs), 0.0, lax.add, dims, steps, padding)


MaxPool = pooling(lax.max, -jnp.inf)
SumPool = pooling(lax.add, 0.0)
AvgPool = pooling(lax.add, 0.0, by_count)


# layers without parameters --------------------------------------------------------------------------------------------------
def elementwise(fun, **fun_kwargs):
    """A layer that applies a function to its inputs."""
    def apply_fun(params, inputs, **kwargs):
        return fun(inputs, **fun_kwargs)
    return same_shape, apply_fun


def same_shape(rng, input_shape):
    return input_shape, ()


Identity = elementwise(lambda x: x)
Tanh, Relu, Exp = elementwise(jnp.tanh), elementwise(nn.relu), elementwise(jnp.exp)
Sigmoid, Elu, LeakyRelu, Selu, Gelu = map(elementwise, (nn.sigmoid, nn.elu, nn.leaky_relu, nn.selu, nn.gelu))
LogSoftmax, Softmax = elementwise(nn.log_softmax, axis=-1), elementwise(nn.softmax, axis=-1)
Softplus = elementwise(nn.softplus)


def flat(rng, input_shape):
    return (input_shape[0], functools.reduce(operator.mul, input_shape[1:], 1)), ()


def flattened(params, inputs, **kwargs):
    return jnp.reshape(inputs, (inputs.shape[0], -1))


Flatten = flat, flattened


def FanOut(num):
    """The input `num` times."""
    return lambda rng, input_shape: ([input_shape] * num, ()), lambda params, inputs, **kwargs: [inputs] * num


FanInSum = (lambda rng, shapes: (shapes[0], ())), lambda params, inputs, **kwargs: sum(inputs)


def FanInConcat(axis=-1):
    """Inputs joined along an axis."""
    def init_fun(rng, shapes):
        at = axis % len(shapes[0])
        return (*shapes[0][:at], sum(s[at] for s in shapes), *shapes[0][at + 1:]), ()
    return init_fun, lambda params, inputs, **kwargs: jnp.concatenate(inputs, axis)


def Dropout(rate, mode="train"):
    """Keeps each element with probability `rate` and scales it by its inverse; apply needs rng=. mode "test": the identity."""
    def apply_fun(params, inputs, **kwargs):
        if kwargs.get("rng") is None:
            raise ValueError("Dropout needs a key: call apply(params, inputs, rng=key)")
        if mode != "train":
            return inputs
        return jnp.where(random.bernoulli(kwargs["rng"], rate, inputs.shape), inputs / rate, 0)
    return same_shape, apply_fun


# composition --------------------------------------------------------------------------------------------------------------
def keys_for(rng, count):
    return (None,) * count if rng is None else random.split(rng, count)


def serial(*layers):
    """Layers one after the other."""
    def init_fun(rng, input_shape):
        params = []
        for init, _ in layers:
            rng, own = random.split(rng)
            input_shape, found = init(own, input_shape)
            params.append(found)
        return input_shape, params

    def apply_fun(params, inputs, **kwargs):
        rngs = keys_for(kwargs.pop("rng", None), len(layers))
        for (_, apply), own, rng in zip(layers, params, rngs):
            inputs = apply(own, inputs, rng=rng, **kwargs)
        return inputs
    return init_fun, apply_fun


def parallel(*layers):
    """Layers side by side, each on one of the inputs."""
    def init_fun(rng, input_shape):
        rngs = random.split(rng, len(layers))
        shapes, params = zip(*(init(own, shape) for (init, _), own, shape in zip(layers, rngs, input_shape)))
        return list(shapes), params

    def apply_fun(params, inputs, **kwargs):
        rngs = keys_for(kwargs.pop("rng", None), len(layers))
        return [apply(own, x, rng=rng, **kwargs) for (_, apply), own, x, rng in zip(layers, params, inputs, rngs)]
    return init_fun, apply_fun


def shape_dependent(make_layer):
    """A layer that is made when the shape of its input is known."""
    def init_fun(rng, input_shape):
        return make_layer(input_shape)[0](rng, input_shape)

    def apply_fun(params, inputs, **kwargs):
        return make_layer(inputs.shape)[1](params, inputs, **kwargs)
    return init_fun, apply_fun
