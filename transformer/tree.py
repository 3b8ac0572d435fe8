"""Pytrees: nested containers of arrays, taken apart into leaves and put together again.

Containers are list, tuple, named tuple, dict (leaves in the order of sorted keys), OrderedDict (in its own order), defaultdict,
dataclass instances, None (no leaves) and classes registered with `register`. Anything else is a leaf.

The names without `tree_` are those of `jax.tree`; `transformer.tree_util` has the long ones, paths and registration.

>>> leaves, treedef = flatten({"b": [1, 2], "a": (3,)})
>>> leaves
[3, 1, 2]
>>> unflatten(treedef, [30, 10, 20])
{'b': [10, 20], 'a': (30,)}
"""

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

from .errors import TransformError, TypeMismatch

DICTS = (dict, collections.OrderedDict, collections.defaultdict)
END = object()


class Treedef(NamedTuple):
    """Structure of a pytree: the container's type (None: a leaf), what it needs besides its children, and the children."""

    kind: Any
    meta: Any
    children: tuple

    @property
    def num_leaves(self):
        return 1 if self.kind is None else sum(c.num_leaves for c in self.children)

    @property
    def num_nodes(self):
        return 1 + sum(c.num_nodes for c in self.children)

    def unflatten(self, leaves):
        """The pytree of this structure with these leaves."""
        return unflatten(self, leaves)

    def flatten_up_to(self, value):
        """Parts of `value` that stand where this structure has leaves."""
        return flatten_like(self, value)

    def __repr__(self):
        return f"PyTreeDef({describe(self)})"


class Keys(NamedTuple):
    """The keys of a dict: as they stand, in the order of its leaves, and a defaultdict's factory. Equal if the leaves are."""

    keys: tuple
    order: tuple
    factory: Any = None

    def __eq__(self, other):
        return type(other) is Keys and self[1:] == other[1:]

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self[1:])


class Registered(NamedTuple):
    """How instances of a class are taken apart and made; names(meta, count): the keys of its children on a path."""

    flatten: Any
    unflatten: Any
    names: Any = None


LEAF = Treedef(None, None, ())
REGISTRY = {}


def register(cls, flatten_one, unflatten_one, names=None):
    """Make `cls` a container: flatten_one(x) -> (children, hashable metadata), unflatten_one(metadata, children) -> x.

    names: (metadata, number of children) -> their names on a path. Raises TransformError if the class is a container already.
    """
    if cls in REGISTRY or cls in (list, tuple, type(None), *DICTS):
        raise TransformError(f"{cls.__name__} is registered as a pytree already", "Register each class once.")
    REGISTRY[cls] = Registered(flatten_one, unflatten_one, names)
    return cls


def describe(treedef):
    """The structure with a star for each leaf."""
    kind, meta, children = treedef
    inner = [describe(c) for c in children]
    if kind is None:
        return "*"
    if kind is type(None):
        return "None"
    if kind in DICTS:
        text = "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(meta.order, inner)) + "}"
        return text if kind is dict else f"{kind.__name__}({text})"
    if kind is list:
        return f"[{', '.join(inner)}]"
    if kind is tuple:
        return f"({', '.join(inner)}{',' * (len(inner) == 1)})"
    names = [f"{n}=" for n in kind._fields] if hasattr(kind, "_fields") else [""] * len(inner)
    return f"{kind.__name__}({', '.join(map(str.__add__, names, inner))})"


# one container ------------------------------------------------------------------------------------------------------------
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
    if cls in DICTS:
        keys = tuple(value)
        order = keys if cls is collections.OrderedDict else tuple(_dict_order(keys))
        return cls, Keys(keys, order, getattr(value, "default_factory", None)), [value[k] for k in order]
    if cls in REGISTRY:
        children, meta = REGISTRY[cls].flatten(value)
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
    if kind in DICTS:
        by_key = dict(zip(meta.order, children))
        items = [(k, by_key[k]) for k in meta.keys]
        return kind(meta.factory, items) if kind is collections.defaultdict else kind(items)
    if kind in REGISTRY:
        return REGISTRY[kind].unflatten(meta, children)
    if issubclass(kind, tuple):
        return kind(*children)
    instance = object.__new__(kind)
    for name, child in zip(meta, children):
        object.__setattr__(instance, name, child)
    return instance


