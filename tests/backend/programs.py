"""Core programs built by hand, for the tests of lowering."""

from contextlib import contextmanager

import numpy as np

from transformer import ops  # noqa: F401  (registers the op table)
from transformer.core import Aval, Effect, For, If, Move, While
from transformer.frontend.builder import Builder


def aval_of(value):
    weak = type(value) in (int, float, complex)
    value = np.asarray(value)
    return Aval(value.shape, value.dtype, weak)


def build(function, *arguments, name="f"):
    """The program of a function that takes (builder, *references) and returns a list of references."""
    builder = Builder(name)
    with builder:
        refs = [builder.parameter(f"x{k}" if len(arguments) > 1 else "x", aval_of(a)) for k, a in enumerate(arguments)]
        return builder.program(function(builder, *refs))


@contextmanager
def loop(builder, lo, hi, step=1):
    """`for index in range(lo, hi, step)`; yields the index."""
    name = builder.fresh("i", Aval((), np.dtype(np.int64), True))
    with builder.nested() as body:
        yield builder.reference(name)
    builder.add(For(name, builder.read(lo), builder.read(hi), step, body))


def variable(builder, value, hint="v"):
    """A name that is rebound: `Move(name, value)`; the reference reads it."""
    atom = builder.read(value)
    name = builder.fresh(hint, builder.aval(atom))
    builder.add(Move(name, atom))
    return builder.reference(name)


def rebind(builder, ref, value):
    builder.add(Move(ref.storage.name, builder.read(value)))


@contextmanager
def branch(builder, test):
    """`if test:`; yields nothing. Use `either` for two sides."""
    with builder.nested() as body:
        yield
    builder.add(If(builder.read(test), body, []))


def either(builder, test, yes, no):
    with builder.nested() as body:
        yes()
    with builder.nested() as orelse:
        no()
    builder.add(If(builder.read(test), body, orelse))


def while_loop(builder, test, body, counter=None):
    """`while test(): body()`; both emit statements."""
    with builder.nested() as head:
        atom = builder.read(test())
    with builder.nested() as inner:
        body()
    builder.add(While(head, atom, inner, counter))


def fail(builder, text, exception, *refs):
    builder.add(Effect("raise", tuple(map(builder.read, refs)), {"text": text, "exception": exception}))


def show(builder, text, *refs):
    builder.add(Effect("print", tuple(map(builder.read, refs)), {"text": text}))
