"""Random NumPy programs under every transform: a few in each run of the tests; `python -m tests.fuzz` checks as many as there is time for."""

import ast
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from transformer.ops.op import TABLE

from .checks import RATES, Check, Fault, check
from .generator import Generator
from .grammar import HEADER

PROGRAMS = 8


@settings(max_examples=PROGRAMS, deadline=None, derandomize=True, phases=[Phase.generate, Phase.shrink], database=None,
          suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_programs(data):
    """Draws are hypothesis's, so that a program that fails shrinks to a small one."""
    check(lambda n: data.draw(st.integers(0, n - 1)))


PROGRAM = HEADER + """def g(x, k, n):
    v0 = np.sin(x * k)
    s0 = np.sum(v0) * k
    return {"v0": v0, "s0": s0}


def f(x, k, n):
    r = g(x, k, n)
    return np.sum(r["v0"] ** 2) + r["s0"]
"""


def scaled(rule):
    """The rule with a result that is off by one part of a hundred."""
    return lambda *args, **params: rule(*args, **params) * 1.01


def scaled_batch(rule):
    return lambda *args, **params: [result * 1.01 for result in rule(*args, **params)]


def narrowed(infer):
    return lambda *args, **params: infer(*args, **params)._replace(dtype=np.dtype(np.float32))


BREAKS = {"printed": ("sin", {"impl": lambda impl: np.cos}), "lowered": ("sin", {"lower": lambda lower: TABLE["cos"].lower}),
          "batched": ("sum", {"batch": scaled_batch}),
          "slope": ("sin", {"partials": lambda rules: (scaled(rules[0]),)}), "second slope": ("cos", {"partials": lambda rules: (scaled(rules[0]),)}),
          "type": ("sin", {"infer": narrowed})}
"""Mistakes in the emitted programs: an op and what becomes of one of its rules."""
FOUND = {"first_order": ["slope", "printed"], "compiled": ["lowered"], "compiled_gradient": ["lowered", "slope"], "stages": ["printed"],
         "batched": ["batched", "printed"], "compiled_batch": ["batched", "lowered"], "compiled_batch_of_gradients": ["batched", "lowered"],
         "gradient_of_batch": ["batched"], "batch_of_gradients": ["batched"], "single": ["printed", "lowered"], "variables": ["printed"],
         "compiled_variables": ["lowered", "batched", "type"], "forward_over_reverse": ["second slope"], "reverse_over_reverse": ["second slope"],
         "compiled_second_order": ["second slope", "lowered"]}


@pytest.mark.parametrize("name, mistake", [(name, mistake) for name, mistakes in FOUND.items() for mistake in mistakes])
def test_checks_find_mistakes(name, mistake, monkeypatch):
    """Each check passes, and fails where a rule of an op is wrong."""
    assert [*FOUND] == ["first_order", *RATES]
    given = np.array([0.3, 0.7, 1.1, 0.5]), 0.6, 2
    sound = Check(PROGRAM, *given)
    assert sound.run([name]) == "checked"
    op, changes = BREAKS[mistake]
    for rule, change in changes.items():
        monkeypatch.setattr(TABLE[op], rule, change(getattr(TABLE[op], rule)))
    broken = Check(PROGRAM, *given)
    broken.value, broken.written, broken.gradient = sound.value, sound.written, sound.gradient
    with pytest.raises(Fault, match="(?s)instead of"):
        broken.attempt(name)


def test_programs_are_valid_python():
    texts = [Generator(random.Random(seed).randrange).program() for seed in range(50)]
    assert len(set(texts)) == 50 and all(ast.parse(text) for text in texts)
