"""Large results: their memory serves later calls, and never while anybody can still see it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import transformer
from backend import compile as backend_compile
from backend import recycling


@pytest.fixture
def small(monkeypatch):
    """Results of a kilobyte are large, and compiling again costs nothing."""
    monkeypatch.setattr(backend_compile, "LARGE", 1000)
    monkeypatch.setattr(recycling, "SECONDS_PER_BYTE", 1e6)
    store = recycling.Store(1 << 20)
    monkeypatch.setattr(recycling, "store", lambda: store)


def scaled(offset):
    """A function of its own program, jitted: no other test has compiled it."""
    def outer(x, y):
        return x[:, None] * y + offset, np.sum(x)
    return transformer.jit(outer)


def point(array):
    return np.asarray(array).ctypes.data


X, Y = np.arange(40.0), np.arange(-15.0, 15.0)  # all values are exact


def test_dead_results_give_their_memory(small):
    f = scaled(0.125)
    places = set()
    for k in range(6):
        result = f(X + k, Y)
        np.testing.assert_array_equal(result[0], np.outer(X + k, Y) + 0.125)
        np.testing.assert_allclose(result[1], np.sum(X + k))
        places.add(point(result[0]))
        del result
    assert len(places) <= 2  # the first call's, and that of the second program


def test_living_results_keep_theirs(small):
    f = scaled(0.25)
    kept = [f(X + k, Y)[0] for k in range(5)]
    kept[1] = kept[3] = None
    later = [f(X * k, Y)[0] for k in range(4)]
    for k in (0, 2, 4):
        np.testing.assert_array_equal(kept[k], np.outer(X + k, Y) + 0.25)
    for k, array in enumerate(later):
        np.testing.assert_array_equal(array, np.outer(X * k, Y) + 0.25)
    assert len({point(a) for a in [kept[0], kept[2], kept[4], *later]}) == 7


@pytest.mark.parametrize("view", [np.asarray, np.from_dlpack, lambda a: np.asarray(a)[1:, ::2]])
def test_memory_that_is_looked_at_is_left_alone(small, view):
    f = scaled(0.5)
    looks, wanted = [], []
    for k in range(5):
        looks.append(view(f(X + k, Y)[0]))
        wanted.append(np.array(looks[-1]))
    f(X, Y)
    for look, array in zip(looks, wanted):
        np.testing.assert_array_equal(np.array(look), array)


def test_results_as_arguments_of_the_next_call(small):
    def step(x):
        return np.sin(x) + 0.0625 * x[::-1]
    f, x = transformer.jit(step), np.linspace(0.0, 1.0, 400)
    wanted, found = x, transformer.device_put(x)
    for _ in range(8):
        wanted, found = step(wanted), f(found)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_arguments_that_are_donated(small):
    def both(x, y):
        return x + y, x - y
    f = transformer.jit(both, donate_argnums=0)
    for k in range(5):
        a, b = f(transformer.device_put(np.full(300, float(k))), np.ones(300))
        np.testing.assert_array_equal(a, np.full(300, k + 1.0))
        np.testing.assert_array_equal(b, np.full(300, k - 1.0))
        del a, b


def test_a_failed_call_leaves_no_wrong_memory(small):
    def checked(x, i):
        return x * 2.0, x[i]
    f, x = transformer.jit(checked), np.arange(300.0)
    for k in range(6):
        if k % 2:
            with pytest.raises(IndexError):
                f(x, np.int64(300 + k))[0].block_until_ready()
        else:
            doubled, item = f(x + k, np.int64(k))
            np.testing.assert_array_equal(doubled, 2 * (x + k))
            assert item == 2 * k


def test_the_store_is_bounded():
    store = recycling.Store(100)
    buffers = [Buffer() for _ in range(4)]
    for buffer in buffers:
        store.keep("key", buffer, 40)
    assert store.size == 80
    assert store.take(["key"]) == []  # `buffers` still refers to both
    last = buffers[-1]
    del buffers, buffer
    assert [type(b) for b in store.take(["key"])] == [Buffer]
    assert store.take(["key"]) == [] and store.size == 40
    del last
    assert store.take(["other"]) == [] and len(store.take(["key"])) == 1 and store.size == 0


class Buffer:
    """Compared element by element where jax has been imported."""

    def is_deleted(self):
        return False

    def __eq__(self, other):
        raise ValueError("the truth of an array")

    __hash__ = object.__hash__


def test_the_second_program_is_made_when_it_has_paid(monkeypatch):
    store = recycling.Store(1 << 20)
    monkeypatch.setattr(recycling, "store", lambda: store)
    monkeypatch.setattr(recycling, "SECONDS_PER_BYTE", 1e-3)
    calls = []

    class Done:
        def consume_with_handlers(self, handlers):
            return [Buffer()]

    def run(name):
        return lambda buffers, with_tokens: calls.append((name, len(buffers))) or Done()
    program = recycling.Recycling(run("plain"), lambda: run("into"), {0: ("key", 1000)}, 2.5)
    for _ in range(5):
        program.run([1]).consume_with_handlers(None)
    assert calls == [("plain", 1)] * 3 + [("into", 2)] * 2


def test_memory_can_be_given_back(small):
    f = scaled(0.75)
    f(X, Y)
    assert recycling.store().size
    transformer.clear_caches()
    assert not recycling.store().size


ASYNCHRONOUS = """
import numpy as np, transformer
from backend import compile as backend_compile, recycling
backend_compile.LARGE, recycling.SECONDS_PER_BYTE = 1000, 1e6
f = transformer.jit(lambda x, k: np.cumsum(x * k) * 1.0)
g = transformer.jit(lambda x: np.sum(np.sort(x)))
x = transformer.device_put(np.arange(200000.0))
sums = [g(f(x, float(k))) for k in range(20)]
for k, found in enumerate(sums):
    np.testing.assert_allclose(found, np.sum(np.cumsum(np.arange(200000.0) * k)), rtol=1e-4)
"""


def test_programs_that_still_run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ASYNCHRONOUS)
    subprocess.run([sys.executable, script], check=True, timeout=120,
                   env={**os.environ, "TRANSFORMER_CPU_ENABLE_ASYNC_DISPATCH": "1", "TRANSFORMER_CACHE_DIR": "off"})
