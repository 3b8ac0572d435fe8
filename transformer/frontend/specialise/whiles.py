"""`while`: rolled where its test is abstract, else run step by step.

A test that changes what the rounds or the statements after the loop read (`while (t := t + x) < 3`, a call that stores into an
attribute) is evaluated once in front of the loop and again at the end of each round, and its outcome is carried.
"""

import itertools

import gast

from ... import core
from ...core import While
from ...errors import TransformError
from .. import scopes
from ..reference import is_reference
from . import branches
from .leaves import CannotRoll
from .loops import FAULTS, Roll, explain
from .rounds import UNROLL_LIMIT
from .state import Control


class TestChanges(Control):
    """The test of a loop changes variables that are read after it."""


def run_while(ev, frame, node):
    """Roll a `while`; where its test is static and the body cannot be rolled, run it step by step."""
    state = ev.capture()
    rolled = frame.is_own and not ev.values
    if not ev.unroll and (rolled or len(ev.builder.stack) > 1 or any(
            ev.has_abstract(ev.peek(frame, n)) for n in (*scopes.loaded(node.body), *scopes.loaded([node.test])))):
        try:
            return roll_while(ev, frame, node, state)
        except FAULTS as error:
            state.restore()
            reason = error
    else:
        reason = CannotRoll("its condition depends on array values")
    step_through(ev, frame, node, reason)


def step_through(ev, frame, node, reason):
    for _ in range(UNROLL_LIMIT):
        test = evaluate_test(ev, frame, node)
        if is_reference(test):
            raise explain(ev, node, reason, test) from None
        if not test:
            return
        ev.run(frame, node.body)
    raise TransformError(f"this loop runs more than {UNROLL_LIMIT} rounds while transforming", "Is it endless?", ev.origin(node))


def is_certain(ev, frame, test):
    """Whether the first round of a loop certainly runs: its test is made of values that are known in front of it."""
    if any(isinstance(n, gast.NamedExpr | gast.Call | gast.Attribute | gast.Subscript) for n in gast.walk(test)):
        return False
    if any(ev.has_abstract(ev.peek(frame, name)) for name in scopes.loaded([test])):
        return False
    return bool(ev.eval(frame, test))


def evaluate_test(ev, frame, node):
    return branches.truth(ev, ev.eval(frame, node.test), node)


def roll_while(ev, frame, node, state):
    try:
        roll_tested(ev, frame, node, state)
    except TestChanges:
        state.restore()
        roll_carried(ev, frame, node)


def roll_tested(ev, frame, node, state):
    """The test stands in the head of the loop."""
    roll, builder, heads = Roll(ev, frame, node, state), ev.builder, []

    def body():
        before = ev.capture()
        with builder.nested() as head:
            test = evaluate_test(ev, frame, node)
            atom = builder.read(test)
        if changes(roll, before) or any(isinstance(s, core.Update | core.Effect) for s in core.walk(head)):
            raise TestChanges
        heads[:] = [head, atom]
        ev.run(frame, node.body)
    certain = is_certain(ev, frame, node.test)
    block, _, before = roll.attempts(body, 1 if certain else None)
    head, atom = heads
    finish(roll, before, head, atom, block)


def roll_carried(ev, frame, node):
    """The outcome of the test is a variable that each round binds at its end."""
    builder, name = ev.builder, unused_name(frame)
    frame.env[name] = evaluate_test(ev, frame, node)
    try:
        roll, atoms = Roll(ev, frame, node, ev.capture(), (name,)), []

        def body():
            atoms[:] = [builder.read(ev.operand(frame.env[name]))]
            ev.run(frame, node.body)
            frame.env[name] = evaluate_test(ev, frame, node)
        block, _, before = roll.attempts(body, None)
        finish(roll, before, [], atoms[0], block)
    finally:
        frame.env.pop(name, None)


def unused_name(frame):
    return next(name for name in map("_test_{}".format, itertools.count()) if name not in frame.env and name not in frame.local)


def changes(roll, before):
    """Whether a container or a variable that is read later differs from what it was."""
    now = before.now()
    for owner, (container, values) in before.containers.items():
        keys = {*values, *now[owner]}
        if container is roll.frame.env:
            keys &= roll.needed | roll.live
        if any(now[owner].get(key) is not values.get(key) for key in keys):
            return True
    return False


def finish(roll, before, head, atom, block):
    if not isinstance(atom, str):
        raise CannotRoll("its condition is static")
    roll.builder.block.extend(before)
    roll.builder.add(While(head, atom, block))
    roll.finish()
