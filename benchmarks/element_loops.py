"""Gradients of loops that store elements into arrays, jitted but for the last one; JAX runs ports by hand.

The goal is against the best port, scans that stack their results. "jax stores" is the same loop with `.at[...]`, what such code becomes first.
"""

import numpy as np

from .contest import calls, jax_with, slopes, waited
from .derivatives import on_device


def contest(f, ports, arguments, rtol=1e-8):
    """jit(grad(f)) against jit(grad(port)) for each port: name -> function of the jax module that gives the function."""
    import transformer

    def maker(port):
        def make():
            jax = jax_with()
            return waited(jax.jit(jax.grad(port(jax))), *jax.device_put(arguments))
        return make
    ours = waited(transformer.jit(transformer.grad(f)), *on_device(arguments))
    return calls(ours, {name: maker(port) for name, port in ports.items()}, slopes(f, arguments, rtol=1e-5), rtol)


def draw(*shape):
    return np.random.default_rng(2).normal(size=shape)


# x[i] += 0.5 * x[i - 1] -------------------------------------------------------------------------------------------------------
def recurrence(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += 0.5 * y[i - 1]
    return np.sum(y * y)


def recurrence_scan(jax):
    def f(x):
        def step(before, value):
            now = value + 0.5 * before
            return now, now
        y = jax.lax.scan(step, 0.0, x)[1]
        return jax.numpy.sum(y * y)
    return f


def recurrence_stores(jax):
    def f(x):
        y = jax.lax.fori_loop(1, len(x), lambda i, y: y.at[i].add(0.5 * y[i - 1]), x)
        return jax.numpy.sum(y * y)
    return f


def running(n=10_000):
    return contest(recurrence, {"jax scan": recurrence_scan, "jax stores": recurrence_stores}, [draw(n)])


# Gauss-Seidel sweeps ------------------------------------------------------------------------------------------------------------
SWEEPS = 4


def seidel_2d(grid):
    """Sweeps that replace each inner point by the mean of its neighbourhood, in place; the sum of squares."""
    a = grid.copy()
    n = len(a)
    for _ in range(SWEEPS):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j] + a[i, j + 1]
                           + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0
    return np.sum(a * a)


def seidel_scan(jax):
    """What does not depend on the left neighbour is computed for the whole row; a scan over the row does the rest."""
    jnp, scan = jax.numpy, jax.lax.scan

    def row(above, rows):
        here, below = rows
        known = above[:-2] + above[1:-1] + above[2:] + here[1:-1] + here[2:] + below[:-2] + below[1:-1] + below[2:]

        def cell(left, value):
            now = (left + value) / 9.0
            return now, now
        inner = scan(cell, here[0], known)[1]
        new = jnp.concatenate([here[:1], inner, here[-1:]])
        return new, new

    def sweep(a, _):
        inner = scan(row, a[0], (a[1:-1], a[2:]))[1]
        return jnp.concatenate([a[:1], inner, a[-1:]]), None

    def f(grid):
        a = scan(sweep, grid, None, length=SWEEPS)[0]
        return jnp.sum(a * a)
    return f


def seidel_stores(jax):
    loop = jax.lax.fori_loop

    def f(grid):
        n = len(grid)

        def cell(i, j, a):
            around = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j] + a[i, j + 1]
                      + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1])
            return a.at[i, j].set(around / 9.0)
        rows = lambda i, a: loop(1, n - 1, lambda j, a: cell(i, j, a), a)
        a = loop(0, SWEEPS, lambda _, a: loop(1, n - 1, rows, a), grid)
        return jax.numpy.sum(a * a)
    return f


def seidel(n=100):
    return contest(seidel_2d, {"jax scan": seidel_scan, "jax stores": seidel_stores}, [draw(n, n)])


# a table like Nussinov's ----------------------------------------------------------------------------------------------------------
def best_pairing(score):
    """The largest sum of scores of nested pairs i < j: dynamic programming over all intervals."""
    n = len(score)
    table = np.zeros((n, n))
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i + 1, j], table[i, j - 1])
            best = max(best, table[i + 1, j - 1] + score[i, j])
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table[0, n - 1]


def pairing_rows(jax):
    """A row of the table per step of a scan, its cells in an inner loop, the splits of a cell as one maximum."""
    jnp, lax = jax.numpy, jax.lax

    def f(score):
        n = len(score)
        places = jnp.arange(n)

        def row(table, i):
            def cell(carry, j):
                here, = carry
                splits = jnp.where((places > i) & (places < j), here + jnp.roll(table[:, j], -1), -jnp.inf)
                pair = table[i + 1, j - 1] + score[i, j]
                best = jnp.maximum(jnp.maximum(table[i + 1, j], here[j - 1]), jnp.maximum(pair, jnp.max(splits)))
                return (jnp.where(j > i, here.at[j].set(best), here),), None
            (here,), _ = lax.scan(cell, (jnp.zeros(n),), jnp.arange(1, n))
            return table.at[i].set(here), None
        return lax.scan(row, jnp.zeros((n, n)), jnp.arange(n - 2, -1, -1))[0][0, n - 1]
    return f


def pairing_diagonals(jax):
    """All intervals of one length at once."""
    jnp, lax = jax.numpy, jax.lax

    def f(score):
        n = len(score)
        i = jnp.arange(n)

        def diagonal(table, length):
            j = jnp.minimum(i + length, n - 1)
            below = jnp.minimum(i + 1, n - 1)
            splits = table[i[:, None], i[None, :]] + table[jnp.minimum(i + 1, n - 1)[None, :], j[:, None]]
            inside = (i[None, :] > i[:, None]) & (i[None, :] < j[:, None])
            pair = table[below, j - 1] + score[i, j]
            best = jnp.maximum(jnp.maximum(table[below, j], table[i, j - 1]), jnp.maximum(pair, jnp.max(jnp.where(inside, splits, -jnp.inf), axis=1)))
            return table.at[i, j].set(jnp.where(i + length < n, best, table[i, j])), None
        return lax.scan(diagonal, jnp.zeros((n, n)), jnp.arange(1, n))[0][0, n - 1]
    return f


