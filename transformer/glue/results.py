"""Results put together: the expression that makes the output pytree."""

from .. import tree
from .writer import NoGlue


def expression(writer, treedef, leaves):
    """The text of a pytree of this structure; `leaves`: iterator over the texts of its leaves."""
    kind, meta, children = treedef
    if kind is None:
        return next(leaves)
    inner = [expression(writer, c, leaves) for c in children]
    if kind is type(None):
        return "None"
    if kind is list:
        return f"[{', '.join(inner)}]"
    if kind is tuple:
        return f"({', '.join(inner)}{',' * (len(inner) == 1)})"
    if kind is dict:
        by_key = dict(zip(meta.order, inner, strict=True))
        return "{" + ", ".join(f"{key_text(writer, k)}: {by_key[k]}" for k in meta.keys) + "}"
    if kind not in tree.DICTS and kind not in tree.REGISTRY and issubclass(kind, tuple):
        return f"{writer.bind(kind, 'kind')}({', '.join(inner)})"
    if isinstance(kind, type):
        return f"{writer.bind(tree.rebuild, 'rebuild')}({writer.bind(kind, 'kind')}, {writer.bind(meta, 'meta')}, [{', '.join(inner)}])"
    raise NoGlue


def key_text(writer, key):
    return repr(key) if type(key) is str else writer.bind(key, "key")


__all__ = ["expression"]
