"""Functions for neural networks: values, derivatives, extremes, types, initial weights."""

import math
import warnings

import numpy as np
import pytest

import transformer
import transformer.numpy as jnp
from transformer import TransformError, nn, random

X = np.array([-7.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.9, 3.1, 6.0, 7.0], np.float32)
ACTIVATIONS = """celu elu gelu hard_sigmoid hard_silu hard_tanh identity leaky_relu log_sigmoid mish relu relu6 selu sigmoid silu soft_sign softplus
sparse_plus sparse_sigmoid squareplus tanh""".split()


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_un_jitted_and_compiled(name):
    f = getattr(nn, name)
    wanted = f(X)
    assert wanted.dtype == np.float32
    np.testing.assert_allclose(transformer.jit(f)(X), wanted, rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(transformer.vmap(f)(X), wanted, rtol=2e-6, atol=1e-7)
    slopes = transformer.vmap(transformer.grad(f))(X)
    np.testing.assert_allclose(transformer.jit(transformer.vmap(transformer.grad(f)))(X), slopes, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name, at, slope", [("relu", 0.0, 0.0), ("relu6", 0.0, 0.0), ("relu6", 6.0, 0.0), ("leaky_relu", 0.0, 1.0), ("elu", 0.0, 1.0),
                                             ("hard_tanh", 1.0, 1.0), ("softplus", 200.0, 1.0), ("softplus", -200.0, 0.0), ("log_sigmoid", -300.0, 1.0),
                                             ("sigmoid", 0.0, 0.25), ("silu", 0.0, 0.5), ("squareplus", 0.0, 0.5), ("sparse_plus", 1.0, 1.0)])
def test_derivatives_at_edges(name, at, slope):
    assert float(transformer.grad(getattr(nn, name))(at)) == pytest.approx(slope, abs=1e-6)


def test_relu_keeps_nan_and_integers():
    assert np.isnan(nn.relu(np.float32(np.nan)))
    assert nn.relu(np.array([-2, 3])).tolist() == [0, 3]


