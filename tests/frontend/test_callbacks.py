"""Native code that calls functions of the user's back while these are transformed."""

import functools

import numpy as np
import pytest
import scipy.optimize

import transformer as T

BISECT = scipy.optimize._zeros_py._zeros._bisect
X = np.array([2.0])


def by_compiled_code(x):
    return BISECT(lambda t: t ** 3 - x[0], 0.0, 3.0, 1e-12, 1e-12, 100, (), False, True)


def by_another_library(x):
    return scipy.optimize.leastsq(lambda t: t ** 3 - x[0], 1.0)[0][0]


@pytest.mark.parametrize("f", [by_compiled_code, by_another_library])
@pytest.mark.parametrize("transform", [T.grad, T.jit, lambda f: T.vmap(f, axis_size=1, in_axes=None)])
def test_native_code_that_cannot_go_on_with_abstract_values_is_named(f, transform):
    with pytest.raises(T.TransformError, match=r"(?s)test_callbacks.py:\d+.*(bisect|leastsq) is not known to transformer.*lambda.*Write it"):
        transform(f)(X)


def test_native_code_that_takes_known_values_runs():
    def f(x):
        return x[0] * scipy.optimize.brentq(lambda t: t ** 3 - 8.0, 0.0, 3.0)
    np.testing.assert_allclose(T.grad(f)(X), [2.0])


def test_errors_that_the_function_raises_are_its_own():
    def refusing(i):
        raise KeyError(i)

    def f(x):
        try:
            return x[0] * functools.reduce(lambda a, b: refusing(b), [1, 2])
        except KeyError:
            return x[0] * 3.0
    np.testing.assert_allclose(T.grad(f)(X), [3.0])


def test_errors_of_native_code_with_known_values_are_handled():
    def f(x):
        try:
            return x[0] * scipy.optimize.leastsq(lambda t: "no number", 1.0)[0][0]
        except Exception:
            return x[0] * 5.0
    np.testing.assert_allclose(T.grad(f)(X), [5.0])


def swallowing(function):
    try:
        return function(1.0)
    except Exception:
        return 0.0


swallowing.__module__ = "scipy.swallowing"


@pytest.mark.parametrize("transform", [T.grad, T.jit])
def test_native_code_cannot_swallow_refusals(transform):
    def f(x):
        return x[0] * swallowing(lambda t: scipy.optimize.linprog(t * x))
    with pytest.raises(T.TransformError, match="linprog"):
        transform(f)(X)


def test_functions_of_known_values_are_called_by_scipy_itself():
    def f(x):
        def cube(t):
            return t ** 3

        def shifted(t):
            return cube(t) - 8.0
        root, report = scipy.optimize.brentq(shifted, 0.0, 3.0, full_output=True)
        return x[0] * root * report.converged
    np.testing.assert_allclose(T.grad(f)(X), [2.0])
    np.testing.assert_allclose(T.jit(f)(X), 4.0)
