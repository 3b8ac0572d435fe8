"""Loops that run round by round while transforming: their items and flags are known."""

from ...errors import TransformError, ValueDependent
from ..reference import is_reference
from . import branches, generators, iterators

UNROLL_LIMIT = 20_000
END = object()


def unroll(ev, frame, node, items):
    """Plain execution: the index is static. The flag is tested before an item is fetched."""
    stop = getattr(node, "stop", None)
    remaining, rounds, lost, is_generator = iter(items), 0, False, isinstance(items, generators.Generator)
    while True:
        flag = False if stop is None else branches.truth(ev, frame.env.get(stop, False), node)
        item = END if flag is True else next(remaining, END)
        if item is END:
            break
        if is_reference(flag):
            if is_generator:
                raise ValueDependent("a loop that may end early, depending on array values, leaves a generator that is read later",
                                     "Make a new generator for each loop.", ev.origin(node))
            lost = True
            branches.choose(ev, flag, lambda: None, lambda item=item: guarded_round(ev, frame, node, item), node)
        else:
            one_round(ev, frame, node, item)
        rounds += 1
        if is_generator or isinstance(items, iterators.Cursor) and items.is_endless:
            check_endless(ev, node, lost, rounds)
    if lost and isinstance(items, iterators.Cursor):
        items.lose()


def check_endless(ev, node, lost, rounds):
    """A loop over an iterator that never ends must be left by a test that is known."""
    if lost:
        raise ValueDependent("a loop over an iterator that never ends is left depending on array values",
                             "Write it as a while loop, or over range(n).", ev.origin(node))
    if rounds > UNROLL_LIMIT:
        raise TransformError(f"this loop runs more than {UNROLL_LIMIT} rounds while transforming", "Is it endless?", ev.origin(node))


def one_round(ev, frame, node, item):
    ev.assign(frame, node.target, item)
    ev.run(frame, node.body)


def guarded_round(ev, frame, node, item):
    """A round whose flag has been tested already."""
    ev.assign(frame, node.target, item)
    ev.run(frame, node.rounds)
