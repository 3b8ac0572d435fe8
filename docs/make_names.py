"""Writes docs/jax_names.md: which public names of JAX are here.

    python docs/make_names.py

The names of JAX are those in docs/jax_names.txt (stored, so that JAX need not be installed); what is here is asked of the package.
"""

import importlib
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent
TABLE = FOLDER / "jax_names.md"

NOT_MEANT = {  # module -> [(names or a pattern, why)]
    "jax": [
        ("ad core interpreters api_util lib export ffi jax2tf_associative_scan_reductions make_user_context no_execution",
         "internals of JAX, or its ways to other programs"),
        ("check_tracer_leaks no_tracing closure_convert make_jaxpr",
         "about tracing: functions are read here, not traced; `f.show(...)` is what was made of them, what they close over is found by reading"),
        ("custom_derivatives softmax_custom_jvp stages version", "modules behind names that are at the top"),
        ("log_compiles profiler monitoring", "reports of JAX's own runtime; `TRANSFORMER_DUMP` writes every program that is compiled"),
        ("errors", "the errors are TransformError and its kinds here"),
        ("set_mesh", "meshes as part of types; `with mesh:` says which mesh is meant"),
        ("enable_custom_prng threefry_partitionable legacy_prng_key default_prng_impl debug_key_reuse", "settings of JAX's other generators"),
        ("array_garbage_collection_guard thread_guard enable_checks explain_cache_misses allow_f16_reductions remove_size_one_mesh_axis_from_type",
         "switches for JAX's own checks"),
        ("distributed make_array_from_process_local_data", "several machines"),
        ("Ref ref new_ref empty_ref free_ref freeze ds", "mutable references: arrays take stores inside of functions here"),
        ("memory smap auto_pcast", "experimental in JAX, or about its own runtime"),
    ],
    "jax.lax": [
        (r".*_p", "primitives of JAX's own language: `source` is a Python function here"),
        ("after_all create_token precv psend stage shape_as_value composite dce_sink pcast", "tokens and marks of JAX's own language"),
        ("DotAlgorithm DotAlgorithmPreset AccuracyMode Tolerance", "choices of algorithms of accelerators"),
        ("rng_uniform rng_bit_generator RandomAlgorithm", "give other numbers on other machines: see `random.bits`"),
        ("conv_general_shape_tuple conv_shape_tuple conv_transpose_shape_tuple reduce_window_shape_tuple conv_general_permutations padtype_to_pads",
         "internals of JAX's shape rules"),
        ("igamma_grad_a random_gamma_grad", "derivatives by name: use `grad`"),
        ("ragged_all_to_all ragged_dot ragged_dot_general RaggedDotDimensionNumbers scaled_dot", "products of ragged and scaled blocks"),
    ],
    "jax.random": [(r".*_p", "a primitive of JAX's own language")],
    "jax.tree_util": [("default_registry", "internals")],
    "jax.nn": [("get_scaled_dot_general_config scaled_dot_general scaled_matmul", "blocks of 8 bits and fewer of accelerators")],
}


def lists():
    """Module of JAX -> its public names."""
    found = {}
    for line in (FOLDER / "jax_names.txt").read_text().splitlines():
        if line.startswith("["):
            names = found[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            names += line.split()
    return found


def reason(module, name):
    """Why a name is not meant to be here; None if it is planned."""
    for names, why in NOT_MEANT.get(module, ()):
        if name in names.split() or "*" in names and re.fullmatch(names, name):
            return why
    return None


def sorted_out(module, names):
    """`here`, `planned` and `not meant`: names of the module in each."""
    ours = importlib.import_module(module.replace("jax", "transformer", 1))
    parts = {mark: [] for mark in ("here", "planned", "not meant")}
    for name in names:
        mark = "not meant" if reason(module, name) is not None else "here" if hasattr(ours, name) else "planned"
        parts[mark].append(name)
    return parts


def section(module, parts):
    lines = [f"## `{module}`", "", "| | names |", "|---|---|"]
    for mark in ("here", "planned"):
        if parts[mark]:
            lines.append(f"| {mark} ({len(parts[mark])}) | {' '.join(f'`{name}`' for name in parts[mark])} |")
    reasons = {}
    for name in parts["not meant"]:
        reasons.setdefault(reason(module, name), []).append(name)
    for why, names in reasons.items():
        lines.append(f"| not meant ({len(names)}): {why} | {' '.join(f'`{name}`' for name in names)} |")
    return [*lines, ""]


def text():
    """The whole page."""
    everything = {module: sorted_out(module, names) for module, names in lists().items()}
    lines = ["# JAX's names", "", "Which public names of JAX 0.10.2 are here, with `transformer` in place of `jax`. Made by `python docs/make_names.py`.", "",
             "| module | names | here | planned | not meant |", "|---|---|---|---|---|"]
    for module, parts in everything.items():
        total = sum(map(len, parts.values()))
        here = len(parts["here"])
        lines.append(f"| `{module}` | {total} | {here} ({here / total:.0%}) | {len(parts['planned'])} | {len(parts['not meant'])} |")
    lines += ["", "*planned*: may be added; *not meant*: belongs to how JAX works, or to what is out of scope, with the reason.", ""]
    for module, parts in everything.items():
        lines += section(module, parts)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    TABLE.write_text(text())
