"""Compile options never change values: programs with loops under every option set that the policy can choose."""

import copy

import numpy as np
import pytest

import transformer as T
from backend import compile as compiling
from backend.policy import PLAIN_SUMS, POLICY, TREELESS, UNFUSED, is_harmed, overrides_for, trial_for
from transformer import tree

from ..programs import PROGRAMS

LOOPS = [s for s in PROGRAMS if s.fn.__module__.rpartition(".")[2] in ("loops", "stores")]


@pytest.mark.parametrize("sample", LOOPS, ids=[f"{s.fn.__name__}-{i}" for i, s in enumerate(LOOPS)])
def test_options_keep_values(sample, monkeypatch):
    def total(*args):
        return sum([np.sum(leaf) for leaf in tree.flatten(sample.fn(*args))[0]])
    gradient = T.grad(total, sample.wrt)
    want = [np.asarray(leaf) for leaf in tree.flatten(gradient(*copy.deepcopy(sample.args)))[0]]
    features = {feature for row in POLICY.values() for feature in row}
    sets = [compiling.overrides_for(f) for f in (frozenset(), frozenset(features), *(frozenset([f]) for f in features))]
    monkeypatch.setattr(compiling, "trial_for", lambda *_: None)
    for overrides in dict.fromkeys([*sets, trial_for(features)]):
        with monkeypatch.context() as patch:
            patch.setattr(compiling, "overrides_for", lambda f, o=(), overrides=overrides: overrides)
            got = [np.asarray(leaf) for leaf in tree.flatten(T.jit(gradient)(*copy.deepcopy(sample.args)))[0]]
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-12)


def compiled_with(monkeypatch, f, *args):
    """The option sets with which a jitted function is compiled, in order; the value is that of plain NumPy."""
    tried, compile_text = [], compiling.client.compile_text

    def spy(text, overrides=(), *rest):
        tried.append(overrides)
        return compile_text(text, overrides, *rest)
    compiling.cache.memory().clear()
    monkeypatch.setattr(compiling.client, "compile_text", spy)
    np.testing.assert_allclose(T.jit(f)(*copy.deepcopy(args)), f(*copy.deepcopy(args)), rtol=1e-9)
    return tried


def running_sum(x):
    y = np.copy(x)
    for i in range(1, 500):
        y[i] += 0.5 * y[i - 1]
    return y


def sweep(x):
    a = np.copy(x)
    for i in range(1, 19):
        for j in range(1, 19):
            a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i + 1, j] + a[i, j + 1]) / 5.0
    return np.sum(a * a)


def test_fusion_is_kept_where_it_copies_nothing(monkeypatch):
    tried = compiled_with(monkeypatch, running_sum, np.sin(np.arange(500.0)))
    assert [UNFUSED in overrides for overrides in tried] == [False]


def test_fusion_is_given_up_where_it_harms(monkeypatch):
    monkeypatch.setattr(compiling, "is_harmed", lambda hlo, text: "while" in hlo and "stablehlo.while" in text)
    tried = compiled_with(monkeypatch, running_sum, np.sin(np.arange(500.0)))
    assert [UNFUSED in overrides for overrides in tried] == [False, True]


def test_fusion_is_not_tried_where_rounds_store_twice_into_an_array(monkeypatch):
    tried = compiled_with(monkeypatch, T.grad(sweep), np.sin(np.arange(400.0)).reshape(20, 20))
    assert [UNFUSED in overrides for overrides in tried] == [True]


def test_there_is_nothing_to_try_where_fusion_is_asked_for():
    assert UNFUSED in overrides_for({"element_loop"}) and UNFUSED not in trial_for({"element_loop"})
    assert trial_for({"element_loop"}, (UNFUSED,)) is None and trial_for({"loop"}) is None
    assert trial_for({"element_loop", "repeated_stores"}) is None


def test_harm_is_copies_in_loops_and_many_more_ops():
    body, entry = "%body (p: f64[100]) -> f64[100] {{\n  %c = {} copy(%p)\n}}\n", "\nENTRY %main (p: f64[100]) -> f64[100] {\n  %c = f64[100]{0} copy(%p)\n}\n"
    assert is_harmed(body.format("f64[100]{0}") + entry, "")
    assert not is_harmed(body.format("f64[10]{0}") + entry, "") and not is_harmed(body.format("s64[]") + entry, "")
    assert is_harmed("  %x = f64[] add(%a, %b)\n" * 300 + entry, "%1 = op\n")


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@pytest.mark.parametrize("f, shape, plain, treeless", [
    (softmax, (64, 100), False, True), (T.grad(lambda x: np.sum(softmax(x) ** 2)), (64, 100), True, True),
    (lambda x: np.sum(x, axis=0), (64, 100), False, False), (lambda x: np.sum(x, axis=1), (64, 100000), False, False),
    (lambda x: np.sum(np.sum(x, axis=0) + np.sum(x[0]) * x, axis=1), (64, 100), False, False),
    (lambda x: x @ x.T, (64, 100), True, False), (lambda x: np.sum(x), (4, 4), False, False)])
def test_how_sums_are_compiled(monkeypatch, f, shape, plain, treeless):
    tried = compiled_with(monkeypatch, f, np.sin(np.arange(np.prod(shape))).reshape(shape))
    assert [(PLAIN_SUMS in overrides, TREELESS in overrides) for overrides in tried] == [(plain, treeless)]
