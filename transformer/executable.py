"""A Core program as a compiled function.

    run = executable(program)
    outputs = run(arguments)          lists of arrays; the outputs are `backend.array.Array`s

It compiles at the first call, recompiles with the next power of two where a tape was too small, and raises the exception that
the program met (a raise, an index out of range), as NumPy would have.
"""

import functools
import threading

import numpy as np

from backend import client
from backend.array import Array, wrap
from backend.compile import compile as compile_text

from . import config
from .core import Apply, Hole, walk
from .lower import CAPACITY, lower

config.define("num_cpu_devices", None, functools.partial(client.configure, "num_cpu_devices"))
config.define("platforms", None, functools.partial(client.configure, "platforms"))

CAPACITY_GUESS = 1 << 22
"""The largest capacity chosen from an argument alone; beyond it the program first reports what it needs."""


class Compiled:
    """`run(arguments) -> outputs` for one program. See the module's docstring."""

    def __init__(self, program, donate=(), options=(), device=None):
        self.program, self.donate, self.options, self.device = program, tuple(donate), options, device
        self.lock = threading.Lock()
        self.lowered = self.run = None
        self.plain = None

    def build(self, capacity=CAPACITY):
        """Lower and compile; returns the backend's Executable."""
        with self.lock:
            if self.run is None or self.lowered.capacity < capacity:
                lowered, run = self.translate(capacity)
                self.lowered, self.run = lowered, run
                self.plain = run.call if len(run.outputs) == lowered.count else None
            return self.run

    def translate(self, capacity):
        """(the Lowered, the backend's Executable) for a capacity."""
        lowered = lower(self.program, capacity, self.donate, client.platform())
        if lowered.sized and self.donate:
            lowered = lower(self.program, capacity, (), client.platform())
        return lowered, compile_text(lowered.text, lowered.features, self.options, self.device, lowered.callbacks)

    def __call__(self, arguments):
        if self.plain is not None:
            return self.plain(arguments)
        if self.run is None:
            self.build(self.first_capacity(arguments))
            return self(arguments)
        lowered, results = self.lowered, self.reported(self.run.call(arguments))
        if lowered.sized and int(results[-1]) > lowered.capacity:
            self.build(1 << (int(results[-1]) - 1).bit_length())
            return self(arguments)
        if lowered.failures:
            raise_failure(lowered, results)
        return results[: lowered.count]

    def reported(self, results):
        """The results, what follows the outputs being the report of one device."""
        return results

    def first_capacity(self, arguments):
        """A capacity that fits the int arguments which size an array, so that a long loop compiles once."""
        sized = sizing_parameters(self.program)
        largest = max((int(np.asarray(arguments[i])) for i in sized), default=0)
        return max(CAPACITY, 1 << (min(largest, CAPACITY_GUESS) - 1).bit_length() if largest > 0 else 0)

    def text(self):
        """The StableHLO text."""
        self.build()
        return self.lowered.text

    def hlo_text(self):
        """XLA's optimised program."""
        return self.build().hlo_text()

    def cost_analysis(self):
        return self.build().cost_analysis()

    def memory_analysis(self):
        return self.build().memory_analysis()


def sizing_parameters(program):
    """Positions of the parameters that are a dimension of an array made in the program."""
    sizes = set()
    for stmt in walk(program.body):
        if isinstance(stmt, Apply) and "shape" in stmt.params and isinstance(stmt.params["shape"], tuple):
            sizes.update(stmt.args[d.position] for d in stmt.params["shape"] if isinstance(d, Hole))
    return [i for i, name in enumerate(program.params) if name in sizes]


def executable(program, donate=(), options=(), device=None):
    """The compiled form of a program; `donate`: parameter positions whose memory results may reuse."""
    return Compiled(program, donate, options, device)


def raise_failure(lowered, results):
    """Raise the exception of the first failure that the program met, if any."""
    code = int(results[lowered.count])
    if not code:
        return
    values = iter(results[lowered.count + 2:])
    for number, failure in enumerate(lowered.failures, 1):
        operands = [results[lowered.count + 1] if n == "?index" else next(values) for n in failure.names]
        if number == code:
            failure.raise_([np.asarray(v) for v in operands])


__all__ = ["Array", "Compiled", "executable", "wrap"]
