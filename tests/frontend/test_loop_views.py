"""Views that loops read and bind, and stores into their arrays: each round, and what follows the loop, sees the array of its own time."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.771, 0.232, 0.673, 0.554])


def for_loop(x, k):
    m = np.outer(x, x + 0.3)
    row = m[1]
    total = np.sum(row)
    for _ in range(5):
        total = total + np.sum(row * row)
        row[:] = np.sin(row) * k
    return total


def nested(x, k):
    m = np.outer(x, x)
    row = m[2]
    total = np.max(row)
    for _ in range(5):
        for j in range(6):
            total = total + np.sum(row) * j
        m[2] *= k
    return total


def while_loop(x, k):
    m = np.outer(x, x)
    row = m[::-1]
    total = np.sum(row[0])
    while np.sum(row) < 8.0:
        m += k
        total = total + np.sum(row[1])
    return total


def masked(x, k):
    m = np.outer(x, x)
    row = m[1]
    mask = row > 0.1
    total = np.sum(row[mask])
    for _ in range(5):
        total = total + np.sum(row[row > 0.1])
        row[:] = row * 0.7 * k
    return total


@pytest.mark.parametrize("fn", [for_loop, nested, while_loop, masked])
def test_each_round_reads_anew(fn):
    want = fn(X, 0.7)
    np.testing.assert_allclose(T.jit(fn)(X, 0.7), want)
    value, slope = T.value_and_grad(fn)(X, 0.7)
    np.testing.assert_allclose(value, want)
    np.testing.assert_allclose(slope, [(fn(X + d, 0.7) - fn(X - d, 0.7)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6)


# arrays that a loop binds to names while they have others ------------------------------------------------------------

def stored_into_under_the_other_name(x, n):
    m, total = np.outer(x, x + 0.3), 0.0
    row = m[0]
    for i in range(5):
        m *= 0.9
        total += row.sum()
        row = m[i % 4] * 1.0
    return total


def bound_after_a_store(x, n):
    m, row, total = np.outer(x, x + 0.3), x * 1.0, 0.0
    for i in range(5):
        m *= 0.9
        total += row.sum()
        row = m[i % 4]
    return total


def argument_bound_and_stored_into(x, n):
    v = x * 1.0
    for i in range(5):
        v[1] = 0.5 + i
        v = x
    return v.sum() + x.sum()


def in_a_list(x, n):
    m = np.outer(x, x + 0.3)
    t = [m[0], 0.0]
    for i in range(5):
        t[1] = t[1] + np.sum(t[0])
        t[0] = m[i % 4]
        m[1] *= 0.5
    return t[1] + m.sum()


def two_names_of_one_array(x, n):
    y, before, total = x * 1.0, x * 2.0, 0.0
    for i in range(5):
        total += np.sum(before * i)
        before = y
        y[1:] += 0.5 * total
    return np.sum(before) + total


def stored_into_afterwards(x, n):
    m, row, total = np.outer(x, x + 0.3), x * 1.0, 0.0
    for i in range(5):
        total += row.sum() + i
        row = m[i % 4]
    row[0] = 5.0
    return total + m.sum()


def first_bound_in_the_loop(x, n):
    m, total = np.outer(x, x + 0.3), 0.0
    for i in range(5):
        total += np.sum(x * i)
        row = m[i % 4]
    m[:] = 0.5 * total
    return np.sum(row)


def added_to_afterwards(x, n):
    m, total = np.outer(x, x + 0.3), 0.0
    for i in range(5):
        total += np.sum(x * i)
        row = m[i % 4]
    np.add.at(row, np.array([1, 1]), total)
    return np.sum(m)


def behind_an_inner_loop(x, n):
    m = np.outer(x, x + 0.3)
    for _ in range(5):
        for i in range(4):
            row = m[i]
            total = np.prod(x)
        np.multiply(x, total, out=row)
    return np.sum(m)


def argument_without_rounds(x, n):
    for _ in range(n):
        x = x * 0.5
    x[0] = 3.0
    return x.sum()


def halved(x, n):
    for _ in range(n):
        x = x * 0.5
    return x


def returned_without_rounds(x, n):
    y = x * 1.0
    z = halved(y, n)
    y[0] = 3.0
    return y.sum() + z.sum()


def only_read(x, n):
    y = x * 1.0
    total = halved(y, n).sum()
    y[0] = 3.0
    return y.sum() + total


REBOUND = [stored_into_under_the_other_name, bound_after_a_store, argument_bound_and_stored_into, in_a_list, two_names_of_one_array,
           stored_into_afterwards, first_bound_in_the_loop, added_to_afterwards, behind_an_inner_loop, argument_without_rounds,
           returned_without_rounds, only_read]


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("fn", REBOUND)
def test_names_that_a_loop_binds(fn, n):
    want = fn(expected := X.copy(), n)
    for run in (lambda x: T.jit(fn)(x, n), lambda x: T.value_and_grad(fn)(x, n)[0], lambda x: T.vmap(fn, (0, None))(x[None], n)[0]):
        np.testing.assert_allclose(run(given := X.copy()), want)
        assert given.tolist() == X.tolist() or given.tolist() == expected.tolist()
    T.jit(fn)(given := X.copy(), n)
    assert given.tolist() == expected.tolist()


def bound_in_a_while(x, total):
    v = x * 1.0
    w = v * 2.0
    while total < 3.0:
        total = total + v.sum() + 0.1
        v = w
    w[1] = 7.0
    return v.sum() + w.sum() + total


def left_by_break(x, n):
    m, v = np.outer(x, x + 0.3), x * 1.0
    for i in range(4):
        row = m[i]
        if i > n:
            break
        v[i:] += row[i:] * 0.3
    m[::-1, ::2] *= 0.5
    return np.sum(row) + np.sum(v)


@pytest.mark.parametrize(("fn", "number"), [(bound_in_a_while, 0.0), (bound_in_a_while, 5.0), (left_by_break, 0), (left_by_break, 9)])
def test_names_of_a_last_round_are_decided_by_values(fn, number):
    want = fn(X, number)
    np.testing.assert_allclose(T.value_and_grad(fn)(X, number)[0], want)
    with pytest.raises(T.TransformError, match="is one of two, depending on a value"):
        T.jit(fn)(X, number)


def first_bound_in_a_while(x, total):
    while total < 3.0:
        total += 1.0
        if total > 1.5:
            row = x[::-1]
            total = total + row.min()
    return total


def test_a_view_of_an_argument_that_a_while_binds_first():
    np.testing.assert_allclose(T.jit(first_bound_in_a_while)(X, 0.0), first_bound_in_a_while(X, 0.0))


def check_slope(fn, k):
    """The value is NumPy's, the gradient that of differences."""
    value, slope = T.value_and_grad(fn)(X.copy(), k)
    assert value == pytest.approx(fn(X.copy(), k), rel=1e-14)
    way = np.array([0.3, -0.7, 0.2, 0.9])
    difference = (fn(X + 1e-6 * way, k) - fn(X - 1e-6 * way, k)) / 2e-6
    assert slope @ way == pytest.approx(difference, rel=1e-5)


