"""Contestants that run in fresh processes: what start-up and memory cost.

A program is Python text that calls `report(value)` when its result is there. Programs are written to files, as ours is read from its source.
"""

import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

from .contest import Contest, Contestant, WrongValue

PROLOGUE = """
import time
def report(value):
    import json
    at = time.monotonic()
    print(json.dumps({"at": at, "value": value}))
"""
MEMORY_PROLOGUE = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
def start():
    global before
    before = peak()
def report(value):
    import json
    print(json.dumps({"bytes": peak() - before, "value": value}))
"""
ROOT = pathlib.Path(__file__).parent.parent
CACHES = {"JAX_COMPILATION_CACHE_DIR", "PYTHONDONTWRITEBYTECODE"}


@functools.cache
def folder():
    """A folder for byte code and programs that is gone when this process ends."""
    path = tempfile.mkdtemp(prefix="benchmarks-")
    atexit.register(shutil.rmtree, path)
    return pathlib.Path(path)


def environment(extra=()):
    """Fresh processes run the library of this tree and keep byte code, as any installed package does, but no other cache than those given."""
    variables = {k: v for k, v in os.environ.items() if k not in CACHES}
    return {**variables, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(folder() / "bytecode"),
            "TRANSFORMER_CACHE_DIR": "off", **dict(extra)}


def run(name, text, extra=()):
    """(seconds from before the start of a process to its report, the report)."""
    path = folder() / f"program_{name}.py"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    begin = time.monotonic()
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment(extra))
    if done.returncode:
        raise WrongValue(f"the program of {name} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    report = json.loads(done.stdout.splitlines()[-1])
    return report.get("at", begin) - begin, {**report, "value": np.asarray(report["value"])}


def starts(programs, check, rtol=1e-4, net=False, extra=None):
    """A contest of fresh processes (name -> text), from their start to their report.

    net: less the time of a process that only starts Python; extra: name -> environment variables. The first run, whose value is
    compared, also writes byte code and the caches that `extra` names.
    """
    def contestant(name):
        text, variables = PROLOGUE + programs[name], (extra or {}).get(name, ())

        def sample():
            bare = run("python", PROLOGUE + "report(0.0)")[0] if net else 0.0
            return run(name.replace(" ", "_"), text, variables)[0] - bare
        return Contestant(lambda: run(name.replace(" ", "_"), text, variables)[1]["value"], sample)
    return Contest({name: functools.partial(contestant, name) for name in programs}, check, rtol)


def peaks(programs, check, rtol=1e-4):
    """A contest of the growth of the largest resident memory between `start()` and `report(value)`, in fresh processes."""
    def contestant(name):
        text, held = MEMORY_PROLOGUE + programs[name], {}

        def value():
            held["report"] = run(name.replace(" ", "_"), text)[1]
            return held["report"]["value"]
        return Contestant(value, lambda: (value(), held["report"]["bytes"])[1])
    return Contest({name: functools.partial(contestant, name) for name in programs}, check, rtol, "B")