def test_gelu():
    exact = [v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in X.astype(float)]
    np.testing.assert_allclose(nn.gelu(X, approximate=False), exact, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(nn.gelu(X), exact, atol=1e-3)


def test_glu():
    np.testing.assert_allclose(nn.glu(np.array([1.0, 2.0, 0.0, 0.0], "f")), [0.5, 1.0])
    with pytest.raises(TransformError, match="even"):
        nn.glu(np.ones(3))


def test_log1mexp():
    x = np.array([1e-4, 0.5, 1.0, 20.0])
    np.testing.assert_allclose(nn.log1mexp(x), np.log(-np.expm1(-x)), rtol=1e-4)
    assert float(transformer.grad(nn.log1mexp)(1.0)) == pytest.approx(1 / math.expm1(1.0), rel=1e-6)


def test_softmax_of_huge_numbers():
    z = np.array([[1000.0, 1001.0, 998.0], [-1e4, 0.0, 1.0]], "f")
    e = np.exp(z - z.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    np.testing.assert_allclose(nn.softmax(z), p, rtol=1e-6)
    np.testing.assert_allclose(nn.log_softmax(z), z - z.max(1, keepdims=True) - np.log(e.sum(1, keepdims=True)), rtol=1e-6)
    np.testing.assert_allclose(transformer.jacrev(nn.softmax)(z[0]), np.diag(p[0]) - np.outer(p[0], p[0]), atol=1e-6)
    np.testing.assert_allclose(nn.softmax(z, axis=0).sum(0), 1)
    np.testing.assert_allclose(nn.softmax(z, axis=(0, 1)).sum(), 1, rtol=1e-6)


def test_softmax_with_a_mask():
    x, where = np.array([1.0, 5.0, 2.0], "f"), np.array([True, False, True])
    found = nn.softmax(x, where=where)
    np.testing.assert_allclose(found, [1 / (1 + math.e), 0, math.e / (1 + math.e)], rtol=1e-6)
    np.testing.assert_allclose(nn.log_softmax(x, where=where)[where], np.log(found[where]), rtol=1e-6)
    slope = transformer.grad(lambda x: nn.softmax(x, where=where)[0])(x)
    assert np.all(np.isfinite(slope)) and slope[1] == 0


def test_logsumexp():
    m = np.random.RandomState(0).randn(3, 4).astype("f")
    w = np.array([1.0, 2.0, 0.0, 0.5], "f")
    np.testing.assert_allclose(nn.logsumexp(m, axis=1, keepdims=True), np.log(np.exp(m).sum(1, keepdims=True)), rtol=1e-6)
    np.testing.assert_allclose(nn.logsumexp(m, axis=1, b=w), np.log((w * np.exp(m)).sum(1)), rtol=1e-5)
    log, sign = nn.logsumexp(np.array([0.0, 1.0], "f"), b=np.array([1.0, -1.0], "f"), return_sign=True)
    assert float(log) == pytest.approx(math.log(math.e - 1), rel=1e-6) and float(sign) == -1
    assert np.isnan(nn.logsumexp(np.array([0.0, 1.0], "f"), b=np.array([1.0, -1.0], "f")))
    assert float(nn.logsumexp(np.array([1e4, 1e4], "f"))) == pytest.approx(1e4 + math.log(2))
    assert float(nn.logsumexp(np.array([-np.inf, -np.inf], "f"))) == -np.inf
    np.testing.assert_allclose(nn.logsumexp(m, axis=0, where=m > 0), np.log(np.where(m > 0, np.exp(m), 0).sum(0)), rtol=1e-5)
    np.testing.assert_allclose(nn.logmeanexp(m, axis=1), np.log(np.exp(m).mean(1)), rtol=1e-5, atol=1e-6)
    weights = transformer.grad(lambda b: nn.logsumexp(m[0], b=b))(w)
    np.testing.assert_allclose(weights, np.exp(m[0]) / (w * np.exp(m[0])).sum() * (w != 0), rtol=1e-5)


def test_one_hot():
    assert nn.one_hot(np.array([1, 0, 3, -1]), 3).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]
    found = nn.one_hot(np.array([[0, 1]]), 2, axis=0, dtype="int32")
    assert found.tolist() == [[[1, 0]], [[0, 1]]] and found.dtype == np.int32
    assert nn.one_hot(2, 3).tolist() == [0, 0, 1]
    assert transformer.jit(lambda x: nn.one_hot(x, 3))(np.array([2])).tolist() == [[0, 0, 1]]
    with pytest.raises(TransformError, match="axis"):
        nn.one_hot(np.array([1]), 2, axis=3)


def test_standardize():
    m = np.random.RandomState(0).randn(3, 6).astype("f")
    np.testing.assert_allclose(nn.standardize(m), (m - m.mean(1, keepdims=True)) / m.std(1, keepdims=True), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(nn.standardize(m, mean=0.0, variance=1.0), m, rtol=1e-4)


def attention(q, k, v, mask):
    scores = np.einsum("tnh,snh->nts", q, k) / math.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    w = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("nts,snh->tnh", w / w.sum(-1, keepdims=True), v)


def test_attention():
    r = np.random.RandomState(1)
    q, k, v = (r.randn(5, 4, 3).astype("f") for _ in range(3))
    np.testing.assert_allclose(nn.dot_product_attention(q, k, v), attention(q, k, v, True), rtol=1e-5, atol=1e-6)
    causal = np.tri(5, dtype=bool)
    np.testing.assert_allclose(nn.dot_product_attention(q, k, v, is_causal=True), attention(q, k, v, causal), rtol=1e-5, atol=1e-6)
    shared = nn.dot_product_attention(q[None], k[None, :, :2], v[None, :, :2], mask=causal)
    np.testing.assert_allclose(shared[0], attention(q, k[:, [0, 0, 1, 1]], v[:, [0, 0, 1, 1]], causal), rtol=1e-5, atol=1e-6)
    assert np.all(np.isfinite(transformer.grad(lambda q: nn.dot_product_attention(q, k, v, is_causal=True).sum())(q)))
    with pytest.raises(TransformError, match="heads"):
        nn.dot_product_attention(q, k[:, :3], v[:, :3])


# initial weights ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name, variance", [("glorot_normal", 2 / 500), ("glorot_uniform", 2 / 500), ("xavier_normal", 2 / 500), ("he_normal", 2 / 300),
                                            ("he_uniform", 2 / 300), ("lecun_normal", 1 / 300), ("lecun_uniform", 1 / 300)])
