"""The arguments of a call in a description: types of what is dynamic, contents of what is static."""

import numpy as np

from .. import tree
from ..leaves import is_dynamic
from ..specialised import Static
from .contents import Array, Unsettled


def describe_arguments(survey, args, kwargs):
    """Describe all arguments of a call; names of keywords included."""
    survey.say("arguments", len(args), *kwargs)
    for value in (*args, *kwargs.values()):
        if type(value) is Static:
            survey.say("static")
            survey.value(value.value)
            continue
        leaves, treedef = tree.flatten(value)
        describe_structure(survey, treedef)
        for leaf in leaves:
            describe_leaf(survey, leaf)


def describe_structure(survey, treedef):
    if treedef.kind is None:
        return survey.say("leaf")
    survey.value(treedef.kind)
    survey.value(tuple(treedef.meta) if isinstance(treedef.meta, tree.Keys) else treedef.meta)
    survey.say(len(treedef.children))
    for child in treedef.children:
        describe_structure(survey, child)


def describe_leaf(survey, leaf):
    kind = type(leaf)
    if not is_dynamic(leaf):
        survey.say("value")
        survey.value(leaf)
    elif kind is np.ndarray or kind is Array:
        survey.say(kind.__name__, leaf.dtype.name, leaf.dtype.str, leaf.shape, kind is Array and leaf.weak_type)
    elif kind in (int, float, complex):
        survey.say(kind.__name__)
    elif isinstance(leaf, np.generic):
        survey.say("scalar", leaf.dtype.name)
    else:
        raise Unsettled(f"an argument of type {kind.__name__}")


__all__ = ["describe_arguments"]
