"""64-bit types: switched on for the process, for a block, by the environment."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp


def made():
    return [x.dtype.name for x in (jnp.arange(3), jnp.ones(2), jnp.asarray(np.ones(2)), jnp.array(1j), jnp.zeros(2, "float64"), jnp.linspace(0, 1, 3))]


NARROW = ["int32", "float32", "float32", "complex64", "float32", "float32"]
WIDE = ["int64", "float64", "float64", "complex128", "float64", "float64"]


def test_block():
    with T.enable_x64(True):
        assert made() == WIDE
        with T.enable_x64(False):
            assert made() == NARROW
        assert made() == WIDE
    assert made() == NARROW


def test_call_and_setting():
    try:
        T.enable_x64(True)
        assert made() == WIDE and T.config.jax_enable_x64 and T.config.read("enable_x64")
        T.config.update("jax_enable_x64", False)
        assert made() == NARROW and not T.config.x64_enabled
    finally:
        T.config.update("jax_enable_x64", False)


def test_block_is_for_one_thread():
    found = []
    with T.enable_x64(True):
        thread = threading.Thread(target=lambda: found.extend(made()))
        thread.start()
        thread.join()
    assert found == NARROW


def test_programs_are_built_anew():
    double = T.jit(lambda x: jnp.asarray(x) * 2)
    assert double(np.ones(2)).dtype == np.float32
    with T.enable_x64(True):
        assert double(np.ones(2)).dtype == np.float64
    assert double(np.ones(2)).dtype == np.float32


def test_environment():
    code = "import transformer.numpy as jnp; print(jnp.ones(2).dtype)"
    result = subprocess.run([sys.executable, "-c", code], env={**os.environ, "TRANSFORMER_ENABLE_X64": "1"}, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "float64"


def test_unknown_setting():
    with pytest.raises(T.TransformError, match="there is no setting"):
        T.config.update("jax_enable_x46", True)


def test_import_is_light():
    code = ("import sys, transformer; assert not {'jaxlib', 'ml_dtypes', 'transformer.numpy'} & set(sys.modules); transformer.numpy.ones(2); "
            "assert 'jaxlib' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)
