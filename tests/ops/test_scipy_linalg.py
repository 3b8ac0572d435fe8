"""scipy.linalg and plain formulas of scipy.special against scipy itself, with gradients."""

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.special as sp
from scipy.integrate import odeint

import transformer
from tests.ops.test_scipy import slope, value

RNG = np.random.default_rng(12)
A = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
B = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
X = RNG.uniform(0.2, 2.0, (2, 3))

MATRIX = [
    (sl.logm, (A @ A.T,)), (sl.cosm, (A,)), (sl.sinm, (A,)), (sl.coshm, (A,)), (sl.sinhm, (A,)), (sl.tanm, (0.1 * A,)), (sl.tanhm, (A,)),
    (lambda a, e: sl.expm_frechet(a, e, compute_expm=False), (A, B)), (sl.solve_continuous_lyapunov, (A, B)),
    (sl.solve_discrete_lyapunov, (0.1 * A, B)), (sl.solve_sylvester, (A, B, X.T @ X)), (sl.solve_toeplitz, (A[0] + np.array([4.0, 0, 0]), B[0])),
    (lambda c, r, b: sl.solve_toeplitz((c, r), b), (A[0] + np.array([4.0, 0, 0]), B[0], A[1])), (sl.norm, (X,)), (lambda a: sl.norm(a, 1), (X,)),
    (sl.pinv, (X,)), (lambda a, b: sl.lstsq(a, b)[0], (X.T, A[0])), (sl.svdvals, (X,)), (lambda a: np.real(sl.eigvals(a)), (A @ A.T,)),
    (lambda a: sl.eigvalsh(a + a.T), (A,)), (sl.inv, (A,)), (sl.det, (A,)), (sl.expm, (0.3 * A,)),
]
SPECIAL = [
    (sp.boxcox, (X, 0.7)), (sp.boxcox1p, (X, -0.4)), (lambda d, r: sp.huber(d, r), (0.8, X)), (sp.pseudo_huber, (0.8, X)),
    (sp.comb, (X + 3.0, X)), (sp.perm, (X + 3.0, X)), (sp.factorial, (X,)), (lambda x: sp.chdtr(3.0, x), (X,)), (lambda x: sp.chdtrc(3.0, x), (X,)),
    (lambda a, x: sp.gdtr(a, 2.0, x), (1.3, X)), (lambda m: sp.pdtrc(2.0, m), (X,)), (lambda a: sp.multigammaln(a, 3), (X + 3.0,)),
]


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("fn, args", MATRIX + SPECIAL)
def test_values_and_gradients(fn, args):
    np.testing.assert_allclose(value(fn, *args), fn(*args), rtol=1e-9, atol=1e-12)
    for found, wanted in slope(lambda *a: fn(*a) ** 2, *args):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("x", [-1.0, 0.0, 3.0])
def test_formulas_at_their_edges(x):
    for fn in (lambda x: sp.comb(2.0, x), lambda x: sp.huber(1.0, x), lambda x: sp.pseudo_huber(x, 1.0), lambda x: sp.factorial(x)):
        np.testing.assert_allclose(value(fn, x), fn(x))
    np.testing.assert_allclose(value(sp.boxcox, 2.0, 0.0), np.log(2.0))


def test_batches_of_matrices():
    stack = np.stack([A @ A.T, B @ B.T])
    for fn in (sl.sqrtm, sl.logm):
        found = transformer.vmap(lambda a, fn=fn: np.sum(fn(a + 0j)))(stack)
        np.testing.assert_allclose(found, [np.sum(fn(a)) for a in stack], rtol=1e-9)
    found = transformer.vmap(transformer.grad(lambda a: np.sum(sl.solve_sylvester(a, B, A) ** 2)))(stack)
    np.testing.assert_allclose(found, [transformer.grad(lambda a: np.sum(sl.solve_sylvester(a, B, A) ** 2))(a) for a in stack], rtol=1e-9)


# differential equations -----------------------------------------------------------------------------------
def oscillator(y, t, k, drive):
    return np.array([y[1], -k * y[0] - 0.1 * y[1] + drive * np.sin(t)])


TIMES = np.linspace(0.0, 1.5, 4)


def test_odeint_has_gradients_by_state_times_and_parameters():
    loss = lambda y, t, k: np.sum(odeint(oscillator, y, t, args=(k, 0.3)) ** 2)  # noqa: E731
    found = transformer.grad(loss, (0, 1, 2))(np.array([1.0, 0.2]), TIMES, 1.7)
    exact = lambda y, t, k: np.sum(odeint(oscillator, y, t, args=(k, 0.3), rtol=1e-12, atol=1e-12) ** 2)  # noqa: E731
    for k, gradient in enumerate(found):
        moved = [[a + s * 1e-5 * (i == k) for i, a in enumerate((np.array([1.0, 0.2]), TIMES, 1.7))] for s in (1, -1)]
        np.testing.assert_allclose(np.sum(gradient), (exact(*moved[0]) - exact(*moved[1])) / 2e-5, rtol=1e-5)


def test_odeint_of_a_function_defined_inside():
    def decayed(k):
        def slope_of(y, t):
            return -k * y
        return odeint(slope_of, np.array([1.0]), [0.0, 1.0])[1, 0]
    np.testing.assert_allclose(transformer.grad(decayed)(1.3), -np.exp(-1.3), rtol=1e-6)
    np.testing.assert_allclose(transformer.jit(transformer.grad(decayed))(1.3), -np.exp(-1.3), rtol=1e-6)
    np.testing.assert_allclose(transformer.vmap(decayed)(np.array([0.5, 1.3])), np.exp([-0.5, -1.3]), rtol=1e-6)


def test_options_of_odeint_that_are_not_known_raise():
    with pytest.raises(transformer.TransformError, match="full_output"):
        transformer.grad(lambda k: odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0], full_output=True)[0][1, 0])(1.0)
