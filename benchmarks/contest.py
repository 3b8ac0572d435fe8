"""What a row measures: contestants that do the same work, ours first, and how their values are checked.

    Contest({"ours": contestant, "jax": make}, check=right)      `make()` imports the peer and returns its contestant

A contestant gives its value (compared before anything is timed) and samples (seconds or bytes, one a call). `calls` makes them
from plain functions.
"""

import math
import time
import types
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SAMPLE_SECONDS = 2e-3
"""A sample of a short call is the mean of as many calls as take this long."""


class WrongValue(Exception):
    """A contestant computed something else."""


class Contestant(NamedTuple):
    """value() computes what is compared; sample() is one measurement."""

    value: Callable
    sample: Callable


class Contest(NamedTuple):
    """Contestants by name, as functions without arguments that make them; check(value of ours) raises WrongValue."""

    contestants: dict
    check: Callable
    rtol: float = 1e-4
    unit: str = "s"


def calls(ours, peers, check, rtol=1e-4):
    """A contest of calls in this process: ours a function without arguments, peers name -> a function that makes such a function."""
    makers = {"ours": lambda: ours, **peers}
    return Contest({name: lambda make=make: timed(make()) for name, make in makers.items()}, check, rtol)


def timed(call):
    """The contestant of a function without arguments."""
    repeat = None

    def sample():
        nonlocal repeat
        if repeat is None:
            call()
            repeat = max(1, math.ceil(SAMPLE_SECONDS / seconds(call, 1)))
        return seconds(call, repeat)
    return Contestant(call, sample)


def seconds(call, repeat):
    """Mean seconds of `repeat` calls."""
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def wait(value):
    """Wait for all arrays in nested containers that are still being computed; returns the value."""
    if hasattr(value, "block_until_ready"):
        return value.block_until_ready()
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            wait(part)
    return value


def waited(f, *args):
    """The call f(*args), complete when it returns. The arguments are run-time arguments: nothing is folded into the program."""
    return lambda: wait(f(*args))


def leaves(value):
    """The arrays in nested containers, as float64 or integer ndarrays."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def compare(value, wanted, rtol, label):
    """Raise WrongValue unless two values have the same arrays, within rtol of the largest number of each."""
    found, expected = leaves(value), leaves(wanted)
    if [a.shape for a in found] != [a.shape for a in expected]:
        raise WrongValue(f"{label}: shapes {[a.shape for a in found]} against {[a.shape for a in expected]}")
    for a, b in zip(found, expected):
        scale = float(np.max(np.abs(b), initial=0.0))
        if not np.allclose(a, b, rtol=rtol, atol=rtol * scale):
            raise WrongValue(f"{label}: values differ by up to {np.max(np.abs(a - b)):.3g}, where the largest is {scale:.3g}")


def equals(expected, rtol=1e-4):
    """The check that a value is what plain NumPy computes: expected() gives it."""
    return lambda value: compare(value, expected(), rtol, "ours against plain NumPy")


def slopes(f, args, argnum=0, rtol=1e-4, gradient=lambda value: value, step=1e-6):
    """The check of a gradient: along a random direction it equals the finite difference of f, computed by NumPy in float64.

    gradient(value): where in the value the gradient is. f may give one number or an array of them (then the gradient has an axis
    for them in front).
    """
    def check(value):
        exact = [double(a) for a in args]
        rng = np.random.default_rng(11)
        ways = [rng.normal(size=a.shape) for a in leaves(exact[argnum])]
        ends = []
        for sign in (step, -step):
            parts = iter([a + sign * way for a, way in zip(leaves(exact[argnum]), ways)])
            ends.append(np.asarray(f(*exact[:argnum], rebuilt(exact[argnum], parts), *exact[argnum + 1:])))
        difference = (ends[0] - ends[1]) / (2 * step)
        along = sum(np.sum(double(g) * way, axis=tuple(range(np.ndim(g) - way.ndim, np.ndim(g)))) for g, way in zip(leaves(gradient(value)), ways))
        compare(along, difference, rtol, "the slope of ours against finite differences")
    return check


def double(value):
    """Floats as float64, in nested containers too; arrays are copied."""
    if isinstance(value, dict):
        return {k: double(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(double, value))
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else value


def rebuilt(value, parts):
    """A container of the same structure with other arrays, in the order of `leaves`."""
    if isinstance(value, dict):
        return {key: rebuilt(value[key], parts) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(part, parts) for part in value)
    return next(parts)


def rebound(f, **names):
    """The same function with other globals: np standing for jax.numpy, a helper for its own twin."""
    return types.FunctionType(f.__code__, {**f.__globals__, **names}, f.__name__, f.__defaults__)


def jax_with(x64=True):
    """The jax module; NumPy's 64-bit types are kept where the work is in them."""
    import jax
    jax.config.update("jax_enable_x64", x64)
    return jax
