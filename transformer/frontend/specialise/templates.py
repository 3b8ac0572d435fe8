"""Text with abstract values inside: an f-string or a print that is put together when the program runs."""

import dataclasses
import sys

from ...errors import NeedStatic, TransformError
from ..reference import is_reference
from . import special_methods
from .state import storages


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


def text_of(ev, value, conversion=""):
    """The text that str (or repr: conversion "r") makes of a value: a string, or a template where abstract values are inside."""
    if isinstance(value, Template) and not conversion:
        return value
    ev.check_keys(value)
    if is_reference(value):
        return Template([(value, conversion, "")])
    generated = dataclasses.is_dataclass(type(value)) and hasattr(type(value).__repr__, "__wrapped__")
    for name in ("str",) * (not conversion) + ("repr",) * (not generated):
        found = special_methods.enter(ev, value, name)
        if found is not NotImplemented:
            return found
    if not storages(ev, [value]):
        return repr(value) if conversion else str(value)
    parts = listed(value)
    if parts is None:
        raise TransformError(f"the text of a {type(value).__name__} with abstract values inside", "Make the text of the values in it.")
    texts = [as_parts(text_of(ev, p[0], "r")) if isinstance(p, tuple) else [p] for p in parts]
    return Template([part for text in texts for part in text])


def listed(value):
    """What the text of a container consists of: strings, and its items as tuples of one. None for containers whose text is not known."""
    kind = type(value)
    if kind in (list, tuple):
        opening, closing = "[]" if kind is list else "()"
        return [opening, *separated([[(v,)] for v in value]), "," * (kind is tuple and len(value) == 1), closing]
    if kind is dict:
        return ["{", *separated([[(k,), ": ", (v,)] for k, v in value.items()]), "}"]
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return [f"{kind.__name__}(", *separated([[f"{k}=", (v,)] for k, v in zip(kind._fields, value)]), ")"]
    if dataclasses.is_dataclass(kind):
        fields = [f.name for f in dataclasses.fields(kind) if f.repr]
        return [f"{kind.__qualname__}(", *separated([[f"{k}=", (getattr(value, k),)] for k in fields]), ")"]
    return None


def separated(groups):
    return [part for k, group in enumerate(groups) for part in ([", "] if k else []) + group]


def printable(ev, value):
    """An argument of print or of an exception: plain containers are printed by Python, of everything else the text is made here."""
    ev.check_usable(value, None)
    plain = (bool, int, float, complex, str, bytes, type(None), list, tuple, dict)
    return value if is_reference(value) or type(value) in plain else text_of(ev, value)


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


def placed(cls):
    """A class, or its nearest ancestor, that stands in a module under its name."""
    return next(base for base in cls.__mro__ if "." not in base.__qualname__ and getattr(sys.modules.get(base.__module__), base.__name__, None) is base)


def class_source(cls):
    """(source, modules that it names) of a class that stands in a module."""
    if cls.__module__ == "builtins":
        return cls.__name__, ()
    if cls.__module__.partition(".")[0] == "numpy":
        return f"np{cls.__module__[5:]}.{cls.__name__}", ()
    return f"{cls.__module__}.{cls.__name__}", (cls.__module__,)


def exception_source(ev, exception, atoms):
    """(source, modules that it names) of an exception: its class called as the program did, or an ancestor with the arguments that it holds."""
    cls = placed(type(exception))
    _, args, kwargs = ev.constructed.get(id(exception), (exception, exception.args, {}))
    if cls is not type(exception) or not is_written((args, kwargs)):
        cls, args, kwargs = next(base for base in cls.__mro__ if base.__module__ == "builtins"), exception.args, {}
    name, modules = class_source(cls)
    text = [argument_source(printable(ev, a), ev.builder, atoms) for a in args]
    text += [f"{k}={argument_source(printable(ev, v), ev.builder, atoms)}" for k, v in kwargs.items()]
    return f"{name}({', '.join(text)})", modules


def is_written(value):
    """Whether source says all of a value."""
    if type(value) in (list, tuple, dict):
        return all(map(is_written, value.values() if type(value) is dict else value))
    return is_reference(value) or isinstance(value, Template) or type(value) in (bool, int, float, complex, str, bytes, type(None))
