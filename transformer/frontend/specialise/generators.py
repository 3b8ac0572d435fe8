"""Generators: functions that yield.

A loop over a new generator runs its body, and at each `yield` a round of the loop's own body. So loops of the generator stay loops, its
conditions on array values are allowed, and everything happens in Python's order:

    def halves(x):                  for v in halves(x):         while abs(x) > 0.1:
        while abs(x) > 0.1:    +        s = s + v          =        s = s + x
            yield x                                                  x = x / 2
            x = x / 2

Elsewhere (`next`, a zip of two generators) it runs from one `yield` to the next: its place is kept between, as a stack of blocks and loops.
That place is known while transforming; which `yield` comes next may not depend on array values then.
"""

import functools
import itertools
from collections import deque
from typing import Any, NamedTuple

import gast
import numpy as np

from ...errors import TransformError, ValueDependent
from .. import lazy
from ..reference import is_reference
from ..syntax import contains_yield
from . import branches, calls, expressions, filtered, iterators, rounds, special_methods, whiles
from .state import Control, Undefined


class Passing(Control):
    """An error that the body of a loop raises, on its way through the generator that the loop is over: no handler there concerns it."""


LEFT = Undefined("a loop over this generator ended early")
AS_THEY_ARE = (iter, next, isinstance, type, callable, id)
"""Functions that take a generator as the object that it is."""
READ_FIRST = (itertools.product, itertools.permutations, itertools.combinations, itertools.combinations_with_replacement)
"""Functions of itertools that begin by reading all items."""
VALUES = "_values of a generator"
"""Where its values are kept while it is run through: in its frame, so that a loop in which their number grows is unrolled."""


class Consumer(NamedTuple):
    """What takes the values of a generator: take(value) gives whether it wants no more. frame, node: the loop, if it is one."""

    take: Any
    frame: Any = None
    node: Any = None


class Place:
    """Where a generator goes on: a position in a block of statements, or a loop, between two rounds."""

    __slots__ = ("position", "stmts")
    __transformer_opaque__ = True

    def __init__(self, stmts, position=0):
        self.stmts, self.position = stmts, position


