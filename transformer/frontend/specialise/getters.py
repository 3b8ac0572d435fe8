"""operator.itemgetter, attrgetter and methodcaller: what they read and call is read and called as the program does it."""

import functools
import operator

from . import calls, expressions


def called(ev, fn, args):
    """The result of a call of a getter, NotImplemented for other functions."""
    if type(fn) not in GETTERS or len(args) != 1:
        return NotImplemented
    made, given = fn.__reduce__()[:2]
    if type(fn) is operator.methodcaller:
        name, *given = (*made.args, *given) if isinstance(made, functools.partial) else given
        named = made.keywords if isinstance(made, functools.partial) else {}
        return calls.call(ev, expressions.load_attribute(ev, args[0], name, None), tuple(given), named)
    found = tuple(GETTERS[type(fn)](ev, args[0], one) for one in given)
    return found if len(found) > 1 else found[0]


def item(ev, owner, key):
    return expressions.load_item(ev, owner, key, None)


def attribute(ev, owner, path):
    for name in path.split("."):
        owner = expressions.load_attribute(ev, owner, name, None)
    return owner


GETTERS = {operator.itemgetter: item, operator.attrgetter: attribute, operator.methodcaller: None}

__all__ = ["called"]
