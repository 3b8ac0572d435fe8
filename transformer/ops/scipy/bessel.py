"""scipy.special: Bessel functions of the first and second kind, and the modified ones. The order is not differentiated."""

import numpy as np
import scipy.special as sp

from ..samples import POSITIVE
from .special import at_orders, of_order, special
from .uncompiled import not_compiled

ORDERS = {sp.yn: ((2,),), sp.kn: ((2,),)}
"""Sample orders of the functions that take whole ones only."""


def bessel(ufunc):
    return special(ufunc, not_compiled(ufunc), POSITIVE, singular=True)


# of a real order ------------------------------------------------------------------------
def _jv(v, x, out):
    return 0.5 * (sp.jv(v - 1, x) - sp.jv(v + 1, x))


def _yv(v, x, out):
    return 0.5 * (sp.yv(v - 1, x) - sp.yv(v + 1, x))


def _yn(n, x, out):
    return 0.5 * (sp.yn(n - 1, x) - sp.yn(n + 1, x))


def _iv(v, x, out):
    return 0.5 * (sp.iv(v - 1, x) + sp.iv(v + 1, x))


def _ive(v, x, out):
    return 0.5 * (sp.ive(v - 1, x) + sp.ive(v + 1, x)) - np.sign(x) * out


def _kv(v, x, out):
    return -0.5 * (sp.kv(v - 1, x) + sp.kv(v + 1, x))


def _kve(v, x, out):
    return out - 0.5 * (sp.kve(v - 1, x) + sp.kve(v + 1, x))


def _kn(n, x, out):
    return -0.5 * (sp.kv(n - 1, x) + sp.kv(n + 1, x))


for _ufunc, _rule in {sp.jv: _jv, sp.yv: _yv, sp.iv: _iv, sp.ive: _ive, sp.kv: _kv, sp.kve: _kve, sp.yn: _yn, sp.kn: _kn}.items():
    of_order(_ufunc, "order", _rule, at_orders((0.5, 4.0), *ORDERS.get(_ufunc, ((0.5,), (1.7,)))), singular=True)


# of order 0 and 1 -------------------------------------------------------------------------
@bessel(sp.j0)
def j0(g, x, out):
    return -g * sp.j1(x)


@bessel(sp.j1)
def j1(g, x, out):
    return 0.5 * g * (sp.j0(x) - sp.jv(2, x))


@bessel(sp.y0)
def y0(g, x, out):
    return -g * sp.y1(x)


@bessel(sp.y1)
def y1(g, x, out):
    return 0.5 * g * (sp.y0(x) - sp.yv(2, x))


@bessel(sp.k0)
def k0(g, x, out):
    return -g * sp.k1(x)


@bessel(sp.k1)
def k1(g, x, out):
    return -g * (sp.k0(x) + out / x)


@bessel(sp.k0e)
def k0e(g, x, out):
    return g * (out - sp.k1e(x))


@bessel(sp.k1e)
def k1e(g, x, out):
    return g * (out - sp.k0e(x) - out / x)
