"""`lax.linalg`, `lax.fft` and `ops.segment_sum` against JAX, un-jitted and compiled."""

import numpy as np
import pytest

from transformer import grad, jit, lax, ops, vmap

jax = pytest.importorskip("jax")

R = np.random.default_rng(0)
A, B = R.normal(size=(4, 4)).astype("float32"), R.normal(size=(4, 2)).astype("float32")
S = A @ A.T + 4 * np.eye(4, dtype="float32")
STACK = np.stack([S, S + A])
D = [R.normal(size=5).astype("float32") for _ in range(3)]
DATA, IDS = R.normal(size=(6, 2)).astype("float32"), np.array([0, 2, 2, -1, 7, 0])

CASES = {
    "cholesky": lambda l, o: l.linalg.cholesky(S),
    "cholesky of the lower triangle": lambda l, o: l.linalg.cholesky(S + np.triu(A, 1), symmetrize_input=False),
    "eigh": lambda l, o: l.linalg.eigh(S)[1],
    "eigh of the upper triangle": lambda l, o: l.linalg.eigh(S + np.tril(A, -1), lower=False, symmetrize_input=False)[1],
    "eig": lambda l, o: abs(l.linalg.eig(S)[0]).sort(),
    "lu": lambda l, o: l.linalg.lu(A),
    "lu of a stack": lambda l, o: l.linalg.lu(STACK),
    "qr": lambda l, o: abs(l.linalg.qr(B, full_matrices=False)[1]),
    "svd": lambda l, o: l.linalg.svd(B, compute_uv=False),
    "svd with vectors": lambda l, o: abs(l.linalg.svd(B, full_matrices=False)[0]),
    "triangular, right": lambda l, o: l.linalg.triangular_solve(S, B.T),
    "triangular, left": lambda l, o: l.linalg.triangular_solve(S, B, left_side=True, lower=True, transpose_a=True),
    "triangular, unit": lambda l, o: l.linalg.triangular_solve(S, B, left_side=True, lower=True, unit_diagonal=True),
    "triangular, stack": lambda l, o: l.linalg.triangular_solve(STACK, np.stack([B, B]), left_side=True, lower=True),
    "householder": lambda l, o: l.linalg.householder_product(A, D[0][:4]),
    "tridiagonal": lambda l, o: l.linalg.tridiagonal_solve(np.r_[np.float32(0), D[0][1:]], D[1] + 5, np.r_[D[2][:-1], np.float32(0)], np.outer(D[0], D[1])),
    "symmetric product": lambda l, o: l.linalg.symmetric_product(A, S, alpha=2.0, beta=0.5, symmetrize_output=True),
    "cholesky update": lambda l, o: l.linalg.cholesky_update(np.linalg.cholesky(S).T, A[0]),
    "pivots": lambda l, o: l.linalg.lu_pivots_to_permutation(np.array([2, 2, 3], "int32"), 5),
    "fft": lambda l, o: l.fft(A, "FFT", (4,)), "ifft": lambda l, o: l.fft(A + 0j, l.FftType.IFFT, (4, 4)),
    "rfft": lambda l, o: l.fft(A, "RFFT", (4,)), "irfft": lambda l, o: l.fft(A[:, :3] + 0j, "IRFFT", (4, 4)),
    "segment_sum": lambda l, o: o.segment_sum(DATA, IDS, 4), "segment_max": lambda l, o: o.segment_max(DATA, IDS, 4),
    "segment_min": lambda l, o: o.segment_min(IDS, abs(IDS), 9), "segment_prod": lambda l, o: o.segment_prod(DATA, IDS, 3),
    "mulhi": lambda l, o: l.mulhi(np.array([2**31 - 1, -5, 7], "int32"), np.array([2**30, 2**30, -3], "int32")),
    "mulhi of bytes": lambda l, o: l.mulhi(np.array([200, 3], "uint8"), np.array([250, 2], "uint8")),
    "platform_dependent": lambda l, o: l.platform_dependent(A, cpu=lambda x: x + 1, default=lambda x: x - 1),
    "conv_general_dilated_local":
        lambda l, o: l.conv_general_dilated_local(A[None, None], np.arange(72, dtype="float32").reshape(2, 4, 3, 3), (1, 1), "VALID", (2, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_equal(name):
    theirs = jax.tree.leaves(CASES[name](jax.lax, jax.ops))
    for ours in (CASES[name](lax, ops), jit(lambda: CASES[name](lax, ops))()):
        ours = list(ours) if isinstance(ours, tuple | list) else [ours]
        assert [(np.asarray(a).dtype, np.shape(a)) for a in ours] == [(b.dtype, b.shape) for b in theirs]
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


def test_gradients():
    for f in (lambda l, o, x: (l.linalg.triangular_solve(x, B, left_side=True, lower=True) ** 2).sum(),
              lambda l, o, x: o.segment_sum(x, np.array([0, 1, 0, 1]), 2).max(),
              lambda l, o, x: l.linalg.cholesky(x).sum(),
              lambda l, o, x: (l.fft(x, "RFFT", (4,)).real ** 2).sum()):
        theirs = jax.grad(lambda x: f(jax.lax, jax.ops, x))(S)
        for ours in (grad(lambda x: f(lax, ops, x))(S), jit(grad(lambda x: f(lax, ops, x)))(S)):
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)


OF_ARGUMENTS = {
    "lu": (lambda l, a: l.linalg.lu(a)[2], A), "eigh": (lambda l, s: l.linalg.eigh(s)[1], S),
    "triangular": (lambda l, s, b: l.linalg.triangular_solve(s, b), S, B.T), "householder": (lambda l, a, t: l.linalg.householder_product(a, t), A, D[0][:4]),
    "pivots": (lambda l, p: l.linalg.lu_pivots_to_permutation(p, 5), np.array([2, 2, 3], "int32")),
    "tridiagonal": (lambda l, a, d, c, r: l.linalg.tridiagonal_solve(a * np.arange(5, dtype="float32").clip(0, 1), d + 5, c, r), D[0], D[1],
                    np.r_[D[2][:-1], np.float32(0)], np.outer(D[0], D[1])),
}


@pytest.mark.parametrize("name", OF_ARGUMENTS)
def test_arguments_of_a_program(name):
    f, *arguments = OF_ARGUMENTS[name]
    theirs = f(jax.lax, *arguments)
    ours = jit(lambda *arguments: f(lax, *arguments))
    np.testing.assert_allclose(ours(*arguments), theirs, rtol=1e-4, atol=1e-4)
    batched = vmap(lambda *arguments: f(lax, *arguments))(*(np.stack([a, a]) for a in arguments))
    np.testing.assert_allclose(batched, np.stack([theirs, theirs]), rtol=1e-4, atol=1e-4)


def test_loops_over_the_size_stay_loops():
    n = np.ones(300, "float32")
    text = jit(lambda d, b: lax.linalg.tridiagonal_solve(d, 4 * d, d, b)).show(n, n[:, None])
    assert len(text.splitlines()) < 60
