"""Stores under conditions in loops: compiled branches compute what is stored, and hand on no array."""

import re

import numpy as np
import pytest

from tests.interpret import interpret
from tests.transforms.programs import core_program
from transformer import grad, jit
from transformer.check import check
from transformer.lower import lower
from transformer.transforms.simplify.part_stores import part_stores

RNG = np.random.default_rng(0)
X, A = RNG.normal(size=(8, 3, 3)), RNG.normal(size=(3, 3))


def products(x, a):
    y = np.zeros((8, 3, 3))
    for i in range(8):
        if x[i, 0, 0] > 0:
            b = np.sin(x[i]) @ a
            y[i] += b
            y[7 - i] += b.T
    return y


def both_sides(x, a):
    for i in range(1, 8):
        if x[i, 0, 0] > 0:
            x[i] = x[i - 1] @ a
        else:
            x[i] = np.sin(x[i])
            x[i - 1, 0] = a[0] @ a
    return x


def nested(x, a):
    y = np.zeros((8, 3))
    for i in range(8):
        if x[i, 0, 0] > 0:
            row = x[i, 0] @ a
            if row[0] > 0:
                y[i] = np.cos(row @ a)
            y[0] += row
    return y


def read_afterwards(x, a):
    y, total = np.zeros((8, 3)), 0.0
    for i in range(8):
        if x[i, 0, 0] > 0:
            y[i] = x[i, 0] @ a
            total = total + np.sum(y) * np.sum(a @ y[i])
    return y, total


def value_rebound(x, a):
    y, row = np.zeros((8, 3)), a[0]
    for i in range(8):
        if x[i, 0, 0] > 0:
            y[i] = row
            row = np.sin(a @ row)
    return y, row


def whole(x, a):
    y = np.zeros((3, 3))
    for i in range(8):
        if x[i, 0, 0] > 0:
            y[:] = y + x[i] @ a
    return y


FUNCTIONS = [products, both_sides, nested, read_afterwards, value_rebound, whole]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    program = core_program(function, X, A, simplified=True)
    parted = part_stores(program)
    check(parted)
    for got, want in zip(interpret(parted, X.copy(), A.copy()), interpret(program, X.copy(), A.copy()), strict=True):
        np.testing.assert_array_equal(got, want)

    def total(x, a):
        found = function(np.copy(x), a)
        return sum([np.sum(v * v) for v in (found if isinstance(found, tuple) else (found,))])
    np.testing.assert_allclose(jit(total)(X, A), total(X, A), rtol=1e-12)
    for got, want in zip(jit(grad(total, (0, 1)))(X, A), grad(total, (0, 1))(X, A), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [products, both_sides, nested], ids=lambda f: f.__name__)
def test_branches_hand_on_no_array_that_is_stored_into(function):
    text = lower(core_program(function, X, A, simplified=True)).text
    results = re.findall(r"^ *\}\)? : \(tensor<i1>\) -> (.*)$", text, re.M)
    assert results and not any("tensor<8x" in types for types in results)


def test_elements_of_branches_not_taken_stay_as_they_are():
    def f(y, a):
        for i in range(6):
            if a[0, 0] > i:
                y[i] += np.sin(a[0]) @ a
        return y
    y, a = np.full((6, 3), complex(-0.0, -0.0)), np.full((3, 3), 1.5)
    found, want = jit(f)(np.copy(y), a), f(np.copy(y), a)
    np.testing.assert_allclose(found, want)
    assert np.array_equal(np.signbit(np.real(found)), np.signbit(want.real)) and np.all(np.signbit(np.imag(found[2:])))


def test_indices_of_stores_are_checked_where_they_are_taken():
    def f(x, a, places):
        y = np.zeros((8, 3))
        for i in range(8):
            if x[i, 0, 0] > 0:
                y[places[i]] = np.sin(x[i, 0]) @ a
        return y
    good = np.where(X[:, 0, 0] > 0, np.arange(8), 99)
    np.testing.assert_allclose(jit(f)(X, A, good), f(X, A, good))
    with pytest.raises(IndexError, match="index 99 is out of bounds for axis 0 with size 8"):
        np.asarray(jit(f)(X, A, np.full(8, 99)))


def test_the_first_failure_is_reported():
    def f(x, a, places):
        y = np.zeros((8, 3))
        for i in range(8):
            if x[i, 0, 0] > 0:
                y[places[i]] = np.sin(x[i, 0]) @ a
                if a[0, 0] < 100.0:
                    raise ValueError("after the store")
        return y
    with pytest.raises(IndexError):
        np.asarray(jit(f)(X, A, np.full(8, 99)))
    with pytest.raises(ValueError, match="after the store"):
        np.asarray(jit(f)(X, A, np.zeros(8, int)))


def test_an_index_is_checked_once_on_a_side():
    def f(x, a, places):
        y = np.zeros((8, 3))
        for i in range(8):
            if x[i, 0, 0] > 0:
                y[places[i]] += np.sin(x[places[i], 0]) @ a
        return y
    assert len(lower(core_program(f, X, A, np.arange(8), simplified=True)).failures) == 1


def test_loops_that_add_to_rows_of_two_arrays_copy_neither():
    def f(x, w):
        y = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                if i - j >= 0:
                    y[i] += x[i - j] @ w[j] @ x[j]
        return np.sum(np.abs(y) ** 2)
    x, w = (RNG.normal(size=(9, 3, 3)) + 1j * RNG.normal(size=(9, 3, 3)) for _ in range(2))
    slopes = jit(grad(f, (0, 1)))
    assert slopes.lower(x, w).compile().as_text().count("c128[9,3,3]{2,1,0} copy(") <= 2
    for got, want in zip(slopes(x, w), grad(f, (0, 1))(x, w), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10)
