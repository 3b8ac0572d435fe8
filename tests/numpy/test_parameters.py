"""Arguments that functions of `transformer.numpy` take and NumPy's do not, or take by keyword only."""

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp

F = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
ROWS = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [0.0, 5.0, 0.0]], np.float32)
HOLED = np.array([np.nan, 1.0, np.nan, 2.0], np.float32)


def same(found, wanted):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)
    assert np.shape(found) == np.shape(wanted)


def test_arguments_by_position():
    same(jnp.argmax(F, 1, None, True), np.argmax(F, 1, keepdims=True))
    same(jnp.average(F, 0, None, False, True), np.average(F, 0, keepdims=True))
    same(jnp.count_nonzero(F, 1, True), np.count_nonzero(F, 1, keepdims=True))
    same(jnp.nanmean(F, 1, None, None, False, F > -3), np.nanmean(F, 1, where=F > -3))
    same(jnp.zeros_like(F, None, (2,)), np.zeros(2))
    same(jnp.full_like(F, 3, "int32", (2, 1)), np.full((2, 1), 3))
    with pytest.raises(TypeError, match="positional"):
        jnp.ones_like(F, None, (2,), 0)


def test_small_integers_in_their_own_type():
    small = np.array([100, 100], np.int8)
    assert jnp.sum(small, promote_integers=False).dtype == np.int8
    assert jnp.sum(small).item() == 200 and jnp.prod(small).dtype == np.int32


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unique_slices_of_a_given_number(axis):
    wanted = np.unique(ROWS, axis=axis, return_index=True, return_inverse=True, return_counts=True)
    found = T.jit(lambda x: jnp.unique(x, True, True, True, axis, size=3, fill_value=9))(ROWS)
    count = wanted[0].shape[axis]
    same(jnp.take(found[0], np.arange(count), axis), wanted[0])
    assert np.all(np.asarray(jnp.take(found[0], np.arange(count, 3), axis)) == 9)
    same(found[1][:count], wanted[1])
    same(found[2], wanted[2])
    same(found[3], [*wanted[3], *[0] * (3 - count)])
    for one, two in zip(jnp.unique(ROWS, True, True, True, axis), wanted):
        same(one, two)


def test_nan_among_unique_elements():
    same(jnp.unique(HOLED, size=4, fill_value=7), [1, 2, np.nan, 7])
    same(jnp.unique(HOLED, size=4, equal_nan=False), [1, 2, np.nan, np.nan])
    same(jnp.unique(HOLED, equal_nan=False), [1, 2, np.nan, np.nan])
    same(jnp.unique(np.zeros(0, np.float32), size=2, fill_value=3.0), [3, 3])
    with pytest.raises(ValueError, match="fill_value"):
        jnp.unique(np.zeros(0), size=2)
    with pytest.raises(ValueError, match="axis"):
        jnp.unique(HOLED, axis=1)


def test_unique_slices_have_gradients():
    same(T.grad(lambda x: jnp.sum(jnp.unique(x, axis=0, size=2) ** 2))(ROWS), [[2, 4, 2], [0, 0, 0], [0, 10, 0]])


def test_lines_are_filled_where_the_index_is_out_of_range():
    places = np.array([[0, 9], [-4, -5], [3, 4]])
    same(jnp.take_along_axis(F, places, 1, mode="fill"), [[-5, np.nan], [-1, np.nan], [6, np.nan]])
    same(jnp.take_along_axis(F.astype(np.int32), places, 1, fill_value=77), [[-5, 77], [-1, 77], [6, 77]])
    same(jnp.take_along_axis(F, places, 1, mode="fill", wrap_negative_indices=False), [[-5, np.nan], [np.nan, np.nan], [6, np.nan]])
    same(T.grad(lambda x: jnp.nansum(jnp.take_along_axis(x, places, 1, mode="fill")))(F), [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])


def test_flat_positions_out_of_range_are_clipped():
    same(jnp.unravel_index(np.array([-1, 99, 5]), (3, 4)), [[2, 2, 1], [3, 3, 1]])


def test_interpolation_goes_on_outside():
    xp, fp = np.array([0.0, 1.0, 3.0], np.float32), np.array([1.0, 3.0, 2.0], np.float32)
    f = T.jit(lambda x: jnp.interp(x, xp, fp, "extrapolate", "extrapolate"))
    same(f(np.array([-1.0, 0.5, 5.0], np.float32)), [-1.0, 2.0, 1.0])
    same(T.grad(lambda x: jnp.interp(x, xp, fp, right="extrapolate"))(4.0), -0.5)
    with pytest.raises(TypeError, match="extrapolate"):
        jnp.interp(0.0, xp, fp, left="nearest")


def test_what_makes_no_array_of_numbers_is_refused():
    for value in (None, "text", ["a"]):
        with pytest.raises(TypeError, match="no array of numbers"):
            jnp.asarray(value)
    for value in (2 ** 40, [1, -2 ** 33]):
        with pytest.raises(OverflowError, match="int32"):
            jnp.array(value)
    with T.enable_x64(True):
        assert jnp.array(2 ** 40).item() == 2 ** 40
    for join in (jnp.concatenate, jnp.stack):
        with pytest.raises(ValueError, match="no arrays"):
            join([])


def test_zeros_at_the_ends():
    x = np.array([0.0, 0.0, 1.0, 0.0, 2.0, 0.0], np.float32)
    same(jnp.trim_zeros(x), [1, 0, 2])
    same(T.grad(lambda v: jnp.sum(jnp.trim_zeros(v, "f") ** 2))(x), 2 * x)