class Generator:
    """A generator: its frame, and `state`: a stack of (place, the iterator of a for loop), the innermost last; () at its end."""

    def __init__(self, ev, frame, body):
        self.ev, self.frame, self.body = ev, frame, body
        self.start = Place(body)
        self.state = {"stack": ((self.start, None),), "result": None}
        self.places = {}

    def environments(self):
        """What it may read or change later."""
        frame, found = self.frame, [self.state]
        while frame is not None:
            found.append(frame.env)
            frame = frame.parent
        return found

    def frame_values(self):
        return [value for env in self.environments() for value in env.values()]

    @property
    def stack(self):
        stack = self.state["stack"]
        lost = stack if isinstance(stack, Undefined) else next((place for place, _ in stack if isinstance(place, Undefined)), None)
        if lost is not None:
            raise ValueDependent("how far a generator is depends on array values", "Make a new generator.")
        return stack

    @property
    def is_new(self):
        stack = self.stack
        return len(stack) == 1 and stack[0][0] is self.start

    def __iter__(self):
        return self

    def lose(self):
        """After what leaves it somewhere, depending on values."""
        self.state["stack"] = LEFT

    # run through -----------------------------------------------------------------
    def run(self, consumer):
        """Run to the end, or until the consumer wants no more. The generator must be new."""
        self.state["stack"], self.frame.consumer = (), consumer
        self.state["result"] = calls.enter(self.ev, self.frame, self.body)

    # step by step ----------------------------------------------------------------
    def __next__(self):
        ev, stack = self.ev, [*self.stack]
        self.state["stack"] = ()
        ev.frames.append(self.frame)
        origin = ev.builder.origin
        try:
            while stack:
                found = self.step(stack)
                if found:
                    self.state["stack"] = tuple(stack)
                    return found[0]
        finally:
            ev.frames.pop()
            ev.builder.origin = origin
        ended, self.state["result"] = self.state["result"] is not None, self.frame.result
        raise StopIteration(*([] if ended or self.frame.result is None else [self.frame.result]))

    def send(self, value):
        """Go on; nothing here asks for what is sent."""
        if value is not None and self.is_new:
            raise TypeError("can't send non-None value to a just-started generator")
        return next(self)

    def throw(self, error):
        """End it with an error: it yields nowhere where it would handle one."""
        self.close()
        raise error

    def close(self):
        self.state["stack"] = ()

    def place(self, stmts, position=0):
        """One object for each place, so that sides that stop at the same one agree."""
        return self.places.setdefault((id(stmts), position), Place(stmts, position))

    def step(self, stack):
        """Do one thing at the top of the stack; (value,) at a yield."""
        place, over = stack.pop()
        if isinstance(place.stmts, gast.For):
            return self.round(stack, place, over)
        if isinstance(place.stmts, gast.While):
            if self.decided(whiles.evaluate_test(self.ev, self.frame, place.stmts), place.stmts):
                stack += [(place, None), (self.place(place.stmts.body), None)]
            return None
        if place.position < len(place.stmts):
            stack.append((self.place(place.stmts, place.position + 1), None))
            return self.statement(stack, place.stmts[place.position])
        return None

    def round(self, stack, place, over):
        node = place.stmts
        stop = getattr(node, "stop", None)
        if stop is None or not self.decided(branches.truth(self.ev, self.frame.env.get(stop, False), node), node):
            for item in over:
                self.ev.assign(self.frame, node.target, item)
                stack += [(place, over), (self.place(node.body), None)]
                break
        return None

    def statement(self, stack, stmt):
        if not contains_yield(stmt):
            self.ev.run(self.frame, [stmt])
            return None
        self.ev.builder.origin = self.frame.at = self.ev.origin(stmt)
        if isinstance(stmt, gast.If):
            holds = self.decided(branches.truth(self.ev, self.ev.eval(self.frame, stmt.test), stmt), stmt)
            stack.append((self.place(stmt.body if holds else stmt.orelse), None))
        elif isinstance(stmt, gast.For):
            stack.append((self.place(stmt), over(self.ev, self.ev.eval_looped(self.frame, stmt.iter))))
        elif isinstance(stmt, gast.While):
            stack.append((self.place(stmt), None))
        elif isinstance(stmt, gast.Try | gast.With):
            raise TransformError("a generator that yields inside of try or with is gone through step by step",
                                 "Go through it in a for loop of its own.", self.ev.origin(stmt))
        else:
            return self.give(stack, stmt)
        return None

    def give(self, stack, stmt):
        """`flag = yield value`, or one value of `target = yield from values`."""
        if isinstance(stmt.value, gast.Yield):
            self.ev.assign(self.frame, stmt.targets[0], False)
            return (given(self.ev, self.frame, stmt.value),)
        values = self.frame.env.pop(stmt.value.closed + "_from", None) or over(self.ev, self.ev.eval(self.frame, stmt.value.value))
        for value in values:
            self.frame.env[stmt.value.closed + "_from"] = values
            place, _ = stack.pop()
            stack.append((self.place(place.stmts, place.position - 1), None))
            return (value,)
        self.ev.assign(self.frame, stmt.targets[0], values.state["result"] if isinstance(values, Generator) else None)
        return None

    def decided(self, test, node):
        """A test that is known."""
        if isinstance(test, bool):
            return test
        raise ValueDependent("which value a generator yields next depends on array values",
                             "Go through the generator in a for loop of its own.", self.ev.origin(node))


def over(ev, value):
    """The iterator over an iterable."""
    value = iterators.checked(ev, special_methods.items(ev, value))
    return value if isinstance(value, Generator) else iterators.cursor(ev, value)


def given(ev, frame, node):
    return None if node.value is None else ev.eval(frame, node.value)


def yield_(ev, frame, node):
    """`yield value`: whether the generator is to return."""
    return frame.consumer.take(given(ev, frame, node))


def yield_from(ev, frame, node):
    """`yield from values` of which the result is used."""
    values = over(ev, ev.eval(frame, node.value))

    def take(value):
        frame.env[node.closed] = frame.consumer.take(value)
        return frame.env[node.closed]
    if isinstance(values, Generator) and values.is_new:
        values.run(frame.consumer._replace(take=take))
        return values.state["result"]
    for value in values:
        if take(value) is not False:
            raise ValueDependent("a loop may end within `yield from`", "Write it as a for loop that yields.", ev.origin(node))
    return values.state["result"] if isinstance(values, Generator) else None


