"""Collectives: NumPy meaning over a batch, the same on devices, derivatives, and batches over another axis."""

import numpy as np
import pytest

import transformer
from transformer import TransformError, grad, jvp, pmap, vmap
from transformer.axes import UnboundAxis
from transformer.parallel import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    pbroadcast,
    pmax,
    pmean,
    pmin,
    ppermute,
    pshuffle,
    psum,
    psum_scatter,
    pswapaxes,
)

X = np.random.default_rng(0).normal(size=(8, 8))
RING = [(i, (i + 1) % 8) for i in range(8)]
TURN = [3, 1, 2, 0, 7, 6, 5, 4]

MEANING = {
    "psum": (lambda x: psum(x, "d"), np.tile(X.sum(0), (8, 1))),
    "pmean": (lambda x: pmean(x, "d"), np.tile(X.mean(0), (8, 1))),
    "pmax": (lambda x: pmax(x, "d"), np.tile(X.max(0), (8, 1))),
    "pmin": (lambda x: pmin(x, "d"), np.tile(X.min(0), (8, 1))),
    "gather": (lambda x: all_gather(x, "d"), np.tile(X, (8, 1, 1))),
    "gather axis": (lambda x: all_gather(x, "d", axis=1), np.tile(X.T, (8, 1, 1))),
    "gather tiled": (lambda x: all_gather(x, "d", tiled=True), np.tile(X.ravel(), (8, 1))),
    "ring": (lambda x: ppermute(x, "d", RING), np.roll(X, 1, 0)),
    "some": (lambda x: ppermute(x, "d", [(2, 0), (1, 5)]), np.stack([X[2], *np.zeros((4, 8)), X[1], *np.zeros((2, 8))])),
    "shuffle": (lambda x: pshuffle(x, "d", TURN), X[TURN]),
    "all to all": (lambda x: all_to_all(x, "d", 0, 0), X.T),
    "swap": (lambda x: pswapaxes(x, "d", 0), X.T),
    "scatter": (lambda x: psum_scatter(x, "d"), X.sum(0)),
    "scatter tiled": (lambda x: psum_scatter(x, "d", tiled=True), X.sum(0)[:, None]),
    "index": (lambda x: x + axis_index("d"), X + np.arange(8)[:, None]),
    "size": (lambda x: x * axis_size("d"), X * 8),
    "broadcast": (lambda x: pbroadcast(x, "d", 3), np.tile(X[3], (8, 1))),
}
SMOOTH = [name for name in MEANING if name not in ("pmax", "pmin")]


@pytest.mark.parametrize("name", MEANING)
def test_vmap_turns_them_into_array_operations(name):
    f, wanted = MEANING[name]
    g = vmap(f, axis_name="d")
    np.testing.assert_allclose(g(X), wanted, atol=1e-12)
    assert "lax" not in g.source


