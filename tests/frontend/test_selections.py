"""np.nonzero and its like under jit and in batches: arrays of unknown length, as masked ones."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.0, 1.2])


@pytest.mark.parametrize("fn", [
    lambda x: np.sum(x[np.where(x > 0.5)[0]] ** 2),
    lambda x: np.sum(x[np.nonzero(x)] ** 2),
    lambda x: np.sum(np.sin(x[np.flatnonzero(x > 0.5)])),
    lambda x: np.mean(np.extract(x > 0.2, x)) * np.max(x),
    lambda x: np.sum(np.compress(x > 0.2, x) ** 2) + np.sum(np.compress(x[:3] > 0.5, x)),
    lambda x: np.sum(np.extract(x > 0.2, np.arange(4.0))) * x[0] + np.sum(np.compress(x > 0.5, np.arange(4.0))) * x[1],
    lambda x: np.sum(np.outer(x, x)[np.where(np.outer(x, x) > 0.5)] ** 2) + np.sum(np.nonzero(np.outer(x, x) > 0.5)[0] * 0.5),
], ids=["where", "nonzero", "flatnonzero", "extract", "compress", "static", "matrix"])
def test_selections(fn):
    gradient = T.grad(fn)(X)
    np.testing.assert_allclose(gradient[[0, 1, 3]], [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4)[[0, 1, 3]] * 1e-6], rtol=1e-6)
    np.testing.assert_allclose(T.jit(fn)(X), fn(X))
    np.testing.assert_allclose(T.jit(T.grad(fn))(X), gradient)
    np.testing.assert_allclose(T.vmap(fn)(np.stack([X, 2 * X])), [fn(X), fn(2 * X)])
    np.testing.assert_allclose(T.vmap(T.grad(fn))(np.stack([X, 2 * X])), [gradient, T.grad(fn)(2 * X)])


@pytest.mark.parametrize("fn", [
    lambda m: m[m > 0.5].max(initial=0.1) + np.min(m[m > 9.0], initial=2.0), lambda m: np.max(m[m[:, 0] > 0.5], axis=0, initial=1.5),
    lambda m: np.sum(m[m > 0.5], initial=2.0) * np.prod(m[m > 9.0], initial=3.0), lambda m: np.min(m[m[:, 0] > 0.5], axis=1, initial=1.0)[0],
    lambda m: sum(m[m[:, 0] > 0.5]), lambda m: sum(m[m > 0.5], 1.5) + sum(m[m > 9.0]), lambda m: sum(m[m[:, 0] > 0.5], m[0]),
    lambda m: max(m[m > 0.5]) + min(m[m > 0.5]),
], ids=["initial", "axis", "sums", "rows", "sum of rows", "start", "start row", "extremes"])
def test_reductions_of_selections(fn):
    m = np.outer([0.3, 0.7, 0.2, 0.9], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(T.jvp(fn, (m,), (m,))[0], fn(m))
    np.testing.assert_allclose(T.jit(fn)(m), fn(m))
    np.testing.assert_allclose(T.vmap(fn)(np.stack([m, 1.1 * m])), [fn(m), fn(1.1 * m)])


@pytest.mark.parametrize("fn", [lambda x: np.mean(x[x > 0.5], where=x[x > 0.5] > 1.0), lambda x: max(x[x > 0.5], key=np.sin), lambda x: x[x > 0.5].std(mean=1.0)])
def test_unknown_arguments_are_refused(fn):
    with pytest.raises(T.TransformError, match="length is not known"):
        T.jit(fn)(X)


@pytest.mark.parametrize("fn", [
    lambda x: np.prod(x[x > 0.5]), lambda x: sum(x[x > 9.0]) + sum(x[x > 0.5]), lambda x: np.median(x[x > 0.5]), lambda x: np.cumprod(x[x > 0.5])[-1],
    lambda x: sum(a * a for a in x[x > 0.5]), lambda x: np.sum(np.concatenate([x[x > 0.5], x]) ** 2), lambda x: np.sum(np.outer(x[x > 0.5], x)),
    lambda x: np.quantile(x[x > 0.5], 0.3), lambda x: np.sum(np.roll(x[x > 0.5], 1) * x[x > 0.5]), lambda x: np.sum(np.tile(x[x > 0.5], 2) ** 2),
    lambda x: np.prod(x[x > 0.5][:, None] * x, axis=0)[1], lambda x: np.max(x[x > 9.0], initial=0.1) * x[1] + np.max(x[x > 0.5], initial=0.1),
    lambda x: np.dot(x[x > 0.5] ** 2, x[:2]), lambda x: np.einsum("i,i->", x[x > 0.5], np.sin(x[:2])), lambda x: np.sum(np.sin(x[x > 0.5][:, None] + np.eye(2))),
    lambda x: np.sum((x[x > 0.5][None].T * x) ** 2), lambda x: np.sum(np.vander(x[x > 0.5], 3) ** 2), lambda x: np.sum(np.stack([x[x > 0.5], x[:2]]) ** 3),
    lambda x: np.average(x[x > 0.5], weights=x[:2] + 1.0), lambda x: np.sum(np.sin(np.unique(x[1:]) * x[:3])) + x[:3] @ np.unique(x[1:]),
], ids=["prod", "sum", "median", "cumprod", "generator", "concatenate", "outer", "quantile", "roll", "tile", "axis", "initial", "dot", "einsum", "column",
        "transposed", "vander", "stack", "average", "unique"])
def test_derivatives_of_selections_of_unknown_length(fn):
    """Whatever a rule computes with the length of an axis."""
    want = [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4)[[0, 1, 3]] * 1e-6]
    np.testing.assert_allclose(T.grad(fn)(X)[[0, 1, 3]], want, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(T.jvp(fn, (X,), (np.array([1.0, 2.0, 0.0, 3.0]),))[1], np.dot(want, [1.0, 2.0, 3.0]), rtol=1e-6)


LABELS = np.array([2, 0, 2, 7])


@pytest.mark.parametrize("fn", [
    lambda x: np.sum(x) * len(np.unique(LABELS * (x > 0.1).astype(int))), lambda x: x[0] * np.unique(np.sign(x)).size,
    lambda x: np.sum(np.ones(np.shape(np.unique(x)))) * x[1],
    lambda x: sum(np.sum(x[x == v]) ** 2 for v in np.unique(x)),
    lambda x: np.sum(np.zeros_like(np.unique(x)) + x), lambda x: x.reshape(np.sign(x[x > 1.0]).size, -1).sum(0)[0],
    lambda x: np.sum(np.add.reduceat(x, np.flatnonzero(x < 1.0)) ** 2),
    lambda x: x[0] * np.array_equal(np.unique(x), np.sort(x)), lambda x: x[0] * np.array_equiv(x[x > 9.0], x),
], ids=["len", "size", "shape", "loop", "zeros_like", "reshape", "reduceat", "array_equal", "array_equiv"])
def test_sizes_that_depend_on_data_are_those_at_hand(fn):
    want = [(fn(X + d) - fn(X - d)) / 2e-6 for d in np.eye(4)[[0, 1, 3]] * 1e-6]
    value, gradient = T.value_and_grad(fn)(X)
    assert value == fn(X)
    np.testing.assert_allclose(gradient[[0, 1, 3]], want, rtol=1e-6, atol=1e-7)
    assert T.jvp(fn, (X,), (X,))[0] == fn(X)


@pytest.mark.parametrize("fn", [
    lambda x, i: x[np.union1d(i, [3])], lambda x, i: x[np.setdiff1d(np.arange(4), i)],
    lambda x, i: x[np.setxor1d(i, [3, 1])], lambda x, i: x[np.intersect1d(i, [1, 2, 3])],
    lambda x, i: np.union1d(x, [0.5, 1.7]), lambda x, i: np.setdiff1d(x, x[:1]), lambda x, i: np.setdiff1d(x, x[:1], assume_unique=True),
    lambda x, i: np.concatenate(np.intersect1d(i, [0, 2], return_indices=True)) * x[0],
], ids=["union", "difference", "exclusive", "common", "numbers", "without", "in order", "places"])
def test_sets(fn):
    i = np.array([2, 0, 2])
    value, pull = T.vjp(lambda x: fn(x, i), X)
    np.testing.assert_array_equal(value, fn(X, i))
    cotangent = np.arange(1.0, 1.0 + len(value))
    want = [np.dot(cotangent, fn(X + d, i) - fn(X - d, i)) / 2e-6 for d in np.eye(4)[[0, 2, 3]] * 1e-6]
    np.testing.assert_allclose(pull(cotangent)[0][[0, 2, 3]], want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("axis", [0, 1])
def test_distinct_slices_along_an_axis(axis):
    x = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [0.0, 5.0, 0.0]])
    wanted = np.unique(x, axis=axis, return_index=True, return_inverse=True, return_counts=True)
    found, dots = T.jvp(lambda x: np.unique(x, axis=axis, return_index=True, return_inverse=True, return_counts=True), (x,), (3 * x,))
    for one, two in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(dots[0], 3 * wanted[0])
    want = np.zeros((3, 3))
    want[(slice(None),) * axis + (wanted[1],)] = 2 * wanted[0]
    np.testing.assert_array_equal(T.grad(lambda x: np.sum(np.unique(x, axis=axis) ** 2))(x), want)


def test_nan_differs_from_nan_where_asked():
    x = np.array([np.nan, 1.0, np.nan, 2.0])
    assert T.jvp(lambda x: np.unique(x, equal_nan=False), (x,), (x,))[0].shape == (4,)


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
@pytest.mark.parametrize("x", [np.array([0.0, 0.0, 1.0, 0.0, 3.0, 0.0]), np.zeros(3), np.ones(2), np.zeros(0)], ids=["some", "none", "all", "empty"])
def test_zeros_at_the_ends(x, trim):
    np.testing.assert_array_equal(T.jvp(lambda x: np.trim_zeros(x, trim), (x,), (x,))[0], np.trim_zeros(x, trim))
    if len(x):
        assert T.jit(lambda x: np.sum(np.trim_zeros(x, trim) + 1.0))(x) == np.sum(np.trim_zeros(x, trim) + 1.0)
