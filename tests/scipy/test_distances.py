"""scipy.spatial.distance: distances of vectors and of all pairs of rows."""

import numpy as np
import pytest
import scipy.spatial.distance as sd

import transformer
from tests.scipy.checks import check, check_value

RNG = np.random.default_rng(0)
A, B, W = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3)), RNG.uniform(0.5, 2, 3)
VI = np.linalg.inv(np.cov(RNG.normal(size=(9, 3)).T))
METRICS = [("euclidean", {}), ("sqeuclidean", {}), ("cityblock", {}), ("chebyshev", {}), ("cosine", {}), ("correlation", {}), ("minkowski", {"p": 3}),
           ("minkowski", {"p": 1.5}), ("minkowski", {"p": 1}), ("minkowski", {"p": np.inf}), ("mahalanobis", {"VI": VI}), ("canberra", {}),
           ("braycurtis", {}), ("seuclidean", {"V": W})]


@pytest.mark.parametrize("name, options", METRICS, ids=lambda v: v if isinstance(v, str) else "")
def test_metrics(name, options):
    fn, extra = getattr(sd, name), list(options.values())
    check(lambda u, v: fn(u, v, *extra), A[0], B[0])
    check(lambda u, v: sd.cdist(u, v, name, **options), A, B, order2=False)
    check_value(lambda u: sd.pdist(u, fn, **options), A)
    if name not in ("mahalanobis", "seuclidean"):
        check_value(lambda u, v, w: fn(u, v, *extra, w=w), A[0], B[0], W)
        check_value(lambda u, v: sd.cdist(u, v, name, w=W, **options), A, B)


@pytest.mark.parametrize("name", ["mahalanobis", "seuclidean"])
def test_scales_from_the_data(name):
    check(lambda u, v: sd.cdist(u, v, name), A, B, order2=False, rtol=1e-7)
    check(lambda u: sd.pdist(u, name), A, order2=False, rtol=1e-7)


@pytest.mark.parametrize("fn", [lambda x: np.sum(sd.cdist(x, A)), lambda x: np.sum(sd.pdist(np.concatenate([x, x]))), lambda x: sd.euclidean(x[0], A[0]),
                                lambda x: sd.minkowski(x[0], A[0], 1.5), lambda x: sd.mahalanobis(x[0], A[0], VI)])
def test_gradients_at_coinciding_points_are_finite(fn):
    assert np.isfinite(transformer.grad(fn)(A.copy())).all()
    assert np.isfinite(transformer.jit(transformer.grad(fn))(A.copy())).all()


def test_forms_of_pairs():
    pairs = RNG.normal(size=6)
    check(sd.squareform, pairs)
    check_value(sd.squareform, sd.squareform(pairs), jit=True)
    with pytest.raises(ValueError, match="symmetric"):
        transformer.grad(lambda x: np.sum(sd.squareform(x)))(A[:3])
    assert np.all(transformer.grad(lambda x: np.sum(sd.squareform(x, checks=False)))(A[:3]) == np.triu(np.ones((3, 3)), 1))


@pytest.mark.parametrize("call, words", [
    (lambda x: sd.cdist(x, x, "hamming"), "hamming"), (lambda x: sd.cdist(x, x, lambda u, v: 1.0), "of a function"),
    (lambda x: sd.cdist(x, x, p=3), "p="), (lambda x: sd.cdist(x, x[:, :2]), "coordinates"), (lambda x: sd.euclidean(x, x), "vectors"),
    (lambda x: sd.pdist(x[0]), "matrix"), (lambda x: sd.minkowski(x[0], x[1], -1), "order"), (lambda x: sd.squareform(x[0, :2]), "pairs"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda x: np.sum(call(x)))(A)
