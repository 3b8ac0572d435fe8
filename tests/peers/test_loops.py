"""Reverse mode through `lax.while_loop` and a `fori_loop` of unknown length: JAX refuses, here it is the derivative."""

import numpy as np
import pytest

from transformer import grad, jit, lax, value_and_grad, vmap
from transformer import numpy as jnp

jax = pytest.importorskip("jax")


def root(lax, a):
    """Of `a`, by Newton's method."""
    def body(carry):
        x, _ = carry
        new = 0.5 * (x + a / x)
        return new, abs(new - x)
    return lax.while_loop(lambda carry: carry[1] > 1e-4, body, (a, a))[0]


def compound(lax, x, n):
    return lax.fori_loop(0, n, lambda i, v: v * (1.0 + 0.1 * x), x)


def test_while_loop():
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.jit(jax.grad(lambda a: root(jax.lax, a)))(2.0)
    value, slope = jit(value_and_grad(lambda a: root(lax, a)))(jnp.float32(2.0))
    np.testing.assert_allclose([value, slope], [2 ** 0.5, 0.5 / 2 ** 0.5], rtol=1e-5)
    np.testing.assert_allclose(root(jax.lax, jax.numpy.float32(2.0)), value, rtol=1e-6)


def test_while_loop_in_batches_and_twice():
    a = jnp.array([1.5, 4.0, 30.0])
    slope = jit(vmap(grad(lambda a: root(lax, a))))(a)
    np.testing.assert_allclose(slope, 0.5 / np.sqrt(a), rtol=1e-4)
    curve = jit(grad(grad(lambda a: root(lax, a))))(jnp.float32(4.0))
    np.testing.assert_allclose(curve, -0.25 / 4.0 ** 1.5, rtol=1e-3)


def test_fori_loop_of_unknown_length():
    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.jit(jax.grad(lambda x, n: compound(jax.lax, x, n)))(0.5, 7)
    slope = jit(grad(lambda x, n: compound(lax, x, n)))(jnp.float32(0.5), 7)
    forward = jax.jacfwd(lambda x: compound(jax.lax, x, 7))(0.5)
    np.testing.assert_allclose(slope, forward, rtol=1e-6)
