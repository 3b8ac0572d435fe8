"""Regions that a reverse sweep need not put back, as nothing reads them; and those that it must."""

import numpy as np
import pytest

from transformer import grad, jit, value_and_grad

rng = np.random.default_rng(0)
SIZE = 7
A = rng.normal(size=(SIZE, SIZE)) + 6 * np.eye(SIZE)


def elimination(A):
    A = A.copy()
    for k in range(SIZE - 1):
        A[k + 1:, k] /= A[k, k]
        A[k + 1:, k + 1:] -= A[k + 1:, k:k + 1] * A[k:k + 1, k + 1:]
    return np.sum(A ** 2)


def from_the_end(A):
    A = A.copy()
    for k in range(SIZE - 1, 0, -1):
        A[:k, :k] -= np.outer(A[:k, k], A[k, :k]) / A[k, k]
    return np.sum(A ** 2)


def rows_below(A):
    A = A.copy()
    for k in range(1, SIZE):
        A[k:] = A[k:] * A[k - 1] / 5.0
    return np.sum(A ** 2)


def read_in_the_region(A):
    A = A.copy()
    for k in range(SIZE - 1):
        A[k + 1:, k + 1:] *= 0.3 * A[k + 1, k + 1]
    return np.sum(A ** 2)


def read_in_later_regions(A):
    A = A.copy()
    for k in range(1, SIZE):
        A[:k, :k] -= np.outer(A[:k, k], A[k, :k]) / A[k, k]
    return np.sum(A ** 2)


def once_more(A):
    A = A.copy()
    for _ in range(2):
        for k in range(SIZE - 1):
            A[k + 1:, k + 1:] -= np.outer(A[k + 1:, k], A[k, k + 1:]) / A[k, k]
    return np.sum(A ** 2)


def read_as_a_whole(A):
    A, total = A.copy(), 0.0
    for k in range(SIZE - 1):
        A[k + 1:, k + 1:] -= np.outer(A[k + 1:, k], A[k, k + 1:]) / A[k, k]
        total = total + A[-1, -1] ** 2
    return np.sum(A ** 2) + total


def read_before(A):
    A = A.copy()
    for k in range(SIZE - 2):
        A[k + 2:] = A[k + 2:] * A[k + 1] / 5.0
    for k in range(SIZE - 2):
        A[k + 1:] = A[k + 1:] * A[k] / 5.0
    return np.sum(A ** 2)


def read_from_the_end(A):
    """Negative indices count from the other end, which the region reaches."""
    A = A.copy()
    for k in range(SIZE - 1):
        A[k + 1:] = A[k + 1:] * A[k - 1] / 5.0
    return np.sum(A ** 2)


def check(f):
    way = rng.normal(size=A.shape)
    ends = [f(A + h * 1e-5 * way) for h in (1, -1, 2, -2)]
    slope = (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12e-5
    for derivative in (grad(f), jit(grad(f))):
        np.testing.assert_allclose(np.sum(np.asarray(derivative(A)) * way), slope, rtol=1e-7)
    assert value_and_grad(f)(A)[0] == f(A)
    np.testing.assert_allclose(jit(f)(A), f(A))


@pytest.mark.parametrize("f", [elimination, from_the_end])
def test_nothing_is_put_back(f):
    check(f)
    assert f"{SIZE}, {SIZE}))" not in "".join(line for line in grad(f).show(A).splitlines() if "_tape" in line)


@pytest.mark.parametrize("f", [rows_below, read_in_the_region, read_in_later_regions, once_more, read_as_a_whole, read_before, read_from_the_end])
def test_what_is_read_is_put_back(f):
    check(f)
    assert f"{SIZE}, {SIZE}))" in "".join(line for line in grad(f).show(A).splitlines() if "_tape" in line)


def test_second_derivatives():
    way = rng.normal(size=A.shape)

    def slope(x):
        return np.sum(grad(elimination)(x) * way)
    ends = [slope(A + h * 1e-5 * way) for h in (1, -1)]
    np.testing.assert_allclose(np.sum(np.asarray(jit(grad(slope))(A)) * way), (ends[0] - ends[1]) / 2e-5, rtol=1e-6)
