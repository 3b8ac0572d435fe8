"""Names for what `checkpoint` keeps, under the name of the module that JAX has them in."""

from .ops.barriers import checkpoint_name
from .recomputation import checkpoint_policies

__all__ = ["checkpoint_name", "checkpoint_policies"]
