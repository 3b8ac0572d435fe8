"""Draws equal JAX's: integers and keys bit for bit, floats within a few units in the last place. Needs jax, an optional extra."""

import warnings

import numpy as np
import pytest

import transformer
from tests.random.cases import CASES, label
from transformer import random

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    jax = pytest.importorskip("jax")

SEED = 7


def significant(value):
    """Whether a dtype is of floats, also of bfloat16."""
    return value.dtype.kind in "fc" or value.dtype.name == "bfloat16"


def spacing(value):
    if value.dtype.name != "bfloat16":
        return np.spacing(np.abs(value)).astype(np.float64)
    return np.exp2(np.floor(np.log2(np.abs(value.astype(np.float64)) + 1e-300)) - 7)


def ulps(found, wanted, floor=0.0):
    """The largest difference in units in the last place of the wanted value, or of `floor` where that is more."""
    if wanted.dtype.kind == "c":
        return max(ulps(found.real, wanted.real, floor), ulps(found.imag, wanted.imag, floor))
    difference = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    unit = np.maximum(spacing(wanted), spacing(np.asarray(floor, wanted.dtype)) if floor else 0.0)
    return float(np.max(np.where(difference == 0, 0.0, difference / unit), initial=0.0))


def jax_draw(name, args, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(getattr(jax.random, name)(jax.random.PRNGKey(SEED), *args, **kwargs))


@pytest.mark.parametrize("case", CASES, ids=label)
def test_compiled(case):
    name, args, kwargs, limit = case
    wanted = jax_draw(name, args, kwargs)
    found = np.asarray(transformer.jit(lambda key: getattr(random, name)(key, *args, **kwargs))(random.PRNGKey(SEED)))
    compare(found, wanted, limit)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_at_once(case):
    """On the host NumPy rounds its logarithms and sums differently: near 0 the units are those of 1."""
    name, args, kwargs, limit = case
    if kwargs.get("method") == "eigh":
        pytest.skip("eigenvectors have no sign")
    wanted = jax_draw(name, args, kwargs)
    found = np.asarray(getattr(random, name)(random.PRNGKey(SEED), *args, **kwargs))
    compare(found, wanted, 2 * limit, floor=4.0)


def compare(found, wanted, limit, floor=0.0):
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if significant(wanted) and limit:
        assert ulps(found, wanted, floor) <= limit
    else:
        np.testing.assert_array_equal(found, wanted)


def test_keys():
    for seed in (0, 1, -1, 42, 2 ** 31 + 5, 2 ** 40 + 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = jax.random.PRNGKey(seed)
        np.testing.assert_array_equal(random.PRNGKey(seed), wanted)
    for num in (1, 3, (2, 3)):
        np.testing.assert_array_equal(random.split(random.PRNGKey(3), num), jax.random.split(jax.random.PRNGKey(3), num))
    for data in (0, 5, 2 ** 32 - 1):
        np.testing.assert_array_equal(random.fold_in(random.PRNGKey(3), data), jax.random.fold_in(jax.random.PRNGKey(3), data))


@pytest.mark.parametrize("name, args, limit", [("uniform", ((20,),), 2), ("exponential", ((20,),), 500), ("normal", ((20,),), 500),
                                               ("bits", ((5,),), 0), ("randint", ((9,), 0, 2 ** 40), 0), ("randint", ((9,), -2 ** 63, 2 ** 63 - 1), 0),
                                               ("permutation", (9,), 0), ("gamma", (2.0, (9,)), 50)])
def test_double_precision(name, args, limit):
    """XLA's log1p in double precision is off by up to 128 ulp between -0.5 and -0.3."""
    with jax.enable_x64(True):
        wanted = jax_draw(name, args, {})
    with transformer.enable_x64(True):
        found = np.asarray(getattr(random, name)(random.PRNGKey(SEED), *args))
    compare(found, wanted, limit)


def test_gamma_derivatives():
    """JAX takes the smallest normal number for samples that underflow; there derivatives of loggamma differ (ours hold)."""
    alphas = np.array([0.2, 0.5, 1.0, 3.0, 10.0, 200.0], np.float32)
    for name in ("gamma", "loggamma"):
        wanted = jax.grad(lambda a, name=name: getattr(jax.random, name)(jax.random.PRNGKey(SEED), a).sum())(alphas)
        found = transformer.grad(lambda a, name=name: getattr(random, name)(random.PRNGKey(SEED), a).sum())(alphas)
        np.testing.assert_allclose(found, wanted, rtol=5e-5, atol=1e-30)
