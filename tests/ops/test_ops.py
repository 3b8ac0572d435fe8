"""Every op of the table: value, lowering, jvp, vjp, second order, batch, dtypes. Points come from the op's own samples."""

import numpy as np
import pytest

from tests import helpers
from transformer.ops.op import TABLE
from transformer.ops.scipy import bessel, gamma_functions, integral_functions, matrix_equations, matrix_functions, polynomials, signal, special  # noqa: F401  (declare their ops)

SAMPLED = sorted(name for name, op in TABLE.items() if op.samples is not None)
COMPILED = [n for n in SAMPLED if not hasattr(TABLE[n].lower, "missing")]
DIFFERENTIABLE = [n for n in SAMPLED if TABLE[n].differentiable]


def samples(name):
    """(program, arguments) of every sample of an op."""
    op = TABLE[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    drawn = op.samples(rng) if callable(op.samples) else op.samples
    return [(*helpers.op_program(op, args, params), args, params) for args, params in drawn]


def smooth(name):
    """Samples with a float operand and a result that finite differences can resolve."""
    return [(program, args) for program, args, _, _ in samples(name)
            if helpers.float_positions(program) and program.aval(program.outputs[0]).dtype in (np.float64, np.complex128)]


@pytest.mark.parametrize("name", SAMPLED)
def test_value(name):
    for program, args, operands, params in samples(name):
        found, = helpers.run(program, args)
        with np.errstate(all="ignore"):
            wanted = TABLE[name].impl(*operands, **params)
        np.testing.assert_array_equal(found, wanted)
        aval = program.aval(program.outputs[0])
        assert all(d in (None, n) for d, n in zip(aval.shape, np.shape(found), strict=True))
        assert np.asarray(found).dtype == aval.dtype


@pytest.mark.parametrize("name", COMPILED)
def test_lowering(name):
    for program, args, _, _ in samples(name):
        if None not in program.aval(program.outputs[0]).shape:
            helpers.check_lowering(program, args)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_jvp(name):
    for program, args in smooth(name):
        helpers.check_jvp(program, args, np.random.default_rng(0))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_vjp(name):
    for program, args in smooth(name):
        helpers.check_vjp(program, args, np.random.default_rng(1))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_order_2(name):
    for program, args in smooth(name):
        helpers.check_order_2(program, args, np.random.default_rng(2))


@pytest.mark.parametrize("name", SAMPLED)
def test_batch(name):
    for program, args, _, _ in samples(name):
        if None in program.aval(program.outputs[0]).shape:
            continue
        if args:
            helpers.check_batch(program, args)
        for position in range(len(args)) if len(args) > 1 else ():
            helpers.check_batch(program, args, [0 if k == position else None for k in range(len(args))])


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("name", SAMPLED)
def test_single_precision(name):
    """float32 stays what NumPy makes of it, on NumPy and compiled."""
    for program, args, operands, params in samples(name):
        if not helpers.float_positions(program) or any(np.asarray(a).dtype.kind == "c" for a in args):
            continue
        if None in program.aval(program.outputs[0]).shape:
            continue
        narrow = [np.asarray(a).astype(np.float32) if isinstance(a, np.ndarray | np.generic) and np.asarray(a).dtype == float else a
                  for a in operands]
        program, args = helpers.op_program(TABLE[name], narrow, params)
        found, = helpers.run(program, args)
        assert np.asarray(found).dtype == program.aval(program.outputs[0]).dtype
        if name in COMPILED:
            helpers.check_lowering(program, args, rtol=1e-4, atol=1e-5)
