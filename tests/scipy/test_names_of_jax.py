"""transformer.scipy: names that only some of its modules have, with JAX's types and signatures."""

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.signal as ss
import scipy.special
import scipy.stats

import transformer
import transformer.numpy as jnp
from transformer.scipy import fft, integrate, interpolate, linalg, ndimage, signal, special, stats
from transformer.scipy.cluster import vq
from transformer.scipy.optimize import minimize

START = np.array([-1.2, 1.0, 0.5])
RNG = np.random.default_rng(0)
X = RNG.normal(size=64).astype("f")


def valley(x, a=1.0):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (a - x[:-1]) ** 2)


def test_minimize():
    found = minimize(valley, START.astype("f"), method="BFGS", tol=1e-3)
    assert found.success and found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, 1.0, atol=1e-3)
    with transformer.enable_x64():
        found = transformer.jit(lambda x, a: minimize(valley, x, (a,), method="BFGS"))(START, 1.0)
        np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
        assert found.status == 0 and found.nit < 100
        quartic = lambda a: minimize(lambda x: jnp.sum((x - a) ** 2 + (x - a) ** 4), jnp.zeros(2), method="BFGS", tol=1e-9).x  # noqa: E731
        np.testing.assert_allclose(transformer.vmap(quartic)(np.array([1.0, 2.0])), [[1.0, 1.0], [2.0, 2.0]], atol=1e-6)
        np.testing.assert_allclose(transformer.jacfwd(quartic)(1.5), [1.0, 1.0], atol=1e-5)
        np.testing.assert_allclose(transformer.jacrev(quartic)(1.5), [1.0, 1.0], atol=1e-5)


def test_minimize_says_when_it_fails():
    found = minimize(valley, START.astype("f"), method="BFGS", options={"maxiter": 2})
    assert not found.success and found.status == 1 and found.nit == 2


@pytest.mark.parametrize("call, words", [(lambda: minimize(valley, START, method="nelder-mead"), "BFGS"),
                                         (lambda: minimize(valley, START, method="BFGS", options={"odd": 1}), "odd"),
                                         (lambda: minimize(valley, np.ones((2, 2)), method="BFGS"), "vector")])
def test_minimize_refuses(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        call()


def test_spectra():
    for name, args in (("welch", (X,)), ("csd", (X, X[::-1].copy())), ("stft", (X,))):
        fn, reference = getattr(signal, name), getattr(ss, name)
        for call in (fn, transformer.jit(lambda *a, fn=fn, **k: fn(*a, **k), static_argnames="nperseg")):
            for found, wanted in zip(call(*args, nperseg=16), reference(*args, nperseg=16)):
                assert found.dtype in (np.float32, np.complex64)
                np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(signal.istft(signal.stft(X, nperseg=16)[2], nperseg=16)[1], X, atol=1e-5)


@pytest.mark.parametrize("mode, outside", [("constant", 0.5), ("nearest", 7.0), ("wrap", 1.0), ("mirror", 5.0), ("reflect", 6.0)])
def test_places_between_elements(mode, outside):
    line = np.arange(8, dtype="f")
    found = transformer.jit(lambda x: ndimage.map_coordinates(x, [np.array([2.25, 9.0], "f")], 1, mode, 0.5))(line)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [2.25, outside])


def test_trapezoids():
    assert float(integrate.trapezoid(np.array([1.0, 2.0, 4.0]))) == 4.5


def same(found, wanted):
    assert found.dtype.itemsize <= 8 and found.shape == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name, shape, options", [("dct", (7,), {}), ("dct", (3, 4), {"axis": 0, "norm": "ortho"}), ("idct", (3, 4), {"n": 6}),
                                                  ("dctn", (3, 4), {}), ("idctn", (3, 4), {"s": (2, 3)})])
def test_cosine_transforms(name, shape, options):
    x = RNG.normal(size=shape).astype("f")
    for call in (getattr(fft, name), transformer.jit(lambda x, **k: getattr(fft, name)(x, **options))):
        same(call(x, **options), getattr(scipy.fft, name)(x, **options))


def test_nearest_codes():
    rows, codes = RNG.normal(size=(6, 3)).astype("f"), RNG.normal(size=(2, 3)).astype("f")
    for found, wanted in zip(transformer.jit(vq.vq)(rows, codes), scipy.cluster.vq.vq(rows, codes)):
        same(found, wanted)
    with pytest.raises(ValueError, match="equal length"):
        vq.vq(rows, codes[:, :2])


GRID, VALUES = (np.array([0.0, 1.0, 3.0], "f"), np.array([-1.0, 0.0, 0.5, 2.0], "f")), RNG.normal(size=(3, 4, 2)).astype("f")
PLACES = np.array([[0.5, 0.2], [2.9, 1.9], [0.0, -1.0], [9.0, 0.0], [1.0, 0.6]], "f")


@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("fill", [np.nan, 7.0, None])
def test_values_on_a_grid(method, fill):
    wanted = scipy.interpolate.RegularGridInterpolator(GRID, VALUES, method, False, fill)(PLACES)
    made = interpolate.RegularGridInterpolator(GRID, VALUES, method, fill_value=fill)
    for call in (made, transformer.jit(lambda x: made(x)), lambda x: transformer.vmap(lambda row: made(row[None])[0])(x)):
        same(call(PLACES), wanted)


def test_gradient_of_values_on_a_grid():
    f = lambda x: jnp.sum(interpolate.RegularGridInterpolator(GRID, VALUES[..., 0])(x) ** 2)  # noqa: E731
    slopes = transformer.grad(f)(PLACES[:2])
    for k in np.ndindex(2, 2):
        step = np.zeros((2, 2), "f")
        step[k] = 1e-3
        np.testing.assert_allclose(slopes[k], (f(PLACES[:2] + step) - f(PLACES[:2] - step)) / 2e-3, rtol=1e-2, atol=1e-3)


def test_refusals_of_grids():
    with pytest.raises(transformer.TransformError, match="method"):
        interpolate.RegularGridInterpolator(GRID, VALUES, "cubic")
    with pytest.raises(ValueError, match="axis 0"):
        interpolate.RegularGridInterpolator(GRID[::-1], VALUES)


def test_summaries_of_samples():
    counts, x = np.array([[1, 2, 2], [3, 1, 1]]), RNG.normal(size=(3, 4)).astype("f")
    same(stats.rankdata(counts, "dense", 1), scipy.stats.rankdata(counts, "dense", axis=1))
    for found, wanted in zip(stats.mode(counts, 1), scipy.stats.mode(counts, 1)):
        same(found, wanted)
    same(stats.sem(x, 1, 0), scipy.stats.sem(x, 1, 0))


def test_structured_matrices():
    a = np.array([2.0, 1.0, -3.0, 0.5], "f")
    same(linalg.companion(a), scipy.linalg.companion(a))
    same(linalg.fiedler(a), scipy.linalg.fiedler(a))
    same(linalg.leslie(a, a[1:]), scipy.linalg.leslie(a, a[1:]))
    for mode in ("full", "same", "valid"):
        same(linalg.convolution_matrix(a, 3, mode), scipy.linalg.convolution_matrix(a, 3, mode))
    same(special.bernoulli(4), scipy.special.bernoulli(4))
