"""Where a pmap runs inside of other transforms, and that its values are the same there."""

import numpy as np

from transformer import grad, jit, lax, pmap, vmap

X, W = np.random.default_rng(0).normal(size=(4, 3)), np.ones(3)


def f(x, w):
    return np.sin(x @ w) * lax.psum(x[0], "d")


MAPPED, BATCHED = (over(f, axis_name="d", in_axes=(0, None)) for over in (pmap, vmap))


def test_a_jitted_pmap_runs_on_its_devices():
    assert len(jit(MAPPED)(X, W).devices()) == 4 and len(pmap(grad(lambda x: np.sum(x ** 2)))(X).devices()) == 4


def test_values_inside_of_other_transforms():
    for of in (lambda m: jit(m)(X, W), lambda m: grad(lambda w: np.sum(m(X, w)))(W), lambda m: jit(grad(lambda w: np.sum(m(X, w) ** 2)))(W),
               lambda m: jit(lambda x: m(x, W) + 1.0)(X), lambda m: vmap(lambda w: m(X, w))(np.stack([W, -W]))):
        np.testing.assert_allclose(of(MAPPED), of(BATCHED), rtol=1e-12)
