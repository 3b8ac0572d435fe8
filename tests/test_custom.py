"""Functions with derivative rules of their own, and recomputation."""

import functools

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from transformer import lax
from transformer.test_util import check_grads

V = np.array([0.4, -0.9, 1.3])


@T.custom_vjp
def bounded(x, limit):
    return x


bounded.defvjp(lambda x, limit: (x, limit), lambda limit, bar: (np.clip(bar, -limit, limit), None))


@T.custom_jvp
def softplus(x):
    return np.log(1.0 + np.exp(x))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (dot,) = primals, tangents
    return softplus(x), dot / (1.0 + np.exp(-x))


@T.custom_vjp
def root(a):
    return lax.while_loop(lambda x: np.abs(x * x - a) > 1e-12, lambda x: 0.5 * (x + a / x), a)


def root_forward(a):
    x = root(a)
    return x, (a, x)


root.defvjp(root_forward, lambda kept, bar: (0.5 * bar / kept[1],))


def close(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-9, atol=1e-12)


# custom_vjp -----------------------------------------------------------------------------------------------------------------
def test_backward_replaces_the_derivative():
    def f(x):
        return np.sum(5.0 * bounded(x, 1.0) ** 2)
    close(f(V), np.sum(5 * V ** 2))
    for g in (T.grad(f), T.jit(T.grad(f)), T.grad(T.jit(f)), T.jacrev(f), lambda x: T.vjp(f, x)[1](1.0)[0]):
        close(g(V), np.clip(10 * V, -1, 1))


def test_backward_prints_inline():
    text = T.grad(lambda x: np.sum(5.0 * bounded(x, 1.0) ** 2)).show(V)
    assert "np.clip(" in text and "bounded(" not in text


def test_batches():
    def f(x):
        return 5.0 * bounded(x, 1.0) ** 2
    close(T.jit(T.vmap(T.grad(f)))(V), np.clip(10 * V, -1, 1))
    close(T.grad(lambda x: np.sum(T.vmap(f)(x)))(V), np.clip(10 * V, -1, 1))
    close(T.grad(lambda x: np.sum(T.vmap(lambda y: bounded(y, 10.0) * V)(x)), 0)(V), np.full(3, V.sum()))


def test_a_shared_operand_of_a_batch_gets_the_sum():
    @T.custom_vjp
    def product(x, w):
        return x * w
    product.defvjp(lambda x, w: (x * w, (x, w)), lambda kept, bar: (bar * kept[1], 2.0 * bar * kept[0]))
    close(T.grad(lambda w: np.sum(T.vmap(product, (0, None))(V, w)))(3.0), 2 * V.sum())


def test_the_rule_may_call_its_function():
    for g in (T.grad(root), T.jit(T.grad(root)), T.grad(T.jit(root))):
        close(g(4.0), 0.25)
    close(T.grad(T.grad(root))(4.0), -1 / 32)
    close(T.vmap(T.grad(root))(np.array([1.0, 4.0, 16.0])), [0.5, 0.25, 0.125])


def test_function_arguments():
    @functools.partial(T.custom_vjp, nondiff_argnums=(0,))
    def call(f, x):
        return f(x)
    call.defvjp(lambda f, x: (f(x), x), lambda f, x, bar: (10.0 * bar * f(x),))
    close(T.grad(lambda x: call(np.exp, x))(1.0), 10 * np.e)
    close(T.grad(lambda x: call(lambda y: y * 2.0, x))(1.0), 20.0)


def test_several_results_reach_backward_together():
    @T.custom_vjp
    def split(x):
        return np.sin(x), {"c": np.cos(x), "n": 3}
    split.defvjp(lambda x: (split(x), x), lambda x, bar: (bar[0] * bar[1]["c"],))

    def f(x):
        s, more = split(x)
        return 2.0 * s + 5.0 * more["c"]
    close(T.grad(f)(0.3), 10.0)
    close(T.jit(T.vmap(T.grad(f)))(V), np.full(3, 10.0))


def test_in_loops():
    def f(x):
        for _ in range(20):
            x = bounded(x * 1.5, 1.0)
        return x
    close(T.grad(f)(2.0), 1.5)
    close(T.grad(lambda x: lax.scan(lambda c, _: (bounded(c * 1.5, 1.0), None), x, None, length=20)[0])(2.0), 1.5)


def test_closures_read_from_outside():
    scale = np.array([1.0, 2.0, 3.0])

    def f(x, k):
        twice = k * 2.0

        @T.custom_vjp
        def g(y):
            return np.sum(y * scale) * twice
        g.defvjp(lambda y: (g(y), None), lambda _, bar: (bar * scale * twice,))
        return g(x)
    close(T.grad(f)(V, 3.0), scale * 6.0)
    close(T.jit(T.grad(f))(V, 3.0), scale * 6.0)
    with pytest.raises(T.TransformError, match="reads a value from outside that is differentiated"):
        T.grad(f, 1)(V, 3.0)