def names_of(kind, meta, count):
    """(how a child is reached, its name) for each child of a container: "index", "item", "attribute", "flat" or "key" (a key object)."""
    if kind in DICTS:
        return [("item", k) for k in meta.order]
    if kind in REGISTRY:
        names = REGISTRY[kind].names
        return [("flat", i) for i in range(count)] if names is None else names(meta, count)
    if hasattr(kind, "_fields"):
        return [("attribute", n) for n in kind._fields]
    if kind not in (list, tuple) and dataclasses.is_dataclass(kind):
        return [("attribute", n) for n in meta]
    return [("index", i) for i in range(count)]


# leaves and structure -------------------------------------------------------------------------------------------------------
def flatten(value, is_leaf=None):
    """Leaves (a list) and structure of a pytree. is_leaf: predicate of values that are leaves whatever they contain."""
    leaves = []
    return leaves, _flatten(value, leaves) if is_leaf is None else _flatten_until(value, leaves, is_leaf)


def _flatten(value, leaves):
    parts = children_of(value)
    if parts is None:
        leaves.append(value)
        return LEAF
    kind, meta, children = parts
    return Treedef(kind, meta, tuple([_flatten(c, leaves) for c in children]))


def _flatten_until(value, leaves, is_leaf):
    parts = None if is_leaf(value) else children_of(value)
    if parts is None:
        leaves.append(value)
        return LEAF
    kind, meta, children = parts
    return Treedef(kind, meta, tuple([_flatten_until(c, leaves, is_leaf) for c in children]))


def unflatten(treedef, leaves):
    """The pytree of this structure with these leaves; TypeMismatch if their number does not fit."""
    source = iter(leaves)
    try:
        result = _unflatten(treedef, source)
    except StopIteration:
        raise _wrong_number(treedef, "fewer") from None
    if next(source, END) is not END:
        raise _wrong_number(treedef, "more")
    return result


def _wrong_number(treedef, found):
    return TypeMismatch(f"a structure of {treedef.num_leaves} leaves is given {found}: {treedef!r}", "Give one leaf for each star.")


def _unflatten(treedef, leaves):
    if treedef.kind is None:
        return next(leaves)
    return rebuild(treedef.kind, treedef.meta, [_unflatten(c, leaves) for c in treedef.children])


def leaves(tree, is_leaf=None):
    """The leaves of a pytree as a list.

    >>> leaves({"b": 1, "a": (2, 3)})
    [2, 3, 1]
    """
    return flatten(tree, is_leaf)[0]


def structure(tree, is_leaf=None):
    """The structure of a pytree.

    >>> structure({"b": 1, "a": (2, None)})
    PyTreeDef({'a': (*, None), 'b': *})
    """
    return flatten(tree, is_leaf)[1]


def key_orders(treedef):
    """The orders of dicts' keys where they are not the order of the leaves: what tells apart dicts of equal structure."""
    kind, meta, children = treedef
    own = meta.keys if kind is dict and meta.keys != meta.order else ()
    inner = tuple([key_orders(c) for c in children])
    return (own, inner) if own or any(inner) else ()


# functions of several trees ---------------------------------------------------------------------------------------------------
def tree_map(fn, tree, *rest, is_leaf=None):
    """Apply `fn` to the leaves; what stands at a leaf of the first tree is taken whole from the other ones.

    >>> tree_map(lambda a, b: a + b, {"x": 1, "y": (2,)}, {"x": 10, "y": (20,)})
    {'x': 11, 'y': (22,)}
    """
    leaves, treedef = flatten(tree, is_leaf)
    others = [flatten_like(treedef, r) for r in rest]
    return unflatten(treedef, [fn(*parts) for parts in zip(leaves, *others)])


def flatten_like(treedef, value, path=""):
    """Leaves of `value`, which must be at least as deep as `treedef`: what hangs below a leaf of treedef stays whole."""
    if treedef.kind is None:
        return [value]
    parts = children_of(value)
    if parts is None or parts[0] is not treedef.kind or len(parts[2]) != len(treedef.children):
        found = type(value).__name__ + (f" of {len(parts[2])}" if parts is not None else "")
        raise TypeMismatch(f"a pytree has {found}{path and f' at {path}'} where {treedef.kind.__name__} of {len(treedef.children)} is expected",
                           "Give both pytrees the same structure.")
    if parts[1] != treedef.meta:
        kind = "keys" if treedef.kind in DICTS else "static data"
        raise TypeMismatch(f"two pytrees have different {kind} in a {treedef.kind.__name__}{path and f' at {path}'}: "
                           f"{_shown(parts[1])} and {_shown(treedef.meta)}", "Give both pytrees the same structure.")
    names = names_of(parts[0], parts[1], len(parts[2]))
    return [leaf for c, v, n in zip(treedef.children, parts[2], names) for leaf in flatten_like(c, v, path + step_text(*n))]