def test_variance_scaling(name, variance):
    w = np.asarray(getattr(nn.initializers, name)()(random.key(0), (300, 200)))
    assert w.dtype == np.float32 and abs(w.var() / variance - 1) < 0.05 and abs(w.mean()) < 0.002


def test_fans_of_kernels():
    w = np.asarray(nn.initializers.variance_scaling(1.0, "fan_out", "normal")(random.key(0), (3, 3, 16, 100)))
    assert abs(w.var() * 900 - 1) < 0.05


def test_orthogonal():
    key = random.key(0)
    q = np.asarray(nn.initializers.orthogonal()(key, (6, 4)))
    np.testing.assert_allclose(q.T @ q, np.eye(4), atol=1e-5)
    q = np.asarray(nn.initializers.orthogonal(2.0)(key, (3, 2, 8))).reshape(6, 8)
    np.testing.assert_allclose(q @ q.T, 4 * np.eye(6), atol=1e-5)
    delta = np.asarray(nn.initializers.delta_orthogonal()(key, (3, 3, 4, 6)))
    np.testing.assert_allclose(delta[1, 1] @ delta[1, 1].T, np.eye(4), atol=1e-5)
    assert np.count_nonzero(delta.sum((2, 3))) == 1


def test_constants_and_simple_draws():
    key, init = random.PRNGKey(0), nn.initializers
    assert init.zeros(key, (2,)).tolist() == [0, 0] and init.ones(key, (2,), "int32").dtype == np.int32
    assert init.constant(2.5)(key, (2,)).tolist() == [2.5, 2.5]
    assert abs(np.asarray(init.normal(0.1)(key, (10000,))).std() - 0.1) < 0.005
    u = np.asarray(init.uniform(3.0)(key, (1000,)))
    assert u.min() >= 0 and u.max() < 3 and u.max() > 2.9
    t = np.asarray(init.truncated_normal(2.0)(key, (1000,)))
    assert abs(t).max() <= 4 and init.normal(dtype="bfloat16")(key, (2,)).dtype.name == "bfloat16"


@pytest.mark.parametrize("make, words", [
    (lambda init, key: init.glorot_normal()(key, (3,)), "two axes"), (lambda init, key: init.variance_scaling(1.0, "fan", "normal")(key, (3, 3)), "fan"),
    (lambda init, key: init.variance_scaling(1.0, "fan_in", "odd")(key, (3, 3)), "odd"), (lambda init, key: init.orthogonal()(key, (3,)), "two axes"),
    (lambda init, key: init.delta_orthogonal()(key, (3, 3, 6, 4)), "outputs"), (lambda init, key: init.normal()(1.0, (3,)), "key"),
])
def test_initialisers_refuse(make, words):
    with pytest.raises(TransformError, match=words):
        make(nn.initializers, random.key(0))


# against JAX ---------------------------------------------------------------------------------------------------------------
def jax_or_skip():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("jax")


@pytest.mark.parametrize("name", [*ACTIVATIONS, "softmax", "log_softmax", "logsumexp", "standardize"])
def test_values_and_derivatives_of_jax(name):
    jax = jax_or_skip()
    theirs, ours = getattr(jax.nn, name), getattr(nn, name)
    np.testing.assert_allclose(ours(X), theirs(X), rtol=3e-6, atol=1e-6)
    weights = np.cos(np.arange(X.size, dtype=np.float32))
    wanted = jax.grad(lambda x: jax.numpy.sum(weights * theirs(x)))(X)
    np.testing.assert_allclose(transformer.grad(lambda x: jnp.sum(weights * ours(x)))(X), wanted, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform", "orthogonal", "normal",
                                  "uniform", "truncated_normal"])
def test_weights_of_jax(name):
    jax = jax_or_skip()
    wanted = getattr(jax.nn.initializers, name)()(jax.random.PRNGKey(3), (6, 4))
    np.testing.assert_allclose(getattr(nn.initializers, name)()(random.PRNGKey(3), (6, 4)), wanted, rtol=2e-5, atol=1e-6)
