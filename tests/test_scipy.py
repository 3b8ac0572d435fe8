"""transformer.scipy: values against scipy, derivatives, compiled forms, errors."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import transformer
import transformer.numpy as jnp
from transformer import TransformError
from transformer.scipy import linalg, signal, special, stats

RNG = np.random.default_rng(0)
A = RNG.normal(size=(4, 4)).astype("f")
SPD = (A @ A.T + np.eye(4)).astype("f")
VECTOR, COLUMNS = RNG.normal(size=4).astype("f"), RNG.normal(size=(4, 2)).astype("f")


def close(found, wanted, rtol=3e-4, atol=3e-5):
    for a, b in zip(transformer.tree.leaves(found), transformer.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


# linalg ------------------------------------------------------------------------------------------------------------------
MATRIX_FUNCTIONS = [
    ("cholesky", (SPD,), {}), ("cholesky", (SPD,), {"lower": True}), ("solve", (A, VECTOR), {}), ("solve", (SPD, COLUMNS), {"assume_a": "pos"}),
    ("solve_triangular", (A, VECTOR), {}), ("solve_triangular", (A, COLUMNS), {"lower": True, "trans": 1, "unit_diagonal": True}),
    ("lu", (A,), {}), ("lu", (A[:, :3],), {}), ("lu", (A[:3],), {"permute_l": True}), ("lu_factor", (A,), {}), ("expm", (A,), {}),
    ("expm", (8 * A,), {}), ("inv", (A,), {}), ("det", (A,), {}), ("qr", (A[:, :2],), {"mode": "economic"}), ("svd", (A,), {"compute_uv": False}),
    ("eigh", (SPD,), {"eigvals_only": True}), ("block_diag", (A, COLUMNS), {}), ("toeplitz", (VECTOR, VECTOR[:2]), {}), ("hankel", (VECTOR,), {}),
    ("circulant", (VECTOR,), {}), ("polar", (A,), {}), ("polar", (A,), {"side": "left"}),
]


@pytest.mark.parametrize("name, args, kwargs", MATRIX_FUNCTIONS, ids=lambda v: v if isinstance(v, str) else "")
def test_functions_of_matrices(name, args, kwargs):
    wanted = getattr(scipy.linalg, name)(*args, **kwargs)
    found = getattr(linalg, name)(*args, **kwargs)
    close(found, wanted)
    assert {leaf.dtype for leaf in transformer.tree.leaves(found)} <= {np.dtype("f"), np.dtype(np.int32)}
    compiled = transformer.jit(lambda *args: getattr(linalg, name)(*args, **kwargs))(*args)
    close(compiled, wanted, rtol=1e-3)
    plain = transformer.jit(lambda *args: getattr(scipy.linalg, name)(*args, **kwargs))(*args)
    close(plain, wanted, rtol=1e-3)


@pytest.mark.parametrize("trans", [0, 1])
def test_lu_solve(trans):
    wanted = np.linalg.solve(A.T if trans else A, COLUMNS)
    close(linalg.lu_solve(linalg.lu_factor(A), COLUMNS, trans), wanted, rtol=1e-3, atol=1e-4)
    close(transformer.jit(lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, trans))(A, COLUMNS[:, 0]), wanted[:, 0], rtol=1e-3, atol=1e-4)


def test_cho_solve():
    for lower in (False, True):
        close(linalg.cho_solve(linalg.cho_factor(SPD, lower), VECTOR), np.linalg.solve(SPD, VECTOR), rtol=1e-3, atol=1e-4)


def test_batches_of_matrices():
    stack = np.stack([A, 2 * A, A.T])
    for f in (linalg.expm, lambda a: linalg.solve_triangular(a, VECTOR, lower=True), lambda a: linalg.lu(a)[2],
              lambda a: linalg.lu_solve(linalg.lu_factor(a), VECTOR)):
        wanted = np.stack([f(a) for a in stack])
        close(transformer.vmap(f)(stack), wanted, rtol=1e-3, atol=1e-3)
        close(transformer.jit(transformer.vmap(f))(stack), wanted, rtol=1e-3, atol=1e-3)


FUNCTIONS_OF_A = {
    "solve_triangular": lambda a: jnp.sum(linalg.solve_triangular(a, VECTOR, lower=True, trans=1) ** 2),
    "unit_triangular": lambda a: jnp.sum(linalg.solve_triangular(a, COLUMNS, unit_diagonal=True) ** 2),
    "lu": lambda a: jnp.sum(linalg.lu(a)[1] ** 2) + jnp.sum(linalg.lu(a)[2] ** 3),
    "lu_solve": lambda a: jnp.sum(linalg.lu_solve(linalg.lu_factor(a), VECTOR) ** 2),
    "lu_solve_transposed": lambda a: jnp.sum(linalg.lu_solve(linalg.lu_factor(a), VECTOR, 1) ** 2),
    "expm": lambda a: linalg.expm(a)[0, 1] + linalg.expm(a)[1, 2],
    "cho_solve": lambda a: jnp.sum(linalg.cho_solve(linalg.cho_factor(a @ a.T), VECTOR) ** 2),
    "block_diag": lambda a: jnp.sum(linalg.block_diag(a, a ** 2) ** 2),
    "toeplitz": lambda a: jnp.sum(linalg.toeplitz(a[0]) @ a[1]),
}


@pytest.mark.parametrize("name", FUNCTIONS_OF_A)
def test_derivatives_of_matrix_functions(name):
    f, a = FUNCTIONS_OF_A[name], np.asarray(A, np.float64) + np.eye(4)
    direction = RNG.normal(size=(4, 4))
    with transformer.enable_x64(True):
        wanted = (np.asarray(f(a + 1e-6 * direction)) - np.asarray(f(a - 1e-6 * direction))) / 2e-6
        np.testing.assert_allclose(np.sum(transformer.grad(f)(a) * direction), wanted, rtol=1e-6)
        np.testing.assert_allclose(np.sum(transformer.jit(transformer.grad(f))(a) * direction), wanted, rtol=1e-6)
        np.testing.assert_allclose(transformer.jvp(f, (a,), (direction,))[1], wanted, rtol=1e-6)


def test_factors_multiply_to_the_matrix():
    p, low, up = linalg.lu(A)
    close(p @ low @ up, A)
    order, low, up = scipy.linalg.lu(A, p_indices=True)
    found = transformer.jit(lambda a: scipy.linalg.lu(a, p_indices=True))(A)
    close(found, (order, low, up))


@pytest.mark.parametrize("call, words", [
    (lambda: linalg.solve_triangular(A, np.ones(3)), "fit"), (lambda: linalg.qr(A, pivoting=True), "pivoting"),
    (lambda: linalg.solve_triangular(A, VECTOR, trans=7), "trans"), (lambda: linalg.eigh(SPD, SPD), "b="),
    (lambda: transformer.grad(lambda a: jnp.sum(linalg.lu(a)[1]))(A[:, :3]), "square"),
])
def test_linalg_refuses(call, words):
    with pytest.raises(TransformError, match=words):
        call()


# special -----------------------------------------------------------------------------------------------------------------
POINTS = np.array([0.3, 0.45, 0.8], "f")
SPECIAL = """erf erfc erfinv gammaln digamma expit logit entr ndtr log_ndtr i0 i0e i1 i1e gamma""".split()


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions(name):
    f, reference = getattr(special, name), getattr(scipy.special, name)
    found = f(POINTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, reference(POINTS.astype(float)), rtol=3e-6, atol=1e-6)
    np.testing.assert_allclose(transformer.jit(f)(POINTS), found, rtol=1e-5, atol=1e-6)
    x = POINTS.astype(float)
    slope = (reference(x + 1e-6) - reference(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(transformer.vmap(transformer.grad(f))(POINTS), slope, rtol=1e-4, atol=1e-5)


def test_special_functions_of_two_arguments():
    close(special.betaln(2.0, 3.0), scipy.special.betaln(2.0, 3.0))
    close(special.xlogy(np.array([0.0, 2.0], "f"), np.array([0.0, 3.0], "f")), np.array([0.0, 2 * np.log(3)]))
    close(special.gammainc(2.0, 1.5), scipy.special.gammainc(2.0, 1.5))
    close(special.polygamma(1, POINTS), scipy.special.polygamma(1, POINTS))
    close(special.multigammaln(POINTS + 3, 3), np.array([scipy.special.multigammaln(p + 3, 3) for p in POINTS]))
    close(special.factorial(np.array([0, 3, 5, -1])), np.array([1.0, 6.0, 120.0, 0.0]))
    close(special.boxcox(POINTS, 0.0), np.log(POINTS))
    close(special.boxcox1p(POINTS, 2.0), scipy.special.boxcox1p(POINTS, 2.0))
    close(special.gammasgn(np.array([-0.5, -1.5, 2.0], "f")), np.array([-1.0, 1.0, 1.0]))
    close(special.softmax(POINTS), scipy.special.softmax(POINTS))


# stats ---------------------------------------------------------------------------------------------------------------------
DENSITIES = {
    "norm": (0.3, 2.0), "truncnorm": (-1.0, 2.0, 0.1, 1.5), "t": (3.0, 0.1, 2.0), "expon": (0.1, 2.0), "gamma": (2.5, 0.1, 2.0), "chi2": (3.0, 0.1, 2.0),
    "pareto": (2.0, 0.1, 0.5), "uniform": (0.1, 2.0), "beta": (2.0, 3.0, 0.1, 2.0), "cauchy": (0.1, 2.0), "laplace": (0.1, 2.0), "logistic": (0.1, 2.0),
    "gumbel_r": (0.1, 2.0), "gumbel_l": (0.1, 2.0), "gennorm": (1.5,), "vonmises": (2.0,), "wrapcauchy": (0.3,),
}
MASSES = {"poisson": (2.5,), "bernoulli": (0.3,), "binom": (5.0, 0.3), "nbinom": (5.0, 0.3), "betabinom": (5.0, 2.0, 3.0), "geom": (0.3,)}


@pytest.mark.parametrize("name", [*DENSITIES, *MASSES])
def test_distributions(name):
    args = DENSITIES.get(name) or MASSES[name]
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    continuous = np.array([0.15, 0.4, 0.7, 1.2, 1.9, 2.5], "f")
    x = continuous if name in DENSITIES else np.arange(6, dtype="f")
    for function in vars(ours):
        at = np.array([0.1, 0.35, 0.9], "f") if function in ("ppf", "isf") else x
        if name in MASSES and function == "ppf":
            continue
        found = getattr(ours, function)(at, *args)
        np.testing.assert_allclose(found, getattr(theirs, function)(at.astype(float), *args), rtol=3e-5, atol=3e-6)
        assert found.dtype == np.float32


@pytest.mark.parametrize("name", DENSITIES)
def test_gradients_of_log_densities(name):
    f, args = getattr(stats, name).logpdf, DENSITIES[name]
    x = np.array([0.7, 1.2], "f")
    exact = getattr(scipy.stats, name).logpdf
    slope = (exact(x.astype(float) + 1e-6, *args) - exact(x.astype(float) - 1e-6, *args)) / 2e-6
    np.testing.assert_allclose(transformer.vmap(transformer.grad(lambda v: f(v, *args)))(x), slope, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(transformer.jit(lambda x: f(x, *args))(x), f(x, *args), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f, args", [("gamma.cdf", (1.5, 2.5)), ("gamma.sf", (30.0, 2.5)), ("beta.cdf", (0.3, 2.0, 3.0)), ("chi2.cdf", (4.0, 3.0)),
                                     ("norm.ppf", (0.01,)), ("poisson.cdf", (3.0, 2.5)), ("gennorm.cdf", (0.4, 1.5))])
def test_compiled_distribution_functions(f, args):
    name, function = f.split(".")
    found = transformer.jit(lambda x: getattr(getattr(stats, name), function)(x, *args[1:]))(np.float32(args[0]))
    np.testing.assert_allclose(found, getattr(getattr(scipy.stats, name), function)(*args), rtol=2e-5)


def test_fixed_matrices():
    close(linalg.hilbert(3), scipy.linalg.hilbert(3))
    assert linalg.pascal(3).dtype == np.float32 and linalg.dft(4).dtype == np.complex64


def test_densities_of_vectors():
    x = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], "f").T
    alpha = np.array([1.0, 2.0, 3.0], "f")
    close(stats.dirichlet.logpdf(x, alpha), np.array([scipy.stats.dirichlet.logpdf(c / c.sum(), alpha) for c in x.T.astype(float)]))
    close(stats.multinomial.logpmf(np.array([1.0, 2.0, 3.0], "f"), 6.0, np.array([0.2, 0.3, 0.5], "f")),
          scipy.stats.multinomial.logpmf([1, 2, 3], 6, [0.2, 0.3, 0.5]))
    cov, points = np.array([[2.0, 0.5], [0.5, 1.0]], "f"), RNG.normal(size=(4, 2)).astype("f")
    close(stats.multivariate_normal.logpdf(points, np.zeros(2, "f"), cov), scipy.stats.multivariate_normal.logpdf(points, np.zeros(2), cov))
    slope = transformer.grad(lambda x: stats.multivariate_normal.logpdf(x, np.zeros(2, "f"), cov))(points[0])
    close(slope, -np.linalg.solve(cov, points[0]))
    with pytest.raises(TransformError, match="fit"):
        stats.multivariate_normal.logpdf(points, np.zeros(3, "f"), cov)


def test_impossible_values():
    assert float(stats.expon.logpdf(-1.0)) == -np.inf and float(stats.gamma.logpdf(-1.0, 2.0)) == -np.inf
    assert float(stats.poisson.logpmf(1.5, 2.0)) == -np.inf and float(stats.uniform.pdf(3.0)) == 0.0
    assert np.isfinite(transformer.grad(lambda v: stats.gamma.logpdf(v, 2.0))(-1.0))


# signal -----------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "convolve2d", "correlate2d"])
def test_convolutions(name, mode):
    f, reference = getattr(signal, name), getattr(scipy.signal, name)
    if not name.endswith("2d"):
        x, y = np.arange(7, dtype="f"), VECTOR
        close(f(x, y, mode), reference(x, y, mode), atol=1e-4)
    x, y = RNG.normal(size=(5, 6)).astype("f"), RNG.normal(size=(2, 3)).astype("f")
    close(f(x, y, mode), reference(x, y, mode), atol=1e-4)
    close(transformer.jit(lambda x, y: f(x, y, mode))(x, y), reference(x, y, mode), atol=1e-4)
    weights = RNG.normal(size=np.shape(reference(x, y, mode))).astype("f")
    slope = transformer.grad(lambda y: jnp.sum(weights * f(x, y, mode)))(y)
    unit = np.zeros_like(y)
    unit[1, 2] = 1
    close(slope[1, 2], np.sum(weights * reference(x, unit, mode)), rtol=1e-3, atol=1e-3)


def test_detrend():
    close(signal.detrend(A), scipy.signal.detrend(A))
    close(signal.detrend(A, axis=0, type="constant"), scipy.signal.detrend(A, axis=0, type="constant"))


@pytest.mark.parametrize("call, words", [(lambda: signal.convolve(A, VECTOR), "axes"), (lambda: signal.convolve(VECTOR, VECTOR, "odd"), "odd"),
                                         (lambda: signal.convolve2d(A, A, boundary="wrap"), "wrap"), (lambda: signal.convolve2d(VECTOR, VECTOR), "matrices")])
def test_signal_refuses(call, words):
    with pytest.raises(TransformError, match=words):
        call()


def test_distributions_of_jax():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("jax")
        import jax.scipy.stats as theirs
    x = np.array([-1.0, 0.0, 0.2, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0], "f")
    for name, args in (DENSITIES | MASSES).items():
        log = "logpdf" if name in DENSITIES else "logpmf"
        np.testing.assert_allclose(getattr(getattr(stats, name), log)(x, *args), getattr(getattr(theirs, name), log)(x, *args), rtol=3e-5, atol=3e-6,
                                   err_msg=name)
