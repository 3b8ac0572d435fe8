"""Results as lines of text and as JSON, with the facts of the machine."""

import datetime
import importlib.metadata
import os
import pathlib
import platform

UNITS = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")), "B": ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))}
PACKAGES = ("transformer", "jaxlib", "jax", "numpy", "numba", "autograd", "scipy")


def text(value, unit="s"):
    """A duration or a size to three digits with its unit.

    >>> text(0.00123), text(3 * 2**20, "B")
    ('1.23 ms', '3 MiB')
    """
    for size, name in UNITS[unit]:
        if abs(value) >= size:
            return f"{value / size:.3g} {name}"
    return f"{value / size:.3g} {name}"


def between(low, high):
    return f"[{low:.3g} {high:.3g}]"


def lines(result):
    """The lines of a row: medians and quartiles of each contestant, then the ratio and the verdict for each goal."""
    parts = []
    for name in result.samples:
        low, high = (text(v, result.unit) for v in result.spread(name))
        parts.append(f"{name} {text(result.median(name), result.unit)} [{low}, {high}]")
    found = [f"{result.name}: {result.work}", "    " + "   ".join(parts)]
    for peer, goal in result.goals.items():
        rival = result.rival(peer)
        ratio, spread = result.ratio(rival)
        verdict = "met" if result.met(peer) else "MISSED"
        found.append(f"    ours / {rival} {ratio:.3g} {between(*spread)}, of the smallest {result.least(rival):.3g}, goal {goal:g}: {verdict}")
    return found


def facts():
    """The machine and the versions: a dict."""
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version(), "system": platform.platform(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
            "versions": {name: version for name in PACKAGES if (version := version_of(name))}}


def cpu_model():
    path = pathlib.Path("/proc/cpuinfo")
    models = [line.split(":", 1)[1].strip() for line in path.read_text().splitlines() if line.startswith("model name")] if path.exists() else []
    return models[0] if models else platform.processor()


def version_of(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def as_json(results, machine):
    """What `--json` writes: medians, quartiles, and for each goal the rival, the ratio and whether it is met."""
    return {"machine": machine, "rows": [row_json(result) for result in results]}


def row_json(result):
    goals = {}
    for peer, goal in result.goals.items():
        rival = result.rival(peer)
        ratio, spread = result.ratio(rival)
        goals[peer] = {"goal": goal, "rival": rival, "ratio": ratio, "quartiles": spread, "least": result.least(rival), "met": result.met(peer)}
    return {"name": result.name, "work": result.work, "unit": result.unit, "rounds": len(result.samples["ours"]), "goals": goals,
            "median": {name: result.median(name) for name in result.samples},
            "quartiles": {name: result.spread(name) for name in result.samples}}
