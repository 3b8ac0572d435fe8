"""Compile options never change values: programs with loops under every option set that the policy can choose."""

import copy

import numpy as np
import pytest

import transformer as T
from backend import compile as compiling
from backend.policy import POLICY
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
    for chosen in (frozenset(), frozenset(features), *(frozenset([f]) for f in features)):
        overrides = compiling.overrides_for(chosen)
        monkeypatch.setattr(compiling, "overrides_for", lambda f, o=(), overrides=overrides: overrides)
        got = [np.asarray(leaf) for leaf in tree.flatten(T.jit(gradient)(*copy.deepcopy(sample.args)))[0]]
        monkeypatch.undo()
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-12)
