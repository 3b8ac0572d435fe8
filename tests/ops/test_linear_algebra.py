"""Linear algebra: rules run as plain NumPy against finite differences and stacked loops."""

import numpy as np
import pytest

import transformer
from transformer.core import Aval
from transformer.errors import ShapeError, TransformError
from transformer.ops.op import FUNCTIONS, TABLE

from .compiled import check_infer, run_lowering, sample, samples_of

SMOOTH = ["solve", "inv", "det", "slogdet", "norm", "cholesky", "eigh", "eig", "svd", "qr", "pinv", "lstsq"]
CASES = [(name, i) for name in SMOOTH for i in range(len(samples_of(TABLE[name])))]


def moved(op, args, dots, params, step=1e-6):
    """The directional derivative by central differences."""
    ahead = op.impl(*(a + step * d for a, d in zip(args, dots, strict=True)), **params)
    behind = op.impl(*(a - step * d for a, d in zip(args, dots, strict=True)), **params)
    return (ahead - behind) / (2 * step)


@pytest.mark.parametrize("name,index", CASES)
def test_infer_gives_the_shape_and_dtype_of_numpy(name, index):
    op, args, params, out = sample(name, index)
    for dtype in (float, np.float32, complex):
        check_infer(op, [a.astype(dtype) for a in args], params)


