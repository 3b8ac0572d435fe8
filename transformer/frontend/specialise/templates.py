"""Text with abstract values inside: an f-string or a print that is put together when the program runs."""

from ...errors import NeedStatic
from ..reference import is_reference


class Template:
    """Parts of a text: strings, and (reference, conversion, format) triples."""

    def __init__(self, parts):
        self.parts = parts

    def source(self, builder, atoms):
        """The f-string that builds the text; the reference number k prints as `_k` and is appended to `atoms`."""
        text = []
        for part in self.parts:
            if isinstance(part, str):
                text.append(repr(part)[1:-1].replace("'", "\\'").replace("{", "{{").replace("}", "}}"))
                continue
            value, conversion, spec = part
            atoms.append(builder.read(value))
            text.append("{_" + str(len(atoms) - 1) + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
        return "f'" + "".join(text) + "'"

    def characters(self, *args):
        """What needs the characters themselves needs the values in the text."""
        value = next(part[0] for part in self.parts if not isinstance(part, str))
        raise NeedStatic(value, "the characters of a text with an array value in it")

    __iter__ = __getitem__ = __len__ = __contains__ = __int__ = __float__ = __eq__ = __lt__ = __hash__ = characters

    def __getattr__(self, name):
        if hasattr(str, name):
            return self.characters
        raise AttributeError(name)

    def __add__(self, other):
        return Template([*self.parts, *as_parts(other)])

    def __radd__(self, other):
        return Template([*as_parts(other), *self.parts])


def as_parts(value):
    if isinstance(value, Template):
        return value.parts
    if is_reference(value):
        return [(value, "", "")]
    return [value if isinstance(value, str) else str(value)]


def argument_source(value, builder, atoms):
    """Source of one argument of print or of an exception."""
    if isinstance(value, Template):
        return value.source(builder, atoms)
    if is_reference(value):
        atoms.append(builder.read(value))
        return f"_{len(atoms) - 1}"
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        inner = ", ".join(argument_source(v, builder, atoms) for v in value)
        return f"[{inner}]" if type(value) is list else f"({inner},)"
    if isinstance(value, dict) and type(value) is dict:
        return "{" + ", ".join(f"{k!r}: {argument_source(v, builder, atoms)}" for k, v in value.items()) + "}"
    if isinstance(value, bool | int | float | complex | str | bytes | type(None)):
        return repr(value)
    return repr(str(value))
