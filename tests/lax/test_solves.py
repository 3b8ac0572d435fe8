"""`custom_linear_solve` and `custom_root`: derivatives by what is solved, whatever the solver does, and of any order."""

import numpy as np
import pytest

import transformer as T
from transformer import lax

R = np.random.default_rng(0).normal(size=(3, 3))
A, B = R @ R.T / 6 + np.eye(3) + 0.1 * np.triu(R), np.ones(3)
STACK = np.stack([A, A.T])


@pytest.fixture(autouse=True)
def wide():
    with T.enable_x64():
        yield


def richardson(matvec, b):
    """A solver through which no derivative goes."""
    def body(state):
        x, rest = state
        x = x + 0.3 * rest
        return x, b - matvec(x)
    return lax.stop_gradient(lax.while_loop(lambda state: np.sum(state[1] ** 2) > 1e-28, body, (0.0 * b, b))[0])


def by_rule(a, b):
    return np.sum(lax.custom_linear_solve(lambda x: a @ x, b, richardson, richardson) ** 2)


def by_numpy(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


TRANSFORMS = {
    "value": lambda f: f(A, B), "grad": lambda f: T.grad(f, (0, 1))(A, B), "jit": lambda f: T.jit(T.grad(f, (0, 1)))(A, B),
    "jvp": lambda f: T.jvp(f, (A, B), (A.T, B)), "hessian": lambda f: T.hessian(f)(A, B), "jacrev of grad": lambda f: T.jacrev(T.grad(f), 1)(A, B),
    "third": lambda f: T.jvp(lambda a: T.hessian(f)(a, B), (A,), (A.T,)),
    "vmap of grad": lambda f: T.vmap(T.grad(f, (0, 1)), (0, None))(STACK, B),
    "grad of vmap": lambda f: T.grad(lambda a, b: np.sum(T.vmap(f, (0, None))(a, b)), (0, 1))(STACK, B),
    "jvp of vmap": lambda f: T.jvp(T.vmap(f, (0, None)), (STACK, B), (STACK, B)),
    "jvp of vmap in b": lambda f: T.jvp(lambda b: T.vmap(f, (0, None))(STACK, b), (B,), (B,)),
    "hessian of vmap": lambda f: T.hessian(lambda b: np.sum(T.vmap(f, (0, None))(STACK, b)))(B),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_linear_systems(name):
    for found, wanted in zip(*(T.tree.leaves(TRANSFORMS[name](f)) for f in (by_rule, by_numpy)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)


def test_symmetric_systems_and_pytrees():
    def f(a):
        b = {"x": a * 1.0, "y": a * np.ones(2)}
        x = lax.custom_linear_solve(lambda v: {"x": a * v["x"], "y": 2.0 * v["y"]}, b,
                                    lambda matvec, b: lax.stop_gradient({"x": b["x"] / a, "y": b["y"] / 2.0}), symmetric=True)
        return x["x"] * a ** 2 + np.sum(x["y"])
    assert float(T.grad(f)(3.0)) == 7.0


def test_reverse_mode_needs_the_transposed_system():
    def f(a):
        return np.sum(lax.custom_linear_solve(lambda x: a @ x, B, richardson))
    assert np.isfinite(T.jvp(f, (A,), (A,))[1])
    with pytest.raises(T.TransformError, match="transpose_solve"):
        T.grad(f)(A)


def cube_root(a):
    def newton(f, x):
        return lax.stop_gradient(lax.fori_loop(0, 60, lambda i, x: x - f(x) / (3.0 * x * x), x))
    return lax.custom_root(lambda x: x ** 3 - a, 1.0 + 0.0 * a, newton, lambda g, y: y / g(1.0))


def test_roots():
    assert float(cube_root(8.0)) == 2.0
    for wanted, f in ((1 / 12, T.grad(cube_root)), (1 / 12, T.jit(T.grad(cube_root))), (-1 / 144, T.grad(T.grad(cube_root))),
                      (10 / 27 * 8 ** (-8 / 3), T.grad(T.grad(T.grad(cube_root)))), (1 / 12, lambda a: T.jvp(cube_root, (a,), (1.0,))[1])):
        np.testing.assert_allclose(f(8.0), wanted, rtol=1e-9)
    rows = np.array([1.0, 8.0, 27.0])
    np.testing.assert_allclose(T.vmap(T.grad(cube_root))(rows), rows ** (-2 / 3) / 3, rtol=1e-9)


def test_root_with_more_results():
    def f(a):
        x, steps = lax.custom_root(lambda x: x - a * 2.0, a, lambda f, x: (lax.stop_gradient(x - f(x)), 1), lambda g, y: y / g(1.0), has_aux=True)
        return x * steps
    assert float(T.grad(f)(3.0)) == 2.0
