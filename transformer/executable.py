"""A Core program as a compiled function.

    run = executable(program)
    outputs = run(arguments)          lists of arrays; the outputs are `backend.array.Array`s

It compiles at the first call, recompiles with the next power of two where a tape was too small, and raises the exception that
the program met (a raise, an index out of range), as NumPy would have.
"""

import functools
import sys
import threading

import numpy as np

from backend import client, settings
from backend.array import Array, wrap
from backend.compile import compile as compile_text
from backend.staging import Staging, is_lent, stages

from . import config
from .core import Apply, Hole, walk
from .errors import TransformError
from .later import later
from .lowered import CAPACITY

lower = later(globals(), "lower")

config.define("num_cpu_devices", None, functools.partial(client.configure, "num_cpu_devices"))
config.define("cpu_enable_async_dispatch", None, functools.partial(client.configure, "cpu_enable_async_dispatch"))
config.define("platforms", None, functools.partial(client.configure, "platforms"))

CAPACITY_GUESS = 1 << 22
"""The largest capacity chosen from an argument alone; beyond it the program first reports what it needs."""


SMALLEST = 8
"""The smallest capacity of a dimension that is an argument."""


settings.mesh_blocks.append(functools.partial(config.set_x64, None))


def surroundings():
    """What a program depends on besides the function and its arguments: the mode of 64-bit types, and the mesh of a block around
    the call (there is none as long as nobody has imported meshes)."""
    sharding = sys.modules.get("backend.sharding")
    return config.x64(), sharding and sharding.ambient_mesh()


class Compiled:
    """`run(arguments) -> outputs` for one program. See the module's docstring.

    program: the Core program, or a function that makes it, where it is there lowered (`reload`) and may never be needed. on_lowered(lowered)
    is called whenever the program has been lowered and compiled.
    """

    def __init__(self, program, donate=(), options=(), device=None):
        self.built, self.donate, self.options, self.device = program, tuple(donate), options, device
        self.lock = threading.Lock()
        self.lowered = self.run = None
        self.plain, self.sizes = None, {}
        self.on_lowered = None

    @functools.cached_property
    def program(self):
        return self.built() if callable(self.built) else self.built

    def build(self, capacity=CAPACITY, sizes=None):
        """Lower and compile; returns the backend's Executable. sizes: capacities of arguments that size arrays, by name."""
        with self.lock:
            larger = {n: max(size, self.sizes.get(n, 0)) for n, size in (sizes or {}).items()}
            if self.run is None or self.lowered.capacity < capacity or larger and larger != self.sizes:
                self.sizes = larger or self.sizes
                lowered, run = self.translate(capacity)
                self.use(lowered, run)
                if self.on_lowered is not None:
                    self.on_lowered(lowered)
            return self.run

    def use(self, lowered, run):
        self.lowered, self.run = lowered, run
        self.plain = run.call if len(run.outputs) == lowered.count else None

    def reload(self, lowered):
        """Take the program as it was lowered by an earlier process."""
        self.use(lowered, compile_text(lowered.text, lowered.features, self.options, self.device))

    def translate(self, capacity):
        """(the Lowered, the backend's Executable) for a capacity."""
        lowered = lower.lower(self.program, capacity, self.donate, client.platform(), sizes=self.sizes)
        if lowered.sized and self.donate:
            lowered = lower.lower(self.program, capacity, (), client.platform(), sizes=self.sizes)
        return lowered, compile_text(lowered.text, lowered.features, self.options, self.device, lowered.callbacks)

    @property
    def on_cpu(self):
        """Whether it runs on the first device and that is a CPU."""
        return self.device is None and client.platform() == "cpu"

    def for_xla(self):
        """What runs the program compiled by XLA."""
        return self

    def compiles(self):
        """Whether the program can be compiled: its shapes follow from types alone."""
        try:
            self.build()
        except TransformError:
            return False
        return True

    def __call__(self, arguments):
        if self.plain is not None:
            return self.plain(arguments)
        if self.run is None:
            self.build(CAPACITY, self.argument_sizes(arguments))
            return self(arguments)
        lowered, results = self.lowered, self.reported(self.run.call(arguments))
        if lowered.sized and int(results[-1]) > lowered.capacity:
            sizes = self.argument_sizes(arguments)
            grown = any(size > self.sizes.get(name, 0) for name, size in sizes.items())
            self.build(lowered.capacity if grown else power_of_two(int(results[-1])), sizes)
            return self(arguments)
        if lowered.failures:
            raise_failure(lowered, results)
        return results[: lowered.count]

    def reported(self, results):
        """The results, what follows the outputs being the report of one device."""
        return results

    def argument_sizes(self, arguments):
        """Capacities that fit the int arguments which size an array, so that a long loop compiles once; argument name -> capacity."""
        values = {i: int(np.asarray(arguments[i])) for i in sizing_parameters(self.program)}
        return {self.program.params[i]: power_of_two(min(max(n, SMALLEST), CAPACITY_GUESS)) for i, n in values.items()}

    def first_capacity(self, arguments):
        """The capacity where all unknown dimensions have the same: it fits the int arguments which size an array."""
        return max(CAPACITY, *self.argument_sizes(arguments).values(), 0)

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


def power_of_two(size):
    """The smallest power of two that is not less."""
    return 1 << (size - 1).bit_length()


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


spec, integer = client.spec, client.integer

__all__ = ["Array", "Compiled", "Staging", "executable", "integer", "is_lent", "spec", "stages", "surroundings", "wrap"]
