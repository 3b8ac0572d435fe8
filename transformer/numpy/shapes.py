"""What `vectorize` and its kin have to know of shapes."""

import re
from typing import Any, NamedTuple

import numpy as np

from ..errors import ShapeError, TypeMismatch
from . import creation

ARGUMENT = r"\(([\w, ]*)\)"


class Plan(NamedTuple):
    """How to map a function: the arrays without axes of size 1, in_axes of each vmap from the innermost, the mapped shape, and the
    axes of the results by name (None: not declared)."""

    arrays: list
    in_axes: list
    shape: tuple
    results: Any
    sizes: dict


def normal_axis(axis, ndim):
    if not -ndim <= axis < ndim:
        raise ShapeError(f"axis {axis} is out of bounds for an array of {ndim} axes", "Axes count from 0, or from -1 backwards.")
    return axis % ndim


def axes_of(axes, ndim):
    return [normal_axis(a, ndim) for a in (axes if np.iterable(axes) else (axes,))]


def parsed(signature, count):
    """(axis names of each argument, of each result or None)."""
    if signature is None:
        return [()] * count, None
    left, arrow, right = signature.partition("->")
    sides = [[tuple(n.strip() for n in part.split(",") if n.strip()) for part in re.findall(ARGUMENT, side)] for side in (left, right)]
    if not arrow or len(sides[0]) != count:
        raise TypeMismatch(f"signature {signature!r} does not fit {count} arguments", 'Write one such as "(n,m),(m)->(n)".')
    return sides[0], sides[1]


def plan(signature, args):
    """How to map a function over the axes that its signature does not name."""
    arrays = [creation.asarray(a) for a in args]
    names, results = parsed(signature, len(arrays))
    sizes = {}
    for array, own in zip(arrays, names):
        if array.ndim < len(own):
            raise ShapeError(f"an argument of shape {array.shape} has fewer axes than {own} in the signature", "Give it all of them.")
        for name, n in zip(own, array.shape[array.ndim - len(own):]):
            if sizes.setdefault(name, n) != n:
                raise ShapeError(f"dimension {name} of the signature is {sizes[name]} and {n}", "Make them equal.")
    mapped = [a.shape[: a.ndim - len(own)] for a, own in zip(arrays, names)]
    try:
        shape = np.broadcast_shapes(*mapped)
    except ValueError:
        raise ShapeError(f"shapes {' and '.join(map(str, mapped))} do not fit together", "The mapped axes are broadcast.") from None
    in_axes = []
    for k in range(1, len(shape) + 1):
        axes = tuple(0 if len(m) >= k and m[-k] != 1 else None for m in mapped)
        if any(a == 0 for a in axes):
            in_axes.append(axes)
    return Plan([a.reshape(tuple(n for n in m if n != 1) + a.shape[len(m):]) for a, m in zip(arrays, mapped)], in_axes, shape, results, sizes)


def squeezed(plan):
    return plan.arrays


def checked(result, plan):
    """The function's result, whose number and shapes are as the signature says."""
    if plan.results is None:
        return result
    results = result if isinstance(result, tuple | list) else (result,)
    if len(results) != len(plan.results):
        raise TypeMismatch(f"the function returns {len(results)} results, the signature has {len(plan.results)}", "Make them agree.")
    for value, names in zip(results, plan.results):
        if np.ndim(value) != len(names):
            raise ShapeError(f"a result has {np.ndim(value)} axes where the signature has {names}", "Make them agree.")
        for name, n in zip(names, np.shape(value)):
            if plan.sizes.get(name, n) != n:
                raise ShapeError(f"a result has {n} for dimension {name}, which is {plan.sizes[name]}", "Make them agree.")
    return result


def unsqueezed(result, plan):
    """The results with the mapped axes of size 1 put back."""
    if isinstance(result, tuple | list):
        return type(result)(unsqueezed(r, plan) for r in result)
    count = sum(n != 1 for n in plan.shape)
    return creation.asarray(result).reshape(plan.shape + tuple(np.shape(result)[count:]))


def conditions(condlist, funclist):
    """(conditions as a list, whether the last function is for the rest)."""
    if not isinstance(condlist, list | tuple):
        condlist = list(condlist) if np.ndim(condlist) > 1 else [condlist]
    found = [creation.asarray(c) for c in condlist]
    if len(funclist) not in (len(found), len(found) + 1):
        raise TypeMismatch(f"piecewise got {len(found)} conditions and {len(funclist)} functions", "One for each, and perhaps one for the rest.")
    return found, len(funclist) > len(found)
