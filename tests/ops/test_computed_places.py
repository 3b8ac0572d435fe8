"""np.delete, np.insert and np.place where the program computes the places or the mask; np.pad with odd reflections."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from transformer.test_util import check_grads

X = np.array([1.0, -2.0, 3.0, 0.5, -1.0])


@pytest.mark.parametrize("fn", [
    lambda x, i: np.delete(x, i), lambda x, i: np.insert(x, i, 9.0), lambda x, i: np.insert(x, i, x[:1] * 3),
    lambda x, i: np.insert(np.outer(x, x), i, x * 2, axis=0), lambda x, i: np.delete(np.outer(x, x), i, axis=1),
])
@pytest.mark.parametrize("i", [0, 2, 4, -1, -5])
def test_one_place(fn, i):
    wanted = fn(X, i)
    np.testing.assert_array_equal(T.jit(fn)(X, i), wanted)
    np.testing.assert_array_equal(T.vmap(fn, (None, 0))(X, np.array([1, i]))[1], wanted)
    check_grads(lambda x: np.sum(fn(x, i) ** 2), (X,), order=2)


def test_the_end_is_a_place_to_insert_at():
    assert T.jit(lambda x, i: np.insert(x, i, 9.0))(X, 5).tolist() == [*X, 9.0]


def test_places_that_do_not_exist():
    for i in (5, -6):
        with pytest.raises(IndexError):
            T.jit(lambda x, i: np.delete(x, i))(X, i).tolist()


def test_masks_and_lists_of_places():
    f = lambda x: np.sum(np.delete(x, x > 0) ** 3)  # noqa: E731
    g = lambda x, i: np.sum(np.delete(x, i) ** 3)  # noqa: E731
    places = np.array([0, -1, 0])
    np.testing.assert_array_equal(T.grad(f)(X), [0, 12, 0, 0, 3])
    assert T.jit(f)(X) == f(X) and T.jit(g)(X, places) == g(X, places)
    np.testing.assert_array_equal(T.grad(g)(X, places), [0, 12, 27, 0.75, 0])
    h = lambda x, i: np.sum(np.insert(x, i, [7.0, 8.0]) * np.arange(7.0))  # noqa: E731
    np.testing.assert_array_equal(T.grad(h)(X, np.array([0, 3])), [1, 2, 3, 5, 6])
    np.testing.assert_array_equal(T.jit(lambda i: jnp.delete(jnp.asarray(X), i))(1), [1, 3, 0.5, -1])


def test_values_in_turn_where_a_mask_is_set():
    def f(x):
        y = x * 1.0
        np.place(y, x > 0, [x[1] * 2, 5.0])
        return np.sum(y ** 2)

    assert T.jit(f)(X) == f(X)
    np.testing.assert_array_equal(T.vmap(f)(np.stack([X, -X])), [f(X), f(-X)])
    check_grads(f, (X,), order=2)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("width", [(0, 0), (2, 1), (4, 13), (0, 9)])
def test_odd_reflections(mode, n, width):
    fn = lambda x: np.pad(x, width, mode, reflect_type="odd")  # noqa: E731
    x = np.arange(1.0, n + 1) ** 1.7
    np.testing.assert_allclose(T.jit(fn)(x), fn(x), rtol=1e-13)
    if mode == "reflect":
        check_grads(fn, (x,), order=2)
