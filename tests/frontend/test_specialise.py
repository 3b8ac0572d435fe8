"""The evaluator: every construct means what Python means, compiled and on NumPy."""

import contextlib
import copy
import functools
import operator
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import transformer as T
from transformer import tree

X = np.array([0.5, -1.5, 2.0, 3.0])


def check(fn, *args, **kwargs):
    """fn natively, with a gradient taken beside it, and compiled: equal."""
    want = fn(*copy.deepcopy(args), **kwargs)

    def first(*args, **kwargs):
        result = fn(*args, **kwargs)
        return np.sum(np.real(tree.flatten(result)[0][0])), result
    compare(T.jit(fn)(*copy.deepcopy(args), **kwargs), want, 1e-12)
    if isinstance(args[0], float | np.ndarray) and np.asarray(args[0]).dtype.kind == "f":
        value, _ = T.value_and_grad(first, has_aux=True)(*copy.deepcopy(args), **kwargs)
        compare(value[1], want, 0)


def compare(got, want, tolerance):
    got, want = tree.flatten(got)[0], tree.flatten(want)[0]
    assert len(got) == len(want)
    for g, w in zip(got, want):
        np.testing.assert_allclose(np.asarray(g), np.asarray(w), rtol=tolerance, atol=tolerance)


def test_several_lambdas_on_a_line():
    f, g = (lambda x: x * 2.0), (lambda x: x * 3.0)
    assert T.grad(f)(1.0) == 2.0 and T.grad(g)(1.0) == 3.0


def test_starred_and_keyword_arguments():
    def inner(a, *rest, scale=2.0, **options):
        return a * scale + sum(rest) * options["gain"] + options.get("shift", 1.0)

    def f(x, y):
        pair = (x, y)
        settings = {"gain": 3.0}
        return inner(*pair, y, scale=x, **settings) + inner(x, gain=2.0)
    check(f, 1.5, 0.5)


def test_keyword_only_and_defaults():
    def f(x, *, power=3, shift=0.5):
        return x ** power + shift
    check(f, 1.5)
    check(f, 1.5, power=2)
    assert T.grad(f)(2.0, power=2) == 4.0


def test_partial_and_bound_methods():
    class Model:
        def __init__(self, w):
            self.w = w

        def predict(self, x):
            return self.w * x + self.bias()

        def bias(self):
            return 0.5
    model = Model(3.0)
    assert T.grad(model.predict)(1.0) == 3.0
    assert T.grad(functools.partial(lambda k, x: k * x, 4.0))(1.0) == 4.0
    model.w = 5.0
    assert T.grad(model.predict)(1.0) == 5.0


def test_decorated_methods():
    class Model:
        def __init__(self, w):
            self.w = w

        @T.jit
        def scaled(self, x):
            return self.w * x

        @T.grad(argnums=1)
        def slope(self, x):
            return self.w * x ** 2
    a, b = Model(2.0), Model(3.0)
    assert float(a.scaled(2.0)) == 4.0 and float(b.scaled(2.0)) == 6.0
    assert a.slope(1.0) == 4.0 and b.slope(1.0) == 6.0
    a.w = 10.0
    assert float(a.scaled(2.0)) == 20.0


def test_decorators_with_and_without_arguments():
    @T.grad
    def f(x, y):
        return x * y

    @T.grad(argnums=1)
    def g(x, y):
        return x * y * y

    @functools.partial(T.jit, static_argnums=1)
    def h(x, n):
        return np.sum(np.arange(n) * x)
    assert f(2.0, 3.0) == 3.0 and g(2.0, 3.0) == 12.0 and float(h(2.0, 4)) == 12.0


def test_wrapped_functions():
    def doubled(fn):
        @functools.wraps(fn)
        def wrapper(*args):
            return 2.0 * fn(*args)
        return wrapper

    @doubled
    def f(x):
        return x * x
    assert T.grad(f)(3.0) == 12.0


def test_nonlocal():
    def f(x):
        total = 0.0

        def add(v):
            nonlocal total
            total = total + v * x
        for i in range(6):
            add(i * x)
        return total
    check(f, 1.5)


def test_comprehensions():
    def f(x):
        squares = [v * v for v in x if True]
        table = {i: s * 2.0 for i, s in enumerate(squares)}
        pairs = [a * b for a in squares for b in (1.0, 2.0)]
        return sum(table.values()) + sum(pairs) + sum(s for s in squares) + len({i for i in range(3)})
    check(f, X)


