"""Activation functions with JAX's values and derivatives: that of relu at 0 is 0."""

import functools
import math

import numpy as np
import scipy.special

from .. import eager
from ..errors import TypeMismatch

GELU = math.sqrt(2 / math.pi)


def by_jnp_rules(function):
    """A function of NumPy code that computes by JAX's rules of types, on arrays and inside of transformed functions."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        return eager.call(function, args, kwargs, elementwise=True)
    call.plain = function
    return call


def identity(x):
    """x itself."""
    return x


@by_jnp_rules
def relu(x):
    """max(x, 0), with derivative 0 at 0.

    >>> from transformer import grad
    >>> relu(-3.0), grad(relu)(0.0)
    (Array(0., dtype=float32...), ...0...)
    """
    return np.where(x <= 0, 0, x)


@by_jnp_rules
def relu6(x):
    """x limited to [0, 6], with derivative 0 at both ends."""
    return np.where(x <= 0, 0, np.where(x >= 6, 6, x))


@by_jnp_rules
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return scipy.special.expit(x)


@by_jnp_rules
def silu(x):
    """x * sigmoid(x)."""
    return x * scipy.special.expit(x)


@by_jnp_rules
def softplus(x):
    """log(1 + exp(x))."""
    return np.logaddexp(x, 0.0)


@by_jnp_rules
def log_sigmoid(x):
    """log(sigmoid(x))."""
    return -np.logaddexp(-x, 0.0)


@by_jnp_rules
def soft_sign(x):
    """x / (1 + |x|)."""
    return x / (np.abs(x) + 1)


@by_jnp_rules
def sparse_plus(x):
    """0 below -1, x above 1, a parabola between."""
    return np.where(x <= -1, 0.0, np.where(x >= 1, x, (x + 1.0) ** 2 / 4))


@by_jnp_rules
def sparse_sigmoid(x):
    """(x + 1) / 2 limited to [0, 1]."""
    return 0.5 * np.clip(x + 1.0, 0.0, 2.0)


@by_jnp_rules
def hard_tanh(x):
    """x limited to [-1, 1]."""
    return np.where(x > 1, 1, np.where(x < -1, -1, x))


@by_jnp_rules
def tanh(x):
    """Hyperbolic tangent."""
    return np.tanh(x)


@by_jnp_rules
def hard_sigmoid(x):
    """(x + 3) / 6 limited to [0, 1]."""
    return relu6.plain(x + 3.0) / 6.0


@by_jnp_rules
def hard_silu(x):
    """x * hard_sigmoid(x)."""
    return x * (relu6.plain(x + 3.0) / 6.0)


@by_jnp_rules
def mish(x):
    """x * tanh(softplus(x))."""
    return x * np.tanh(np.logaddexp(x, 0.0))


@by_jnp_rules
def elu(x, alpha=1.0):
    """x where positive, alpha * (exp(x) - 1) elsewhere."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x)))


@by_jnp_rules
def celu(x, alpha=1.0):
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)."""
    return np.maximum(x, 0.0) + alpha * np.expm1(np.minimum(x, 0.0) / alpha)


@by_jnp_rules
def selu(x):
    """A scaled elu that keeps mean and variance of a layer."""
    return 1.0507009873554804934193349852946 * elu.plain(x, 1.6732632423543772848170429916717)


@by_jnp_rules
def leaky_relu(x, negative_slope=0.01):
    """x where x >= 0, negative_slope * x elsewhere."""
    return np.where(x >= 0, x, negative_slope * x)


@by_jnp_rules
def gelu(x, approximate=True):
    """x times the normal distribution function at x; approximate: by a tanh."""
    if approximate:
        return x * (0.5 * (1.0 + np.tanh(GELU * (x + 0.044715 * x ** 3))))
    return 0.5 * x * scipy.special.erfc(-x * math.sqrt(0.5))


@by_jnp_rules
def squareplus(x, b=4.0):
    """(x + sqrt(x ** 2 + b)) / 2."""
    return (x + np.sqrt(np.square(x) + b)) / 2


@by_jnp_rules
def log1mexp(x):
    """log(1 - exp(-x)) for positive x."""
    small = x < math.log(2.0)
    return np.where(small, np.log(-np.expm1(-x)), np.log1p(-np.exp(-np.where(small, 1.0, x))))


@by_jnp_rules
def glu(x, axis=-1):
    """The first half along an axis times the sigmoid of the second half."""
    size = np.shape(x)[axis]
    if size % 2:
        raise TypeMismatch(f"nn.glu needs an even size along axis {axis}, not {size}", "Choose another axis, or pad the array.")
    first, second = np.split(x, 2, axis=axis)
    return first * scipy.special.expit(second)


hard_swish, swish = hard_silu, silu

__all__ = ["celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "identity", "leaky_relu", "log1mexp",
           "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "softplus", "sparse_plus", "sparse_sigmoid",
           "squareplus", "swish", "tanh"]
