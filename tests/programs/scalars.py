"""Scalar functions: expressions, branches, short circuit."""

import math

import numpy as np

from . import sample


@sample(1.0)
def tanh(x):
    y = np.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)


@sample(-1.5)
@sample(2.0)
def abs_val(x):
    if x > 0:
        return x
    else:
        return -x


@sample(0.7, 1.3, wrt=(0, 1))
def polynomial(x, y):
    return x ** 3 * y - 2 * x * y ** 2 + y / x


@sample(0.4)
def chained(x):
    if 0 < x < 1:
        return x * x
    return 3.0 * x


@sample(2.5)
@sample(-0.5)
@sample(0.5)
def early_return(x):
    if x > 2:
        return x * 2.0
    if x < 0:
        y = x * x
        return y + 1.0
    return np.sin(x)


@sample(1.2, 0.3, wrt=(0, 1))
def ternary(x, y):
    z = x if x > y else y
    return z * (x + 1.0 if y > 0 else x - 1.0)


@sample(0.5, -0.25, wrt=(0, 1))
def short_circuit(x, y):
    if x > 0 and 1.0 / x > 1.5 or y > 0:
        return x * y
    return x - y


@sample(1.5)
def math_functions(x):
    return math.sin(x) * math.exp(-x) + math.sqrt(x) + math.pi * x


@sample(3.0)
def walrus(x):
    if (y := x * x) > 4.0:
        return y * x
    return y


@sample(1.5)
def helper_calls(x):
    def square(v):
        return v * v

    scale = 3.0
    shift = lambda v, by=1.0: scale * v + by
    return shift(square(x)) + shift(x, by=square(x))


def _cube(v, n=3):
    return v ** n


@sample(1.1)
def defaults_and_keywords(x):
    return _cube(x) + _cube(v=x, n=2) + _cube(*(x, 4))


@sample(0.3)
def recursion(x, depth=5):
    if depth == 0:
        return np.cos(x)
    return x * recursion(x, depth - 1) + 1.0


@sample(2.0)
def nested_branches(x):
    if x > 0:
        if x > 1:
            y = x ** 2
        else:
            y = x ** 3
        z = y + x
    else:
        z = -x
    return z * z


@sample(1.7)
def assertion(x):
    assert x > 0, "x must be positive"
    return np.log(x)


@sample(0.9, wrt=(0,))
def augmented(x):
    y = x
    y += 1.0
    y *= x
    y -= 0.5
    y /= 2.0
    y **= 2
    return y
