"""Small optimisers: each is a pair of functions, init and update.

    optimiser = adam(1e-3)
    state = optimiser.init(params)
    params, state = optimiser.update(grads, state, params)

Parameters, gradients and states are pytrees of one structure; update is plain arithmetic on their leaves, so it works un-jitted, under
`jit`, as the carry of a scan, on NumPy arrays and on device arrays. A learning rate may be a number or a function of the step, from 0.
"""

from typing import Any, NamedTuple

import numpy as np

from . import tree


class Optimiser(NamedTuple):
    """init(params) -> state; update(grads, state, params) -> (new params, new state)."""

    init: Any
    update: Any


class Momentum(NamedTuple):
    """State of `momentum`: number of steps taken, velocity of each parameter."""

    step: Any
    velocity: Any


class Moments(NamedTuple):
    """State of `adam`: number of steps taken, averages of the gradients and of their squares."""

    step: Any
    first: Any
    second: Any


def rate_at(learning_rate, step):
    return learning_rate(step) if callable(learning_rate) else learning_rate


def zeros(params):
    return tree.map(np.zeros_like, params)


def sgd(learning_rate):
    """Plain gradient descent. The state is the number of steps.

    >>> optimiser = sgd(0.5)
    >>> optimiser.update({"w": 2.0}, optimiser.init({"w": 1.0}), {"w": 1.0})
    ({'w': 0.0}, 1)
    """
    def init(params):
        return 0

    def update(grads, state, params):
        rate = rate_at(learning_rate, state)
        return tree.map(lambda p, g: p - rate * g, params, grads), state + 1
    return Optimiser(init, update)


def momentum(learning_rate, mass=0.9, nesterov=False):
    """Gradient descent with a velocity that keeps the share `mass` of itself in each step; nesterov: look ahead along it.

    Source: Polyak (1964), Nesterov (1983), in the form of Sutskever et al. (2013).
    """
    def init(params):
        return Momentum(0, zeros(params))

    def update(grads, state, params):
        rate = rate_at(learning_rate, state.step)
        velocity = tree.map(lambda v, g: mass * v + g, state.velocity, grads)
        moves = tree.map(lambda v, g: mass * v + g, velocity, grads) if nesterov else velocity
        return tree.map(lambda p, m: p - rate * m, params, moves), Momentum(state.step + 1, velocity)
    return Optimiser(init, update)


def adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    """Steps scaled by running averages of the gradient and of its square.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015).
    """
    def init(params):
        return Moments(0, zeros(params), zeros(params))

    def update(grads, state, params):
        rate, step = rate_at(learning_rate, state.step), state.step + 1
        first = tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.first, grads)
        second = tree.map(lambda v, g: b2 * v + (1 - b2) * (g * g), state.second, grads)
        bias1, bias2 = 1 - b1 ** step, 1 - b2 ** step
        params = tree.map(lambda p, m, v: p - rate * (m / bias1) / (np.sqrt(v / bias2) + eps), params, first, second)
        return params, Moments(step, first, second)
    return Optimiser(init, update)


__all__ = ["Moments", "Momentum", "Optimiser", "adam", "momentum", "sgd"]
