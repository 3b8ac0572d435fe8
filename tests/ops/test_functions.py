"""NumPy functions as users call them: the same bits and dtypes as NumPy, compiled values, gradients."""

import warnings

import numpy as np
import pytest

from tests import helpers
from transformer.ops.op import lookup

RNG = np.random.default_rng(7)
X = RNG.uniform(-2.0, 2.0, (3, 4))
V = RNG.uniform(0.5, 2.0, 5)
W = RNG.uniform(0.5, 2.0, (3, 4))
MASK = X > -0.5
HOLED = np.where(X > 1.0, np.nan, X)
Z = X + 1j * W
INTS = RNG.integers(-5, 6, (3, 4))

REDUCTIONS = [np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.any, np.all, np.ptp, np.nansum, np.nanprod, np.nanmean,
              np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.median, np.count_nonzero]
AXES = [{}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}]
SAME_DTYPE = [np.sum, np.prod, np.mean, np.var, np.std, np.max, np.median, np.cumsum, np.cumprod, np.diff, np.ptp, np.round, np.argmax]
INPUTS = [X.astype(np.float32), X.astype(np.float16), INTS, INTS.astype(np.int32), INTS.astype(np.uint8), MASK, Z, Z.astype(np.complex64)]

CALLS = [(f, (X,), a) for f in REDUCTIONS for a in AXES]
CALLS += [(f, (HOLED,), a) for f in (np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.max, np.median) for a in AXES[:3]]
CALLS += [(f, (a,), {"axis": 0}) for f in SAME_DTYPE for a in INPUTS if not (a.dtype.kind == "c" and f in (np.max, np.median, np.ptp, np.argmax))
          and not (a.dtype == bool and f in (np.ptp, np.round)) and f is not np.round]
