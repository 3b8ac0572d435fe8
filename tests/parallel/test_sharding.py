"""jit of arrays that are spread over a mesh (XLA splits the program), and shard_map."""

import numpy as np
import pytest

from transformer import TransformError, device_put, devices, grad, jit, shard_map, value_and_grad, vmap
from transformer.errors import ShapeError
from transformer.parallel import all_gather, axis_index, pmean, psum, with_sharding_constraint
from transformer.sharding import Mesh, NamedSharding, P, make_mesh

A = np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)
B = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)


def mesh():
    return make_mesh((4, 2), ("x", "y"))


def place(*spec):
    return NamedSharding(mesh(), P(*spec))


@pytest.mark.parametrize("a", [("x", "y"), (None, "y"), (("x", "y"),), (("y", "x"),), ()])
@pytest.mark.parametrize("b", [("y",), (None, "x"), ("y", "x"), ()])
def test_spread_arrays_compute_as_if_whole(a, b):
    def loss(a, b):
        return np.sum(np.tanh(a @ b) ** 2)
    value, bars = jit(value_and_grad(loss, argnums=(0, 1)))(device_put(A, place(*a)), device_put(B, place(*b)))
    wanted, wanted_bars = value_and_grad(loss, argnums=(0, 1))(A, B)
    np.testing.assert_allclose(value, wanted, rtol=1e-4)
    for found, other in zip(bars, wanted_bars):
        np.testing.assert_allclose(found, other, atol=1e-4)


def test_results_lie_as_asked_for():
    f = jit(lambda a, b: (a @ b, a.sum()), in_shardings=(place("x"), place(None, "y")), out_shardings=(place("x", "y"), None))
    product, total = f(A, B)
    assert product.sharding == place("x", "y") and product.addressable_shards[0].data.shape == (2, 2)
    np.testing.assert_allclose(product, A @ B, atol=1e-4)
    np.testing.assert_allclose(total, A.sum(), rtol=1e-5)
    with mesh():
        y = jit(lambda a: with_sharding_constraint(np.sin(a), P("x")) * 2, out_shardings=P("y"))(A)
    assert y.sharding == place("y")
    np.testing.assert_allclose(y, 2 * np.sin(A), atol=1e-6)
    assert "sdy.sharding_constraint" in jit(lambda a: with_sharding_constraint(a, place("y")) + 1, in_shardings=place("x")).lower(A).as_text()


def test_results_go_on_where_they_are():
    x = device_put(A, place("x"))
    y = jit(lambda a: np.sin(a) + 1)(x)
    assert y.sharding == place("x")
    z = jit(lambda a, b: a * b)(y, x)
    np.testing.assert_allclose(z, (np.sin(A) + 1) * A, atol=1e-6)


def test_several_meshes_of_the_same_devices():
    backwards = Mesh(np.array(devices()[::-1]), ("w",))
    other = NamedSharding(backwards, P("w"))
    x, y = device_put(A, place("x")), device_put(A, other)
    np.testing.assert_array_equal(y, A)
    assert y.addressable_shards[0].device == devices()[7]
    np.testing.assert_allclose(jit(lambda a, b: a + 2 * b)(x, y), 3 * A, rtol=1e-6)
    np.testing.assert_allclose(jit(lambda a, b: a + 2 * b)(y, x), 3 * A, rtol=1e-6)
    z = jit(lambda a: a * 2, in_shardings=place("x"), out_shardings=other)(A)
    np.testing.assert_array_equal(z, 2 * A)
    np.testing.assert_array_equal(jit(lambda a: a - 1)(z), 2 * A - 1)


def test_errors_and_loops_of_programs_on_a_mesh():
    with pytest.raises(IndexError, match="index 9"):
        jit(lambda a, i: a[i])(device_put(A, place("x")), 9)

    def f(a):
        while np.sum(a ** 2) < 1e6:
            a = a * 1.5
        return np.sum(a)
    np.testing.assert_allclose(jit(grad(f))(device_put(A, place("x"))), grad(f)(A), rtol=1e-4)
    with pytest.raises(ShapeError, match="does not divide"):
        jit(lambda a: a, out_shardings=place(None, "x"))(A)
    with pytest.raises(TransformError, match="needs a mesh"):
        jit(lambda a: a, out_shardings=P("x"))(A)


