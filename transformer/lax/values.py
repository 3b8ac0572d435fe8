"""Leaves of trees as JAX takes them: arrays of 32 bits unless x64 is enabled, Python numbers weak."""

import numpy as np

from .. import pipeline
from ..core import Aval, literal_aval
from ..executable import Array
from ..frontend.reference import is_reference

NARROW = {"int64": np.int32, "uint64": np.uint32, "float64": np.float32, "complex128": np.complex64}
NUMBERS = (bool, int, float, complex)


def is_transforming():
    """Whether a function is being transformed right now: then values may be abstract."""
    return pipeline.active_builder() is not None


def narrow(dtype):
    """The dtype that an array of `dtype` has here."""
    return np.dtype(NARROW.get(np.dtype(dtype).name, dtype))


def leaf(value):
    """A leaf as control flow works on it: a reference, a Python number, or an Array."""
    if is_reference(value) or type(value) in NUMBERS or isinstance(value, Array) or not isinstance(value, np.ndarray | np.generic):
        return value
    if is_transforming():
        return value
    return array(value)


def array(value):
    """A host value as an Array, in the width of arrays here."""
    from backend.array import array as device_array
    value = np.asarray(value)
    return device_array(value.astype(narrow(value.dtype), copy=False))


def result(value):
    """A leaf as it is handed to the user: an Array outside of transformed code."""
    if is_transforming() or is_reference(value) or not isinstance(value, NUMBERS + (np.ndarray, np.generic)):
        return value
    return array(value)


def aval_of(value):
    """Aval of a leaf."""
    if is_reference(value):
        return value.aval
    if isinstance(value, np.ndarray | Array):
        return Aval(tuple(value.shape), np.dtype(value.dtype))
    return literal_aval(value)


def is_number(value):
    """Whether a leaf is an array or a number."""
    return is_reference(value) or isinstance(value, NUMBERS + (np.ndarray, np.generic, Array))


def strong(aval):
    """The aval of an array that holds values of `aval`: a Python number is of the default width."""
    return Aval(aval.shape, narrow(aval.dtype)) if aval.weak else Aval(aval.shape, aval.dtype)


def typed(aval):
    """An aval in words: float32[3]; a Python number has the type of its array."""
    return str(strong(aval))


__all__ = ["array", "aval_of", "is_number", "is_transforming", "leaf", "result", "strong", "typed"]
