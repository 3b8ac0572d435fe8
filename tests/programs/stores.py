"""Stores into arrays: elements, slices, views, aliases, masks, add.at."""

import numpy as np

from . import sample


@sample(np.array([1.0, 0.5, -0.3, 2.0, 0.7, 0.1, -1.0]))
def prefix(x):
    x = x.copy()
    for i in range(1, len(x)):
        x[i] += 0.5 * x[i - 1]
    return x


@sample(np.array([0.4, 0.5, -0.3, 0.2, 0.7, 0.1]))
def nonlinear_prefix(x):
    y = np.zeros(6)
    y[0] = x[0]
    for i in range(1, 6):
        y[i] = np.sin(y[i - 1]) * x[i] + y[i - 1] ** 2
    return y


@sample(np.sin(np.linspace(0, 3, 12)), 0.2, wrt=(0, 1))
def heat(u, k):
    u = u.copy()
    for _ in range(7):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


@sample(np.cos(np.linspace(0, 3, 20)), np.linspace(0.1, 0.3, 20))
def diffusion(u, rate):
    v = u.copy()
    for i in range(1, len(u) - 1):
        v[i] = u[i] + rate[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    return v


@sample(np.arange(16.0).reshape(4, 4) / 10.0)
def seidel(a):
    a = a.copy()
    for t in range(6):
        for i in range(1, 3):
            for j in range(1, 3):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] * a[i, j] + a[i + 1, j] + a[i, j + 1]) / 5.0
    return a


@sample(np.array([1.0, 2.0, 3.0]))
def alias(x):
    a = x * 2.0
    b = a
    b[0] = x[1] * x[2]
    b += 1.0
    return a * x


@sample(np.arange(6.0).reshape(2, 3) + 0.5)
def view_store(x):
    y = x * 1.0
    row = y[1]
    row[0] = x[0, 0] ** 2
    y.T[2] = x[0, 1]
    return y * row[0]


@sample(np.array([0.5, -1.0, 2.0, 0.25]))
def overwritten(x):
    y = x * x
    s = np.sum(y ** 2)
    y[1:3] = x[0]
    s = s + np.sum(y ** 3)
    y[:] = 2.0 * x
    return s * np.sum(y ** 2)


@sample(np.array([1.0, 2.0, -0.5, 0.3, 0.9]))
def add_at(w):
    h = np.zeros(4)
    np.add.at(h, np.array([0, 0, 2, 3, 2]), w)
    return h ** 2


@sample(np.array([1.0, 2.0, -0.5, 0.3, 0.9]))
def buffered(w):
    h = np.ones(4)
    h[np.array([0, 0, 2, 3, 2])] += w
    return h ** 2


@sample(np.array([-1.0, 0.5, 2.0, -3.0]))
def mask_store(x):
    y = x * 1.0
    y[x < 0] = 0
    return y ** 2


@sample(np.array([0.7, 1.5, -0.2, 0.9]))
def conditional_store(x):
    y = np.zeros(4)
    for i in range(4):
        if x[i] > 0.5:
            y[i] = x[i] ** 2
        else:
            y[i] = -x[i]
    return y


@sample(np.linspace(-1.0, 1.0, 9))
def gather(x):
    return np.sum(x[[0, 0, 2]] ** 2) + x[np.array([1, 5, 5])].sum() * x[::-2][0]


@sample(np.linspace(0.1, 1.0, 8))
def swap_elements(x):
    x = x.copy()
    for i in range(4):
        t = x[i]
        x[i] = x[7 - i] * 2.0
        x[7 - i] = t * t
    return x


@sample(np.eye(3) * 2.0 + 0.3)
def cholesky_by_hand(a):
    a = a.copy()
    for i in range(3):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    return np.tril(a)


@sample(np.arange(16.0).reshape(4, 4) % 5.0 + np.linspace(0.0, 1.0, 16).reshape(4, 4))
def dynamic_programming(c):
    n, m = c.shape
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            table[i, j] = c[i - 1, j - 1] + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[n, m]


@sample(np.array([0.5, 1.5, 2.0]))
def table_read_before_it_is_stored(x):
    table = np.zeros(8)
    flags = np.zeros(3)
    for i in range(1, 8):
        if table[i - 1] > 2.0:
            flags[i % 3] += 1.0
        table[i] = table[i - 1] + x[i % 3]
    return table * np.sum(flags)