@pytest.mark.parametrize("name,index", CASES)
def test_jvp_and_vjp_equal_finite_differences(name, index):
    op, args, params, out = sample(name, index)
    rng = np.random.default_rng(1)
    dots = [rng.normal(size=a.shape) for a in args]
    want = moved(op, args, dots, params)
    np.testing.assert_allclose(op.jvp(tuple(dots), *args, out, **params), want, rtol=1e-6, atol=1e-6)
    g = rng.normal(size=out.shape)
    bars = op.vjp(g, *args, out, **params)
    bars = bars if isinstance(bars, tuple) else (bars,)
    assert [np.shape(b) for b in bars] == [a.shape for a in args]
    got = sum(np.sum(b * d) for b, d in zip(bars, dots, strict=True))
    np.testing.assert_allclose(np.real(got), np.real(np.sum(g * want)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name,index", [c for c in CASES if c[0] in ("solve", "inv", "det", "slogdet", "norm", "cholesky", "pinv", "lstsq")]
                         + [("eigh", 0), ("svd", 0), ("eig", 0), ("eig", 2), ("eig", 4)])
def test_complex_rules_equal_finite_differences(name, index):
    op, args, params, _ = sample(name, index)
    rng = np.random.default_rng(2)

    def twist(a):
        return a + 0.1j * (rng.normal(size=a.shape) if name != "pinv" else a)

    args = [twist(a) for a in args]
    dots = [rng.normal(size=a.shape) + 1j * rng.normal(size=a.shape) if name != "pinv" else (0.3 + 0.4j) * a for a in args]
    out, want = op.impl(*args, **params), moved(op, args, dots, params)
    np.testing.assert_allclose(op.jvp(tuple(dots), *args, out, **params), want, rtol=1e-5, atol=1e-5)
    g = rng.normal(size=np.shape(out)) + (1j * rng.normal(size=np.shape(out)) if np.iscomplexobj(out) else 0)
    bars = op.vjp(g, *args, out, **params)
    bars = bars if isinstance(bars, tuple) else (bars,)
    got = sum(np.sum(b * d) for b, d in zip(bars, dots, strict=True))
    np.testing.assert_allclose(np.real(got), np.real(np.sum(g * want)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name,index", CASES)
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_batch_equals_a_python_loop(name, index, axes):
    op, args, params, _ = sample(name, index)
    axes = axes[: len(args)] if len(args) > 1 else (0,)
    full = [np.stack([a, 2.0 * a, 1.5 * a]) if axis == 0 else a for a, axis in zip(args, axes, strict=True)]
    got, axis = op.batch(axes, *full, **params)
    want = [op.impl(*(a[n] if x == 0 else a for a, x in zip(full, axes, strict=True)), **params) for n in range(3)]
    assert axis == 0
    np.testing.assert_allclose(got, np.stack(want), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("ord", [None, 2, 1, 3, 0.5, 0, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vector_norms_equal_numpy(ord, keepdims):
    x = np.array([[3.0, -4.0, 1.0], [0.5, 0.0, -1.0]])
    for args in ((x[0], ord, None, keepdims), (x, ord, 1, keepdims), (x, ord, -2, keepdims)):
        np.testing.assert_allclose(FUNCTIONS[np.linalg.norm](*args), np.linalg.norm(*args), rtol=1e-12)


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms_equal_numpy(ord, keepdims):
    x = np.random.default_rng(3).normal(size=(2, 3, 4))
    for args in ((x[0], ord, None, keepdims), (x, ord, (1, 2), keepdims), (x, ord, (2, 0), keepdims)):
        np.testing.assert_allclose(FUNCTIONS[np.linalg.norm](*args), np.linalg.norm(*args), rtol=1e-12)


def test_norm_at_zero_has_gradient_zero():
    op, x = TABLE["norm"], np.array([[3.0, 4.0], [0.0, 0.0]])
    out = np.linalg.norm(x, axis=1)
    np.testing.assert_allclose(op.vjp(np.ones(2), x, out, axis=(1,), keepdims=False), [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_allclose(op.jvp((np.ones((2, 2)),), x, out, axis=(1,), keepdims=False), [1.4, 0.0])


def test_spectral_gradients_hold_at_equal_eigenvalues():
    q, _ = np.linalg.qr(sample("inv", 0)[1][0])
    a = q @ np.diag([1.0, 1.0, 2.0]) @ q.T
    w = np.linalg.eigvalsh(a)
    bar = TABLE["eigh"].vjp(np.exp(w), a, w, part="values", UPLO="L")
    full = q @ np.diag(np.exp([1.0, 1.0, 2.0])) @ q.T
    np.testing.assert_allclose(bar, 2 * np.tril(full, -1) + np.diag(np.diag(full)), rtol=1e-10)
    s = np.linalg.svd(q, compute_uv=False)
    np.testing.assert_allclose(TABLE["svd"].vjp(np.ones(3), q, s, part="S", full_matrices=False), q, atol=1e-12)


def test_pinv_of_deficient_rank_has_the_derivative_at_constant_rank():
    op, u, v = TABLE["pinv"], np.array([1.0, 2.0, -1.0]), np.array([0.5, 1.5])
    a, params = np.outer(u, v), {"rcond": None, "hermitian": False}
    out = op.impl(a, **params)
    np.testing.assert_allclose(op.jvp((a,), a, out, **params), -out, atol=1e-12)
    np.testing.assert_allclose(np.sum(op.vjp(np.ones(out.shape), a, out, **params) * a), -np.sum(out))


def test_results_keep_numpys_names():
    a = sample("cholesky", 0)[1][0]
    assert np.array_equal(FUNCTIONS[np.linalg.eigh](a).eigenvalues, np.linalg.eigh(a).eigenvalues)
    assert np.array_equal(FUNCTIONS[np.linalg.eigvalsh](a), np.linalg.eigvalsh(a))
    assert FUNCTIONS[np.linalg.svd](a).Vh.shape == FUNCTIONS[np.linalg.qr](a).R.shape == (3, 3)
    assert FUNCTIONS[np.linalg.slogdet](a).sign == 1.0


def test_composites_equal_numpy():
    a = sample("cholesky", 0)[1][0]
    tall = sample("pinv", 0)[1][0]
    for call in (np.linalg.cond, np.linalg.matrix_rank, np.linalg.svdvals, np.linalg.matrix_norm, np.linalg.vector_norm):
        np.testing.assert_allclose(FUNCTIONS[call](a), call(a))
    for got, want in zip(FUNCTIONS[np.linalg.lstsq](tall, np.arange(4.0)), np.linalg.lstsq(tall, np.arange(4.0)), strict=True):
        np.testing.assert_allclose(got, want)
    b = np.random.default_rng(5).normal(size=(2, 3, 6))
    np.testing.assert_allclose(FUNCTIONS[np.linalg.tensorsolve](b, np.ones((2, 3))), np.linalg.tensorsolve(b, np.ones((2, 3))))
    np.testing.assert_allclose(FUNCTIONS[np.linalg.tensorinv](b.reshape(6, 2, 3), 1), np.linalg.tensorinv(b.reshape(6, 2, 3), 1))


def test_what_does_not_fit_is_an_error_that_names_the_shapes():
    with pytest.raises(ShapeError, match=r"\(2, 3\)"):
        TABLE["inv"].infer(Aval((2, 3), np.dtype(float)))
    with pytest.raises(ShapeError, match=r"\(3, 3\) and \(2,\)"):
        TABLE["solve"].infer(Aval((3, 3), np.dtype(float)), Aval((2,), np.dtype(float)))
    with pytest.raises(TransformError, match="complete"):
        TABLE["qr"].vjp(np.eye(3), np.eye(3, 2), np.eye(3), part="Q", mode="complete")


@pytest.mark.parametrize("name,index", CASES)
@pytest.mark.parametrize("dtype", [float, np.float32, complex])
def test_lowering_equals_numpy(name, index, dtype):
    op, args, params, _ = sample(name, index)
    args = [a.astype(dtype) + (0.1j * a[..., ::-1] if dtype is complex and name != "pinv" else 0) for a in args]
    got, want = run_lowering(op, args, params), op.impl(*args, **params)
    if params.get("part") in ("vectors", "U", "Vh"):
        got, want = np.abs(got), np.abs(want)
    tolerance = 2e-3 if dtype is np.float32 else 1e-8
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_lowered_full_factorisations_equal_numpy():
    tall = sample("pinv", 0)[1][0]
    for x in (tall, tall.T):
        q, r = (run_lowering(TABLE["qr"], (x,), {"part": part, "mode": "complete"}) for part in "QR")
        np.testing.assert_allclose(q @ r, x)
        np.testing.assert_allclose(q.T @ q, np.eye(len(q)), atol=1e-12)
        u = run_lowering(TABLE["svd"], (x,), {"part": "U", "full_matrices": True})
        np.testing.assert_allclose(u.T @ u, np.eye(len(u)), atol=1e-12)


def test_lowering_of_a_larger_system():
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(4, 30, 30)), rng.normal(size=(4, 30, 5))
    np.testing.assert_allclose(run_lowering(TABLE["solve"], (a, b), {}), np.linalg.solve(a, b), rtol=1e-7)
    np.testing.assert_allclose(run_lowering(TABLE["det"], (a,), {}), np.linalg.det(a), rtol=1e-9)


def test_compiled_failure_is_nan():
    assert np.isnan(run_lowering(TABLE["inv"], (np.zeros((2, 2)),), {})).all()
    assert np.isnan(run_lowering(TABLE["cholesky"], (-np.eye(2),), {"upper": False})).all()


@pytest.mark.parametrize("n", range(1, 7))
def test_determinant_of_singular_matrices_has_derivatives(n):
    x = np.random.default_rng(n).normal(size=(n, n))
    x[-1] = x[0] if n > 1 else 0.0
    minors = [[np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)) for j in range(n)] for i in range(n)]
    want = np.array(minors) * (-1.0) ** np.add.outer(range(n), range(n))
    gradient, along = transformer.grad(np.linalg.det), np.cos(x)
    np.testing.assert_allclose(gradient(x), want, atol=1e-12)
    np.testing.assert_allclose(transformer.jit(gradient)(x), want, atol=1e-12)
    np.testing.assert_allclose(transformer.jvp(np.linalg.det, (x,), (along,))[1], np.sum(want * along), atol=1e-12)
    slope = (gradient(x + 1e-5 * along) - gradient(x - 1e-5 * along)) / 2e-5
    np.testing.assert_allclose(transformer.jvp(gradient, (x,), (along,))[1], slope, atol=1e-7)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [float, complex])
def test_systems_of_triangular_factors_are_not_factored_again(upper, dtype):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(5, 5)) + (1j * rng.normal(size=(5, 5)) if dtype is complex else 0.0)
    a, b = root @ root.conj().T + np.eye(5), rng.normal(size=(5, 2))

    def f(a, b):
        factor = np.linalg.cholesky(a, upper=upper)
        return np.sum(np.abs(np.linalg.solve(factor, b)) + np.abs(np.linalg.solve(factor.T, b)))
    compiled = transformer.jit(f)
    assert "getrf" not in compiled.lower(a, b).as_text()
    np.testing.assert_allclose(compiled(a, b), f(a, b))
    for got, want in zip(transformer.jit(transformer.grad(f, (0, 1)))(a, b), transformer.grad(f, (0, 1))(a, b), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_other_triangles_are_solved_as_any_matrix():
    def f(a, b):
        return np.linalg.solve(np.tril(a), b)
    with pytest.raises(np.linalg.LinAlgError):
        f(np.diag([1.0, 0.0]), np.ones(2))
    assert "getrf" in transformer.jit(f).lower(np.eye(2), np.ones(2)).as_text()
