"""Containers, objects and functions as values."""

import functools
import operator
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from . import sample

R = np.random.RandomState(3)
Pair = namedtuple("Pair", "left right")
SCALE = np.array([1.0, 2.0, 3.0])


@dataclass
class Layer:
    w: object
    b: object


class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, amount):
        self.value = self.value + amount
        return self


@sample([(R.randn(3, 4), R.randn(4)), (R.randn(4, 2), R.randn(2))], R.randn(3))
def perceptron(params, x):
    for w, b in params:
        z = x @ w + b
        x = np.maximum(z, 0.1)
    return z


@sample({"w": R.randn(3), "b": 0.5, "extra": [R.randn(2)]})
def dictionary(p):
    total = 0.0
    for key, value in sorted(p.items()):
        if key == "extra":
            total = total + np.sum(value[0] ** 2)
        else:
            total = total + np.sum(value * 2.0)
    return total * p["b"]


@sample(Pair(np.array([1.0, 2.0]), 3.0))
def named(p):
    left, right = p
    return left * right + p.left ** 2


@sample(Layer(R.randn(2, 2), R.randn(2)))
def dataclass_argument(layer):
    return np.tanh(layer.w @ layer.b + layer.b)


@sample(R.randn(4, 4) * 0.5)
def growing_list(w):
    h = np.ones(4)
    states = []
    for _ in range(6):
        h = np.tanh(w @ h)
        states.append(h)
    stacked = np.stack(states)
    firsts = np.array([s[0] for s in states])
    return np.sum(stacked[::2] ** 2) + states[-1][1] + firsts[3:].mean()


@sample(R.randn(3))
def objects(x):
    counter = Counter(x * 2.0)
    for i in range(5):
        counter.add(x * i)
    return counter.value ** 2


@sample(R.randn(3))
def higher_order(x):
    parts = list(map(lambda v: v * v, [x[0], x[1], x[2]]))
    return functools.reduce(operator.mul, parts) + sum(parts) + max(parts)


@sample(R.randn(3))
def closure_over_global(x):
    return x * SCALE + SCALE[0]


@sample(R.randn(5))
def unpacking(x):
    first, *middle, last = x
    (a, b), c = (first, middle[0]), last
    return a * b + c * sum(middle)


@sample({"a": 1.5, "b": (2.0, np.array([0.5, 0.25]))})
def structured_output(p):
    return {"x": p["a"] * p["b"][0], "y": [p["b"][1] ** 2, p["a"]]}
