"""scipy.integrate with JAX's types."""

from ..numpy import trapezoid as trapezoid

__all__ = ["trapezoid"]
