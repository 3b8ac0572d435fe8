"""What a program depends on besides its arguments: what is around the call, globals and closure variables."""

import types

from ..config import MODE
from ..executable import surroundings
from ..specialised import unchanged

IDENTICAL = types.FunctionType | types.BuiltinFunctionType | types.MethodDescriptorType | types.ModuleType | type
"""Values that only themselves are equal to, for a guard."""


def check_mode(writer):
    """Write the test of what is around the call; outside of all blocks `MODE` tells it."""
    wanted, mode = surroundings(), writer.bind(MODE, "mode")
    inside = f"{mode}[0] is not {wanted[0]} and " if wanted[1] is None else ""
    writer.test(f"{inside}{writer.bind(surroundings, 'surroundings')}() != {writer.bind(wanted, 'wanted')}")


def check_guards(writer, guards):
    """Write the tests of the guards."""
    for guard in guards:
        value, expected = guard.access.text(writer.bind), guard.expected
        if isinstance(expected, IDENTICAL):
            writer.test(f"{value} is not {writer.bind(expected, 'expected')}")
            continue
        known = writer.bind(expected, "expected")
        writer.test(f"(value := {value}) is not {known} and not {writer.bind(unchanged, 'unchanged')}(value, {known})")


__all__ = ["check_guards", "check_mode"]
