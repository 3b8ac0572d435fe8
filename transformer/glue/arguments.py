"""Arguments taken apart and checked: structure, types, values of what is static."""

import dataclasses

import numpy as np

from .. import tree
from ..core import is_number
from ..executable import Array
from .writer import NoGlue

PLAIN = (bool, int, str, bytes)
"""Types whose equal values are the same to a program."""

MUTABLE = (list, set, dict, bytearray, np.ndarray)


def unpack(writer, name, value):
    """Write what takes a pytree apart, with tests of its structure; (name, value) of its leaves in their order."""
    parts = tree.children_of(value)
    if parts is None:
        return [(name, value)]
    kind, meta, children = parts
    if kind is type(None):
        writer.test(f"{name} is not None")
        return []
    writer.test(f"type({name}) is not {writer.bind(kind, 'kind')}")
    found = parts_of(writer, name, value, kind, meta, children)
    return [leaf for part in found for leaf in unpack(writer, *part)]


def parts_of(writer, name, value, kind, meta, children):
    """(name, value) of the children of a container, in the order of its leaves."""
    if kind in tree.DICTS:
        writer.test(f"tuple({name}) != {writer.bind(meta.keys, 'keys')}")
        if meta.factory is not None:
            writer.test(f"{name}.default_factory is not {writer.bind(meta.factory, 'factory')}")
        names = {key: part for key, (part, *_) in zip(meta.keys, writer.spread(f"{name}.values()", value.values(), checked=True))}
        return [(names[key], child) for key, child in zip(meta.order, children)]
    if kind in tree.REGISTRY:
        flat, data = writer.fresh("flat"), writer.fresh("data")
        writer.line(f"{flat}, {data} = {writer.bind(tree.REGISTRY[kind].flatten, 'flatten')}({name})")
        writer.line(f"{flat} = tuple({flat})")
        writer.test(f"{data} != {writer.bind(meta, 'meta')}")
        return [part[:2] for part in writer.spread(flat, children)]
    if issubclass(kind, list | tuple):
        return [part[:2] for part in writer.spread(name, children)]
    if dataclasses.is_dataclass(kind):
        names = [writer.fresh("a") for _ in children]
        for part, field in zip(names, meta):
            writer.line(f"{part} = {name}.{field}")
        return list(zip(names, children))
    raise NoGlue


def check(writer, name, value):
    """Write the test that a leaf has the type of this one; a static leaf its value."""
    kind = type(value)
    if kind is np.ndarray:
        if not is_number(value.dtype):
            raise NoGlue
        dtype = writer.bind(value.dtype, "dtype")
        writer.test(f"type({name}) is not {writer.bind(np.ndarray, 'ndarray')} or {name}.dtype is not {dtype} and {name}.dtype != {dtype} "
                    f"or {name}.shape != {value.shape}")
    elif kind is Array:
        writer.test(f"type({name}) is not {writer.bind(Array, 'Array')} or {name}.spec is not {writer.bind(value.spec, 'spec')}")
    elif isinstance(value, Array):
        layout = writer.bind(value.sharding, "sharding")
        writer.test(f"type({name}) is not {writer.bind(kind, 'Placed')} or {name}.spec is not {writer.bind(value.spec, 'spec')} or "
                    f"{name}._sharding is not {layout} and {name}._sharding != {layout}")
    elif kind in (float, int, complex) or (isinstance(value, np.generic) and value.dtype.kind in "biufc"):
        writer.test(f"type({name}) is not {writer.bind(kind, 'kind')}")
    else:
        check_static(writer, name, value)


def check_static(writer, name, value):
    """Write the test that a static value is this one."""
    if value is None or kept(value):
        writer.test(f"{name} is not {writer.bind(value, 'static')}")
        if type(value).__hash__ is not object.__hash__ and not isinstance(value, tuple | type(None)):
            writer.test(f"hash({name}) != {hash(value)}")
    elif type(value) in PLAIN:
        constant = writer.bind(value, "static")
        writer.test(f"{name} is not {constant} and (type({name}) is not {writer.bind(type(value), 'kind')} or {name} != {constant})")
    else:
        raise NoGlue


def kept(value):
    """Whether a value is the same as long as the object is: nothing in it can be replaced that the program does not guard."""
    if type(value) in PLAIN:
        return False
    if isinstance(value, tuple):
        return all(type(v) in PLAIN or v is None or kept(v) for v in value)
    return not isinstance(value, MUTABLE)


__all__ = ["check", "check_static", "unpack"]
