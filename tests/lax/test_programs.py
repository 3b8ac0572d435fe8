"""Programs with control flow against JAX, under every composition of transforms."""

import functools

import numpy as np
import pytest

import transformer as T
from tests.lax.programs import PROGRAMS

jax = pytest.importorskip("jax")


def sum_of_leaves(J, tree):
    return sum(J.numpy.sum(v) for v in J.tree_util.tree_leaves(tree))


def stacked(J, args):
    return J.tree_util.tree_map(lambda v: np.stack([v, 0.7 * v]), args)


def every(args):
    return tuple(range(len(args)))


WAYS = {
    "eager": lambda J, f, args: f(*args),
    "jit": lambda J, f, args: J.jit(f)(*args),
    "grad": lambda J, f, args: J.grad(f, every(args))(*args),
    "jit of grad": lambda J, f, args: J.jit(J.grad(f, every(args)))(*args),
    "vmap of grad": lambda J, f, args: J.vmap(J.grad(f, every(args)))(*stacked(J, args)),
    "jit of vmap": lambda J, f, args: J.jit(J.vmap(f))(*stacked(J, args)),
    "grad of vmap": lambda J, f, args: J.grad(lambda *a: J.numpy.sum(J.vmap(f)(*a)), every(args))(*stacked(J, args)),
    "jvp": lambda J, f, args: J.jvp(f, args, args)[1],
    "linearize": lambda J, f, args: J.linearize(f, *args)[1](*args),
    "hessian": lambda J, f, args: J.hessian(f, len(args) - 1)(*args),
    "grad of grad": lambda J, f, args: J.grad(lambda *a: sum_of_leaves(J, J.grad(f, every(args))(*a)), every(args))(*args),
}


@pytest.fixture(scope="module", autouse=True)
def wide():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with T.enable_x64(True):
        yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_like_jax(name, way):
    function, args = PROGRAMS[name]
    wanted, found = (J.tree_util.tree_leaves(WAYS[way](J, functools.partial(function, J), args)) for J in (jax, T))
    for one, two in zip(found, wanted, strict=True):
        assert np.shape(one) == np.shape(two)
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=1e-8, atol=1e-9)
