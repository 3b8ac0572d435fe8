"""Fourier transforms: rules run as plain NumPy, lowerings through XLA."""

import numpy as np
import pytest

from transformer.core import Aval
from transformer.ops.op import FUNCTIONS, TABLE

from .compiled import run_lowering, samples_of

CASES = [(name, i) for name in ("fft", "ifft", "rfft", "irfft") for i in range(len(samples_of(TABLE[name])))]


@pytest.mark.parametrize("name,index", CASES)
def test_rules_and_lowering(name, index):
    op = TABLE[name]
    (x,), params = samples_of(op)[index]
    rng = np.random.default_rng(0)
    if name in ("fft", "ifft"):
        x = x + 1j * rng.normal(size=x.shape)
    out = op.impl(x, **params)
    for y in (x, x.astype(np.complex64 if np.iscomplexobj(x) else np.float32)):
        want = op.impl(y, **params)
        assert op.infer(Aval(y.shape, y.dtype), **params) == Aval(want.shape, want.dtype)
        np.testing.assert_allclose(run_lowering(op, (y,), params), want, rtol=1e-5, atol=1e-5)
    dot = rng.normal(size=x.shape) + (1j * rng.normal(size=x.shape) if np.iscomplexobj(x) else 0)
    g = rng.normal(size=out.shape) + (1j * rng.normal(size=out.shape) if np.iscomplexobj(out) else 0)
    bar = op.vjp(g, x, out, **params)
    assert bar.shape == x.shape
    np.testing.assert_allclose(np.real(np.sum(bar * dot)), np.real(np.sum(g * op.impl(dot, **params))))
    many, axis = op.batch((0,), np.stack([x, 2 * x]), **params)
    np.testing.assert_allclose(many, np.stack([out, 2 * out]))


@pytest.mark.parametrize("call", [np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2, np.fft.fftn, np.fft.ifftn, np.fft.rfftn,
                                  np.fft.irfftn, np.fft.hfft, np.fft.ihfft, np.fft.fftshift, np.fft.ifftshift])
def test_composites_equal_numpy(call):
    x = np.random.default_rng(1).normal(size=(3, 4, 5))
    np.testing.assert_allclose(FUNCTIONS[call](x), call(x), atol=1e-12)
    if "shift" not in call.__name__:
        np.testing.assert_allclose(FUNCTIONS[call](x, norm="ortho"), call(x, norm="ortho"), atol=1e-12)


def test_frequencies_equal_numpy():
    for n in (7, 8):
        np.testing.assert_allclose(FUNCTIONS[np.fft.fftfreq](n, 0.5), np.fft.fftfreq(n, 0.5))
        np.testing.assert_allclose(FUNCTIONS[np.fft.rfftfreq](n, 0.5), np.fft.rfftfreq(n, 0.5))
