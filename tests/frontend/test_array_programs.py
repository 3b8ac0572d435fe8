"""Whole programs of array code as people write them, compiled: results, what is stored into the arguments, gradients.

Many of them take slices and selections whose length only the running program knows.
"""

import numpy as np
import pytest

from transformer import TransformError, grad, jit

X = np.array([0.3, -1.2, 2.5, 0.7, -0.4, 1.9, -2.2])
SQUARE = np.linspace(-1.0, 1.0, 25).reshape(5, 5) ** 3 + 4 * np.eye(5)


def check(f, *args):
    """The compiled function does to its arguments, and returns, what NumPy does."""
    mine, theirs = ([np.copy(a) if isinstance(a, np.ndarray) else a for a in args] for _ in range(2))
    got, want = jit(f)(*mine), f(*theirs)
    assert (got is None) == (want is None)
    got, want = (v if isinstance(v, tuple) else (v,) for v in (got, want))
    for one, two in zip([*got, *mine], [*want, *theirs], strict=True):
        if two is not None:
            np.testing.assert_allclose(np.asarray(one), two, rtol=1e-12, atol=1e-12)


def total(f):
    """A number made of all that a function returns and stores into its first argument."""
    def loss(x, *rest):
        out = f(x, *rest)
        parts = () if out is None else out if isinstance(out, tuple) else (out,)
        return sum((np.sum(np.sin(p)) for p in (*parts, x)), 0.0)
    return loss


def check_gradient(f, x, *rest):
    """Gradients, un-jitted and compiled, against finite differences along a direction."""
    loss, direction, h = total(f), np.cos(np.arange(x.size)).reshape(x.shape), 1e-6
    slope = (loss(x + h * direction, *rest) - loss(x - h * direction, *rest)) / (2 * h)
    for gradient in (grad(loss), jit(grad(loss))):
        np.testing.assert_allclose(np.sum(np.asarray(gradient(x.copy(), *rest)) * direction), slope, rtol=1e-6, atol=1e-8)


# stores without results -----------------------------------------------------------------------------------------------
def set_first(a):
    a[0] = 5.0


def running_sum(a):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]


def test_stores_without_a_result_reach_the_arguments():
    check(set_first, np.arange(4.0))
    check(running_sum, np.arange(40.0))


# slices with bounds that depend on loops ------------------------------------------------------------------------------
def factorise(a):
    for k in range(a.shape[0]):
        for j in range(k, a.shape[0]):
            a[k, j] -= np.dot(a[k, :k], a[:k, j])
        for i in range(k + 1, a.shape[0]):
            a[i, k] = (a[i, k] - a[i, :k] @ a[:k, k]) / a[k, k]


def eliminate(a):
    for k in range(a.shape[0] - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])


def back_substitute(x, a):
    n = x.shape[0]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]


def prefixes(x):
    n = x.shape[0]
    low, mid, wide, at = np.empty(n), np.empty(n), np.empty(n), np.zeros(n, int)
    for i in range(n):
        low[i] = x[:i + 1].min()
        mid[i] = np.mean(x[:i + 1]) * x[:i + 1].size
        wide[i] = np.std(x[i:] + 1.0) + np.linalg.norm(x[i:])
        at[i] = np.argmax(x[:i + 1])
    return low, mid, wide, at


def reflect(x):
    y = np.zeros_like(x)
    for k in range(1, x.shape[0]):
        y[:k] += 0.1 * np.flip(x[:k]) * x[-1]
        y[k] = x[k::-1] @ x[:k + 1] + np.sum(x[1:k] * x[:k - 1])
    return y


def symmetric(a):
    n = a.shape[0]
    c = np.eye(n)
    for i in range(n - 1):
        c[i + 1:n, i] = c[i, i + 1:n] = a[:, i] @ a[:, i + 1:n]
    return c


def every_other(x):
    for i in range(5):
        x[i::2] *= 1.1
        x[:i] += x[:i][::-1]


