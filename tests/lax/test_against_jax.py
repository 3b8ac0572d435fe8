"""Every function of `lax` against JAX: eager, batched, compiled, and its gradient."""

import numpy as np
import pytest

import transformer as T
import transformer.lax as lax
import transformer.numpy as jnp
from tests.lax.cases import CASES

jax = pytest.importorskip("jax")

NO_DERIVATIVE_IN_JAX = {"while_loop"}


def wanted(name):
    function, args = CASES[name]
    return [np.asarray(v) for v in jax.tree.leaves(function(jax.lax, *map(jax.numpy.asarray, args)))]


def check(found, wanted):
    found = T.tree.flatten(found)[0]
    assert len(found) == len(wanted)
    for one, two in zip(found, wanted):
        one = np.asarray(one)
        assert (one.dtype, one.shape) == (two.dtype, two.shape)
        np.testing.assert_allclose(one, two, rtol=3e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_eager(name):
    function, args = CASES[name]
    check(function(lax, *map(jnp.asarray, args)), wanted(name))


@pytest.mark.parametrize("name", CASES)
def test_compiled(name):
    function, args = CASES[name]
    check(T.jit(lambda *a: function(lax, *a))(*args), wanted(name))


@pytest.mark.parametrize("name", CASES)
def test_batched(name):
    function, args = CASES[name]
    stacked = [np.stack([a, a]) for a in args]
    found = T.vmap(lambda *a: function(lax, *a))(*map(jnp.asarray, stacked))
    check(T.tree.tree_map(lambda leaf: leaf[1], found), wanted(name))


def loss(library, leaves, numpy, function):
    def total(*args):
        return sum(numpy.sum(numpy.sin(v)) for v in leaves(function(library, *args)) if v.dtype.kind == "f")
    return total


def differentiable(name):
    function, args = CASES[name]
    floats = [v for v in wanted(name) if v.dtype.kind == "f"]
    return floats and any(a.dtype.kind == "f" for a in args) and name not in NO_DERIVATIVE_IN_JAX


@pytest.mark.parametrize("name", CASES)
def test_gradient(name):
    if not differentiable(name):
        pytest.skip("no derivative")
    function, args = CASES[name]
    argnums = tuple(k for k, a in enumerate(args) if a.dtype.kind == "f")
    theirs = loss(jax.lax, jax.tree.leaves, jax.numpy, function)
    try:
        expected = jax.grad(theirs, argnums)(*map(jax.numpy.asarray, args))
    except (NotImplementedError, TypeError, ValueError):
        pytest.skip("JAX has no derivative")
    found = T.grad(loss(lax, lambda t: T.tree.flatten(t)[0], jnp, function), argnums)(*args)
    for one, two in zip(found, expected):
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=3e-4, atol=1e-4)


def test_operands_by_name():
    x = np.array([0.3, 1.2, 2.0], np.float32)
    for name in "add sub mul max min eq ne lt gt le ge atan2 rem pow".split():
        check(getattr(lax, name)(2 * x, y=x), [np.asarray(getattr(jax.lax, name)(2 * x, y=x))])
        check(getattr(lax, name)(y=x, x=2 * x), [np.asarray(getattr(jax.lax, name)(2 * x, x))])
    for name, operands in {"igamma": {"a": 2 * x, "x": x}, "betainc": {"a": x, "b": 2 * x, "x": x / 3}, "zeta": {"x": x + 1.5, "q": x}}.items():
        check(getattr(lax, name)(**operands), [np.asarray(getattr(jax.lax, name)(**operands))])
    check(lax.rsqrt(x, accuracy=None), [np.asarray(jax.lax.rsqrt(x))])