CALLS += [
    (np.sum, (X,), {"where": MASK}), (np.sum, (X,), {"initial": 2.0}), (np.sum, (X,), {"dtype": np.float32}),
    (np.prod, (X,), {"where": MASK, "axis": 0}), (np.max, (X,), {"where": MASK, "initial": -9.0, "axis": 1}),
    (np.mean, (X,), {"where": MASK, "axis": 1}), (np.var, (X,), {"ddof": 1, "axis": 1}), (np.std, (X,), {"ddof": 1}),
    (np.var, (X,), {"where": MASK, "axis": 0}), (np.var, (Z,), {}), (np.mean, (X,), {"dtype": np.float32}), (np.std, (X,), {"correction": 1}),
    (np.nanstd, (HOLED,), {"ddof": 1, "axis": 1}), (np.argmax, (X,), {}), (np.argmin, (X,), {"axis": 1, "keepdims": True}),
    (np.nanargmax, (HOLED,), {"axis": 1}), (np.nanargmin, (HOLED,), {}),
    (np.average, (X,), {"weights": W}), (np.average, (X, 1), {"weights": W[0]}), (np.average, (X,), {}), (np.average, (INTS, 0), {}),
    (np.cumsum, (X,), {}), (np.cumsum, (X,), {"axis": 1}), (np.cumprod, (X,), {"axis": 0}), (np.nancumsum, (HOLED,), {"axis": 1}),
    (np.nancumprod, (HOLED,), {}), (np.cumulative_sum, (V,), {"include_initial": True}), (np.maximum.accumulate, (X,), {}),
    (np.minimum.accumulate, (X,), {"axis": 1}), (np.add.accumulate, (X,), {}), (np.multiply.accumulate, (V,), {}),
    (np.add.reduce, (X,), {}), (np.multiply.reduce, (X,), {"axis": 1}), (np.maximum.reduce, (X,), {"axis": None}),
    (np.logical_and.reduce, (MASK,), {}), (np.add.outer, (V, X[0]), {}), (np.multiply.outer, (X, V), {}), (np.maximum.outer, (V, X[0]), {}),
    (np.diff, (X,), {}), (np.diff, (X,), {"n": 2, "axis": 0}), (np.diff, (X,), {"prepend": 0.0}), (np.diff, (X,), {"append": X[:, :1]}),
    (np.diff, (MASK,), {}), (np.ediff1d, (V,), {}), (np.ediff1d, (V,), {"to_begin": 0.0, "to_end": np.array([1.0, 2.0])}),
    (np.gradient, (V,), {}), (np.gradient, (V, 0.5), {}), (np.gradient, (V, np.cumsum(V)), {}), (np.gradient, (X,), {"axis": 1}),
    (np.gradient, (V,), {"edge_order": 2}), (np.gradient, (V, np.cumsum(V)), {"edge_order": 2}), (np.gradient, (X,), {}),
    (np.trapezoid, (V,), {}), (np.trapezoid, (X,), {"x": np.arange(4.0), "axis": 1}), (np.trapezoid, (X,), {"dx": 0.1, "axis": 0}),
    (np.percentile, (X, 30), {}), (np.percentile, (X, [10, 50.0, 95]), {"axis": 1}), (np.quantile, (X, 0.3), {"axis": 0, "keepdims": True}),
    (np.quantile, (X, np.array([[0.1, 0.4], [0.7, 1.0]])), {"axis": 1}), (np.quantile, (INTS, 0.5), {}), (np.quantile, (HOLED, 0.5), {"axis": 1}),
    (np.quantile, (X, 0.25), {"axis": (0, 1)}), (np.median, (INTS,), {"axis": 0}),
    (np.cov, (X,), {}), (np.cov, (X,), {"rowvar": False, "bias": True}), (np.cov, (V, V ** 2), {}), (np.corrcoef, (X,), {}),
    (np.cov, (X,), {"aweights": np.array([1.0, 2.0, 1.0, 0.5])}), (np.cov, (X,), {"fweights": np.array([1, 2, 1, 3])}),
    (np.clip, (X, -0.5, 0.5), {}), (np.clip, (X, None, 0.5), {}), (np.clip, (INTS, -2, 2), {}), (np.nan_to_num, (HOLED,), {}),
    (np.nan_to_num, (np.array([np.inf, -np.inf, np.nan, 1.0]),), {"nan": 2.0, "posinf": 5.0}), (np.where, (MASK, X, 0), {}),
    (np.where, (MASK, X.astype(np.float32), 0.5), {}), (np.isclose, (X, X + 1e-9), {}), (np.allclose, (X, W), {}), (np.array_equal, (X, X), {}),
    *[(np.piecewise, (x, [MASK & (INTS > 0), MASK & (INTS < 0)], [0.5, lambda v: v * 2.5, lambda v: 1.5]), {}) for x in (X, X.astype(np.float32), INTS)],
    (np.select, ([X > 1, X > 0], [X, 2 * X]), {}), (np.choose, (np.array([0, 1, 1]), (V[:3], V[2:])), {"mode": "clip"}),
    (np.angle, (Z,), {}), (np.angle, (X,), {"deg": True}), (np.real, (Z,), {}), (np.imag, (Z,), {}), (np.conj, (Z,), {}), (np.isreal, (Z,), {}),
    (np.round, (X, 2), {}), (np.round, (Z, 1), {}), (np.fix, (X,), {}), (np.modf, (X,), {}), (np.frexp, (X,), {}), (np.divmod, (X, 0.7), {}),
    (np.divmod, (INTS, 3), {}), (np.zeros_like, (X,), {}), (np.full_like, (INTS, 2), {}), (np.ones_like, (X,), {"dtype": np.float32, "shape": (2,)}),
    (np.array, ([V, V],), {}), (np.array, (X,), {"dtype": np.float32}), (np.asarray, ([[V[0], 1.0], [2.0, V[1]]],), {}), (np.array, (V,), {"ndmin": 2}),
    (np.linspace, (V[0], V[1], 7), {}), (np.linspace, (V[:2], V[2:4], 4), {}), (np.linspace, (V[0], 2, 4), {"endpoint": False}),
    (np.logspace, (V[0], V[1], 5), {}), (np.geomspace, (V[0], V[1], 5), {}), (np.meshgrid, (V, X[0]), {}), (np.meshgrid, (V, X[0]), {"indexing": "ij"}),
    (np.vander, (V,), {}), (np.vander, (V, 3), {"increasing": True}), (np.float32, (X,), {}), (np.sinc, (X,), {}), (np.i0, (V,), {}),
    (np.add, (X.astype(np.float32), 1), {"dtype": np.float64}), (np.true_divide, (INTS, INTS[0] + 7), {}), (np.logaddexp.outer, (V, V), {}),
    (np.multiply, (INTS, 2), {"dtype": np.float32}), (np.power, (INTS, 2), {}), (np.float_power, (INTS, 2), {}),
    (np.nanmedian, (HOLED,), {}), (np.nanmedian, (HOLED,), {"axis": 1}), (np.nanquantile, (HOLED, 0.3), {"axis": 0}),
    (np.nanpercentile, (HOLED, [20, 70.0]), {"axis": 1}), (np.isin, (INTS, [1, 2]), {}), (np.isposinf, (HOLED,), {}), (np.copy, (X,), {}),
]
CALLS += [(np.quantile, (X, q), {"axis": 1, "method": m}) for q in (0.3, np.array([0.0, 0.25, 0.6, 1.0])) for m in (
    "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "normal_unbiased", "inverted_cdf",
    "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf")]
