"""Reading elements: the op getitem. Its parameter `index` is a canonical template (see `index_templates`)."""

import numpy as np

from ..core import Aval
from . import index_lowering
from . import index_templates as templates
from .op import TABLE, op


@op()
class getitem:
    """`a[index]`; the operands after the array fill the holes of the template."""

    def impl(a, *operands, index):
        return np.asarray(a)[templates.fill(index, operands)]

    def infer(a, *operands, index):
        return Aval(templates.result_shape(index, a.shape, operands), a.dtype)

    def lower(hlo, out, a, *operands, index):
        return index_lowering.read(hlo, out, a, operands, index)

    def vjp(g, a, *operands, out, index):
        a_bar = np.zeros_like(a)
        np.add.at(a_bar, templates.fill(index, operands), g)
        return (a_bar, *(None for _ in operands))

    def jvp(dots, a, *operands, out, index):
        return TABLE["getitem"].bind(dots[0], *operands, index=index)

    gather = True

    def as_index(aval, *operands, index):
        return index, operands, tuple(range(len(templates.result_shape(index, aval.shape, operands))))
