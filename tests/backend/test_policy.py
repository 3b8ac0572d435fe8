"""Compile options never change values: programs with loops under every option set that the policy can choose."""

import copy
import inspect
import re

import numpy as np
import pytest

import transformer as T
from backend import compile as compiling
from backend.policy import ALL_NATIVE, PLAIN_SUMS, SEVERAL_RESULTS, TREELESS, UNFUSED, is_harmed, overrides_for, trial_for
from transformer import tree

from ..programs import PROGRAMS
from .kernels import KERNELS

KINDS = ((), ("scalar_loop",), ("element_loop",), ("element_loop", "scalar_loop"), ("slice_loop",), ("slice_loop", "stencil_loop"), ("short_rows",))
FEATURES = [{"loop", *more} for more in KINDS] + [{"product"}, {"choice", "short_rows"}, {"product", "minor_sums"}, {"wide"}]
NATIVE = [(ALL_NATIVE, PLAIN_SUMS, *more) for more in ((UNFUSED,), (SEVERAL_RESULTS,), (), (TREELESS,))]
"""Loops of few bytes are native from any threshold on."""
INTERPRETED = [(PLAIN_SUMS,), (PLAIN_SUMS, SEVERAL_RESULTS)]
"""As large loops are."""
OTHERS = [(PLAIN_SUMS, TREELESS), (UNFUSED,)]


def sets_of(program):
    return NATIVE[:2] if re.search(r"\b(for|while)\b", inspect.getsource(program)) else OTHERS


CASES = [(s.fn, s.args, s.wrt, sets_of(s.fn)) for s in PROGRAMS] + [(fn, args, (0,), NATIVE + INTERPRETED) for fn, args in KERNELS]


def test_the_sets_compared_are_those_that_the_policy_can_choose():
    chosen = [overrides_for(f) for f in FEATURES] + [trial_for(f, "") for f in FEATURES]
    assert {frozenset(o for o in s if o[0] != ALL_NATIVE[0]) for s in chosen if s} == {frozenset(s[1:]) for s in NATIVE} | set(map(frozenset, OTHERS))


@pytest.mark.parametrize("case", CASES, ids=[f"{fn.__name__}-{i}" for i, (fn, *_) in enumerate(CASES)])
def test_options_keep_values(case, monkeypatch):
    fn, args, wrt, sets = case

    def total(*args):
        return sum([np.sum(leaf) for leaf in tree.flatten(fn(*args))[0]])
    lowered = T.jit(T.value_and_grad(total, wrt)).lower(*copy.deepcopy(args))
    monkeypatch.setattr(compiling, "trial_for", lambda *_: None)
    want = [total(*copy.deepcopy(args))]
    for overrides in sets:
        monkeypatch.setattr(compiling, "overrides_for", lambda f, o=(), overrides=overrides: overrides)
        got = [np.asarray(leaf) for leaf in tree.flatten(lowered.compile({"anew": True})(*copy.deepcopy(args)))[0]]
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=1e-9 if g.dtype == np.float64 else 1e-5, atol=1e-12)
        want = got


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


def sums_and_products(x):
    """Two arrays of one type, stored into in each round."""
    y, z = np.copy(x), np.copy(x)
    for i in range(1, 500):
        y[i] += 0.5 * y[i - 1]
        z[i] *= z[i - 1] - x[i]
    return y + z


def escape(c, limit):
    z, n = 0.0, 0
    while z < 4.0 and n < limit:
        z, n = z * z + c, n + 1
    return z + n


@pytest.mark.parametrize("f, args", [(running_sum, [np.sin(np.arange(500.0))]), (sums_and_products, [np.sin(np.arange(500.0))]), (escape, [0.3, 90]),
                                     (T.grad(sweep), [np.sin(np.arange(400.0)).reshape(20, 20)])], ids=["sum", "two arrays", "scalars", "gradient"])
def test_small_loops_are_compiled_once_with_fusions_of_several_results(f, args, monkeypatch):
    tried = compiled_with(monkeypatch, f, *args)
    assert [SEVERAL_RESULTS in overrides for overrides in tried] == [True]


def test_they_are_given_up_where_they_harm(monkeypatch):
    monkeypatch.setattr(compiling, "is_harmed", lambda hlo, text: "while" in hlo and "stablehlo.while" in text)
    tried = compiled_with(monkeypatch, running_sum, np.sin(np.arange(500.0)))
    assert [(UNFUSED in overrides, SEVERAL_RESULTS in overrides) for overrides in tried] == [(False, True), (True, False)]


