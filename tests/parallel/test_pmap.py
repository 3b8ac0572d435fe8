"""pmap: one lane per device; nested, differentiated, batched and compiled pmaps equal the same vmap."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import transformer
from transformer import TransformError, grad, jit, pmap, value_and_grad, vmap
from transformer.errors import ShapeError
from transformer.parallel import all_gather, axis_index, pmean, psum

X = np.random.default_rng(0).normal(size=(8, 3))


def test_results_lie_on_the_devices():
    y = pmap(lambda x: x * 2)(X)
    assert len(y.devices()) == 8 and y.addressable_shards[2].data.shape == (1, 3)
    np.testing.assert_array_equal(y, 2 * X)
    np.testing.assert_array_equal(y.addressable_shards[2].data, 2 * X[2:3])
    z = pmap(lambda x: x + 1)(y)
    np.testing.assert_array_equal(z, 2 * X + 1)


def test_the_source_is_the_program_of_one_device():
    f = pmap(lambda x: x / psum(x, "dev"), axis_name="dev")
    f(X)
    assert "from transformer import lax" in f.source and "lax.psum(x, 'dev')" in f.source.replace('"', "'") and "float64[3]" in f.source


def test_axes_of_arguments_and_results():
    np.testing.assert_allclose(pmap(lambda w, x: x * w, in_axes=(None, 0))(3.0, X), 3 * X)
    np.testing.assert_allclose(pmap(lambda x, y: x + y, in_axes=(0, 1))(X, X.T), 2 * X)
    np.testing.assert_allclose(pmap(lambda x: x + 1, out_axes=1)(X), X.T + 1)
    np.testing.assert_allclose(pmap(lambda x: psum(x, "d"), axis_name="d", out_axes=None)(X), X.sum(0))
    np.testing.assert_allclose(pmap(lambda p: {"s": p["a"] + p["b"][0]})({"a": X, "b": [X]})["s"], 2 * X)
    np.testing.assert_allclose(pmap(lambda x, n: x * n, static_broadcasted_argnums=1)(X, 4), 4 * X)


def test_some_devices():
    chosen = transformer.devices()[2:5]
    y = pmap(lambda x: x * axis_index("d"), axis_name="d", devices=chosen)(X[:3])
    assert y.devices() == set(chosen)
    np.testing.assert_allclose(y, X[:3] * np.arange(3)[:, None])


def test_closures_stores_and_control_flow():
    weights = np.arange(3.0)

    def f(x, i):
        x = x.copy()
        x[0] = 7.0
        while np.sum(x ** 2) < 1000.0:
            x = x * 1.5
        return x @ weights + x[i]
    rows = np.arange(8) % 3
    np.testing.assert_allclose(pmap(f)(X, rows), [f(x, i) for x, i in zip(X, rows)])
    g = grad(lambda x: f(x, 1))
    np.testing.assert_allclose(pmap(g)(X), [g(x) for x in X])


def test_errors_of_one_device_reach_the_caller():
    with pytest.raises(IndexError, match="index 9"):
        pmap(lambda x, i: x[i])(X, np.array([0, 1, 2, 9, 0, 0, 0, 0]))

    def f(x):
        total = 0.0
        for i in range(3):
            total = total + psum(x[i], "d")
            if x[0] > 5:
                raise ValueError(f"too large: {x[0]}")
        return total
    np.testing.assert_allclose(pmap(f, axis_name="d")(X), [X.sum()] * 8)
    wrong = X.copy()
    wrong[4, 0] = 6.0
    with pytest.raises(ValueError, match="too large: 6"):
        pmap(f, axis_name="d")(wrong)


def test_more_rows_than_devices_and_uneven_sizes():
    with pytest.raises(ShapeError, match="size 9, but there are 8 devices"):
        pmap(lambda x: x)(np.ones(9))
    with pytest.raises(ShapeError, match="pmap got mapped axes of different sizes"):
        pmap(lambda x, y: x)(np.ones(2), np.ones(3))
    with pytest.raises(ShapeError, match="differs from device to device"):
        pmap(lambda x: x, out_axes=None)(X)


def test_donated_arguments_are_given_up():
    y = pmap(lambda x: x)(X)
    z = pmap(lambda x: x + 1, donate_argnums=0)(y)
    assert y.is_deleted()
    np.testing.assert_array_equal(z, X + 1)


def test_gradient_through_pmap_and_pmap_of_grad():
    shares = pmap(lambda x: x ** 2 / psum(x ** 2, "d"), axis_name="d")
    w = np.arange(24.0).reshape(8, 3)
    total = (X ** 2).sum(0)
    wanted = 2 * X * (w / total - (w * X ** 2).sum(0) / total ** 2)
    np.testing.assert_allclose(grad(lambda x: np.sum(w * shares(x)))(X), wanted, atol=1e-12)
    np.testing.assert_allclose(pmap(grad(lambda x: np.sum(np.sin(x))))(X), np.cos(X))
    np.testing.assert_allclose(jit(grad(lambda x: np.sum(w * shares(x))))(X), wanted, atol=1e-12)


def test_jit_of_pmap_runs_on_the_devices():
    y = jit(pmap(lambda x: x - pmean(x, "d"), axis_name="d"))(X)
    assert len(y.devices()) == 8
    np.testing.assert_allclose(y, X - X.mean(0), atol=1e-12)


def nested(outer_map, inner_map):
    """The gradient of an inner map that closes over a value of the outer one, as in JAX's README."""
    def outer(row):
        level = np.sum(np.sin(row))

        def inner(z):
            return np.cos(z) * np.tan(level) * np.sum(np.tanh(row))
        return grad(lambda w: np.sum(inner_map(inner)(w)))(row)
    return outer_map(outer)


