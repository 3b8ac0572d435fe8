"""Leaves of arguments: which are inputs at run time."""

import numpy as np

from . import tree
from .abstract import ShapeDtypeStruct
from .core import is_floating, is_number
from .specialised import Param, is_dynamic_array, is_reference


def is_dynamic(value):
    """A leaf that is an input at run time: an array of numbers or a Python number (a bool is static)."""
    return is_reference(value) or is_dynamic_array(value) or (
        isinstance(value, int | float | complex | np.number | np.bool_ | ShapeDtypeStruct) and type(value) is not bool) or (
        isinstance(value, np.generic) and is_number(value.dtype))


def dynamic_leaves(args, kwargs):
    """All dynamic leaves of the arguments, in the order in which parameters are numbered."""
    return [leaf for value in (*args, *kwargs.values()) for leaf in tree.flatten(value)[0]
            if is_dynamic(leaf) or isinstance(leaf, Param)]


def plain(value):
    """A scalar of NumPy as a Python number."""
    return value.item() if isinstance(value, np.generic) else value


def as_dynamic(value):
    """A bool of Python, which is static, as one of NumPy."""
    return np.bool_(value) if type(value) is bool else value


def as_float(value):
    """An integer or bool that is differentiated becomes a float."""
    if is_reference(value):
        return value if is_floating(value.dtype) else value.astype(np.float64)
    if type(value) in (int, bool):
        return float(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iub":
        return value.astype(np.float64)
    return value


__all__ = ["as_dynamic", "as_float", "dynamic_leaves", "is_dynamic", "plain"]