def kept_by_break(x, k):
    v = x
    for _ in range(4):
        if k < 0.9:
            break
        v = v[::-1]
    v[0] = 5.0
    return np.sum(x * np.arange(1.0, 5.0))


def kept_by_a_condition(x, k):
    v = x
    for _ in range(4):
        if k > 0.9:
            v = v[1:] + 0.0 if len(v) < 3 else v[::-1]
    v[0] = 5.0
    return np.sum(x * np.arange(1.0, 5.0))


def swapped(x, k):
    v, w = x, x * 2
    for _ in range(3):
        if k < 0.9:
            v, w = w, v
    v[0] = 5.0
    return np.sum(x * np.arange(1.0, 5.0)) + np.sum(w)


def kept_by_a_while(x, k):
    v, i = x, 0
    while i < 4:
        if k < 0.9:
            break
        v = v * 2
        i += 1
    v[1] = 7.0
    return np.sum(x * np.arange(1.0, 5.0))


def kept_by_both_loops(x, k):
    v = x
    for _ in range(3):
        for _ in range(3):
            if k < 0.9:
                break
            v = v * 2
    v[1] = 7.0
    return np.sum(x * np.arange(1.0, 5.0))


def kept_and_its_array_stored_into(x, k):
    y = x.copy()
    v = y
    for _ in range(3):
        if k < 0.9:
            break
        v = v[::-1]
    y[0] = 5.0
    return np.sum(v * np.arange(1.0, 5.0))


