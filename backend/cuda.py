"""What CUDA needs besides its PJRT plugin: NVIDIA's libraries from their Python packages, and the foreign functions of the plugin package."""

import ctypes
import importlib
import importlib.util
import pathlib

LIBRARIES = ("libcudart", "libnvrtc", "libnvJitLink", "libcublasLt", "libcublas", "libnccl", "libcupti", "libcusparse", "libcusolver", "libcufft",
             "libnvshmem_host", "libcudnn")
"""Libraries that XLA looks up by name, each after those it needs. Loaded beforehand, the copies in the nvidia packages are found."""

EXTENSIONS = {"xla_cuda13": "jax_cuda13_plugin", "xla_cuda12": "jax_cuda12_plugin"}
"""Folder of the PJRT plugin -> package with foreign functions for it (callbacks, dense solvers)."""


def preload():
    """Load NVIDIA's libraries where their Python packages are installed; (file, error) of those that do not load."""
    spec = importlib.util.find_spec("nvidia")
    failed = []
    for folder in spec.submodule_search_locations or () if spec else ():
        for name in LIBRARIES:
            for path in sorted(pathlib.Path(folder).glob(f"*/lib/{name}.so.*")):
                try:
                    ctypes.CDLL(str(path))
                except OSError as error:
                    failed.append((path.name, str(error)))
    return failed


def register(xla, plugin_path, c_api):
    """Make the foreign functions of the plugin's companion package known to XLA; whether there is one."""
    package = EXTENSIONS.get(pathlib.Path(plugin_path).parent.name)
    if package is None or importlib.util.find_spec(package) is None:
        return False
    extension = importlib.import_module(f"{package}.cuda_plugin_extension")
    xla.register_custom_type_handler("CUDA", lambda *args: extension.register_custom_type(c_api, *args))
    xla.register_custom_call_handler("CUDA", lambda *args: extension.register_custom_call_target(c_api, *args))
    for name, type_id in extension.ffi_types().items():
        xla.register_custom_type(name, type_id, platform="CUDA")
    for name, function in extension.ffi_handlers().items():
        xla.register_custom_call_target(name, function, platform="CUDA", api_version=1)
    return True


__all__ = ["preload", "register"]
