"""The mesh of a `with mesh:` block is part of what a program is built for."""

import numpy as np

import transformer
from backend.placed import place
from transformer import jit, shard_map
from transformer.lax import psum
from transformer.sharding import Mesh, NamedSharding, PartitionSpec

DEVICES = np.array(transformer.devices())
MESHES = [Mesh(DEVICES[:n], ("x",)) for n in (2, 4)]


def test_results_lie_on_the_mesh_around_the_call():
    f = jit(lambda x: x * 2, out_shardings=PartitionSpec("x"))
    for mesh in [m for m in MESHES * 2 for _ in range(3)]:
        with mesh:
            assert f(np.arange(8.0)).sharding.mesh == mesh


def test_shard_map_runs_on_the_mesh_around_the_call():
    f = shard_map(lambda x: x * 0 + psum(1.0, "x"), in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x"))
    for mesh in [m for m in MESHES * 2 for _ in range(3)]:
        with mesh:
            assert f(np.arange(8.0))[0] == mesh.size


def test_calls_outside_of_a_block_do_not_see_one_of_another_call():
    f, mesh = jit(lambda x: x * 2), MESHES[0]
    for _ in range(3):
        f(np.arange(8.0))
    with mesh:
        assert [f(np.arange(8.0))[1] for _ in range(3)] == [2, 2, 2]
    assert f(np.arange(8.0))[1] == 2


def test_names_of_axes_move_no_blocks():
    one, other = (NamedSharding(Mesh(DEVICES, (name,)), PartitionSpec(name)) for name in "ab")
    x = transformer.device_put(np.arange(8.0), one)
    assert one != other and one.is_equivalent_to(other, 1)
    assert place(x, x.spec, other) is x.buffer
    assert not one.is_equivalent_to(NamedSharding(other.mesh, PartitionSpec()), 1)
