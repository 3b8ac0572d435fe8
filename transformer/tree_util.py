"""Pytrees under the names that JAX users know: leaves with their paths, and classes made containers. See `transformer.tree`."""

import dataclasses
import functools
from typing import Any, NamedTuple

from . import tree as trees
from .errors import TransformError, TypeMismatch
from .tree import Treedef as PyTreeDef
from .tree import all as tree_all
from .tree import broadcast as tree_broadcast
from .tree import flatten as tree_flatten
from .tree import leaves as tree_leaves
from .tree import reduce as tree_reduce
from .tree import structure as tree_structure
from .tree import transpose as tree_transpose
from .tree import tree_map
from .tree import unflatten as tree_unflatten


# paths ------------------------------------------------------------------------------------------------------------------
class SequenceKey(NamedTuple):
    """Position in a list or tuple."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"


class DictKey(NamedTuple):
    """Key of a dict."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"


class GetAttrKey(NamedTuple):
    """Name of an attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"


class FlattenedIndexKey(NamedTuple):
    """Number among the children of a registered class that names none."""

    key: int

    def __str__(self):
        return f"[<flat index {self.key}>]"


KeyEntry = Any
"""A step of a path; registered classes may have their own."""
KeyPath = tuple[KeyEntry, ...]


STEPS = {"index": SequenceKey, "item": DictKey, "attribute": GetAttrKey, "flat": FlattenedIndexKey, "key": lambda key: key}


def keystr(keys, *, simple=False, separator=""):
    """A path as text, as it would be written after the tree; simple: the bare names, joined by `separator`.

    >>> path = (DictKey("w"), SequenceKey(0))
    >>> keystr(path), keystr(path, simple=True, separator="/")
    ("['w'][0]", 'w/0')
    """
    texts = [str(k[0]) if isinstance(k, tuple) else str(k) for k in keys] if simple else map(str, keys)
    return separator.join(texts)


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """([(path, leaf), ...], structure); a path is a tuple of keys.

    >>> [(keystr(p), leaf) for p, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    found = []
    stops = None if is_leaf is None else is_leaf if is_leaf_takes_path else lambda path, value: is_leaf(value)
    return found, _with_path((), tree, stops, found)


def _with_path(path, value, stops, found):
    parts = None if stops is not None and stops(path, value) else trees.children_of(value)
    if parts is None:
        found.append((path, value))
        return trees.LEAF
    kind, meta, children = parts
    steps = [STEPS[how](name) for how, name in trees.names_of(kind, meta, len(children))]
    return PyTreeDef(kind, meta, tuple([_with_path((*path, s), c, stops, found) for s, c in zip(steps, children)]))


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """[(path, leaf), ...] of a pytree."""
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    """`tree_map` of a function that takes the path first.

    >>> tree_map_with_path(lambda path, x: f"{keystr(path)}={x}", {"w": [1]})
    {'w': ["['w'][0]=1"]}
    """
    found, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [trees.flatten_like(treedef, r) for r in rest]
    return tree_unflatten(treedef, [f(path, leaf, *more) for (path, leaf), *more in zip(found, *others)])


def generate_key_paths(tree, is_leaf=None):
    """[(path, leaf), ...] of a pytree."""
    return tree_leaves_with_path(tree, is_leaf)


# structures ---------------------------------------------------------------------------------------------------------------
def all_leaves(iterable, is_leaf=None):
    """Whether no element is a container."""
    return tree_all([trees.children_of(x) is None or (is_leaf is not None and is_leaf(x)) for x in iterable])


def treedef_children(treedef):
    """Structures of the children."""
    return list(treedef.children)


def treedef_is_leaf(treedef):
    """Whether a structure is that of a single leaf."""
    return treedef.num_nodes == 1


def treedef_tuple(treedefs):
    """The structure of a tuple of trees."""
    return PyTreeDef(tuple, None, tuple(treedefs))


def treedef_list(treedefs):
    """The structure of a list of trees."""
    return PyTreeDef(list, None, tuple(treedefs))


def build_tree(treedef, xs):
    """Like `tree_unflatten`, from a nested list of leaves."""
    return tree_unflatten(treedef, tree_leaves(xs))


def flatten_one_level(tree):
    """(children, static data) of a container; TypeMismatch for a leaf."""
    children, meta = flatten_one_level_with_keys(tree)
    return [child for _, child in children], meta


def flatten_one_level_with_keys(tree):
    """([(key, child), ...], static data) of a container; TypeMismatch for a leaf."""
    parts = trees.children_of(tree)
    if parts is None:
        raise TypeMismatch(f"a value of type {type(tree).__name__} is a leaf: it has no children", "Pass a container.")
    kind, meta, children = parts
    keys = [STEPS[how](name) for how, name in trees.names_of(kind, meta, len(children))]
    return list(zip(keys, children)), meta


# classes that are containers --------------------------------------------------------------------------------------------------
def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    """Make a class a container: flatten_func(x) -> (children, static data), unflatten_func(static data, children) -> x.

    flatten_with_keys_func(x) -> ([(key, child), ...], static data) gives the children names on a path. Raises TransformError if the
    class is registered already.
    """
    if flatten_with_keys_func is not None:
        register_pytree_with_keys(nodetype, flatten_with_keys_func, unflatten_func, flatten_func)
    else:
        trees.register(nodetype, flatten_func, unflatten_func)


def register_pytree_node_class(cls):
    """Make a class with the methods tree_flatten and (a classmethod) tree_unflatten a container; a decorator."""
    trees.register(cls, lambda value: value.tree_flatten(), cls.tree_unflatten)
    return cls


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    """Make a class a container whose children have keys: flatten_with_keys(x) -> ([(key, child), ...], static data)."""
    def flatten(value):
        pairs, meta = flatten_with_keys(value)
        pairs = list(pairs)
        return [child for _, child in pairs], Named(meta, tuple(key for key, _ in pairs))

    trees.register(nodetype, flatten, lambda meta, children: unflatten_func(meta.data, children), lambda meta, count: [("key", k) for k in meta.keys])


class Named(NamedTuple):
    """Static data of a container together with the keys of its children."""

    data: Any
    keys: tuple


def register_pytree_with_keys_class(cls):
    """Make a class with the methods tree_flatten_with_keys and (a classmethod) tree_unflatten a container; a decorator."""
    register_pytree_with_keys(cls, lambda value: value.tree_flatten_with_keys(), cls.tree_unflatten)
    return cls


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    """Make a dataclass a container whose `data_fields` are children and whose `meta_fields` are static; also a decorator.

    Without the lists, fields declared with `dataclasses.field(metadata={"static": True})` are static. drop_fields: fields that get
    their default anew. Raises TransformError if a field that __init__ takes is in no list.
    """
    if nodetype is None:
        return functools.partial(register_dataclass, data_fields=data_fields, meta_fields=meta_fields, drop_fields=drop_fields)
    data, meta = dataclass_fields(nodetype, data_fields, meta_fields, drop_fields)

    def flatten(value):
        return [getattr(value, n) for n in data], tuple(getattr(value, n) for n in meta)

    def unflatten(static, children):
        return nodetype(**dict(zip(data, children)), **dict(zip(meta, static)))

    return trees.register(nodetype, flatten, unflatten, lambda static, count: [("attribute", n) for n in data])


def dataclass_fields(nodetype, data, meta, dropped):
    """Names of the children and of the static fields of a dataclass, checked."""
    if (data is None) != (meta is None):
        raise TransformError("register_dataclass is given one of data_fields and meta_fields", "Give both, or none.")
    if dataclasses.is_dataclass(nodetype):
        fields = {f.name: f for f in dataclasses.fields(nodetype) if f.init}
        if data is None:
            meta = [n for n, f in fields.items() if f.metadata.get("static", False)]
            data = [n for n in fields if n not in meta]
        wrong = {*fields} ^ {*data, *meta, *(n for n in dropped if n in fields)}
        if wrong:
            raise TransformError(f"data_fields and meta_fields of {nodetype.__name__} do not fit its fields: {sorted(wrong)}",
                                 "Name every field that __init__ takes in one of them.")
    elif data is None:
        raise TransformError(f"{nodetype.__name__} is no dataclass", "Give data_fields and meta_fields.")
    return tuple(data), tuple(meta)


def register_static(cls):
    """Make a class a container without leaves: its instances are static, compared by == and hashed; also a decorator."""
    return trees.register(cls, lambda value: ((), value), lambda meta, children: meta)


class Partial(functools.partial):
    """functools.partial that is a container: its arguments are children, the function is static.

    >>> add = Partial(lambda x, y: x + y, 1)
    >>> tree_map(lambda v: 10 * v, add)(2)
    12
    """


trees.register(Partial, lambda p: ((p.args, p.keywords), p.func), lambda func, children: Partial(func, *children[0], **children[1]),
               lambda meta, count: [("attribute", "args"), ("attribute", "keywords")])

def tree_reduce_associative(operation, tree, *, identity=trees.END, is_leaf=None):
    """Combine the leaves by halves, which is well-behaved for long sums.

    >>> tree_reduce_associative(lambda a, b: (a, b), [1, 2, 3, 4])
    ((1, 2), (3, 4))
    """
    def halves(values):
        if len(values) == 1:
            return values[0]
        return operation(halves(values[:len(values) // 2]), halves(values[len(values) // 2:]))

    values = tree_leaves(tree, is_leaf)
    if values:
        return halves(values)
    if identity is trees.END:
        raise TransformError("a tree without leaves has no sum", "Give identity=.")
    return identity


def is_tree_node(value):
    """Whether a value is a container whose children are flattened, not a leaf.

    >>> is_tree_node([1]), is_tree_node(1), is_tree_node(None)
    (True, False, True)
    """
    found = tree_leaves(value, lambda part: part is not value)
    return len(found) != 1 or found[0] is not value


__all__ = ["all_leaves", "build_tree", "flatten_one_level",
           "flatten_one_level_with_keys", "generate_key_paths", "is_tree_node", "keystr", "register_dataclass", "register_pytree_node",
           "register_pytree_node_class", "register_pytree_with_keys", "register_pytree_with_keys_class", "register_static", "treedef_children",
           "treedef_is_leaf", "treedef_list", "treedef_tuple", "tree_all", "tree_broadcast", "tree_flatten", "tree_flatten_with_path",
           "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_map_with_path", "tree_reduce", "tree_reduce_associative", "tree_structure",
           "tree_transpose", "tree_unflatten", "DictKey", "FlattenedIndexKey", "GetAttrKey", "KeyEntry", "KeyPath", "Partial", "PyTreeDef",
           "SequenceKey"]
