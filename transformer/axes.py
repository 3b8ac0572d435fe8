"""Named axes: the names that `vmap`, `pmap` and `shard_map` give to the axes they map, while the mapped function is transformed."""

import threading
from contextlib import contextmanager

from .errors import TransformError, TypeMismatch

_local = threading.local()


class UnboundAxis(TransformError, NameError):
    """A collective over a name that nothing around it maps."""


def bound():
    """The names in scope, outermost first: name -> size."""
    return getattr(_local, "axes", {})


@contextmanager
def bind(sizes):
    """Names in scope inside of the block. A name of None binds nothing; a name that is bound already is hidden."""
    before = bound()
    _local.axes = {**{k: v for k, v in before.items() if k not in sizes}, **{k: v for k, v in sizes.items() if k is not None}}
    try:
        yield
    finally:
        _local.axes = before


@contextmanager
def batching(name):
    """A batch over the axis `name` (None: without one) is under way; ops that hold programs batch these over it, too."""
    before, _local.batching = batching_name(), name
    try:
        yield
    finally:
        _local.batching = before


def batching_name():
    return getattr(_local, "batching", None)


def size_of(name):
    """The number of lanes or devices along a named axis. Raises UnboundAxis."""
    try:
        return bound()[name]
    except KeyError:
        raise unbound(name) from None
    except TypeError:
        raise TypeMismatch(f"an axis name must be hashable, not {name!r}", "Use a string, or a tuple of strings.") from None


def unbound(name):
    known = ", ".join(map(repr, bound()))
    advice = f"Names in scope: {known}." if known else f"Call it inside of a function that vmap, pmap or shard_map maps with axis_name={name!r}."
    return UnboundAxis(f"the axis name {name!r} is not bound here", advice)


def as_names(axis_name):
    """One name or a tuple of names as a tuple, each of them bound."""
    names = tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)
    for name in names:
        size_of(name)
    return names
