"""Loops of many kinds, like those of numerical benchmarks: tests compile them under every option set. `KERNELS`: (function, arguments)."""

import numpy as np

KERNELS = []


def kernel(*args):
    def register(fn):
        KERNELS.append((fn, args))
        return fn
    return register


def numbers(*shape):
    return np.random.default_rng(3).normal(size=shape)


@kernel(np.eye(6) * 8 + numbers(6, 6))
def lu(A):
    a = np.copy(A)
    for i in range(6):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, 6):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(np.sin(a))


@kernel(numbers(8))
def durbin(r):
    y = np.zeros(8)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, 8):
        beta *= 1.0 - alpha * alpha
        total = r[k]
        for i in range(k):
            total += r[k - 1 - i] * y[i]
        alpha = -total / beta
        z = np.copy(y)
        for i in range(k):
            y[i] = z[i] + alpha * z[k - 1 - i]
        y[k] = alpha
    return np.sum(y * y)


@kernel(np.abs(numbers(7, 7)))
def pairing(score):
    table = np.zeros((7, 7))
    for i in range(5, -1, -1):
        for j in range(i + 1, 7):
            best = max(table[i + 1, j], table[i, j - 1], table[i + 1, j - 1] + score[i, j])
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table[0, 6]


@kernel(numbers(6), numbers(7))
def soft_warping(x, y):
    r = np.full((7, 8), 1e10)
    r[0, 0] = 0.0
    for i in range(1, 7):
        for j in range(1, 8):
            a, b, c = r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]
            low = min(a, min(b, c))
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - np.log(np.exp(low - a) + np.exp(low - b) + np.exp(low - c))
    return r[6, 7]


@kernel(np.abs(numbers(6, 6)) + 0.1)
def shortest_paths(weights):
    path = np.copy(weights)
    for k in range(6):
        for i in range(6):
            for j in range(6):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    return np.sum(path ** 2)


@kernel(np.linspace(-2.0, 0.6, 7), np.linspace(-1.2, 1.2, 6), 30)
def escapes(xs, ys, limit):
    total = np.zeros((7, 6))
    for i in range(7):
        for j in range(6):
            re, im, n = 0.0, 0.0, 0
            while re * re + im * im <= 4.0 and n < limit:
                re, im = re * re - im * im + xs[i], 2.0 * re * im + ys[j]
                n += 1
            total[i, j] = n + 0.01 * re * im
    return np.sum(total)


@kernel(np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0]), 20)
def populations(rates, state, steps):
    for _ in range(steps):
        x, y = state
        state = state + 0.01 * np.array([rates[0] * x - rates[1] * x * y, rates[2] * x * y - rates[3] * y])
    return np.sum(state)


@kernel(numbers(10), numbers(10))
def two_arrays(x, z):
    """Arrays of one type, each stored into after reads of the other."""
    a, b = np.copy(x), np.copy(z)
    for i in range(1, 10):
        before = b[i - 1]
        b[i] = np.sin(a[i - 1]) + 0.5 * b[i]
        a[i] = a[i] * before + b[i]
        b[i - 1] += a[0]
    return np.sum(a * b)


@kernel(numbers(10))
def exchanges(x):
    """Elements change places; a value is read before and after its place is stored into."""
    y = np.copy(x)
    for i in range(9):
        y[i], y[9 - i] = y[9 - i] * 1.5, y[i] + y[i + 1]
        y[0] = y[0] * 0.5 + y[i]
    return np.sum(y * np.arange(10.0))


@kernel(numbers(8))
def shifted(x):
    """Slices stored one element further: what is read overlaps with what is stored."""
    y = np.copy(x)
    for i in range(1, 5):
        y[i:i + 3] = y[i - 1:i + 2] * 0.5 + y[i + 1:i + 4]
        y[1:] = y[:-1] + y[i]
    return np.sum(y ** 2)


@kernel(numbers(6), 4)
def two_carries(x, rounds):
    """Scalars that read each other's old values, in loops that end by a test and by a count."""
    p, q, n = x[0], x[1], 0
    while abs(p) < 40.0 and n < 12:
        p, q, n = q + 0.9 * p, p - 0.8 * q + x[n % 6], n + 1
        for k in range(rounds):
            p, q = q, p + k * 0.01
    return p * q + n


@kernel(numbers(12).astype(np.float32), np.arange(12) % 5)
def counted(x, at):
    """Integers and single precision: a histogram, and sums by place."""
    counts, sums = np.zeros(5, np.int64), np.zeros(5, np.float32)
    for i in range(12):
        counts[at[i]] += i
        sums[at[i]] += x[i] * counts[at[i]]
    return np.sum(sums * sums)


@kernel(numbers(5), numbers(5))
def complex_waves(x, y):
    z = np.zeros(5, complex)
    z[0] = x[0] + 1j * y[0]
    for i in range(1, 5):
        z[i] = z[i - 1] * (0.5 + 0.2j) + x[i] - 1j * y[i] * z[i - 1]
    return np.sum(np.real(z) ** 2 + np.imag(z))
