"""scipy functions against scipy itself: values, and gradients against finite differences."""

import functools

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special as sp
import scipy.stats as stats

import transformer
from transformer.errors import TransformError, TypeMismatch

RNG = np.random.default_rng(11)
POINTS = np.array([-1.3, -0.2, 0.4, 1.7])
PARAMETERS = {
    stats.norm: (), stats.t: (3.5,), stats.laplace: (), stats.logistic: (), stats.cauchy: (), stats.gumbel_r: (), stats.gumbel_l: (),
    stats.gamma: (2.3,), stats.chi2: (3.1,), stats.invgamma: (1.7,), stats.expon: (), stats.halfnorm: (), stats.rayleigh: (),
    stats.lognorm: (0.8,), stats.weibull_min: (1.6,), stats.f: (3.2, 4.5), stats.pareto: (2.2,), stats.beta: (1.7, 2.4),
    stats.uniform: (), stats.vonmises: (1.3,),
}
COUNTS = {stats.poisson: (2.3,), stats.bernoulli: (0.3,), stats.binom: (5, 0.4), stats.geom: (0.35,), stats.nbinom: (2.5, 0.6)}
FUNCTIONS = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"]
DISCRETE = ["pmf", "logpmf", "cdf", "sf"]


def inside(dist, params):
    """Points of the support, away from its ends."""
    return dist.ppf(np.array([0.1, 0.35, 0.6, 0.85]), *params)


def known(method):
    from transformer.ops.op import FUNCTIONS
    return method in FUNCTIONS


def quiet(fn, *args):
    with np.errstate(all="ignore"):
        return fn(*args)


def value(fn, *args):
    """The value of a function as the generated program computes it."""
    return quiet(transformer.value_and_grad(lambda *a: (np.sum(fn(*a)), fn(*a)), has_aux=True), *args)[0][1]


def slope(fn, *args):
    """Gradients by all arguments, and finite differences along ones."""
    total = lambda *a: np.sum(fn(*a))  # noqa: E731
    grads = quiet(transformer.grad(total, tuple(range(len(args)))), *args)
    for k, g in enumerate(grads):
        moved = [[a + s * 1e-6 * (i == k) for i, a in enumerate(args)] for s in (1, -1)]
        yield np.sum(g), (np.sum(quiet(total, *moved[0])) - np.sum(quiet(total, *moved[1]))) / 2e-6


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dist", PARAMETERS, ids=lambda d: d.name)
def test_continuous_values(dist, name):
    params, method = PARAMETERS[dist], getattr(dist, name)
    if not known(method):
        pytest.skip(f"{name} of {dist.name} is not declared")
    points = np.array([-0.5, 0.0, 0.2, 0.9, 1.0, 1.5, np.nan]) if name in ("ppf", "isf") else np.array([-2.5, -0.3, 0.0, 0.4, 1.0, 1.9, np.nan])
    for extra in ((), (0.3,), (0.3, 1.4), (0.3, -1.0)):
        with np.errstate(all="ignore"):
            wanted = method(points, *params, *extra)
        np.testing.assert_allclose(value(method, points, *params, *extra), wanted, rtol=1e-10, atol=1e-13, err_msg=f"{dist.name}.{name}{extra}")


@pytest.mark.parametrize("name", ["pdf", "logpdf"])
@pytest.mark.parametrize("dist", PARAMETERS, ids=lambda d: d.name)
def test_densities_have_gradients_by_point_and_parameters(dist, name):
    params = PARAMETERS[dist]
    points = 0.3 + 1.4 * (inside(dist, params) if dist is not stats.vonmises else POINTS)
    for found, wanted in slope(getattr(dist, name), points, *params, 0.3, 1.4):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["cdf", "logcdf", "sf", "logsf"])
@pytest.mark.parametrize("dist", PARAMETERS, ids=lambda d: d.name)
def test_probabilities_have_gradients_by_point_location_and_scale(dist, name):
    if dist is stats.vonmises:
        pytest.skip("no cdf")
    params = PARAMETERS[dist]
    points = 0.3 + 1.4 * inside(dist, params)
    fn = lambda x, loc, scale: getattr(dist, name)(x, *params, loc=loc, scale=scale)  # noqa: E731
    for found, wanted in slope(fn, points, 0.3, 1.4):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("dist", COUNTS, ids=lambda d: d.name)
