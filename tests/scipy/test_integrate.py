"""scipy.integrate: integrals of samples."""

import numpy as np
import pytest
import scipy.integrate as si

import transformer
from tests.scipy.checks import check, check_value

RNG = np.random.default_rng(0)
RULES = [si.trapezoid, si.simpson, si.cumulative_trapezoid, si.cumulative_simpson]


def sampled(n):
    return RNG.normal(size=(2, n)), np.sort(RNG.uniform(0, 5, n)) + np.arange(n)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 7])
@pytest.mark.parametrize("rule", RULES, ids=lambda f: f.__name__)
def test_values(rule, n):
    y, x = sampled(n)
    check_value(lambda y: rule(y, dx=0.3), y)
    check_value(lambda y, x: rule(y, x=x), y, x)
    check_value(lambda y, x: rule(y, x=x, axis=0), y.T, np.stack([x, 2 * x]).T)


@pytest.mark.parametrize("rule", RULES, ids=lambda f: f.__name__)
def test_derivatives_by_samples_and_points(rule):
    y, x = sampled(6)
    check(lambda y, x: rule(y, x=x), y, x)
    check(lambda y: rule(y, axis=0), y.T, order2=False)


def test_initial_values():
    y, _ = sampled(5)
    check_value(lambda y: si.cumulative_trapezoid(y, initial=0, axis=0), y)
    check_value(lambda y: si.cumulative_simpson(y, initial=np.ones((1, 5)), axis=0), y)
    check_value(lambda y: si.cumulative_simpson(y, initial=2.0), y)


def test_lists_and_integers():
    assert transformer.grad(lambda x: si.simpson([x, 2, 3 * x]))(2.0) == si.simpson([1.0, 0, 3])
    assert transformer.grad(lambda x: x * si.simpson([1, 2, 4]))(2.0) == si.simpson([1, 2, 4])


@pytest.mark.parametrize("call", [lambda y: si.simpson(y, x=np.ones(3)), lambda y: si.simpson(y, dx=np.ones(3)), lambda y: si.simpson(y[:0]),
                                  lambda y: si.cumulative_trapezoid(y, initial=1.0)])
def test_refusals(call):
    with pytest.raises(transformer.TransformError, match="simpson|trapezoid"):
        transformer.grad(lambda y: np.sum(call(y)))(np.ones(4))
