"""Arrays that lie in files (np.memmap) are arrays: as arguments, inside of containers, outside of the function, and stored into."""

import numpy as np
import pytest

import transformer as T


@pytest.fixture
def mapped(tmp_path):
    array = np.memmap(tmp_path / "numbers", dtype=float, mode="w+", shape=(4,))
    array[:] = [0.5, -1.2, 2.0, 0.3]
    return array


def squares(x):
    return np.sum(x * x)


def test_arguments(mapped):
    for f in (T.jit(T.grad(squares)), T.grad(squares)):
        for _ in range(4):
            np.testing.assert_allclose(f(mapped), 2 * np.asarray(mapped))
        mapped[0] = 3.0
        np.testing.assert_allclose(f(mapped), 2 * np.asarray(mapped))
    np.testing.assert_allclose(T.jit(lambda d: squares(d["a"][0]))({"a": [mapped]}), squares(mapped))
    np.testing.assert_allclose(T.vmap(squares)(np.stack([mapped, mapped])), [squares(mapped)] * 2)


def test_from_outside(mapped):
    f = T.jit(lambda x: np.sum(x * mapped))
    for value in (1.0, 2.0):
        mapped[0] = value
        np.testing.assert_allclose(f(np.ones(4)), np.sum(mapped))


def test_stores(mapped):
    def store(x):
        x[0] = 7.0
        return np.sum(x)
    assert T.jit(store)(mapped) == np.sum(mapped) and mapped[0] == 7.0
