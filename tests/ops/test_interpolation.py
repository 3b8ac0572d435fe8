"""Interpolation, convolution and the like against NumPy."""

import numpy as np
import pytest

from transformer import jit, vmap
from transformer.core import Aval
from transformer.ops.op import FUNCTIONS, TABLE

from .compiled import run_lowering, samples_of

OP = TABLE["convolve"]


@pytest.mark.parametrize("index", range(len(samples_of(OP))))
def test_convolve_has_the_right_rules(index):
    (a, v), params = samples_of(OP)[index]
    out, rng = OP.impl(a, v, **params), np.random.default_rng(0)
    assert OP.infer(Aval(a.shape, a.dtype), Aval(v.shape, v.dtype), **params) == Aval(out.shape, out.dtype)
    g, a_dot, v_dot = rng.normal(size=out.shape), rng.normal(size=a.shape), rng.normal(size=v.shape)
    a_bar, v_bar = OP.vjp(g, a, v, out, **params)
    np.testing.assert_allclose(a_bar @ a_dot, g @ OP.impl(a_dot, v, **params))
    np.testing.assert_allclose(v_bar @ v_dot, g @ OP.impl(a, v_dot, **params))
    np.testing.assert_allclose(run_lowering(OP, (a, v), params), out)
    many_a, many_v = np.stack([a, 2 * a, -a]), np.stack([v, v + 1, v - 1])
    for axes in ((0, 0), (0, None), (None, 0)):
        args = [many if axis == 0 else one for many, one, axis in zip((many_a, many_v), (a, v), axes, strict=True)]
        got, _ = OP.batch(axes, *args, **params)
        want = [OP.impl(*(x[n] if axis == 0 else x for x, axis in zip(args, axes, strict=True)), **params) for n in range(3)]
        np.testing.assert_allclose(got, want)


def test_long_convolution_lowers_to_a_product():
    rng = np.random.default_rng(1)
    a, v = rng.normal(size=100), rng.normal(size=40)
    for mode in ("full", "same", "valid"):
        np.testing.assert_allclose(run_lowering(OP, (a, v), {"mode": mode}), np.convolve(a, v, mode))


@pytest.mark.parametrize("call", [np.convolve, np.correlate])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(6, 3), (3, 6), (5, 4), (4, 5), (4, 4), (3, 1)])
def test_convolve_and_correlate_take_operands_in_any_order(call, mode, sizes):
    rng = np.random.default_rng(2)
    for dtype in (float, complex, int):
        a, v = ((5 * rng.normal(size=n)).astype(dtype) + (1j * rng.normal(size=n) if dtype is complex else 0) for n in sizes)
        np.testing.assert_allclose(FUNCTIONS[call](a, v, mode), call(a, v, mode))


@pytest.mark.parametrize("options", [{}, {"left": -7.0}, {"right": 9.0}, {"left": 1.0, "right": 2.0}, {"period": 2.5}])
def test_interp_equals_numpy(options):
    xp, fp = np.array([0.0, 1.0, 1.5, 3.0]), np.array([2.0, 0.0, 4.0, -1.0])
    x = np.array([-1.0, 0.0, 0.25, 1.0, 1.2, 2.0, 3.0, 5.0])
    np.testing.assert_allclose(FUNCTIONS[np.interp](x, xp, fp, **options), np.interp(x, xp, fp, **options), rtol=1e-12)


def test_composites_equal_numpy():
    rng = np.random.default_rng(3)
    p, y, x = rng.normal(size=4), rng.normal(size=(3, 5)), np.sort(rng.normal(size=5))
    np.testing.assert_allclose(FUNCTIONS[np.polyval](p, y), np.polyval(p, y))
    np.testing.assert_allclose(FUNCTIONS[np.trapezoid](y, x), np.trapezoid(y, x))
    np.testing.assert_allclose(FUNCTIONS[np.trapezoid](y.T, x, axis=0), np.trapezoid(y.T, x, axis=0))
    np.testing.assert_allclose(FUNCTIONS[np.trapezoid](y, dx=0.5, axis=0), np.trapezoid(y, dx=0.5, axis=0))
    phase = np.array([[0.0, 3.0, 6.5, 0.1, -9.0], [1.0, 1.0 + np.pi, 0.0, -np.pi, 2.0]])
    np.testing.assert_allclose(FUNCTIONS[np.unwrap](phase), np.unwrap(phase))
    np.testing.assert_allclose(FUNCTIONS[np.unwrap](phase, axis=0, period=4.0), np.unwrap(phase, axis=0, period=4.0))


@pytest.mark.parametrize("f", [
    lambda x: np.polyval([0.1, 0.2, x[0]], 0.5), lambda x: np.polyval([0.1, 0.2, 0.3], x[0]), lambda x: np.polyval([1, 2], x),
    lambda x: np.interp(0.5, [0.1, x[0]], [x[0], 0.3]), lambda x: np.interp(x, [0.1, 2.0], [x[0], 0.3])])
def test_numbers_in_lists_have_the_types_of_arrays(f):
    x = np.array([0.7, 2.0, 3.0], np.float32)
    want = f(x)
    for got in (np.asarray(jit(f)(x)), vmap(f)(x[None])[0]):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)
