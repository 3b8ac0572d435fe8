"""scipy.spatial.distance.squareform: the matrix of the distances of all pairs, and its upper triangle as a vector."""

import numpy as np
import scipy.spatial.distance

from ....errors import TransformError
from ...op import FUNCTIONS


def side(count):
    """The number of points that have that many pairs."""
    n = int(np.ceil(np.sqrt(2 * count)))
    if n * (n - 1) != 2 * count:
        raise TransformError(f"squareform: {count} is no number of pairs", "Give one distance for each pair of points.")
    return max(n, 1)


def squareform(X, force="no", checks=True):
    """scipy.spatial.distance.squareform."""
    X = np.asarray(X)
    wanted = force.lower()
    if wanted not in ("no", "tomatrix", "tovector") or X.ndim not in (1, 2) or (wanted == "tomatrix") > (X.ndim == 1) or (wanted == "tovector") > (X.ndim == 2):
        raise TransformError(f"squareform(force={force!r}) of an array of {X.ndim} axes", "Give a vector for a matrix, a matrix for a vector.")
    if X.ndim == 1:
        n = side(X.shape[0])
        first, second = np.triu_indices(n, 1)
        found = np.zeros((n, n), X.dtype)
        found[first, second] = X
        found[second, first] = X
        return found
    if X.shape[0] != X.shape[1]:
        raise TransformError(f"squareform of a matrix of shape {X.shape}", "Give a square one.")
    if checks and (np.any(X != X.T) or np.any(np.diagonal(X) != 0)):
        raise ValueError("Distance matrix must be symmetric with zeros on its diagonal.")
    first, second = np.triu_indices(X.shape[0], 1)
    return X[first, second]


squareform.entered = True
FUNCTIONS[scipy.spatial.distance.squareform] = squareform
