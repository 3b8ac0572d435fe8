"""Names that JAX has, or had for long, in `experimental`: the switch for 64-bit types, meshes, `shard_map`, `ode`."""

from ..config import enable_x64
from ..parallel.sharded import shard_map
from . import mesh_utils, ode


def disable_x64():
    """`enable_x64(False)`."""
    return enable_x64(False)


__all__ = ["disable_x64", "enable_x64", "mesh_utils", "ode", "shard_map"]
