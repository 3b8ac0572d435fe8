"""Options of scipy's functions: those that are not known here are refused, never ignored."""

import numpy as np

from ...errors import ShapeError, TransformError
from ..op import aval_of


def only(name, option, value, *choices):
    """Refuse an option that has none of the values."""
    if not any(value is c or type(value) is type(c) and value == c for c in choices):
        shown = repr(value) if isinstance(value, str | int | float | bool | type(None)) else "..."
        raise TransformError(f"{name}({option}={shown}) is not known to transformer", f"Choose {' or '.join(map(repr, choices))}.")


def normal_axis(name, axis, ndim):
    """A number of an axis, from 0 on."""
    if not -ndim <= axis < ndim:
        raise ShapeError(f"{name}: axis {axis} of an array of {ndim} axes", "Name one of its axes.")
    return axis % ndim


def along(axis, ndim, entry):
    """The index of a part of an axis."""
    return (slice(None),) * (axis % ndim) + (entry,)


def floating(x):
    """The array in a type of floats: integers in double precision."""
    return np.astype(x, float) if aval_of(x).dtype.kind in "iub" else x


__all__ = ["along", "floating", "normal_axis", "only"]
