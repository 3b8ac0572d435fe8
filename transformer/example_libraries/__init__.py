"""Small libraries that JAX brings as examples, under its names: optimizers, stax."""

from . import optimizers, stax

__all__ = ["optimizers", "stax"]