def test_f_strings_and_printing(capsys):
    def f(x):
        y = x * 2.0
        print("y is", y, f"and {x:.2f}!", end=";\n")
        return y
    assert T.grad(f)(1.5) == 2.0
    assert capsys.readouterr().out == "y is 3.0 and 1.50!;\n"


def test_printing_in_a_loop_keeps_its_order(capsys):
    def f(x):
        for i in range(6):
            x = x * 0.5
            print(i, x)
        return x
    T.grad(f)(1.0)
    f(1.0)
    out = capsys.readouterr().out.splitlines()
    assert out[:6] == out[6:]


def test_with_static_context_managers():
    @contextlib.contextmanager
    def scale(k):
        yield k

    def f(x):
        with np.errstate(all="ignore"), scale(3.0) as k:
            return x * k
    check(f, 2.0)


def test_match():
    def f(x, mode):
        match mode:
            case "double":
                return x * 2.0
            case "square" | "power":
                return x * x
            case _:
                return x
    for mode in ("double", "power", "other"):
        check(f, 3.0, mode)


def test_for_else_and_while_else():
    def f(x, limit):
        for i in range(8):
            if x * i > limit:
                x = x + 100.0
                break
        else:
            x = x - 1.0
        n = 0
        while n < 3:
            n += 1
            if x * n > 1000.0:
                break
        else:
            x = x * 2.0
        return x, n
    for limit in (3.0, 100.0):
        check(f, 1.5, limit)


def test_loop_variable_after_the_loop():
    def f(x):
        for i in range(7):
            if x[0] * i > 2.0:
                break
        for j in range(5):
            z = x * j
        return i * 1.0, j * 1.0, z
    check(f, X)


def test_dict_items_and_methods():
    def f(p):
        total = 0.0
        for key, value in p.items():
            total += np.sum(value) * len(key)
        out = dict(p)
        out.update(c=total)
        return out
    check(f, {"a": X, "bb": 2.0})


def test_swaps_and_parallel_assignment():
    def f(a, b, c):
        for _ in range(7):
            a, b, c = c, a + 0.1, b
        return a, b * 2.0, c * 3.0
    check(f, 1.0, 2.0, 3.0)


def test_arrays_swapped_in_a_loop():
    def f(x):
        a, b = x.copy(), x * 2.0
        for i in range(6):
            a[1] = b[0] + i
            a, b = b, a
        return a, b
    check(f, X)


def test_aliases_and_views():
    def f(x):
        a = x * 1.0
        b = a
        c = a[1:]
        d = a.reshape(2, 2)
        b[0] = 10.0
        c[0] = 20.0
        d[1, 1] = 30.0
        e = a.copy()
        a += 1.0
        return a, b, c, d, e
    check(f, X)


def test_stores_reach_the_caller():
    def f(x, k):
        x[1:] *= k
        return np.sum(x)
    mine, theirs = X.copy(), X.copy()
    assert float(T.jit(f)(mine, 2.0)) == f(theirs, 2.0)
    np.testing.assert_array_equal(mine, theirs)


def test_gradients_leave_arguments_alone():
    def f(x):
        x[0] = x[1] * x[2]
        return np.sum(x ** 2)
    mine = X.copy()
    T.grad(f)(mine)
    np.testing.assert_array_equal(mine, X)


def test_static_arrays_that_are_stored_into():
    def f(x):
        table = np.zeros(4)
        other = table
        grid = np.arange(4.0)
        for i in range(4):
            table[i] = x[i] * grid[i]
        if x[0] > 0:
            other[0] = 5.0
        return table, other * x
    check(f, X)


def test_static_tables_stay_static():
    def f(x):
        weights = np.zeros(50)
        for i in range(50):
            weights[i] = i * i
        return np.sum(weights) * x
    assert "for" not in T.grad(f).source


def test_array_made_in_each_round():
    def f(x):
        total = 0.0
        for i in range(6):
            buffer = np.zeros(3)
            buffer[i % 3] = x
            buffer[0] += i
            total += np.sum(buffer * buffer)
        return total
    check(f, 1.5)


def test_types_widen_in_loops():
    def f(x):
        s = 0
        n = 1
        for i in range(6):
            s = s + x / (i + 1)
            n = n * 2
        return s, n
    check(f, 1.5)
    assert np.asarray(T.jit(f)(1.5)[1]).dtype == np.int64


