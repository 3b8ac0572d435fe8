"""Forward mode, reverse mode and batching on top of each other, in every order."""

import itertools

import numpy as np
import pytest

from transformer.check import check
from transformer.printing import load
from transformer.transforms.batch import batch
from transformer.transforms.forward import forward
from transformer.transforms.reverse import reverse
from transformer.transforms.simplify import simplify

from .corpus import CORPUS, NAMES, core_of
from .test_batch import check_batch, lanes_of, stacked, tuple_of
from .test_forward import check_forward, double, inexact

LANES = 4


def seeds_of(program):
    return tuple("param" if program.aval(o).dtype.kind in "fc" else None for o in program.outputs)


def joint(program):
    """The reverse program with a cotangent parameter for each float output."""
    return check(reverse(program, inexact(program), seeds_of(program)))


def random_like(avals, rng):
    return [rng.normal(size=a.shape).astype(a.dtype) if a.shape else a.dtype.type(rng.normal()).item() for a in avals]


def added_args(program, extended, seed):
    """Random values for the parameters that a transform has appended."""
    new = extended.params[len(program.params):]
    return random_like([extended.avals[p] for p in new], np.random.default_rng(seed))


def double_lanes(name, count=LANES):
    lanes = lanes_of(name, count)
    return [[np.asarray(a, float) if getattr(a, "dtype", None) == np.float32 else a for a in lane] for lane in lanes]


def some_axes(count):
    """All parameters batched, and all but one."""
    yield (0,) * count
    for k in range(count):
        yield tuple(None if k == p else 0 for p in range(count))
        yield tuple(0 if k == p else None for p in range(count))


def joint_lanes(name):
    """(a program of the corpus, its reverse program, arguments of that for each lane)."""
    lanes = double_lanes(name)
    program = core_of(CORPUS[name][0], *lanes[0])
    both = joint(program)
    return program, both, [[*lane, *added_args(program, both, k)] for k, lane in enumerate(lanes)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_batch_of_reverse(name):
    _, both, lanes = joint_lanes(name)
    for in_axes in dict.fromkeys(some_axes(len(both.params))):
        if any(axis is not None for axis in in_axes):
            check_batch(both, lanes, in_axes)


def stack_args(program, lanes):
    return [np.stack([np.asarray(lane[p], program.avals[q].dtype) for lane in lanes]) for p, q in enumerate(program.params)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_reverse_of_batch(name):
    program, both, lanes = joint_lanes(name)
    batched = batch(program, (0,) * len(program.params), (0,) * len(program.outputs), LANES)
    for candidate in (batched, simplify(batched)):
        have = tuple_of(load(check(reverse(candidate, inexact(program), seeds_of(program))))(*stack_args(both, lanes)))
        for h, w in zip(have, stacked(both, lanes, (0,) * len(both.params)), strict=True):
            np.testing.assert_allclose(h, w, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_forward_of_reverse(name):
    program, args = double(name)
    both = joint(program)
    check_forward(both, [*args, *added_args(program, both, 5)], inexact(program), tolerance=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_batch_of_batch(name):
    rows = [double_lanes(name, 3), [lane[::-1] and lane for lane in reversed(double_lanes(name, 3))]]
    program = core_of(CORPUS[name][0], *rows[0][0])
    count, outs = len(program.params), len(program.outputs)
    for inner in itertools.islice(some_axes(count), 4):
        if all(axis is None for axis in inner):
            continue
        once = batch(program, inner, (0,) * outs, 3)
        lanes = [[np.stack([np.asarray(lane[p], program.avals[q].dtype) for lane in row]) if inner[p] == 0 else row[0][p]
                  for p, q in enumerate(program.params)] for row in rows]
        check_batch(once, lanes, (0,) * count)
        check_batch(simplify(once), lanes, (0,) * count)


TRANSFORMS = {
    "forward": lambda p: forward(p, inexact(p)[:1]),
    "reverse": lambda p: reverse(p, inexact(p)[:1], tuple(1.0 if k == 0 and p.aval(o).dtype.kind in "fc" and not p.aval(o).shape
                                                         else s for k, (o, s) in enumerate(zip(p.outputs, seeds_of(p))))),
}


@pytest.mark.parametrize("name", ["total_branch", "nested_branches", "branch_in_loop", "branch_stores", "while_with_array", "ranges",
                                  "stores", "layers", "nested_whiles", "branch_in_while", "swaps"])
@pytest.mark.parametrize("order", list(itertools.product(("forward", "reverse"), repeat=2)), ids="-".join)
def test_third_order(name, order):
    """A batch of two derivatives on top of each other, and the derivatives around and between the batch."""
    lanes = double_lanes(name, 3)
    program = core_of(CORPUS[name][0], *lanes[0])
    first = check(TRANSFORMS[order[0]](program))
    second = check(TRANSFORMS[order[1]](first))
    lanes = [[*lane, *added_args(program, second, k)] for k, lane in enumerate(lanes)]
    check_batch(second, lanes, (0,) * len(second.params))
    check_batch(simplify(second), lanes, (0,) * len(second.params))
