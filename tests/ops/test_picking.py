"""Functions that pick elements: indices out of range are errors, compiled and batched too; positions known beforehand give lengths."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 0.2, 0.8])
PLACES = np.array([0, 1, 1])


def choose(i, x):
    return np.choose(i, [x, 2 * x, 5.0])


def along(i, x):
    return np.take_along_axis(x, i, 0)


@pytest.mark.parametrize("f", [choose, along])
def test_out_of_range(f):
    np.testing.assert_array_equal(T.jit(f)(PLACES, X), f(PLACES, X))
    for bad in (3, -4):
        places = np.array([0, bad, 1])
        for call in (T.jit(f), lambda i, x: T.jit(T.vmap(f))(np.stack([PLACES, i]), np.stack([x, x]))):  # noqa: B023
            with pytest.raises(IndexError):
                np.asarray(call(places, X))


def test_choose_counts_no_place_from_the_end():
    with pytest.raises(IndexError):
        np.asarray(T.jit(choose)(np.array([0, -1, 1]), X))


def test_orders_need_no_check():
    lowered = T.jit(lambda x: np.take_along_axis(x, np.argsort(-x), 0)).lower(X).as_text()
    assert "tensor<i32>" not in lowered


def test_bincount_of_known_places():
    def known(w):
        return np.bincount([0, 1, 1], weights=w) ** 2

    def given(w):
        return np.bincount(PLACES, weights=w) ** 2
    np.testing.assert_allclose(T.jit(known)(X), known(X))
    np.testing.assert_allclose(T.jit(T.grad(lambda w: np.sum(known(w))))(X), [0.6, 2.0, 2.0])
    np.testing.assert_allclose(T.grad(lambda w: np.sum(given(w)))(X), [0.6, 2.0, 2.0])


def test_methods():
    def f(x):
        return x.compress([True, False, True]).sum() + x.nonzero()[0].sum() * x[0]
    np.testing.assert_allclose(T.jit(f)(X), f(X))
    np.testing.assert_allclose(T.grad(f)(X), [4.0, 0.0, 1.0])


def test_one_number_is_searched_for_in_every_lane():
    rows = np.sort(np.stack([X, 2 * X]))
    f = lambda x: np.searchsorted(x, 0.35) * x  # noqa: E731
    np.testing.assert_allclose(T.vmap(f)(rows), [f(row) for row in rows])
