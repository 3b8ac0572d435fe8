"""Functions, names and None that a condition on array values chooses, and numbers that may be None."""

import numpy as np
import pytest

import transformer as T

X = np.array([0.5, -1.2, 2.0, 0.3])


def chosen_function(x):
    f = np.sin if x[0] > 0 else np.cos
    return np.sum(f(x))


def function_or_lambda(x):
    if x[0] > 0:
        f = np.sin
    else:
        f = lambda v: v * x[1]
    return np.sum(f(x))


def key_of_functions(x):
    d = {"a": np.sin, "b": np.cos}
    key = "a" if x[0] > 0 else "b"
    return np.sum(d[key](x))


def mode_in_a_loop(x):
    mode = "a" if x[0] > 0 else "b"
    s = 0.0
    for v in x:
        if mode == "a":
            s = s + v
        else:
            s = s - v
    return s


def position_or_none(x):
    best = None
    for i in range(len(x)):
        if x[i] > 0.1 and (best is None or x[i] < x[best]):
            best = i
    return x[best] if best is not None else 0.0


def best_and_where(x):
    best, where = (None, None)
    for i in range(len(x)):
        if best is None or x[i] < best:
            best, where = (x[i], i)
    return best * where


def none_replaced(x):
    r = None
    if x[0] > 0:
        r = x[1] * 2
    if r is None:
        r = x[2]
    return r


def list_of_functions(x):
    fs = [np.sin, np.cos, lambda v: v ** 2]
    k = np.argmax(x)
    return np.sum(fs[k % 3](x))


def three_modes(x):
    if x[0] > 1:
        mode = "a"
    elif x[1] > 0:
        mode = "b"
    else:
        mode = "c"
    if mode == "c":
        return x[0] * 3
    elif mode in ("a", "z"):
        return x[0]
    return x[1]


def table_of_functions(x):
    table = {"a": lambda v: v ** 2, "b": np.sin}
    k = "a" if x[0] < 0 else "b"
    return np.sum(table[k](x))


def matched(x):
    k = "a" if x[0] < 0 else "b"
    match k:
        case "a":
            return x[0]
        case "b":
            return x[1] * 2
    return x[2]


def mode_that_changes(x):
    s = 0.0
    mode = "up"
    for v in x:
        if v > 1:
            mode = "down"
        s = s + v if mode == "up" else s - v
    return s


def function_or_none(x):

    def apply(f, v):
        return f(v) if f is not None else v
    f = np.exp if x[0] > 1 else None
    return np.sum(apply(f, x))


def joined_texts(x):
    m = "a" if x[0] > 0 else "b"
    return x[0] if m + "c" == "ac" else x[1]


def closures(x):
    k = x[1]
    if x[0] > 0:

        def f(v):
            return v * k
    else:

        def f(v):
            return v + k
    k = k * 2
    return np.sum(f(x))


def name_of_a_method(x):
    name = "sum" if x[0] > 0 else "mean"
    return getattr(x, name)()


def type_or_none(x):
    k = type(x[0]) if x[1] > 0 else None
    return x[0] if k is None else x[1]


def first_negative(x):
    first = None
    for i in range(len(x)):
        if first is None and x[i] < 0:
            first = i
    if first is None:
        return 0.0
    return x[first] * 2


def difference_to_the_last(x):
    last = None
    for v in x:
        if v > 0:
            if last is not None:
                v = v - last
            last = v
    return last if last is not None else -1.0


def array_or_none(x):
    buf = None
    if x[0] > 0:
        buf = x * 2
    if buf is not None and buf[1] < 0:
        return np.sum(buf)
    return x[0]


def none_or_else(x):
    r = None
    if x[0] > 9:
        r = x[1]
    r = r or x[2]
    return r


def function_that_returns_none(x):

    def find(v):
        if v > 0:
            return v
        return None
    a = find(x[0])
    b = find(x[1])
    return (a if a is not None else 0.0) + (b if b is not None else 5.0)


def previous_or_none(x):
    prev = None
    v = x[2]
    for k in range(6):
        if prev is not None and abs(prev - v) < 0.001:
            break
        prev = v
        v = v / 2 + x[0]
    return v


def states(x):
    state = "start"
    s = 0.0
    for v in x:
        if state == "start" and v > 0:
            state = "run"
        elif state == "run" and v < 0:
            state = "stop"
            s = s - v
        if state == "run":
            s = s + v * v
    return s


def two_conditions(x):
    k = "a" if x[0] > 0 else "b" if x[1] > 0 else None
    if k is None:
        return x[0]
    if k == "a":
        return x[1]
    return x[2]


