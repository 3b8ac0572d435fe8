"""Trigonometric and hyperbolic functions and their inverses."""

import numpy as np

from .op import elementwise
from .samples import ANY


@elementwise(np.sin, lower="sine", samples=ANY)
def sin(g, x, out):
    return g * np.cos(x)


@elementwise(np.cos, lower="cosine", samples=ANY)
def cos(g, x, out):
    return -g * np.sin(x)


@elementwise(np.tanh, lower="tanh", samples=ANY)
def tanh(g, x, out):
    return g * (1 - out ** 2)
