"""Pytrees under the names that JAX users know; see `transformer.tree`."""

from .tree import Treedef as PyTreeDef
from .tree import flatten as tree_flatten
from .tree import register as register_pytree_node
from .tree import tree_map
from .tree import unflatten as tree_unflatten


def tree_leaves(tree):
    """The leaves of a pytree as a list.

    >>> tree_leaves({"b": 1, "a": (2, 3)})
    [2, 3, 1]
    """
    return tree_flatten(tree)[0]


def tree_structure(tree):
    """The structure of a pytree."""
    return tree_flatten(tree)[1]


__all__ = ["PyTreeDef", "register_pytree_node", "tree_flatten", "tree_leaves", "tree_map", "tree_structure", "tree_unflatten"]
