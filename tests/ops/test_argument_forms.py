"""Forms in which NumPy's functions are called: values, and gradients against finite differences."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

import transformer
from tests.ops.test_scipy import slope, value
from transformer.errors import TransformError

RNG = np.random.default_rng(13)
X = RNG.normal(size=(3, 4))
V = RNG.normal(size=4)
S = RNG.normal(size=(2, 3, 4))
Z = X + 1j * RNG.normal(size=(3, 4))


def shrunk(a, b=0.3):
    if a > b:
        return a - b
    return a * b


every = np.vectorize(shrunk)

CALLS = [
    (lambda x: np.r_[x[0], 2.0, 1:4, x[1] ** 2], (X,)), (lambda x: np.r_["-1,2,0", x[0], x[1]], (X,)), (lambda x: np.r_[x, x], (X,)),
    (lambda x: np.c_[x[0], x[1] ** 2], (X,)), (lambda x: np.c_[x, x[:, 0]], (X,)), (lambda x: np.r_[0:1:3j, x[0]], (X,)),
    (lambda x: np.choose([0, 1, 0, 1], [x[0], x[1]]), (X,)), (lambda x: np.choose([5, -1, 0, 1], [x[0], x[1]], mode="clip"), (X,)),
    (lambda x: np.add.reduceat(x, [0, 2], axis=1), (X,)), (lambda x: np.maximum.reduceat(x[0], [2, 0, 1]), (X,)),
    (lambda x: np.multiply.reduceat(x, [0, 2, 2], axis=-1), (X,)), (lambda x: sliding_window_view(x, 2, axis=1) ** 2, (X,)),
    (lambda x: sliding_window_view(x, (2, 3), axis=(0, 2)), (S,)), (lambda x: sliding_window_view(x, (2, 3)), (X,)),
    (every, (X,)), (lambda x: every(x, b=0.1), (X,)), (lambda x: every(x[0, 0]), (X,)),
    (lambda x: np.vectorize(lambda a, b: a * b + np.sin(a))(x, V), (X,)),
    (lambda x: np.vectorize(lambda r: np.sum(r ** 2), signature="(n)->()")(x), (X,)),
    (lambda x: np.vectorize(lambda r, s: np.dot(r, s), signature="(m,n),(n)->(m)")(np.reshape(x, (2, 2, 3)), x[0, :3]), (X,)),
    (lambda x: np.vectorize(lambda r, s: (r * s, r + s))(x, 2.0)[1] ** 2, (X,)),
    (lambda x: np.vectorize(lambda c, t: np.polyval(c, t), excluded=[0])(x[0], x[1]), (X,)),
    (lambda x: np.vectorize(lambda a: a * 2, otypes=[float])(x), (X,)),
]
CALLS += [(lambda x, m=m: np.pad(x, ((1, 2), (0, 3)), mode=m), (X,)) for m in ("linear_ramp", "maximum", "minimum", "mean", "median")]
CALLS += [(lambda x, m=m: np.pad(x, ((1, 2), (1, 1)), mode=m, stat_length=((1, 2), (3, 3))), (X,)) for m in ("maximum", "minimum", "mean", "median")]
CALLS += [(lambda x: np.pad(x, ((1, 2), (0, 3)), mode="linear_ramp", end_values=((0, 1), (2, 3))), (X,))]
SERIES = [polynomial.polyval, chebyshev.chebval, legendre.legval, hermite.hermval, hermite_e.hermeval, laguerre.lagval]
CALLS += [(f, (X, V)) for f in SERIES] + [(lambda c, f=f: f(0.3, c), (X,)) for f in SERIES]
CALLS += [(lambda x, c, f=f: f(x, c, tensor=False), (V, np.reshape(S, (6, 4)))) for f in SERIES[:2]]


@pytest.mark.parametrize("fn, args", CALLS)
def test_forms(fn, args):
    np.testing.assert_allclose(value(fn, *args), fn(*args), rtol=1e-12, atol=1e-14)
    for found, wanted in slope(fn, *args):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)


def directional(fn, z):
    """The gradient of a real function of a complex array along a direction, and finite differences."""
    d = RNG.normal(size=z.shape) + 1j * RNG.normal(size=z.shape)
    found = np.sum(transformer.grad(fn)(z) * d).real
    np.testing.assert_allclose(transformer.jvp(fn, (z,), (d,))[1], found, rtol=1e-9, atol=1e-12)
    return found, (fn(z + 1e-6 * d) - fn(z - 1e-6 * d)) / 2e-6


@pytest.mark.parametrize("fn", [
    lambda z: np.sum(np.abs(np.linalg.svd(z, full_matrices=False)[0]) ** 3), lambda z: np.sum(np.abs(np.linalg.svd(z, full_matrices=False)[2]) ** 3),
    lambda z: np.abs(np.linalg.svd(z, full_matrices=False)[0][0, 0] * np.linalg.svd(z, full_matrices=False)[2][0, 1] + 1.0),
    lambda z: np.sum(np.abs(np.linalg.eigh(z @ np.conj(z.T))[1]) ** 3), lambda z: np.sum(np.abs(np.linalg.eigh(z[:3, :3], "U")[1]) ** 3),
    lambda z: np.sum(np.real(np.linalg.qr(z)[0] * np.array([1.0, 2j, 0.5]))), lambda z: np.sum(np.real(np.linalg.qr(z)[1] ** 2)),
    lambda z: np.sum(np.real(np.linalg.qr(z.T)[0] ** 2)), lambda z: np.sum(np.imag(np.linalg.qr(z.T)[1] ** 3)),
    lambda z: np.linalg.norm(z, "nuc"), lambda z: np.linalg.norm(z, 2),
])
@pytest.mark.parametrize("z", [Z, Z.T])
def test_factors_of_complex_matrices(fn, z):
    np.testing.assert_allclose(*directional(fn, z), rtol=1e-5, atol=1e-7)


def test_second_derivatives_of_complex_singular_values():
    fn = lambda z: np.sum(np.linalg.svd(z, compute_uv=False) ** 3)  # noqa: E731
    d = RNG.normal(size=Z.shape) + 1j * RNG.normal(size=Z.shape)
    along = lambda z: np.sum(np.real(transformer.grad(fn)(z) * d))  # noqa: E731
    np.testing.assert_allclose(*directional(along, Z), rtol=1e-5, atol=1e-7)


def test_real_if_close_is_decided_by_the_values():
    fn = lambda z: np.sum(np.real(np.real_if_close(z) ** 2))  # noqa: E731
    np.testing.assert_allclose(transformer.grad(fn)(Z), 2 * Z)
    gradient = transformer.grad(fn)(X + 0j)
    np.testing.assert_allclose(gradient, 2 * X)
    with pytest.raises(TransformError, match="real_if_close"):
        transformer.jit(fn)(Z)


def test_extended_precision():
    x = X.astype(np.longdouble)
    assert transformer.grad(lambda x: np.sum(x ** 2))(x).dtype == np.longdouble
    z = Z.astype(np.clongdouble)
    np.testing.assert_allclose(transformer.grad(lambda z: np.real(np.sum(z ** 2)))(z), 2 * z)
    assert transformer.grad(lambda z: np.linalg.norm(np.abs(z)))(z).dtype == np.clongdouble


def test_grad_of_a_bool_raises():
    with pytest.raises(TypeError, match="bool"):
        transformer.grad(lambda x: np.allclose(x, x))(X)


def grown(x):
    """Squares up to the first value above 2."""
    found, i = [], 0
    while x[i] < 2.0:
        found.append(x[i] ** 2)
        i += 1
    return np.sum(np.array(found))


def test_jvp_and_vjp_in_value_mode():
    x = np.array([0.5, 1.0, 3.0])
    assert transformer.jvp(grown, (x,), (np.ones(3),)) == (1.25, 3.0)
    np.testing.assert_array_equal(transformer.vjp(grown, x)[1](1.0)[0], [1.0, 2.0, 0.0])
    assert transformer.linearize(grown, x)[1](np.ones(3)) == 3.0


def test_a_number_as_cotangent_of_an_array_without_axes():
    _, pullback = transformer.vjp(lambda x: np.squeeze(x), np.ones((1, 1)))
    np.testing.assert_array_equal(pullback(2.0)[0], [[2.0]])


def test_jacobian_of_a_function_made_inside():
    def outer(x):
        def inner(y):
            return np.sin(y) * y[0]
        inner.__name__ = "<lambda>"
        return np.sum(transformer.jacrev(inner)(x))
    found, wanted = next(slope(outer, V))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_python_numbers_get_axes():
    assert transformer.grad(lambda x: np.sum(np.expand_dims(x, 0) ** 2))(2.0) == 4.0
    assert transformer.value_and_grad(lambda x: np.sum(np.expand_dims(x, (0, 1))))(2.0) == (2.0, 1.0)

    def pulled(x, v):
        return transformer.vjp(lambda x: np.squeeze(x), x)[1](v)[0]
    value, tangent = transformer.jvp(pulled, (np.ones((1, 1)), 2.0), (np.ones((1, 1)), 1.0))
    assert value.shape == tangent.shape == (1, 1) and tangent[0, 0] == 1.0