def test_keywords_and_defaults():
    @T.custom_vjp
    def f(x, k=2.0):
        return x * k
    f.defvjp(lambda x, k: (x * k, k), lambda k, bar: (bar * k * 100.0, None))
    assert f(3.0, k=5.0) == 15.0
    close(T.grad(lambda x: f(x))(3.0), 200.0)
    close(T.grad(lambda x: f(x, k=5.0))(3.0), 500.0)


def test_pytrees():
    @T.custom_vjp
    def f(p):
        return p["a"] * p["b"][0]
    f.defvjp(lambda p: (f(p), p), lambda p, bar: ({"a": bar * 10.0, "b": [None]},))
    found = T.grad(f)({"a": 2.0, "b": [3.0]})
    assert float(found["a"]) == 10.0 and float(found["b"][0]) == 0.0


@pytest.mark.parametrize("backward, words", [
    (lambda kept, bar: (bar,), "returns 1 values, but 2"), (lambda kept, bar: (bar, bar, bar), "returns 3 values, but 2"),
    (lambda kept, bar: bar, "no tuple"), (lambda kept, bar: (np.ones(3) * bar, bar), r"shape \(3,\).*shape \(\)"),
    (lambda kept, bar: ([bar], bar), "structure")])
def test_backward_rules_that_do_not_fit(backward, words):
    f = T.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, None), backward)
    with pytest.raises(T.TransformError, match=words):
        T.grad(f)(1.0, 2.0)


def test_forward_rules_that_do_not_fit():
    f = T.custom_vjp(lambda x: x)
    f.defvjp(lambda x: x, lambda kept, bar: (bar,))
    with pytest.raises(T.TransformError, match="pair"):
        T.grad(f)(1.0)
    f.defvjp(lambda x: ((x, x), None), lambda kept, bar: (bar,))
    with pytest.raises(T.TransformError, match="another structure"):
        T.grad(f)(1.0)


def test_no_rule():
    for f in (T.custom_vjp(lambda x: x), T.custom_jvp(lambda x: x)):
        with pytest.raises(T.TransformError, match="without a rule"):
            T.grad(f)(1.0)


def test_forward_mode_needs_custom_jvp():
    with pytest.raises(T.TransformError, match="custom_vjp"):
        T.jvp(lambda x: bounded(x, 1.0), (1.0,), (1.0,))


def test_arguments_that_are_not_differentiated_are_named():
    @functools.partial(T.custom_vjp, nondiff_argnames=("n",))
    def f(x, n):
        return x * n

    f.defvjp(lambda x, n: (f(x, n), x), lambda n, kept, bar: (10.0 * n * bar,))
    assert T.grad(f)(0.5, 3) == 30.0
    with pytest.raises(TypeError, match="no parameter"):
        T.custom_jvp(lambda x: x, nondiff_argnames="y")
    assert T.grad(T.checkpoint(lambda x, n: x ** n, static_argnames="n"))(2.0, n=3) == 12.0


# custom_jvp -----------------------------------------------------------------------------------------------------------------
def test_one_rule_for_both_modes():
    for g in (T.grad(softplus), T.jit(T.grad(softplus)), T.jacfwd(softplus), T.jacrev(softplus)):
        close([g(0.0), g(120.0)], [0.5, 1.0])
    close(T.vmap(T.grad(softplus))(V), 1 / (1 + np.exp(-V)))
    close(T.jvp(softplus, (0.0,), (2.0,)), (np.log(2.0), 1.0))
    check_grads(softplus, (0.7,), order=3)


def test_gradient_of_a_batch():
    close(T.grad(lambda x: np.sum(T.vmap(softplus)(x)))(V), 1 / (1 + np.exp(-V)))
    close(T.jit(T.vmap(T.hessian(softplus)))(V), np.exp(-V) / (1 + np.exp(-V)) ** 2)


def test_rules_per_argument():
    product = T.custom_jvp(lambda x, y: np.exp(x) * y)
    product.defjvps(lambda dot, out, x, y: 3.0 * out * dot, None)
    close(T.grad(product, (0, 1))(0.5, 2.0), (6 * np.exp(0.5), 0.0))


def test_jvp_with_function_argument():
    @functools.partial(T.custom_jvp, nondiff_argnums=(0,))
    def call(f, x):
        return f(x)
    call.defjvp(lambda f, primals, tangents: (f(primals[0]), 7.0 * tangents[0]))
    close(T.grad(lambda x: call(np.sin, x))(1.0), 7.0)


def test_rules_in_jnp():
    relu = T.custom_jvp(lambda x: jnp.maximum(x, 0))
    relu.defjvps(lambda dot, out, x: jnp.where(x > 0, dot, 0))
    x = jnp.asarray([-1.0, 0.0, 2.0])
    found = T.grad(lambda x: jnp.sum(relu(x) ** 2))(x)
    assert found.dtype == np.float32 and found.tolist() == [0.0, 0.0, 4.0]