def test_objects_in_branches_and_loops():
    @dataclass
    class State:
        position: object
        speed: object

    def f(x):
        state = State(x, 1.0)
        history = {"last": 0.0}
        for i in range(8):
            if state.position > 2.0:
                state.speed = -state.speed * 0.5
            else:
                state.speed = state.speed + 0.1
            state.position = state.position + state.speed
            history["last"] = state.position * i
        return state.position, history["last"]
    check(f, 1.0)


def test_named_tuples_as_carries():
    Pair = namedtuple("Pair", "a b")

    def f(x):
        p = Pair(x, 0.0)
        for i in range(6):
            p = Pair(p.a * 0.9, p.b + p.a)
        return p
    check(f, 2.0)


def test_dynamic_trip_counts_share_a_program():
    def f(x, n):
        for _ in range(n):
            x = x * 1.1
        return x
    compiled = T.jit(f)
    for n in (0, 3, 10):
        assert float(compiled(2.0, n)) == pytest.approx(f(2.0, n))
    assert len(compiled.cache.entries) == 1
    assert T.jit(T.grad(f))(2.0, 5) == pytest.approx(1.1 ** 5)


def test_sizes_become_static_on_their_own():
    def f(x, n):
        return np.sum(x.reshape(n, -1), axis=0) * np.zeros(n).shape[0]
    compiled = T.jit(f)
    for n in (1, 2, 4):
        np.testing.assert_allclose(np.asarray(compiled(X, n)), f(X, n))


def test_many_sizes_give_a_warning():
    compiled = T.jit(lambda x, n: x * np.zeros(n).shape[0])
    with pytest.warns(UserWarning, match="64|65|values of a scalar"):
        for n in range(70):
            compiled(1.0, n)


def test_ranges_with_abstract_bounds_and_steps():
    def f(x, n):
        total = 0.0
        for i in range(n - 1, -1, -2):
            total += i * x
        for i in np.arange(n):
            for j in np.arange(i, n):
                total += x * j
        return total
    for n in (0, 1, 6, 7):
        check(f, 1.5, n)


