"""Optimisers as triples of functions, and schedules of step sizes.

    init, update, params_of = adam(1e-3)
    state = init(params)
    state = update(step, grads, state)
    params = params_of(state)

The state is a pytree: it is an argument and a result of compiled functions, and the carry of loops. A step size may be a number or
a function of the step, which counts from 0. `transformer.optim` has the same in another form.
"""

import functools
from typing import Any, NamedTuple

from .. import numpy as jnp
from .. import tree_util


class Optimizer(NamedTuple):
    """init(params) -> state; update(step, grads, state) -> state; params(state) -> params."""

    init_fn: Any
    update_fn: Any
    params_fn: Any


@tree_util.register_pytree_node_class
class Slot:
    """What an optimiser keeps for one array among the parameters."""

    def __init__(self, kept):
        self.kept = kept

    def tree_flatten(self):
        return (self.kept,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


def is_slot(value):
    return isinstance(value, Slot)


def optimizer(opt_maker):
    """Makes an optimiser of pytrees out of one for a single array.

    opt_maker(...) returns init(x) -> kept, update(step, g, kept) -> kept and get(kept) -> x.
    """
    @functools.wraps(opt_maker)
    def make(*args, **kwargs):
        init_one, update_one, get_one = opt_maker(*args, **kwargs)

        def init(params):
            return tree_util.tree_map(lambda x: Slot(init_one(x)), params)

        def update(i, grads, state):
            return tree_util.tree_map(lambda g, slot: Slot(update_one(i, g, slot.kept)), grads, state)

        def get_params(state):
            return tree_util.tree_map(lambda slot: get_one(slot.kept), state, is_leaf=is_slot)
        return Optimizer(init, update, get_params)
    return make


def first(kept):
    return kept[0]


# optimisers ---------------------------------------------------------------------------------------------------------------
@optimizer
def sgd(step_size):
    """Gradient descent."""
    step_size = make_schedule(step_size)
    return lambda x: x, lambda i, g, x: x - step_size(i) * g, lambda x: x


@optimizer
def momentum(step_size, mass):
    """Gradient descent with a velocity that keeps `mass` of itself."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, velocity = kept
        velocity = mass * velocity + g
        return x - step_size(i) * velocity, velocity
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def nesterov(step_size, mass):
    """Momentum whose gradient is taken where the velocity leads. Source: Nesterov 1983."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, velocity = kept
        velocity = mass * velocity + g
        return x - step_size(i) * (mass * velocity + g), velocity
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def adagrad(step_size, momentum=0.9):
    """Gradients over the root of the sum of their squares. Source: Duchi, Hazan and Singer 2011."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, squares, velocity = kept
        squares = squares + jnp.square(g)
        some = squares > 0
        scaled = jnp.where(some, g / jnp.sqrt(jnp.where(some, squares, 1.0)), 0.0)
        velocity = (1.0 - momentum) * scaled + momentum * velocity
        return x - step_size(i) * velocity, squares, velocity
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def rmsprop(step_size, gamma=0.9, eps=1e-8):
    """Gradients over the root of the running mean of their squares. Source: Tieleman and Hinton 2012."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, squares = kept
        squares = gamma * squares + (1.0 - gamma) * jnp.square(g)
        return x - step_size(i) * g / jnp.sqrt(squares + eps), squares
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def rmsprop_momentum(step_size, gamma=0.9, eps=1e-8, momentum=0.9):
    """`rmsprop` with a velocity of steps."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, squares, velocity = kept
        squares = gamma * squares + (1.0 - gamma) * jnp.square(g)
        velocity = momentum * velocity + step_size(i) * g / jnp.sqrt(squares + eps)
        return x - velocity, squares, velocity
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def adam(step_size, b1=0.9, b2=0.999, eps=1e-8):
    """Running means of gradients and of their squares, corrected for their start at zero. Source: Kingma and Ba 2015."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, mean, squares = kept
        mean = (1 - b1) * g + b1 * mean
        squares = (1 - b2) * jnp.square(g) + b2 * squares
        steps = jnp.asarray(i, jnp.result_type(x)) + 1
        mean_hat, squares_hat = mean / (1 - b1 ** steps), squares / (1 - b2 ** steps)
        return x - step_size(i) * mean_hat / (jnp.sqrt(squares_hat) + eps), mean, squares
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def adamax(step_size, b1=0.9, b2=0.999, eps=1e-8):
    """Adam with the decaying maximum of the gradients in place of the mean of squares. Source: Kingma and Ba 2015, section 7."""
    step_size = make_schedule(step_size)

    def update(i, g, kept):
        x, mean, largest = kept
        mean = (1 - b1) * g + b1 * mean
        largest = jnp.maximum(b2 * largest, jnp.abs(g))
        steps = jnp.asarray(i, jnp.result_type(x)) + 1
        return x - step_size(i) / (1 - b1 ** steps) * mean / (largest + eps), mean, largest
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def sm3(step_size, momentum=0.9):
    """Adagrad with one accumulator for each row of each axis. Source: Anil, Gupta, Koren and Singer 2019."""
    step_size = make_schedule(step_size)

    def along(x, axis):
        """A vector over an axis, as it broadcasts against the array."""
        return lambda v: jnp.reshape(v, tuple(n if k == axis else 1 for k, n in enumerate(x.shape)))

    def init(x):
        x = jnp.asarray(x)
        return x, jnp.zeros_like(x), [jnp.zeros(n, x.dtype) for n in x.shape]

    def update(i, g, kept):
        x, velocity, rows = kept
        bound = functools.reduce(jnp.minimum, [along(x, k)(row) for k, row in enumerate(rows)], jnp.inf)
        squares = (bound if rows else 0.0) + jnp.square(g)
        scaled = jnp.where(squares > 0, g / jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)
        velocity = (1.0 - momentum) * scaled + momentum * velocity
        rows = [jnp.max(squares, axis=tuple(a for a in range(len(rows)) if a != k)) for k in range(len(rows))]
        return x - step_size(i) * velocity, velocity, rows
    return init, update, first


# schedules ----------------------------------------------------------------------------------------------------------------
def constant(step_size):
    """The same step size at every step."""
    return lambda i: step_size


def exponential_decay(step_size, decay_steps, decay_rate):
    """step_size * decay_rate ** (i / decay_steps)."""
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(step_size, decay_steps, decay_rate, staircase=False):
    """step_size / (1 + decay_rate * i / decay_steps); staircase: i / decay_steps is rounded down."""
    if staircase:
        return lambda i: step_size / (1 + decay_rate * jnp.floor(i / decay_steps))
    return lambda i: step_size / (1 + decay_rate * i / decay_steps)


def polynomial_decay(step_size, decay_steps, final_step_size, power=1.0):
    """From `step_size` to `final_step_size` in `decay_steps` steps, along a power of what is left."""
    def schedule(i):
        left = 1 - jnp.minimum(i, decay_steps) / decay_steps
        return left ** power * (step_size - final_step_size) + final_step_size
    return schedule


def piecewise_constant(boundaries, values):
    """values[k] after k of the boundaries."""
    boundaries, values = jnp.array(boundaries), jnp.array(values)
    if boundaries.ndim != 1 or values.shape != (boundaries.shape[0] + 1,):
        raise ValueError(f"piecewise_constant needs one value more than boundaries, not {values.shape} and {boundaries.shape}")
    return lambda i: values[jnp.sum(i > boundaries)]


def make_schedule(scalar_or_schedule):
    """A function of the step: the given one, or the one that returns the given number."""
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if jnp.ndim(scalar_or_schedule):
        raise TypeError(f"a step size is a number or a function of the step, not {type(scalar_or_schedule).__name__}")
    return constant(scalar_or_schedule)


# gradients and states -----------------------------------------------------------------------------------------------------
def l2_norm(tree):
    """The Euclidean norm of all arrays in a pytree together."""
    return jnp.sqrt(sum(jnp.vdot(x, x) for x in tree_util.tree_leaves(tree)))


def clip_grads(grad_tree, max_norm):
    """Gradients scaled down to a norm of `max_norm` if theirs is larger."""
    norm = l2_norm(grad_tree)
    return tree_util.tree_map(lambda g: jnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree)


class JoinPoint:
    """What an optimiser keeps for one array, as a leaf of the tree that `unpack_optimizer_state` gives."""

    def __init__(self, subtree):
        self.subtree = subtree


def unpack_optimizer_state(opt_state):
    """The state as a tree like the parameters, with `JoinPoint`s in the place of arrays: to be stored."""
    return tree_util.tree_map(lambda slot: JoinPoint(slot.kept), opt_state, is_leaf=is_slot)


def pack_optimizer_state(marked_pytree):
    """The state out of the tree that `unpack_optimizer_state` gave."""
    return tree_util.tree_map(lambda point: Slot(point.subtree), marked_pytree, is_leaf=lambda v: isinstance(v, JoinPoint))
