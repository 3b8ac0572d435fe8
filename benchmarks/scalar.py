"""Small scalar functions: the cost of a call, not of the arithmetic."""

import numpy as np

from .measure import Row, interleaved, wait


def tanh(x):
    y = np.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)


def polynomial(x):
    a = x * x
    b = a - 3.0 * x
    c = np.sin(b) + a
    d = c * b
    return d + x


def jax_twin(f):
    """The function with np standing for jax.numpy."""
    import types

    import jax.numpy as jnp
    return types.FunctionType(f.__code__, {**f.__globals__, "np": jnp}, f.__name__)


def gradient_row(f):
    """grad(f)(1.0) without jit, the second and later calls."""
    import jax

    import transformer
    ours, theirs = transformer.grad(f), jax.grad(jax_twin(f))
    return Row(f"grad({f.__name__})(1.0), not jitted", interleaved({"ours": lambda: ours(1.0), "jax": lambda: wait(theirs(1.0))}, 40, 20))


def jitted_gradient_row():
    """The same compiled, a NumPy scalar in."""
    import jax

    import transformer
    ours, theirs = transformer.jit(transformer.grad(polynomial)), jax.jit(jax.grad(jax_twin(polynomial)))
    x = np.float32(1.0)
    return Row("grad(polynomial)(1.0), jit", interleaved({"ours": lambda: wait(ours(x)), "jax": lambda: wait(theirs(x))}, 40, 50))


ROWS = {"grad-tanh": lambda: gradient_row(tanh), "grad-polynomial": lambda: gradient_row(polynomial), "jit-grad": jitted_gradient_row}
