"""Batching against the stacked loop over lanes."""

import itertools

import numpy as np
import pytest

import transformer
from transformer.check import check
from transformer.errors import MissingRule, TransformError
from transformer.ops.op import Op
from transformer.printing import load
from transformer.transforms.batch import batch
from transformer.transforms.forward import forward
from transformer.transforms.reverse import reverse
from transformer.transforms.simplify import simplify

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


# axes ------------------------------------------------------------------------------
@pytest.mark.parametrize("in_axes, out_axes", [((1, 0), (0, 1)), ((2, None), (1, 1)), ((-1, -1), (-1, -2)), ((None, 1), (1, 0))])
def test_axes_anywhere(in_axes, out_axes):
    def f(w, x):
        return w * x, np.dot(w, x)

    rng = np.random.default_rng(0)
    lanes = [(rng.normal(size=(3, 2)), rng.normal(size=2)) for _ in range(LANES)]
    program = core_of(f, *lanes[0])
    check_batch(program, lanes, in_axes, tuple(a for a in out_axes))


def test_an_output_that_does_not_differ_is_repeated():
    program = core_of(lambda x, y: (x + 1, 2.0, y), np.ones(3), 1.0)
    result = check(batch(program, (None, 0), (1, 0, 0), 4))
    first, second, _ = load(result)(np.arange(3.0), np.ones(4))
    np.testing.assert_array_equal(first, np.repeat(np.arange(1.0, 4)[:, None], 4, axis=1))
    np.testing.assert_array_equal(second, np.full(4, 2.0))


def test_an_output_that_does_not_differ_stays_with_out_axis_none():
    program = core_of(lambda x, y: (x + 1, y), np.ones(3), 1.0)
    first, _ = load(check(batch(program, (None, 0), (None, 0), 4)))(np.arange(3.0), np.ones(4))
    assert first.shape == (3,)


def test_an_output_that_differs_needs_an_axis():
    program = core_of(lambda x: x * 2, 1.0)
    with pytest.raises(TransformError, match="out_axes is None"):
        batch(program, (0,), (None,), 4)


def test_an_op_without_a_rule_is_named():
    program = core_of(lambda x: np.sum(x), np.ones(3))
    apply = program.body[0]
    apply.op = Op("lonely", np.sum, apply.op.infer, None)
    with pytest.raises(MissingRule, match="op lonely has no rule for batching"):
        batch(program, (0,), (0,), 4)


# lanes that stay out ---------------------------------------------------------------------
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", [[0.0, 2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
def test_the_untaken_side_neither_warns_nor_poisons(x):
    def f(x):
        if x > 0:
            y = np.sqrt(x) / x
        else:
            y = 3 * x
        return y

    x = np.array(x)
    program = core_of(f, 1.0)
    taken = x > 0
    safe = np.where(taken, x, 1.0)
    want = np.where(taken, -0.5 * safe ** -1.5, 3.0)
    batched = batch(program, (0,), (0,), 3)
    for candidate in (reverse(batched, (0,), ("param",)), batch(reverse(program, (0,), (1.0,)), (0,), (0, 0), 3), reverse(simplify(batched), (0,), ("param",))):
        args = [x] + [np.ones(3)] * (len(candidate.params) - 1)
        np.testing.assert_allclose(load(check(candidate))(*args)[1], want)
    np.testing.assert_allclose(load(check(forward(batched, (0,))))(x, np.ones(3))[1], want)


@pytest.mark.filterwarnings("error")
def test_lanes_that_finished_do_not_divide_by_zero():
    def f(n):
        s = 0.0
        while n > 0:
            s = s + 1.0 / n
            n = n - 1
        return s

    program = core_of(f, 3)
    lanes = [(k,) for k in range(5)]
    check_batch(program, lanes, (0,))


def test_an_error_of_one_lane_is_raised():
    def f(x, limit):
        if x > limit:
            raise ValueError(f"{x} is above {limit}")
        return x * 2

    program = core_of(f, 1.0, 2.0)
    run = load(check(batch(program, (0, None), (0,), 3)))
    np.testing.assert_array_equal(run(np.array([0.0, 1.0, 2.0]), 2.0), [0.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="5.0 is above 2.0"):
        run(np.array([0.0, 5.0, 1.0]), 2.0)


def test_each_lane_prints(capsys):
    def f(x):
        if x > 0:
            print("x is", x)
        return x

    run = load(check(batch(core_of(f, 1.0), (0,), (0,), 3)))
    run(np.array([1.0, -1.0, 2.0]))
    assert capsys.readouterr().out == "x is 1.0\nx is 2.0\n"


def test_pointers_into_tapes_advance_for_all_lanes():
    """A while loop inside of a loop: its tape is pushed and popped in step by all lanes."""
    def f(c, x):
        s = 0.0
        for i in range(3):
            while c * x[i] > 1.0:
                c = c * 0.8
                s = s + x[i] * c ** 2
        return s

    rng = np.random.default_rng(1)
    lanes = [(float(rng.uniform(1, 5)), rng.uniform(0.3, 1.5, size=3)) for _ in range(LANES)]
    program = reverse(core_of(f, *lanes[0]), (0, 1), (1.0,))
    check_batch(program, lanes, (0, 0))
    check_batch(simplify(program), lanes, (0, 0))


def steps_after_an_early_return(x, k):
    m = np.outer(x, x)
    for i in range(3):
        if i == 7:
            return k
    for j in range(3):
        w = 0
        while k < 1.5 and w < 2:
            w += 1
            m[j] = m[j] * m[j] + 1.0
    return np.sum(m * x)


def test_counters_of_tapes_that_one_side_binds():
    """The reverse sweep goes down a tape, in a later `if` of the test under which the tape was filled."""
    x, k = np.array([0.3, 1.2, 0.9]), np.array([0.6, 2.0])
    got = transformer.vmap(transformer.grad(steps_after_an_early_return), (None, 0))(x, k)
    for lane, one in zip(got, k):
        np.testing.assert_allclose(lane, transformer.grad(steps_after_an_early_return)(x.copy(), float(one)))


def steps_after_a_return_of_some_lanes(x, k):
    m = np.outer(x, x)
    for i in range(3):
        if k > 1.8 - i:
            return k * x[0]
    for j in range(3):
        w = 0
        while k < 1.5 and w < 2:
            w += 1
            m[j] = m[j] * m[j] + 1.0
    return np.sum(m * x)


def test_counters_of_tapes_under_a_test_of_the_lanes():
    x = np.array([0.3, 1.2, 0.9])
    slopes = transformer.vmap(transformer.grad(steps_after_a_return_of_some_lanes), (None, 0))
    for k in (np.array([-0.6, 2.0, -1.0]), np.array([2.0, 3.0, 0.9])):
        for lane, compiled, one in zip(slopes(x, k), transformer.jit(slopes)(x, k), k):
            alone = transformer.grad(steps_after_a_return_of_some_lanes)(x.copy(), float(one))
            np.testing.assert_allclose(lane, alone)
            np.testing.assert_allclose(compiled, alone)
