"""Engines: what runs a compiled function on CPU, XLA's executable or the generated NumPy program.

    jit(f, engine="auto")        per function: "xla", "numpy" or "auto"
    config.update("jit_engine", "auto"), TRANSFORMER_JIT_ENGINE=auto        for all that do not say; the default is "xla"
    f.explain(*args)             which one, why, and what a call is estimated to cost on each

NumPy can take over small dense straight-line programs of floating-point arrays; their results are `Array`s of the same types, but may
differ from XLA's in the last bits. "auto" decides by the estimates alone, so that one signature always has one engine: no race.
Microseconds, measured with jaxlib 0.10 and NumPy 2 on one x86-64 machine (arrays of 8 to 100,000 float32 elements):

    XLA      a call 2.6, a parameter 0.35, a result 1.0, a sum 0.5, a product 0.6; an element 0.0001, a product's flop 0.00002
    NumPy    a call 1.3, a result 1.1, an elementwise statement 0.4, a sum 1.5, a product 0.8, a view 0.3; an element 0.0002,
             a product's flop 0.00002

A program of one or two statements on small arrays saves 1 to 2 of 4 us. Two layers of width 8 are a tie, and from five statements on
XLA wins at all sizes: it fuses elementwise statements, NumPy pays for each. (Where calls return before their program has run,
`cpu_enable_async_dispatch`, XLA takes 10 to 25 us more; the estimates are for calls that run it themselves.)
"""

import os
from typing import NamedTuple

import numpy as np

from . import config
from .core import Apply, Move
from .errors import TransformError
from .executable import Array, Compiled, spec
from .later import later

pipeline, printing = later(globals(), "pipeline"), later(globals(), "printing")

ENGINES = ("xla", "numpy", "auto")
ADVANTAGE = 0.8
"""The fraction of XLA's estimate that NumPy's must be below."""


class Explanation(NamedTuple):
    """Which engine runs a signature, why, and the estimates in microseconds a call (nan where NumPy cannot run it)."""

    engine: str
    reason: str
    numpy: float = np.nan
    xla: float = np.nan

    def __str__(self):
        costs = "" if np.isnan(self.xla) else f" (estimates: numpy {self.numpy:.1f} us, xla {self.xla:.1f} us a call)"
        return f"{self.engine}: {self.reason}{costs}"


def check(name):
    """An engine's name; TransformError for another."""
    if name not in ENGINES:
        raise TransformError(f"there is no engine {name!r}", f"Known: {', '.join(ENGINES)}.")
    return name


config.define("jit_engine", check(os.environ.get("TRANSFORMER_JIT_ENGINE") or "xla"), check)


def wanted(transformed):
    """The engine that a jit in the chain of transforms asks for, else that of the process."""
    while hasattr(transformed, "settings"):
        name = transformed.settings.get("engine")
        if name is not None:
            return name
        transformed = transformed.fn
    return config.config.read("jit_engine")


def choose(name, specialised, program, donate):
    """The Explanation for a program that is about to be compiled. Raises TransformError if NumPy is asked for and cannot run it."""
    if name == "xla":
        return Explanation("xla", "it is asked for, by jit or by the configuration")
    obstacle = why_not(specialised, program, donate)
    if obstacle:
        if name == "numpy":
            raise TransformError(f"NumPy cannot run {program.name} in place of the compiled program: {obstacle}", 'Use engine="auto" or "xla".')
        return Explanation("xla", obstacle)
    numpy, xla = numpy_cost(program), xla_cost(program)
    if name == "numpy":
        return Explanation("numpy", "it is asked for, by jit or by the configuration", numpy, xla)
    if numpy < ADVANTAGE * xla:
        return Explanation("numpy", "a small program", numpy, xla)
    return Explanation("xla", "it is quicker", numpy, xla)


