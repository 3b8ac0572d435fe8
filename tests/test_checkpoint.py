"""Policies of `checkpoint`: which values are kept, which are computed again, and that no number changes."""

import re

import numpy as np
import pytest

import transformer as T
from transformer import lax
from transformer import numpy as jnp
from transformer.ad_checkpoint import checkpoint_name
from transformer.test_util import check_grads

P = T.checkpoint_policies
W = np.random.default_rng(0).normal(size=(3, 3))
X = np.random.default_rng(1).normal(size=3)


def layers(w, x):
    h = checkpoint_name(np.sin(w @ x), "first")
    return np.arctan(checkpoint_name(np.tanh(w @ h), "second"))


def stacked(w, x):
    return np.tanh(np.matmul(np.stack([w, w.T]), np.stack([x[:, None], w[:, :1]])))


def looped(w, x):
    for i in range(1, 9, 2):
        x = np.cos(np.sin(w @ x) * i) * x
    return x


def nested_loops(w, x):
    for i in range(3):
        for j in range(2):
            x = np.sin(w @ x) * (i + j + 1.0)
    return x


def branches(w, x):
    y = x * 2.0
    if x[0] > 0.0:
        y = np.sin(w @ y)
    for _ in range(5):
        if y[0] > 0.1:
            y = np.cos(w @ y) * y
    return y


def stores(w, x):
    a = w @ w
    a[0] = a[1] * x
    for i in range(5):
        b = a @ x
        b[1] = 2.0
        a[i % 3] = np.sin(b)
    return a * a


def unbounded(w, x):
    while np.sum(x) < 40.0:
        x = x + np.exp(np.sin(w @ x))
    return x


def custom_rule(w, x):
    @T.custom_vjp
    def product(w, x):
        return w @ x
    product.defvjp(lambda w, x: (w @ x, (w, x)), lambda kept, bar: (np.outer(bar, kept[1]), bar @ kept[0]))
    return np.sin(product(w, np.cos(product(w, x))))


PROGRAMS = [layers, stacked, looped, nested_loops, branches, stores, unbounded, custom_rule]
POLICIES = {
    "nothing": P.nothing_saveable, "everything": P.everything_saveable, "dots": P.dots_saveable, "plain dots": P.dots_with_no_batch_dims_saveable,
    "one name": P.save_only_these_names("second"), "other names": P.save_any_names_but_these("second"),
    "all but a name": P.save_anything_except_these_names("first"), "all": lambda op, *avals, **params: True,
    "both": P.save_from_both_policies(P.dots_saveable, P.save_only_these_names("first")),
    "own": lambda op, *avals, **params: op.name == "sin" and avals[0].shape == (3,),
}


def total(f, policy=None):
    f = f if policy is None else T.checkpoint(f, policy=policy)
    return lambda w, x: np.sum(f(w, x) ** 2)


