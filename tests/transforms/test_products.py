"""Products that reverse loops add up: taken out of the loop where nothing reads the sum there, with the same gradients."""

import numpy as np
import pytest

from tests.transforms.programs import check_function
from transformer import grad, jit
from transformer.transforms.simplify import collect_products as products

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
