"""Plain functions that every transform is tested on. Each module appends to `PROGRAMS` through `sample`.

A program is a function, its arguments, and which of them are differentiated (`wrt`). Results are arrays, numbers or containers.
"""

import importlib
import pkgutil
from typing import Any, NamedTuple


class Sample(NamedTuple):
    fn: Any
    args: tuple
    wrt: tuple


PROGRAMS = []


def sample(*args, wrt=(0,)):
    """Register a function with arguments to test it on."""
    def register(fn):
        PROGRAMS.append(Sample(fn, args, wrt))
        return fn
    return register


for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")
