"""What a pullback and a linearised function keep is theirs: stores into the results or the arguments do not change it."""

import numpy as np
import pytest

from transformer import grad, jit, jvp, linearize, vjp

X, ONES = np.array([0.3, 0.4]), np.ones(2)
WEIGHTS = np.array([2.0, 3.0])


def stored_result(x):
    y, pull = vjp(np.exp, x)
    y += 1.0
    return pull(ONES)[0]


def stored_argument(x):
    x = np.copy(x)
    y, pull = vjp(lambda x: x * x * x, x)
    x[0] = 5.0
    return pull(ONES)[0] + 0.0 * y


def stored_part(x):
    y, pull = vjp(lambda x: (np.exp(x), 2.0 * x), x)
    y[0][0] = 7.0
    return pull((ONES, ONES))[0]


def stored_before_pushing(x):
    y, push = linearize(np.exp, x)
    y[:] = 3.0
    return push(ONES)


CASES = [(stored_result, np.exp(X)), (stored_argument, 3 * X ** 2), (stored_part, np.exp(X) + 2), (stored_before_pushing, np.exp(X))]


@pytest.mark.parametrize(("function", "want"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_stores_do_not_reach_residuals(function, want):
    for run in (function, jit(function), lambda x: jvp(function, (x,), (ONES,))[0], lambda x: vjp(function, x)[0]):
        np.testing.assert_allclose(run(X.copy()), want)


def test_stores_into_captured_arrays_do_not_reach_residuals():
    weights = WEIGHTS.copy()
    pull = vjp(lambda x: weights * x, X)[1]
    weights[:] = 0.0
    np.testing.assert_array_equal(pull(ONES)[0], WEIGHTS)


@pytest.mark.parametrize("x", [0.7, 1.1 + 1.3j, np.array([0.3 + 1j, 2.0 - 1j])])
def test_derivatives_of_pullbacks_whose_results_have_names(x):
    def named(x):
        size, pull = vjp(np.abs, x)
        return pull(np.ones(np.shape(x)))[0] + 0.0 * size

    def plain(x):
        return vjp(np.abs, x)[1](np.ones(np.shape(x)))[0]
    dot = x * 0.5j if np.iscomplexobj(x) else 0.5
    np.testing.assert_allclose(jvp(named, (x,), (dot,))[1], jvp(plain, (x,), (dot,))[1])
    np.testing.assert_allclose(vjp(named, x)[1](dot + 0 * x)[0], vjp(plain, x)[1](dot + 0 * x)[0])


def test_values_that_are_not_stored_into_are_not_copied():
    def f(x):
        y, pull = vjp(lambda x: np.sum(np.sin(x) * x), x)
        return y * pull(1.0)[0]
    assert "copy" not in grad(lambda x: np.sum(f(x))).show(X)