def test_nested_pmaps_and_their_gradient_equal_the_vmap_form():
    rows = np.arange(8.0).reshape(4, 2)
    s, t = np.sin(rows).sum(1, keepdims=True), np.tanh(rows).sum(1, keepdims=True)
    found = nested(pmap, pmap)(rows)
    np.testing.assert_allclose(found, -np.sin(rows) * np.tan(s) * t, rtol=1e-10)
    np.testing.assert_allclose(found, nested(vmap, vmap)(rows), rtol=1e-10)
    second = [grad(lambda x, m=m: np.sum(nested(m, m)(x)))(rows) for m in (pmap, vmap)]
    np.testing.assert_allclose(*second, rtol=1e-10)
    np.testing.assert_allclose(second[0][0], [-3.2369726, -1.6356447], rtol=1e-5)


def test_a_pmap_of_a_pmap_takes_devices_for_both_axes():
    m = np.arange(8.0).reshape(4, 2)
    f = pmap(pmap(lambda x: (psum(x, "c"), psum(x, "r"), psum(x, ("r", "c")), axis_index("r")), axis_name="c"), axis_name="r")
    a, b, c, i = f(m)
    assert len(a.devices()) == 8
    np.testing.assert_array_equal(a, np.repeat(m.sum(1, keepdims=True), 2, 1))
    np.testing.assert_array_equal(b, np.tile(m.sum(0), (4, 1)))
    np.testing.assert_array_equal(c, np.full((4, 2), m.sum()))
    np.testing.assert_array_equal(i, np.repeat(np.arange(4)[:, None], 2, 1))
    x = np.random.default_rng(3).normal(size=(5, 4, 2))
    maps = [m(m(lambda v: v * 2, in_axes=1, out_axes=1), in_axes=1, out_axes=2) for m in (pmap, vmap)]
    np.testing.assert_array_equal(maps[0](x), maps[1](x))


def test_an_inner_pmap_without_devices_left_is_a_batch_on_each():
    m = np.random.default_rng(3).normal(size=(4, 6, 2))
    f = pmap(pmap(lambda x: x - pmean(x, "i") + psum(x, "o"), axis_name="i"), axis_name="o")
    y = f(m)
    assert len(y.devices()) == 4
    np.testing.assert_allclose(y, m - m.mean(1, keepdims=True) + m.sum(0), atol=1e-12)


def test_vmap_inside_of_pmap():
    m = np.random.default_rng(3).normal(size=(4, 6))
    f = pmap(vmap(lambda x: x - pmean(x, "in") + psum(x, "out"), axis_name="in"), axis_name="out")
    np.testing.assert_allclose(f(m), m - m.mean(1, keepdims=True) + m.sum(0), atol=1e-12)


def test_a_training_step_on_eight_devices_equals_the_step_on_one():
    rng = np.random.default_rng(5)
    params = {"w1": rng.normal(size=(4, 16)), "b1": np.zeros(16), "w2": rng.normal(size=16)}
    x, y = rng.normal(size=(64, 4)), rng.normal(size=64)

    def loss(p, x, y):
        return np.mean((np.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] - y) ** 2)

    def update(p, g):
        return {k: p[k] - 0.1 * g[k] for k in p}

    def on_one(p, x, y):
        value, g = value_and_grad(loss)(p, x, y)
        return update(p, g), value

    def on_eight(p, x, y):
        value, g = value_and_grad(loss)(p, x, y)
        return update(p, pmean(g, "batch")), pmean(value, "batch")
    step = pmap(on_eight, axis_name="batch", in_axes=(None, 0, 0), out_axes=None)
    one = eight = params
    for _ in range(10):
        one, value = jit(on_one)(one, x, y)
        eight, mean = step(eight, x.reshape(8, 8, 4), y.reshape(8, 8))
        np.testing.assert_allclose(value, mean, rtol=1e-6)
    for k in params:
        np.testing.assert_allclose(one[k], eight[k], rtol=1e-6, atol=1e-9)


def test_gathered_rows_are_the_same_everywhere():
    y = pmap(lambda x: all_gather(x, "d"), axis_name="d", out_axes=None)(X)
    np.testing.assert_array_equal(y, X)


def test_a_pmap_of_something_else_than_a_function():
    with pytest.raises(TransformError, match="needs a function"):
        pmap(3.0)


def test_lowering_ahead_of_a_call():
    lowered = pmap(lambda x: psum(x, "d"), axis_name="d").lower(X)
    assert "stablehlo.all_reduce" in lowered.as_text()
    np.testing.assert_allclose(lowered.compile()(X)[0], X.sum(0))


def test_jax_is_not_loaded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import sys
import numpy as np
import transformer
from transformer.parallel import psum
transformer.config.update("num_cpu_devices", 4)
f = transformer.pmap(lambda x: x / psum(x, "d"), axis_name="d")
assert np.allclose(f(np.ones(4)), 0.25) and len(f(np.ones(4)).devices()) == 4
assert "jax" not in sys.modules
""")
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=100, env={**os.environ, "PYTHONPATH": str(root)})
    assert done.stderr == ""
