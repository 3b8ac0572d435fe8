"""Loops over numbers, forward only: jit of plain Python against Numba's njit of the same function."""

import numpy as np

from .contest import calls, equals, waited
from .derivatives import on_device


def contest(f, *arguments, rtol=1e-10):
    """jit(f) against njit(f) on arrays, ours on the device."""
    import transformer

    def numba():
        import numba
        g = numba.njit(f)
        return lambda: g(*arguments)
    jitted = transformer.jit(f)
    placed = on_device(list(arguments))
    return calls(waited(jitted, *placed), {"numba": numba}, equals(lambda: f(*arguments), rtol), rtol)


def add_trace(a):
    """The sum of tanh along the diagonal, added to every element."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def go_fast(n=1000):
    return contest(add_trace, np.random.default_rng(1).normal(size=(n, n)))


def fold(bases):
    """The largest number of nested pairs of matching bases (which sum to 3), by intervals."""
    n = len(bases)
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                match = 1 if bases[i] + bases[j] == 3 else 0
                best = max(best, table[i + 1, j - 1] + match)
            else:
                best = max(best, table[i + 1, j - 1])
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table


def nussinov(n=180):
    return contest(fold, np.random.default_rng(4).integers(0, 4, size=n).astype(np.int32))


def escape_times(xs, ys, limit):
    """How many rounds z*z + c takes to leave the disc of radius 2, at most `limit`."""
    counts = np.zeros((len(xs), len(ys)), np.int64)
    for i in range(len(xs)):
        for j in range(len(ys)):
            re, im, n = 0.0, 0.0, 0
            while re * re + im * im <= 4.0 and n < limit:
                re, im = re * re - im * im + xs[i], 2.0 * re * im + ys[j]
                n += 1
            counts[i, j] = n
    return counts


def mandelbrot(n=120, limit=200):
    return contest(escape_times, np.linspace(-2.0, 0.6, n), np.linspace(-1.2, 1.2, n), limit)


def checksum(data):
    """The 16-bit CRC of bytes, polynomial 0x8408."""
    crc = 0xFFFF
    for byte in data:
        current = 0xFF & byte
        for _ in range(8):
            if (crc & 1) ^ (current & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8) | ((crc >> 8) & 0xFF)


def crc16(n=20_000):
    return contest(checksum, np.random.default_rng(6).integers(0, 256, size=n).astype(np.uint8))