# recomputation ---------------------------------------------------------------------------------------------------------------
def block(x):
    return np.sin(np.sin(x) * 2.0)


def test_checkpoint_changes_no_number():
    saved = T.checkpoint(block)
    for g in (T.grad, lambda f: T.jit(T.grad(f)), T.jacfwd, lambda f: T.grad(T.jit(f))):
        close(g(lambda x: np.sum(saved(saved(x))))(V), T.grad(lambda x: np.sum(block(block(x))))(V))
    close(T.hessian(lambda x: np.sum(saved(x)))(V), T.hessian(lambda x: np.sum(block(x)))(V))


def test_checkpoint_keeps_arguments_only():
    def step(c, v):
        return np.sin(np.cos(np.exp(c) * v) * 2.0), None

    def f(body):
        return lambda x: lax.scan(body, x, np.arange(1.0, 6.0))[0]
    close(T.grad(f(T.checkpoint(step)))(0.3), T.grad(f(step))(0.3))
    assert T.grad(f(T.checkpoint(step))).show(0.3).count("_tape = ") == 1


def test_checkpoint_differentiates_what_it_closes_over():
    def f(x, k):
        return T.checkpoint(lambda y: np.sin(y * k))(x)
    close(T.grad(f, (0, 1))(0.3, 2.0), (2 * np.cos(0.6), 0.3 * np.cos(0.6)))


@pytest.mark.parametrize("policy", [None, T.checkpoint_policies.everything_saveable, T.checkpoint_policies.dots_saveable,
                                    T.checkpoint_policies.save_only_these_names("a")])
def test_policies(policy):
    close(T.grad(T.remat(lambda x: np.sin(x) ** 2, policy=policy))(0.4), np.sin(0.8))


def test_vjp_of_checkpoint():
    _, pull = T.vjp(lambda x: np.sum(T.checkpoint(block)(x) * x), V)
    close(pull(1.0)[0], T.grad(lambda x: np.sum(block(x) * x))(V))


# stop_gradient -------------------------------------------------------------------------------------------------------------------
def test_stop_gradient():
    def f(x):
        return np.sum(x * lax.stop_gradient({"a": x ** 2})["a"])
    for g in (T.grad(f), T.jit(T.grad(f)), T.jacfwd(f)):
        close(g(V), V ** 2)
    assert lax.stop_gradient((1.0, None)) == (1.0, None)


def test_decorators_inside_of_transformed_functions():
    @T.jit
    def f(x):
        @T.grad
        def slope(y):
            return y ** 3
        return slope(x)
    close(f(2.0), 12.0)


@functools.partial(T.custom_vjp, nondiff_argnums=(0,))
def fixed_point(step, a, x):
    previous, x = x, step(a, x)
    while abs(x - previous) > 1e-12:
        previous, x = x, step(a, x)
    return x


def fixed_point_forward(step, a, x):
    x = fixed_point(step, a, x)
    return x, (a, x)


def fixed_point_backward(step, kept, bar):
    a, x = kept
    total = fixed_point(functools.partial(adjoint_step, step), (a, x, bar), bar)
    return T.vjp(lambda a: step(a, x), a)[1](total)[0], 0.0


def adjoint_step(step, packed, total):
    a, x, bar = packed
    return bar + T.vjp(lambda x: step(a, x), x)[1](total)[0]


fixed_point.defvjp(fixed_point_forward, fixed_point_backward)


def square_root(a):
    return fixed_point(lambda a, x: 0.5 * (x + a / x), a, a)


def test_rules_that_call_their_function_with_another_rule_inside():
    """The rule for `step` needs that for `adjoint_step`, and so on: as many as derivatives are taken."""
    assert np.isclose(T.grad(square_root)(2.0), 0.5 / np.sqrt(2.0))
    assert np.isclose(T.grad(T.grad(square_root))(2.0), -0.25 * 2.0 ** -1.5)
    assert np.isclose(T.linearize(T.grad(square_root), 2.0)[1](1.0), -0.25 * 2.0 ** -1.5)
    assert np.allclose(T.jit(T.vmap(T.grad(square_root)))(np.array([1.0, 4.0])), [0.5, 0.25])


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float32])
def test_rules_hold_in_half_precision(dtype):
    x = jnp.array([0.5, -2.0], dtype)
    push = T.custom_jvp(lambda x: x * x)
    push.defjvps(lambda dot, out, x: 10 * dot * x)
    pull = T.custom_vjp(lambda x: x * x)
    pull.defvjp(lambda x: (x * x, x), lambda x, bar: (10 * bar * x,))
    for f in (push, pull):
        for g in (T.grad(lambda x: jnp.sum(f(x))), T.jit(T.grad(lambda x: jnp.sum(f(x))))):
            assert g(x).dtype == x.dtype and g(x).tolist() == [5.0, -20.0]
