"""Prints, callbacks and switches; checks of derivatives; transposes; aux results."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from transformer import debug, lax
from transformer.test_util import check_grads

X = np.array([0.1, 0.2], np.float32)


def noisy(x):
    y = jnp.sin(x)
    debug.print("y = {} and {k:.1f}", y, k=2.0)
    return jnp.sum(y)


@pytest.mark.parametrize("run", [lambda f: f, T.jit, T.grad, lambda f: T.jit(T.grad(f)), lambda f: lambda x: T.vjp(f, x)[0]])
def test_print(run, capfd):
    np.asarray(run(noisy)(X))
    assert capfd.readouterr().out == "y = [0.09983342 0.19866933] and 2.0\n"


def test_print_of_each_lane(capfd):
    for run in (T.vmap(noisy), T.jit(T.vmap(noisy))):
        np.asarray(run(np.stack([X, 2 * X])))
        assert capfd.readouterr().out.splitlines() == ["y = [0.09983342 0.19866933] and 2.0", "y = [0.19866933 0.38941833] and 2.0"]


def test_print_in_a_loop(capfd):
    def f(x):
        def body(c, v):
            debug.print("{}", v)
            return c + v, None
        return lax.scan(body, 0.0, x)[0]
    np.asarray(T.jit(f)(np.arange(3.0)))
    assert capfd.readouterr().out.split() == ["0.0", "1.0", "2.0"]


def test_callback():
    seen = []

    def f(x):
        debug.callback(lambda a, tree, name: seen.append((a, tree, name)), x * 2.0, {"p": [x]}, name="static")
        return jnp.sum(x)
    for run in (f, T.grad(f), T.jit(f), T.jit(T.grad(f))):
        np.asarray(run(X))
    assert len(seen) == 4
    for a, tree, name in seen:
        np.testing.assert_allclose(a, 2 * X)
        np.testing.assert_allclose(tree["p"][0], X)
        assert name == "static"


def test_callbacks_take_values_as_arguments():
    def f(x):
        y = x * 2.0
        debug.callback(lambda: print(y))
        return y
    with pytest.raises(T.TransformError, match="argument"):
        T.jit(f)(1.0)
    with pytest.raises(T.TransformError, match="format string"):
        debug.print(1.0)


def test_debug_nans():
    g = T.jit(lambda x: jnp.log(x) - 1.0)
    assert np.isnan(float(g(-1.0)))
    with T.debug_nans(True), pytest.raises(FloatingPointError, match="nan.*\n.*np.log"):
        g(-1.0)
    with T.debug_infs(), pytest.raises(FloatingPointError, match="inf"):
        g(0.0)
    assert np.isnan(float(g(-1.0)))


def test_debug_nans_by_config():
    g = T.grad(lambda x: np.sqrt(x))
    T.config.update("jax_debug_infs", True)
    try:
        with np.errstate(divide="ignore"), pytest.raises(FloatingPointError, match="inf"):
            g(0.0)
    finally:
        T.config.update("jax_debug_infs", False)


def test_disable_jit():
    kinds = []
    f = T.jit(lambda x: kinds.append(type(x)) or x)
    with T.disable_jit():
        f(1.0)
    assert kinds == [float]


def test_check_grads():
    check_grads(lambda x, p: {"a": jnp.sin(x) * p["k"], "b": jnp.sum(x ** 3)}, (X, {"k": np.float32(2)}), order=2)
    check_grads(lambda z: z ** 2 * 1j, (1.0 + 2.0j,), order=1)
    wrong = T.custom_jvp(np.sin)
    wrong.defjvp(lambda primals, tangents: (np.sin(primals[0]), 2.0 * tangents[0]))
    for mode in ("fwd", "rev"):
        with pytest.raises(AssertionError, match="differs from finite differences"):
            check_grads(wrong, (0.3,), 1, modes=(mode,))


def test_linear_transpose():
    transpose = T.linear_transpose(lambda x: (2.0 * x, x[0]), T.ShapeDtypeStruct((2,), np.float32))
    found, = transpose((X, np.float32(1.0)))
    np.testing.assert_allclose(found, 2 * X + np.array([1, 0]), rtol=1e-6)


def test_aux():
    def f(x):
        return jnp.sin(x), {"n": x.shape[0], "x": x}
    out, dot, aux = T.jvp(f, (X,), (X,), has_aux=True)
    np.testing.assert_allclose(dot, np.cos(X) * X, rtol=1e-6)
    out, push, aux_2 = T.linearize(f, X, has_aux=True)
    np.testing.assert_allclose(push(X), dot, rtol=1e-6)
    out_2, pull, aux_3 = T.vjp(f, X, has_aux=True)
    np.testing.assert_allclose(pull(X)[0], dot, rtol=1e-6)
    assert aux["n"] == aux_2["n"] == aux_3["n"] == 2
    assert isinstance(out, T.Array) and isinstance(out_2, T.Array)


def test_jacobians_of_holomorphic_functions():
    def f(z):
        return np.array([z[0] ** 2 * z[1], z[1] ** 3])
    z = np.array([1 + 2j, 0.5 - 1j])
    wanted = np.array([[2 * z[0] * z[1], z[0] ** 2], [0, 3 * z[1] ** 2]])
    for jacobian in (T.jacfwd, T.jacrev):
        np.testing.assert_allclose(jacobian(f, holomorphic=True)(z), wanted)


def from_host(x):
    structs = (T.ShapeDtypeStruct((2,), "float32"), {"s": T.ShapeDtypeStruct((), "float32")})
    y, more = T.pure_callback(lambda v, k: (np.sin(v) + k, {"s": v.sum()}), structs, x * 2, 1.0)
    return y * more["s"]


def test_pure_callback():
    wanted = (np.sin(2 * X) + 1) * (2 * X).sum()
    for run in (from_host, T.jit(from_host), T.checkpoint(from_host)):
        np.testing.assert_allclose(run(jnp.asarray(X)), wanted, rtol=1e-6)
    for run in (T.vmap(from_host), T.jit(T.vmap(from_host))):
        np.testing.assert_allclose(run(np.stack([X, X])), [wanted, wanted], rtol=1e-6)


def test_pure_callback_has_no_derivative():
    with pytest.raises(T.TransformError, match="derivative"):
        T.grad(lambda x: jnp.sum(from_host(x)))(X)


def test_pure_callback_checks_shapes():
    with pytest.raises(T.TransformError, match=r"\(2,\).*\(3,\)"):
        T.pure_callback(lambda v: v, T.ShapeDtypeStruct((3,), "float32"), X)


def test_custom_gradient():
    @T.custom_gradient
    def f(x, y):
        z = jnp.sin(x) * y
        return z, lambda bar: (bar * z, bar * 7.0)
    for run in (T.grad, lambda g, n: T.jit(T.grad(g, n))):
        np.testing.assert_allclose(run(f, (0, 1))(1.0, 2.0), (2 * np.sin(1.0), 7.0), rtol=1e-6)


def test_scopes():
    @T.jit
    def f(x):
        with T.named_scope("twice"), T.default_matmul_precision("highest"):
            return x * 2
    assert float(f(1.0)) == 2.0
    assert T.typeof(X) == T.ShapeDtypeStruct((2,), np.float32)
