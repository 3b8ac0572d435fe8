"""scipy.special: Hurwitz' and Riemann's zeta function; sine, cosine and Fresnel integrals."""

import numpy as np
import scipy.special as sp
from scipy.special import _ufuncs

from ...core import Aval
from ...errors import TransformError
from ..elementwise import elementwise
from ..op import TABLE, Op, array, aval_of, function, register
from .special import at_orders, at_result_type, unknown
from .uncompiled import not_compiled


# zeta ----------------------------------------------------------------------------------------------------
def zeta_text(*avals):
    return "scipy.special.zeta({0}, {1})"


@elementwise(_ufuncs._zeta, at_result_type("chlo.zeta"), samples=at_orders((0.5, 3.0), (2.5,), (3.5,)), name="special_zeta", notation=zeta_text, singular=True)
class zeta:
    d_x = unknown(sp.zeta, "exponent x")

    def d_y(g, x, q, out):
        return -g * x * sp.zeta(x + 1, q)


def riemann_text(*avals):
    return "scipy.special.zeta({0})"


@elementwise(_ufuncs._riemann_zeta, not_compiled(sp.zeta), name="special_riemann_zeta", notation=riemann_text)
class riemann_zeta:
    d_x = unknown(sp.zeta, "exponent x")


@function(sp.zeta)
def zeta_call(x, q=None, out=None):
    """scipy.special.zeta."""
    found = TABLE["special_riemann_zeta"].bind(array(x)) if q is None else TABLE["special_zeta"].bind(array(x), array(q))
    if out is None:
        return found
    out[...] = found
    return out


# integrals ------------------------------------------------------------------------------------------------
def sine_integrals(g, x, out, part):
    return g * (np.sinc(x / np.pi) if part == 0 else np.cos(x) / x)


def fresnel_integrals(g, x, out, part):
    angle = (np.pi / 2) * x ** 2
    return g * (np.sin(angle) if part == 0 else np.cos(angle))


def pair(ufunc, rule, low, high):
    """Declare a function of a real number with two results; rule: the contribution of one of them."""
    name = ufunc.__name__

    def impl(x, part):
        return ufunc(x)[part]

    def infer(x, part):
        return Aval(x.shape, np.dtype(np.float32 if x.dtype in (np.float32, np.float16) and not x.weak else np.float64))

    def notation(x, part):
        return f"scipy.special.{name}({{0}})[{part}]"

    def samples(rng):
        return [((rng.uniform(low, high, (2, 3)),), {"part": part}) for part in (0, 1)]
    register(Op(f"special_{name}", impl, infer, not_compiled(ufunc), partials=(rule,), notation=notation, samples=samples, singular=True))

    @function(ufunc)
    def both(x):
        x = array(x)
        if aval_of(x).dtype.kind == "c":
            raise TransformError(f"scipy.special.{name} of complex numbers is not known to transformer", "Pass real ones.")
        return tuple(TABLE[f"special_{name}"].bind(x, part=part) for part in (0, 1))
    return both


pair(sp.sici, sine_integrals, 0.5, 2.0)
pair(sp.fresnel, fresnel_integrals, -1.5, 1.5)

__all__ = ["zeta_call"]
