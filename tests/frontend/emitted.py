"""Run a NumPy function on references and execute the program that it emits."""

import numpy as np

from transformer import ops, printing  # noqa: F401
from transformer.core import Aval
from transformer.frontend.builder import Builder


def build(function, *arrays):
    """The Core program of a function over arrays (and Python ints, which stay abstract)."""
    builder = Builder("f")
    refs = []
    for k, a in enumerate(arrays):
        weak = isinstance(a, int | float)
        refs.append(builder.parameter(f"x{k}", Aval(np.shape(a), np.asarray(a).dtype, weak)))
    with builder:
        out = function(*refs)
    return builder.program(out if isinstance(out, tuple) else (out,))


def run(function, *arrays):
    """The outputs of the emitted program, executed on NumPy."""
    out = printing.load(build(function, *arrays))(*[np.copy(a) if np.ndim(a) else a for a in arrays])
    return out if isinstance(out, tuple) else (out,)


def check(function, *arrays):
    want = function(*[np.copy(a) if np.ndim(a) else a for a in arrays])
    want = want if isinstance(want, tuple) else (want,)
    for g, w in zip(run(function, *arrays), want, strict=True):
        np.testing.assert_array_equal(g, w)
        assert np.shape(g) == np.shape(w) and np.asarray(g).dtype == np.asarray(w).dtype