# shard_map ---------------------------------------------------------------------------------------------------
def product():
    return shard_map(lambda a, b: psum(a @ b, "y"), mesh=mesh(), in_specs=(P("x", "y"), P("y")), out_specs=P("x"))


def test_blocks_on_devices():
    f = product()
    y = f(A, B)
    assert y.sharding == place("x") and len(y.devices()) == 8
    np.testing.assert_allclose(y, A @ B, atol=1e-4)
    assert "float32[2, 3]" in f.source and "lax.psum" in f.source
    np.testing.assert_allclose(jit(f)(A, B), A @ B, atol=1e-4)


def test_blocks_as_a_batch_inside_of_other_transforms():
    f = product()
    np.testing.assert_allclose(jit(lambda a, b: 2 * f(a, b))(A, B), 2 * A @ B, atol=1e-4)
    found = grad(lambda a: np.sum(f(a, B) ** 2))(A)
    np.testing.assert_allclose(found, 2 * (A @ B) @ B.T, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(vmap(f, in_axes=(0, None))(np.stack([A, 2 * A]), B), np.stack([A @ B, 2 * A @ B]), atol=1e-4)


@pytest.mark.parametrize("spec", [P("x"), P("y"), P(("x", "y")), P(("y", "x")), P(None, "y")])
def test_device_numbers(spec):
    f = shard_map(lambda a: a + 10 * axis_index("x") + axis_index("y"), mesh=mesh(), in_specs=spec, out_specs=spec, check_vma=False)
    x = np.zeros((8, 2))
    y = f(x)
    np.testing.assert_array_equal(y, jit(lambda a: f(a) + 0)(x))
    for shard in y.addressable_shards:
        where = np.argwhere(mesh().devices == shard.device)[0]
        assert shard.replica_id or np.all(np.asarray(shard.data) == where @ [10, 1])


def test_results_that_are_the_same_everywhere():
    f = shard_map(lambda a: all_gather(a, "x", tiled=True), mesh=mesh(), in_specs=P("x"), out_specs=P())
    np.testing.assert_array_equal(f(A), A)
    g = shard_map(lambda p, a: {"mean": pmean(a["v"], ("x", "y")) * p}, mesh=mesh(), in_specs=(P(), {"v": P(("x", "y"))}), out_specs=P())
    np.testing.assert_allclose(g(2.0, {"v": A})["mean"], 2 * A.mean(0, keepdims=True), rtol=1e-5)
    with pytest.raises(ShapeError, match="differs along the mesh axis 'x'"):
        shard_map(lambda a: a, mesh=mesh(), in_specs=P("x"), out_specs=P())(A)
    first = shard_map(lambda a: a, mesh=mesh(), in_specs=P("x"), out_specs=P(), check_vma=False)
    np.testing.assert_array_equal(first(A), A[:2])
    np.testing.assert_array_equal(jit(lambda a: first(a) + 0)(A), A[:2])


def test_wrong_specs():
    with pytest.raises(ShapeError, match="a: an array of shape"):
        shard_map(lambda a: a, mesh=mesh(), in_specs=P(None, "x"), out_specs=P())(A)
    with pytest.raises(TransformError, match="in_specs has 2 entries"):
        shard_map(lambda a: a, mesh=mesh(), in_specs=(P(), P()), out_specs=P())(A)
    with pytest.raises(TransformError, match="has no mesh"):
        shard_map(lambda a: a, in_specs=P(), out_specs=P())(A)
    with mesh():
        np.testing.assert_array_equal(shard_map(lambda a: a * 2, in_specs=P("x"), out_specs=P("x"))(A), 2 * A)
