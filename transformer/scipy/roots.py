"""scipy.optimize: roots of functions of one number. Derivatives are those of the root, not of the iterations that find it.

Source of the search in a bracket: Brent, Algorithms for Minimization without Derivatives (1973).
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from ..errors import TransformError
from ..lax import control
from ..ops.op import FUNCTIONS


class RootResults(NamedTuple):
    """What scipy.optimize.root_scalar returns, as far as it is known here."""

    root: Any
    converged: Any = True
    flag: str = "converged"


def refuse(name, **options):
    for option, value in options.items():
        if value:
            raise TransformError(f"{name}({option}=...) is not known to transformer", "Leave it out.")


def implicit(function, start, search):
    """The root that `search(function, start)` finds, with the derivatives of the root by what the function reads from outside."""
    return control.custom_root(function, start, search, lambda linear, y: y / linear(1.0))


def bracketed(f, a, b, xtol, rtol, maxiter, disp):
    """A root of f between a and b, to within xtol + rtol * |root|: by secants and parabolas, by halves where these do not help."""
    last, now = a * 1.0, b * 1.0
    f_last, f_now = f(last), f(now)
    if np.sign(f_last) * np.sign(f_now) > 0:
        raise ValueError("f(a) and f(b) must have different signs")
    other, f_other = last, f_last
    step = before = now - last
    count = 0
    while (f_now != 0) & (count <= maxiter):
        same = np.sign(f_now) * np.sign(f_other) > 0
        other, f_other = np.where(same, last, other), np.where(same, f_last, f_other)
        step, before = np.where(same, now - last, step), np.where(same, now - last, before)
        swap = np.abs(f_other) < np.abs(f_now)
        last, now, other = np.where(swap, now, last), np.where(swap, other, now), np.where(swap, now, other)
        f_last, f_now, f_other = np.where(swap, f_now, f_last), np.where(swap, f_other, f_now), np.where(swap, f_now, f_other)
        smallest = 0.5 * (xtol + rtol * np.abs(now))
        half = 0.5 * (other - now)
        if np.abs(half) < smallest:
            break
        tried = interpolated(now, last, other, f_now, f_last, f_other)
        good = ((np.abs(before) > smallest) & (np.abs(f_now) < np.abs(f_last))
                & (2 * np.abs(tried) < np.minimum(np.abs(before), 3 * np.abs(half) - smallest)))
        moved = np.where(good, tried, half)
        before = np.where(good, step, half)
        step = moved
        last, f_last = now, f_now
        now = now + np.where(np.abs(step) > smallest, step, np.where(half > 0, smallest, -smallest))
        f_now = f(now)
        count = count + 1
    if disp and count > maxiter:
        raise RuntimeError("Failed to converge.")
    return now


def interpolated(now, last, other, f_now, f_last, f_other):
    """The step to where the secant through two points, or the inverse parabola through three, is 0; infinite where there is none."""
    two = last == other
    by_last, by_other = quotient(f_last - f_now, last - now), quotient(f_other - f_now, other - now)
    return np.where(two, quotient(-f_now, by_last), quotient(-f_now * (f_other * by_other - f_last * by_last), by_other * by_last * (f_other - f_last)))


def quotient(top, bottom):
    return np.where(bottom == 0, np.inf, top / np.where(bottom == 0, 1.0, bottom))


def brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False, disp=True):
    """scipy.optimize.brentq without full_output."""
    refuse("brentq", full_output=full_output)
    args = args if isinstance(args, tuple) else (args,)
    return implicit(lambda x: f(x, *args), a, lambda g, start: bracketed(g, start, b, xtol, rtol, maxiter, disp))


def toms748(f, a, b, args=(), k=1, xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, full_output=False, disp=True):
    """scipy.optimize.toms748 without full_output, by Brent's method."""
    return brentq(f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def by_secants(f, x0, x1, tol, rtol, maxiter, disp):
    """A root of f by the secant through the last two points."""
    p0 = x0 * 1.0
    p1 = x0 * (1 + 1e-4) + np.where(x0 >= 0, 1e-4, -1e-4) if x1 is None else x1 * 1.0
    q0, q1 = f(p0), f(p1)
    swap = np.abs(q1) < np.abs(q0)
    p0, p1, q0, q1 = np.where(swap, p1, p0), np.where(swap, p0, p1), np.where(swap, q1, q0), np.where(swap, q0, q1)
    count = 0
    while (np.abs(p1 - p0) > tol + rtol * np.abs(p0)) & (count <= maxiter) & (q1 != q0):
        steep = np.abs(q1) > np.abs(q0)
        s = np.where(steep, q0, q1) / np.where(steep, q1, q0)
        p = np.where(steep, p0 - s * p1, p1 - s * p0) / (1 - s)
        p0, q0 = p1, q1
        p1, q1 = p, f(p)
        count = count + 1
    if disp and count > maxiter:
        raise RuntimeError("Failed to converge.")
    return np.where(q1 == q0, (p1 + p0) / 2.0, p1)


def by_tangents(f, slope, bend, x0, tol, rtol, maxiter, disp):
    """A root of f by Newton's method, or by Halley's with a second derivative."""
    p = x0 * 1.0
    value = f(p)
    step = value / slope(p)
    count = 0
    while (value != 0) & (count <= maxiter):
        if bend is not None:
            adjusted = 0.5 * step * bend(p) / slope(p)
            step = np.where(np.abs(adjusted) < 1, step / (1.0 - adjusted), step)
        p = p - step
        if np.abs(step) <= tol + rtol * np.abs(p + step):
            break
        value = f(p)
        step = value / slope(p)
        count = count + 1
    if disp and count > maxiter:
        raise RuntimeError("Failed to converge.")
    return p


def newton(func, x0, fprime=None, args=(), tol=1.48e-8, maxiter=50, fprime2=None, x1=None, rtol=0.0, full_output=False, disp=True):
    """scipy.optimize.newton from one number, without full_output."""
    refuse("newton", full_output=full_output)
    if np.ndim(x0):
        raise TransformError("newton from an array is not known to transformer", "Use vmap.")
    if fprime is None:
        return implicit(lambda x: func(x, *args), x0, lambda g, start: by_secants(g, start, x1, tol, rtol, maxiter, disp))
    bend = None if fprime2 is None else lambda x: fprime2(x, *args)
    return implicit(lambda x: func(x, *args), x0, lambda g, start: by_tangents(g, lambda x: fprime(x, *args), bend, start, tol, rtol, maxiter, disp))


def root_scalar(f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None, rtol=None, maxiter=None, options=None):
    """scipy.optimize.root_scalar: the result has root, converged and flag."""
    refuse("root_scalar", options=options)
    args = args if isinstance(args, tuple) else (args,)
    if bracket is not None and method not in ("newton", "secant", "halley"):
        found = brentq(f, bracket[0], bracket[1], args, 2e-12 if xtol is None else xtol, 8.881784197001252e-16 if rtol is None else rtol,
                       100 if maxiter is None else maxiter)
        return RootResults(found)
    if x0 is None or fprime is True or fprime2 is True:
        raise TransformError("root_scalar needs bracket=, or x0= with functions fprime= and fprime2=", "Pass them.")
    slope = None if method == "secant" else fprime
    bend = None if method in ("newton", "secant") else fprime2
    return RootResults(newton(f, x0, slope, args, 1.48e-8 if xtol is None else xtol, 50 if maxiter is None else maxiter, bend, x1,
                              0.0 if rtol is None else rtol))


for _function in (newton, root_scalar, toms748, brentq):
    _function.entered = True
    FUNCTIONS[getattr(scipy.optimize, _function.__name__)] = _function
for _name in ("brenth", "ridder", "bisect"):
    FUNCTIONS[getattr(scipy.optimize, _name)] = brentq
