"""Arrangements of devices for a mesh."""

from ..sharding import make_mesh


def create_device_mesh(mesh_shape, devices=None):
    """The devices as an array of this shape, for `Mesh`.

    >>> create_device_mesh((1,)).shape
    (1,)
    """
    return make_mesh(mesh_shape, [str(k) for k in range(len(mesh_shape))], devices=devices).devices


__all__ = ["create_device_mesh"]
