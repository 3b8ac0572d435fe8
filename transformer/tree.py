"""Pytrees: nested containers of arrays, taken apart into leaves and put together again.

Containers are list, tuple, named tuple, dict (leaves in the order of sorted keys), OrderedDict, defaultdict, dataclass
instances, None (no leaves) and classes registered with `register`. Anything else is a leaf.

>>> leaves, treedef = flatten({"b": [1, 2], "a": (3,)})
>>> leaves
[3, 1, 2]
>>> unflatten(treedef, [30, 10, 20])
{'b': [10, 20], 'a': (30,)}
"""

import collections
import dataclasses
from typing import Any, NamedTuple

from .errors import TypeMismatch


class Treedef(NamedTuple):
    """Structure of a pytree: the container's type (None: a leaf), what it needs besides its children, and the children."""

    kind: Any
    meta: Any
    children: tuple

    @property
    def num_leaves(self):
        return 1 if self.kind is None else sum(c.num_leaves for c in self.children)


LEAF = Treedef(None, None, ())
REGISTRY = {}


def register(cls, flatten_one, unflatten_one):
    """Make `cls` a container: flatten_one(x) -> (children, hashable metadata), unflatten_one(metadata, children) -> x."""
    REGISTRY[cls] = (flatten_one, unflatten_one)
    return cls


def _dict_order(keys):
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def children_of(value):
    """(kind, meta, children) of a container, or None for a leaf."""
    cls = type(value)
    if cls in (list, tuple):
        return cls, None, list(value)
    if value is None:
        return type(None), None, []
    if cls in (dict, collections.OrderedDict, collections.defaultdict):
        order = _dict_order(value)
        factory = value.default_factory if cls is collections.defaultdict else None
        return cls, (tuple(value), tuple(order), factory), [value[k] for k in order]
    if cls in REGISTRY:
        children, meta = REGISTRY[cls][0](value)
        return cls, meta, list(children)
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return cls, None, list(value)
    if dataclasses.is_dataclass(cls) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(cls))
        return cls, names, [getattr(value, n) for n in names]
    return None


def rebuild(kind, meta, children):
    """The container from its parts."""
    if kind in (list, tuple):
        return kind(children)
    if kind is type(None):
        return None
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        keys, order, factory = meta
        by_key = dict(zip(order, children))
        items = [(k, by_key[k]) for k in keys]
        return kind(factory, items) if kind is collections.defaultdict else kind(items)
    if kind in REGISTRY:
        return REGISTRY[kind][1](meta, children)
    if issubclass(kind, tuple):
        return kind(*children)
    instance = object.__new__(kind)
    for name, child in zip(meta, children):
        object.__setattr__(instance, name, child)
    return instance


def flatten(value):
    """Leaves (a list) and structure of a pytree."""
    leaves = []
    return leaves, _flatten(value, leaves)


def _flatten(value, leaves):
    parts = children_of(value)
    if parts is None:
        leaves.append(value)
        return LEAF
    kind, meta, children = parts
    return Treedef(kind, meta, tuple([_flatten(c, leaves) for c in children]))


def unflatten(treedef, leaves):
    """The pytree of this structure with these leaves."""
    leaves = iter(leaves)
    return _unflatten(treedef, leaves)


def _unflatten(treedef, leaves):
    if treedef.kind is None:
        return next(leaves)
    return rebuild(treedef.kind, treedef.meta, [_unflatten(c, leaves) for c in treedef.children])


def tree_map(fn, tree, *rest):
    """Apply `fn` to the leaves; the other trees must have the structure of the first."""
    leaves, treedef = flatten(tree)
    others = [flatten_like(treedef, r) for r in rest]
    return unflatten(treedef, [fn(*parts) for parts in zip(leaves, *others)])


def flatten_like(treedef, value):
    """Leaves of `value`, which must be at least as deep as `treedef`: what hangs below a leaf of treedef stays whole."""
    if treedef.kind is None:
        return [value]
    parts = children_of(value)
    if parts is None or parts[0] is not treedef.kind or len(parts[2]) != len(treedef.children):
        found = type(value).__name__
        raise TypeMismatch(f"a pytree has {found} where {treedef.kind.__name__} of {len(treedef.children)} is expected",
                           "Give both pytrees the same structure.")
    return [leaf for c, v in zip(treedef.children, parts[2]) for leaf in flatten_like(c, v)]


def broadcast_prefix(prefix, treedef, is_leaf=lambda x: x is None or isinstance(x, int)):
    """One entry per leaf of `treedef` from a tree that may stop early: an entry above leaves holds for all of them."""
    if is_leaf(prefix):
        return [prefix] * treedef.num_leaves
    parts = children_of(prefix)
    if parts is not None and len(parts[2]) == len(treedef.children) and (parts[0] is treedef.kind or {parts[0], treedef.kind} <= {list, tuple}):
        return [e for p, c in zip(parts[2], treedef.children) for e in broadcast_prefix(p, c, is_leaf)]
    raise TypeMismatch(f"{prefix!r} does not fit the structure of the value it is given for",
                       "Give one entry for the whole, or a container of the same structure.")


def paths(value, prefix=""):
    """A readable name per leaf: params_0_w."""
    parts = children_of(value)
    if parts is None:
        return [prefix]
    kind, meta, children = parts
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        keys = meta[1]
    elif hasattr(kind, "_fields"):
        keys = kind._fields
    elif isinstance(meta, tuple) and len(meta) == len(children) and all(isinstance(m, str) for m in meta):
        keys = meta
    else:
        keys = range(len(children))
    return [p for k, c in zip(keys, children) for p in paths(c, f"{prefix}_{k}" if prefix else str(k))]
