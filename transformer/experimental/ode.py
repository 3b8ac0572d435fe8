"""Ordinary differential equations with JAX's signature: `odeint`, a loop of steps of an embedded Runge-Kutta method of order 5.

Derivatives in both modes are those of the steps, whose lengths, as parts of the time between two results, are taken as fixed.
Source: J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta formulae (1980).
"""

from .. import numpy as jnp
from ..api import vmap
from ..errors import TypeMismatch
from ..flatten_util import ravel_pytree
from ..lax import stop_gradient
from ..ops.scipy.integrate import ERROR, FIRST_STEP, NODES, STAGES


def advanced(slope, y, start, stop, rtol, atol, mxstep, hmax):
    """The solution at `stop` of y' = slope(y, t), from y at `start`; time runs from 0 to 1 in units of the span."""
    span = stop - start
    fixed = stop_gradient(span)
    s, h, count = 0.0 * fixed, FIRST_STEP + 0.0 * fixed, 0
    most = jnp.minimum(hmax / jnp.maximum(jnp.abs(fixed), 1e-30), 1.0)
    while (s < 1.0) & (count < mxstep):
        h = jnp.minimum(jnp.minimum(h, 1.0 - s), most)
        slopes = [span * slope(y, start + s * span)]
        for node, weights in zip(NODES, STAGES):
            moved = y + h * sum([w * k for w, k in zip(weights, slopes) if w != 0.0])
            slopes.append(span * slope(moved, start + (s + node * h) * span))
        error = h * sum([w * k for w, k in zip(ERROR, slopes) if w != 0.0])
        size = stop_gradient(jnp.max(jnp.abs(error) / (atol + rtol * jnp.maximum(jnp.abs(y), jnp.abs(moved)))))
        accepted = size <= 1.0
        s = jnp.where(accepted, jnp.where(h >= 1.0 - s, 1.0, s + h), s)
        y = jnp.where(accepted, moved, y)
        h = h * jnp.clip(0.9 * jnp.maximum(size, 1e-10) ** -0.2, 0.2, 5.0)
        count = count + 1
    return y


def odeint(func, y0, t, *args, rtol=1.4e-8, atol=1.4e-8, mxstep=jnp.inf, hmax=jnp.inf):
    """The solution of dy/dt = func(y, t, *args) with y(t[0]) = y0 at the times `t`, along a first axis of the leaves.

    func: returns a pytree like y0. t: increasing or decreasing times. rtol, atol: relative and absolute errors of a step. mxstep: the most
    steps between two times. hmax: the longest step. Raises TypeMismatch where func returns other leaves than y0 has.

    >>> print(odeint(lambda y, t, rate: -rate * y, 1.0, jnp.array([0.0, 1.0, 2.0]), 0.5).round(4))
    [1.     0.6065 0.3679]
    """
    y, unravel = ravel_pytree(y0)
    y, times = y * 1.0, jnp.asarray(t) * 1.0

    def slope(y, now):
        found = ravel_pytree(func(unravel(y), now, *args))[0]
        if found.shape != y.shape:
            raise TypeMismatch(f"odeint: func returns {found.shape[0]} numbers, y0 has {y.shape[0]}", "Return a pytree like y0.")
        return found

    rows = jnp.zeros((times.shape[0], y.shape[0]), y.dtype).at[0].set(y)
    for i in range(1, times.shape[0]):
        y = advanced(slope, y, times[i - 1], times[i], rtol, atol, mxstep, hmax)
        rows = rows.at[i].set(y)
    return vmap(unravel)(rows)


__all__ = ["odeint"]
