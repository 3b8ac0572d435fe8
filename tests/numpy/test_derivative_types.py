"""Types of derivatives of `transformer.numpy` code."""

import numpy as np

from transformer import grad, hessian, jacfwd, jit, jvp, linearize, tree, value_and_grad, vjp
from transformer import numpy as jnp


def test_derivatives_at_python_numbers_have_32_bits():
    def f(x):
        return jnp.sin(x) * x
    found = [grad(f)(1.0), value_and_grad(f)(1.0), jit(grad(f))(1.0), jacfwd(f)(1.0), hessian(f)(1.0), jvp(f, (1.0,), (1.0,)),
             vjp(f, 1.0)[1](1.0), linearize(f, 1.0)[1](1.0), grad(lambda t: f(t["a"]))({"a": 1.0})]
    assert {leaf.dtype.name for leaf in tree.leaves(found)} == {"float32"}
    assert grad(lambda x: np.sin(x))(1.0).dtype == np.float64