def aliased(x):
    for i in range(2, 6):
        head = x[:i]
        head += 1.0
        x[0] = 2.0 * head[i - 1]
        head[1] = x[0]
    return x[1]


def logarithms(x):
    s = 0.0
    for i in range(1, 6):
        s += np.sum(np.log(x[:i] ** 2) / x[:i])
    return s


KERNELS = [(factorise, SQUARE), (eliminate, SQUARE), (back_substitute, X[:5], SQUARE), (prefixes, X), (reflect, X),
           (symmetric, SQUARE), (every_other, X), (aliased, X), (logarithms, X)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k[0].__name__)
def test_slices_in_loops(kernel):
    check(*kernel)
    check_gradient(*kernel)


def test_places_outside_of_a_slice_never_count():
    x = np.where(np.arange(7) < 5, X, np.nan)
    for gradient in (grad(logarithms), jit(grad(logarithms))):
        assert np.all(np.isfinite(np.asarray(gradient(x))[:5]))


def test_loops_with_slices_stay_loops():
    text = jit(factorise).show(SQUARE)
    assert text.count("for ") == 3 and "np.where(inside" in text


def lengths_differ(x):
    y = np.zeros_like(x)
    for i in range(3):
        y[:i + 1] = x[:2 * i]
    return y


def out_of_range(x):
    s = 0.0
    for i in range(6):
        s += x[:i][3]
    return s


@pytest.mark.parametrize("f, error", [(lengths_differ, ValueError), (out_of_range, IndexError)])
def test_lengths_are_checked_when_the_program_runs(f, error):
    with pytest.raises(error):
        f(X.copy())
    with pytest.raises(error):
        np.asarray(jit(f)(X.copy()))


# masks ----------------------------------------------------------------------------------------------------------------
def positives(x):
    return np.mean(x[x > 0] ** 2), x[x > 0].sum(), np.log(x[x > 0]).max(), len(x[x > 0])


def doubled(x):
    mask = x > 0
    x[mask] *= 2
    x[~mask] = np.sqrt(-x[~mask])


def middle(x):
    out = np.zeros_like(x)
    mid = (x > -1.0) & (x < 2.0)
    out[mid] = np.exp(x[mid])
    out[x <= -1.0] = -1.0
    return out


def packed(x):
    y = np.zeros_like(x)
    kept = x[x > 0]
    y[:len(kept)] = kept * 3
    y[x < 0] += x[x < 0][0]
    return y, np.sort(kept)[1], np.median(kept)


def of_rows(a):
    keep = a[:, 0] > 0
    rows = a[keep]
    return rows.sum(axis=0), np.sum(rows @ a[0]), a[:, keep].mean(axis=1), a[a > 0.5].sum()


def without_nan(x):
    y = np.where(x > 2.0, np.nan, x)
    return np.sum(y[~np.isnan(y)] ** 2)


@pytest.mark.parametrize("f, x", [(positives, X), (doubled, X), (middle, X), (packed, X), (of_rows, SQUARE), (without_nan, X)])
def test_masks(f, x):
    check(f, x)
    check_gradient(f, x)


def no_reduction(x):
    return np.max(x[x > 100.0])


def test_the_largest_of_nothing():
    with pytest.raises(ValueError, match="zero-size"):
        np.asarray(jit(no_reduction)(X))


def test_selections_cannot_be_results_of_compiled_programs():
    with pytest.raises(TransformError, match="depends on values"):
        jit(lambda x: x[x > 0])(X)


def rows_of_sparse(values, starts, columns, x):
    y = np.empty(starts.size - 1)
    for i in range(starts.size - 1):
        own = values[starts[i]:starts[i + 1]]
        y[i] = own @ x[columns[starts[i]:starts[i + 1]]]
    return y


def test_bounds_from_arrays():
    args = X, np.array([0, 2, 2, 5, 7]), np.array([0, 2, 1, 3, 0, 1, 4]), np.arange(5.0)
    check(rows_of_sparse, *args)
    check_gradient(rows_of_sparse, *args)


