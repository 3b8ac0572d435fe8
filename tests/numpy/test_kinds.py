"""Functions for single kinds of numbers: complex extrema, nan in half precision, bools, bytes."""

import numpy as np
import pytest

from transformer import TransformError, jit, lax
from transformer import numpy as jnp

Z = np.array([[1 + 2j, 3 - 1j, 1 + 5j], [3 + 0j, -1 + 9j, 3 - 4j]], np.complex64)


@pytest.mark.parametrize("name", ["max", "min", "ptp", "nanmax", "nanmin"])
def test_complex_numbers_are_ordered_by_real_then_imaginary_part(name):
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(jit(lambda z: getattr(jnp, name)(z, axis=axis))(Z), getattr(np, name)(Z, axis=axis))


def test_nan_wins_among_complex_numbers_unless_it_is_left_out():
    z = np.where(Z.real == -1, np.nan, Z).astype(np.complex64)
    for f in (jnp.max, jnp.min):
        assert np.isnan(jit(f)(z))
    assert jit(jnp.nanmax)(z) == 3 + 0j and jit(jnp.nanmin)(z) == 1 + 2j


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_nan_of_half_precision(dtype):
    x = jnp.array([2.0, jnp.nan, 1.0, 3.0], dtype)
    assert float(jit(jnp.nanmax)(x)) == 3.0 and float(jit(jnp.nanmin)(x)) == 1.0
    assert int(jit(jnp.argmax)(x)) == 1 and int(jit(jnp.argmin)(x)) == 1
    np.testing.assert_array_equal(np.asarray(jit(jnp.sort)(x), float), [1.0, 2.0, 3.0, np.nan])


def test_bools():
    b = jnp.array([True, False])
    for f in (jnp.positive, jnp.conj, jit(jnp.positive), jit(jnp.conj)):
        assert f(b).dtype == bool and f(b).tolist() == [True, False]
    with pytest.raises(TransformError, match="round of bools"):
        jnp.round(b)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_packbits(axis, order):
    a = np.random.default_rng(0).integers(0, 2, (3, 11))
    for f in (jnp.packbits, jit(lambda a, axis=axis: jnp.packbits(a, axis, order))):
        found = f(a, axis, order) if f is jnp.packbits else f(a)
        np.testing.assert_array_equal(found, np.packbits(a, axis, order))
        assert found.dtype == np.uint8


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_nan_and_infinity_of_half_precision_in_statistics(dtype):
    x = jnp.array([2.0, jnp.nan, 1.0, 3.0], dtype)
    assert int(jit(jnp.nanargmax)(x)) == 3 and int(jit(jnp.nanargmin)(x)) == 2
    assert np.isnan(float(jit(jnp.median)(x))) and np.isnan(float(jit(jnp.quantile)(x, 0.5)))
    assert jit(jnp.signbit)(jnp.array([-0.0, 0.0, -1.0], dtype)).tolist() == [True, False, True]
    assert np.isfinite(np.asarray(jit(jnp.nan_to_num)(jnp.array([jnp.nan, jnp.inf, -jnp.inf], dtype)), float)).all()
    assert np.isnan(np.asarray(x.at[jnp.array([9])].get(mode="fill"), float)).all()
    window = lax.reduce_window(jnp.array([-3.0, -1.0, -2.0], dtype), -jnp.inf, lax.max, (2,), (1,), "VALID")
    assert window.tolist() == [-1.0, -1.0] and float(lax.reduce(x[2:], jnp.array(-jnp.inf, dtype), lax.max, (0,))) == 3.0
