"""Products that reverse loops add up: taken out of the loop where nothing reads the sum there, with the same gradients."""

import numpy as np
import pytest

from tests.transforms.programs import check_function
from transformer import grad
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
