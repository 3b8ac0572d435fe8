"""The meaning of Core, executed statement by statement: every value is copied, nothing aliases. The oracle for printing."""

import operator

import numpy as np

from transformer import core
from transformer.ops import index_templates as templates

PYTHON = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
          "**": operator.pow, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
          "!=": operator.ne}


def interpret(program, *args):
    """The outputs of a program, as a list."""
    env = dict(zip(program.params, (copied(a) for a in args), strict=True))
    run(program, program.body, env)
    return [copied(value(env, a)) for a in program.outputs]


def copied(x):
    return [copied(v) for v in x] if isinstance(x, list) else x.copy() if isinstance(x, np.ndarray) else x


def value(env, atom):
    return env[atom] if isinstance(atom, str) else atom


def run(program, stmts, env):
    for stmt in stmts:
        RUN[type(stmt)](program, stmt, env)


def apply(program, stmt, env):
    args = [value(env, a) for a in stmt.args]
    weak = [program.aval(a).weak for a in stmt.args]
    if stmt.op.symbol in PYTHON and (program.avals[stmt.target].weak or not all(weak)):
        result = PYTHON[stmt.op.symbol](*args) if len(args) == 2 else -args[0]
    elif args and isinstance(args[0], list) and stmt.op.gather:
        result = args[0][args[1]][stmt.params["index"][1:]]
    else:
        args = [as_array(a, program.aval(b)) if isinstance(a, list) else a for a, b in zip(args, stmt.args)]
        result = stmt.op.impl(*args, **stmt.params)
    env[stmt.target] = copied(result)


def as_array(tape, aval):
    """A tape as the array that an op other than reading an entry sees."""
    return np.reshape(np.array(tape, dtype=aval.dtype), (-1, *aval.shape[1:]))


def move(program, stmt, env):
    aval, source = program.avals[stmt.target], value(env, stmt.source)
    if isinstance(source, np.ndarray | list) and aval.shape:
        env[stmt.target] = copied(source)
    else:
        env[stmt.target] = np.asarray(source, aval.dtype)[()].item() if aval.weak else aval.dtype.type(source)


def update(program, stmt, env):
    target, index = env[stmt.target], templates.fill(stmt.index, [value(env, a) for a in stmt.args])
    stored = copied(value(env, stmt.value))
    if isinstance(target, list):
        assert index[0] == len(target)
        shape = program.avals[stmt.target].shape[1:]
        stored = as_array(stored, program.aval(stmt.value)) if isinstance(stored, list) else stored
        target.append(stored if None in shape else np.broadcast_to(stored, shape).copy())
    elif not isinstance(target, np.ndarray):
        env[stmt.target] = target.dtype.type(target + stored if stmt.mode == "add" else stored)
    elif stmt.mode == "add":
        np.add.at(target, index, stored)
    else:
        target[index] = stored


def if_(program, stmt, env):
    run(program, stmt.body if value(env, stmt.test) else stmt.orelse, env)


def for_(program, stmt, env):
    for env[stmt.index] in range(value(env, stmt.lo), value(env, stmt.hi), stmt.step):
        run(program, stmt.body, env)


def while_(program, stmt, env):
    rounds = 0
    while True:
        if stmt.counter:
            env[stmt.counter] = rounds
        run(program, stmt.head, env)
        if not value(env, stmt.test):
            return
        run(program, stmt.body, env)
        rounds += 1


def effect(program, stmt, env):
    args = [value(env, a) for a in stmt.args]
    if stmt.kind == "raise":
        raise stmt.params["make"](*args)
    env.setdefault("printed", []).append(args)


RUN = {core.Apply: apply, core.Move: move, core.Update: update, core.If: if_, core.For: for_, core.While: while_,
       core.Effect: effect, core.Mark: lambda program, stmt, env: None}


def identical(one, other):
    """Whether two results agree in every bit (nan equals nan), dtype and shape."""
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(identical, one, other))
    one, other = np.asarray(one), np.asarray(other)
    same = one.dtype == other.dtype and one.shape == other.shape
    return same and (np.where(np.isnan(one), 0, one).tobytes() == np.where(np.isnan(other), 0, other).tobytes()
                     and bool((np.isnan(one) == np.isnan(other)).all()))