def test_what_is_tried_depends_on_the_loops_the_ops_and_what_is_asked_for():
    elements, scalars = {"loop", "element_loop"}, {"loop", "scalar_loop"}
    for features in (scalars, elements | scalars):
        assert SEVERAL_RESULTS in trial_for(features, '"stablehlo.add"') and UNFUSED not in trial_for(features, "")
        for options in ((UNFUSED,), (SEVERAL_RESULTS,)):
            assert trial_for(features, "", options) is None
    for text in ('"stablehlo.add" "stablehlo.scatter"', '"chlo.erf"'):
        assert trial_for(scalars, text) is None and trial_for(elements | scalars, text) == trial_for(elements, text)
    assert trial_for(elements, "") == tuple(o for o in overrides_for(elements) if o != UNFUSED)
    assert trial_for({"loop"}, "") is None and trial_for({"loop", "element_loop", "slice_loop"}, "") is None
    assert trial_for({"loop", "element_loop", "repeated_stores"}, "") is None


def test_harm_is_copies_in_loops_and_many_more_ops():
    body, entry = "%body (p: f64[100]) -> f64[100] {{\n  %c = {} copy(%p)\n}}\n", "\nENTRY %main (p: f64[100]) -> f64[100] {\n  %c = f64[100]{0} copy(%p)\n}\n"
    assert is_harmed(body.format("f64[100]{0}") + entry, "")
    assert not is_harmed(body.format("f64[10]{0}") + entry, "") and not is_harmed(body.format("s64[]") + entry, "")
    assert is_harmed("  %x = f64[] add(%a, %b)\n" * 300 + entry, "%1 = op\n")


def test_harm_is_a_store_into_an_array_beside_other_results():
    computation = "\n%fused (p: f64[100]) -> (f64[100], f64[100]) {{\n  %a = f64[100]{{0}} {}(%p)\n  ROOT %t = (f64[100]{{0}}, f64[100]{{0}}) tuple(%a, %p)\n}}\n"
    entry = "\nENTRY %main (p: f64[100]) -> f64[100] {\n  %f = (f64[100]{0}, /*index=1*/f64[100]{0}) fusion(%p), kind=kLoop, calls=%fused, metadata={}\n}\n"
    assert is_harmed(computation.format("dynamic-update-slice") + entry, "") and not is_harmed(computation.format("negate") + entry, "")


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@pytest.mark.parametrize("f, shape, plain, treeless", [
    (softmax, (64, 100), False, True), (T.grad(lambda x: np.sum(softmax(x) ** 2)), (64, 100), True, True),
    (lambda x: np.sum(x, axis=0), (64, 100), False, False), (lambda x: np.sum(x, axis=1), (64, 100000), False, False),
    (lambda x: np.sum(np.sum(x, axis=0) + np.sum(x[0]) * x, axis=1), (64, 100), False, False),
    (lambda x: np.sum(x @ x.T, axis=0), (64, 100), True, True),
    (lambda x: np.sum(x @ x.T, axis=0) + np.sum(np.exp(x), axis=0)[:64], (64, 100), True, False),
    (lambda x: x @ x.T, (64, 100), True, False), (lambda x: np.sum(x), (4, 4), False, False)])
def test_how_sums_are_compiled(monkeypatch, f, shape, plain, treeless):
    tried = compiled_with(monkeypatch, f, np.sin(np.arange(np.prod(shape))).reshape(shape))
    assert [(PLAIN_SUMS in overrides, TREELESS in overrides) for overrides in tried] == [(plain, treeless)]


@pytest.mark.parametrize("count, shape, unfused", [(300, (), True), (300, (5,), True), (100, (), False), (300, (5000,), False)])
def test_sums_of_very_many_small_values_are_not_one_kernel(monkeypatch, count, shape, unfused):
    tried = compiled_with(monkeypatch, lambda xs: sum([x * x for x in xs]), [np.full(shape, 1 / n) for n in range(1, count + 1)])
    assert [UNFUSED in overrides for overrides in tried] == [unfused]


def test_long_programs_of_few_values_are_fused(monkeypatch):
    def rounds(x):
        for _ in [0] * 300:
            x = np.sin(x) * x
        return x
    assert [UNFUSED in overrides for overrides in compiled_with(monkeypatch, rounds, np.ones(3))] == [False]
