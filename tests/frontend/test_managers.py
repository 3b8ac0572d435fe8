"""`with`: managers of the user's classes, of contextlib.contextmanager and of the standard library, left as Python leaves them."""

import contextlib

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.9, 1.2])
RATE = 2.0


def clipped(v):
    return v if v > 0 else RATE * v


class Held:
    def __init__(self, v):
        self.v, self.errors = v, 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.errors += error is not None
        if self.v > 1:
            self.v = self.v * 2


class Taking(Held):
    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        return kind is not None and issubclass(kind, ValueError)


@contextlib.contextmanager
def scaled(v):
    yield clipped(v)


@contextlib.contextmanager
def setting(held, v):
    before, held.v = held.v, v
    try:
        yield held
    finally:
        held.v = before


@contextlib.contextmanager
def taking():
    try:
        yield 2.0
    except ValueError:
        pass


def entered(x, k):
    with scaled(x[0] * k) as a, scaled(a * x[1]) as b:
        y = a * b if x[2] * k > 0 else b
    return y * np.sum(x)


def in_a_loop(x, k):
    s, held = 0.0, Held(k)
    for i in range(8):
        with setting(held, x[i % 4] * k), scaled(held.v) as v:
            if v > 1.5:
                continue
            s = s + v * held.v
            if s > 2:
                break
    return s * held.v


def returning(x, k):
    held = Held(k)
    with setting(held, x[0]):
        if x[1] * k > 0:
            return held.v * np.sum(x)
        y = held.v * 2
    return y * held.v


def left(x, k):
    held = Held(x[1] * k)
    with held:
        y = held.v * x[0]
    return y * held.v


def taken(x, k):
    s = 1.0
    for manager in (Taking(k), taking(), contextlib.suppress(KeyError, ValueError)):
        with manager:
            s = s * 2
            raise ValueError("taken")
    return np.sum(x) * s * k


def of_a_function_inside(x, k):
    @contextlib.contextmanager
    def twice(v):
        yield 2 * v
    with twice(k) as v, contextlib.nullcontext(3.0) as w, contextlib.closing(Closed(k)) as closed:
        y = v * w * closed.v
    return np.sum(x) * y


class Closed(Held):
    def close(self):
        self.v = None


@pytest.mark.parametrize("fn", [entered, in_a_loop, returning, left, taken, of_a_function_inside], ids=lambda fn: fn.__name__)
def test_managers(fn):
    for k in (0.7, -0.7):
        want = fn(X, k)
        np.testing.assert_allclose(T.jit(fn)(X, k), want)
        value, x_bar = T.value_and_grad(fn)(X, k)
        np.testing.assert_allclose(value, want)
        np.testing.assert_allclose(x_bar, [(fn(X + d, k) - fn(X - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(T.vmap(fn, in_axes=(None, 0))(X, np.array([0.7, -0.7])), [fn(X, 0.7), fn(X, -0.7)])


@pytest.mark.parametrize("manager", [Taking, lambda k: taking(), lambda k: contextlib.suppress(ValueError)], ids=["class", "function", "suppress"])
def test_errors_that_values_decide(manager):
    def f(x, k):
        s = 1.0
        with manager(k):
            if k > 0:
                raise ValueError("taken")
            s = 2.0
        return np.sum(x) * s
    for k in (0.7, -0.7):
        np.testing.assert_allclose(T.value_and_grad(f)(X, k)[0], f(X, k))
    with pytest.raises(T.TransformError, match="depends on array values"):
        T.jit(f)(X, 0.7)


def test_what_a_manager_reads_is_read_at_each_call(monkeypatch):
    def f(x):
        with scaled(-1.0) as v:
            return np.sum(x) * v
    program = T.jit(f)
    for rate in (2.0, 3.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        np.testing.assert_allclose(program(X), f(X))


def test_errors_are_counted():
    def f(x):
        held = Held(1.0)
        try:
            with held:
                raise KeyError("a")
        except KeyError:
            return np.sum(x) * held.errors
    np.testing.assert_allclose(T.grad(f)(X), np.ones(4))


def test_managers_of_this_package():
    def f(x):
        with T.named_scope("twice"):
            return np.sum(x) * 2
    np.testing.assert_allclose(T.jit(f)(X), f(X))
