"""`allow_int`: integers among the differentiated arguments stay integers, and have derivatives of the type float0."""

import numpy as np
import pytest

import transformer as T

X = np.array([1.0, 2.0, 3.0])


def f(tree, n):
    return np.sum(tree["w"] * n) * tree["k"]


def is_float0(value, shape):
    return value.dtype == T.float0 and value.shape == shape


@pytest.mark.parametrize("wrap", [lambda g: g, T.jit])
def test_integers_have_zeros_of_float0(wrap):
    tree = {"w": X, "k": np.array(3)}
    value, (bars, n_bar) = wrap(T.value_and_grad(f, (0, 1), allow_int=True))(tree, 2)
    np.testing.assert_allclose(bars["w"], np.full(3, 6.0))
    assert float(value) == 36.0 and is_float0(bars["k"], ()) and is_float0(n_bar, ())


def test_integers_are_promoted_otherwise():
    assert T.grad(f, 1)({"w": X, "k": 3}, 2) == 18.0


def test_integers_stay_integers():
    assert T.grad(lambda x, n: x[n] * 2.0, (0, 1), allow_int=True)(X, 1)[0].tolist() == [0.0, 2.0, 0.0]


def test_shapes_of_jacobians_and_batches():
    found = T.jacrev(lambda n, x: (x * n, x[0] * n[0]), (0, 1), allow_int=True)(np.arange(3), X)
    assert is_float0(found[0][0], (3, 3)) and is_float0(found[1][0], (3,))
    np.testing.assert_allclose(found[0][1], np.diag(np.arange(3.0)))
    n_bar, x_bar = T.vmap(T.grad(lambda n, x: x * n, (0, 1), allow_int=True))(np.arange(3), X)
    assert is_float0(n_bar, (3,)) and x_bar.tolist() == [0.0, 1.0, 2.0]


def test_bools_of_python():
    found = T.grad(lambda p: p["x"] * 2.0 if p["b"] else p["x"], allow_int=True)({"x": 2.0, "b": True})
    assert found["x"] == 2.0 and is_float0(found["b"], ())


def test_integers_among_results_have_tangents_and_cotangents_of_float0():
    _, (dot, index_dot) = T.jvp(lambda x: (x * 2.0, np.argmax(x)), (X,), (X,))
    assert dot.tolist() == [2.0, 4.0, 6.0] and is_float0(index_dot, ())
    assert T.jvp(lambda x: np.argmax(x), (X,), (X,))[1].dtype == T.float0
    _, pull = T.vjp(lambda x, n: (x[n], n), X, 1)
    assert pull((2.0, np.zeros((), T.float0)))[0].tolist() == [0.0, 2.0, 0.0]
