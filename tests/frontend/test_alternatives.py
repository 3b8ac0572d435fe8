"""Lists at positions that only the run knows, and items in the order of keys that only the run knows."""

import numpy as np
import pytest

from transformer import grad, jit, vmap

X = np.array([0.31, 0.22, 0.83, 0.54, 0.95])


def counters(x):
    counts = [0.0] * 3
    for v in x:
        counts[int(v * 3)] += v
    return counts[0] * counts[1] + counts[2]


def integers_become_floats(x):
    kept = [0] * 6
    for i in range(5):
        j = int(x[i] * 5)
        kept[j] = kept[j] + 1
        kept[j - 1] = x[i]
    return sum(kept) * kept[2]


def insertion(x):
    kept = list(x)
    for i in range(1, len(kept)):
        moving, j = kept[i], i - 1
        while j >= 0 and kept[j] > moving:
            kept[j + 1] = kept[j]
            j -= 1
        kept[j + 1] = moving
    return kept[2] * 2 + kept[0]


def arrays_and_tuples(x):
    k = int(x[0] * 4) % 2
    pairs = [(x[0], 2 * x), (x[1], x ** 2)]
    a, b = pairs[k]
    return a * np.sum(b) + [1.0, 2.0, 3.0][-k - 1]


def order_of_positions(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    return x[order[0]] * 2 + x[order[-1]]


def order_of_tuples(x):
    pairs = sorted([(np.round(x[i] * 2), i) for i in range(5)])
    return sum(x[i] * (k + 1) for k, (_, i) in enumerate(pairs))


def descending(x):
    pairs = sorted(enumerate(x), key=lambda p: np.round(2 * p[1]), reverse=True)
    return sum(v * (j + 1) for j, (_, v) in enumerate(pairs))


def largest(x):
    heap = [x[0], x[1], x[2]]
    for v in x[3:]:
        m = min(range(3), key=lambda i: heap[i])
        if v > heap[m]:
            heap[m] = v
    return heap[0] + heap[1] * 2 + heap[2] * 3 * max(x, key=lambda v: -v)


def every_element(x):
    return sum(v * (i + 1) for (i,), v in np.ndenumerate(x)) * np.fromiter((2 * v for v in x), float)[1]


CASES = [counters, integers_become_floats, insertion, arrays_and_tuples, order_of_positions, order_of_tuples, descending, largest, every_element]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    want = [(f(X + d) - f(X - d)) / 2e-6 for d in np.eye(5) * 1e-6]
    rows = np.stack([X, X[::-1], 0.9 * X])
    np.testing.assert_allclose(jit(f)(X), f(X))
    for gradient in (grad(f), jit(grad(f))):
        np.testing.assert_allclose(gradient(X), want, atol=1e-6)
    for batched in (vmap(f), jit(vmap(f))):
        np.testing.assert_allclose(batched(rows), [f(row) for row in rows])


def test_a_position_out_of_range_is_an_error():
    compiled = jit(lambda x, i: [x, 2 * x][i])
    assert compiled(1.5, -1) == 3.0
    for bad in (2, -3):
        with pytest.raises(IndexError, match="out of bounds"):
            float(compiled(1.5, bad))


def test_the_first_of_equal_items_is_taken():
    compiled = jit(lambda x: max([(0, x), (1, x)], key=lambda p: p[1])[0] + 10 * min([(0, x), (1, x)], key=lambda p: p[1])[0])
    assert compiled(1.5) == 0