PROGRAMS = [chosen_function, function_or_lambda, key_of_functions, mode_in_a_loop, position_or_none, best_and_where, none_replaced,
            list_of_functions, three_modes, table_of_functions, matched, mode_that_changes, function_or_none, joined_texts, closures,
            name_of_a_method, type_or_none, first_negative, difference_to_the_last, array_or_none, none_or_else, function_that_returns_none,
            previous_or_none, states, two_conditions]


def differences(f, x):
    return np.array([(f(x + d) - f(x - d)) / 2e-6 for d in np.eye(4) * 1e-6])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, -X, X[::-1].copy()], ids=["x", "-x", "reversed"])
def test_choice(f, x):
    np.testing.assert_allclose(T.jit(f)(x), f(x))
    value, gradient = T.value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(gradient, differences(f, x), atol=1e-7)
    np.testing.assert_allclose(T.jit(T.grad(f))(x), gradient)
    rows = np.stack([x, x * 0.9, -x])
    np.testing.assert_allclose(T.vmap(f)(rows), [f(row) for row in rows])


def unguarded(x):
    r = None
    if x[0] > 0:
        r = x[1]
    return r * 2


def test_what_none_cannot_do_raises_where_it_is_none():
    compiled = T.jit(unguarded)
    assert compiled(X) == unguarded(X)
    with pytest.raises(TypeError, match="NoneType"):
        float(compiled(-X))
    with pytest.raises(TypeError, match="NoneType"):
        T.grad(unguarded)(-X)


def returns_none(x):
    return x[0] if x[1] > 0 else None


def makes_functions(x):
    def scaled(k):
        return lambda v: v * k
    f = scaled(x[1] * 2) if x[0] > 0 else scaled(x[2])
    return np.sum(f(x))


@pytest.mark.parametrize("f", [returns_none, makes_functions])
def test_refused_by_jit(f):
    with pytest.raises(T.TransformError, match="depend"):
        T.jit(f)(X)
    np.testing.assert_allclose(T.grad(makes_functions)(X), differences(makes_functions, X), atol=1e-7)


class Held:
    def __init__(self, v):
        self.v = v


def one_of(a, b, k):
    return a if k > 0 else b


def is_one_array(x, k):
    y = one_of(x, x * 2, k)
    return np.sum(x) * (2.0 if y is x else 3.0)


def by_identity(x, k):
    a, b = Held(x[0]), Held(x[1])
    o = one_of(a, b, k)
    return np.sum(x) * {id(a): 2.0, id(b): 3.0}[id(o)]


def as_key(x, k):
    a, b = Held(x[0]), Held(x[1])
    o = one_of(a, b, k)
    return np.sum(x) * {a: 2.0, b: 3.0}.get(o, 5.0)


def among_others(x, k):
    a, b = Held(x[0]), Held(x[1])
    o = one_of(a, b, k)
    return np.sum(x) * (2.0 if o in [a] else 3.0) * (1 + [a, b].index(o))


def equal_by_identity(x, k):
    a, b = Held(x[0]), Held(x[1])
    o = one_of(a, b, k)
    return np.sum(x) * (2.0 if o == a else 3.0) * (5.0 if b != o else 7.0)


def of_one_type(x, k):
    v = 1 if k > 0 else 2.5
    return np.sum(x) * (2.0 if type(v) is int else 3.0) * (2.0 if isinstance(v, float) else 3.0)


def is_true(x, k):
    v = True if k > 0 else 2
    return np.sum(x) * (2.0 if v is True else 3.0)


def of_one_class(x, k):
    cls = Held if k > 0 else Other
    return cls(x[0]).v + np.sum(x)


class Other:
    def __init__(self, v):
        self.v = 2 * v


@pytest.mark.parametrize("f", [is_one_array, by_identity, as_key, among_others, equal_by_identity, of_one_type, is_true, of_one_class], ids=lambda f: f.__name__)
def test_which_object_it_is_depends_on_values(f):
    x = np.array([0.3, 1.7, 0.9])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.value_and_grad(f)(x, k)[0], f(x, k))
    with pytest.raises(T.TransformError, match="depend(s|ing) on a"):
        T.jit(f)(x, 1.0)


def texts(x, k):
    name, s = "a" if k > 0 else "z", ""
    for v in x[:2]:
        s += "+" if v * k > 0.5 else "-"
    return np.sum(x) * len("-".join([name, "d"])) * {"a": 1.0, "c": 2.0}[sorted([name, "c"])[0]] * (1 + s.count("+"))


def test_texts_among_others():
    x = np.array([0.3, 1.7, 0.9])
    for k in (1.0, -1.0):
        np.testing.assert_allclose(T.value_and_grad(texts)(x, k)[0], texts(x, k))
