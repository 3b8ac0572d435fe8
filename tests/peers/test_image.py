"""`image.resize` against JAX, its gradient too."""

import numpy as np
import pytest

from transformer import grad, image, jit

jax = pytest.importorskip("jax")

X = np.random.default_rng(0).normal(size=(5, 7, 3)).astype("float32")


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("shape", [(9, 4, 3), (2, 15, 3), (5, 7, 1)])
@pytest.mark.parametrize("method", ["nearest", "bilinear", "cubic", "lanczos3", "lanczos5"])
def test_equal(method, shape, antialias):
    theirs = jax.image.resize(X, shape, method, antialias)
    for ours in (image.resize(X, shape, method, antialias), jit(lambda x: image.resize(x, shape, method, antialias))(X)):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_gradient_and_integers():
    theirs = jax.grad(lambda x: (jax.image.resize(x, (3, 9, 3), "cubic") ** 2).sum())(X)
    np.testing.assert_allclose(grad(lambda x: (image.resize(x, (3, 9, 3), "cubic") ** 2).sum())(X), theirs, rtol=1e-4, atol=1e-5)
    n = (X * 10).astype("int32")
    np.testing.assert_allclose(image.resize(n, (8, 7, 3), "linear"), jax.image.resize(n, (8, 7, 3), "linear"), rtol=1e-4, atol=1e-4)
