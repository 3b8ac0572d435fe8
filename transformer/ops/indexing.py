"""Reading elements: the op getitem. Its parameter `index` is a canonical template (see `index_templates`)."""

import numpy as np

from ..core import Aval, Hole
from . import index_lowering
from . import index_templates as templates
from .op import TABLE, op


@op()
class getitem:
    """`a[index]`; the operands after the array fill the holes of the template."""

    samples = [((np.arange(12.0).reshape(3, 4), *args), {"index": index}) for index, args in [
        ((1, slice(None)), ()), ((slice(None), slice(3, None, -2)), ()), ((slice(0, 2, 1), None, 3), ()), ((Hole(0), slice(None)), (np.int64(-1),)),
        ((slice(None), Hole(0)), (np.array([0, 2, 2]),)), ((Hole(0), Hole(1)), (np.array([[0], [2]]), np.array([1, 1]))),
        ((slice(None), templates.Window(0, 2)), (np.int64(1),))]]

    def impl(a, *operands, index):
        return np.asarray(a)[templates.fill(index, operands)]

    def infer(a, *operands, index):
        return Aval(templates.result_shape(index, a.shape, operands), a.dtype)

    def lower(hlo, out, a, *operands, index):
        return index_lowering.read(hlo, out, a, operands, index)

    def vjp(g, a, *rest, index):
        *operands, out = rest
        a_bar = np.zeros_like(a)
        np.add.at(a_bar, templates.fill(index, operands), g)
        return (a_bar, *(None for _ in operands))

    def jvp(dots, a, *operands, out, index):
        return TABLE["getitem"].bind(dots[0], *operands, index=index)

    gather = True

    def as_index(aval, *operands, index):
        return index, operands, tuple(range(len(templates.result_shape(index, aval.shape, operands))))
