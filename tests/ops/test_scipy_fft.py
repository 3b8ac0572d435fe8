"""scipy.fft against scipy itself, with gradients; and what else scipy's names promise."""

import numpy as np
import pytest
import scipy.fft
import scipy.stats as stats

import transformer
from tests.ops.test_scipy import slope, value
from transformer.errors import TransformError, UnknownFunction

X = np.random.default_rng(14).normal(size=(3, 5))
COSINES = [(getattr(scipy.fft, name), {"type": type, "norm": norm}) for name in ("dct", "idct", "dst", "idst") for type in (1, 2, 3, 4)
           for norm in (None, "ortho", "forward")]
CALLS = [(scipy.fft.dct, {"n": 4}), (scipy.fft.dct, {"n": 7, "axis": 0}), (scipy.fft.dctn, {}), (scipy.fft.idctn, {"axes": 1, "norm": "ortho"}),
         (scipy.fft.dstn, {"type": 3}), (scipy.fft.idstn, {"axes": (0, 1)}), (scipy.fft.irfft, {"n": 6}), (scipy.fft.irfftn, {"axes": (1, 0)}),
         (scipy.fft.hfft, {})]
COMPLEX = [(scipy.fft.fft, {}), (scipy.fft.ifft, {"n": 4, "norm": "ortho"}), (scipy.fft.rfft, {"axis": 0}), (scipy.fft.fft2, {}),
           (scipy.fft.rfftn, {"workers": 1}), (scipy.fft.ihfft, {}), (scipy.fft.ifftn, {"s": (2, 4)}), (scipy.fft.fftshift, {})]


@pytest.mark.parametrize("fn, options", COSINES + CALLS)
def test_real_transforms(fn, options):
    call = lambda x: fn(x, **options)  # noqa: E731
    np.testing.assert_allclose(value(call, X), call(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(*next(slope(lambda x: call(x) ** 2, X)), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("fn, options", COMPLEX)
def test_complex_transforms(fn, options):
    call = lambda x: np.abs(fn(x, **options)) ** 2  # noqa: E731
    np.testing.assert_allclose(value(call, X), call(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(*next(slope(call, X)), rtol=1e-5, atol=1e-7)


def test_draws_of_distributions_are_not_frozen():
    draw = transformer.grad(lambda x: np.sum(x * stats.norm.rvs(size=2)))
    assert not np.array_equal(draw(X[0, :2]), draw(X[0, :2]))
    with pytest.raises(TransformError, match="drawn once"):
        transformer.jit(lambda x: np.sum(x * stats.norm.rvs(size=2)))(X[0, :2])


def test_unknown_functions_are_named_as_users_write_them():
    with pytest.raises(UnknownFunction, match=r"scipy\.stats\.skewnorm\.pdf"):
        transformer.grad(lambda x: stats.skewnorm.pdf(x, 1.0))(0.5)
