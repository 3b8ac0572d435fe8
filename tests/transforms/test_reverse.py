"""Reverse mode against finite differences: straight lines, branches, loops and stores, and all of it twice."""

import dataclasses

import numpy as np
import pytest

from tests.transforms.programs import check_function, core_program, outputs_of
from transformer import grad, printing, value_and_grad
from transformer.core import Aval
from transformer.errors import MissingRule, Origin, ShapeError, TypeMismatch
from transformer.frontend.builder import Builder
from transformer.ops.op import Op
from transformer.transforms.reverse import reverse
from transformer.transforms.simplify import simplify

X = np.array([0.3, -0.7, 1.2, 0.9])
M = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


# straight lines ----------------------------------------------------------------------
def polynomial(x):
    return x * x * x - 2.0 * x


def fan_out(x):
    y = np.sin(x)
    return np.sum(y * y + x * y + np.exp(y))


def broadcast(a, x, k):
    return np.sum(np.tanh(a * x + k) * a, axis=0)


def several(x, k):
    y = x * k
    return y, np.cos(y), k


def untouched(x, k):
    return np.sum(x)


def products(a, x):
    return np.tanh(a @ x) @ a


def indexing(x):
    return x[0] * x[1:] + x[::-1][:3] ** 2


def gathering(x, i):
    return x[i] * x[i[::-1]]


@pytest.mark.parametrize("function, args", [
    (polynomial, (X,)), (polynomial, (0.7,)), (fan_out, (X,)), (broadcast, (M, X, 0.4)), (several, (X, 0.5)),
    (untouched, (X, 1.5)), (products, (M, X)), (indexing, (X,)), (gathering, (X, np.array([0, 2, 2, -1, 0])))])
def test_straight_line(function, args):
    check_function(function, *args)


# branches -----------------------------------------------------------------------------
def either(x, k):
    if k > 0:
        y = np.sin(x) * k
    else:
        y = x * x
    return np.sum(y * y)


def one_sided(x, k):
    y = x * k
    if np.sum(x) > 0:
        y = np.exp(y)
    return y * x


def nested(x, k):
    y = x
    if k > 0:
        z = x * x
        if k > 1:
            y = np.sin(z) * z
        else:
            y = z * k
    else:
        if k < -1:
            y = np.cos(x) * k
    return y * y


def store_in_branch(x, k):
    y = x * 2.0
    if k > 0:
        y[0] = y[1] * y[2]
        y[1] = y[0] * k
    return np.sum(y * y * x)


@pytest.mark.parametrize("function", [either, one_sided, nested, store_in_branch])
@pytest.mark.parametrize("k", [0.5, 1.5, -0.5, -1.5])
def test_branches(function, k):
    check_function(function, X, k)


# loops with for -----------------------------------------------------------------------
def decay(x, k, n):
    for i in range(n):
        x = x - k * x ** 2
    return np.sum(x)


def static_rounds(x, k):
    for i in range(6):
        x = np.sin(x * k) + i * x
    return x


def invariant(x, k, n):
    s = 0.0
    w = np.exp(x)
    for i in range(n):
        s = s + np.sum(np.sin(w * i) * k)
    return s


def two_carries(x, n):
    a, b = x[0], x[1]
    for i in range(n):
        a, b = b * a, a + np.sin(b)
    return a * b


def swap(x, n):
    a, b = x[0], x[1]
    for i in range(n):
        a, b = b, a * 1.1
    return a + b * b


def nest(x, n, m):
    s = x
    for i in range(n):
        for j in range(m):
            s = s * np.cos(s) + x * (i + j)
        s = s * x
    return np.sum(s)


def triangular(x, n):
    s = x * 1.0
    for i in range(n):
        for j in range(i, n):
            s = s + 0.1 * np.sin(s * (i + 1) - j)
    return s


def triangular_below(x, n):
    s = x * 1.0
    for i in range(n):
        for j in range(i):
            s = np.sin(s * (j + 1)) * s
    return s


def downwards(x, n):
    for i in range(n - 1, -1, -1):
        x = x * np.sin(x + i)
    return x


def strides(x, n):
    for i in range(1, n, 2):
        x = x * np.sin(x + i)
    for i in range(n, -3, -3):
        x = x * np.cos(x + i)
    return x


def branch_in_loop(x, k, n):
    s = x
    for i in range(n):
        if i % 2 == 0:
            t = np.sin(s)
            s = t * t + k
        else:
            s = s * k
    return s


