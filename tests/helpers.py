"""Checks that every test of a transformation uses: gradients, batches, rewrites, lowering."""

import textwrap

import numpy as np

from transformer import ops  # noqa: F401  (registers the op table)
from transformer.core import Aval, literal_aval
from transformer.executable import executable
from transformer.frontend.builder import Builder
from transformer.printing import load
from transformer.transforms.batch import batch
from transformer.transforms.forward import forward
from transformer.transforms.reverse import reverse

STEP = 1e-6
"""Of the finite differences; their error is about STEP ** 2 plus rounding / STEP."""


# programs -------------------------------------------------------------------------------
def build(function, *args, name="f"):
    """The program of a function of references that returns a reference or a tuple of them."""
    builder = Builder(name)
    with builder:
        refs = [builder.parameter("x", literal_aval(a)) for a in args]
        results = function(*refs)
        return builder.program(results if isinstance(results, tuple) else (results,))


def op_program(op, args, params):
    """The program that applies one op, and its arguments: Python numbers stand as literals, unless there are no arrays."""
    builder = Builder(op.name)
    literal = any(isinstance(a, np.ndarray | np.generic) for a in args)
    with builder:
        operands = [a if literal and type(a) in (bool, int, float) else builder.parameter("x", literal_aval(a)) for a in args]
        program = builder.program([op.emit(*operands, **params)])
    return program, [a for a in args if not (literal and type(a) in (bool, int, float))]


def copies(args):
    """Arguments that a program may store into."""
    return [np.array(a) if isinstance(a, np.ndarray) else a for a in args]


def run(program, args):
    """The outputs of a program on NumPy, as a list."""
    with np.errstate(all="ignore"):
        results = load(program)(*copies(args))
    return list(results) if len(program.outputs) > 1 else [results]


def float_positions(program):
    return [k for k, p in enumerate(program.params) if program.avals[p].dtype.kind in "fc"]


# gradients --------------------------------------------------------------------------------
def direction(rng, value):
    """A random tangent for a value."""
    value = np.asarray(value)
    out = rng.normal(size=value.shape)
    out = out + 1j * rng.normal(size=value.shape) if value.dtype.kind == "c" else out
    return out.astype(value.dtype) if value.shape else value.dtype.type(out)


def difference(function, args, wrt, dots):
    """The derivative of all outputs of `function(args)` along `dots`, one for each position of `wrt`, by central differences."""
    ends = []
    for sign in (1, -1):
        moved = copies(args)
        for k, dot in zip(wrt, dots, strict=True):
            moved[k] = moved[k] + sign * STEP * dot
        ends.append(function(moved))
    return [(np.asarray(a) * 1.0 - np.asarray(b) * 1.0) / (2 * STEP) for a, b in zip(*ends, strict=True)]


def differentiated(program):
    """Positions of the outputs that have tangents."""
    return [k for k, o in enumerate(program.outputs) if program.aval(o).dtype.kind in "fc"]


def check_jvp(program, args, rng, rtol=1e-5, atol=1e-7):
    """Forward mode against finite differences; the primal outputs stay the same bits."""
    wrt = float_positions(program)
    dots = [direction(rng, args[k]) for k in wrt]
    results = run(forward(program, wrt), [*args, *dots])
    primal, tangents = results[: len(program.outputs)], results[len(program.outputs):]
    same(primal, run(program, args))
    wanted = difference(lambda at: run(program, at), args, wrt, dots)
    for k in differentiated(program):
        np.testing.assert_allclose(tangents[k], wanted[k], rtol=rtol, atol=atol, err_msg="jvp")


def pullback(program):
    """The joint program that takes a cotangent for each differentiable output."""
    wanted = differentiated(program)
    return reverse(program, float_positions(program), ["param" if k in wanted else None for k in range(len(program.outputs))])


