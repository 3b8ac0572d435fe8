"""Stores of whole arrays: names are bound anew, with NumPy's values, and derivatives keep, put back and tape nothing for them."""

import numpy as np
import pytest

from transformer import grad, jit, value_and_grad, vmap
from transformer.test_util import check_grads

X = np.array([0.3, -0.7, 1.1])


def in_a_row(x):
    h = np.sin(x)
    h += x
    h *= 2.0
    np.exp(h, out=h)
    h /= np.sum(h)
    return np.sum(h * x)


def in_a_loop(x):
    h = x.copy()
    for _ in range(6):
        h *= 0.9
        h += np.sin(h)
    return np.sum(h ** 2)


def two_arrays(x):
    u, v = x.copy(), np.empty_like(x)
    for _ in range(5):
        v[:] = np.roll(u, 1) * u
        u[:] = v + 0.5 * x
    return np.sum(u * v)


def under_a_condition(x):
    h = np.cos(x)
    if h[0] > 0.5:
        h *= x
    else:
        h -= 1.0
    h += 1.0
    return np.sum(h ** 3)


def in_a_branch_of_a_loop(x):
    h = np.cos(x)
    for k in range(6):
        if h[0] > 0.6:
            h[:] = 0.5 * h * x
        h += 0.1 * k
    return np.sum(h ** 2)


def in_a_while(x):
    h, n = x * 1.0, 0
    while np.sum(h ** 2) > 0.2 and n < 30:
        h *= 0.8
        n += 1
    return np.sum(h) * n


def with_parts(x):
    h = np.sin(x)
    h[1] = x[0]
    h *= x
    h[0] += h[2]
    h[:] = h + h[::-1]
    h[1:] *= 2.0
    return np.sum(h ** 2)


def with_parts_in_a_loop(x):
    h = x.copy()
    for k in range(6):
        h[1] = h[0] * x[2]
        h *= 0.5
        h[0] = h[1] + k
        h += np.cos(h)
        h[2] *= x[1]
    return np.sum(h ** 2)


def in_nested_loops(x):
    h = x.copy()
    for k in range(5):
        h *= 0.7
        for j in range(6):
            h += 0.1 * np.sin(h * j)
            h[0] = h[1] * x[2]
        h -= 0.1 * k
    return np.sum(h ** 2)


def through_views(x):
    h = np.sin(x)
    v, w = h[::-1], h[:]
    w *= x
    v += 1.0
    h[:] = h * v
    return np.sum(h * w)


def kept_before(x):
    h = np.sin(x)
    kept = [h.copy(), h]
    h *= x
    kept.append(h.copy())
    h[:] = kept[0] * kept[2]
    return np.sum(kept[1] * kept[2])


def with_a_mask(x):
    h = np.sin(x)
    h[:] = np.where(x > 0, h * x, h)
    h[h > 0.2] *= 2.0
    h += x
    return np.sum(h ** 2)


def of_no_axes(x):
    s = np.zeros(())
    for k in range(6):
        s[...] = s * x[0] + x[1] ** k
        s += x[2]
    return s * s


def other_types(x):
    h = np.zeros(3, np.float32)
    h[:] = x.astype(np.float32)
    h += 1
    g = x * 1.0
    g[:] = 0
    g[:] = x[0]
    g += 3
    return np.sum(g * x) + 0 * float(h.size)


def into_the_argument(x):
    x *= 2.0
    x += np.sin(x)
    return np.sum(x ** 2)


PROGRAMS = [in_a_row, in_a_loop, two_arrays, under_a_condition, in_a_branch_of_a_loop, in_a_while, with_parts, with_parts_in_a_loop, in_nested_loops,
            through_views, kept_before, with_a_mask, of_no_axes, other_types, into_the_argument]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    wanted = f(X.copy())
    assert value_and_grad(f)(X.copy())[0] == wanted
    np.testing.assert_allclose(jit(f)(X.copy()), wanted, rtol=1e-12)
    np.testing.assert_allclose(jit(grad(f))(X.copy()), grad(f)(X.copy()), rtol=1e-10)
    check_grads(f, (X.copy(),), order=2, rtol=1e-5)
    lanes = np.stack([X, X[::-1], 0.5 * X])
    np.testing.assert_allclose(vmap(f)(lanes.copy()), [f(lane.copy()) for lane in lanes], rtol=1e-12)


@pytest.mark.parametrize("f", [in_a_row, under_a_condition, of_no_axes])
def test_nothing_is_copied_or_put_back(f):
    text = grad(f).show(X)
    assert "copy()" not in text and "[:] =" not in text and "_tape" not in text.replace("s_tape", "")


@pytest.mark.parametrize("f", [in_a_loop, two_arrays])
def test_one_tape_for_each_carried_array(f):
    text = grad(f).show(X)
    assert text.count("_tape = ") == 1 and "[:] =" not in text


def test_the_argument_has_its_last_value():
    for run in (into_the_argument, jit(into_the_argument)):
        x = X.copy()
        run(x)
        np.testing.assert_allclose(x, 2 * X + np.sin(2 * X), rtol=1e-14)
