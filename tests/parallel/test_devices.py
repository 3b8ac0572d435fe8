"""Devices, placed arrays, and the settings that decide which devices there are."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import transformer
from transformer import TransformError, config, device_get, device_put, devices, jit
from transformer.errors import ShapeError
from transformer.sharding import Mesh, NamedSharding, P, SingleDeviceSharding, make_mesh

X = np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)


def test_eight_devices():
    assert transformer.device_count() == transformer.local_device_count() == 8 == len(devices("cpu"))
    assert devices()[3].platform == "cpu" and transformer.default_backend() == "cpu" and transformer.process_count() == 1


def test_arrays_stay_where_they_are_put():
    third = devices()[3]
    x = device_put(X, third)
    assert x.devices() == {third} and x.sharding == SingleDeviceSharding(third)
    y = jit(lambda a, b: a * 2 + b)(x, np.ones(6, np.float32))
    assert y.devices() == {third}
    np.testing.assert_allclose(y, 2 * X + 1)
    tree = device_put({"a": X, "b": [1.0]}, third)
    assert tree["a"].devices() == {third} == tree["b"][0].devices()
    assert device_put(X).devices() == {devices()[0]}
    assert isinstance(device_get(tree)["a"], np.ndarray)


def test_a_placed_array_never_shares_memory_with_the_callers():
    source = X.copy()
    x = device_put(source, devices()[3])
    source[:] = 0.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(jit(lambda a: a + 0)(x), X)


def test_64_bits_only_where_asked_for():
    assert device_put(np.ones(3)).dtype == np.float32
    with transformer.enable_x64(True):
        assert device_put(np.ones(3), devices()[1]).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.bool_, np.complex64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("spec", [P("x", "y"), P(None, "y"), P("y"), P(("x", "y")), P(("y", "x")), P()])
def test_blocks_make_up_the_array(spec, dtype):
    mesh = make_mesh((4, 2), ("x", "y"))
    with transformer.enable_x64(True):
        x = device_put((4 * X).astype(dtype), NamedSharding(mesh, spec))
    y = jit(lambda a: a)(x)
    for array in (x, y):
        np.testing.assert_array_equal(np.asarray(array), (4 * X).astype(dtype))
        for shard in array.addressable_shards:
            np.testing.assert_array_equal(shard.data, (4 * X).astype(dtype)[shard.index])
    assert len(x.devices()) == 8


def test_copies_and_pickles_are_whole():
    x = device_put(X, NamedSharding(make_mesh((8,), ("x",)), P("x")))
    for same in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x + 0):
        np.testing.assert_array_equal(same, X)


def test_shardings_are_values():
    mesh = make_mesh((4, 2), ("x", "y"))
    assert NamedSharding(mesh, P("x")) == NamedSharding(make_mesh((4, 2), ("x", "y")), P("x", None)) != NamedSharding(mesh, P("y"))
    assert mesh.shape["x"] == 4 and mesh.size == 8 and mesh.axis_names == ("x", "y") and "x" in repr(mesh)
    place = NamedSharding(mesh, P(None, ("x", "y")))
    assert place.shard_shape((3, 16)) == (3, 2) and not place.is_fully_replicated and NamedSharding(mesh, P()).is_fully_replicated
    assert pickle.loads(pickle.dumps(P("x", None))) == P("x", None)


def test_what_does_not_fit():
    mesh = make_mesh((4, 2), ("x", "y"))
    with pytest.raises(ShapeError, match="4 does not divide"):
        device_put(X, NamedSharding(mesh, P(None, "x")))
    with pytest.raises(ValueError, match="no axis of"):
        NamedSharding(mesh, P("z"))
    with pytest.raises(ValueError, match="twice"):
        NamedSharding(mesh, P("x", "x"))
    with pytest.raises(ShapeError, match="needs 16 devices"):
        make_mesh((16,), ("x",))
    with pytest.raises(ValueError, match="different names"):
        Mesh(np.array(devices()), ("x", "y"))
    with pytest.raises(TransformError, match="does not fit"):
        device_put(X, "cpu")
    with pytest.raises(TransformError, match="different devices"):
        jit(lambda a, b: a + b)(device_put(X, devices()[1]), device_put(X, devices()[2]))


def test_settings_come_before_the_first_use():
    devices()
    with pytest.raises(RuntimeError, match="after the first use"):
        config.update("num_cpu_devices", 3)
    config.update("jax_num_cpu_devices", 8)


def outcome(code, **environment):
    root = pathlib.Path(__file__).parents[2]
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRANSFORMER_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100,
                          env={**env, "PYTHONPATH": str(root), **environment})
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_the_environment_sets_the_number_of_devices():
    code = "import transformer; print(transformer.device_count())"
    assert outcome(code, TRANSFORMER_NUM_CPU_DEVICES="5") == "5"
    assert outcome(code) == "1"


def test_platforms_that_are_missing_are_explained(tmp_path):
    code = "import transformer; print(transformer.devices())"
    assert "plugin for cuda is not installed" in outcome(code, TRANSFORMER_PLATFORMS="cuda")
    assert "transformer[tpu]" in outcome(code, TRANSFORMER_PLATFORMS="tpu")
    assert "no platform 'abacus'" in outcome(code, TRANSFORMER_PLATFORMS="abacus")
    assert "does not exist" in outcome(code, TRANSFORMER_PLATFORMS="cuda", TRANSFORMER_PJRT_PLUGINS=f"cuda:{tmp_path}/none.so")
    broken = tmp_path / "broken.so"
    broken.write_text("no library")
    assert "does not load" in outcome(code, TRANSFORMER_PLATFORMS="abacus", TRANSFORMER_PJRT_PLUGINS=f"abacus:{broken}")


def test_the_next_platform_serves_and_a_warning_says_so():
    assert outcome("import transformer; print(transformer.default_backend())", TRANSFORMER_PLATFORMS="gpu,cpu") == "cpu"
    code = "import warnings; warnings.simplefilter('error'); import transformer; transformer.devices()"
    assert "running on cpu" in outcome(code, TRANSFORMER_PLATFORMS="gpu,cpu")
