"""Plain functions for the tests of forward mode and batching, and how to make Core of them.

`CORPUS` maps a name to (function, draw); `draw(rng)` gives the arguments of one lane, at which the function is smooth.
"""

import inspect

import numpy as np

from transformer.check import check
from transformer.frontend.specialise import specialise
from transformer.pipeline import as_params

CORPUS = {}


def core_of(fn, *args):
    """The checked Core program of a function for arguments of these types."""
    params = [as_params(a, name) for a, name in zip(args, inspect.signature(fn).parameters)]
    return check(specialise(fn, params, {}).program)


def example(draw):
    def declare(fn):
        CORPUS[fn.__name__] = (fn, draw)
        return fn
    return declare


def vector(n=4, lo=0.5, hi=1.5):
    return lambda rng: (rng.uniform(lo, hi, n),)


def scalar(lo=-2.0, hi=2.0):
    return lambda rng: (float(rng.uniform(lo, hi)),)


# straight lines --------------------------------------------------------------------
@example(lambda rng: (rng.normal(size=3), rng.normal(size=(2, 3)), float(rng.normal())))
def broadcasting(x, w, b):
    y = w * x + b
    return np.tanh(y) * x, np.sum(y, axis=0), b * x


@example(lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=2)))
def layers(w, x):
    h = np.tanh(np.dot(w, x))
    return np.sum(h * h), h


@example(vector())
def shapes(x):
    y = np.reshape(x, (2, 2))
    return y.T @ y, y[:, None] * x[1:3], np.concatenate([x, x[::-1] ** 2])


@example(lambda rng: (rng.normal(size=(3, 4)).astype(np.float32), float(rng.normal())))
def single_precision(x, c):
    return np.sin(x) * c, np.sum(x * 2.0 + c)


# indices -----------------------------------------------------------------------------
@example(lambda rng: (rng.normal(size=(3, 4)), int(rng.integers(3)), rng.integers(0, 4, size=2)))
def reads(a, i, k):
    return a[i], a[:, k], a[i, k], a[1, ::-1], a[-1, i], a[k % 3, k]


@example(lambda rng: (rng.normal(size=(3, 4)), int(rng.integers(3)), rng.permutation(4)[:2], rng.normal(size=2)))
def stores(a, i, k, v):
    b = np.zeros((3, 4))
    b[i] = a[i] * 2
    b[0, k] = v * b[1, k]
    b[:, 1] += v[0]
    np.add.at(b, (i, k), v)
    b[:, k] = v
    return b * a


@example(lambda rng: (rng.normal(size=(4, 3)), rng.integers(0, 4, size=(2, 1)), rng.integers(0, 3, size=3)))
def outer_index(a, i, j):
    return a[i, j], a[i[0, 0], j] * a[2]


@example(lambda rng: (rng.normal(size=(2, 3, 2)), rng.permutation(2), rng.permutation(2)))
def split_index(a, i, j):
    b = a * 2
    b[i, :, j] = a[0, 0, 0]
    return a[i, :, j] * 2, b


@example(lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)) > 0, rng.normal(size=3) > 0))
def masked_stores(a, m, r):
    b = a * 2
    b[m] = 0.0
    b[r] = 3.0
    b[:, 1][r] = 7.0
    return b * a


# branches --------------------------------------------------------------------------------
@example(scalar())
def reciprocal_branch(x):
    if x > 0:
        y = 1.0 / x
    else:
        y = -x
    return y * 2


