"""Array expressions: products, reductions, shapes, broadcasting, NumPy composites."""

import numpy as np

from . import sample

R = np.random.RandomState(7)
X = R.randn(4, 3)
W = R.randn(3, 5)
V = R.randn(5)


@sample(X, W, V, wrt=(0, 1, 2))
def dense(x, w, b):
    return np.tanh(x @ w + b)


@sample(R.randn(6))
def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@sample(R.randn(4, 6))
def softmax_rows(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


@sample(R.rand(5, 4))
def moments(x):
    return np.mean(x, axis=0) * np.std(x, axis=0) + np.var(x)


@sample(R.randn(3, 4))
def shapes(x):
    y = x.T.reshape(2, 6)
    y = np.concatenate([y, y[:, ::-1] ** 2], axis=1)
    return np.stack([y[0], y[1] * 2.0]).sum(axis=0)[1:-1]


@sample(R.randn(3, 3), R.randn(3, 3), wrt=(0, 1))
def products(a, b):
    return np.einsum("ij,jk->ik", a, b) + np.outer(a[0], b[:, 1]) + np.trace(a) * np.dot(a, b.T)


@sample(R.randn(5), R.randn(5), wrt=(0, 1))
def branches_of_where(x, y):
    return np.where(x > y, x * y, np.maximum(x, 0.5) - np.minimum(y, 0.1))


@sample(R.rand(6) + 0.5)
def cumulative(x):
    return np.cumsum(x) * np.cumprod(x)


@sample(R.randn(7))
def sorting(x):
    return np.sort(x) * np.arange(7.0) + np.median(x)


@sample(R.rand(5) + 0.1)
def elementary(x):
    return np.sin(x) * np.log(x) + np.sqrt(x) * np.arctan(x) - np.cosh(x) / np.log1p(x) + np.clip(x, 0.2, 0.8)


@sample(R.randn(4, 4))
def broadcasting(x):
    return (x - x.mean(axis=0)) * x[:, :1] + x[0][None, :] - x[:, 0][:, None]


@sample(R.randn(3, 4) + 1j * R.randn(3, 4))
def complex_energy(z):
    return np.sum(np.abs(z) ** 2 * np.real(z)) + np.sum(np.imag(z * z))


@sample(np.float32([0.5, 1.5, -0.25]))
def single_precision(x):
    acc = 0
    for i in range(6):
        acc = acc + np.sum(x ** 2 * 0.5) / (i + 1)
    return acc
