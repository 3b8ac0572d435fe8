"""What a program depends on besides its arguments: the mode of 64-bit types, globals and closure variables."""

import types

from ..config import MODE, x64
from ..specialised import unchanged

IDENTICAL = types.FunctionType | types.BuiltinFunctionType | types.MethodDescriptorType | type
"""Values that only themselves are equal to, for a guard."""


def check_mode(writer):
    """Write the test of the mode; it is in `MODE` unless a block in some thread sets another one."""
    wanted, mode = x64(), writer.bind(MODE, "mode")
    writer.test(f"{mode}[0] is not {wanted} and {writer.bind(x64, 'x64')}() is not {wanted}")


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
