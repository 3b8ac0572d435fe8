"""Compiled functions on disk: a later process neither transforms nor compiles.

    draft = draft_of(transformed, args, kwargs)     None where the program cannot be told from what can be seen of the function
    draft.find(leaves)                              (specialised, lowered, donate) of an earlier process, or None
    draft.watch(specialised, compiled)              keep a program that was built here, once it is lowered

An entry is found by a description of all that the function can read (`contents`) and of its arguments, with the versions of everything
involved; it holds the StableHLO text and what is needed to call it (`records`). The executable lies beside it, found by the text, so
an entry whose executable is gone is compiled again. Arguments whose values are built into a program (sizes, above all), and arrays that are
not its inputs, are asked for by a further file, which lists what to look at.
"""

import ast
import functools
import os
import sys

import numpy as np

from backend import client, disk

from .. import axes
from ..config import settings, x64
from ..leaves import plain
from . import records
from .arguments import describe_arguments
from .contents import Survey, Unsettled

PACKAGES = ("transformer", "backend")


class Draft:
    """A call whose program may be on disk. survey: the description of its function and arguments; name: of its entry."""

    def __init__(self, survey):
        self.survey = survey
        self.name = disk.key_of("program", environment(), settings(), x64(), loaded_versions(), survey.text())
        survey.tokens.clear()

    def find(self, leaves):
        """The program of an earlier process for these leaves of the arguments, if there is one."""
        for question in [((), ()), *self.questions()]:
            data = disk.read(self.entry_name(question, leaves))
            if data is not None:
                line, text = data.decode().split("\n", 1)
                found = records.read(line, self.survey.nodes)
                if found is None:
                    continue
                specialised, lowered, donate = found
                specialised.static = {p: plain(leaves[p]) for p in question[0]}
                lowered.text = text
                return specialised, lowered, donate
        return None

    def questions(self):
        """What to look at: (positions of leaves, numbers of arrays) whose values programs of this description were built for."""
        data = disk.read(disk.key_of("questions", self.name))
        return [] if data is None else ast.literal_eval(data.decode())

    def entry_name(self, question, leaves):
        positions, numbers = question
        if not positions and not numbers:
            return self.name
        arrays = [np.asarray(self.survey.nodes[n]) for n in numbers]
        return disk.key_of(self.name, question, [repr(plain(leaves[p])) for p in positions], [(a.dtype.str, a.shape, a.tobytes()) for a in arrays])

    def watch(self, specialised, compiled):
        """Store the program when it is lowered, which is at its first run."""
        if specialised.volatile is None and specialised.placement is None and not specialised.by_value:
            compiled.on_lowered = functools.partial(self.keep, specialised, compiled)

    def keep(self, specialised, compiled, lowered):
        """Write the entry. A program with sizes may be lowered again, for larger ones."""
        if not lowered.sized:
            compiled.on_lowered = None
        if lowered.callbacks or not all(guard.holds() for guard in specialised.guards):
            return
        try:
            line = records.write(self.survey, specialised, lowered, compiled.donate)
            inputs = {self.survey.numbers[id(i.value.access())] for i in specialised.inputs if i.kind == "hidden"}
        except (Unsettled, KeyError):
            return
        numbers = self.survey.arrays - (set() if self.survey.is_native else inputs)
        question = tuple(sorted(specialised.static)), tuple(sorted(numbers))
        if any(question):
            known = self.questions()
            if question not in known:
                disk.write(disk.key_of("questions", self.name), repr([*known, question]).encode())
        disk.write(self.entry_name(question, specialised.static), f"{line}\n{lowered.text}".encode())


def draft_of(transformed, args, kwargs):
    """The `Draft` of a call, or None: no disk cache, nothing compiled, or a function that depends on what cannot be compared."""
    declared = sys.modules.get("transformer.ops.op")
    if not transformed.compiled or disk.folder() is None or axes.bound() or declared and declared.FOREIGN:
        return None
    survey = Survey()
    try:
        survey.value(transformed)
        describe_arguments(survey, args, kwargs)
        survey.finish()
    except (Unsettled, RecursionError):
        return None
    return Draft(survey)


def loaded_versions():
    """Versions of the libraries that programs may call and that are not always there."""
    return [(name, getattr(sys.modules.get(name), "__version__", None)) for name in ("scipy", "ml_dtypes")]


@functools.cache
def environment():
    """The key of what a program depends on besides its function: versions, the platform, this package itself."""
    return disk.key_of(sys.version, sys.flags.optimize, np.__version__, client.versions(), client.platform(), len(client.devices()), stamp())


def stamp():
    """Sizes and times of our own files, as Python's cache of byte code compares them."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found, todo = [], [os.path.join(root, name) for name in PACKAGES]
    while todo:
        with os.scandir(todo.pop()) as listing:
            for item in listing:
                if item.is_dir():
                    todo.append(item.path)
                elif item.name.endswith(".py"):
                    status = item.stat()
                    found.append((item.path, status.st_size, status.st_mtime_ns))
    return sorted(found)


__all__ = ["Draft", "draft_of"]
