"""Objects of the standard library and of NumPy with a state of their own: used as in Python, or refused."""

import contextlib
import contextvars
import decimal
import io
import os
import random
import threading
import types
import weakref

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.9, 1.2])
local, variable, buffer = threading.local(), contextvars.ContextVar("variable", default=1.0), io.StringIO()
local.scale = 2.0


def draws(x, k):
    source = random.Random(0)
    if k > 0:
        x = x * source.random()
    return np.sum(x) * source.random()


def draws_of_numpy(x, k):
    source = np.random.RandomState(0)
    s = source.normal() if k > 0 else 0.0
    return s + source.normal() * np.sum(x)


def draws_of_the_module(x, k):
    np.random.seed(0)
    s = np.random.rand() if k > 0 else 0.0
    return s + np.random.rand() * np.sum(x)


def draws_in_a_loop(x, k):
    source = np.random.default_rng(0)
    for i in range(8):
        x = x * (1 + 0.1 * source.normal())
    return np.sum(x) * k


def writes(x, k):
    text = io.StringIO()
    if k > 0:
        text.write("abc")
    print("d", file=text)
    return np.sum(x) * len(text.getvalue())


def sets(x, k):
    done, held = threading.Event(), threading.local()
    held.value = k
    if k > 0:
        done.set()
        held.value = 2.0
    return np.sum(x) * held.value if done.is_set() else np.sum(x * x) * held.value


@pytest.mark.parametrize("fn", [draws, draws_of_numpy, draws_of_the_module, draws_in_a_loop, writes, sets], ids=lambda fn: fn.__name__)
def test_state_of_objects_made_inside(fn):
    for k in (0.7, -0.7):
        value, x_bar = T.value_and_grad(fn)(X, k)
        np.testing.assert_allclose(value, fn(X, k))
        np.testing.assert_allclose(x_bar, [(fn(X + d, k) - fn(X - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-9)
    with pytest.raises(T.TransformError):
        T.jit(fn)(X, 0.7)


def precise(x, k):
    with decimal.localcontext() as context:
        context.prec = 4
        third = float(decimal.Decimal(1) / 3)
    return np.sum(x) * third * k


def locked(x, k):
    with threading.Lock():
        return np.sum(x) * k


@pytest.mark.parametrize("fn", [precise, locked], ids=lambda fn: fn.__name__)
def test_contexts(fn):
    for transform in (T.jit, lambda f: lambda x, k: T.value_and_grad(f)(x, k)[0]):
        np.testing.assert_allclose(transform(fn)(X, 0.7), fn(X, 0.7))


def set_variable(x, k):
    variable.set(k)
    return np.sum(x)


def set_local(x, k):
    local.scale = k
    return np.sum(x)


def set_precision(x, k):
    decimal.getcontext().prec = 3
    return np.sum(x)


def set_environment(x, k):
    os.environ["TRANSFORMER_TEST"] = "1"
    return np.sum(x)


def written(x, k):
    buffer.write("a")
    return np.sum(x)


settings = types.SimpleNamespace(scale=1.0)


def set_by_vars(x, k):
    vars(settings)["scale"] = k
    return np.sum(x)


@pytest.mark.parametrize("fn", [set_variable, set_local, set_precision, set_environment, written, set_by_vars], ids=lambda fn: fn.__name__)
def test_what_outlives_the_call_is_not_changed(fn):
    for transform in (T.grad, T.jit):
        with pytest.raises(T.TransformError, match="outlives the call and is changed here"):
            transform(fn)(X, 0.7)
    assert (variable.get(), local.scale, decimal.getcontext().prec, buffer.getvalue(), settings.scale) == (1.0, 2.0, 28, "", 1.0)
    assert "TRANSFORMER_TEST" not in os.environ


def test_what_is_read_is_read_at_each_call():
    def f(x):
        return np.sum(x) * variable.get() * local.scale * decimal.getcontext().prec
    program, token = T.jit(f), variable.set(3.0)
    np.testing.assert_allclose(program(X), f(X))
    variable.reset(token)
    np.testing.assert_allclose(program(X), f(X))
    with decimal.localcontext() as context:
        context.prec = 5
        np.testing.assert_allclose(program(X), f(X))


def test_files_are_read_at_each_call(tmp_path):
    path = tmp_path / "weights"

    def f(x):
        with open(path) as file:
            scale = float(file.read())
        return np.sum(x) * scale
    slope = T.grad(f)
    for scale in (2.0, 3.0):
        path.write_text(str(scale))
        np.testing.assert_allclose(slope(X), [scale] * 4)
    with pytest.raises(T.TransformError, match="open is called in a compiled function"):
        T.jit(f)(X)


def test_floating_point_errors_are_not_raised():
    def f(x):
        with np.errstate(divide="raise"):
            try:
                return np.sum(1 / x)
            except FloatingPointError:
                return 0.0
    with pytest.raises(T.TransformError, match=r"np\.errstate is to raise"):
        T.grad(f)(X)


def test_the_body_of_a_try_is_no_condition():
    def f(x, k):
        source, text = random.Random(0), io.StringIO()
        try:
            text.write("abc")
            y = source.random() * x[4]
        except IndexError:
            y = source.random() * x[0]
        return y * len(text.getvalue()) * k
    np.testing.assert_allclose(T.value_and_grad(f)(X, 0.7)[0], f(X, 0.7))


def called_at_the_end(x, k):
    ends = []
    with contextlib.ExitStack() as stack:
        if k > 0:
            stack.callback(ends.append, 1.0)
    return np.sum(x) * (1 + len(ends))


class Key:
    pass


def held_weakly(x, k):
    key, held = Key(), weakref.WeakValueDictionary()
    held["a"] = key
    if k > 0:
        held["b"] = key
    return np.sum(x) * len(held)


@pytest.mark.parametrize("fn", [called_at_the_end, held_weakly], ids=lambda fn: fn.__name__)
def test_callbacks_and_weak_references(fn):
    for k in (0.7, -0.7):
        np.testing.assert_allclose(T.value_and_grad(fn)(X, k)[0], fn(X, k))
    with pytest.raises(T.TransformError):
        T.jit(fn)(X, 0.7)
