"""scipy.special: zeta functions, sine and Fresnel integrals."""

import numpy as np
import pytest
import scipy.special as sp

import transformer
from tests.scipy.checks import check, check_batch, check_derivatives, check_value

X = np.array([0.5, 1.2, 2.5])


def test_zeta_functions():
    check(lambda q: sp.zeta(2.5, q), X)
    check(lambda q: sp.zeta(np.array([2.0, 3.0, 4.0]), q), X)
    check_value(lambda x: sp.zeta(x + 1.0), X)
    for fn in (lambda x: sp.zeta(x + 1.0, 2.0), lambda x: sp.zeta(x + 1.0)):
        with pytest.raises(transformer.TransformError, match="exponent"):
            transformer.grad(lambda x, fn=fn: np.sum(fn(x)))(X)


@pytest.mark.parametrize("fn", [sp.sici, sp.fresnel])
def test_integrals(fn):
    check_value(lambda x: tuple(fn(x)), X)
    check_batch(lambda x: np.stack(fn(x)), X)
    check_derivatives(lambda x: fn(x)[0] + 2 * fn(x)[1], X, jit=False)
    with pytest.raises(transformer.TransformError, match="compiled"):
        transformer.jit(lambda x: fn(x)[0])(X)
