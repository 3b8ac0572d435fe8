"""scipy.stats.gaussian_kde."""

import numpy as np
import pytest
import scipy.stats as st

import transformer
from tests.scipy.checks import check

RNG = np.random.default_rng(0)
LINE, PLANE, WEIGHTS = RNG.normal(size=8), RNG.normal(size=(2, 9)), RNG.uniform(0.5, 2, 8)
AT, ON_PLANE = np.linspace(-1, 1, 3), RNG.normal(size=(2, 4))
KNOWN = st.gaussian_kde(PLANE)


def test_densities():
    check(lambda x, p: st.gaussian_kde(x)(p), LINE, AT)
    check(lambda x, p, w: st.gaussian_kde(x, "silverman", w).logpdf(p), LINE, AT, WEIGHTS, order2=False)
    check(lambda x, p: st.gaussian_kde(x, 0.7).pdf(p), PLANE, ON_PLANE, order2=False)
    check(lambda x, p: st.gaussian_kde(x, lambda kde: kde.scotts_factor() * 2).evaluate(p), PLANE, ON_PLANE, order2=False)


def test_objects_made_outside():
    check(lambda p: KNOWN(p) + KNOWN.logpdf(p), ON_PLANE, order2=False)


def test_integrals_and_widths():
    def integrals(x):
        kde, other = st.gaussian_kde(x), st.gaussian_kde(LINE + 1)
        return np.stack([kde.integrate_box_1d(-1, 0.5), kde.integrate_gaussian(0.1, 0.5), kde.integrate_kde(other), kde.factor, kde.covariance[0, 0]])
    check(integrals, LINE, order2=False)


@pytest.mark.parametrize("call", [lambda x: st.gaussian_kde(x).resample(3), lambda x: KNOWN.marginal(x), lambda x: st.gaussian_kde(x, "odd")(x),
                                  lambda x: st.gaussian_kde(x)(np.ones((2, 3))), lambda x: st.gaussian_kde(x, weights=x[1:])(x)])
def test_refusals(call):
    with pytest.raises(transformer.TransformError, match="resample|marginal|odd|coordinates|weight"):
        transformer.grad(lambda x: np.sum(call(x)))(LINE)
