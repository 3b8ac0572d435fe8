"""Optimisers: against their formulas, and in all ways of running a loop."""

import numpy as np
import pytest

import transformer
import transformer.numpy as jnp
from transformer import lax, optim, tree

OPTIMISERS = {
    "sgd": optim.sgd(0.1), "momentum": optim.momentum(0.1, 0.5), "nesterov": optim.momentum(0.1, 0.5, nesterov=True), "adam": optim.adam(0.1),
    "schedule": optim.adam(lambda step: 0.1 / (1 + step)),
}


def loss(params):
    return jnp.sum(params["w"] ** 2) + params["b"] ** 4


def start(make=jnp.array):
    return {"w": make([1.0, -2.0]), "b": make(1.5)}


def loop(optimiser, params, steps=4):
    state = optimiser.init(params)
    for _ in range(steps):
        params, state = optimiser.update(transformer.grad(loss)(params), state, params)
    return params


def same(found, wanted, rtol=1e-5):
    for a, b in zip(tree.leaves(found), tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol)


def test_sgd():
    same(loop(OPTIMISERS["sgd"], start(), 1), {"w": np.array([0.8, -1.6]), "b": 1.5 - 0.4 * 1.5 ** 3})


def test_momentum():
    x, v = 1.0, 0.0
    for _ in range(4):
        v = 0.5 * v + 2 * x
        x = x - 0.1 * v
    assert float(loop(OPTIMISERS["momentum"], start())["w"][0]) == pytest.approx(x, rel=1e-5)


def test_nesterov():
    x, v = 1.0, 0.0
    for _ in range(4):
        g = 2 * x
        v = 0.5 * v + g
        x = x - 0.1 * (0.5 * v + g)
    assert float(loop(OPTIMISERS["nesterov"], start())["w"][0]) == pytest.approx(x, rel=1e-5)


def test_adam():
    x, m, v = 1.0, 0.0, 0.0
    for t in range(1, 5):
        g = 2 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.1 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    assert float(loop(OPTIMISERS["adam"], start())["w"][0]) == pytest.approx(x, rel=1e-5)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_compiled_steps_and_scans_agree(name):
    optimiser, params = OPTIMISERS[name], start()
    wanted = loop(optimiser, params)

    def step(carry, _):
        params, state = carry
        return optimiser.update(transformer.grad(loss)(params), state, params), loss(params)

    carry = params, optimiser.init(params)
    for _ in range(4):
        carry, _ = transformer.jit(step)(carry, None)
    same(carry[0], wanted)
    (found, _), losses = transformer.jit(lambda carry: lax.scan(step, carry, None, length=4))((params, optimiser.init(params)))
    same(found, wanted)
    assert found["w"].dtype == np.float32 and np.all(np.diff(losses) < 0)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_numpy_parameters_keep_their_precision(name):
    params = start(lambda v: np.array(v, np.float64))
    state = OPTIMISERS[name].init(params)
    new, _ = OPTIMISERS[name].update({"w": np.ones(2), "b": np.array(1.0)}, state, params)
    assert new["w"].dtype == np.float64
