"""What lowering a program gives: its text, and how its results are to be read."""

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CAPACITY = 64
"""What an unknown dimension becomes at first."""


@dataclass
class Lowered:
    """What `lower` returns.

    Results of the text, in order: the program's outputs (`count` of them); where `failures` is not empty: the int32 code
    (0, or the number of a failure, from 1), the int64 index at fault, the operands of each failure;
    where there are `callbacks`: a token; where `sized`: the int64 capacity needed.
    """

    text: str
    count: int
    failures: list
    sized: bool
    capacity: int
    callbacks: list = field(default_factory=list)
    features: frozenset = frozenset()
    extra: list = field(default_factory=list)


@dataclass
class Failure:
    """A place where a program may fail. `avals` are those of the operands that the exception's source mentions."""

    exception: type
    text: str
    avals: tuple
    origin: Any
    names: tuple = ()

    def raise_(self, values):
        """Raise the exception, as NumPy would have; its note says where."""
        root = self.exception.__module__.partition(".")[0]
        scope = {"np": np, root: sys.modules.get(root), self.exception.__name__: self.exception}
        scope.update({f"_{k}": python_value(v, a) for k, (v, a) in enumerate(zip(values, self.avals, strict=True))})
        try:
            exec(self.text, scope)
        except self.exception as error:
            if self.origin is not None:
                error.add_note(f"raised at {self.origin}: {self.origin.text.strip()}")
            raise error from None


def python_value(value, aval):
    """What user code would see: a Python number for a weak aval, a NumPy scalar or array otherwise."""
    value = np.asarray(value)
    return value.item() if aval.weak else value[()]


__all__ = ["CAPACITY", "Failure", "Lowered", "python_value"]
