"""Special methods of the user's classes: entered like functions, so that what they read is never stale."""

from typing import Generic, TypeVar

import numpy as np
import pytest

from transformer import grad, jit, vmap

RATE = 2.0
V = TypeVar("V")


class Vector:
    """Holds values of the function at hand."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.x = self.x + other.x
        return self

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __setitem__(self, i, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __iter__(self):
        return iter((self.x, self.y))

    def __len__(self):
        return 2

    def __contains__(self, i):
        return i in (0, 1)

    def __abs__(self):
        return np.sqrt(self.x ** 2 + self.y ** 2)

    def __eq__(self, other):
        return self.x == other.x

    def __enter__(self):
        return self.x

    def __exit__(self, *exception):
        self.y = 0.0


def through_vectors(a):
    v = Vector(a, 2.0 * a)
    w = 3.0 * v + v * 2.0
    w += v
    w[1] = w[0] + 1.0
    x, y = w
    total = sum(t for t in w) + len(w) + abs(v) + v @ w + (-w)[0] + max(*v)
    if 0 in v and 5 not in v:
        total = total + 1.0
    if v == v:
        total = total * 2.0
    with v as first:
        total = total + first
    for t in v:
        total = total + t
    return total + x * y


def test_objects_of_the_function_itself():
    slope = (through_vectors(0.7 + 1e-6) - through_vectors(0.7 - 1e-6)) / 2e-6
    assert np.isclose(jit(through_vectors)(0.7), through_vectors(0.7))
    assert np.isclose(grad(through_vectors)(0.7), slope)
    assert np.isclose(jit(vmap(grad(through_vectors)))(np.array([0.7, 0.2]))[0], slope)


class Reading:
    """Every special method reads a global and an attribute."""

    def __init__(self):
        self.size = 2.0

    def value(self):
        return RATE * self.size

    def __add__(self, other):
        return self.value() + other

    __radd__ = __add__

    def __neg__(self):
        return -self.value()

    def __lt__(self, other):
        return self.value() < other

    def __getitem__(self, i):
        return self.value() * i

    def __len__(self):
        return int(self.value())

    def __iter__(self):
        return iter([self.value()])

    def __contains__(self, value):
        return value == self.value()

    def __bool__(self):
        return self.value() == 4.0

    def __float__(self):
        return float(self.value())

    def __enter__(self):
        return self.value()

    def __exit__(self, *exception):
        return False


def within(m, x):
    with m as value:
        return x * value


USES = {
    "add": lambda m, x: x * (m + 1), "radd": lambda m, x: x * (1 + m), "neg": lambda m, x: x * -m, "lt": lambda m, x: x if m < 5.0 else 2.0 * x,
    "getitem": lambda m, x: x * m[3], "len": lambda m, x: x * len(m), "iterate": lambda m, x: x * [v for v in m][0], "sum": lambda m, x: x * sum(m),
    "star": lambda m, x: x * max(*m, 0.0), "contains": lambda m, x: x if 4.0 in m else 3.0 * x, "bool": lambda m, x: x if m else 3.0 * x,
    "not": lambda m, x: x if not m else 3.0 * x, "float": lambda m, x: x * float(m), "with": within,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("transform", [jit, grad])
def test_what_they_read_is_never_stale(use, transform, monkeypatch):
    m = Reading()

    def f(x):
        return USES[use](m, x)
    made = transform(f)
    for _ in range(3):
        assert made(1.0) == f(1.0)
    m.size = 6.0
    assert made(1.0) == f(1.0)
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert made(1.0) == f(1.0)


class Replaced:
    def scale(self, x):
        return 2.0 * x

    def __add__(self, x):
        return 3.0 * x


def test_replaced_methods(monkeypatch):
    outside = Replaced()
    made = jit(lambda x: outside.scale(x) + (outside + x) + Replaced().scale(x))
    assert made(1.0) == made(1.0) == 7.0
    monkeypatch.setattr(Replaced, "scale", lambda self, x: 10.0 * x)
    assert made(1.0) == 23.0
    monkeypatch.setattr(Replaced, "__add__", lambda self, x: 100.0 * x)
    assert made(1.0) == 120.0


class Counting(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = 2.0 * len(args)
        return made


class Counted(metaclass=Counting):
    def __init__(self, k):
        self.k = k


class Scaled:
    def __new__(cls, k):
        made = super().__new__(cls)
        made.scale = RATE
        return made

    def __init__(self, k):
        self.k = k * self.scale


class Options(dict):
    def __init__(self, k):
        super().__init__(k=k if k > 0 else 2 * k)


class Box(Generic[V]):
    def __init__(self, k):
        self.k = k if k > 0 else RATE * k


def test_how_objects_are_made(monkeypatch):
    def f(x, k):
        made = Counted(k)
        return np.sum(x) * made.k * made.extra + Scaled(k).k + Options(k)["k"] + Box[float](k).k
    program = jit(f)
    for rate in (3.0, 5.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        for k in (0.7, -0.7):
            np.testing.assert_allclose(program(np.ones(3), k), f(np.ones(3), k))
            np.testing.assert_allclose(grad(f)(np.ones(3), k), [2 * k] * 3)