def pairing(n=60):
    score = np.abs(draw(n, n))
    return contest(best_pairing, {"jax rows": pairing_rows, "jax diagonals": pairing_diagonals}, [score])


# soft dynamic time warping ----------------------------------------------------------------------------------------------------------
def soft_dtw(x, y):
    """Of two series, the smoothing being 1: the soft minimum of the costs of all alignments."""
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]
            low = min(a, min(b, c))
            soft = low - np.log(np.exp(low - a) + np.exp(low - b) + np.exp(low - c))
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + soft
    return r[n, m]


def dtw_rows(jax):
    """A scan over rows, in it a scan over columns."""
    jnp, scan = jax.numpy, jax.lax.scan

    def f(x, y):
        def row(above, x_i):
            def cell(left, given):
                up, corner, y_j = given
                now = (x_i - y_j) ** 2 - jax.nn.logsumexp(-jnp.stack([up, left, corner]))
                return now, now
            inner = scan(cell, 1e10, (above[1:], above[:-1], y))[1]
            return jnp.concatenate([jnp.array([1e10]), inner]), None
        start = jnp.full(len(y) + 1, 1e10).at[0].set(0.0)
        return scan(row, start, x)[0][-1]
    return f


def dtw_diagonals(jax):
    """A scan over the anti-diagonals, whose cells do not depend on each other."""
    jnp, scan = jax.numpy, jax.lax.scan

    def f(x, y):
        n, m = len(x), len(y)
        i = jnp.arange(n)

        def diagonal(carry, d):
            before, last = carry
            j = d - i
            inside = (j >= 0) & (j < m)
            cost = (x - y[jnp.clip(j, 0, m - 1)]) ** 2
            up = jnp.concatenate([jnp.array([1e10]), last[:-1]])
            corner = jnp.concatenate([jnp.where(d == 0, 0.0, 1e10)[None], before[:-1]])
            soft = -jax.nn.logsumexp(-jnp.stack([up, last, corner]), axis=0)
            return (last, jnp.where(inside, cost + soft, 1e10)), None
        empty = jnp.full(n, 1e10)
        return scan(diagonal, (empty, empty), jnp.arange(n + m - 1))[0][1][n - 1]
    return f


def dtw_stores(jax):
    jnp, loop = jax.numpy, jax.lax.fori_loop

    def f(x, y):
        n, m = len(x), len(y)

        def cell(i, j, r):
            soft = -jax.nn.logsumexp(-jnp.stack([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]]))
            return r.at[i, j].set((x[i - 1] - y[j - 1]) ** 2 + soft)
        r = jnp.full((n + 1, m + 1), 1e10).at[0, 0].set(0.0)
        return loop(1, n + 1, lambda i, r: loop(1, m + 1, lambda j, r: cell(i, j, r), r), r)[n, m]
    return f


def warping(n=200):
    ports = {"jax rows": dtw_rows, "jax diagonals": dtw_diagonals, "jax stores": dtw_stores}
    return contest(soft_dtw, ports, [draw(n), np.cos(np.arange(n))])


# stores under a condition --------------------------------------------------------------------------------------------------------
def causal(x, w):
    """The sum of squares of a quadratic filter of the past: y[i] is the sum of x[i - j] @ w[j] @ x[j]."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            if i - j >= 0:
                y[i] += x[i - j] @ w[j] @ x[j]
    return np.sum(y * y)


def causal_arrays(jax):
    jnp = jax.numpy

    def f(x, w):
        i, j = jnp.indices((len(x), len(x)))
        terms = jnp.where((i >= j)[:, :, None, None], x[i - j] @ w @ x, 0.0)
        return jnp.sum(jnp.sum(terms, 1) ** 2)
    return f


def causal_stores(jax):
    def f(x, w):
        loop, n = jax.lax.fori_loop, len(x)

        def add(i, j, y):
            return jax.lax.cond(i >= j, lambda: y.at[i].add(x[i - j] @ w[j] @ x[j]), lambda: y)
        y = loop(0, n, lambda i, y: loop(0, n, lambda j, y: add(i, j, y), y), jax.numpy.zeros_like(x))
        return jax.numpy.sum(y * y)
    return f


def conditional(n=40):
    return contest(causal, {"jax arrays": causal_arrays, "jax stores": causal_stores}, [draw(n, 3, 3), draw(n, 3, 3)])


# rounds that do not depend on each other, not jitted --------------------------------------------------------------------------------
def diffusion(u, rate):
    """The sum of squares after a step of explicit diffusion on a line."""
    v = u.copy()
    for i in range(1, len(u) - 1):
        v[i] = u[i] + rate[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
    return np.sum(v * v)


def diffusion_arrays(jax):
    def f(u, rate):
        v = u.at[1:-1].add(rate[1:-1] * (u[:-2] - 2.0 * u[1:-1] + u[2:]))
        return jax.numpy.sum(v * v)
    return f


def independent(n=1000):
    """grad(f), not jitted; JAX is given array code, likewise not jitted."""
    import transformer
    arguments = [draw(n), 0.1 + draw(n) ** 2]
    f = transformer.grad(diffusion)

    def make():
        jax = jax_with()
        return waited(jax.grad(diffusion_arrays(jax)), *jax.device_put(arguments))
    return calls(lambda: f(*arguments), {"jax arrays": make}, slopes(diffusion, arguments, rtol=1e-5), 1e-8)
