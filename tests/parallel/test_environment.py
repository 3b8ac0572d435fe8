"""Names of JAX about its surroundings, and small modules of it."""

import numpy as np
import pytest

import transformer as T
from transformer import dtypes, experimental, image
from transformer import numpy as jnp
from transformer.sharding import NamedSharding, P, SingleDeviceSharding, make_mesh


def test_devices():
    first, second = T.devices()[:2]
    assert isinstance(first, T.Device) and not isinstance(1.0, T.Device)
    with T.default_device(first):
        assert jnp.ones(2).device == first
    with pytest.raises(T.TransformError, match="another device"):
        T.default_device(second)
    assert T.host_count() == T.process_count() == 1 and T.process_indices() == [0]


def test_settings_that_change_nothing_and_others():
    for setting, harmless, other in ((T.transfer_guard, "allow", "disallow"), (T.numpy_dtype_promotion, "standard", "strict"),
                                     (T.numpy_rank_promotion, "allow", "raise")):
        with setting(harmless):
            pass
        with pytest.raises(T.TransformError, match=other):
            setting(other)


def test_live_arrays():
    a = jnp.ones(3)
    assert any(b is a for b in T.live_arrays()) and not any(b is a for b in T.live_arrays("tpu"))


def test_environment_info(capsys):
    assert "jaxlib" in T.print_environment_info(return_string=True)
    T.print_environment_info()
    assert "numpy" in capsys.readouterr().out


def test_arrays_from_blocks():
    whole = np.arange(8.0, dtype="float32").reshape(4, 2)
    place = NamedSharding(make_mesh((4,), ("x",)), P("x"))
    made = T.make_array_from_callback((4, 2), place, lambda index: whole[index])
    parts = [T.device_put(whole[k:k + 1], SingleDeviceSharding(d)) for k, d in enumerate(T.devices()[:4])]
    for found in (made, T.make_array_from_single_device_arrays((4, 2), place, parts), T.reshard(whole, place)):
        assert found.sharding == place
        np.testing.assert_array_equal(found, whole)
    assert isinstance(made.addressable_shards[0], T.Shard)
    with pytest.raises(T.TransformError, match="no array lies on"):
        T.make_array_from_single_device_arrays((4, 2), place, parts[:3])
    with pytest.raises(T.TransformError, match="a block of shape"):
        T.make_array_from_callback((4, 2), place, lambda index: whole)


def test_types():
    assert dtypes.canonicalize_dtype(np.int64) == np.int32 and dtypes.float0 == T.float0
    with experimental.enable_x64():
        assert dtypes.canonicalize_dtype(np.int64) == np.int64 and jnp.ones(2).dtype == np.float64
        with experimental.disable_x64():
            assert jnp.ones(2).dtype == np.float32
    assert T.typing.ArrayLike and experimental.mesh_utils.create_device_mesh((2, 2)).shape == (2, 2)


def test_images_are_checked():
    for arguments, words in (((np.ones((2, 2)), (3,), "linear"), "a size for each axis"), ((np.ones(2), (3,), "area"), "does not know the method")):
        with pytest.raises(T.TransformError, match=words):
            image.resize(*arguments)
