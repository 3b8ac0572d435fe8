"""Run the lowering of one op on given operands, for the tests of op families."""

import numpy as np

from backend import client
from backend.hlo import Hlo
from transformer.core import Aval


def run_lowering(op, args, params):
    """The op's value through StableHLO and XLA."""
    args = [np.asarray(a) for a in args]
    hlo = Hlo(op.name)
    out = op.infer(*(Aval(a.shape, a.dtype) for a in args), **params)
    value = op.lower(hlo, out, *(hlo.parameter(a.shape, a.dtype) for a in args), **params)
    assert (value.shape, value.dtype) == (out.shape, out.dtype)
    loaded = client.compile_text(hlo.finish([value]))
    results = loaded.execute_sharded([client.put(np.ascontiguousarray(a).reshape(a.shape)) for a in args])
    return client.to_numpy(results.disassemble_into_single_device_arrays()[0][0])
