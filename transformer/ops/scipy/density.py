"""scipy.stats.gaussian_kde: densities from samples, with derivatives by points, samples and weights."""

import math

import numpy as np
import scipy.linalg
import scipy.special as sp
import scipy.stats as stats

from ...errors import ShapeError, TransformError, UnknownFunction
from ..op import FUNCTIONS, array, function, is_reference
from .options import floating


class Kde:
    """A Gaussian kernel at each sample."""

    def __init__(self, dataset, bw_method=None, weights=None):
        self.dataset = np.atleast_2d(floating(array(dataset)))
        self.d, self.n = np.shape(self.dataset)
        if self.d * self.n < 2:
            raise ShapeError("gaussian_kde of one number", "Give several samples.")
        weights = np.full(self.n, 1.0) if weights is None else floating(array(weights))
        if np.shape(weights) != (self.n,):
            raise ShapeError(f"gaussian_kde: weights of shape {np.shape(weights)} for {self.n} samples", "Give a weight for each.")
        self.weights = weights / np.sum(weights)
        squares = np.sum(self.weights ** 2)
        self.neff = 1.0 / squares
        deviation = self.dataset - np.expand_dims(self.dataset @ self.weights, -1)
        self.spread = (self.weights * deviation) @ deviation.T / (1.0 - squares)
        self.set_bandwidth(bw_method)

    def set_bandwidth(self, bw_method=None):
        """Choose the width of the kernels: "scott", "silverman", a number, or a function of this object."""
        if bw_method is None or isinstance(bw_method, str):
            rules = {None: self.scotts_factor, "scott": self.scotts_factor, "silverman": self.silverman_factor}
            if bw_method not in rules:
                raise TransformError(f"gaussian_kde(bw_method={bw_method!r}) is not known", "Choose 'scott', 'silverman' or a number.")
            self.covariance_factor = rules[bw_method]
            self.factor = self.covariance_factor()
        else:
            is_number = is_reference(bw_method) or not callable(bw_method)
            self.factor = bw_method if is_number else bw_method(self)
        self.covariance = self.spread * self.factor ** 2

    def scotts_factor(self):
        """The width by Scott's rule."""
        return self.neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self):
        """The width by Silverman's rule."""
        return (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    @property
    def inv_cov(self):
        return np.linalg.inv(self.covariance)

    def points(self, x):
        x = np.atleast_2d(floating(array(x)))
        if np.shape(x)[0] != self.d:
            if np.shape(x) != (1, self.d):
                raise ShapeError(f"points of {np.shape(x)[0]} coordinates for a density in {self.d} dimensions", "Give one row for each dimension.")
            x = x.T
        return x

    def log_terms(self, points, covariance, centres):
        """The logarithms of normal densities at points: a row for each, a column for each centre."""
        if self.d == 1:
            scale = np.sqrt(covariance[0, 0])
            gaps, log_size = ((points[:, :, None] - centres[:, None, :]) / scale), np.log(scale)
        else:
            factor = np.linalg.cholesky(covariance)
            solve = FUNCTIONS[scipy.linalg.solve_triangular]
            points, centres = solve(factor, points, lower=True), solve(factor, centres, lower=True)
            gaps, log_size = points[:, :, None] - centres[:, None, :], np.sum(np.log(np.diagonal(factor)))
        return -0.5 * np.sum(gaps ** 2, axis=0) - (0.5 * self.d * math.log(2 * math.pi) + log_size)

    def evaluate(self, points):
        """The density at points."""
        return np.exp(self.log_terms(self.points(points), self.covariance, self.dataset)) @ self.weights

    __call__ = pdf = evaluate

    def logpdf(self, x):
        """The logarithm of the density at points."""
        return FUNCTIONS[sp.logsumexp](self.log_terms(self.points(x), self.covariance, self.dataset), axis=1, b=self.weights)

    def integrate_gaussian(self, mean, cov):
        """The integral of the density times a normal density."""
        mean, cov = np.atleast_1d(floating(array(mean))), np.atleast_2d(floating(array(cov)))
        if np.shape(mean) != (self.d,) or np.shape(cov) != (self.d, self.d):
            raise ShapeError(f"a normal density of shapes {np.shape(mean)} and {np.shape(cov)} in {self.d} dimensions", "Give a mean and a covariance.")
        return (np.exp(self.log_terms(mean[:, None], self.covariance + cov, self.dataset)) @ self.weights)[0]

    def integrate_box_1d(self, low, high):
        """The integral of the density over an interval."""
        if self.d != 1:
            raise ShapeError(f"integrate_box_1d in {self.d} dimensions", "Use it for densities of numbers.")
        scale, centres = np.sqrt(self.covariance[0, 0]), self.dataset[0]
        return np.sum(self.weights * (sp.ndtr((high - centres) / scale) - sp.ndtr((low - centres) / scale)))

    def integrate_kde(self, other):
        """The integral of the product with another density."""
        other = other if isinstance(other, Kde) else known_kde(other)
        if other.d != self.d:
            raise ShapeError(f"densities in {self.d} and {other.d} dimensions", "Give two of one space.")
        terms = np.exp(self.log_terms(self.dataset, self.covariance + other.covariance, other.dataset))
        return self.weights @ terms @ other.weights

    def __getattr__(self, name):
        if name not in vars(stats.gaussian_kde):
            raise AttributeError(f"gaussian_kde has no attribute {name}")
        raise UnknownFunction(f"gaussian_kde.{name} is not known to transformer", "It has: evaluate, pdf, logpdf, integrate_gaussian, "
                              "integrate_box_1d, integrate_kde, set_bandwidth, covariance, factor, neff, dataset, weights.")


function(stats.gaussian_kde)(Kde)


def known_kde(kde):
    """The density that scipy made."""
    return Kde(kde.dataset, kde.factor, kde.weights)


FUNCTIONS.instances[stats.gaussian_kde] = known_kde

__all__ = ["Kde"]
