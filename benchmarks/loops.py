"""Python loops of many steps, jit(grad): the first result (transforming, compiling, running) and later ones, against lax.scan by hand."""

import types

import numpy as np

from .contest import Contest, Contestant, calls, jax_with, seconds, slopes, wait, waited


def populations(rates, start, steps):
    """Euler's method on the equations of Lotka and Volterra; the sum of the populations at the end."""
    state = start
    for _ in range(steps):
        x, y = state
        state = state + 0.01 * np.array([rates[0] * x - rates[1] * x * y, rates[2] * x * y - rates[3] * y])
    return np.sum(state)


def jax_populations(rates, start, steps):
    import jax
    import jax.numpy as jnp

    def step(state, _):
        x, y = state
        return state + 0.01 * jnp.array([rates[0] * x - rates[1] * x * y, rates[2] * x * y - rates[3] * y]), None
    return jnp.sum(jax.lax.scan(step, start, None, length=steps)[0])


RATES, START = np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0])


def check(steps):
    return slopes(lambda rates: populations(rates, START, steps), (RATES,), rtol=1e-5)


def ours_of(f):
    import transformer
    return transformer.jit(transformer.grad(f))


def jax_of(f):
    jax = jax_with()
    return jax.jit(jax.grad(f), static_argnums=2)


def euler(steps):
    """Calls after the first."""
    return calls(waited(ours_of(populations), RATES, START, steps), {"jax": lambda: waited(jax_of(jax_populations), RATES, START, steps)},
                 check(steps), rtol=1e-8)


def euler_first(steps):
    """First calls of new functions in a warm process."""
    def contestant(jitted, f):
        def sample():
            fresh = types.FunctionType(f.__code__, f.__globals__, f.__name__)
            return seconds(lambda: wait(jitted(fresh)(RATES + np.random.default_rng().normal(size=4) * 1e-3, START, steps)), 1)
        return Contestant(waited(jitted(f), RATES, START, steps), sample)
    return Contest({"ours": lambda: contestant(ours_of, populations), "jax": lambda: contestant(jax_of, jax_populations)}, check(steps), 1e-8)
