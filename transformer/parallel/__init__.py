"""Programs on several devices: pmap, shard_map, collectives, placement of arrays."""

import importlib

HOMES = {
    "collectives": "all_gather all_to_all axis_index axis_size pbroadcast pmax pmean pmin ppermute pshuffle psum psum_scatter pswapaxes",
    "devices": "default_backend device_count device_put devices local_device_count local_devices process_count process_index",
    "mapped": "pmap",
    "sharded": "shard_map with_sharding_constraint",
}
PLACES = {name: module for module, names in HOMES.items() for name in names.split()}


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = value
    return value


__all__ = sorted(PLACES)


def __dir__():
    return __all__