def exit_value(x, n):
    y = x
    for i in range(n):
        y = np.sin(y) * x
    z = y * y
    for i in range(n):
        y = y * z
    return y


@pytest.mark.parametrize("function, args", [
    (decay, (X, 0.3, 4)), (decay, (X, 0.3, 0)), (static_rounds, (X, 0.7)), (invariant, (X, 0.5, 5)), (two_carries, (X, 4)),
    (swap, (X, 3)), (nest, (X, 3, 2)), (triangular, (X, 4)), (triangular_below, (X, 4)), (downwards, (X, 5)),
    (strides, (X, 6)), (branch_in_loop, (X, 0.5, 5)), (exit_value, (X, 3))])
def test_for(function, args):
    check_function(function, *args)


# stores ---------------------------------------------------------------------------------
def recurrence(x, n):
    y = x * 1.0
    for i in range(1, n):
        y[i] += 0.5 * y[i - 1] * y[i]
    return y


def nonlinear_recurrence(x, n):
    a = np.zeros(8)
    a[0] = x[0]
    for i in range(1, n):
        a[i] = np.sin(a[i - 1]) + x[1]
    return np.sum(a * a)


def overwrite(x, n):
    a = x * 1.0
    for i in range(n):
        a[1] = np.sin(a[1]) * a[2]
        a[2] = a[1] * a[0]
    return a


