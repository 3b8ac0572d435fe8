"""Products that reverse loops add up: taken out of the loop where nothing reads the sum there, with the same gradients."""

import numpy as np
import pytest

from tests.transforms.programs import check_function
from transformer import grad, jit
from transformer.ops import contraction
from transformer.test_util import check_grads
from transformer.transforms.simplify import collect_products as products
from transformer.transforms.simplify import contract_sums

RNG = np.random.default_rng(0)
W, ROWS = RNG.normal(size=(5, 5)) / 3, RNG.normal(size=(8, 5))


def recurrent(w, x):
    h = x[0]
    for t in range(8):
        h = np.tanh(w @ h + x[t])
    return np.sum(h)


def recurrent_rows(w, x):
    h = x[0]
    for t in range(2, 8):
        h = np.tanh(h @ w + x[t])
    return np.sum(h)


def backwards(w, x):
    h, out = x[0], np.zeros((8, 5))
    for t in range(7, 1, -1):
        h = np.sin(w @ h) * x[t]
        out[t] = h
    return np.sum(out ** 2)


def covariances(x, y):
    out = np.zeros((5, 5))
    for i in range(5):
        out[i:, i] = out[i, i:] = x[:, i] @ x[:, i:] * y[i, i]
    return np.sum(out ** 3)


def some_columns(x, y):
    total = 0.0
    for i in range(1, 5):
        total = total + np.sum(np.sin(y @ x[i])) + np.sum((x[:5, i] @ y) ** 2)
    return total


def nested(w, x):
    h = x[0]
    for _ in range(6):
        for t in range(6):
            h = np.tanh(w @ h + x[t])
        w = w * 0.9
    return np.sum(h)


def read_in_the_loop(w, x):
    h = x[0]
    for t in range(8):
        h = np.tanh(w @ h + x[t])
        w = np.sin(w)
    return np.sum(h)


def in_a_branch(w, x):
    h = x[0]
    for t in range(8):
        if x[t, 0] > 0.0:
            h = np.tanh(w @ h + x[t])
        h = h + w @ h
    return np.sum(h)


def changed_beside(w, x):
    h = x[0]
    for t in range(8):
        h = np.tanh(w @ h) + h
        w[:, 1] = w[:, 1] * 0.5 + h
    return np.sum(h * w)


FUNCTIONS = [recurrent, recurrent_rows, backwards, covariances, some_columns, nested, read_in_the_loop, in_a_branch, changed_beside]


@pytest.fixture
def everything(monkeypatch):
    monkeypatch.setattr(products, "WORK", 0)
    monkeypatch.setattr(products, "ROUNDS", 1)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(function, everything):
    if function is recurrent_rows:
        check_function(function, W, RNG.normal(size=(8, 2, 5)))
    elif function in (covariances, some_columns):
        check_function(function, ROWS, W)
    else:
        check_function(function, W, ROWS)


def test_a_product_replaces_the_sum_of_a_large_loop():
    source = grad(recurrent).show(np.zeros((64, 64)), np.zeros((8, 64)))
    loop, _, after = source.partition("# reverse")[2].partition("return")
    assert "W_bar" not in loop and "np.outer" not in source and after.strip() == "total_bar_tape.T @ h_tape"


def test_small_loops_stay():
    assert "np.outer" in grad(recurrent).show(W, ROWS)


def test_sums_that_the_loop_reads_stay():
    assert "np.outer" in grad(read_in_the_loop).show(np.zeros((64, 64)), np.zeros((8, 64)))


def scaled(number, a, b, x):
    return number * a @ x, x @ (b * number), (a * 2.0) @ x


def rows_by_fixed(x, y):
    c, d = np.zeros((40, 30)), np.zeros((40, 50))
    for i in range(2, 40):
        c[i] = x[:, i] @ y
        d[i] = x @ x[:, i - 1] + x @ x[i]
    return c, d


def changing(x, y):
    c = np.zeros((40, 30))
    for i in range(2, 40):
        c[i] = x[:, i] @ y
        y[0] = c[i - 1] * 0.5
    return c


def compiled_text(function, *args):
    return jit(function).lower(*args).as_text()


def test_compiled_products_are_few_and_large():
    x, y = RNG.normal(size=(50, 50)), RNG.normal(size=(50, 30))
    for function, args in ((scaled, (0.3, x, x.T, x[0])), (rows_by_fixed, (x, y)), (changing, (x, y))):
        for got, want in zip(jit(function)(*map(np.copy, args)), function(*map(np.copy, args)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    assert "(tensor<50x50xf64>, tensor<50x50xf64>)" not in compiled_text(scaled, 0.3, x, x.T, x[0])
    before, _, loop = compiled_text(rows_by_fixed, x, y).partition("stablehlo.while")
    assert before.count('"stablehlo.dot_general"') == 3 and "stablehlo.dot" not in loop
    assert "stablehlo.dot" not in compiled_text(changing, x, y).partition("stablehlo.while")[0]


def convolution(x, w):
    y = np.zeros((3, 4, 4, 5))
    for i in range(4):
        for j in range(4):
            y[:, i, j] = np.sum(x[:, i:i + 3, j:j + 3, :, None] * w, axis=(1, 2, 3))
    return np.sum(np.tanh(y))


def sums_of_products(x, y):
    product = x[:, None] * y
    kept = np.sum(product, axis=2, keepdims=True)
    stacks = np.sum(x[:, :, None] * x[:, None], axis=0), np.sum(x[:, None] * y[:4, None, :], axis=2)
    x[0] = 2.0
    scaled = x[:, None] * y
    x[1] = 3.0
    return kept, np.sum(scaled, axis=(0, 2)), np.sum(scaled, axis=2), np.sum(x[:, None] * y, axis=2), *stacks


def test_compiled_sums_of_products_are_contractions(monkeypatch):
    x, w = RNG.normal(size=(3, 6, 6, 2)), RNG.normal(size=(3, 3, 2, 5))
    monkeypatch.setattr(contract_sums, "WORK", 0)
    monkeypatch.setattr(contraction, "SMALL", 0)
    check_grads(jit(convolution), (x, w), order=1)
    np.testing.assert_allclose(jit(convolution)(x, w), convolution(x, w), rtol=1e-12)
    assert "stablehlo.dot_general" in compiled_text(convolution, x, w)
    a, b = RNG.normal(size=(4, 6)), RNG.normal(size=(5, 6))
    for got, want in zip(jit(sums_of_products)(np.copy(a), b), sums_of_products(np.copy(a), b), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    assert compiled_text(sums_of_products, np.copy(a), b).count("stablehlo.dot_general") == 3


def test_small_sums_of_products_stay():
    assert "stablehlo.dot_general" not in compiled_text(convolution, np.zeros((3, 6, 6, 2)), np.zeros((3, 3, 2, 5)))
