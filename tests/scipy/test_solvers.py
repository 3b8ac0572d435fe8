"""scipy.optimize roots and scipy.sparse.linalg solvers: derivatives of what is solved, not of the iterations."""

import numpy as np
import pytest
import scipy.optimize as so
import scipy.sparse
import scipy.sparse.linalg as sl

import transformer
import transformer.numpy as jnp
from tests.scipy.checks import check, check_value
from transformer.scipy.sparse import linalg

RNG = np.random.default_rng(0)
X = np.array([2.0, 0.3])
A, B = RNG.normal(size=(6, 6)), RNG.normal(size=6)
SPD, ANY = A @ A.T + 3 * np.eye(6), A + 6 * np.eye(6)


# roots -----------------------------------------------------------------------------------------------------------
ROOTS = {
    "brentq": lambda x: so.brentq(lambda t: t ** 3 - x[0] * np.exp(-t * x[1]), 0, 3),
    "bisect": lambda x: so.bisect(lambda t, a, b: t ** 3 - a * np.exp(-t * b), 0.0, 3.0, args=(x[0], x[1])),
    "ridder": lambda x: so.ridder(lambda t: np.cos(t) - x[1], 0, 2), "brenth": lambda x: so.brenth(lambda t: np.cos(t) - x[1], 0, 2),
    "toms748": lambda x: so.toms748(lambda t: np.cos(t) - x[1], 0, 2),
    "secants": lambda x: so.newton(lambda t: t ** 3 - x[0] * np.exp(-t * x[1]), 1.0),
    "tangents": lambda x: so.newton(lambda t: t ** 3 - x[0], 1.0, lambda t: 3 * t ** 2),
    "halley": lambda x: so.newton(lambda t, a: t ** 3 - a, 1.0, lambda t, a: 3 * t ** 2, (x[0],), fprime2=lambda t, a: 6 * t),
    "bracket": lambda x: so.root_scalar(lambda t: t ** 3 - x[0], bracket=[0, 3]).root,
    "slope": lambda x: so.root_scalar(lambda t: t ** 3 - x[0], x0=1.0, fprime=lambda t: 3 * t * t).root,
    "two points": lambda x: so.root_scalar(lambda t: t ** 3 - x[0], x0=1.0, x1=1.5, method="secant").root,
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots(name):
    check(ROOTS[name], X, rtol=1e-7, order2=name in ("brentq", "tangents"))


def test_hard_brackets():
    for f in (lambda t: np.exp(t * 20) - 3, lambda t: np.where(t < 0.3, -1.0, 1e-3 * t), lambda t: np.arctan(50 * (t - 0.9)), lambda t: 1e-80 * (t - 1) ** 5):
        found = transformer.jit(lambda x, f=f: so.brentq(lambda t: f(t) * x, -1.0, 2.0))(1.0)
        np.testing.assert_allclose(found, so.brentq(f, -1.0, 2.0), atol=1e-11)
    for call in (lambda f: so.brentq(f, -1.0, 2.0), lambda f: float(transformer.jit(lambda x: so.brentq(lambda t: f(t) * x, -1.0, 2.0))(1.0))):
        with pytest.raises(RuntimeError, match="onverge"):
            call(lambda t: t ** 9)


@pytest.mark.parametrize("call, error", [
    (lambda x: so.brentq(lambda t: t ** 2 + x[0], 0, 3), ValueError), (lambda x: so.brentq(lambda t: t ** 3 - x[0], 0, 3, maxiter=2), RuntimeError),
    (lambda x: so.brentq(lambda t: t ** 3 - x[0], 0, 3, full_output=True)[0], transformer.TransformError),
    (lambda x: so.newton(lambda t: t - x, np.ones(2))[0], transformer.TransformError),
    (lambda x: so.root_scalar(lambda t: t - x[0]).root, transformer.TransformError),
])
def test_roots_that_are_not_found(call, error):
    with pytest.raises(error):
        transformer.grad(call)(X)


# linear systems -----------------------------------------------------------------------------------------------------
EXACT = {"rtol": 1e-12}
SYSTEMS = {
    "cg": (lambda s, b: sl.cg(0.5 * (s + s.T), b, **EXACT)[0], SPD, B), "bicgstab": (lambda s, b: sl.bicgstab(s, b, **EXACT)[0], ANY, B),
    "gmres": (lambda s, b: sl.gmres(s, b, **EXACT)[0], ANY, B), "short gmres": (lambda s, b: sl.gmres(s, b, restart=3, rtol=1e-10)[0], ANY, B),
    "preconditioned": (lambda b: sl.cg(SPD, b, x0=np.ones(6), M=np.diag(1 / np.diag(SPD)), **EXACT)[0], B),
    "sparse": (lambda b: sl.cg(SPARSE, b, **EXACT)[0], B),
}
SPARSE = scipy.sparse.csr_matrix(SPD)


@pytest.mark.parametrize("name", SYSTEMS)
def test_linear_systems(name):
    fn, *args = SYSTEMS[name]
    check(fn, *args, rtol=1e-7, order2=name == "cg")


def test_iterations_and_info_are_those_of_scipy():
    check_value(lambda s, b: sl.cg(s, b, rtol=1e-3), SPD, B, jit=True, rtol=1e-6)
    for method in (sl.cg, sl.bicgstab):
        check_value(lambda b, m=method: m(SPD, b, maxiter=2), B, jit=True, rtol=1e-6)


def test_matrices_given_as_functions():
    f = transformer.grad(lambda k, b: np.sum(sl.cg(lambda v: k * v + SPD @ v, b, **EXACT)[0] ** 2), (0, 1))
    g = transformer.grad(lambda k, b: np.sum(np.linalg.solve(SPD + k * np.eye(6), b) ** 2), (0, 1))
    for found, wanted in zip(f(0.5, B), g(0.5, B)):
        np.testing.assert_allclose(found, wanted, rtol=1e-8)


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
def test_solvers_of_jax(name):
    fn, s, b = getattr(linalg, name), SPD.astype("f"), B.astype("f")
    for call in (fn, transformer.jit(fn)):
        x, info = call(jnp.asarray(s), jnp.asarray(b), tol=1e-6)
        assert x.dtype == np.float32 and info is None
        np.testing.assert_allclose(x, np.linalg.solve(s, b), rtol=1e-4, atol=1e-5)
    f = transformer.grad(lambda s, b: jnp.sum(fn(lambda v: s @ v, b, tol=1e-7)[0] ** 2), (0, 1))
    g = transformer.grad(lambda s, b: jnp.sum(jnp.linalg.solve(s, b) ** 2), (0, 1))
    for found, wanted in zip(f(s, b), g(s, b)):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
    tree = {"u": jnp.asarray(b[:2]), "v": jnp.asarray(b[2:])}
    np.testing.assert_allclose(fn(lambda t: {k: 2 * v for k, v in t.items()}, tree)[0]["v"], b[2:] / 2, rtol=1e-5)


@pytest.mark.parametrize("call, words", [
    (lambda b: sl.cg(sl.aslinearoperator(SPD), b)[0], "LinearOperator"), (lambda b: sl.cg(SPD[:3], b)[0], "square"),
    (lambda b: sl.gmres(SPD, b, callback=print)[0], "callback"), (lambda b: sl.lsqr(SPD, b)[0], "lsqr"),
])
def test_refusals(call, words):
    with pytest.raises(transformer.TransformError, match=words):
        transformer.grad(lambda b: np.sum(call(b)))(B)
