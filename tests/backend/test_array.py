"""Array behaves like an immutable NumPy array."""

import copy
import pickle

import numpy as np
import pytest

from backend import client
from backend.array import Array, array
from backend.compile import compile
from backend.hlo import Hlo


@pytest.fixture(scope="module")
def computed():
    """An Array that a compiled function returned."""
    hlo = Hlo("test")
    x = hlo.parameter((2, 3), np.float32)
    return compile(hlo.finish([hlo.add(x, 1.0)])).call([np.arange(6, dtype=np.float32).reshape(2, 3)])[0]


VALUE = np.arange(1, 7, dtype=np.float32).reshape(2, 3)


def test_description(computed):
    assert (computed.shape, computed.dtype, computed.ndim, computed.size, computed.nbytes, len(computed)) == ((2, 3), np.float32, 2, 6, 24, 2)
    assert repr(computed) == "Array([[1., 2., 3.],\n       [4., 5., 6.]], dtype=float32)"
    assert str(computed) == str(VALUE)
    assert f"{computed[0, 0]:.2f}" == "1.00"
    assert repr(array(np.zeros((0, 3)))) == "Array([], shape=(0, 3), dtype=float64)"


def test_reading(computed):
    np.testing.assert_array_equal(np.asarray(computed), VALUE)
    assert np.array(computed).flags.writeable
    assert not np.asarray(computed).flags.writeable
    assert isinstance(computed[1], Array)
    np.testing.assert_array_equal(computed[:, 1:], VALUE[:, 1:])
    np.testing.assert_array_equal(computed[computed > 2], VALUE[VALUE > 2])
    assert [float(r.sum()) for r in computed] == [6, 15]
    assert computed.tolist() == VALUE.tolist()
    assert 3.0 in computed


def test_python_numbers():
    assert float(array(1.5)) == 1.5
    assert int(array(3)) == 3
    assert [10, 20, 30][array(1)] == 20
    assert complex(array(1j)) == 1j
    assert bool(array(True))
    assert array(2.5).item() == 2.5
    with pytest.raises(ValueError, match="truth value"):
        bool(array([1, 2]))
    with pytest.raises(TypeError):
        len(array(1.0))


def test_operators(computed):
    for got, want in [(computed + 1, VALUE + 1), (2 * computed, 2 * VALUE), (computed @ computed.T, VALUE @ VALUE.T), (-computed, -VALUE),
                      (VALUE - computed, VALUE - VALUE), (computed == VALUE, VALUE == VALUE), (computed ** 2, VALUE ** 2),
                      (np.float64(2) * computed, 2 * VALUE), (np.sin(computed), np.sin(VALUE)), (computed // 2, VALUE // 2),
                      (np.stack([computed, VALUE]), np.stack([VALUE, VALUE])), (computed.sum(axis=0), VALUE.sum(axis=0))]:
        assert isinstance(got, Array)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(np.asarray(got), want)


def test_inplace_on_a_name_makes_a_new_array(computed):
    a = computed
    a += 1
    np.testing.assert_array_equal(a, VALUE + 1)
    np.testing.assert_array_equal(computed, VALUE)


def test_immutable(computed):
    with pytest.raises(TypeError, match=r"np\.array\(a\)"):
        computed[0] = 1
    with pytest.raises(TypeError, match="immutable"):
        np.add(computed, 1, out=computed)
    with pytest.raises(TypeError, match="unhashable"):
        hash(computed)


def test_array_copies_its_source():
    source = np.arange(3.0)
    a = array(source)
    source[0] = 9
    assert a.tolist() == [0, 1, 2]
    assert array(a) is a


def test_copies(computed):
    for other in (pickle.loads(pickle.dumps(computed)), copy.copy(computed), copy.deepcopy(computed), computed.copy()):
        assert isinstance(other, Array)
        np.testing.assert_array_equal(other, VALUE)


def test_dlpack(computed):
    np.testing.assert_array_equal(np.from_dlpack(computed), VALUE)


def test_devices(computed):
    from backend import client
    assert computed.devices() == {client.default_device()}
    assert computed.block_until_ready() is computed


def test_unknown_operand_is_refused(computed):
    with pytest.raises(TypeError):
        computed + "a"


@pytest.mark.parametrize("value", [np.arange(6).reshape(2, 3).T, np.arange(10)[::2], np.zeros((0, 2)), np.array(1.0), np.arange(4)[::-1],
                                   np.broadcast_to(np.arange(3), (2, 3))])
def test_any_memory_layout_goes_to_the_device(value):
    hlo = Hlo("test")
    run = compile(hlo.finish([hlo.add(hlo.parameter(value.shape, value.dtype), 0)]))
    np.testing.assert_array_equal(run.call([value])[0], value)
    np.testing.assert_array_equal(run.call([array(value)])[0], value)


def test_one_spec_per_type():
    assert client.spec((2,), np.dtype("f4")) is client.spec((2,), np.dtype("f4"), False) is not client.spec((2,), np.dtype("f4"), True)
