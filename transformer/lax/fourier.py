"""The discrete Fourier transforms of XLA: over the last axes."""

import enum

from ..errors import TypeMismatch
from ..numpy import fft as transforms


class FftType(enum.IntEnum):
    """Which transform: complex to complex, its inverse, real to half a spectrum, and back."""

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


def fft(x, fft_type, fft_lengths):
    """The transform of the last len(fft_lengths) axes of x.

    fft_type: an `FftType` or its name ("FFT", "IFFT", "RFFT", "IRFFT"). fft_lengths: the sizes of these axes (of the result for IRFFT).
    Raises TypeMismatch for another type or number of lengths.

    >>> import numpy as np
    >>> fft(np.ones(4), "RFFT", (4,)).real
    Array([4., 0., 0.], dtype=float32)
    """
    lengths = (fft_lengths,) if isinstance(fft_lengths, int) else tuple(fft_lengths)
    name = fft_type.upper() if isinstance(fft_type, str) else FftType(fft_type).name
    if name not in FftType.__members__:
        raise TypeMismatch(f"lax.fft does not know the type {fft_type!r}", f"Use one of {', '.join(FftType.__members__)}.")
    if not lengths:
        return x
    return getattr(transforms, f"{name.lower()}n")(x, lengths, tuple(range(-len(lengths), 0)))


__all__ = ["FftType", "fft"]
