"""Control flow of `lax`: every transform and composition, carries of all containers, errors that name both types."""

import collections

import numpy as np
import pytest

import transformer as T
import transformer.numpy as jnp
from transformer import lax, tree_util

Pair = collections.namedtuple("Pair", "a b")
X = np.array([0.5, -1.5, 2.0, 0.3])


class Box:
    def __init__(self, value, name):
        self.value, self.name = value, name


tree_util.register_pytree_node(Box, lambda b: ((b.value,), b.name), lambda name, children: Box(*children, name))


# functions of a float64 array of 4, with the same written as plain Python -------------------------------------------------------
def scanned(x):
    return lax.scan(lambda c, v: (np.sin(c) * v + c, c * v), x[0], x)[1].sum()


def scanned_plain(x):
    c, total = x[0], 0.0
    for v in x:
        total, c = total + c * v, np.sin(c) * v + c
    return total


def backwards(x):
    end, ys = lax.scan(lambda c, v: ({"c": c["c"] * v + 1.0}, v * c["c"] ** 2), {"c": 1.0}, x, reverse=True)
    return np.sum(ys * np.arange(4.0)) + end["c"]


def backwards_plain(x):
    c, total = 1.0, 0.0
    for k in (3, 2, 1, 0):
        total, c = total + k * x[k] * c ** 2, c * x[k] + 1.0
    return total + c


def nested(x):
    def outer(c, v):
        inner, ws = lax.scan(lambda d, w: (d + w * v, d * w), c, x)
        return inner * 0.5, ws.sum()
    return lax.scan(outer, 1.0, x)[1].sum()


def nested_plain(x):
    c, total = 1.0, 0.0
    for v in x:
        for w in x:
            total, c = total + c * w, c + w * v
        c = c * 0.5
    return total


def looped(x):
    end = lax.while_loop(lambda s: s[1] * np.abs(s[0]).sum() < 60.0, lambda s: (s[0] * 1.3 + x, s[1] + 1), (x, 0))
    return np.sum(end[0] ** 2)


def looped_plain(x):
    y, n = x, 0
    while n * np.abs(y).sum() < 60.0:
        y, n = y * 1.3 + x, n + 1
    return np.sum(y ** 2)


def counted(x):
    return lax.fori_loop(1, 5, lambda i, y: y * x / i + np.cos(y), x).sum()


def counted_plain(x):
    y = x
    for i in range(1, 5):
        y = y * x / i + np.cos(y)
    return y.sum()


def branched(x):
    y = lax.cond(x[0] > x[3], lambda v: v ** 2, np.sin, x)
    return lax.switch(np.int32(1), [np.cos, lambda v: v * 3.0, np.exp], y).sum() + lax.cond(x[1] > 0, lambda: x[0], lambda: x[2])


def branched_plain(x):
    y = x ** 2 if x[0] > x[3] else np.sin(x)
    return (y * 3.0).sum() + (x[0] if x[1] > 0 else x[2])


def mapped(x):
    return sum(v.sum() for v in lax.map(lambda p: (p[0] * p[1], np.sin(p[0])), (x, x ** 2)))


def mapped_plain(x):
    return (x ** 3).sum() + np.sin(x).sum()


def prefixed(x):
    pairs = lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (x, np.cos(x)))
    return pairs[1].sum() + lax.associative_scan(np.multiply, x, reverse=True).sum()


def prefixed_plain(x):
    h, total = 0.0, 0.0
    for v in x:
        h = h * v + np.cos(v)
        total = total + h
    product = 1.0
    for v in x[::-1]:
        product = product * v
        total = total + product
    return total


PAIRS = {f.__name__: (f, g) for f, g in [(scanned, scanned_plain), (backwards, backwards_plain), (nested, nested_plain), (looped, looped_plain),
                                         (counted, counted_plain), (branched, branched_plain), (mapped, mapped_plain), (prefixed, prefixed_plain)]}
ways = pytest.mark.parametrize("name", PAIRS)


@pytest.fixture(autouse=True)
def wide():
    with T.enable_x64(True):
        yield


def close(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-10, atol=1e-12)


@ways
def test_value(name):
    f, plain = PAIRS[name]
    for g in (f, T.jit(f)):
        close(g(X), plain(X))


@ways
def test_gradient(name):
    f, plain = PAIRS[name]
    wanted = T.grad(plain)(X)
    for g in (T.grad(f), T.jit(T.grad(f)), T.grad(T.jit(f)), T.jacfwd(f), T.jacrev(f)):
        close(g(X), wanted)


@ways
def test_batch(name):
    f, plain = PAIRS[name]
    rows = np.stack([X, X[::-1], -X])
    wanted = [T.grad(plain)(row) for row in rows]
    for g in (T.vmap(T.grad(f)), T.jit(T.vmap(T.grad(f))), T.grad(lambda m: np.sum(T.vmap(f)(m)))):
        close(g(rows), wanted)
    close(T.vmap(f)(rows), [plain(row) for row in rows])


@ways
def test_second_derivative(name):
    f, plain = PAIRS[name]
    close(T.hessian(f)(X), T.hessian(plain)(X))
    close(T.jit(T.jacrev(T.grad(f)))(X), T.hessian(plain)(X))


def test_loops_stay_loops():
    text = T.jit(lambda x: lax.scan(lambda c, v: (c + v, c), 0.0, x)).show(np.ones(3))
    assert "for i in range(3)" in text
    assert len(T.grad(scanned).show(np.ones(4)).splitlines()) == len(T.grad(scanned).show(np.ones(400)).splitlines())


def test_body_appears_once():
    text = T.jit(lambda x: lax.scan(lambda c, v: (c, np.tanh(v)), 0.0, x)[1]).show(np.ones(50))
    assert text.count("np.tanh") == 1