def run_for(ev, frame, node, generator):
    """A for loop over a new generator."""
    stop = getattr(node, "stop", None)

    def take(value):
        ev.frames.append(frame)
        try:
            (rounds.one_round if stop is None else rounds.guarded_round)(ev, frame, node, value)
        except Exception as error:
            if not isinstance(error, Control | TransformError):
                raise Passing from error
            raise
        finally:
            ev.frames.pop()
        return False if stop is None else branches.truth(ev, frame.env[stop], node)
    try:
        generator.run(Consumer(take, frame, node))
    except Passing as passing:
        raise passing.__cause__ from passing.__cause__.__cause__
    if stop is not None and frame.env[stop] is not False:
        generator.lose()


def is_passed_through(ev, frame, node, generator):
    """Whether a loop runs the generator to its end, or until nothing reads it any more."""
    if not generator.is_new:
        return False
    is_named = isinstance(node.iter, gast.Name) and node.iter.id not in ev.live_after(frame, node)
    return getattr(node, "stop", None) is None or is_named or isinstance(node.iter, gast.Call)


def values_of(generator):
    """All values that are left, as a list."""
    found = []
    if not generator.is_new:
        return list(limited(generator))

    generator.frame.env[VALUES] = found

    def take(value):
        found.append(value)
        if len(found) > iterators.LIMIT:
            raise TransformError(f"a generator gives more than {iterators.LIMIT} values", "Does it end? Bound it with itertools.islice.")
        return False
    generator.run(Consumer(take))
    return found


def limited(generator):
    for number, value in enumerate(generator):
        if number >= rounds.UNROLL_LIMIT:
            raise TransformError(f"a generator gives more than {rounds.UNROLL_LIMIT} values", "Does it end? Bound it with itertools.islice.")
        yield value


def inside(args):
    return any(isinstance(a, Generator) for a in args)


def given_to(ev, fn, args, kwargs):
    """(arguments, result) of a library function that is given generators: one that takes values one at a time is entered, and others
    get lists, or the generators themselves. NotImplemented where there is no result yet."""
    if fn is zip:
        return args, zipped(ev, args, **kwargs)
    entered = entered_for(fn)
    if entered is not None:
        return args, calls.enter_function(ev, entered, args, kwargs)
    if any(fn is known for known in AS_THEY_ARE) or type(getattr(fn, "__self__", None)) in (list, deque, dict, set) and fn.__name__ not in calls.ADDING:
        return args, NotImplemented
    if getattr(fn, "__module__", None) == "itertools" and fn not in READ_FIRST:
        raise TransformError(f"itertools.{fn.__name__} of a generator", "Give it a list of the generator's values.", ev.origin())
    return tuple(expressions.iterate(ev, a) if isinstance(a, Generator) else a for a in args), NotImplemented


def entered_for(fn):
    try:
        return lazy.LAZY.get(fn)
    except TypeError:
        return None


def lazily(fn, args):
    """The counterpart of a function that would copy its items; others have items by position."""
    by_position = any(fn is known for known in (enumerate, map, sum, zip)) or any(isinstance(a, filtered.Filtered) for a in args)
    return None if by_position else entered_for(fn)


def zipped(ev, args, strict=False):
    """zip with generators; a single one is run through, beside the positions of the others."""
    if strict:
        raise TransformError("zip with strict=True of a generator", "Give it lists.", ev.origin())
    [at, *more] = [k for k, a in enumerate(args) if isinstance(a, Generator)]
    if more:
        return calls.enter_function(ev, lazy.zipped, args, {})
    before, after = Rows(ev, args[:at]), Rows(ev, args[at + 1:])
    return calls.enter_function(ev, lazy.zipped_with, (args[at], before, after, (before.length, after.length)), {})


class Rows:
    """Items of several iterables, by position; length: None where they never end."""

    __transformer_opaque__ = True

    def __init__(self, ev, iterables):
        self.over = [over(ev, values) for values in iterables]
        self.start = [iterators.known(values.settled()) for values in self.over]
        lengths = [values.length - start for values, start in zip(self.over, self.start) if not values.is_endless]
        self.length = functools.reduce(smaller, lengths) if lengths else None

    def frame_values(self):
        return self.over

    def __getitem__(self, number):
        return tuple(values.item(start + number) for values, start in zip(self.over, self.start))


def smaller(a, b):
    return np.minimum(a, b) if is_reference(a) or is_reference(b) else min(a, b)