CALLS += [(np.nanquantile, (HOLED, 0.3), {"axis": 1, "method": m}) for m in (
    "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "inverted_cdf", "averaged_inverted_cdf", "closest_observation")]
INEXACT = {np.i0, np.cov, np.corrcoef, np.logspace, np.geomspace, np.vander, np.quantile, np.percentile, np.nanpercentile, np.nanquantile}
"""Sums in another order than NumPy's (or, for i0, another method when compiled)."""


def label(call):
    return f"{getattr(call[0], '__name__', call[0])}"


def is_number_array(value):
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"


def program_of(fn, args, kwargs):
    """The program of a call in which the first argument is abstract (all arrays in it, if it is a list)."""
    abstract = []

    def collect(value):
        if isinstance(value, list | tuple):
            return type(value)(map(collect, value))
        if is_number_array(value) and value.dtype.kind in "biufc":
            abstract.append(value)
            return Slot(len(abstract) - 1)
        return value
    template = [collect(a) if k == 0 or (fn not in (np.quantile, np.percentile, np.gradient) and k == 1) else a for k, a in enumerate(args)]

    def fill(value, refs):
        if isinstance(value, list | tuple):
            return type(value)(fill(v, refs) for v in value)
        return refs[value.position] if isinstance(value, Slot) else value

    def function(*refs):
        result = lookup(fn)(*(fill(a, refs) for a in template), **kwargs)
        return tuple(result) if isinstance(result, list | tuple) else result
    return helpers.build(function, *abstract), abstract


class Slot:
    def __init__(self, position):
        self.position = position


@pytest.mark.parametrize("call", CALLS, ids=label)
def test_same_as_numpy(call):
    fn, args, kwargs = call
    program, abstract = program_of(fn, args, kwargs)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        wanted = fn(*args, **kwargs)
    wanted = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    found = helpers.run(program, abstract)
    for a, b in zip(found, wanted, strict=True):
        assert (np.shape(a), np.asarray(a).dtype) == (np.shape(b), np.asarray(b).dtype)
        if fn in INEXACT:
            np.testing.assert_allclose(a, b, rtol=1e-14)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("call", CALLS, ids=label)
def test_compiled(call):
    fn, args, kwargs = call
    program, abstract = program_of(fn, args, kwargs)
    narrow = any(np.asarray(a).dtype.itemsize < (16 if np.asarray(a).dtype.kind == "c" else 8) and np.asarray(a).dtype.kind in "fc" for a in abstract)
    half = any(np.asarray(a).dtype == np.float16 for a in abstract)
    tolerance = 1e-2 if half else 1e-5 if narrow or kwargs.get("dtype") is np.float32 or fn is np.float32 else 1e-12
    helpers.check_lowering(program, abstract, rtol=tolerance, atol=tolerance / 10)


def is_smooth(call):
    fn, args, kwargs = call
    program, abstract = program_of(fn, args, kwargs)
    results = [program.aval(o).dtype for o in program.outputs]
    return all(np.asarray(a).dtype in (float, complex) and np.all(np.isfinite(a)) for a in abstract) and all(d in (float, complex) for d in results)


SMOOTH = [call for call in CALLS if is_smooth(call)]


@pytest.mark.parametrize("call", SMOOTH, ids=label)
def test_gradients(call):
    program, abstract = program_of(*call)
    helpers.check_grads(program, abstract)
