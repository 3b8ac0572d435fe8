"""NPBench's kernels, unmodified, against its own JAX versions: `python -m benchmarks.npbench [kernel ...] [--path FOLDER] [--preset S]`.

FOLDER is a checkout of https://github.com/spcl/npbench; the environment variable NPBENCH may name it instead. For each kernel: the
forward call and the gradient of the sum of its outputs with respect to all float arrays, compiled by `jit`, and the ratio ours / JAX.
Each kernel runs in a process of its own; its values are compared with NumPy's first, and JAX's values with ours: where JAX's
version computes something else, has no gradient or does not end, the row says so and counts in no mean.
"""

import argparse
import importlib
import json
import os
import pathlib
import subprocess
import sys
from math import exp, log
from typing import NamedTuple

import numpy as np

import transformer

from .contest import Contest, Contestant, WrongValue, compare, leaves, timed, waited
from .measure import Result, measure
from .processes import ROOT, environment
from .report import lines

GOAL = 1.5
"""The ratio ours / JAX that no kernel should exceed."""
SECONDS = 300
"""How long a kernel may take, all in all."""


class Kernel(NamedTuple):
    """A kernel with its data. arrays, inexact: the positions of all arrays and of those with a gradient; stored: of those that it
    stores results into."""

    name: str
    function: object
    jax: object
    args: list
    arrays: list
    inexact: list
    stored: list


def names(root):
    """The names of the kernels that have a NumPy version."""
    found = {path.stem: json.loads(path.read_text())["benchmark"] for path in sorted((root / "bench_info").glob("*.json"))}
    return [name for name, info in found.items() if source(root, info, "numpy").exists()]


def source(root, info, kind):
    return root / "npbench" / "benchmarks" / info["relative_path"] / f"{info['module_name']}_{kind}.py"


def load(root, name, preset):
    """The Kernel of a name, with the data of a preset."""
    sys.path.insert(0, str(root))
    info = json.loads((root / "bench_info" / f"{name}.json").read_text())["benchmark"]
    path = ".".join(["npbench.benchmarks", *info["relative_path"].split("/"), info["module_name"]])
    data, init = dict(info["parameters"][preset]), info.get("init")
    if init:
        made = getattr(importlib.import_module(path), init["func_name"])(*[data[a] for a in init["input_args"]])
        data.update(zip(init["output_args"], made if isinstance(made, tuple) else (made,), strict=True))
    versions = [importlib.import_module(f"{path}_{kind}") if source(root, info, kind).exists() else None for kind in ("numpy", "jax")]
    function, jax = [getattr(module, info["func_name"], None) for module in versions]
    args = [aligned(data[a]) if isinstance(data[a], np.ndarray) else data[a] for a in info["input_args"]]
    arrays = [k for k, a in enumerate(args) if isinstance(a, np.ndarray)]
    inexact = [k for k in arrays if args[k].dtype.kind in "fc"]
    stored = [info["input_args"].index(a) for a in info["output_args"]]
    return Kernel(name, function, jax, args, arrays, inexact, stored or changed(function, args, arrays))


def changed(function, args, arrays):
    """The positions of the arrays that a kernel changes, if that is all it does: some kernels' descriptions do not say so."""
    copies = [np.copy(a) if k in arrays else a for k, a in enumerate(args)]
    if function(*copies) is not None:
        return []
    return [k for k in arrays if not np.array_equal(copies[k], args[k])]


