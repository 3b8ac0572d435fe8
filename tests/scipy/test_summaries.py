"""scipy.stats: means, moments, ranks, correlations."""

import numpy as np
import pytest
import scipy.stats as st

import transformer
from tests.scipy.checks import check, check_derivatives, check_value

RNG = np.random.default_rng(0)
X, Y, W = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)), RNG.uniform(0.5, 2, (6, 3))
P = np.abs(X) + 0.2
GAPS = X.copy(), P.copy()
for _a in GAPS:
    _a[2, 1] = np.nan

SUMMARIES = {
    "zscore": (st.zscore, X), "gmean": (st.gmean, P), "hmean": (st.hmean, P), "pmean": (lambda a, **k: st.pmean(a, 2.5, **k), P),
    "pmean of power 0": (lambda a, **k: st.pmean(a, 0, **k), P), "skew": (st.skew, X), "unbiased skew": (lambda a, **k: st.skew(a, bias=False, **k), X),
    "kurtosis": (st.kurtosis, X), "unbiased kurtosis": (lambda a, **k: st.kurtosis(a, bias=False, fisher=False, **k), X), "sem": (st.sem, X),
    "moment": (lambda a, **k: st.moment(a, 3, **k), X), "moments": (lambda a, **k: st.moment(a, [0, 1, 2, 5], **k), X),
    "moment around": (lambda a, **k: st.moment(a, 3, center=0.5, **k), X), "variation": (st.variation, X),
    "variation of sample": (lambda a, **k: st.variation(a, ddof=1, **k), X), "iqr": (st.iqr, X),
    "scaled iqr": (lambda a, **k: st.iqr(a, rng=(10, 80), scale="normal", interpolation="lower", keepdims=True, **k), X),
    "trim_mean": (lambda a, **k: st.trim_mean(a, 0.2, **k), X), "entropy": (st.entropy, P), "relative entropy": (lambda a, **k: st.entropy(a, W, base=2, **k), P),
}
WHOLE = {"entropy", "relative entropy"}


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", SUMMARIES)
def test_values(name, axis):
    fn, a = SUMMARIES[name]
    if not (axis is None and name in WHOLE):
        check_value(lambda a: fn(a, axis=axis), a)


@pytest.mark.parametrize("name", SUMMARIES)
def test_compiled_and_derivatives(name):
    fn, a = SUMMARIES[name]
    check(lambda a: fn(a, axis=0), a)


@pytest.mark.parametrize("name", sorted(set(SUMMARIES) - {"trim_mean", "entropy", "relative entropy", "scaled iqr"}))
def test_missing_values_are_left_out(name):
    fn, a = SUMMARIES[name]
    gaps = GAPS[0 if a is X else 1]
    check_value(lambda a: fn(a, axis=0, nan_policy="omit"), gaps)
    check_value(lambda a: fn(a, axis=0), gaps)
    loss = transformer.grad(lambda a: np.nansum(fn(a, axis=0, nan_policy="omit")))(gaps)
    assert np.isfinite(loss).all()


def test_weights():
    for fn in (st.gmean, st.hmean, lambda a, weights: st.pmean(a, -1.5, weights=weights)):
        check(lambda a, w, fn=fn: fn(a, weights=w), P, W, order2=False)


@pytest.mark.filterwarnings("ignore")
def test_constant_samples_are_nan():
    for fn in (st.zscore, st.skew, st.kurtosis, lambda x: st.pearsonr(x, Y[:4, 0])[0], lambda x: st.gmean(x)):
        check_value(fn, np.ones(4))


def test_describe():
    def found(x):
        d = st.describe(x, bias=False)
        return np.stack([d.mean, d.variance, *d.minmax, d.skewness, d[5], d.nobs + 0.0 * x[0]])
    check(found, X, order2=False)


# ranks -------------------------------------------------------------------------------------------------------
TIES = np.array([[1.0, 3, 2, 3], [2, 2, 2, 1], [0, 3, 4, 1]])
GAP = np.array([[np.nan, 3, 2, 3], [2, 2, 2, 1], [0, np.nan, np.nan, 1]])


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_ranks(axis):
    for method in ("average", "min", "max", "dense", "ordinal"):
        check_value(lambda a, m=method: st.rankdata(a, m, axis=axis), TIES, jit=axis == 1)
    for policy in ("propagate", "omit"):
        check_value(lambda a, p=policy: st.rankdata(a, axis=axis, nan_policy=p), GAP)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_modes(axis):
    for a in (TIES, GAP):
        check_value(lambda a: tuple(st.mode(a, axis=axis, keepdims=axis == 1)), a, jit=True)
    assert transformer.grad(lambda x: x * st.mode([1, 2, 2]).mode)(1.0) == 2


# correlations ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_correlations(alternative):
    check_value(lambda x, y: tuple(st.pearsonr(x, y, axis=0, alternative=alternative)), X, Y, jit=True)
    check_value(lambda x, y: tuple(st.spearmanr(x, y, alternative=alternative)), X[:, 0], Y[:, 0], jit=True)
    check_value(lambda x, y: tuple(st.linregress(x, y, alternative=alternative)), X[:, 0], Y[:, 0], jit=True)


def test_derivatives_of_correlations():
    def pearson(x, y):
        found = st.pearsonr(x, y)
        return np.stack([found.statistic, found[1], found.correlation])

    def line(x, y):
        found = st.linregress(x, y)
        slope, intercept, r, p, error = found
        return np.stack([slope, intercept, r, p, error, found.intercept_stderr, found.slope])
    for fn in (pearson, line):
        check(fn, X[:, 0], Y[:, 0])
    check_derivatives(lambda x, y: st.pearsonr(x, y).pvalue, X[:, 0], Y[:, 0])


@pytest.mark.parametrize("call, words", [
    (lambda x: st.skew(x, nan_policy="raise"), "nan_policy='raise'"), (lambda x: st.pearsonr(x, x, method=1)[0], "method"),
    (lambda x: st.pearsonr(x, x[1:])[0], "size"), (lambda x: st.rankdata(x, "odd"), "odd"), (lambda x: st.moment(x, 1.5), "whole"),
    (lambda x: st.pearsonr(x, x ** 2, alternative="other")[1], "other"), (lambda x: st.spearmanr(np.stack([x, x, x], 1))[0], "pair"),
    (lambda x: st.trim_mean(x, 0.8), "half"), (lambda x: st.pmean(x, np.inf), "finite"), (lambda x: st.iqr(x, scale="odd"), "odd"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda x: np.sum(call(x)))(np.arange(1.0, 5.0))
