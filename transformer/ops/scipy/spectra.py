"""scipy.signal: spectra of segments of a signal, and signals from them."""

import numpy as np
import scipy.signal as ss
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import ShapeError
from ..op import array, aval_of, function, is_reference
from .options import floating, normal_axis, only
from .smoothing import extended, without_line


class Segments:
    """How a signal is cut: the window, the segments' length, their distance, the length of the transforms."""

    def __init__(self, name, window, nperseg, noverlap, nfft, length, default=256):
        if isinstance(window, str | tuple):
            nperseg = default if nperseg is None else int(nperseg)
            nperseg = nperseg if length is None else min(nperseg, length)
            self.window = ss.get_window(window, nperseg)
        else:
            self.window = array(window)
            nperseg = np.shape(self.window)[0] if nperseg is None else int(nperseg)
        if np.shape(self.window) != (nperseg,) or nperseg < 1 or length is not None and nperseg > length:
            raise ShapeError(f"{name}: a window of shape {np.shape(self.window)} for segments of {nperseg} of {length} samples", "Give them one length.")
        self.size, self.nfft = nperseg, nperseg if nfft is None else int(nfft)
        self.overlap = nperseg // 2 if noverlap is None else int(noverlap)
        if self.nfft < nperseg or self.overlap >= nperseg:
            raise ShapeError(f"{name}: nfft={self.nfft} and noverlap={self.overlap} for segments of {nperseg}", "nfft is not less, noverlap less than that.")
        self.step = nperseg - self.overlap

    def scale(self, name, scaling, fs):
        """The factor of a power spectrum."""
        only(name, "scaling", scaling, "density", "spectrum")
        return number(1.0 / (fs * np.sum(self.window ** 2)) if scaling == "density" else 1.0 / np.sum(self.window) ** 2)

    def window_for(self, x):
        """The window in the precision of an array."""
        return self.window if is_reference(self.window) else self.window.astype(np.finfo(aval_of(x).dtype).dtype)

    def transforms(self, name, x, detrend, onesided):
        """The spectra of the segments along the last axis: one more axis, of the segments, before that of the frequencies."""
        only(name, "detrend", detrend, "constant", "linear", False)
        parts = sliding_window_view(x, self.size, axis=-1)[..., :: self.step, :]
        if detrend == "constant":
            parts = parts - np.mean(parts, axis=-1, keepdims=True)
        elif detrend == "linear":
            parts = without_line(parts)
        return (np.fft.rfft if onesided else np.fft.fft)(parts * self.window_for(x), self.nfft)

    def frequencies(self, fs, onesided):
        of = np.fft.rfftfreq if onesided else np.fft.fftfreq
        return of(self.nfft) * fs if is_reference(fs) else of(self.nfft, 1 / fs)

    def times(self, length, fs, start=0.0):
        """The middles of the segments."""
        return np.arange(self.size / 2, length - self.size / 2 + 1, self.step) / fs - start / fs

    def doubled(self, power):
        """A power spectrum of one side with the power of the other added."""
        factors = np.full(self.nfft // 2 + 1, 2.0)
        factors[0] = 1.0
        if self.nfft % 2 == 0:
            factors[-1] = 1.0
        return power * factors.astype(np.finfo(aval_of(power).dtype).dtype)


def number(value):
    """A factor that leaves arrays their precision."""
    return value if is_reference(value) else float(value)


def is_complex(*values):
    return any(aval_of(v).dtype.kind == "c" for v in values)


def lengthened(x, n):
    missing = n - np.shape(x)[-1]
    return np.pad(x, ((0, 0),) * (np.ndim(x) - 1) + ((0, missing),)) if missing else x


@function(ss.csd)
def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density",
        axis=-1, average="mean"):
    """scipy.signal.csd."""
    only("csd", "average", average, "mean", "median")
    same = x is y
    x, y = (np.moveaxis(floating(array(v)), axis, -1) for v in (x, y))
    n = max(np.shape(x)[-1], np.shape(y)[-1])
    x, y = lengthened(x, n), lengthened(y, n)
    cut = Segments("csd", window, nperseg, noverlap, nfft, n)
    onesided = return_onesided and not is_complex(x, y)
    second = cut.transforms("csd", y, detrend, onesided)
    if same:
        power = np.real(second) ** 2 + np.imag(second) ** 2
    else:
        power = np.conj(cut.transforms("csd", x, detrend, onesided)) * second
    power = power * cut.scale("csd", scaling, fs)
    power = averaged(cut.doubled(power) if onesided else power, average)
    return cut.frequencies(fs, onesided), np.moveaxis(power, -1, axis)


def averaged(power, average):
    """The mean or the median over the segments; the median without its bias."""
    count = np.shape(power)[-2]
    if average == "mean" or count == 1:
        return np.mean(power, axis=-2)
    steps = 2 * np.arange(1.0, (count - 1) // 2 + 1)
    bias = float(1 + np.sum(1.0 / (steps + 1) - 1.0 / steps))
    if is_complex(power):
        return (np.median(np.real(power), axis=-2) + 1j * np.median(np.imag(power), axis=-2)) / bias
    return np.median(power, axis=-2) / bias


@function(ss.welch)
def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density",
          axis=-1, average="mean"):
    """scipy.signal.welch."""
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


