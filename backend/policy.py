"""Which compile options a program gets, by its features. One row per measured finding; see `benchmarks`.

Features that `lower` reports:
    loop           a loop that XLA compiles rolled
    element_loop   a loop that reads an element or slice of an array which it also writes
    dot            a matrix product
"""

from . import client, settings

POLICY = {
    "cpu": {
        "element_loop": (("xla_cpu_copy_insertion_use_region_analysis", True),),
    },
}


def overrides_for(features, options=()):
    """The (name, value) overrides of a program: the policy's, then the environment's, then the caller's."""
    rows = POLICY.get(client.platform(), {})
    chosen = {}
    for feature in rows:
        if feature in features:
            chosen.update(rows[feature])
    chosen.update(settings.xla_options())
    chosen.update(options)
    return tuple(chosen.items())
