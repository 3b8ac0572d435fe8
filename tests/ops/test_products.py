"""Products of arrays: rules run as plain NumPy, against the definition of the adjoint and a stacked Python loop."""

import numpy as np
import pytest

from transformer.core import Aval
from transformer.errors import ShapeError
from transformer.ops.op import FUNCTIONS, TABLE

from .compiled import check_infer, run_lowering, sample, samples_of

PRODUCTS = ["matmul", "dot", "inner", "outer", "tensordot", "einsum", "vecdot", "matvec", "vecmat"]
PRODUCTS = [name for name in PRODUCTS if name in TABLE]
CASES = [(name, i) for name in PRODUCTS for i in range(len(samples_of(TABLE[name])))]


@pytest.mark.parametrize("name,index", CASES)
def test_infer_gives_the_shape_and_dtype_of_numpy(name, index):
    op, args, params, out = sample(name, index)
    for dtype in (float, np.float32, int, bool, *[complex] * (not name.startswith("vec"))):
        check_infer(op, [a.astype(dtype) for a in args], params)


@pytest.mark.parametrize("name,index", CASES)
def test_vjp_is_the_adjoint_in_each_operand(name, index):
    op, args, params, out = sample(name, index)
    rng = np.random.default_rng(1)
    g = rng.normal(size=out.shape)
    bars = op.vjp(g, *args, out, **params)
    bars = bars if isinstance(bars, tuple) else (bars,)
    for i, (x, bar) in enumerate(zip(args, bars, strict=True)):
        dot = rng.normal(size=x.shape)
        moved = op.impl(*(dot if j == i else a for j, a in enumerate(args)), **params)
        assert np.shape(bar) == x.shape
        np.testing.assert_allclose(np.sum(g * moved), np.sum(bar * dot), rtol=1e-10)


@pytest.mark.parametrize("name,index", CASES)
@pytest.mark.parametrize("axes", [(0, 0, 0), (0, None, None), (None, 0, 0)])
def test_batch_equals_a_python_loop(name, index, axes):
    op, args, params, out = sample(name, index)
    axes = axes[: len(args)] if len(args) > 1 else (0,)
    rng = np.random.default_rng(2)
    full = [rng.normal(size=(3, *a.shape)) if axis == 0 else a for a, axis in zip(args, axes, strict=True)]
    got, axis = op.batch(axes, *full, **params)
    want = np.stack([op.impl(*(a[n] if x == 0 else a for a, x in zip(full, axes, strict=True)), **params) for n in range(3)])
    assert axis == 0
    np.testing.assert_allclose(got, want, rtol=1e-10)


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match=r"matmul: shapes \(3, 4\) and \(5, 2\)"):
        TABLE["matmul"].infer(Aval((3, 4), np.dtype(float)), Aval((5, 2), np.dtype(float)))


PLANE_VECTORS = [(np.cross, ((4, 2), (4, 2))), (np.cross, ((4, 2), (4, 3)))] if np.lib.NumpyVersion(np.__version__) < "2.5.0" else []
"""NumPy 2.5 no longer takes vectors of two components."""


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize("call,args", [
    (np.kron, ((2, 3), (4,))), (np.kron, ((2, 3), (3, 2))), (np.cross, ((5, 3), (5, 3))), (np.cross, ((3,), (5, 3))),
    *PLANE_VECTORS, (np.vdot, ((2, 3), (2, 3))), (np.vecdot, ((4, 3), (3,))),
    (np.inner, ((4, 3), (3,)))])
def test_composites_equal_numpy(call, args):
    rng = np.random.default_rng(3)
    args = [rng.normal(size=s) for s in args]
    np.testing.assert_allclose(FUNCTIONS[call](*args), call(*args), rtol=1e-12)


@pytest.mark.parametrize("n", [-2, 0, 1, 2, 3, 4, 7, 10])
def test_matrix_power_equals_numpy(n):
    a = np.random.default_rng(4).normal(size=(3, 3))
    np.testing.assert_array_equal(FUNCTIONS[np.linalg.matrix_power](a, n), np.linalg.matrix_power(a, n))


def test_multi_dot_takes_the_cheap_order():
    rng = np.random.default_rng(5)
    for shapes in [((10, 100), (100, 5), (5, 50)), ((100,), (100, 5), (5, 50)), ((10, 3), (3, 7), (7, 2), (2,))]:
        arrays = [rng.normal(size=s) for s in shapes]
        np.testing.assert_allclose(FUNCTIONS[np.linalg.multi_dot](arrays), np.linalg.multi_dot(arrays), rtol=1e-10)


@pytest.mark.parametrize("subscripts,shapes", [
    ("ij,jk", [(2, 3), (3, 4)]), ("ba", [(2, 3)]), ("...j,jk->...k", [(5, 2, 3), (3, 4)]), ("i...,...i->...", [(2, 3), (4, 3, 2)]),
    ("...", [(2, 3)]), ("ii", [(3, 3)]), ("b...i,b...i", [(2, 1, 3), (2, 4, 3)]), (" i j , j -> i ", [(2, 3), (3,)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]), ("...ij,...jk", [(5, 2, 3), (3, 4)])])
def test_einsum_takes_every_form_of_subscripts(subscripts, shapes):
    rng = np.random.default_rng(6)
    args = [rng.normal(size=s) for s in shapes]
    np.testing.assert_array_equal(FUNCTIONS[np.einsum](subscripts, *args), np.einsum(subscripts, *args))


def test_einsum_takes_interleaved_axis_numbers():
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    call = FUNCTIONS[np.einsum]
    np.testing.assert_array_equal(call(a, [0, 1], b, [1, 2]), np.einsum(a, [0, 1], b, [1, 2]))
    np.testing.assert_array_equal(call(a, [5, 1], b, [1, 2], [2, 5]), np.einsum(a, [5, 1], b, [1, 2], [2, 5]))
    np.testing.assert_array_equal(call(a, [Ellipsis, 1], b, [1, 2]), np.einsum(a, [Ellipsis, 1], b, [1, 2]))


@pytest.mark.parametrize("name,index", CASES)
@pytest.mark.parametrize("dtype", [float, np.float32, int, bool, complex])
def test_lowering_equals_numpy(name, index, dtype):
    op, args, params, _ = sample(name, index)
    if dtype is complex and name.startswith("vec"):
        return
    args = [np.asarray(3 * a).astype(dtype) for a in args]
    np.testing.assert_allclose(run_lowering(op, args, params), op.impl(*args, **params), rtol=1e-5, atol=1e-5)


def test_lowering_of_large_products_equals_numpy():
    rng = np.random.default_rng(8)
    for name, shapes, params in [("matmul", ((40, 50), (50, 30)), {}), ("matmul", ((3, 40, 50), (3, 50, 30)), {}),
                                 ("matmul", ((3, 1, 40, 50), (2, 50, 30)), {}), ("dot", ((2000,), (2000,)), {}),
                                 ("tensordot", ((20, 30, 4), (4, 30, 50)), {"axes": ((1, 2), (1, 0))}),
                                 ("einsum", ((20, 30), (30, 40), (40, 20)), {"subscripts": "ij,jk,ki->k", "optimize": False}),
                                 ("einsum", ((20, 30, 5), (30, 5, 40)), {"subscripts": "ijb,jbk->bki", "optimize": False})]:
        args = [rng.normal(size=s) for s in shapes]
        np.testing.assert_allclose(run_lowering(TABLE[name], args, params), TABLE[name].impl(*args, **params), rtol=1e-9)
