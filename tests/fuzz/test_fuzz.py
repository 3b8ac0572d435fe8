"""Random NumPy programs under every transform: a few in each run of the tests; `python -m tests.fuzz` checks as many as there is time for."""

import ast
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("name", ["first_order", *RATES])
def test_checks_find_wrong_values(name, monkeypatch):
    """Each check fails where what it compares with is not the program that is transformed."""
    checked = Check(HEADER + "def f(x, k, n):\n    return np.sum(x ** 3) * k ** 2\n", np.array([0.3, 0.7, 1.1, 0.5]), 0.6, 2)
    assert checked.run([name]) == "checked"
    plain, gradients = checked.plain, checked.gradients
    monkeypatch.setattr(checked, "plain", lambda x, k: (plain(x, k)[0] * 1.01 + np.sum(x), plain(x, k)[1]))
    monkeypatch.setattr(checked, "gradients", lambda x, k: [g * 1.01 for g in gradients(x, k)])
    with pytest.raises(Fault):
        checked.run([name])


def test_programs_are_valid_python():
    texts = [Generator(random.Random(seed).randrange).program() for seed in range(50)]
    assert len(set(texts)) == 50 and all(ast.parse(text) for text in texts)
