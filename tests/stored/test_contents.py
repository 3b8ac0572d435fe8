"""Descriptions: what differs is told apart, and what cannot be compared is not described at all."""

import operator
import os
import threading
import time

import numpy as np
import pytest

from backend import cache
from transformer import jit
from transformer.stored.contents import Survey, Unsettled


def described(value):
    survey = Survey()
    survey.value(value)
    survey.finish()
    return survey.text()


class Hidden:
    def __getstate__(self):
        return ()


LOCK = threading.Lock()


def reads_a_file(x):
    return x + np.load("weights.npy")


def reads_a_clock(x):
    return x + time.time()


def reads_the_environment(x):
    return x * float(os.environ["SCALE"])


def reads_by_name(x):
    return x * globals()["LOCK"]


def locked(x):
    with LOCK:
        return x


def hashes(x):
    return x * hash("a")


@pytest.mark.parametrize("fn", [reads_a_file, reads_a_clock, reads_the_environment, reads_by_name, locked, hashes])
def test_what_reads_other_things_is_not_described(fn):
    with pytest.raises(Unsettled):
        described(fn)


@pytest.mark.parametrize("value", [Hidden(), LOCK, (i for i in ()), {object()}, np.array([object()], object), open], ids=lambda v: type(v).__name__)
def test_objects_with_a_state_of_their_own_are_not_described(value):
    with pytest.raises(Unsettled):
        described(value)


@pytest.mark.parametrize("values", [
    (1, 1.0, True, "1", b"1", None, 1j, np.float32(1), np.float64(1)), (0.0, -0.0, float("nan"), float("inf")),
    ((1, 2), [1, 2], {1: 2}, {1, 2}, frozenset({1, 2}), ((1,), 2), (1, (2,))), (np.arange(3), np.arange(4), np.arange(3.0), np.arange(3)[None]),
    (np.array(["a"]), np.array(["b"])), (np.sum, np.prod, np.float32, np.dtype("f4"), len, abs), (operator.itemgetter(1), operator.itemgetter(2)),
    ([[]] * 2, [[], []]), (slice(1), slice(2), range(1), range(2), Ellipsis)])
def test_different_values_have_different_descriptions(values):
    texts = list(map(described, values))
    assert len(set(texts)) == len(texts)
    assert texts == list(map(described, values))


def test_values_of_arrays_are_inputs_not_contents():
    assert described(np.arange(3)) == described(np.arange(1, 4))


def test_a_function_that_grows_another_global_is_seen():
    scope = {}
    exec("def f(x):\n    return g(x)", scope)
    before = described(scope["f"])
    scope["g"] = len
    assert described(scope["f"]) != before


def test_descriptions_end_for_objects_that_contain_themselves():
    items = []
    items.append(items)
    assert described(items) != described([[]])


def test_programs_that_cannot_be_told_apart_are_built(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_CACHE_DIR", str(tmp_path))
    cache.memory().clear()
    assert float(jit(lambda x: x * hash(1))(3.0)) == 3.0
    assert len(list(tmp_path.iterdir())) == 1  # the executable alone, which is found by its text
    assert float(jit(lambda x: x - 2.0)(3.0)) == 1.0
    assert len(list(tmp_path.iterdir())) == 3


def test_own_declarations_are_known():
    import transformer.lax  # noqa: F401
    import transformer.nn  # noqa: F401
    import transformer.numpy  # noqa: F401
    import transformer.scipy.special  # noqa: F401
    from transformer.ops import op
    assert not op.FOREIGN