def aligned(array):
    """A copy at an address that XLA takes as it is."""
    space = np.empty(array.nbytes + 64, np.uint8)
    start = -space.ctypes.data % 64
    copy = space[start: start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def outputs_of(kernel):
    """A function of the kernel's arguments, which it leaves as they are: the list of its results, then of the arrays stored into."""
    function, stored = kernel.function, tuple(kernel.stored)

    def outputs(*args):
        args = [np.copy(a) if k in stored else a for k, a in enumerate(args)]
        result = function(*args)
        found = [] if result is None else list(result) if isinstance(result, tuple) else [result]
        return found + [args[k] for k in stored if not any(args[k] is value for value in found)]
    return outputs


def total_of(kernel):
    """The sum of the real parts of all inexact outputs."""
    outputs = outputs_of(kernel)

    def total(*args):
        found = 0.0
        for value in outputs(*args):
            if np.asarray(value).dtype.kind in "fc":
                found = found + np.sum(np.real(value))
        return found
    return total


# contests -----------------------------------------------------------------------------------------------------------------
def forward(kernel):
    """The Contest of the kernel itself."""
    ours = waited(transformer.jit(outputs_of(kernel)), *kernel.args)
    tolerance = 1e-3 if any(a.dtype == np.float32 for a in map(np.asarray, kernel.args)) else 1e-6

    def check(value):
        compare(value, outputs_of(kernel)(*kernel.args), tolerance, "ours against plain NumPy")
    return contest(kernel, ours, lambda jax, jnp, given: waited(kernel.jax, *given), check, tolerance)


def gradient(kernel):
    """The Contest of the gradient of the sum of the outputs."""
    ours = waited(transformer.jit(transformer.grad(total_of(kernel), tuple(kernel.inexact))), *kernel.args)

    def peer(jax, jnp, given):
        def total(*arrays):
            args = list(given)
            for k, array in zip(kernel.inexact, arrays):
                args[k] = array
            found = [jnp.sum(jnp.real(v)) for v in jax.tree_util.tree_leaves(kernel.jax(*args)) if jnp.asarray(v).dtype.kind in "fc"]
            return sum(found, jnp.zeros(()))
        return waited(jax.jit(jax.grad(total, tuple(range(len(kernel.inexact))))), *[given[k] for k in kernel.inexact])
    return contest(kernel, ours, peer, lambda value: None, 1e-3)


def contest(kernel, ours, peer, check, rtol):
    def make():
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        given = [jnp.array(a) if k in kernel.arrays else a for k, a in enumerate(kernel.args)]
        call = peer(jax, jnp, given)
        return Contestant(lambda: in_our_order(leaves(ours()), leaves(call()), rtol), timed(call).sample)
    return Contest({"ours": lambda: timed(ours), "jax": make}, check, rtol)


def in_our_order(ours, theirs, rtol):
    """Our arrays with JAX's in their places, which may be fewer and in another order; WrongValue if one has no place."""
    out, free = list(ours), list(range(len(ours)))
    for value in theirs:
        places = [k for k in free if ours[k].shape == value.shape and np.allclose(ours[k], value, rtol, rtol * np.abs(value).max(initial=0.0))]
        if not places:
            raise WrongValue(f"JAX's version computes other values: none of ours is its array of shape {value.shape}")
        free.remove(places[0])
        out[places[0]] = value
    return out


# processes ----------------------------------------------------------------------------------------------------------------
def work(root, name, preset, kind):
    """Measure one contest in this process; prints its Result as JSON."""
    kernel = load(root, name, preset)
    if kernel.jax is None:
        raise SystemExit("no JAX version")
    made = {"forward": forward, "gradient": gradient}[kind](kernel)
    print(json.dumps(measure(f"{name} {kind}", f"NPBench, preset {preset}", {"jax": GOAL}, made, 3.0)._asdict()))


def run(root, name, preset, kind):
    """The Result of one contest in a process of its own, or why there is none."""
    command = [sys.executable, "-m", "benchmarks.npbench", name, "--path", str(root), "--preset", preset, "--work", kind]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment(), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no result in {SECONDS} s"
    if done.returncode:
        return (done.stderr.strip() or "failed").splitlines()[-1][:160]
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def mean(ratios):
    return exp(sum(map(log, ratios)) / len(ratios)) if ratios else float("nan")


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.npbench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="kernels to measure (default: all)")
    parser.add_argument("--path", default=os.environ.get("NPBENCH"), help="a checkout of NPBench (default: $NPBENCH)")
    parser.add_argument("--preset", default="S", choices=["S", "M", "L", "paper"])
    parser.add_argument("--work", choices=["forward", "gradient"], help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if not options.path or not (pathlib.Path(options.path) / "bench_info").is_dir():
        parser.error("no checkout of NPBench: git clone https://github.com/spcl/npbench and give its folder by --path or NPBENCH")
    root = pathlib.Path(options.path).resolve()
    if options.work:
        return work(root, options.kernels[0], options.preset, options.work)
    ratios = {"forward": [], "gradient": []}
    for name in options.kernels or names(root):
        for kind, found in ratios.items():
            result = run(root, name, options.preset, kind)
            print("\n".join(lines(result)) if isinstance(result, Result) else f"{name} {kind}: {result}", flush=True)
            if isinstance(result, Result):
                found.append(result.ratio("jax")[0])
    for kind, found in ratios.items():
        print(f"{kind}: geometric mean of ours / jax {mean(found):.2f} over {len(found)} kernels")


if __name__ == "__main__":
    sys.exit(main())
