"""transformer.scipy: optimize, signal's spectra, ndimage with JAX's types."""

import numpy as np
import pytest
import scipy.signal as ss

import transformer
import transformer.numpy as jnp
from transformer.scipy import integrate, ndimage, signal
from transformer.scipy.optimize import minimize

START = np.array([-1.2, 1.0, 0.5])
X = np.random.default_rng(0).normal(size=64).astype("f")


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