@pytest.mark.parametrize("name", MEANING)
def test_pmap_exchanges_between_devices(name):
    f, wanted = MEANING[name]
    np.testing.assert_allclose(pmap(f, axis_name="d")(X), wanted, atol=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_inside_equal_those_of_the_batch(name):
    f, _ = MEANING[name]

    def loss(x):
        y = f(x)
        return np.sum(y * np.cos(y)) * x[0]
    inside = pmap(grad(loss), axis_name="d")(X)
    np.testing.assert_allclose(inside, vmap(grad(loss), axis_name="d")(X), atol=1e-9)


@pytest.mark.parametrize("name", MEANING)
def test_gradients_from_outside_are_differences(name):
    f, _ = MEANING[name]
    batch = vmap(f, axis_name="d")
    weights = np.random.default_rng(1).normal(size=batch(X).shape)

    def loss(x):
        return np.sum(weights * batch(x) ** 2)
    direction = np.random.default_rng(2).normal(size=X.shape)
    slope = (loss(X + 1e-6 * direction) - loss(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(np.sum(grad(loss)(X) * direction), slope, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jvp(loss, (X,), (direction,))[1], slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", MEANING)
def test_batches_over_another_axis(name):
    f, _ = MEANING[name]
    stack = np.stack([X, 2 * X, X - 1.0])
    wanted = np.stack([vmap(f, axis_name="d")(x) for x in stack], 1)
    inner = pmap(vmap(f), axis_name="d")
    np.testing.assert_allclose(inner(stack.swapaxes(0, 1)), wanted, atol=1e-12)
    outer = vmap(vmap(f, axis_name="d"), in_axes=0)
    np.testing.assert_allclose(outer(stack), wanted.swapaxes(0, 1), atol=1e-12)


def test_blocks_of_several_rows_are_exchanged():
    x = np.arange(8 * 16 * 2, dtype=float).reshape(8, 16, 2)
    f = lambda b: all_to_all(b, "d", 0, 1, tiled=True)  # noqa: E731
    wanted = x.reshape(8, 8, 2, 2).transpose(1, 2, 0, 3).reshape(8, 2, 16)
    np.testing.assert_array_equal(vmap(f, axis_name="d")(x), wanted)
    np.testing.assert_array_equal(pmap(f, axis_name="d")(x), wanted)


def test_ties_share_the_gradient_of_an_extremum():
    x = np.array([1.0, 3.0, 3.0, 0.0])
    np.testing.assert_allclose(grad(lambda x: vmap(lambda v: pmax(v, "d"), axis_name="d")(x)[0])(x), [0.0, 0.5, 0.5, 0.0])


def test_what_is_known_is_the_same_on_all_lanes():
    table = np.array([1.0, 2.0])
    f = vmap(lambda x: (psum(1, "d"), psum(table, "d"), pmean(2.0, "d"), pmax(3, "d")), axis_name="d")
    size, total, mean, largest = f(X[:4])
    np.testing.assert_array_equal(size, [4] * 4)
    np.testing.assert_array_equal(total, np.tile(4 * table, (4, 1)))
    np.testing.assert_array_equal(mean, [2.0] * 4)
    np.testing.assert_array_equal(largest, [3] * 4)


def test_trees_are_reduced_leaf_by_leaf():
    found = pmap(lambda x: pmean({"a": x, "b": [x[0]]}, "d"), axis_name="d")(X)
    np.testing.assert_allclose(found["a"][0], X.mean(0))
    np.testing.assert_allclose(found["b"][0][7], X[:, 0].mean())


def test_several_axes_at_once():
    m = np.arange(12.0).reshape(4, 3)
    f = vmap(vmap(lambda x: (psum(x, ("r", "c")), axis_index(("r", "c")), all_gather(x, ("r", "c"))), axis_name="c"), axis_name="r")
    total, number, everything = f(m)
    np.testing.assert_array_equal(total, np.full((4, 3), m.sum()))
    np.testing.assert_array_equal(number, np.arange(12).reshape(4, 3))
    np.testing.assert_array_equal(everything[2, 1], m.ravel())


def test_float32_stays():
    assert vmap(lambda x: pmean(x, "d") * axis_index("d"), axis_name="d")(X.astype(np.float32)).dtype == np.float32


def test_an_unbound_name_is_named():
    with pytest.raises(UnboundAxis, match="'nowhere' is not bound"):
        psum(X, "nowhere")
    with pytest.raises(NameError, match="Names in scope: 'd'"):
        pmap(lambda x: pmean(x, "other"), axis_name="d")(X)
    with pytest.raises(UnboundAxis):
        axis_index("nowhere")


def test_a_branch_that_some_lanes_take_has_no_collectives():
    def f(x):
        if x[0] > 0:
            x = psum(x, "d")
        return x
    for mapped in (vmap, pmap):
        with pytest.raises(TransformError, match="only some lanes or devices take"):
            mapped(f, axis_name="d")(X)


def test_a_branch_that_all_lanes_take_may_have_them():
    def f(x, flag):
        if flag > 0:
            x = psum(x, "d")
        return x
    wanted = np.tile(X.sum(0), (8, 1))
    for mapped in (vmap, pmap):
        np.testing.assert_allclose(mapped(f, axis_name="d", in_axes=(0, None))(X, 1.0), wanted)


def test_wrong_permutations_and_sizes():
    with pytest.raises(TransformError, match="twice"):
        vmap(lambda x: ppermute(x, "d", [(0, 1), (2, 1)]), axis_name="d")(X)
    with pytest.raises(TransformError, match="out of range"):
        vmap(lambda x: ppermute(x, "d", [(0, 9)]), axis_name="d")(X)
    with pytest.raises(ValueError, match="splits axis 0 of size 8 among 4"):
        vmap(lambda x: all_to_all(x, "d", 0, 0), axis_name="d")(X[:4])


def test_they_are_part_of_lax():
    assert transformer.lax.psum is psum and transformer.lax.axis_index is axis_index


@pytest.mark.parametrize("mapped", [vmap, pmap])
def test_functions_with_rules_of_their_own_may_exchange(mapped):
    @transformer.custom_vjp
    def f(x):
        return psum(x ** 2, "d")
    f.defvjp(lambda x: (f(x), x), lambda x, g: (psum(g, "d") * 3 * x,))
    np.testing.assert_allclose(mapped(grad(lambda x: np.sum(f(x))), axis_name="d")(X), 24 * X)
    np.testing.assert_allclose(grad(lambda x: np.sum(mapped(f, axis_name="d")(x)))(X), 24 * X)

    def plain(x):
        return np.sum(psum(np.sin(x), "d") * x)
    wanted = grad(lambda x: np.sum(vmap(plain, axis_name="d")(x)))(X)
    np.testing.assert_allclose(grad(lambda x: np.sum(mapped(transformer.checkpoint(plain), axis_name="d")(x)))(X), wanted)


def test_jacobians_inside_of_a_map():
    f = vmap(transformer.jacrev(lambda x: psum(x ** 2, "d")), axis_name="d")
    np.testing.assert_allclose(f(X), 2 * 8 * X[:, None, :] * np.eye(8))