def stencil(x, n):
    a, b = x * 1.0, np.zeros(4)
    for t in range(n):
        b[1:-1] = (a[:-2] + a[1:-1] * a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return a


def ping_pong(x, n):
    a, b = x * 1.0, x * 0.5
    for t in range(n):
        b[1:-1] = np.sin(a[:-2]) * a[2:]
        a, b = b, a
    return a * b


def seidel(m, n):
    a = m * 1.0
    for t in range(n):
        for i in range(1, 2):
            for j in range(1, 3):
                a[i, j] = (a[i - 1, j] * a[i + 1, j] + a[i, j - 1] * a[i, j + 1] + a[i, j]) / 3
    return a


def store_in_branch_in_loop(x, n):
    a = x * 1.0
    for i in range(n):
        if a[i] > 0:
            a[i] = a[i] * a[i - 1]
        else:
            a[i - 1] = np.sin(a[i])
    return a


def local_array(x, n):
    s = 0.0
    for i in range(n):
        t = np.zeros(2)
        t[0] = x[i] * x[i]
        t[1] = np.sin(x[i] + s)
        t[0] = t[0] * t[1]
        s = s + np.sum(t * t)
    return s


def moved_and_stored(x, n):
    a = x * 1.0
    for i in range(n):
        a[0] = a[1] * a[0]
        a = np.sin(a) * 1.5
        a[2] = a[0] * a[1]
    return a


def repeated_index(x, i):
    a = np.zeros(3)
    a[i] = x * x
    return a * a


def accumulated(x, i):
    a = np.ones(3)
    np.add.at(a, i, x * x)
    return a * a


def masked_store(x):
    y = x * 1.0
    y[x > 0.5] = 0.25
    return y * y


def into_parameter(x, n):
    for i in range(1, n):
        x[i] = x[i] * x[i - 1]
    return np.sum(x * x)


@pytest.mark.parametrize("function, args", [
    (recurrence, (X, 4)), (nonlinear_recurrence, (X, 6)), (overwrite, (X, 3)), (stencil, (X, 3)), (ping_pong, (X, 3)),
    (seidel, (M, 2)), (store_in_branch_in_loop, (X, 4)), (local_array, (X, 3)), (moved_and_stored, (X, 3)),
    (repeated_index, (X, np.array([0, 2, 0, 2]))), (accumulated, (X, np.array([0, 2, 0, 2]))), (masked_store, (X,)),
    (into_parameter, (X, 4))])
def test_stores(function, args):
    check_function(function, *args)


# loops with while ---------------------------------------------------------------------
def newton(x):
    y = x
    while np.sum(y * y) > 0.5:
        y = y - 0.3 * np.sin(y) * x ** 2
    return y * x


def counted(x, n):
    i = 0
    while i < n:
        x = x * np.sin(x + i)
        i += 1
    return x


def while_in_for(x, n):
    s = x
    for i in range(n):
        t = 1.0
        while np.sum(t * s * s) > 0.4:
            s = s * 0.7 * np.cos(s)
            t = t * 0.9
        s = s + x * t
    return s


def while_in_while(x):
    s, k = x, 0
    while k < 3:
        j = 0
        while j < k:
            s = np.sin(s) * (j + 1.5)
            j += 1
        s = s * x
        k += 1
    return s


def for_in_while(x, n):
    s, k = x, 0
    while k < 3:
        for i in range(n):
            s = np.sin(s) * (i + 1.5)
        s = s * x
        k += 1
    return s


def store_in_while(x):
    a, i = x * 1.0, 1
    while i < 4:
        if a[i] > 0.5:
            a[i] = np.sin(a[i]) * a[i - 1]
        a[i - 1] = a[i] * a[i - 1]
        i += 1
    return a


def branch_in_while_in_for(x, n):
    s = x[0]
    for i in range(n):
        k = 0
        while k < i + 1:
            if s > 0.5:
                s = np.sin(s) * s
            else:
                t = s * s
                s = t + x[1] + 0.4
            k += 1
    return s


@pytest.mark.parametrize("function, args", [
    (newton, (X,)), (counted, (X, 4)), (while_in_for, (X, 3)), (while_in_while, (X,)), (for_in_while, (X, 2)),
    (store_in_while, (X,)), (branch_in_while_in_for, (X, 3))])
def test_while(function, args):
    check_function(function, *args)


# gradients in loops -------------------------------------------------------------------------
def inner_newton(x):
    return np.sum(np.sin(newton(x)))


def inner_branch(x):
    return np.sum(np.sin(store_in_branch(x, 0.5)))


def inner_stores(x):
    return np.sum(np.sin(store_in_branch_in_loop(x, 4)))


@pytest.mark.parametrize("inner", [inner_newton, inner_branch, inner_stores])
def test_descent(inner):
    """The tapes, branches and undone stores of an inner gradient are part of a loop here."""
    slope = grad(inner)

    def descend(x, n):
        y = x * 1.0
        for i in range(n):
            if y[0] > -5:
                y = y - 0.1 * slope(y)
        return np.sum(y * y * x)
    check_function(descend, X, 3, order=1)


def test_counters_of_a_tape_in_a_branch_are_found_again():
    """The sweep counts down, in its own branch, what the primal part counted up in the branch of the same test."""
    def in_branch(x, k):
        y = x * 1.0
        if k > 0.0:
            while np.sum(y) > 0.3:
                for i in range(4):
                    y[i] = np.sin(y[i]) * k
        return np.sum(y * y)

    def slope(x, k):
        x_bar, k_bar = grad(in_branch, (0, 1))(x, k)
        return np.dot(x_bar, np.cos(np.arange(4.0))) + k_bar
    check_function(slope, np.array([0.5, 0.7, 0.05, 0.9]), 0.8, order=1)


def test_the_primal_keeps_every_bit_where_the_sweep_restores_its_array():
    def shrinking(x):
        y = x * 1.0
        for i in range(4):
            y -= np.sum(y) * 0.2 * 0.1
            y[i] = y[i] ** 3
        return np.sum(y * y)
    for x in np.random.default_rng(0).uniform(0.5, 1.5, (20, 4)):
        assert value_and_grad(shrinking)(x)[0] == shrinking(x)


# what the result looks like -----------------------------------------------------------------
def text_of(function, *args, seeds=(1.0,), wrt=(0,)):
    program = core_program(function, *args, simplified=True)
    joint = reverse(program, wrt, seeds)
    return printing.source(simplify(joint), header=False)


def test_tape_of_a_for():
    text = text_of(decay, X, 0.3, 4)
    assert "x_tape = np.empty((x2, 4))" in text.replace("x0", "x")
    assert text.count("tape[") == 2


@pytest.mark.parametrize("function, args", [(nonlinear_recurrence, (X, 6)), (swap, (X, 3)), (invariant, (X, 0.5, 5))])
def test_no_tape_where_none_is_needed(function, args):
    assert "tape" not in text_of(function, *args)


def test_result_of_a_loop_is_read_where_it_is_stored():
    def run(x, w, n):
        h = np.zeros((6, 4))
        h[0] = x
        for i in range(1, n):
            h[i] = np.tanh(w @ h[i - 1])
        return np.sum(h[5] ** 2)
    assert "tape" not in text_of(run, X, np.eye(4), 6, wrt=(0, 1))


def test_expensive_results_are_kept():
    def run(x, w):
        for i in range(5):
            x = np.sin(w @ x)
        return np.sum(x)
    text = text_of(run, X, np.eye(4))
    assert "x0_tape" not in text and "matmul_tape" in text


def test_inactive_outputs_and_parameters():
    def run(x, k, i):
        return x * 2.0, k, i
    program = core_program(run, X, 0.5, 3)
    joint = reverse(program, (0, 1), ("param", None, None))
    assert len(joint.params) == 4 and joint.params[3].endswith("_bar")
    bars = outputs_of(joint, [X, 0.5, 3, np.ones(4)])[3:]
    np.testing.assert_array_equal(bars[0], np.full(4, 2.0))
    assert bars[1] == 0.0


def test_single_precision_stays():
    def run(x, k):
        s = 0.0
        for i in range(3):
            s = s * k + np.sum(np.sin(x) * k)
        return s
    program = core_program(run, X.astype(np.float32), 0.5)
    bars = outputs_of(reverse(program, (0, 1), (1.0,)), [X.astype(np.float32), 0.5])[1:]
    assert bars[0].dtype == np.float32


def test_integers_have_no_derivative():
    with pytest.raises(TypeMismatch, match="has no derivative"):
        reverse(core_program(counted, X, 3), (1,), (1.0,))


def test_missing_rule_names_the_line():
    def run(x):
        return x * unruled.bind(x)
    unruled = Op("unruled", np.sin, lambda x: x, None, differentiable=True)
    builder = Builder("f")
    x = builder.parameter("x", Aval((), np.dtype(float)))
    with builder:
        builder.origin = Origin("model.py", 3, 4, "    return x * unruled(x)")
        y = run(x)
    with pytest.raises(MissingRule, match="model.py:3:5"):
        reverse(builder.program([y]), (0,), (1.0,))


# values that must not appear -------------------------------------------------------------------
def guarded_root(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def guarded_entropy(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


def masked_log(x):
    y = np.log(x)
    y[x <= 0] = 0.0
    return np.sum(y * y)


@pytest.mark.parametrize("function", [guarded_root, guarded_entropy, masked_log])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_branch_not_taken_gives_no_nan(function):
    x = np.array([0.0, 1.0, 2.0])
    program = core_program(function, x)
    joint = reverse(program, (0,), (1.0,))
    bar = outputs_of(joint, [x])[1]
    assert bar[0] == 0 and np.all(np.isfinite(bar))
    second = reverse(dataclasses.replace(joint, outputs=joint.outputs[1:]), (0,), ("param",))
    assert np.all(np.isfinite(outputs_of(second, [x, np.ones(3)])[1]))


def test_smooth_code_has_no_guards():
    def run(x, w):
        return np.sum(np.maximum(x * w, 0.0) * x ** 2)
    assert "== 0, 0, " not in text_of(run, X, X)


# windows ------------------------------------------------------------------------------------
def moving_window(x, k):
    y = np.zeros(12) + k
    x = np.concatenate((x, x, x))
    for i in range(8):
        y[i:i + 2] += np.sin(x[i:i + 2]) * y[i]
        y[i + 1:i + 3] = y[i + 1:i + 3] * x[i] + x[i + 1]
    return y


def rows(m, n):
    a = m * 1.0
    for i in range(1, n):
        a[i] = np.sin(a[i - 1]) * a[i]
        a[i, 1:3] = a[i - 1, 0:2] * 0.5
    return a


@pytest.mark.parametrize("function, args", [(moving_window, (X, 0.5)), (rows, (M, 3))])
def test_windows(function, args):
    check_function(function, *args)


def test_a_negative_number_of_rounds_is_named():
    def decay(x, n):
        for _ in range(n):
            x = x - 0.5 * x ** 2
        return np.sum(x)

    def guarded(x, n):
        return decay(x, max(n, 0))
    slope = grad(decay)
    for _ in range(3):
        with pytest.raises(ShapeError, match=r"decay_grad runs backwards has a negative number of rounds(.|\n)*range\(max\(n, 0\)\)"):
            slope(X, -3)
        assert slope(X, 0).tolist() == grad(guarded)(X, -3).tolist() == [1.0] * 4


def test_arrays_without_elements_have_tapes():
    def f(x):
        empty, total = x[:0].reshape(0, 1), x[1]
        while total < 1.0:
            empty = empty * total + np.sin(empty)
            total = total + x[0] ** 2 + np.sum(empty)
        return total * total
    x, direction = np.array([0.3, 0.2]), np.array([1.0, 2.0])
    gradient = grad(f)
    along = grad(lambda x: gradient(x) @ direction)(x)
    want = [(gradient(x + d) - gradient(x - d)) @ direction / 2e-6 for d in np.eye(2) * 1e-6]
    np.testing.assert_allclose(along, want, rtol=1e-6)