def _shown(meta):
    return list(meta.order) if type(meta) is Keys else repr(meta)


def step_text(how, name):
    """One step of a path as it is written: ['a'], [0], .left"""
    return {"attribute": f".{name}", "flat": f"[<flat index {name}>]", "key": str(name)}.get(how) or f"[{name!r}]"


def broadcast_prefix(prefix, treedef, is_leaf=lambda x: x is None or isinstance(x, int)):
    """One entry per leaf of `treedef` from a tree that may stop early: an entry above leaves holds for all of them."""
    if is_leaf(prefix):
        return [prefix] * treedef.num_leaves
    parts = children_of(prefix)
    if parts is not None and len(parts[2]) == len(treedef.children) and (parts[0] is treedef.kind or {parts[0], treedef.kind} <= {list, tuple}):
        return [e for p, c in zip(parts[2], treedef.children) for e in broadcast_prefix(p, c, is_leaf)]
    raise TypeMismatch(f"{prefix!r} does not fit the structure of the value it is given for",
                       "Give one entry for the whole, or a container of the same structure.")


def broadcast(prefix, tree, is_leaf=None):
    """The tree whose leaves are those of `prefix` that stand at or above them.

    >>> broadcast([1, 2], [[0, 0], 0])
    [[1, 1], 2]
    """
    entries, outer = flatten(prefix, is_leaf)
    parts = [tree_map(lambda leaf, entry=entry: entry, part) for entry, part in zip(entries, flatten_like(outer, tree))]
    return unflatten(outer, parts)


def reduce(function, tree, initializer=END, is_leaf=None):
    """functools.reduce over the leaves.

    >>> reduce(lambda a, b: a + b, {"x": 1, "y": [2, 3]})
    6
    """
    start = () if initializer is END else (initializer,)
    return functools.reduce(function, leaves(tree, is_leaf), *start)


def reduce_associative(operation, tree, *, identity=END, is_leaf=None):
    """The leaves joined by an associative operation, in a number of steps that grows with the logarithm of their number.

    >>> reduce_associative(lambda a, b: a + b, [1, (2, 3)])
    6
    """
    found = leaves(tree, is_leaf)
    if not found:
        if identity is END:
            raise TypeMismatch("reduce_associative of a tree without leaves", "Give identity=.")
        return identity
    while len(found) > 1:
        found = [operation(*pair) if len(pair) == 2 else pair[0] for pair in (found[i:i + 2] for i in range(0, len(found), 2))]
    return found[0]


def static(**kwargs):
    """A field of a dataclass that `register_dataclass` counts as static; arguments as for `dataclasses.field`."""
    return dataclasses.field(**{**kwargs, "metadata": {**kwargs.get("metadata", {}), "static": True}})


def all(tree, *, is_leaf=None):
    """Whether every leaf is true."""
    return False not in [bool(leaf) for leaf in leaves(tree, is_leaf)]


def transpose(outer_treedef, inner_treedef, tree):
    """A tree of structure `outer` holding trees of structure `inner`, turned inside out.

    inner_treedef: None to take it from the first of the inner trees.

    >>> transpose(structure([0, 0]), structure({"a": 0}), [{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    rows = flatten_like(outer_treedef, tree)
    inner = structure(rows[0]) if inner_treedef is None else inner_treedef
    columns = zip(*[flatten_like(inner, row) for row in rows])
    return unflatten(inner, [unflatten(outer_treedef, column) for column in columns])


def paths(value, prefix=""):
    """A readable name per leaf: params_0_w."""
    parts = children_of(value)
    if parts is None:
        return [prefix]
    names = names_of(parts[0], parts[1], len(parts[2]))
    names = [name[0] if how == "key" and isinstance(name, tuple) else name for how, name in names]
    return [p for k, c in zip(names, parts[2]) for p in paths(c, f"{prefix}_{k}" if prefix else str(k))]


def __getattr__(name):
    """Functions of `jax.tree` that deal with paths are in `tree_util`."""
    if name not in ("map_with_path", "flatten_with_path", "leaves_with_path"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import tree_util
    return getattr(tree_util, f"tree_{name}")


map = tree_map