def check_vjp(program, args, rng, rtol=1e-5, atol=1e-7):
    """Reverse mode: cotangents times tangents is the same on both sides."""
    wrt, wanted = float_positions(program), differentiated(program)
    outputs = run(program, args)
    bars = [direction(rng, outputs[k]) for k in wanted]
    results = run(pullback(program), [*args, *bars])
    same(results[: len(outputs)], outputs)
    dots = [direction(rng, args[k]) for k in wrt]
    moved = difference(lambda at: run(program, at), args, wrt, dots)
    left = sum(np.sum(b * moved[k]).real for k, b in zip(wanted, bars, strict=True))
    right = sum(np.sum(g * d).real for g, d in zip(results[len(outputs):], dots, strict=True))
    np.testing.assert_allclose(right, left, rtol=rtol, atol=atol, err_msg="vjp")
    for g, k in zip(results[len(outputs):], wrt, strict=True):
        assert (np.shape(g), np.asarray(g).dtype) == (np.shape(args[k]), np.asarray(args[k]).dtype)


def check_order_2(program, args, rng, rtol=1e-4, atol=1e-6):
    """Forward over reverse against finite differences of reverse."""
    outputs = run(program, args)
    bars = [direction(rng, outputs[k]) for k in differentiated(program)]
    joint = pullback(program)
    check_jvp(joint, [*args, *bars], rng, rtol, atol)


def check_grads(program, args, rng=None, order=2):
    """jvp, vjp and, for order 2, forward over reverse along random directions, in float64."""
    rng = rng or np.random.default_rng(0)
    check_jvp(program, args, rng)
    check_vjp(program, args, rng)
    if order > 1:
        check_order_2(program, args, rng)


# batches ------------------------------------------------------------------------------------
def lanes(value, size=3):
    """`size` variants of a value, stacked: floats differ a little, others are the same."""
    value = np.asarray(value)
    scale = np.linspace(1.0, 1.1, size).astype(value.dtype) if value.dtype.kind in "fc" else np.ones(size, value.dtype)
    return np.stack([value * s for s in scale] if value.dtype.kind != "b" else [value] * size)


def check_batch(program, args, in_axes=None, rtol=1e-12, size=3):
    """A batched program against the stacked results of a Python loop."""
    in_axes = [0] * len(args) if in_axes is None else in_axes
    batched = [a if axis is None else np.moveaxis(lanes(a, size), 0, axis) for a, axis in zip(args, in_axes, strict=True)]
    got = run(batch(program, in_axes, [0] * len(program.outputs), size), batched)
    loop = []
    for lane in range(size):
        loop.append(run(program, [a if axis is None else np.take(b, lane, axis)
                                  for a, b, axis in zip(args, batched, in_axes, strict=True)]))
    for k, found in enumerate(got):
        wanted = np.stack([np.asarray(row[k]) for row in loop])
        assert np.shape(found) == wanted.shape and np.asarray(found).dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-13, err_msg=f"batch over {in_axes}")


# lowering and rewrites ----------------------------------------------------------------------
def check_lowering(program, args, rtol=1e-12, atol=1e-13):
    """A compiled program against the program on NumPy: values, shapes, dtypes."""
    for got, want in zip(executable(program)(list(args)), run(program, args), strict=True):
        got, want = np.asarray(got), np.asarray(want)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg="lowering")


def check_transform(transform, before, after, *args):
    """`transform` turns the text `before` into exactly `after`, and both functions give the same."""
    before, after = textwrap.dedent(before).strip() + "\n", textwrap.dedent(after).strip() + "\n"
    assert transform(before).strip() + "\n" == after
    results = []
    for text in (before, after):
        scope = {"np": np}
        exec(text, scope)
        function = next(v for k, v in scope.items() if callable(v) and getattr(v, "__module__", "x") is None or k in ("f",))
        results.append(function(*args))
    same([results[0]], [results[1]])


def same(found, wanted):
    """The same bits."""
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


__all__ = ["Aval", "build", "check_batch", "check_grads", "check_lowering", "check_transform", "op_program", "run", "same"]
