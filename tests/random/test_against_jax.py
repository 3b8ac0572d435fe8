"""Draws equal JAX's: integers and keys bit for bit, floats to 2 units in the last place or what `cases` says. Needs jax, an optional extra."""

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


def ulps(found, wanted):
    """The largest difference in units in the last place of the wanted value."""
    if wanted.dtype.kind == "c":
        return max(ulps(found.real, wanted.real), ulps(found.imag, wanted.imag))
    difference = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    return float(np.max(np.where(difference == 0, 0.0, difference / spacing(wanted)), initial=0.0))


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
    """Draws at the top level run compiled, with the parameters as inputs, as JAX's do."""
    name, args, kwargs, limit = case
    limit = limit if name == "multivariate_normal" else min(limit, 2)
    compare(np.asarray(getattr(random, name)(random.PRNGKey(SEED), *args, **kwargs)), jax_draw(name, args, kwargs), limit)


def compare(found, wanted, limit):
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if significant(wanted) and limit:
        assert ulps(found, wanted) <= limit
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


@pytest.mark.parametrize("name, args", [("uniform", ((20,),)), ("exponential", ((20,),)), ("normal", ((20,),)), ("gamma", (2.0, (9,)))])
def test_double_precision(name, args):
    with jax.enable_x64(True):
        wanted = jax_draw(name, args, {})
    with transformer.enable_x64(True):
        found = np.asarray(getattr(random, name)(random.PRNGKey(SEED), *args))
    compare(found, wanted, 2)


@pytest.mark.parametrize("name, args", [("bits", ((5,),)), ("randint", ((9,), 0, 2 ** 40)), ("randint", ((9,), -2 ** 63, 2 ** 63 - 1)),
                                        ("permutation", (9,))])
def test_integers_of_64_bits(name, args):
    with jax.enable_x64(True):
        wanted = jax_draw(name, args, {})
    with transformer.enable_x64(True):
        np.testing.assert_array_equal(getattr(random, name)(random.PRNGKey(SEED), *args), wanted)


def test_gamma_derivatives():
    """JAX takes the smallest normal number for samples that underflow; there derivatives of loggamma differ (ours hold)."""
    alphas = np.array([0.2, 0.5, 1.0, 3.0, 10.0, 200.0], np.float32)
    for name in ("gamma", "loggamma"):
        wanted = jax.grad(lambda a, name=name: getattr(jax.random, name)(jax.random.PRNGKey(SEED), a).sum())(alphas)
        found = transformer.grad(lambda a, name=name: getattr(random, name)(random.PRNGKey(SEED), a).sum())(alphas)
        np.testing.assert_allclose(found, wanted, rtol=5e-5, atol=1e-30)
