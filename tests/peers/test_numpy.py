"""Defaults and types of `transformer.numpy` that differ from NumPy's, against JAX."""

import numpy as np
import pytest

from transformer import jit
from transformer import numpy as jnp

jax = pytest.importorskip("jax")

A, B = np.array([1.0, 2.0, 3.0], "float32"), np.array([0.0, 1.0, 0.5], "float32")
N, TRUTH = np.array([0, 1, 1], "int32"), np.array([True, False, True])

CASES = {
    "allclose of truths": lambda j: j.allclose(j.asarray(TRUTH), ~j.asarray(TRUTH)),
    "angle in degrees": lambda j: j.angle(j.asarray(A - 2), deg=True),
    "bincount of integers": lambda j: j.bincount(j.asarray(N), j.asarray(N + 2), minlength=4),
    "bincount": lambda j: j.bincount(j.asarray(N), length=4),
    "convolve": lambda j: j.convolve(j.asarray(A), j.asarray(B)),
    "correlate": lambda j: j.correlate(j.asarray(A), j.asarray(B)),
    "correlate of integers": lambda j: j.correlate(j.asarray(N), j.asarray(N), mode="same"),
    "isin": lambda j: j.isin(j.asarray(A / 10), 0.3),
    "isin of lists": lambda j: j.isin(j.asarray(N), j.asarray([1.0, 5.0]), invert=True),
    "empty": lambda j: j.empty((2, 3)),
    "empty_like": lambda j: j.empty_like(j.asarray(N)),
}


@pytest.mark.parametrize("name", CASES)
def test_equal(name):
    theirs = np.asarray(CASES[name](jax.numpy))
    for ours in (CASES[name](jnp), jit(lambda: CASES[name](jnp))()):
        assert (np.asarray(ours).dtype, np.shape(ours)) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
