"""Random Core programs: batches against the lanes, tangents against differences, and both on top of each other."""

import random

import numpy as np
import pytest

from tests.helpers import copies, difference
from tests.interpret import interpret
from tests.random_programs import Maker
from transformer.check import check
from transformer.core import Apply, walk
from transformer.transforms.batch import batch
from transformer.transforms.forward import forward
from transformer.transforms.reverse import reverse
from transformer.transforms.simplify import simplify

LANES = 3
START, RUNS = 0, 30


def lane(seed, program):
    """Arguments of one lane; the number of trips n differs from lane to lane where no tape is read at fixed places."""
    rng = np.random.default_rng(seed)
    taped = any(isinstance(s, Apply) and s.op.name in ("tape", "empty") for s in walk(program.body))
    values = {"k": float(rng.uniform(-1, 1)), "n": 2 if taped else int(rng.integers(0, 3))}
    return [values[p] if p in values else rng.uniform(-1.0, 1.0, program.avals[p].shape) for p in program.params]


def made(seed, size=10):
    maker = random.Random(seed)
    return check(Maker(maker, size).program()), maker


def compare(program, in_axes, lanes):
    """The batch of a program against its lanes."""
    result = check(batch(program, in_axes, (0,) * len(program.outputs), len(lanes)))
    args = [np.stack([np.asarray(one[p]) for one in lanes]) if axis == 0 else lanes[0][p] for p, axis in enumerate(in_axes)]
    rows = [[one[p] if in_axes[p] == 0 else lanes[0][p] for p in range(len(in_axes))] for one in lanes]
    with np.errstate(all="ignore"):
        want = [np.stack(w) for w in zip(*(interpret(program, *copies(row)) for row in rows))]
        for candidate in (result, simplify(result)):
            have = interpret(candidate, *copies(args))
            for h, w in zip(have, want, strict=True):
                if np.all(np.isfinite(w)) and np.all(np.abs(w) < 1e12):
                    np.testing.assert_allclose(h, w, rtol=1e-8, atol=1e-8)
    return result


@pytest.mark.parametrize("seed", range(START, START + RUNS))
def test_random_batches(seed):
    program, maker = made(seed)
    in_axes = tuple(maker.choice([0, None]) for _ in program.params)
    compare(program, in_axes if 0 in in_axes else (0,) * len(in_axes), [lane(k, program) for k in range(LANES)])


def floats(program):
    return tuple(k for k, p in enumerate(program.params) if program.avals[p].dtype.kind == "f")


@pytest.mark.parametrize("seed", range(START, START + RUNS))
def test_random_tangents(seed):
    program, _ = made(seed)
    args, wrt = lane(seed, program), floats(program)
    dots = [a for k, a in enumerate(lane(seed + 1, program)) if k in wrt]
    pushed = check(forward(program, wrt))
    with np.errstate(all="ignore"):
        outputs, count = interpret(pushed, *copies(args), *copies(dots)), len(program.outputs)
        wanted = difference(lambda at: interpret(program, *at), args, wrt, dots)
        for primal, dot, want in zip(outputs[:count], outputs[count:], wanted, strict=True):
            if np.all(np.isfinite(want)) and np.all(np.abs(primal) < 1e4):
                np.testing.assert_allclose(dot, want, rtol=1e-4, atol=1e-4 * max(1, np.max(np.abs(primal), initial=0)))


@pytest.mark.parametrize("order", ["forward", "reverse", "batch"])
@pytest.mark.parametrize("seed", range(START, START + RUNS))
def test_random_batches_of(order, seed):
    program, _ = made(seed, 7)
    wrt = floats(program)
    if order == "forward":
        inner = forward(program, wrt)
    elif order == "reverse":
        inner = reverse(program, wrt, tuple("param" for _ in program.outputs))
    else:
        inner = batch(program, (0,) * len(program.params), (0,) * len(program.outputs), 2)
    lanes = []
    for k in range(LANES):
        rng = np.random.default_rng(100 + k)
        start = lane(k, program) if order != "batch" else [np.stack([np.asarray(a), np.asarray(b)]) for a, b in zip(lane(k, program), lane(k + 9, program))]
        lanes.append([*start, *(rng.normal(size=inner.avals[p].shape) for p in inner.params[len(program.params):])])
    compare(check(inner), (0,) * len(inner.params), lanes)
