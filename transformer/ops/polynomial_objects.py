"""Calls of objects of np.poly1d and np.polynomial, entered as user code is: what the objects hold is read at each call."""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

VALUES = {polynomial.Polynomial: polynomial.polyval, chebyshev.Chebyshev: chebyshev.chebval, legendre.Legendre: legendre.legval,
          hermite.Hermite: hermite.hermval, hermite_e.HermiteE: hermite_e.hermeval, laguerre.Laguerre: laguerre.lagval}
"""Class of a series -> the function of its values."""


def of_poly1d(p, x):
    """p(x) of an object of np.poly1d."""
    return np.polyval(p.coeffs, x)


def of_series(p, x):
    """p(x) of a series: its domain is mapped to its window."""
    (low, high), (first, last) = p.domain, p.window
    offset = (high * first - low * last) / (high - low)
    scale = (last - first) / (high - low)
    return VALUES[type(p)](offset + scale * x, p.coef)


CALLS = {np.poly1d: of_poly1d, **dict.fromkeys(VALUES, of_series)}
"""Class -> function(object, x)."""

__all__ = ["CALLS"]