def test_discrete_values(dist, name):
    params, method = COUNTS[dist], getattr(dist, name)
    counts = np.array([-1.0, 0.0, 1.0, 2.0, 2.5, 5.0, 7.0])
    for extra in ((), (1,)):
        wanted = method(counts, *params, *extra)
        np.testing.assert_allclose(value(method, counts, *params, *extra), wanted, rtol=1e-10, atol=1e-14, err_msg=f"{dist.name}.{name}")


@pytest.mark.parametrize("dist", COUNTS, ids=lambda d: d.name)
def test_masses_have_gradients_by_the_parameter(dist):
    params = COUNTS[dist]
    fn = lambda p: dist.logpmf(np.array([1.0, 0.0, 1.0]) + (dist is stats.geom), *params[:-1], p)  # noqa: E731
    for found, wanted in slope(fn, params[-1]):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_gradients_outside_of_the_support_are_zero():
    x = np.array([-1.0, 0.5, 2.0])
    grads = transformer.grad(lambda x, a, b: np.sum(stats.beta.pdf(x, a, b)), (0, 1, 2))(x, 2.0, 3.0)
    assert all(np.all(np.isfinite(g)) for g in grads) and grads[0][0] == grads[0][2] == 0


def test_frozen_distributions():
    fn = lambda x, mu, sigma: np.sum(stats.norm(mu, sigma).logpdf(x))  # noqa: E731
    np.testing.assert_allclose(transformer.value_and_grad(fn)(POINTS, 0.3, 1.2)[0], stats.norm(0.3, 1.2).logpdf(POINTS).sum())
    cov = np.array([[2.0, 0.3], [0.3, 1.0]])
    fn = lambda x: stats.multivariate_normal([0.5, -1.0], cov).logpdf(x)  # noqa: E731
    np.testing.assert_allclose(transformer.value_and_grad(fn)(np.array([0.1, 0.2]))[0], fn(np.array([0.1, 0.2])))


def test_densities_compile():
    fn = lambda x, a: np.sum(stats.gamma.logpdf(x, a, scale=2.0)) + np.sum(stats.t.logpdf(x, a, 0.1))  # noqa: E731
    x = np.array([0.4, 1.2, -1.0])
    x[2] = 3.0
    np.testing.assert_allclose(transformer.jit(fn)(x, 1.7), fn(x, 1.7), rtol=1e-12)
    np.testing.assert_allclose(transformer.jit(transformer.grad(fn))(x, 1.7), transformer.grad(fn)(x, 1.7), rtol=1e-10)


def test_single_precision_is_computed_in_double_precision():
    found = value(stats.norm.logpdf, POINTS.astype(np.float32))
    assert found.dtype == np.float64 == stats.norm.logpdf(POINTS.astype(np.float32)).dtype


def test_wrong_parameters_are_named():
    with pytest.raises(TypeMismatch, match="a, loc, scale"):
        transformer.grad(lambda x: stats.gamma.logpdf(x, 1.0, 2.0, 3.0, 4.0))(1.0)


@pytest.mark.parametrize("fn", [lambda a: sp.gammainc(a, 1.0), lambda a: sp.betainc(a, 1.0, 0.5), lambda v: sp.jv(v, 1.0),
                                lambda df: stats.t.cdf(0.3, df)])
def test_orders_without_a_derivative_raise(fn):
    with pytest.raises(TransformError, match="not known"):
        transformer.grad(fn)(1.5)


# several variables ---------------------------------------------------------------------------------------
ROOT = RNG.normal(size=(3, 3))
COV = ROOT @ ROOT.T + np.eye(3)


def symmetric(fn):
    """fn of a covariance that is made symmetric first."""
    return lambda x, mean, cov: fn(x, mean, 0.5 * (cov + cov.T))


@pytest.mark.parametrize("name", ["pdf", "logpdf"])
@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
@pytest.mark.parametrize("singular", [False, True])
def test_multivariate_normal(name, shape, singular):
    x, mean = RNG.normal(size=shape), RNG.normal(size=3)
    fn = symmetric(functools.partial(getattr(stats.multivariate_normal, name), allow_singular=singular))
    np.testing.assert_allclose(value(fn, x, mean, COV), fn(x, mean, COV), rtol=1e-10)
    for found, wanted in slope(fn, x, mean, COV):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-8)


def test_multivariate_normal_on_a_subspace():
    cov, mean = np.diag([1.0, 2.0, 0.0]), np.zeros(3)
    x = np.array([[0.3, 0.4, 0.0], [0.3, 0.4, 0.1]])
    fn = lambda x: stats.multivariate_normal.logpdf(x, mean, cov, allow_singular=True)  # noqa: E731
    np.testing.assert_allclose(value(fn, x), fn(x))
    assert fn(x)[1] == -np.inf
    np.testing.assert_allclose(transformer.grad(lambda x: fn(x)[0])(x)[0], [-0.3, -0.2, 0.0])