def again(f, policy, *args):
    """The reverse sweep's text of the pullback of the checkpointed function."""
    text = T.value_and_grad(total(f, policy), (0, 1)).show(*args)
    return text.partition("# reverse")[2]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_no_policy_changes_a_number(f, policy):
    kept, plain = total(f, POLICIES[policy]), total(f)
    for transform in (lambda g: T.value_and_grad(g, (0, 1)), lambda g: T.jit(T.grad(g, (0, 1)))):
        for found, wanted in zip(T.tree.flatten(transform(kept)(W, X))[0], T.tree.flatten(transform(plain)(W, X))[0], strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("policy", ["dots", "own", "all"])
@pytest.mark.parametrize("f", [layers, looped, branches, stores])
def test_against_differences(f, policy):
    check_grads(total(f, POLICIES[policy]), (W, X), order=2, rtol=1e-5, atol=1e-5, eps=1e-5)


@pytest.mark.parametrize("f", [layers, looped, nested_loops, branches, stores])
def test_batches(f):
    rows = np.stack([X, -X, X[::-1]])
    wanted = T.vmap(T.grad(total(f)), (None, 0))(W, rows)
    np.testing.assert_allclose(T.vmap(T.grad(total(f, P.dots_saveable)), (None, 0))(W, rows), wanted, rtol=1e-10)
    batched = T.grad(lambda w: np.sum(T.vmap(total(f, P.dots_saveable), (None, 0))(w, rows)))
    np.testing.assert_allclose(batched(W), np.sum(wanted, axis=0), rtol=1e-10)


def test_products_are_kept():
    assert again(layers, P.nothing_saveable, W, X).count("w @ x") == 1
    text = again(layers, P.dots_saveable, W, X)
    assert not re.search(r"w\w* @ (x|h)\b", text) and "np.sin(" in text
    assert "np.sin(" not in again(layers, P.everything_saveable, W, X)


def test_stacks_of_products_are_products_with_batch_axes():
    kept, recomputed = (again(stacked, p, W, X) for p in (P.dots_saveable, P.dots_with_no_batch_dims_saveable))
    assert recomputed.count("np.tanh(") == kept.count("np.tanh(") and recomputed.count("@") > kept.count("@")


def test_products_of_a_loop_are_kept_in_a_tape():
    text = T.grad(total(looped, P.dots_saveable)).show(W, X)
    before, _, after = text.partition("# reverse")
    assert "matmul_tape[" in before and text.count("matmul_tape = ") == 1
    assert "w @ x" in before and not re.search(r"w\w* @ x\b", after)


def test_names_are_kept():
    for policy, kept, lost in ((P.save_only_these_names("first"), "sin", "tanh"), (P.save_any_names_but_these("first"), "tanh", "sin"),
                               (P.save_anything_except_these_names("first"), "tanh", "sin")):
        text = again(layers, policy, W, X)
        assert f"np.{kept}(" not in text and f"np.{lost}(" in text


def test_a_user_s_policy_sees_ops_and_types():
    seen = []

    def policy(op, *avals, **params):
        seen.append((op.name, [a.shape for a in avals]))
        return op.name == "tanh"
    text = again(layers, policy, W, X)
    assert "np.tanh(" not in text and "np.sin(" in text
    assert ("matmul", [(3, 3), (3,)]) in seen


def test_what_nothing_reads_again_is_not_kept():
    f = T.checkpoint(lambda w, x: np.sin(w @ x) @ w, policy=P.dots_saveable)
    before = T.value_and_grad(lambda w, x: np.sum(f(w, x))).show(W, X).partition("# reverse")[0]
    assert before.count(" = ") == 1


def test_scans_of_jnp_code():
    def f(w, x, policy=None):
        def body(c, row):
            return jnp.sin(jnp.dot(w, c)) * row, jnp.sum(c)
        c, sums = lax.scan(T.checkpoint(body, policy=policy), x, jnp.arange(1.0, 5.0))
        return jnp.sum(c) + jnp.sum(sums)
    w, x = jnp.asarray(W), jnp.asarray(X)
    np.testing.assert_allclose(T.grad(f)(w, x, P.dots_saveable), T.grad(f)(w, x), rtol=1e-5)
    text = T.grad(lambda w, x: f(w, x, P.dots_saveable)).show(w, x)
    assert text.count("dot_tape[i] = ") == 1


@pytest.mark.parametrize("use, words", [
    (lambda: P.save_and_offload_only_these_names(names_which_can_be_saved=[], names_which_can_be_offloaded=["a"], offload_src="device",
                                                 offload_dst="pinned_host"), "offload"),
    (lambda: P.offload_dot_with_no_batch_dims("device", "pinned_host"), "offload"),
    (lambda: T.checkpoint(layers, policy="dots"), "policy of type str"),
    (lambda: T.grad(total(layers, lambda *args, **params: None))(W, X), "returns None for the op")])
def test_refused(use, words):
    with pytest.raises(T.TransformError, match=words):
        use()
