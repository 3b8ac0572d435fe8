"""Glue: the way from a call to its program and back, as Python written for one signature.

    glue = make(transformed, entry, args, kwargs)     for arguments like these
    chain([glue, ...], answer)                        what each does with other arguments: the next one's turn, in the end `answer`
    result = glue(*args, **kwargs)

A call in general flattens its arguments, looks its signature up, tests guards, converts, runs and rebuilds (`dispatch`). Glue does the same
for the one structure and the types it was written for, as straight-line code: it answers only where the general way would run the
same program with the same values, and passes on what it does not know. None is made where a part of a call has no short form.
"""

from .. import tree
from ..leaves import is_dynamic
from . import running
from .arguments import check, check_static, unpack
from .guards import check_guards, check_mode
from .writer import NoGlue, Writer


def make(transformed, entry, args, kwargs):
    """The glue of an entry that has just answered for these arguments; None if there is none for them."""
    writer = Writer()
    try:
        check_mode(writer)
        leaves = arguments(writer, transformed, args, kwargs)
        check_statics(writer, entry, leaves)
        check_guards(writer, entry.guards)
        running.write(writer, transformed.cache, entry, leaves)
    except NoGlue:
        return None
    return writer.function("call")


def chain(glues, answer):
    """Say for each glue what comes next. From the end to the start, so that a call in another thread always finds a way."""
    for glue, following in zip(reversed(glues), (answer, *reversed(glues))):
        glue.__globals__["following"] = following


def arguments(writer, transformed, args, kwargs):
    """Take the arguments apart and check all leaves; the dynamic ones as (name, value at hand)."""
    seen_args, seen_kwargs = transformed.convert(args, kwargs)
    static = [False] * len(args), dict.fromkeys(kwargs, False)
    if transformed.static:
        marked = transformed.mark_static(seen_args, seen_kwargs)
        static = [a is not b for a, b in zip(marked[0], seen_args)], {k: v is not seen_kwargs[k] for k, v in marked[1].items()}
    given = writer.spread("args", args, static=static[0])
    if kwargs:
        writer.test(f"tuple(kwargs) != {writer.bind(tuple(kwargs), 'keys')}")
        given += writer.spread("kwargs.values()", kwargs.values(), static=static[1].values(), checked=True)
    else:
        writer.test("kwargs")
    leaves = []
    for (name, value, fixed), seen in zip(given, (*seen_args, *seen_kwargs.values()), strict=True):
        leaves += static_leaf(writer, name, value) if fixed else dynamic_leaves(writer, name, value, seen)
    return leaves


def static_leaf(writer, name, value):
    check_static(writer, name, value)
    return []


def dynamic_leaves(writer, name, value, seen):
    """The dynamic leaves of one argument. `seen`: the argument as the transform converts it."""
    found, converted = unpack(writer, name, value), tree.flatten(seen)[0]
    if len(found) != len(converted):
        raise NoGlue
    leaves = []
    for (leaf, raw), new in zip(found, converted):
        check(writer, leaf, raw)
        if new is not raw:
            if type(raw) is not int or type(new) is not float:
                raise NoGlue
            writer.line(f"{leaf} = float({leaf})")
        if is_dynamic(new):
            leaves.append((leaf, new))
    return leaves


def check_statics(writer, entry, leaves):
    """Numbers among the dynamic leaves that are built into the program."""
    for position, value in entry.static.items():
        name, found = leaves[position]
        if type(found) is not int:
            raise NoGlue
        writer.test(f"{name} != {int(value)}")


__all__ = ["chain", "make"]
