"""Modules that most processes do not need, imported at their first use.

    pipeline = later(globals(), "pipeline")      instead of `from . import pipeline`

A process whose programs come from disk never transforms, and a process that only transforms never compiles.
"""

import importlib


class Later:
    """Stands for a module of this package until something of it is asked for; then the module itself takes its place."""

    def __init__(self, namespace, name):
        self._place = namespace, name

    def __getattr__(self, attribute):
        namespace, name = self._place
        module = importlib.import_module(f"{__package__}.{name}")
        for key in [k for k, value in namespace.items() if value is self]:
            namespace[key] = module
        return getattr(module, attribute)


def later(namespace, name):
    """What stands for the module `name` (a path below this package) in the namespace of a module."""
    return Later(namespace, name)


__all__ = ["later"]
