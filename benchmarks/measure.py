"""Timing: peers interleaved in one run, medians, and fresh processes for start-up costs."""

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: the work, and the median seconds of each contestant (the first is ours)."""

    work: str
    seconds: dict

    def ratios(self):
        """How many times longer each peer takes than we do."""
        ours, *peers = self.seconds.items()
        return {name: value / ours[1] for name, value in peers}


def interleaved(contestants, rounds=30, repeat=1, warm_up=3):
    """Median seconds of one call of each contestant (name -> callable), their calls taking turns.

    A round times `repeat` calls in a row; every array is an argument that the callables close over, never a constant.
    """
    for call in contestants.values():
        for _ in range(warm_up):
            call()
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, call in contestants.items():
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            times[name].append((time.perf_counter() - start) / repeat)
    return {name: statistics.median(values) for name, values in times.items()}


@functools.cache
def environment():
    """The environment of fresh processes: byte code is kept, as in any installed package, but in a folder of its own."""
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**variables, "PYTHONPYCACHEPREFIX": tempfile.mkdtemp(prefix="benchmarks-")}


def process_seconds(code):
    """Seconds from start to end of a fresh Python process that runs `code`."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment())
    return time.perf_counter() - start


def interleaved_processes(programs, rounds=5):
    """Median seconds of fresh processes (name -> code), net of an empty one, taking turns."""
    times = {name: [] for name in (*programs, None)}
    for code in programs.values():
        process_seconds(code)
    for _ in range(rounds):
        for name, code in (*programs.items(), (None, "pass")):
            times[name].append(process_seconds(code))
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {name: medians[name] - medians[None] for name in programs}


def reported_seconds(code, timeout):
    """The number that a fresh process prints last; infinity if it takes longer than `timeout` seconds."""
    try:
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=timeout, env=environment())
    except subprocess.TimeoutExpired:
        return float("inf")
    return float(done.stdout.split()[-1])


def interleaved_reports(programs, rounds=3, timeout=150):
    """Median of the number that fresh processes print (name -> code), taking turns."""
    times = {name: [] for name in programs}
    for code in programs.values():
        reported_seconds(code, timeout)
    for _ in range(rounds):
        for name, code in programs.items():
            if float("inf") not in times[name]:
                times[name].append(reported_seconds(code, timeout))
    return {name: statistics.median(values) for name, values in times.items()}


def wait(value):
    """Wait for every array in a nested list or tuple that is still being computed."""
    if isinstance(value, list | tuple):
        for part in value:
            wait(part)
    elif hasattr(value, "block_until_ready"):
        value.block_until_ready()
    return value


def text(seconds):
    """A duration to three digits with its unit."""
    if seconds == float("inf"):
        return "no result"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(rows):
    """The rows as lines of text."""
    lines = []
    for row in rows:
        ratios = row.ratios()
        parts = [f"{name} {text(value)}" + (f" ({ratios[name]:.2f}x)" if name in ratios else "") for name, value in row.seconds.items()]
        lines.append(f"{row.work:<58}" + "   ".join(parts))
    return "\n".join(lines)
