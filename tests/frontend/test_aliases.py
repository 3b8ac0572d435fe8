"""Static arrays that share memory: in-place code on them means the same when part of it becomes part of a program."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer
from transformer.errors import TransformError
from transformer.frontend.aliases import owner, view_of

X = np.array([0.3, -1.2, 2.0, 0.7])
INDEX = np.array([2, 0, -1, 0])


def views_of_many_kinds(x):
    y = np.arange(12.0).reshape(3, 4)
    rows, v, w, t, u, z = list(y), y[1:, ::-2], y.T, y[None, 2], y.ravel(), y[..., 1]
    y[0] = x
    rows[1] += x
    v[1] *= x[0]
    w[3, 0] = x[1] ** 2
    t += x
    u[5:7] = x[:2]
    z[1:] = x[2]
    return np.sum(y**2) + np.sum(w[1] * rows[2][0]) + u[3]


def halves(x):
    y = np.zeros(6)
    a, b = np.split(y, 2)
    for i in range(3):
        a[i] = x[i]
        b[2 - i] = x[i] ** 2
    return np.sum(y * np.arange(6.0))


def column_of_a_loop(x):
    y = np.zeros((2, 6))
    for i in range(6):
        column = y[:, i]
        column[0] = x[i % 4]
        column[1:] = y[:1, i] * 2
    return np.sum(y**2)


def row_changed_in_place(x):
    y, s = np.zeros((2, 3)), 0.0
    for i in range(10):
        row = y[i % 2]
        row += x[:3]
        s += np.sum(y**2)
    return s


def windows_that_overlap(x):
    out = np.zeros((9, 9))
    for i in range(7):
        for j in range(7):
            out[i:i + 3, j:j + 3] += x[:3, None] * x[None, 1:] * i
    return np.sum(out**2)


def filled_in_a_loop(x):
    y, s = np.zeros(3), 0.0
    for i in range(10):
        y.fill(1.0)
        y[i % 3] += x[i % 4]
        s += np.sum(y**2)
    return s


def sorted_in_a_loop(x):
    y, s = np.array([3.0, 1.0, 2.0]), 0.0
    for i in range(10):
        s += np.sum(y * x[i % 4] * np.arange(3))
        y.sort()
    return s


def changed_by_functions(x):
    y, s = np.zeros((3, 3)), 0.0
    for i in range(10):
        np.fill_diagonal(y, 1.0)
        np.copyto(y[0], 2.0)
        np.add(y[1], 1.0, out=y[1])
        s += np.sum(y * x[i % 4])
        y[i % 3, 1] = 5.0
        np.add.at(y, [0, 0], 1.0)
    return s


def changed_in_a_branch(x):
    y = np.zeros(3)
    if x[0] > 0:
        y.fill(2.0)
        np.put(y, [1], 7.0)
    else:
        y[:] = 1.0
    return np.sum(y * x[:3])


def out_and_methods(x):
    y = np.zeros(3)
    y.fill(x[1])
    y.put([0], x[2] ** 2)
    np.multiply(y, 2.0, out=y)
    np.multiply(y, x[:3], y)
    return np.sum(y**2)


def parts_of_complex(x):
    c = np.zeros(4, complex)
    c.real = x
    c.imag[1:] = x[1:] ** 2
    c.flat = c * 2
    c.real *= x
    c.imag += x
    fixed = np.ones(4, complex)
    fixed.imag -= x
    c *= fixed
    return np.sum(np.abs(c) ** 2)


FUNCTIONS = [views_of_many_kinds, halves, column_of_a_loop, row_changed_in_place, windows_that_overlap, filled_in_a_loop, sorted_in_a_loop,
             changed_by_functions, changed_in_a_branch, out_and_methods, parts_of_complex]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_value_and_gradient(function):
    value, slope = transformer.value_and_grad(function)(X)
    assert value == function(X)
    steps = 1e-6 * np.eye(4)
    np.testing.assert_allclose(slope, [(function(X + d) - function(X - d)) / 2e-6 for d in steps], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(transformer.jit(function)(X), value, rtol=1e-12)


def test_a_value_of_one_call_keeps_its_derivative():
    """Where branches are decided by values, stores into static arrays still belong to the program."""
    def f(x):
        parts, s, out, table = [], x[0], np.zeros(3), np.zeros(4)
        while s < 5:
            parts.append(s)
            s = s * 2
        out[0] = x[0] ** 2
        table[:] = [x[0], x[1], x[2], x[3]]
        return np.sum(out) + np.sum(table) + np.sum(np.array(parts))
    np.testing.assert_allclose(transformer.grad(f)(X), [2 * 0.3 + 1 + 31, 1, 1, 1])


def test_a_view_that_is_none_of_numpys_own_is_refused():
    def f(x):
        y = np.zeros(4)
        pairs = np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True)
        y[0] = x[0]
        return np.sum(pairs) * x[1]
    with pytest.raises(TransformError, match="views"):
        transformer.grad(f)(X)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_views_are_found_again(data):
    whole = np.arange(60.0).reshape(3, 4, 5)
    view = whole
    for _ in range(data.draw(st.integers(0, 3))):
        kind = data.draw(st.sampled_from(["index", "transpose", "newaxis", "reshape"]))
        if kind == "index":
            view = view[tuple(data.draw(st.slices(n)) for n in view.shape)]
        elif kind == "transpose":
            view = view.transpose(data.draw(st.permutations(range(view.ndim))))
        elif kind == "newaxis":
            view = view[None]
        elif view.flags.c_contiguous:
            view = view.reshape(-1, 1)
    if view.size and owner(view).size == whole.size:
        found = view_of(whole, whole, view)
        if found is not None:
            np.testing.assert_array_equal(found, view)
            assert np.shares_memory(found, whole)
