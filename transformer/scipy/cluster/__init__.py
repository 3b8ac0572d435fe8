"""scipy.cluster with JAX's types: vq."""

from . import vq as vq

__all__ = ["vq"]
