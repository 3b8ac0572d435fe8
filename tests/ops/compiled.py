"""Run the lowering of one op on given operands, for the tests of op families."""

import numpy as np

from backend.compile import compile
from backend.hlo import Hlo
from transformer.core import Aval


def run_lowering(op, args, params):
    """The op's value through StableHLO and XLA."""
    args = [np.asarray(a) for a in args]
    hlo = Hlo(op.name)
    out = op.infer(*(Aval(a.shape, a.dtype) for a in args), **params)
    value = op.lower(hlo, out, *(hlo.parameter(a.shape, a.dtype) for a in args), **params)
    assert (value.shape, value.dtype) == (out.shape, out.dtype)
    return np.asarray(compile(hlo.finish([value])).call(args)[0])


def samples_of(op):
    """The op's samples as a list."""
    return op.samples(np.random.default_rng(0)) if callable(op.samples) else op.samples
