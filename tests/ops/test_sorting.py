"""Sorting, searching and counting: rules run as plain NumPy, lowerings through XLA."""

import numpy as np
import pytest

import transformer
from transformer.errors import TransformError
from transformer.ops.op import FUNCTIONS, TABLE

from .compiled import check_infer, run_lowering, samples_of

SMOOTH = [(name, i) for name in ("sort", "partition") for i in range(3)]
EVERY = SMOOTH + [(name, i) for name in ("argsort", "argpartition", "searchsorted") for i in range(3)]


@pytest.mark.parametrize("name,index", SMOOTH)
def test_vjp_and_jvp_follow_the_elements(name, index):
    op = TABLE[name]
    (x,), params = samples_of(op)[index]
    out, rng = op.impl(x, **params), np.random.default_rng(0)
    g, dot = rng.normal(size=out.shape), rng.normal(size=x.shape)
    step = 1e-6
    moved = (op.impl(x + step * dot, **params) - op.impl(x - step * dot, **params)) / (2 * step)
    np.testing.assert_allclose(op.jvp((dot,), x, out, **params), moved, rtol=1e-6)
    np.testing.assert_allclose(np.sum(op.vjp(g, x, out, **params) * dot), np.sum(g * moved), rtol=1e-6)


@pytest.mark.parametrize("name,index", EVERY)
def test_batch_equals_a_python_loop(name, index):
    op = TABLE[name]
    args, params = samples_of(op)[index]
    rng = np.random.default_rng(1)
    full = [np.stack([a, a + 1.0, np.sort(a, 0)]) if k == 0 else np.stack([a, rng.permutation(a) if a.ndim else a, a - 0.5])
            for k, a in enumerate(args)]
    got, axis = op.batch((0,) * len(args), *full, **params)
    want = np.stack([op.impl(*(a[n] for a in full), **params) for n in range(3)])
    assert axis == 0
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name,index", EVERY)
def test_infer_gives_the_shape_and_dtype_of_numpy(name, index):
    op = TABLE[name]
    args, params = samples_of(op)[index]
    check_infer(op, args, params)


@pytest.mark.parametrize("name,index", [c for c in EVERY if "partition" not in c[0]])
def test_lowering_equals_numpy(name, index):
    op = TABLE[name]
    args, params = samples_of(op)[index]
    np.testing.assert_array_equal(run_lowering(op, args, params), op.impl(*args, **params))


@pytest.mark.parametrize("name", ["partition", "argpartition"])
def test_lowered_partition_puts_the_kth_in_place(name):
    op = TABLE[name]
    (x,), params = samples_of(op)[1]
    got = run_lowering(op, (x,), params)
    values = got if name == "partition" else np.take_along_axis(x, got, axis=1)
    np.testing.assert_array_equal(values[:, 2], np.sort(x, axis=1)[:, 2])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("size", [7, 500])
def test_lowered_searchsorted_treats_ties_and_nan_as_numpy(side, size):
    rng = np.random.default_rng(2)
    a = np.sort(rng.integers(0, size // 2, size).astype(float))
    a[-2:] = np.nan
    v = np.concatenate([rng.integers(-1, size, 60).astype(float), [np.nan, np.inf, -np.inf]])
    op = TABLE["searchsorted"]
    np.testing.assert_array_equal(run_lowering(op, (a, v), {"side": side}), np.searchsorted(a, v, side))
    got, _ = op.batch((0, 0), np.stack([a, a]), np.stack([v, v]), side=side)
    np.testing.assert_array_equal(got[1], np.searchsorted(a, v, side))


def test_sorting_of_ties_keeps_every_cotangent():
    x, g = np.array([2.0, 1.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert sorted(TABLE["sort"].vjp(g, x, np.sort(x), axis=0, kind=None)) == [1.0, 2.0, 3.0, 4.0]


def test_composites_equal_numpy():
    rng = np.random.default_rng(3)
    x, k = rng.normal(size=20), rng.integers(0, 6, 20)
    edges = np.array([-2.0, -0.5, 0.0, 1.0])
    np.testing.assert_array_equal(FUNCTIONS[np.lexsort]((x, k)), np.lexsort((x, k)))
    np.testing.assert_array_equal(FUNCTIONS[np.bincount](k, minlength=8), np.bincount(k, minlength=8))
    np.testing.assert_allclose(FUNCTIONS[np.bincount](k, x, 8), np.bincount(k, x, 8))
    for right in (False, True):
        np.testing.assert_array_equal(FUNCTIONS[np.digitize](x, edges, right), np.digitize(x, edges, right))
        np.testing.assert_array_equal(FUNCTIONS[np.digitize](x, edges[::-1], right), np.digitize(x, edges[::-1], right))
    for options in ({"bins": 5}, {"bins": edges}, {"bins": 4, "range": (-1, 1)}, {"bins": 4, "density": True}, {"bins": 4, "weights": x}):
        for got, want in zip(FUNCTIONS[np.histogram](x, **options), np.histogram(x, **options), strict=True):
            np.testing.assert_allclose(got, want)


@pytest.mark.parametrize("x", [np.array([0.1, 0.3, 0.7, np.nan, 1.0]), np.array([2, 2, 2]), np.linspace(0.0, 1.0, 1001),
                               np.array([0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 1.0]), np.arange(7, dtype=np.float32) / 7])
@pytest.mark.parametrize("options", [{"bins": 10, "range": (0.0, 1.0)}, {"bins": 3, "range": (0.1, 0.7)}, {"bins": 1, "range": (-1, 2)}])
def test_elements_at_the_edges_of_bins(x, options):
    for weights in (None, np.arange(1.0, len(x) + 1.0)):
        want = np.histogram(x, weights=weights, **options)[0]
        np.testing.assert_array_equal(FUNCTIONS[np.histogram](x, weights=weights, **options)[0], want)
        got = transformer.jit(lambda x: np.histogram(x, weights=weights, **options)[0])(x)
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype


def test_bincount_beyond_minlength_is_an_error():
    with pytest.raises(IndexError):
        np.asarray(transformer.jit(lambda x: np.bincount(x, minlength=3))(np.array([0, 9])))
    with pytest.raises(IndexError):
        FUNCTIONS[np.bincount](np.array([0, -1]), minlength=3)


def test_unique_pulls_back_to_the_first_occurrence():
    x = np.array([3.0, 1.0, 3.0])
    np.testing.assert_array_equal(TABLE["unique"].vjp(np.array([10.0, 20.0]), x, np.unique(x), part="values"), [20.0, 10.0, 0.0])
    with pytest.raises(TransformError, match="number of elements"):
        TABLE["unique"].lower(None, None, None, part="values")
