"""Forward mode against finite differences."""

import numpy as np
import pytest

from tests.helpers import copies, difference
from transformer.check import check
from transformer.errors import MissingRule, TypeMismatch
from transformer.ops.op import Op
from transformer.printing import load
from transformer.transforms.batch import batch
from transformer.transforms.forward import forward

from .corpus import CORPUS, NAMES, core_of


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)


def inexact(program):
    return tuple(k for k, p in enumerate(program.params) if program.avals[p].dtype.kind in "fc")


def double(name, seed=0):
    """A program of the corpus with its arguments in double precision."""
    fn, draw = CORPUS[name]
    args = [np.asarray(a, float) if getattr(a, "dtype", None) == np.float32 else a for a in draw(np.random.default_rng(seed))]
    return core_of(fn, *args), args


def direction(args, wrt, seed=1):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=np.shape(args[k])) if np.ndim(args[k]) else float(rng.normal()) for k in wrt]


def check_forward(program, args, wrt, tolerance=2e-7):
    """`forward` against central differences along a random direction; the program."""
    result = check(forward(program, wrt))
    dots, count = direction(args, wrt), len(program.outputs)
    outputs = tuple_of(load(result)(*copies(args), *dots))
    wanted = difference(lambda at: tuple_of(load(program)(*at)), args, wrt, dots)
    primals = tuple_of(load(program)(*copies(args)))
    for found, primal, dot, want, atom in zip(outputs[:count], primals, outputs[count:], wanted, program.outputs, strict=True):
        np.testing.assert_array_equal(found, primal)
        assert np.shape(dot) == np.shape(primal) and np.asarray(dot).dtype == np.asarray(primal).dtype
        if program.aval(atom).dtype.kind in "fc":
            np.testing.assert_allclose(dot, want, rtol=tolerance, atol=tolerance)
    return result


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_tangents_are_finite_differences(name, seed):
    program, args = double(name, seed)
    check_forward(program, args, inexact(program), tolerance=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_second_order(name):
    program, args = double(name)
    wrt = inexact(program)
    first = forward(program, wrt)
    check_forward(first, [*args, *direction(args, wrt, 7)], wrt, tolerance=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_alone(name):
    program, args = double(name)
    for k in inexact(program):
        check_forward(program, args, (k,), tolerance=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_forward_and_batch_commute(name):
    """The tangents of a batch are the batch of the tangents."""
    fn, draw = CORPUS[name]
    rng = np.random.default_rng(3)
    lanes = [draw(rng) for _ in range(4)]
    program = core_of(fn, *lanes[0])
    wrt, count = inexact(program), len(program.params)
    dots = [direction(lane, wrt, k) for k, lane in enumerate(lanes)]
    args = [np.stack([np.asarray(lane[p], program.avals[q].dtype) for lane in lanes]) for p, q in enumerate(program.params)]
    args += [np.stack([np.asarray(d[k], args[w].dtype) for d in dots]) for k, w in enumerate(wrt)]
    tangent_first = batch(forward(program, wrt), (0,) * len(args), (0,) * (2 * len(program.outputs)), 4)
    batch_first = forward(batch(program, (0,) * count, (0,) * len(program.outputs), 4), wrt)
    a, b = (tuple_of(load(check(p))(*args)) for p in (tangent_first, batch_first))
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5 if x.dtype == np.float32 else 1e-12, atol=1e-12)
        assert x.dtype == y.dtype


def test_an_integer_parameter_has_no_tangent():
    with pytest.raises(TypeMismatch, match="has no tangent"):
        forward(core_of(lambda n: n * 2.0, 3), (0,))


def test_an_op_without_a_forward_rule_is_named():
    program = core_of(lambda x: np.sum(x), np.ones(3))
    program.body[0].op = Op("lonely", np.sum, program.body[0].op.infer, None, vjp=lambda g, x, out: None)
    with pytest.raises(MissingRule, match="op lonely has no forward-mode derivative"):
        forward(program, (0,))


def test_an_output_that_is_not_active_has_a_zero_tangent():
    result = forward(core_of(lambda x, y: (x * 2, y, 1.0, np.array([1, 2])), 1.0, np.ones(3)), (0,))
    outputs = load(check(result))(2.0, np.ones(3), 1.0)
    assert [np.sum(np.abs(dot)) for dot in outputs[4:]] == [2.0, 0.0, 0.0, 0.0]
    assert outputs[7].dtype == int
