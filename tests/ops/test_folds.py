"""ufunc.reduce and ufunc.accumulate of functions without a reduction of their own."""

import numpy as np
import pytest

import transformer as T
from transformer.test_util import check_grads

V, M = np.array([3.0, 1.5, 0.7, 2.0]), np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))


@pytest.mark.parametrize("fn", [
    lambda x: np.subtract.reduce(x), lambda x: np.divide.reduce(x, axis=-1), lambda x: np.float_power.reduce(x), lambda x: np.hypot.reduce(x, keepdims=True),
    lambda x: np.copysign.reduce(x), lambda x: np.subtract.reduce(x, initial=9.0), lambda x: np.logaddexp2.reduce(x),
    lambda x: np.subtract.accumulate(x), lambda x: np.divide.accumulate(x, axis=-1), lambda x: np.logaddexp.accumulate(x),
], ids="subtract divide power hypot copysign initial logaddexp2 differences quotients running".split())
@pytest.mark.parametrize("x", [V, M], ids=["vector", "matrix"])
def test_folds(fn, x):
    wanted = fn(x)
    np.testing.assert_array_equal(T.jvp(fn, (x,), (x,))[0], wanted)
    for found in (T.jit(fn)(x), T.vmap(fn)(np.stack([x, x]))[1]):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    check_grads(lambda x: np.sum(np.sin(fn(x))), (x,), order=2, atol=1e-4, rtol=1e-4)


def test_long_folds_stay_loops():
    assert "for i in range" in T.grad(lambda x: np.hypot.reduce(x)).show(np.ones(50))


def test_folds_go_along_one_axis():
    for axis in (None, (0, 1)):
        with pytest.raises(ValueError, match="one axis"):
            T.jit(lambda x, axis=axis: np.subtract.reduce(x, axis=axis))(M)
