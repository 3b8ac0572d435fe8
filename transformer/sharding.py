"""Meshes of devices and shardings: where the elements of an array lie.

    mesh = make_mesh((4, 2), ("x", "y"))
    place = NamedSharding(mesh, P("x", "y"))
    a = transformer.device_put(a, place)          jit(f)(a) then runs on all devices of the mesh
"""

import math

import numpy as np

from backend import client
from backend.sharding import Mesh, NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding

from .errors import ShapeError

P = PartitionSpec


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    """A mesh of the first devices (or of those given) with these sizes and names of axes.

    >>> make_mesh((1,), ("x",)).shape["x"]
    1
    """
    chosen, count = list(devices or client.devices()), math.prod(axis_shapes)
    if count > len(chosen):
        raise ShapeError(f"a mesh of {'x'.join(map(str, axis_shapes))} needs {count} devices, there are {len(chosen)}",
                         "Make it smaller, or show more CPU devices (TRANSFORMER_NUM_CPU_DEVICES).")
    return Mesh(np.array(chosen[:count], dtype=object).reshape(axis_shapes), axis_names)


__all__ = ["Mesh", "NamedSharding", "P", "PartitionSpec", "Sharding", "SingleDeviceSharding", "make_mesh"]
