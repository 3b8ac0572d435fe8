"""Core programs of plain functions, and the checks of reverse mode on them: finite differences alone are the oracle."""

import dataclasses

import numpy as np

from tests.helpers import copies, difference
from tests.interpret import interpret
from transformer import pipeline, printing
from transformer.check import check
from transformer.core import is_name
from transformer.frontend.specialise import specialise
from transformer.transforms.reverse import reverse, split
from transformer.transforms.simplify import simplify


def core_program(function, *args, simplified=False):
    """The Core program of a function; arrays and numbers among `args` are its parameters."""
    params = tuple(pipeline.as_params(a, f"x{k}") for k, a in enumerate(args))
    program = specialise(function, params, {}).program
    return simplify(program) if simplified else program


def outputs_of(program, args):
    """The outputs of a program; they must not depend on what it does to its own copies of the arguments."""
    return interpret(program, *copies(args))


def printed_outputs(program, args):
    """The outputs as printed and run on NumPy; the arguments must be left as they were."""
    given = copies(args)
    found = printing.load(program)(*given)
    for value, before in zip(given, args, strict=True):
        np.testing.assert_array_equal(value, before)
    return list(found) if isinstance(found, tuple) else [found]


def float_positions(args):
    return [k for k, a in enumerate(args) if np.asarray(a).dtype.kind in "fc"]


def pull(joint, args, seeds, count):
    """Outputs and cotangents of a joint program with "param" seeds; the halves of `split` must give the same."""
    found = outputs_of(joint, [*args, *seeds])
    forward, pullback = split(joint, count, len(seeds))
    check(forward), check(pullback)
    halves = interpret(forward, *copies(args))
    again = interpret(pullback, *halves[count:], *copies(seeds))
    for a, b in zip(found, halves[:count] + again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=0)
    return found[:count], found[count:]


def check_reverse(program, args, order=2, rtol=2e-6, atol=1e-7, rng=None):
    """Reverse mode of a program against differences, to the given order; simplified and as it is."""
    rng = rng or np.random.default_rng(0)
    check(program)
    wrt = float_positions(args)
    values = outputs_of(program, args)
    seeds = [rng.normal(size=np.shape(v)) if np.asarray(v).dtype.kind == "f" else np.zeros(np.shape(v)) for v in values]
    chosen = ["param" if np.asarray(v).dtype.kind == "f" else None for v in values]
    given = [s for s, c in zip(seeds, chosen) if c]
    joint = reverse(program, wrt, chosen)
    check(joint)
    primal, bars = pull(joint, args, given, len(values))
    for a, b in zip(primal, values, strict=True):
        np.testing.assert_array_equal(a, b)
    direction = [rng.normal(size=np.shape(args[k])) for k in wrt]
    dots = difference(lambda at: outputs_of(program, at), args, wrt, direction)
    want = sum(np.sum(s * d) for s, d, c in zip(seeds, dots, chosen) if c)
    have = sum(np.sum(b * d) for b, d in zip(bars, direction, strict=True))
    np.testing.assert_allclose(np.real(have), want, rtol=rtol, atol=atol)
    for bar, k in zip(bars, wrt, strict=True):
        assert np.shape(bar) == np.shape(args[k]) and np.asarray(bar).dtype == np.asarray(args[k]).dtype
    slim = simplify(joint)
    check(slim)
    for run in (outputs_of, printed_outputs):
        for a, b in zip(run(slim, [*args, *given]), primal + bars, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    if order > 1:
        names = joint.outputs[len(values):]
        bars_only = dataclasses.replace(joint, outputs=list(filter(is_name, names)))
        if bars_only.outputs:
            check_reverse(bars_only, [*args, *given], order - 1, rtol, atol, rng)


def check_function(function, *args, order=2, **options):
    """check_reverse on the Core program of a function, both as specialised and simplified."""
    check_reverse(core_program(function, *args), args, order, **options)
    check_reverse(core_program(function, *args, simplified=True), args, order, **options)
