"""scipy.optimize as JAX has it: `minimize` by the method of Broyden, Fletcher, Goldfarb and Shanno.

Source of the line search: Lewis and Overton, Nonsmooth optimization via quasi-Newton methods (2013).
"""

from typing import Any, NamedTuple

from .. import numpy as jnp
from ..api import value_and_grad
from ..errors import ShapeError, TransformError, TypeMismatch

SLOPE, CURVATURE = 1e-4, 0.9
"""How much of the decrease that the slope promises, and how much of the slope at most, is wanted of a step."""


class OptimizeResults(NamedTuple):
    """What `minimize` returns; status: 0, or 1 after too many rounds, or 3 if a line search fails."""

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: Any
    njev: Any
    nit: Any


def settings(method, tol, options, size):
    """(the gradient's size that is small enough, the order of its norm, rounds, rounds of a line search)."""
    if not isinstance(method, str) or method.lower() != "bfgs":
        raise TransformError(f"minimize(method={method!r}) is not known", "Choose method='BFGS'.")
    given = {"gtol": 1e-5 if tol is None else tol, "norm": jnp.inf, "maxiter": 200 * size, "line_search_maxiter": 30, **(options or {})}
    if len(given) > 4:
        raise TypeMismatch(f"minimize has no option {sorted(given)}", "It has gtol, norm, maxiter and line_search_maxiter.")
    return given["gtol"], given["norm"], 200 * size if given["maxiter"] is None else given["maxiter"], given["line_search_maxiter"]


def step_length(along, value, slope, rounds):
    """(the length of a step that lowers the function enough and makes it less steep, how often it was looked at, whether there is one)."""
    low, high, t, count, found = 0.0 * value, jnp.inf + 0.0 * value, 1.0 + 0.0 * value, 0, False
    while (count < rounds) & ~jnp.asarray(found):
        new_value, new_slope = along(t)
        too_far = ~(new_value <= value + SLOPE * t * slope)
        too_short = ~too_far & (new_slope < CURVATURE * slope)
        high, low = jnp.where(too_far, t, high), jnp.where(too_short, t, low)
        found = ~too_far & ~too_short
        t = jnp.where(found, t, jnp.where(jnp.isinf(high), 2.0 * t, (low + high) / 2.0))
        count = count + 1
    return t, count, found


def minimize(fun, x0, args=(), *, method, tol=None, options=None):
    """The least value of fun(x, *args) near x0, a vector.

    method: "BFGS". tol: the largest size of the gradient. options: gtol, norm (order of the gradient's norm), maxiter, line_search_maxiter.

    >>> import numpy as np
    >>> minimize(lambda x: np.sum((x - 3.0) ** 2), np.zeros(2), method="BFGS").x
    Array([3., 3.], dtype=float32)
    """
    x = jnp.asarray(x0) * 1.0
    if x.ndim != 1:
        raise ShapeError(f"minimize from an array of shape {x.shape}", "Give a vector.")
    gtol, order, rounds, line_rounds = settings(method, tol, options, x.shape[0])
    evaluate = value_and_grad(lambda x: fun(x, *args))
    value, slope = evaluate(x)
    inverse, count, looked, failed = jnp.eye(x.shape[0], dtype=x.dtype), 0, 1, False
    while (count < rounds) & (jnp.linalg.norm(slope, order) > gtol) & ~jnp.asarray(failed):
        direction = -(inverse @ slope)

        def along(t):
            found, gradient = evaluate(x + t * direction)
            return found, gradient @ direction
        t, tried, found = step_length(along, value, slope @ direction, line_rounds)
        step = t * direction
        new_value, new_slope = evaluate(x + step)
        failed = ~jnp.asarray(found) & ~(new_value < value)
        change = new_slope - slope
        curvature = change @ step
        usable = curvature > 0
        weight = jnp.where(usable, 1.0 / jnp.where(usable, curvature, 1.0), 0.0)
        turned = jnp.eye(x.shape[0], dtype=x.dtype) - weight * jnp.outer(step, change)
        inverse = turned @ inverse @ turned.T + weight * jnp.outer(step, step)
        x, value, slope = jnp.where(failed, x, x + step), jnp.where(failed, value, new_value), jnp.where(failed, slope, new_slope)
        count, looked = count + 1, looked + tried + 1
    small = jnp.linalg.norm(slope, order) <= gtol
    status = jnp.where(small, 0, jnp.where(failed, 3, 1))
    return OptimizeResults(x, small, status, value, slope, inverse, looked, looked, count)


__all__ = ["OptimizeResults", "minimize"]
