"""`any` and `all` of a generator expression: Python stops at the item that decides, and what the later ones would do is not done."""

import gast

from ...core import Effect, walk
from ...errors import ValueDependent
from ..reference import is_reference
from . import branches, calls, expressions, filtered, iterators
from .state import Control


class Decided(Control):
    """An item decides."""


class Deciding(filtered.Kept):
    """The items up to the first one that is known and decides."""

    def __init__(self, ev, decisive):
        super().__init__()
        self.ev, self.decisive = ev, decisive

    def keep(self, value, test=True):
        super().keep(value, test)
        if test is True and branches.truth(self.ev, value, None) is self.decisive:
            raise Decided


def read(ev, frame, node, decisive):
    """The items of a generator expression that `any` (decisive: True) or `all` reads."""
    results, iterable = Deciding(ev, decisive), ev.eval_looped(frame, node.generators[0].iter)
    acts = isinstance(iterable, iterators.Cursor) or any(isinstance(n, gast.Call | gast.NamedExpr) for n in gast.walk(node))
    state, start = ev.capture() if acts else None, len(ev.builder.block)
    try:
        items = iterable if isinstance(iterable, iterators.Cursor) and not iterable.is_endless else expressions.iterate(ev, iterable)
        expressions.generate(ev, calls.inner_frame(frame), node, node.generators, results, items)
    except (Control, ValueDependent) as decided:
        if not isinstance(decided, Decided):
            raise
    except Exception as error:
        if any(map(is_abstract, results)):
            raise undecided(ev, node, decisive) from error
        raise
    if acts and any(map(is_abstract, results[:-1])) and has_acted(state, ev.builder.block[start:]):
        raise undecided(ev, node, decisive)
    return expressions.collected(ev, node, results, iter)


def is_abstract(value):
    return is_reference(value) and value.known is None


def undecided(ev, node, decisive):
    return ValueDependent(f"how far {'any' if decisive else 'all'}() goes depends on array values, and its items do more than give a value",
                          "Compute the items in a list first.", ev.origin(node))


def has_acted(state, stmts):
    """Whether a container has changed since `state`, or statements have effects."""
    now = state.now()
    return any(isinstance(s, Effect) for s in walk(stmts)) or any(
        len(now[key]) != len(values) or any(now[key].get(k, state) is not v for k, v in values.items()) for key, (_, values) in state.containers.items())


__all__ = ["read"]
