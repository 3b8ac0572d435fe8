"""Small programs for the docstrings of the passes.

>>> show(example(lambda x: np.sin(x) * 2.0))
sin = np.sin(x)
multiply = sin * 2.0
"""

import inspect

import numpy as np

from ...core import Aval
from ...frontend.builder import Builder
from ...printing import statements


def example(fn, shape=(3,)):
    """The program of a function of float64 arrays of one shape; it runs on references."""
    builder = Builder("f")
    with builder:
        args = [builder.parameter(name, Aval(shape, np.dtype(float))) for name in inspect.signature(fn).parameters]
        results = fn(*args)
        return builder.program(results if isinstance(results, tuple) else (results,))


def show(program):
    """Print the statements of a program, one a line."""
    print(statements(program))