@function(ss.periodogram)
def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1):
    """scipy.signal.periodogram."""
    x = array(x)
    axis = normal_axis("periodogram", axis, np.ndim(x))
    n = np.shape(x)[axis]
    if nfft is not None and nfft < n:
        x, n, nfft = x[(slice(None),) * axis + (slice(nfft),)], int(nfft), None
    return welch(x, fs, "boxcar" if window is None else window, n, 0, nfft, detrend, return_onesided, scaling, axis)


def short_time(name, x, fs, cut, detrend, return_onesided, boundary, padded, axis):
    """(whether frequencies below 0 are left out, the times, the spectra of the segments along the last axis)."""
    x = np.moveaxis(x, axis, -1)
    if boundary is not None:
        x = extended(name, x, boundary, cut.size // 2)
    if padded:
        x = lengthened(x, np.shape(x)[-1] + (-(np.shape(x)[-1] - cut.size) % cut.step) % cut.size)
    onesided = return_onesided and not is_complex(x)
    times = cut.times(np.shape(x)[-1], fs, 0.0 if boundary is None else cut.size / 2)
    return onesided, times, cut.transforms(name, x, detrend, onesided)


def placed(spectra, axis):
    """Frequencies in place of the signal's axis, segments last."""
    return np.moveaxis(spectra, -1, axis - 1 if axis < 0 else axis)


@function(ss.stft)
def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True, boundary="zeros", padded=True,
         axis=-1, scaling="spectrum"):
    """scipy.signal.stft."""
    only("stft", "scaling", scaling, "spectrum", "psd")
    x = floating(array(x))
    cut = Segments("stft", window, nperseg, noverlap, nfft, np.shape(x)[axis])
    onesided, times, found = short_time("stft", x, fs, cut, detrend, return_onesided, boundary, padded, axis)
    scale = number(np.sqrt(cut.scale("stft", "density" if scaling == "psd" else scaling, fs)))
    return cut.frequencies(fs, onesided), times, placed(found * scale, axis)


@function(ss.spectrogram)
def spectrogram(x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
                scaling="density", axis=-1, mode="psd"):
    """scipy.signal.spectrogram."""
    only("spectrogram", "mode", mode, "psd", "complex", "magnitude", "angle", "phase")
    x = floating(array(x))
    cut = Segments("spectrogram", window, nperseg, 0, nfft, np.shape(x)[axis])
    cut = Segments("spectrogram", cut.window, cut.size, cut.size // 8 if noverlap is None else noverlap, nfft, np.shape(x)[axis])
    onesided, times, found = short_time("spectrogram", x, fs, cut, detrend, return_onesided, None, False, axis)
    scale = cut.scale("spectrogram", scaling, fs)
    if mode == "psd":
        power = (np.real(found) ** 2 + np.imag(found) ** 2) * scale
        found = cut.doubled(power) if onesided else power
    else:
        found = found * number(np.sqrt(scale))
        found = {"complex": lambda z: z, "magnitude": np.abs}.get(mode, np.angle)(found)
        if mode == "phase":
            found = np.unwrap(found, axis=-1)
    return cut.frequencies(fs, onesided), times, placed(found, axis)


@function(ss.istft)
def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1, freq_axis=-2,
          scaling="spectrum"):
    """scipy.signal.istft."""
    only("istft", "scaling", scaling, "spectrum", "psd")
    spectra = array(Zxx)
    ndim = np.ndim(spectra)
    if ndim < 2 or time_axis % ndim == freq_axis % ndim:
        raise ShapeError(f"istft of an array of {ndim} axes", "Give one axis of frequencies and one of segments.")
    spectra = np.moveaxis(spectra, (freq_axis, time_axis), (-1, -2))
    count, rows = np.shape(spectra)[-2:]
    default = 2 * (rows - 1) if input_onesided else rows
    size = default if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = size if input_onesided and size == default + 1 else default
    cut = Segments("istft", window, size, noverlap, nfft, None)
    parts = (np.fft.irfft if input_onesided else np.fft.ifft)(spectra, cut.nfft)[..., :size]
    window = cut.window_for(parts)
    x = overlaid(parts * window, cut, count)
    norm = overlaid(np.broadcast_to(window ** 2, (count, size)), cut, count)
    if boundary:
        x, norm = x[..., size // 2: -(size // 2)], norm[..., size // 2: -(size // 2)]
    scale = number(np.sum(window) if scaling == "spectrum" else np.sqrt(fs * np.sum(window ** 2)))
    x = x * scale / np.where(norm > 1e-10, norm, 1.0)
    if ndim > 2 or time_axis % ndim != ndim - 1:
        place = time_axis % ndim
        x = np.moveaxis(x, -1, place - (freq_axis % ndim < place)) if place != ndim - 1 else x
    return np.arange(np.shape(x)[0]) / float(fs), x


def overlaid(parts, cut, count):
    """The sum of segments, each at its place."""
    at = np.arange(cut.size + (count - 1) * cut.step)
    total = 0.0
    for back in range(-(-cut.size // cut.step)):
        segment, offset = at // cut.step - back, at % cut.step + back * cut.step
        there = (segment >= 0) & (segment < count) & (offset < cut.size)
        total = total + np.where(there, parts[..., np.where(there, segment, 0), np.where(there, offset, 0)], 0)
    return total


__all__ = ["Segments"]
