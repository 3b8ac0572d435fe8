"""Constants, types, index tricks, files, and arrays as Python and NumPy see them."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from tests.numpy.cases import UNCALLED


def test_names_are_there():
    assert not [name for name in UNCALLED if not hasattr(jnp, name)]
    assert T.numpy is jnp


def test_constants():
    assert (jnp.pi, jnp.e, jnp.euler_gamma, jnp.inf) == (np.pi, np.e, np.euler_gamma, np.inf)
    assert np.isnan(jnp.nan) and jnp.newaxis is None and jnp.dtype is np.dtype
    assert jnp.s_[1:3] == slice(1, 3) and jnp.index_exp[0] == (0,)


def test_types():
    assert jnp.float32 == np.float32 == jnp.float32.dtype and jnp.float32 != jnp.float16
    assert np.zeros(2, jnp.int8).dtype == np.int8 and jnp.int8(3).dtype == np.int8
    assert jnp.int_.dtype == np.int32 and jnp.float_(1).dtype == np.float32 and hash(jnp.int8) == hash(np.dtype("int8"))
    assert jnp.issubdtype(jnp.bfloat16, jnp.floating) and not jnp.issubdtype(jnp.bfloat16, jnp.integer)
    assert jnp.isdtype(jnp.bfloat16, "real floating") and jnp.isdtype("int8", ("bool", "integral"))
    assert float(jnp.finfo(jnp.bfloat16).eps) == 2.0 ** -7 and jnp.iinfo("int8").max == 127
    with pytest.raises(TypeError, match="no dtype"):
        jnp.zeros(2, "float31")


def test_index_tricks():
    assert jnp.r_[1:4, 7].tolist() == [1, 2, 3, 7] and jnp.r_[1:4, 7].dtype == np.int32
    assert jnp.c_[np.arange(2), np.arange(2)].shape == (2, 2)
    assert jnp.mgrid[:2, :3].shape == (2, 2, 3) and [g.shape for g in jnp.ogrid[:2, :3]] == [(2, 1), (1, 3)]


def test_files(tmp_path):
    jnp.save(tmp_path / "a.npy", jnp.arange(3))
    assert jnp.load(tmp_path / "a.npy").tolist() == [0, 1, 2]
    np.arange(3, dtype=np.int32).tofile(tmp_path / "a.bin")
    assert jnp.fromfile(tmp_path / "a.bin", dtype=jnp.int32).tolist() == [0, 1, 2]


def test_ufunc_methods():
    x = jnp.arange(1.0, 5.0)
    assert isinstance(jnp.add, jnp.ufunc) and float(jnp.add.reduce(x)) == 10.0
    assert jnp.multiply.accumulate(x).tolist() == [1.0, 2.0, 6.0, 24.0]
    assert jnp.add.outer(x, x).shape == (4, 4)
    assert jnp.add.at(x, np.array([0, 0]), 1.0, inplace=False).tolist() == [3.0, 2.0, 3.0, 4.0]
    assert float(T.jit(lambda x: jnp.add.reduce(x))(x)) == 10.0


def test_arrays_in_python():
    x = jnp.arange(6.0).reshape(2, 3)
    assert isinstance(x, jnp.ndarray) and isinstance(x, T.Array) and len(x) == 2
    assert repr(jnp.ones(2, "bfloat16")) == "Array([1, 1], dtype=bfloat16)"
    assert np.asarray(jnp.ones(2, "bfloat16")).dtype == jnp.bfloat16.dtype
    assert [0, 1, 2][jnp.asarray(1)] == 1 and f"{x[1, 2]:.1f}" == "5.0"
    y = x
    y += 1
    assert float(x[0, 0]) == 0.0 and float(y[0, 0]) == 1.0


def is_array(x):
    return x * 2 if isinstance(x, jnp.ndarray) else x


def test_arrays_are_arrays_inside_too():
    assert T.jit(is_array)(jnp.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("call", [
    lambda: jnp.unique(np.array([3, 1, 1, 2]), size=5, fill_value=9), lambda: jnp.union1d(np.array([1, 2]), np.array([2, 3]), size=5, fill_value=9),
    lambda: jnp.nonzero(np.array([0, 1, 1]), size=5, fill_value=9)[0], lambda: jnp.intersect1d(np.array([1, 2, 5]), np.array([5, 2]), size=5, fill_value=9),
    lambda: jnp.setdiff1d(np.array([1, 2, 5]), np.array([5]), size=5, fill_value=9), lambda: jnp.setxor1d(np.array([1, 2]), np.array([5, 2]), size=5, fill_value=9),
    lambda: jnp.flatnonzero(np.array([[0, 1], [1, 1]]), size=5, fill_value=9), lambda: jnp.extract(np.array([True, False]), np.array([4, 6]), size=5, fill_value=9),
    lambda: jnp.repeat(np.array([1, 2]), np.array([2, 3]), total_repeat_length=5)])
def test_static_sizes(call):
    found = call()
    assert found.shape == (5,) and T.jit(call)().tolist() == found.tolist()


WANTED = [[1, 2, 3, 9, 9], [1, 2, 3, 9, 9], [1, 2, 9, 9, 9], [2, 5, 9, 9, 9], [1, 2, 9, 9, 9], [1, 5, 9, 9, 9], [1, 2, 3, 9, 9], [4, 9, 9, 9, 9], [1, 1, 2, 2, 2]]


def test_static_sizes_have_these_values():
    marks = [m for m in test_static_sizes.pytestmark if m.name == "parametrize"]
    assert [call().tolist() for call in marks[0].args[1]] == WANTED


def test_counts_and_inverse_of_a_static_size():
    x = np.array([3, 1, 2, 3, 0], np.int32)
    for function in (lambda x: jnp.unique(x, True, True, True, size=6, fill_value=-1), T.jit(lambda x: jnp.unique(x, True, True, True, size=6, fill_value=-1))):
        values, index, inverse, counts = function(x)
        assert values.tolist() == [0, 1, 2, 3, -1, -1] and counts.tolist() == [1, 1, 1, 2, 0, 0]
        assert index.tolist()[:4] == [4, 1, 2, 0] and inverse.tolist() == [3, 1, 2, 3, 0]


def test_in_place_functions_say_so():
    with pytest.raises(T.TransformError, match="immutable"):
        jnp.fill_diagonal(jnp.eye(3), 2.0)
    with pytest.raises(T.TransformError, match="out="):
        jnp.sum(jnp.ones(2), out=np.zeros(()))