@pytest.mark.parametrize("make, read", [
    (lambda v: [v, (v, None)], lambda c: c[1][0]), (lambda v: {"b": v, "a": {"c": v}}, lambda c: c["a"]["c"]),
    (lambda v: Pair(v, [v]), lambda c: c.b[0]), (lambda v: Box(v, "name"), lambda c: c.value)])
def test_containers_as_carries(make, read):
    def f(x):
        loop = lax.fori_loop(0, 3, lambda i, c: make(read(c) * x), make(1.0))
        return read(loop) + read(lax.scan(lambda c, v: (make(read(c) + v), None), make(x), np.arange(3.0))[0])
    for g in (f, T.jit(f)):
        close(g(2.0), 8.0 + 5.0)
    close(T.grad(f)(2.0), 3 * 4.0 + 1.0)


def test_dynamic_bounds_in_reverse_mode():
    def power(x, n):
        return lax.fori_loop(0, n, lambda i, v: v * x, 1.0)
    for g in (T.grad(power), T.jit(T.grad(power))):
        close([g(1.5, n) for n in (0, 1, 4)], [0.0, 1.0, 4 * 1.5 ** 3])


def test_while_loop_in_compiled_reverse_mode():
    def newton(a):
        return lax.while_loop(lambda x: np.abs(x * x - a) > 1e-12, lambda x: 0.5 * (x + a / x), a)
    close(T.jit(T.grad(newton))(9.0), 1 / 6)
    close(T.jit(T.vmap(T.grad(newton)))(np.array([2.0, 4.0, 9.0])), [0.5 / np.sqrt(2.0), 0.25, 1 / 6])


def test_index_is_clamped():
    f = T.jit(lambda i: lax.switch(i, [lambda: 10.0, lambda: 20.0, lambda: 30.0]))
    assert [float(f(i)) for i in (-5, 0, 1, 2, 7)] == [10.0, 10.0, 20.0, 30.0, 30.0]


def test_no_rounds():
    end, ys = lax.scan(lambda c, v: (c + v, {"y": c * v}), 1.0, np.zeros(0))
    assert float(end) == 1.0 and ys["y"].shape == (0,)
    end, ys = T.jit(lambda x: lax.scan(lambda c, v: (c + v, {"y": c * v}), 1.0, x))(np.zeros(0))
    assert float(end) == 1.0 and ys["y"].shape == (0,)


def test_length_without_rows():
    assert lax.scan(lambda c, _: (c + 1, c), 0, None, length=3)[1].tolist() == [0, 1, 2]


def test_map_in_blocks():
    rows = np.arange(14.0).reshape(7, 2)
    for size in (1, 3, 7, 9):
        close(lax.map(lambda r: r.sum(), rows, batch_size=size), rows.sum(1))
        close(T.jit(lambda m: lax.map(lambda r: r.sum(), m, batch_size=size))(rows), rows.sum(1))


def test_static_predicate_checks_both_branches():
    with pytest.raises(TypeError, match="true_fun.*false_fun"):
        T.jit(lambda x: lax.cond(True, lambda v: v, lambda v: v[:2], x))(X)


@pytest.mark.parametrize("run", [lambda f: f, T.jit, T.vmap])
def test_carry_that_changes(run):
    rows = np.ones((2, 3))
    with pytest.raises(TypeError, match=r"carry is float64\[\] at first.*float64\[2\]"):
        run(lambda x: lax.scan(lambda c, v: (jnp.stack([c, c]), None), jnp.float64(0), np.ones(3))[0] + x)(rows)
    with pytest.raises(TypeError, match=r"carry_0 is float64\[\] at first.*int64\[\]"):
        run(lambda x: lax.fori_loop(0, 3, lambda i, c: (jnp.int64(1), c[1]), (jnp.float64(0), x))[1])(rows)
    with pytest.raises(TypeError, match=r"structure.*\(\*, \*\).*\[\*\]"):
        run(lambda x: lax.while_loop(lambda c: c[1] < 3, lambda c: [c[0]], (x, 0))[0])(rows)


def test_errors_stand_at_the_users_line():
    with pytest.raises(T.TransformError) as error:
        T.jit(lambda x: lax.scan(lambda c, v: (c[None], None), x, np.ones(3)))(X)
    assert "test_control.py" in str(error.value) and "lax.scan" in str(error.value)


@pytest.mark.parametrize("call, words", [
    (lambda: lax.scan(lambda c, x: (c, None), 0.0, (X, np.ones(5))), "sizes"), (lambda: lax.scan(lambda c, x: (c, None), 0.0), "length"),
    (lambda: lax.scan(lambda c, x: c, 0.0, X), "pair"), (lambda: lax.scan(lambda c, x: (c, None), 0.0, 1.0), "scalar"),
    (lambda: lax.while_loop(lambda c: X > 0, lambda c: c, 0.0), "boolean scalar"), (lambda: lax.cond(X > 0, lambda: 1, lambda: 2), "scalar"),
    (lambda: lax.switch(0.5, [lambda: 1.0]), "integer"), (lambda: lax.switch(0, []), "one branch"), (lambda: lax.map(np.sin, X, batch_size=0), "positive"),
    (lambda: lax.associative_scan(np.add, X, axis=3), "axis"), (lambda: lax.scan(lambda c, x: ("a", None), "a", X), "str")])
def test_misuse(call, words):
    with pytest.raises(T.TransformError, match=words):
        call()


def test_python_numbers_take_the_type_of_what_they_meet():
    total, count = T.jit(lambda x: lax.fori_loop(0, 3, lambda i, c: (c[0] + x, c[1] + 1), (0, 0)))(np.float32(0.5))
    assert total.dtype == np.float32 and float(total) == 1.5 and int(count) == 3