def shrinking(x, rounds):
    done, where = np.zeros(x.shape), np.arange(len(x))
    for k in range(rounds):
        if not len(x):
            break
        x = x * 1.5
        keep = np.abs(x) < 10.0
        done[where[~keep]] = x[~keep] + k
        x = x[keep]
        where = where[keep]
    return done, np.sum(x)


def test_arrays_that_shrink_in_a_loop():
    for rounds in (3, 8):
        check(shrinking, X, rounds)
    check_gradient(shrinking, X, 8)
    assert jit(shrinking).show(X, 8).count("cumsum") == 0


def reshaped(x):
    y = np.ndarray(7)
    for i in range(7):
        y[i] = 2.0 * x[i]
    z = y * x
    z.shape = (7, 1)
    z[0, 0] = 5.0
    return y, z


@pytest.mark.filterwarnings("ignore:Setting the shape")
def test_shape_can_be_set():
    check(reshaped, X)


# lengths that are 1 ---------------------------------------------------------------------------------------------------
def heads(x, n):
    y = x * 1.0
    for i in range(1, 4):
        y[n:] = x[:i] ** 2
        if i != n:
            break
    return y


def test_one_element_is_stored_at_all_places_of_a_slice():
    for n in (2, 3, 6):
        check(heads, X.copy(), n)
        check_gradient(heads, X.copy(), n)
    for f in (heads, grad(total(heads)), lambda x, n: jit(heads)(x, n).sum().item()):
        with pytest.raises(ValueError, match="could not be broadcast|could not broadcast"):
            f(X.copy(), 1)


# tapes ----------------------------------------------------------------------------------------------------------------
def nested_rounds(x, n, m):
    for _ in range(n):
        x = np.sin(x) * 1.1
        for _ in range(m):
            x = np.cos(x * x)
    return np.sum(x)


def test_tapes_are_as_large_as_each_argument_asks_for():
    gradient, plain = jit(grad(nested_rounds)), grad(nested_rounds)
    for n, m in ((3, 2), (9, 2), (9, 20), (100, 3), (0, 0)):
        np.testing.assert_allclose(np.asarray(gradient(X, n, m)), plain(X, n, m), rtol=1e-10)
    assert gradient.cache.last.run.sizes == {"n": 128, "m": 32}


def masked_powers(x):
    m = x > 0
    y = x.copy()
    y[m] = 1.0 / y[m] + np.sqrt(y[m]) * y[m] ** -1.5 - y[m] ** 3
    return np.sum(y)


def test_functions_at_a_mask_search_for_no_element():
    for x in (np.array([-1.0, 0.0, 2.0, 3.0]), np.array([-1.0, -2.0])):
        for f in (grad(masked_powers), jit(grad(masked_powers))):
            step = 1e-6 * np.where(x == 0, 0, 1)
            want = [(masked_powers(x + step * e) - masked_powers(x - step * e)) / 2e-6 if x[k] else 1.0 for k, e in enumerate(np.eye(len(x)))]
            np.testing.assert_allclose(f(x), want, rtol=1e-5)
    assert "argmax" not in grad(masked_powers).show(np.ones(3))


def test_slices_of_one_element_go_with_longer_ones():
    def f(x, y, starts):
        s = 0.0
        for i in range(starts.shape[0]):
            part = x[i:]
            s = s + np.sum(part * y[starts[i]:] - part)
        return s
    y = X ** 2
    starts = np.array([6, 6, 2, 3, 6, 6, 0])[:, None][:, 0]
    check(f, X, y, starts)
    check_gradient(f, X, y, starts)
    with pytest.raises(ValueError, match="broadcast"):
        jit(f)(X, y, starts - 1)
    with pytest.raises(ValueError, match="broadcast"):
        grad(f)(X, y, starts - 1)
