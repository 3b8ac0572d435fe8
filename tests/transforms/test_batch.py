"""Batching against the stacked loop over lanes."""

import itertools

import numpy as np
import pytest

from transformer.check import check
from transformer.printing import load
from transformer.transforms.batch import batch

from .corpus import CORPUS, NAMES, core_of

LANES = 5


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


def stacked(program, lanes, in_axes):
    """The outputs of every lane, stacked; `lanes` is a list of argument tuples."""
    run = load(program)
    args = [[lanes[k][p] if axis is not None else lanes[0][p] for p, axis in enumerate(in_axes)] for k in range(len(lanes))]
    results = [tuple_of(run(*(np.array(a) if np.ndim(a) else a for a in one))) for one in args]
    return [np.stack(one) for one in zip(*results)]


def batched_args(program, lanes, in_axes):
    out = []
    for p, axis in enumerate(in_axes):
        aval = program.avals[program.params[p]]
        if axis is None:
            out.append(lanes[0][p])
        else:
            out.append(np.moveaxis(np.stack([np.asarray(lane[p], aval.dtype) for lane in lanes]), 0, axis))
    return out


def check_batch(program, lanes, in_axes, out_axes=None):
    """`batch` against the stacked loop over lanes; the batched program."""
    out_axes = out_axes or (0,) * len(program.outputs)
    result = check(batch(program, in_axes, out_axes, len(lanes)))
    have = tuple_of(load(result)(*batched_args(program, lanes, in_axes)))
    want = stacked(program, lanes, in_axes)
    for h, w, axis, name in zip(have, want, out_axes, program.outputs, strict=True):
        np.testing.assert_allclose(np.moveaxis(h, axis, 0), w, rtol=1e-6 if np.asarray(w).dtype == np.float32 else 1e-12, atol=1e-13, err_msg=str(name))
        assert np.asarray(h).dtype == program.aval(name).dtype
    return result


def lanes_of(name, count=LANES):
    rng = np.random.default_rng(len(name))
    return [CORPUS[name][1](rng) for _ in range(count)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_batch_is_the_stacked_loop(name):
    lanes = lanes_of(name)
    program = core_of(CORPUS[name][0], *lanes[0])
    for in_axes in itertools.product((0, None), repeat=len(lanes[0])):
        check_batch(program, lanes, in_axes)
