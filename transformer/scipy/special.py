"""scipy.special with JAX's types: error, gamma, beta, logistic and Bessel functions."""

import math as _math

import numpy as _np
import scipy.special as _scipy

from ..eager import new_array as _new_array
from ..nn.activations import by_jnp_rules as _by_jnp_rules
from ..nn.normalisation import logsumexp as logsumexp
from ..numpy.adapter import adapted as _adapted
from ..ops.op import FUNCTIONS as _FUNCTIONS

_FUNCTIONS.load()
_NAMES = sorted(_name for _name in dir(_scipy) if _name[0] != "_" and _name != "logsumexp" and callable(getattr(_scipy, _name))
                and not isinstance(getattr(_scipy, _name), type) and getattr(_scipy, _name) in _FUNCTIONS)
globals().update({_name: _adapted(getattr(_scipy, _name), _name, __name__) for _name in _NAMES})


@_by_jnp_rules
def multigammaln(a, d):
    """Logarithm of the multivariate gamma function of dimension d."""
    d = int(d)
    total = d * (d - 1) / 4 * _math.log(_math.pi)
    return total + _np.sum(_scipy.gammaln(_np.expand_dims(a, -1) - _np.arange(d) / 2.0), axis=-1)


@_by_jnp_rules
def factorial(n, exact=False):
    """n!; 0 for negative n."""
    return _np.where(_np.less(n, 0), 0.0, _np.exp(_scipy.gammaln(n + 1.0)))


@_by_jnp_rules
def gammasgn(x):
    """The sign of the gamma function."""
    odd = _np.floor(x) % 2 != 0
    return _np.where(_np.less(x, 0) & odd, -1.0, 1.0)


@_by_jnp_rules
def boxcox(x, lmbda):
    """(x ** lmbda - 1) / lmbda, and log(x) at lmbda = 0."""
    return boxcox1p.plain(x - 1.0, lmbda)


@_by_jnp_rules
def boxcox1p(x, lmbda):
    """boxcox(1 + x, lmbda), exact for small x."""
    none = _np.equal(lmbda, 0)
    safe = _np.where(none, 1.0, lmbda)
    log = _np.log1p(x)
    return _np.where(none, log, _np.expm1(safe * log) / safe)


def bernoulli(n):
    """The Bernoulli numbers B(0) to B(n)."""
    return _new_array(_scipy.bernoulli(int(n)))


_OWN = ["bernoulli", "boxcox", "boxcox1p", "factorial", "gammasgn", "logsumexp", "multigammaln"]
__all__ = sorted({*_NAMES, *_OWN})
