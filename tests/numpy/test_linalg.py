"""Matrices that JAX makes symmetric first."""

import numpy as np
import pytest

import transformer.numpy as jnp
from transformer import grad, jit

A = jnp.asarray(np.array([[4.0, 1.0, 0.5], [0.2, 3.0, 0.4], [-0.5, 0.8, 2.0]], np.float32))
SYMMETRIC = np.asarray((A + A.T) / 2, np.float64)
FUNCTIONS = {
    "cholesky": lambda linalg, a: linalg.cholesky(a),
    "eigvalsh": lambda linalg, a: linalg.eigvalsh(a),
    "eigh": lambda linalg, a: linalg.eigh(a)[1] ** 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_the_symmetric_part(name):
    function = FUNCTIONS[name]
    for call in (function, jit(function, static_argnums=0)):
        assert np.allclose(call(jnp.linalg, A), function(np.linalg, SYMMETRIC), atol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_symmetric(name):
    weights = np.arange(9.0).reshape(3, 3)
    got = np.asarray(grad(lambda a: jnp.sum(FUNCTIONS[name](jnp.linalg, a) * weights))(A))
    assert np.allclose(got, got.T, atol=1e-5)


def test_one_triangle_on_request():
    assert np.allclose(jnp.linalg.cholesky(A, symmetrize_input=False), np.linalg.cholesky(np.asarray(A)), atol=1e-5)