def test_while_with_static_test_unrolls_where_it_must():
    def f(x):
        n = x.shape[0]
        while n > 1:
            x = x[: n // 2] + x[n // 2:]
            n = n // 2
        return x
    check(f, X)


def test_growing_lists():
    def f(x):
        states = []
        for i in range(6):
            x = np.tanh(x)
            states.append(x)
        return np.stack(states)[::2], states[-1]
    check(f, X)


def test_zip_enumerate_reversed():
    def f(x, y):
        total = 0.0
        for i, (a, b) in enumerate(zip(x, y), start=1):
            total += i * a * b
        for v in reversed(x):
            total = total * 0.5 + v
        for i in reversed(range(6)):
            total = total + i * 0.1
        return total
    check(f, np.linspace(0, 1, 6), np.linspace(1, 2, 6))


def test_functional_tools():
    def f(x):
        parts = list(map(operator.mul, [x[0], x[1]], [x[2], x[3]]))
        chosen = list(filter(lambda i: i % 2, range(5)))
        ordered = sorted([3, 1, 2], key=lambda v: -v)
        total = functools.reduce(lambda a, b: a * b + 1.0, parts, 1.0)
        return total + sum(chosen) + ordered[0] + min(parts) + max(x[0], x[1]) + abs(x[1]) + round(2.6) + pow(x[0], 2)
    check(f, X)


@pytest.mark.parametrize("limit", [-0.5, 0.5, 5.0])
def test_any_and_all(limit):
    def f(x, limit):
        a = 1.0 if any(e > limit for e in x) else 2.0
        b = 3.0 if all([e > limit for e in x]) else x[0]
        assert not any([]) and all([]) and any([x[0] > limit, True]) and not all((False, x[0] > limit))
        return a * b + (0.5 if any(x > limit) and not all(x) else 0.25)
    check(f, X, limit)
    assert T.jit(f)(X, limit) == f(X, limit)
    assert T.vmap(f, (None, 0))(X, np.array([limit, 0.7])).tolist() == [f(X, limit), f(X, 0.7)]


def test_isinstance_type_and_hasattr():
    def f(x):
        if isinstance(x, np.ndarray) and hasattr(x, "shape") and x.ndim == 1:
            return x * 2.0
        if isinstance(x, float) or type(x) is float:
            return x + 1.0
        return x
    check(f, X)
    check(f, 2.0)


def test_nested_transforms_inside_a_function():
    def f(x):
        inner = lambda v: v ** 3 * x
        slope = T.grad(inner)(x)
        rows = T.vmap(lambda r: r * slope)(np.arange(3.0))
        y, pullback = T.vjp(inner, x)
        primal, tangent = T.jvp(inner, (x,), (1.0,))
        return slope + np.sum(rows) + y + pullback(2.0)[0] + primal * tangent

    def by_hand(x):
        slope = 3 * x ** 3
        return slope + 3.0 * slope + x ** 4 + 6 * x ** 3 + x ** 4 * 3 * x ** 3
    assert float(T.jit(f)(1.3)) == pytest.approx(by_hand(1.3))
    h = 1e-6
    assert T.grad(f)(1.3) == pytest.approx((by_hand(1.3 + h) - by_hand(1.3 - h)) / (2 * h), rel=1e-8)


def test_same_array_twice_is_two_arguments():
    assert_gradient = T.grad(lambda x, y: np.sum(x * y))(X, X)
    np.testing.assert_array_equal(assert_gradient, X)


SCALE, TABLE, CONFIG = 2.0, np.array([1.0, 2.0]), {"gain": 3.0, "rates": [0.1, 0.2]}


def helper(x):
    return x * 2.0


def test_globals_are_never_stale():
    global SCALE, TABLE

    def f(x):
        return x * SCALE + np.sum(TABLE) + CONFIG["gain"] * x + sum(CONFIG["rates"])
    compiled, slope = T.jit(f), T.grad(f)
    for change in range(4):
        assert float(compiled(1.5)) == pytest.approx(f(1.5))
        assert slope(1.5) == pytest.approx(SCALE + CONFIG["gain"])
        SCALE += 1.0
        TABLE = TABLE * 2.0 if change != 2 else np.ones(5)
        TABLE[0] = 7.0
        CONFIG["gain"] += 1.0
        CONFIG["rates"].append(0.5)


def test_helpers_are_never_stale():
    global helper
    compiled = T.jit(lambda x: helper(x) + 1.0)
    assert float(compiled(1.0)) == 3.0

    def helper(x):
        return x * 5.0
    assert float(compiled(1.0)) == 6.0


def test_closures_are_never_stale():
    def make(k):
        def f(x):
            return x * k

        def change(v):
            nonlocal k
            k = v
        return f, change
    f, change = make(2.0)
    slope = T.grad(f)
    assert slope(1.0) == 2.0
    change(3.0)
    assert slope(1.0) == 3.0


def test_bool_flags_are_static():
    def f(x, flag):
        return x * 2.0 if flag else x * 3.0
    assert T.grad(f)(1.0, True) == 2.0 and T.grad(f)(1.0, False) == 3.0
    assert float(T.jit(f)(1.0, flag=True)) == 2.0


def test_value_mode():
    def f(x):
        kept = [v for v in x if v > 0]
        return sum(v * v for v in kept) + np.mean(x[x > 0] ** 2)
    want = np.where(X > 0, 2 * X + 2 * X / 3, 0.0)
    np.testing.assert_allclose(T.grad(f)(X), want)
    np.testing.assert_allclose(T.grad(f)(-X), np.where(-X > 0, -2 * X - 2 * X, 0.0))


def test_merged_array_that_may_be_two_is_not_stored_into():
    def f(x):
        a, b = x * 1.0, x * 2.0
        c = a if x[0] > 0 else b
        c[0] = 7.0
        return np.sum(a) + np.sum(b) + np.sum(c)
    with pytest.raises(T.TransformError, match="one of two"):
        T.jit(f)(X)


def test_sizes_of_selections_are_values():
    def f(x):
        chosen = np.where(x > 0.4)[0]
        return np.sum(x[chosen]) * chosen.shape[0] + len(x[x > 1.0]) * x[0]
    assert T.value_and_grad(f)(X)[0] == f(X)
    np.testing.assert_array_equal(T.grad(f)(X), [5.0, 0.0, 3.0, 3.0])
    assert T.jit(f)(X) == f(X)
    np.testing.assert_array_equal(T.jit(T.grad(f))(X), [5.0, 0.0, 3.0, 3.0])
