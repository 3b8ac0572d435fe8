"""scipy.signal: recursive filters, trends, spectra."""

import numpy as np
import pytest
import scipy.signal as ss

import transformer
from tests.scipy.checks import check, check_derivatives, check_value

RNG = np.random.default_rng(0)
X, LINE, OTHER = RNG.normal(size=(2, 40)), RNG.normal(size=40), RNG.normal(size=40)
B, A = ss.butter(3, 0.3)
SECTIONS = ss.butter(4, 0.3, output="sos")
pytestmark = pytest.mark.filterwarnings("ignore:nperseg", "ignore:NOLA")


# recursions --------------------------------------------------------------------------------------------------
def test_recursive_filters():
    check(lambda x: ss.lfilter(B, A, x), LINE, order2=False)
    check(lambda b, a, x: ss.lfilter(b, a, x, axis=0), B, 2 * A, X.T[:6])
    check(lambda b, x: ss.lfilter(b, 2.0, x), B, LINE, order2=False)
    check_value(lambda b, x: ss.lfilter(b, [1.0], x), B[:1], LINE)


def test_the_loop_stays_a_loop():
    f = transformer.grad(lambda x: np.sum(ss.lfilter(B, A, x) ** 2))
    f(LINE)
    assert f.source.count("for ") == 2 and len(f.source.splitlines()) < 60


def test_states():
    check_value(lambda x, z: ss.lfilter(B, A, x, zi=z), LINE, RNG.normal(size=3), jit=True)
    check_derivatives(lambda x, z: ss.lfilter(B, A, x, zi=z)[1], X, RNG.normal(size=(2, 3)), order2=False)
    check_value(lambda x: ss.lfilter(B, A, x, zi=np.ones((1, 3)))[0], X)
    check(ss.lfilter_zi, B, A)


def test_filters_without_a_first_coefficient():
    with pytest.raises(ValueError, match="first coefficient"):
        transformer.grad(lambda x: np.sum(ss.lfilter(B, [0.0, 1.0], x)))(LINE)


def test_sections():
    check(lambda x: ss.sosfilt(SECTIONS, x), LINE, order2=False)
    check_value(lambda x, z: ss.sosfilt(SECTIONS, x, axis=0, zi=z), X.T, RNG.normal(size=(2, 2, 2)), jit=True)


def test_filters_without_shift_of_phase():
    check(lambda x: ss.filtfilt(B, A, x), LINE, order2=False)
    for kind in ("odd", "even", "constant", None):
        check_value(lambda x, k=kind: ss.filtfilt(B, A, x, axis=0, padtype=k, padlen=5), X.T)


# trends -------------------------------------------------------------------------------------------------------
def test_trends():
    for kind in ("linear", "constant"):
        check(lambda x, k=kind: ss.detrend(x, type=k), X, order2=False)
    check(lambda x: ss.detrend(x, axis=0, bp=[7, 20, 39]), X.T, order2=False)


def test_analytic_signals():
    for n in (None, 41, 30, 64):
        check_value(lambda x, n=n: ss.hilbert(x, n, axis=1), X)
    check(lambda x: np.abs(ss.hilbert(x)), LINE)


@pytest.mark.parametrize("mode", ["mirror", "constant", "nearest", "interp", "wrap"])
def test_local_polynomials(mode):
    for order in (0, 1, 2):
        check_value(lambda x, k=order: ss.savgol_filter(x, 7, 3, deriv=k, delta=0.5, axis=0, mode=mode, cval=0.3), X.T)
    check(lambda x: ss.savgol_filter(x, 6, 3, mode=mode), LINE, order2=False)


# spectra -------------------------------------------------------------------------------------------------------
SPECTRA = {"welch": ss.welch, "csd": lambda x, **k: ss.csd(x, 2 * x ** 2, **k), "lengths": lambda x, **k: ss.csd(x, (2 * x ** 2)[..., :30], **k),
           "periodogram": ss.periodogram, "spectrogram": ss.spectrogram, "stft": ss.stft}