@pytest.mark.parametrize("cov", [2.0, np.array([1.0, 2.0, 0.5]), COV], ids=["number", "variances", "matrix"])
def test_forms_of_a_covariance(cov):
    x = RNG.normal(size=(4, 3))
    fn = lambda x, cov: stats.multivariate_normal.logpdf(x, np.zeros(3), cov)  # noqa: E731
    np.testing.assert_allclose(value(fn, x, cov), fn(x, cov), rtol=1e-10)
    entropy = lambda cov: stats.multivariate_normal.entropy(np.zeros(3), cov)  # noqa: E731
    np.testing.assert_allclose(value(entropy, cov), entropy(cov), rtol=1e-10)


def test_dirichlet():
    alpha, x = np.array([1.5, 2.0, 0.7]), np.array([0.2, 0.5, 0.3])
    for fn in (stats.dirichlet.logpdf, stats.dirichlet.pdf):
        np.testing.assert_allclose(value(fn, x, alpha), fn(x, alpha), rtol=1e-12)
        np.testing.assert_allclose(value(fn, x[:2], alpha), fn(x[:2], alpha), rtol=1e-12)
        (found, wanted), = slope(lambda alpha, fn=fn: fn(x, alpha), alpha)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


# linear algebra, signals ----------------------------------------------------------------------------------
BANDS = RNG.normal(size=(2, 3, 5)) + np.array([[0.0], [4.0], [0.0]])


@pytest.mark.parametrize("columns", [(), (2,)])
def test_banded_systems_in_batches(columns):
    b = RNG.normal(size=(2, 5, *columns))
    fn = transformer.vmap(lambda ab, b: scipy.linalg.solve_banded((1, 1), ab, b))
    np.testing.assert_allclose(fn(BANDS, b), [scipy.linalg.solve_banded((1, 1), *pair) for pair in zip(BANDS, b)])
    for found, wanted in slope(lambda ab, b: fn(ab, b) ** 2, BANDS, b):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    dots = RNG.normal(size=BANDS.shape), RNG.normal(size=b.shape)
    _, tangent = transformer.jvp(fn, (BANDS, b), dots)
    moved = [fn(BANDS + s * dots[0], b + s * dots[1]) for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(tangent, (moved[0] - moved[1]) / 2e-6, rtol=1e-5, atol=1e-7)


def test_square_roots_are_real_or_complex_by_value():
    loss = lambda a: np.sum(np.abs(scipy.linalg.sqrtm(a)))  # noqa: E731
    for a in (COV, COV - 3 * np.eye(3)):
        np.testing.assert_allclose(*next(slope(loss, a)), rtol=1e-5)
    assert value(scipy.linalg.sqrtm, COV).dtype == np.float64
    assert value(lambda a: np.abs(scipy.linalg.sqrtm(a - 3 * np.eye(3))), COV).dtype == np.float64
    with pytest.raises(TransformError, match="real or a complex"):
        transformer.jit(scipy.linalg.sqrtm)(COV)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", [((6,), (3,)), ((3,), (6,)), ((4, 5), (2, 3)), ((2, 3), (5, 4)), ((3, 4, 2), (2, 2, 2))])
def test_convolutions(mode, shapes):
    x, y = (RNG.normal(size=s) for s in shapes)
    for fn in (scipy.signal.convolve, scipy.signal.correlate, scipy.signal.fftconvolve):
        call = functools.partial(fn, mode=mode)
        np.testing.assert_allclose(value(lambda x, y, call=call: call(x, y), x, y), call(x, y), rtol=1e-9, atol=1e-12)
    call = lambda x, y: scipy.signal.correlate(x, y, mode) ** 2  # noqa: E731
    for found, wanted in slope(call, x, y):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(transformer.jit(call)(x, y), call(x, y), rtol=1e-9, atol=1e-12)


def test_complex_correlation():
    x, y = (RNG.normal(size=n) + 1j * RNG.normal(size=n) for n in (5, 3))
    np.testing.assert_allclose(value(lambda x, y: np.real(scipy.signal.correlate(x, y)), x, y), np.real(scipy.signal.correlate(x, y)))
    np.testing.assert_allclose(value(lambda x, y: np.imag(scipy.signal.correlate(y, x, "valid")), x, y),
                               np.imag(scipy.signal.correlate(y, x, "valid")), atol=1e-12)
