"""Functions that take functions. The evaluator enters them like user code, so that what is passed in may hold control flow."""

import functools

from ..api import vmap
from . import shapes
from .creation import arange, asarray
from .overrides import FUNCTIONS as jnp

stack, where, zeros_like, logical_or, moveaxis, expand_dims = map(
    jnp.get, ("stack", "where", "zeros_like", "logical_or", "moveaxis", "expand_dims"))


def vectorize(pyfunc, *, excluded=frozenset(), signature=None):
    """A function of arrays that applies `pyfunc` along all axes but those in `signature`, such as "(n,m),(m)->(n)"."""
    def vectorized(*args, **kwargs):
        chosen = [i for i in range(len(args)) if i not in excluded]
        plan = shapes.plan(signature, [args[i] for i in chosen])

        def inner(*arrays):
            full = list(args)
            for i, a in zip(chosen, arrays):
                full[i] = a
            return shapes.checked(pyfunc(*full, **kwargs), plan)
        mapped = inner
        for in_axes in plan.in_axes:
            mapped = vmap(mapped, in_axes=in_axes)
        return shapes.unsqueezed(mapped(*shapes.squeezed(plan)), plan)
    vectorized.__name__ = getattr(pyfunc, "__name__", "vectorized")
    vectorized.__doc__ = getattr(pyfunc, "__doc__", None)
    return vectorized


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """`func1d` of each line of an array along an axis; its result's axes stand in the axis's place."""
    arr = asarray(arr)
    axis = shapes.normal_axis(axis, arr.ndim)
    mapped = lambda line: func1d(line, *args, **kwargs)
    for k in range(1, arr.ndim - axis):
        mapped = vmap(mapped, in_axes=1, out_axes=-1)
    for k in range(axis):
        mapped = vmap(mapped)
    return mapped(arr)


def apply_over_axes(func, a, axes):
    """`func(a, axis)` for one axis after the other; a lost axis is kept with size 1."""
    a = asarray(a)
    for axis in shapes.axes_of(axes, a.ndim):
        b = func(a, axis=axis)
        a = expand_dims(b, axis) if b.ndim == a.ndim - 1 else b
    return a


def piecewise(x, condlist, funclist, *args, **kw):
    """Functions of x, of each of which the entries under its condition are kept; a last one is for the rest."""
    x = asarray(x)
    conditions, rest = shapes.conditions(condlist, funclist)
    if rest:
        covered = functools.reduce(logical_or, conditions)
        conditions = [*conditions, ~covered]
    result = zeros_like(x)
    for condition, f in zip(conditions, funclist):
        value = f(x, *args, **kw) if callable(f) else f
        result = where(condition, asarray(value, x.dtype), result)
    return result


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """`function` of the indices of each element of an array of this shape."""
    mapped = lambda *indices: function(*indices, **kwargs)
    for k in reversed(range(len(shape))):
        mapped = vmap(mapped, in_axes=tuple(0 if k == n else None for n in range(len(shape))))
    return mapped(*[arange(n, dtype=dtype) for n in shape])


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A function of arrays from a function of `nin` numbers with `nout` results."""
    return vectorize(func)
