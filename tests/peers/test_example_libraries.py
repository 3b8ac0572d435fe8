"""Optimisers, schedules and layers of the example libraries, step by step beside those of JAX."""

import numpy as np
import pytest

pytest.importorskip("jax")

import jax  # noqa: E402
import jax.example_libraries.optimizers  # noqa: E402
import jax.example_libraries.stax  # noqa: E402

import transformer as T  # noqa: E402
from transformer.example_libraries import optimizers, stax  # noqa: E402

RNG = np.random.RandomState(0)
PARAMS = {"w": RNG.randn(3, 4).astype("f"), "b": (RNG.randn(4).astype("f"), np.float32(0.5))}
GRADS = {"w": RNG.randn(3, 4).astype("f"), "b": (np.array([0.0, 1, -1, 2], "f"), np.float32(0.3))}
PICTURES = RNG.randn(2, 6, 5, 3).astype("f")
ROWS = PICTURES[0, 0]


def same(found, wanted):
    for one, two in zip(T.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert np.shape(one) == np.shape(two) and one.dtype == two.dtype
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("make", [
    lambda o: o.sgd(0.1), lambda o: o.momentum(0.1, 0.9), lambda o: o.nesterov(0.1, 0.8), lambda o: o.adagrad(0.1), lambda o: o.rmsprop(0.1),
    lambda o: o.rmsprop_momentum(0.1), lambda o: o.adam(0.1), lambda o: o.adamax(0.1), lambda o: o.sgd(o.exponential_decay(0.1, 2, 0.5)),
    lambda o: o.sgd(o.inverse_time_decay(0.1, 2, 0.5)), lambda o: o.adam(o.inverse_time_decay(0.1, 2, 0.5, True)),
    lambda o: o.sgd(o.polynomial_decay(0.1, 3, 0.01, 2.0)), lambda o: o.momentum(o.piecewise_constant([1, 2], [0.1, 0.2, 0.3]), 0.5),
], ids="sgd momentum nesterov adagrad rmsprop rmsprop_momentum adam adamax exponential inverse staircase polynomial piecewise".split())
def test_steps(make):
    def run(library, wrap):
        init, update, params_of = make(library)
        state, update = init(PARAMS), wrap(update)
        for step in range(4):
            state = update(step, GRADS, state)
        return params_of(state)
    wanted = run(jax.example_libraries.optimizers, jax.jit)
    same(run(optimizers, T.jit), wanted)
    same(run(optimizers, lambda f: f), wanted)


def test_rows_of_accumulators():
    def run(library):
        init, update, params_of = library.sm3(0.1)
        state = init([PARAMS["w"], PARAMS["b"][0]])
        for step in range(3):
            state = update(step, [GRADS["w"], GRADS["b"][0]], state)
        return params_of(state)
    same(run(optimizers), run(jax.example_libraries.optimizers))


def test_norms():
    for limit in (1.0, 100.0):
        same(optimizers.clip_grads(GRADS, limit), jax.example_libraries.optimizers.clip_grads(GRADS, limit))


def test_states_as_trees_of_leaves():
    init, update, params_of = optimizers.adam(0.1)
    state = update(0, GRADS, init(PARAMS))
    marked = optimizers.unpack_optimizer_state(state)
    assert isinstance(marked["w"], optimizers.JoinPoint) and len(marked["w"].subtree) == 3
    same(params_of(optimizers.pack_optimizer_state(marked)), params_of(state))


@pytest.mark.parametrize("layers, x", [
    (lambda s: s.serial(s.Dense(8), s.Relu, s.Dense(4), s.LogSoftmax), ROWS),
    (lambda s: s.serial(s.Conv(4, (3, 3), padding="SAME"), s.MaxPool((2, 2), strides=(2, 2)), s.Conv(2, (2, 2)), s.AvgPool((2, 1), padding="SAME"),
                        s.Flatten, s.Dense(3)), PICTURES),
    (lambda s: s.serial(s.ConvTranspose(4, (3, 3), strides=(2, 2), padding="SAME"), s.Tanh, s.SumPool((2, 2))), PICTURES),
    (lambda s: s.Conv1DTranspose(4, (3,)), PICTURES[:, 0]),
    (lambda s: s.serial(s.BatchNorm(), s.Elu, s.BatchNorm(axis=(0, 1, 2), scale=False)), PICTURES),
    (lambda s: s.serial(s.FanOut(2), s.parallel(s.Dense(4), s.Identity), s.FanInConcat(-1), s.Softplus), ROWS),
    (lambda s: s.serial(s.FanOut(2), s.parallel(s.Dense(3), s.serial(s.Dense(3), s.Sigmoid)), s.FanInSum, s.Gelu), ROWS),
    (lambda s: s.serial(s.Dense(8), s.Dropout(0.5), s.shape_dependent(lambda shape: s.Dense(2 * shape[-1])), s.Dropout(0.5, "test"), s.Softmax), ROWS),
], ids="dense convolution transpose line batch_norm joined summed dropout".split())
def test_layers(layers, x):
    def run(library, random):
        init, apply = layers(library)
        shape, params = init(random.PRNGKey(0), x.shape)
        return tuple(shape), params, apply(params, x, rng=random.PRNGKey(1))
    found, wanted = run(stax, T.random), run(jax.example_libraries.stax, jax.random)
    assert found[0] == wanted[0]
    same(found[1:], wanted[1:])


def test_unknown_lengths_stay_unknown():
    shape, _ = stax.serial(stax.Conv(4, (3, 3)), stax.MaxPool((2, 2)), stax.Flatten, stax.Dense(3))[0](T.random.PRNGKey(0), (-1, 8, 8, 1))
    assert shape == (-1, 3)


def test_a_network_learns():
    init, apply = stax.serial(stax.Dense(16), stax.Tanh, stax.Dense(2), stax.LogSoftmax)
    labels = np.array([0, 1, 1, 0, 1])
    loss = lambda params: -T.numpy.mean(apply(params, ROWS)[np.arange(5), labels])  # noqa: E731
    start, update, params_of = optimizers.momentum(0.3, 0.9)
    state, step = start(init(T.random.PRNGKey(0), ROWS.shape)[1]), T.jit(lambda i, state: update(i, T.grad(loss)(params_of(state)), state))
    for i in range(40):
        state = step(i, state)
    assert loss(params_of(state)) < 0.05


def test_refusals():
    with pytest.raises(ValueError, match="one value more"):
        optimizers.piecewise_constant([1, 2], [0.1, 0.2])
    with pytest.raises(TypeError, match="step size"):
        optimizers.make_schedule([1.0, 2.0])
    with pytest.raises(ValueError, match="key"):
        stax.Dropout(0.5)[1]((), ROWS)
