"""Leaves of trees as JAX takes them: arrays of 32 bits unless x64 is enabled, Python numbers weak."""

import numpy as np

from .. import eager, pipeline
from ..core import Aval, literal_aval
from ..executable import Array
from ..frontend import promotion
from ..frontend.builder import current
from ..frontend.reference import is_reference

NUMBERS = (bool, int, float, complex)


def is_transforming():
    """Whether a function is being transformed right now: then values may be abstract."""
    return pipeline.active_builder() is not None


def leaf(value):
    """A leaf as control flow works on it: a reference or an Array; inside of transformed code a Python number stays one."""
    if is_reference(value):
        return value if value.weak or value.storage.jnp else marked(value)
    if not isinstance(value, np.ndarray | np.generic):
        return result(value)
    if is_transforming():
        return current().device_constant(array(value)) if isinstance(value, np.ndarray) else value
    return array(value)


def marked(ref):
    """A value of plain NumPy as one of `transformer.numpy`."""
    builder = current()
    if promotion.narrow(ref.dtype) != ref.dtype:
        return promotion.marked(builder, ref)
    name = builder.fresh(ref.hint or builder.hints.get(ref.storage.name, "x"), ref.aval)
    builder.move(name, ref)
    copy = builder.reference(name)
    copy.storage.jnp, builder.uses_jnp = promotion.STRONG, True
    return copy


def array(value):
    """A host value as an Array, in the width of arrays here."""
    return eager.new_array(value)


def result(value):
    """A leaf as it is handed to the user: an Array outside of transformed code, a value of `transformer.numpy` inside."""
    if is_reference(value):
        return narrowed(value)
    if is_transforming() or not isinstance(value, NUMBERS + (np.ndarray, np.generic)):
        return value
    return eager.new_array(value, weak=type(value) in (int, float, complex))


def narrowed(ref):
    """A value that began as a Python number: an array of the default width, which gives way to others in promotion."""
    if ref.storage.jnp:
        return ref
    found = promotion.marked(current(), ref)
    found.storage.jnp = promotion.WEAK if ref.weak else promotion.STRONG
    return found


def aval_of(value):
    """Aval of a leaf; a value that gives way to others in promotion is weak."""
    if is_reference(value):
        weak = value.aval.weak or value.storage.jnp == promotion.WEAK
        return value.aval._replace(weak=weak)
    if isinstance(value, np.ndarray | Array):
        return Aval(tuple(value.shape), np.dtype(value.dtype), getattr(value, "weak_type", False))
    return literal_aval(value)


def is_number(value):
    """Whether a leaf is an array or a number."""
    return is_reference(value) or isinstance(value, NUMBERS + (np.ndarray, np.generic, Array))


def strong(aval):
    """The aval of an array that holds values of `aval`: a Python number is of the default width."""
    return Aval(aval.shape, promotion.narrow(aval.dtype) if aval.weak else aval.dtype)


def typed(aval):
    """An aval in words: float32[3]; a Python number has the type of its array."""
    return str(strong(aval))


__all__ = ["array", "aval_of", "is_number", "is_transforming", "leaf", "result", "strong", "typed"]
