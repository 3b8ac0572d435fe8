"""Plain NumPy functions in; readable gradients, Jacobians, batches and XLA programs out.

    import numpy as np
    import transformer

    @transformer.grad
    def slope(x):
        return np.tanh(x) ** 2

    slope(0.5)            the derivative
    print(slope.source)   the derivative as Python source
"""

import importlib

from . import rules, tree, tree_util
from .api import grad, hessian, jacfwd, jacrev, jit, value_and_grad, vmap
from .config import SWITCHES, config, enable_x64
from .errors import TransformError
from .executable import Array

__version__ = "0.1.0"

LAZY = {
    "jvp": "directional", "linearize": "directional", "vjp": "directional",
    "checkpoint": "recomputation", "remat": "recomputation", "custom_jvp": "custom", "custom_vjp": "custom",
    "ShapeDtypeStruct": "abstract", "eval_shape": "aot", "disable_jit": "switches", "debug_nans": "switches", "debug_infs": "switches",
    "checkpoint_policies": "recomputation",
    "pmap": "parallel.mapped", "shard_map": "parallel.sharded", "make_mesh": "sharding", "NamedSharding": "sharding", "P": "sharding",
    **dict.fromkeys("default_backend device_count device_put devices host_count host_id host_ids local_device_count local_devices process_count "
                    "process_index process_indices".split(), "parallel.devices"),
    "custom_gradient": "custom", "pure_callback": "callbacks",
    **dict.fromkeys("checking_leaks clear_caches default_matmul_precision effects_barrier ensure_compile_time_eval float0 jacobian named_call "
                    "named_scope typeof".split(), "compatibility"),
    **dict.fromkeys("Device Shard copy_to_host_async default_device live_arrays make_array_from_callback make_array_from_single_device_arrays "
                    "numpy_dtype_promotion numpy_rank_promotion print_environment_info reshard transfer_guard transfer_guard_device_to_device "
                    "transfer_guard_device_to_host transfer_guard_host_to_device".split(), "environment"),
    "linear_transpose": "transposition", "block_until_ready": "waiting", "device_get": "waiting",
}
"""Public name -> module of this package that holds it; imported when first asked for."""

MODULES = ("ad_checkpoint", "debug", "dlpack", "dtypes", "eager", "example_libraries", "experimental", "flatten_util", "image", "lax", "nn", "numpy", "ops",
           "optim", "parallel", "random", "scipy", "sharding", "test_util", "typing")
"""Public modules, imported when first asked for."""


if any(map(config.read, SWITCHES)):
    importlib.import_module(f"{__name__}.switches")


def __getattr__(name):
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *LAZY, *MODULES})


__all__ = ["Array", "TransformError", "config", "enable_x64", "grad", "hessian", "jacfwd", "jacrev", "jit", "jvp", "linearize", "ops", "tree", "tree_util",
           "value_and_grad", "vjp", "vmap"]