def rebound_in_every_round(x, k):
    v = x
    for _ in range(4):
        v = v * k
    v[1] = 7.0
    return np.sum(x * v)


@pytest.mark.parametrize("k", [0.85, 1.1])
@pytest.mark.parametrize("fn", [kept_by_break, kept_by_a_condition, swapped, kept_by_a_while, kept_by_both_loops, kept_and_its_array_stored_into])
def test_names_that_a_loop_may_leave_as_they_are(fn, k):
    check_slope(fn, k)
    with pytest.raises(T.errors.ValueDependent, match="stored into"):
        T.jit(fn)(X.copy(), k)


def test_a_name_that_every_round_binds_anew_is_free():
    assert T.jit(rebound_in_every_round)(X.copy(), 0.85) == pytest.approx(rebound_in_every_round(X.copy(), 0.85), rel=1e-14)


def rows_stored_into(x, k):
    m = np.outer(x, x + 0.3)
    for i, v in enumerate(m):
        v[i] = k
        m = np.tanh(m * v)
    return np.sum(m)


def array_stored_into(x, k):
    m = np.outer(x, x + 0.3)
    for v in m:
        m[1:] -= m[:-1] * 0.2
        m = np.tanh(m * v)
    return np.sum(m)


def stored_into_by_an_inner_loop(x, k):
    m = np.outer(x, x)
    for a, v in zip(x, m):
        for j in range(3):
            m[j] = m[j] * k * a
        m = m * v
    return np.sum(m)


def behind_an_iterator(x, k):
    m = np.outer(x, x)
    rows, i = iter(m), 0
    while i < 3:
        v = next(rows)
        v[0] = k
        m = m * v
        i += 1
    return np.sum(m)


def argument_looped_over(x, k):
    for i, v in enumerate(x):
        x[i:] *= k
        x = x * v
    return np.sum(x)


def never_stored_into(x, k):
    m = np.outer(x, x)
    for v in m:
        m = m * v * k
    return np.sum(m)


LOOPED_OVER = [rows_stored_into, array_stored_into, stored_into_by_an_inner_loop, behind_an_iterator, argument_looped_over, never_stored_into]


@pytest.mark.parametrize("fn", LOOPED_OVER)
def test_arrays_that_are_looped_over_and_rebound(fn):
    check_slope(fn, 1.3)
    assert T.jit(fn)(X.copy(), 1.3) == pytest.approx(fn(X.copy(), 1.3), rel=1e-13)


def two_names_of_zeros(x, k):
    a = np.zeros(8)
    b = a
    for i in range(8):
        b[i] = x[i % 4] * k
        if i % 2:
            b = a
    return np.sum(a[:4] * x)


def rebound_on_some_rounds(x, k):
    a = x * 1.0
    b = a
    for i in range(8):
        if x[i % 4] * k > 0.8:
            a = a * 1.1
        a[i % 4] += 1
    return np.sum(a * x) + np.sum(b * b)


def rebound_in_a_while(x, k):
    a = x * 1.0
    b, i = a, 0
    while i < 8:
        if x[i % 4] * k > 0.8:
            a = a * 1.1
        a[i % 4] += 1
        i += 1
    return np.sum(a * x) + np.sum(b * b)


@pytest.mark.parametrize("fn", [two_names_of_zeros, rebound_on_some_rounds, rebound_in_a_while])
def test_names_of_one_array_of_which_one_is_rebound(fn):
    for k in (1.3, -1.3):
        assert T.value_and_grad(fn)(X, k)[0] == pytest.approx(fn(X, k), rel=1e-13)
        try:
            assert T.jit(fn)(X, k) == pytest.approx(fn(X, k), rel=1e-13)
        except T.TransformError as error:
            assert "one of two" in str(error)


def test_a_static_array_with_two_names_is_compiled():
    assert T.jit(two_names_of_zeros)(X, 1.3) == pytest.approx(two_names_of_zeros(X, 1.3), rel=1e-13)