SETTINGS = [{}, {"nperseg": 12}, {"nperseg": 13, "noverlap": 7, "nfft": 20, "detrend": "linear"}, {"nperseg": 9, "average": "median"},
            {"nperseg": 12, "detrend": False, "scaling": "spectrum", "fs": 3.0, "return_onesided": False}, {"window": ("tukey", 0.3), "nperseg": 11},
            {"nperseg": 8, "window": RNG.uniform(1, 2, 8), "noverlap": 6}, {"nperseg": 10, "axis": 0}]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("name", SPECTRA)
def test_spectra(name, setting):
    allowed = {"periodogram": {"nfft", "detrend", "scaling", "fs", "return_onesided", "axis"},
               "spectrogram": {*setting} - {"average"}, "stft": {*setting} - {"average"}}.get(name, {*setting})
    options = {k: v for k, v in setting.items() if k in allowed}
    if not (name == "lengths" and "axis" in options):
        check_value(lambda x: SPECTRA[name](x, **options), X.T if "axis" in options else X)


def test_spectrograms_and_edges():
    for mode in ("complex", "magnitude", "angle", "phase"):
        check_value(lambda x, m=mode: ss.spectrogram(x, nperseg=12, mode=m), X)
    for edge in ("even", "odd", "constant", "zeros", None):
        check_value(lambda x, e=edge: ss.stft(x, nperseg=12, boundary=e, padded=e != "even", scaling="psd"), X)


def test_signals_from_spectra():
    spectra, dense = ss.stft(X, nperseg=12)[2], ss.stft(X, nperseg=13, noverlap=8, scaling="psd")[2]
    check_value(lambda z: ss.istft(z, nperseg=12), spectra)
    check_value(ss.istft, spectra)
    check_value(lambda z: ss.istft(z, nperseg=13, noverlap=8, scaling="psd", boundary=False), dense)
    check_value(lambda z: ss.istft(np.moveaxis(z, -1, 0), nperseg=12, time_axis=0, freq_axis=2), spectra)
    check_value(lambda x: ss.istft(ss.stft(x, nperseg=12, return_onesided=False)[2], input_onesided=False), X)


def test_compiled_and_derivatives_of_spectra():
    check(lambda x: ss.welch(x, nperseg=12)[1], LINE)
    check(lambda x, y: ss.csd(x, y, nperseg=12)[1], LINE, OTHER, order2=False)
    for fn in (lambda x: ss.stft(x, nperseg=12)[2], lambda x: ss.istft(ss.stft(x, nperseg=12)[2] ** 2)[1], lambda x: ss.periodogram(x)[1],
               lambda x: ss.spectrogram(x, nperseg=12)[2]):
        check(fn, LINE, order2=False)


def test_single_precision():
    x = LINE.astype("f")
    for fn in (lambda x: ss.welch(x, nperseg=12)[1], lambda x: ss.stft(x, nperseg=12)[2], lambda x: ss.detrend(x), lambda x: ss.savgol_filter(x, 5, 2)):
        found = transformer.jit(fn)(x)
        assert found.dtype == fn(x).dtype
        np.testing.assert_allclose(found, fn(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("call, words", [
    (lambda x: ss.filtfilt(B, A, x, method="gust"), "gust"), (lambda x: ss.filtfilt(B, A, x[:8]), "continued"), (lambda x: ss.lfilter(B, A, x, zi=x)[0], "order"),
    (lambda x: ss.detrend(x, type="odd"), "odd"), (lambda x: ss.welch(x, detrend=np.sin)[1], "detrend"), (lambda x: ss.welch(x, scaling="odd")[1], "odd"),
    (lambda x: ss.stft(x, nperseg=12, noverlap=12)[1], "noverlap"), (lambda x: ss.savgol_filter(x, 99, 3), "window"),
    (lambda x: ss.detrend(x, bp=99), "breakpoint"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda x: np.sum(np.real(call(x))))(LINE)
