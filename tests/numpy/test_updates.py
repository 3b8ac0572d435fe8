"""`x.at[...]`: eagerly, compiled, batched and differentiated, the original left as it is."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp

BASE = np.arange(12.0, dtype=np.float32).reshape(3, 4)
INDICES = [1, (slice(None, None, 2), slice(1, 3)), (slice(None), -1), (..., 0), (np.array([0, 2]), np.array([1, 3])), BASE > 5, (1, 2), (slice(None), None, 1)]
KINDS = {"set": lambda a, v: np.zeros_like(a) + v, "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "power": np.power,
         "min": np.minimum, "max": np.maximum}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_kinds_and_indices(kind, index):
    x = jnp.asarray(BASE)
    wanted = BASE.copy()
    wanted[index] = KINDS[kind](BASE[index], 2.0)
    for found in (getattr(x.at[index], kind)(2.0), T.jit(lambda x: getattr(x.at[index], kind)(2.0))(x)):
        assert found.dtype == np.float32
        np.testing.assert_allclose(np.asarray(found), wanted)
    np.testing.assert_array_equal(np.asarray(x), BASE)


@pytest.mark.parametrize("kind, wanted", [("add", [3.0, 7.0, 2.0]), ("subtract", [-1.0, -5.0, 0.0]), ("multiply", [2.0, 8.0, 1.0]), ("max", [2.0, 4.0, 1.0]),
                                          ("min", [1.0, 1.0, 1.0]), ("divide", [0.5, 0.125, 1.0])])
def test_repeated_indices_count_as_often_as_they_occur(kind, wanted):
    x, where, by = jnp.ones(3), np.array([0, 1, 1, 2]), np.array([2.0, 2.0, 4.0, 1.0], np.float32)

    def update(x, where, by):
        return getattr(x.at[where], kind)(by)
    for found in (update(x, where, by), T.jit(update)(x, where, by), T.vmap(update, (0, None, None))(x[None], where, by)[0]):
        np.testing.assert_allclose(np.asarray(found), wanted)


def test_modes():
    x, far = jnp.arange(4.0), np.array([1, 9, -7])

    def drop(x, i):
        return x.at[i].set(7.0, mode="drop")

    def clip(x, i):
        return x.at[i].add(1.0, mode="clip")

    def fill(x, i):
        return x.at[i].get(mode="fill", fill_value=-1.0)
    for wrap in (lambda f: f, T.jit):
        assert wrap(drop)(x, far).tolist() == [0.0, 7.0, 2.0, 3.0]
        assert wrap(clip)(x, far).tolist() == [1.0, 2.0, 2.0, 4.0]
        assert wrap(fill)(x, far).tolist() == [1.0, -1.0, -1.0]
    assert x.at[far].get(mode="clip").tolist() == [1.0, 3.0, 0.0]
    assert np.isnan(np.asarray(x.at[far].get(mode="fill"))).tolist() == [False, True, True]
    with pytest.raises(IndexError):
        x.at[9].set(1.0)
    with pytest.raises(TypeError, match="mode"):
        x.at[1].set(1.0, mode="wrap")


def test_gradients():
    where = np.array([0, 2, 2, 1])
    g = T.grad(lambda v: jnp.sum(jnp.zeros(3).at[where].add(v) ** 2))(jnp.ones(4))
    assert g.tolist() == [2.0, 4.0, 4.0, 2.0]
    g = T.grad(lambda x, v: jnp.sum(x.at[1].set(v) ** 2), (0, 1))(jnp.arange(3.0), 5.0)
    assert g[0].tolist() == [0.0, 0.0, 4.0] and float(g[1]) == 10.0
    g = T.jit(T.grad(lambda x, i: jnp.sum(x.at[i].multiply(3.0))))(jnp.ones(3), np.array([0, 0, 2]))
    assert g.tolist() == [9.0, 1.0, 3.0]


def test_apply_and_casts():
    x = jnp.arange(4)
    assert x.at[1:3].apply(lambda v: v * 10).tolist() == [0, 10, 20, 3]
    assert x.at[0].set(2.7).dtype == np.int32 and x.at[0].set(2.7).tolist()[0] == 2


def carried(x, n):
    for i in range(n):
        x = x.at[i].set(x[i - 1] * 2.0)
    return x


def test_updates_in_a_loop():
    x = jnp.ones(40)
    wanted = np.ones(40, np.float32)
    for i in range(40):
        wanted[i] = wanted[i - 1] * 2
    np.testing.assert_allclose(np.asarray(T.jit(carried)(x, 40)), wanted)


def test_arrays_are_immutable():
    x = jnp.arange(3.0)
    with pytest.raises(TypeError, match=r"\.at\[index\]\.set"):
        x[0] = 1.0