@example(scalar())
def total_branch(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


@example(scalar())
def nested_branches(x):
    y = x
    if x > 0:
        if x > 1:
            y = np.log(x)
        else:
            y = y * 3
    else:
        z = np.sqrt(-x)
        y = z * y
    return y + x


@example(lambda rng: (rng.normal(size=3), float(rng.normal())))
def branch_stores(x, c):
    a = x * 1.0
    if c > 0:
        a[0] = c
        a[1:] = np.log(c) * a[1:]
    else:
        a[2] = x[0] / c
        c = c * 2
    return a, c


@example(lambda rng: (rng.normal(size=5),))
def branch_in_loop(x):
    s, a = 0.0, np.zeros(5)
    for i in range(5):
        if x[i] > 0:
            s = s + np.sqrt(x[i])
            a[i] = s
        else:
            a[i] = s * x[i]
    return s, a


@example(lambda rng: (float(rng.normal()), rng.normal(size=3)))
def loop_in_branch(c, x):
    y = np.sum(x)
    if c > 0:
        for i in range(3):
            y = y + x[i] / c
        a = x * c
    else:
        a = x
    return y, a


@example(lambda rng: (float(rng.uniform(-3, 3)),))
def unending_branch(x):
    if x > 0.5:
        y = x
        while y < 10:
            y = y * (1 + x)
    else:
        y = 0.0
    return y * x


@example(lambda rng: (float(rng.uniform(-3, 3)), rng.normal(size=3)))
def branches_share_a_test(x, w):
    positive = x > 0
    if positive:
        a = np.log(x)
    else:
        a = x
    b = a * w
    if positive:
        b[0] = a / x
    return b


# loops -------------------------------------------------------------------------------------
@example(lambda rng: (rng.normal(size=4), int(rng.integers(0, 5))))
def trips(x, n):
    s = np.zeros(4)
    for i in range(n):
        s = s * 0.5 + x / (i + 1)
    return s


@example(lambda rng: (rng.uniform(1, 2, size=6), int(rng.integers(0, 3)), int(rng.integers(2, 6))))
def ranges(x, lo, hi):
    s, t, a = 0.0, 1.0, x * 1.0
    for i in range(lo, hi):
        s = s + x[i] / (i - lo + 1)
        a[i] = s
    for i in range(hi, lo, -2):
        t = t * x[i - 1]
    return s, t, a


@example(lambda rng: (rng.normal(size=2),))
def swaps(x):
    a, b = x[0], x[1]
    for i in range(6):
        a, b = b, np.sin(a) + b
    return a - b


@example(lambda rng: (rng.normal(size=2), int(rng.integers(5, 8))))
def swaps_by_trips(x, n):
    a, b = x[0], x[1]
    for i in range(n):
        a, b = b, a
    return a - 2 * b


@example(lambda rng: (float(rng.uniform(1, 9)), 1e-12))
def newton(a, tolerance):
    x, rounds = a, 0
    while abs(x * x - a) > tolerance and rounds < 50:
        x = 0.5 * (x + a / x)
        rounds = rounds + 1
    return x, rounds


@example(lambda rng: (rng.uniform(0.5, 2.0, size=3),))
def while_with_array(x):
    h, i = x, 0
    while np.sum(h) > 0.3 and i < 10:
        h = h * (0.4 + 0.1 * np.cos(x))
        i = i + 1
    return h


@example(lambda rng: (float(rng.uniform(0.5, 4.0)), rng.normal(size=3)))
def nested_whiles(c, x):
    s = 0.0
    for i in range(3):
        r = c + i
        while r > 1.3:
            r = np.sqrt(r) * 1.05
            s = s + x[i] / r
    return s, r


@example(lambda rng: (float(rng.uniform(-2, 3)), 3))
def branch_in_while(x, n):
    k, y = 0, x
    while k < n:
        if y > 1:
            y = np.log(y) + x
        else:
            y = np.exp(y) * 0.5
            k = k + 1
        k = k + 1
    return y


@example(lambda rng: (rng.uniform(-1, 3, size=4), float(rng.uniform(0.3, 0.8))))
def whiles_in_branches(x, c):
    s = 0.0
    for i in range(4):
        y = x[i]
        if y > 0.5:
            while y > 1.1:
                y = y * c
                s = s + np.log(y)
        else:
            s = s * 0.5
        s = s + y
    return s


@example(lambda rng: (rng.uniform(-1, 3, size=4), int(rng.integers(2, 5))))
def leaves_early(x, n):
    total = 0.0
    for i in range(n):
        if x[i] < -0.5:
            continue
        total = total + np.sqrt(x[i] + 0.6)
        if total > 3.0:
            break
    else:
        total = total * 2
    return total


@example(lambda rng: (rng.normal(size=3), float(rng.normal())))
def returns_early(x, c):
    if c < -0.5:
        return np.sum(x)
    y = x * c
    for i in range(3):
        if y[i] > 0.5:
            return np.log(y[i]) + c
    return y[0] / (c + 3)


@example(lambda rng: (rng.uniform(-2, 2, size=(3, 2)), rng.normal(size=2)))
def masked_rows(a, v):
    out = np.zeros(2)
    for i in range(3):
        row = a[i]
        if row[0] > 0 and row[1] > 0:
            out = out + np.sqrt(row) * v
            a[i] = out
        elif row[0] > 0:
            out[1] = np.log(row[0])
        else:
            a[i, 0] = row[1] ** 2
    return out, a


@example(lambda rng: (rng.normal(size=(3, 3)),))
def sweeps(a):
    b = a * 1.0
    for k in range(2):
        for i in range(1, 3):
            b[i] = 0.5 * (b[i - 1] + b[i]) * a[k]
    return b


NAMES = sorted(CORPUS)
