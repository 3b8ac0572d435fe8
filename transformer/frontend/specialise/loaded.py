"""Classes and functions of modules that a program may have imported, and that most programs have not.

    isinstance(value, loaded("fractions", "Fraction"))

Nothing of a module is at hand before somebody imports it, so that it need not be imported to recognise what is its own.
"""

import sys


class Unloaded:
    """Stands for all that nobody has imported: no value is an instance of it, or the same."""


def loaded(module, name):
    """What a module calls `name`; `Unloaded` if the module is not imported."""
    return getattr(sys.modules.get(module), name, Unloaded)


__all__ = ["loaded"]
