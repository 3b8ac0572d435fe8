"""The one family of errors: each says where, what, and what to do."""

from typing import NamedTuple


class Origin(NamedTuple):
    """Where a statement of the user stands: file, line (from 1), column (from 0) and the text of the line."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}"


class TransformError(Exception):
    """A function cannot be transformed.

    `what` is a sentence about the fault, `advice` says what to write instead, `origin` is the user's line.
    `tests`: the abstract numbers of rounds and tests of the loops around; were they known, the loops would run round by round.
    """

    tests = ()

    def __init__(self, what, advice="", origin=None):
        self.what, self.advice, self.origin = what, advice, origin
        super().__init__(what)

    def at(self, origin):
        """The same error, placed at `origin` unless it has a place already."""
        if self.origin is None:
            self.origin = origin
        return self

    def __str__(self):
        lines = [self.what]
        if self.origin is not None:
            file, line, column, text = self.origin
            lines = [f"{file}:{line}:{column + 1}: {self.what}", f"    {text.strip()}"]
            lines.append("    " + " " * max(0, column - (len(text) - len(text.lstrip()))) + "^")
        if self.advice:
            lines.append(self.advice)
        return "\n".join(lines)


class ShapeError(TransformError, ValueError):
    """Shapes that do not fit together; the message names them."""


class TypeMismatch(TransformError, TypeError):
    """A value of a type that does not fit here."""


class UnknownFunction(TransformError, NotImplementedError):
    """A function that has no entry in the op table."""


class IndexMismatch(TransformError, IndexError):
    """An index that is outside of its axis, known when transforming."""


class AxisMismatch(IndexMismatch, ValueError):
    """An axis that the array does not have; both kinds of error, as NumPy's AxisError."""


class ValueDependent(TransformError):
    """The program's structure depends on values: types alone do not decide it. An un-jitted call goes on in value mode."""


class NeedStatic(ValueDependent):
    """A value that is abstract here is needed as a Python number; `ref` is the abstract value.

    The specialiser catches it: it unrolls the loop whose index is meant, or makes the argument static and starts again.
    """

    def __init__(self, ref, what):
        self.ref = ref
        super().__init__(what, "Pass it as a static argument (static_argnums), or use an array operation instead.")


class TakenOut(TransformError):
    """A conversion that would take a value, and with it its derivative, out of the program."""


class UnknownKey(ValueDependent, TypeError):
    """What is hashed is one value or another, depending on array values."""


class SizesByLane(TransformError):
    """Results of another size in each lane of a batch; `vmap` then builds the function with masks on arrays of known size."""


class MissingRule(TransformError, NotImplementedError):
    """An op without the rule that a transform needs."""
