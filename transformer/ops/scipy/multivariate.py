"""scipy.stats: the multivariate normal and the Dirichlet distribution."""

import math

import numpy as np
import scipy.linalg
import scipy.special as sp
import scipy.stats as stats

from ...errors import ShapeError
from ..op import FUNCTIONS, function
from .distributions import double, freezing

LOG_TAU = math.log(2 * math.pi)


# normal -----------------------------------------------------------------------------------------------
def shape_up(mean, cov):
    """(mean, covariance matrix, dimension) from what scipy takes: a number or vector of variances stands for a diagonal matrix."""
    cov = double(cov)
    if mean is not None:
        mean = np.atleast_1d(double(mean))
    dim = mean.shape[0] if mean is not None else np.shape(cov)[-1] if np.ndim(cov) else 1
    if np.ndim(cov) == 0:
        cov = cov * np.eye(dim)
    elif np.ndim(cov) == 1:
        cov = np.diag(cov)
    if np.shape(cov) != (dim, dim):
        raise ShapeError(f"a covariance of shape {np.shape(cov)} for {dim} dimension(s)", "Give a matrix of the size of the mean.")
    return mean, cov, dim


def points(x, mean, dim):
    """The deviations, one a row, and whether x was a single point."""
    x = double(x)
    if np.ndim(x) < 2:
        x = np.reshape(x, (-1, 1) if dim == 1 and np.ndim(x) else (1, -1))
    if x.shape[-1] != dim:
        raise ShapeError(f"points of {x.shape[-1]} coordinates for {dim} dimension(s)", "Give one coordinate per dimension, last.")
    return x if mean is None else x - mean


def squeezed(values):
    """As scipy gives results: without axes of size 1."""
    return np.squeeze(values)


def normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    """scipy.stats.multivariate_normal.logpdf."""
    mean, cov, dim = shape_up(mean, cov)
    x = points(x, mean, dim)
    if allow_singular:
        return squeezed(singular_logpdf(x, cov))
    factor = np.linalg.cholesky(cov)
    scaled = FUNCTIONS[scipy.linalg.solve_triangular](factor, np.reshape(x, (-1, dim)).T, lower=True)
    distance = np.reshape(np.sum(scaled ** 2, axis=0), x.shape[:-1])
    return squeezed(-0.5 * (dim * LOG_TAU + distance) - np.sum(np.log(np.diagonal(factor))))


def tolerance(values):
    """Eigenvalues up to this count as 0."""
    return 1e6 * np.finfo(np.float64).eps * np.max(np.abs(values))


def spectrum(cov):
    """(which eigenvalues are not 0, the logarithm of the product of these)."""
    values = np.linalg.eigvalsh(cov)
    kept = values > tolerance(values)
    return kept, np.sum(np.log(np.where(kept, values, 1)))


def singular_logpdf(x, cov):
    """The density on the subspace that a singular covariance spans; -inf outside of it."""
    kept, log_det = spectrum(cov)
    inverse = np.linalg.pinv(cov, rcond=1e6 * np.finfo(np.float64).eps, hermitian=True)
    distance = np.sum((x @ inverse) * x, axis=-1)
    outside = np.sqrt(np.sum((x - (x @ inverse) @ cov) ** 2, axis=-1)) >= 1e3 * tolerance(np.linalg.eigvalsh(cov))
    return np.where(outside, -np.inf, -0.5 * (np.sum(kept) * LOG_TAU + log_det + distance))


def normal_pdf(x, mean=None, cov=1, allow_singular=False):
    """scipy.stats.multivariate_normal.pdf."""
    return np.exp(normal_logpdf(x, mean, cov, allow_singular))


def normal_entropy(mean=None, cov=1):
    """scipy.stats.multivariate_normal.entropy."""
    _, cov, _ = shape_up(mean, cov)
    kept, log_det = spectrum(cov)
    return 0.5 * (np.sum(kept) * (LOG_TAU + 1) + log_det)


# Dirichlet ----------------------------------------------------------------------------------------------
def dirichlet_logpdf(x, alpha):
    """scipy.stats.dirichlet.logpdf; points may lack their last coordinate. They are taken to add up to 1."""
    x, alpha = double(x), double(alpha)
    if np.shape(x)[0] + 1 == np.shape(alpha)[0]:
        x = np.concatenate([x, np.expand_dims(1 - np.sum(x, axis=0), 0)])
    if np.shape(x)[0] != np.shape(alpha)[0]:
        raise ShapeError(f"points of {np.shape(x)[0]} coordinates for {np.shape(alpha)[0]} parameters", "Give as many, or one fewer.")
    norm = np.sum(sp.gammaln(alpha)) - sp.gammaln(np.sum(alpha))
    return np.squeeze(-norm + np.sum(sp.xlogy(alpha - 1, x.T).T, axis=0))


def dirichlet_pdf(x, alpha):
    """scipy.stats.dirichlet.pdf."""
    return np.exp(dirichlet_logpdf(x, alpha))


METHODS = {
    stats.multivariate_normal: {"logpdf": normal_logpdf, "pdf": normal_pdf, "entropy": normal_entropy},
    stats.dirichlet: {"logpdf": dirichlet_logpdf, "pdf": dirichlet_pdf},
}

for _dist, _methods in METHODS.items():
    for _name, _method in _methods.items():
        function(getattr(_dist, _name))(_method)
    freezing(_dist, _methods)
