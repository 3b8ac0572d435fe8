"""One op on its samples: operands, types and lowering, for the tests of op families."""

import numpy as np

from backend.compile import compile
from backend.hlo import Hlo
from transformer.core import Aval
from transformer.ops.op import TABLE


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


def sample(name, index):
    """(op, operands, params, value) of one of an op's samples."""
    op = TABLE[name]
    args, params = samples_of(op)[index]
    return op, [np.asarray(a) for a in args], params, np.asarray(op.impl(*args, **params))


def check_infer(op, args, params):
    """`infer` gives the shape and dtype of NumPy's result."""
    want = np.asarray(op.impl(*args, **params))
    assert op.infer(*(Aval(a.shape, a.dtype) for a in args), **params) == Aval(want.shape, want.dtype)