# what NumPy can take over -------------------------------------------------------------------------------------------------
def why_not(specialised, program, donate):
    """What keeps NumPy from running a program with the meaning of the compiled one; None if nothing does."""
    if specialised.placement is not None or not Compiled(program).on_cpu:
        return "it does not run on the first CPU device"
    if donate or specialised.stored:
        return "arguments are donated or stored into"
    if not all(isinstance(s, Apply | Move) for s in program.body):
        return "it has loops, branches, stores or effects"
    if not all(map(is_float, program.avals.values())):
        return "it computes with integers, Python numbers, or half precision, which XLA and NumPy divide and round in other ways"
    for stmt in program.body:
        if isinstance(stmt, Apply) and kind_of(stmt, program) is None:
            return f"it calls {stmt.op.name}, of which only arithmetic, sums, products and views are taken over"
    return None


def is_float(aval):
    return not aval.weak and (aval.dtype.kind == "b" or aval.dtype.name in ("float32", "float64"))


def kind_of(stmt, program):
    """What a statement costs like: "elementwise", "product", "view", "sum"; None if NumPy does not take it over."""
    op, avals = stmt.op, [program.aval(a) for a in stmt.args]
    if op.collective or op.impl is None:
        return None
    if op.elementwise:
        return "elementwise"
    if op.product(*avals, **stmt.params) is not None:
        return "product"
    if op.gather or op.as_index is not None:
        return "view"
    if op.linear is not None:
        return "view" if program.avals[stmt.target].size >= max((a.size for a in avals), default=0) else "sum"
    return None


# estimates -----------------------------------------------------------------------------------------------------------------
NUMPY = {"elementwise": 0.4, "sum": 1.5, "product": 0.8, "view": 0.3}
XLA = {"elementwise": 0.0, "sum": 0.5, "product": 0.6, "view": 0.0}


def numpy_cost(program):
    """Estimated microseconds of a call on NumPy."""
    return 1.3 + 1.1 * len(program.outputs) + statements_cost(program, NUMPY, 2e-4)


def xla_cost(program):
    """Estimated microseconds of a call of the executable, in the thread of the caller."""
    return 2.6 + 0.35 * len(program.params) + 1.0 * len(program.outputs) + statements_cost(program, XLA, 1e-4)


def statements_cost(program, fixed, element):
    cost = 0.0
    for stmt in program.body:
        if isinstance(stmt, Apply):
            kind, avals = kind_of(stmt, program), [program.aval(a) for a in stmt.args]
            cost += fixed[kind] + (2e-5 * flops(avals, program.avals[stmt.target]) if kind == "product" else 0)
            cost += element * max(a.size for a in (*avals, program.avals[stmt.target])) * (kind != "view")
    return cost


def flops(operands, result):
    """Of a product: for each element of the result, twice the elements that are summed."""
    return 2 * float(np.sqrt(float(result.size) * np.prod([float(a.size) for a in operands])))


# the run -------------------------------------------------------------------------------------------------------------------
class OnNumPy(Compiled):
    """The generated NumPy program, run as the executable would be; that is made only where somebody looks at it."""

    def __init__(self, program, donate=()):
        super().__init__(program, donate)
        self.function = printing.load(pipeline.for_numpy(program))
        self.specs = [spec(aval.shape, aval.dtype) for aval in map(program.aval, program.outputs)]

    def __call__(self, arguments):
        values = [a.value if isinstance(a, Array) else np.asarray(a) for a in arguments]
        with np.errstate(all="ignore"):
            results = self.function(*values)
        if len(self.specs) == 1:
            results = (results,)
        return [as_array(r, s, values) for r, s in zip(results or (), self.specs, strict=True)]

    def for_xla(self):
        return Compiled(self.program, self.donate, self.options)


def as_array(result, spec, arguments):
    """The Array of a result, in memory of its own: no view, and none of the arguments."""
    if type(result) is not np.ndarray:
        result = np.asarray(result, spec.dtype)
    elif result.base is not None or any(result is a for a in arguments):
        result = result.copy()
    result.flags.writeable = False
    return Array(None, spec, result)


__all__ = ["Explanation", "OnNumPy", "as_array", "choose", "wanted"]
