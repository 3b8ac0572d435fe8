"""copy.copy and copy.deepcopy of abstract arrays, and of what holds them."""

import collections
import copy
import dataclasses
import pickle

import numpy as np
import pytest

import transformer as T

X = np.array([0.7, 0.6, 1.3])
TABLE = {"w": np.array([1.0, 2.0, 3.0]), "b": [np.array(2.0)]}


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    act: object = None


def parameters(x):
    first = {"a": x, "b": [x * 2, x], "n": 3, "act": np.sin}
    second = copy.deepcopy(first)
    second["a"][0] = 5.0
    second["b"][0] *= 2
    return np.sum(first["a"]) + 2 * np.sum(second["a"]) + 3 * np.sum(second["b"][0]) + 5 * np.sum(second["b"][1]) + np.sum(second["act"](x))


def shallow(x):
    first = [x * 2, [x * 3]]
    second = copy.copy(first)
    second[0] = x
    second[1][0][1] = 7.0
    return np.sum(first[0]) + np.sum(first[1][0]) + np.sum(second[0])


def objects(x):
    layer = Layer(x * 2, lambda v: v * x[0])
    other = copy.deepcopy(layer)
    other.w[0] = 1.0
    third = dataclasses.replace(other, w=copy.copy(other.w))
    third.w[1] = 7.0
    return np.sum(other.act(other.w)) + 3 * np.sum(third.w) + np.sum(layer.w)


def best(x):
    kept = copy.deepcopy(x)
    for i in range(20):
        x = x * 1.01 - 0.01 * i
        if np.sum(x) < np.sum(kept):
            kept = copy.deepcopy(x)
    return kept @ kept


def outer(x):
    table = copy.deepcopy(TABLE)
    table["w"][1] = x[0]
    table["b"][0] += x[1]
    return table["w"] @ x + table["b"][0] * np.sum(TABLE["w"])


def scalars(x):
    a = np.array(2.0)
    b = copy.deepcopy(a)
    b += x[0]
    row = copy.copy(collections.deque([x[1:], x[:2]], maxlen=2))
    return a * b + copy.copy(x[1]) * copy.deepcopy(float(x[2])) + row[0] @ row[1]


@pytest.mark.parametrize("fn", [parameters, shallow, objects, best, outer, scalars])
def test_copies(fn):
    np.testing.assert_allclose(T.jvp(fn, (X,), (X,))[0], fn(X))
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.grad(fn)(X), [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(3) * 1e-6], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(T.vmap(fn)(np.stack([X, 2 * X])), [fn(X), fn(2 * X)])


def test_an_abstract_value_is_not_pickled():
    with pytest.raises(T.TransformError, match="cannot be pickled"):
        T.grad(lambda x: np.sum(pickle.loads(pickle.dumps(x))))(X)
