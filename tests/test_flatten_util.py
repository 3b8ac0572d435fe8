"""A pytree as one vector and back, also inside transformed functions."""

import numpy as np
import pytest

import transformer.numpy as jnp
from transformer import grad, jit
from transformer.flatten_util import ravel_pytree
from transformer.test_util import check_grads


def tree():
    return {"w": np.arange(6.0).reshape(2, 3) + 0.5, "b": [np.array([1.0, 2.0]), 3.0]}


def test_vector_and_back():
    vector, unravel = ravel_pytree(tree())
    assert np.array_equal(vector, [1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
    back = unravel(vector)
    assert np.array_equal(back["w"], tree()["w"]) and np.array_equal(back["b"][0], [1.0, 2.0]) and back["b"][1] == 3.0


def test_types_come_back():
    vector, unravel = ravel_pytree([np.arange(3, dtype=np.int32), np.ones(2, np.float32)])
    assert vector.dtype == np.float64 and [part.dtype for part in unravel(vector)] == [np.int32, np.float32]


def test_device_arrays_stay_device_arrays():
    vector, unravel = ravel_pytree({"a": jnp.ones(3), "b": jnp.zeros(())})
    assert isinstance(vector, type(jnp.ones(1))) and unravel(vector)["b"].shape == ()


def test_pytree_without_leaves():
    vector, unravel = ravel_pytree({"a": [], "b": None})
    assert vector.shape == (0,) and unravel(vector) == {"a": [], "b": None}


def test_vector_of_the_wrong_length():
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        ravel_pytree(tree())[1](np.ones(2))


def squared_parts(params):
    vector, unravel = ravel_pytree(params)
    parts = unravel(np.sin(vector))
    return np.sum(vector ** 2) + np.sum(parts["w"][0]) * parts["b"][1]


def test_gradient_through_both_ways():
    check_grads(squared_parts, (tree(),), order=2)
    got = jit(grad(squared_parts))(tree())
    assert np.allclose(got["w"], grad(squared_parts)(tree())["w"])


def test_gradient_of_a_vector():
    vector, unravel = ravel_pytree(tree())
    assert np.array_equal(grad(lambda v: np.sum(unravel(v)["w"]))(vector), [0, 0, 0, 1, 1, 1, 1, 1, 1])
