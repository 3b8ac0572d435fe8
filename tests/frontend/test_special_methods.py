"""Special methods of the user's classes: entered like functions, so that what they read is never stale."""

import collections.abc
import dataclasses
import functools
import operator
from typing import Generic, TypeVar

import numpy as np
import pytest

from transformer import TransformError, grad, jit, vmap

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


def clipped(v):
    return v if v > 0 else RATE * v


class Checked:
    """Attributes that it computes, each with a condition on what may be an array value."""

    def __init__(self, v):
        self.v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = clipped(value)

    @v.deleter
    def v(self):
        self._v = 0.5

    @functools.cached_property
    def kept(self):
        return clipped(self._v - 1)

    def __getattr__(self, name):
        if name == "other":
            return clipped(self._v - 2)
        raise AttributeError(name)


class Clip:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return clipped(getattr(owner, self.name) - 1)

    def __set__(self, owner, value):
        setattr(owner, self.name, clipped(value))


class Described:
    clip = Clip()

    def __init__(self, v):
        self.clip = v


@dataclasses.dataclass
class Settings:
    rate: float
    scale: dataclasses.InitVar[float] = 3.0
    rates: list = dataclasses.field(default_factory=lambda: [RATE])

    def __post_init__(self, scale):
        if self.rate < 0:
            self.rate = -self.rate
        self.scaled = self.rate * scale


@functools.total_ordering
class Ordered:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v

    def __eq__(self, other):
        return self.v == other.v

    def __add__(self, other):
        return Ordered(clipped(self.v) + other.v)

    def named(self, factor=1.0):
        return clipped(self.v) * factor


class Items:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError(i)
        return clipped(self.x[i])

    def __reversed__(self):
        return iter([self.x[0], 2.0])


class Steps:
    def __init__(self, x):
        self.x, self.at = x, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= 3:
            raise StopIteration
        self.at += 1
        return clipped(self.x[self.at])


class Table(collections.abc.Mapping):
    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return clipped(self.x[key])

    def __iter__(self):
        return iter(range(2))

    def __len__(self):
        return 2


def computed(x, k):
    one, two = Checked(x[0] * k), Checked(x[1])
    one.v += x[2]
    setattr(two, "v", two.v * k)  # noqa: B010
    s = one.v * two.v + one.kept * one.kept + two.other + getattr(two, "none", 2.0)
    del two.v
    return s * two.v


def described(x, k):
    return Described(x[1] * k).clip * np.sum(x)


def settings(x, k):
    made = Settings(x[0] * k)
    return made.scaled * made.rate * made.rates[0] + Settings(x[1], scale=k).scaled


def ordered(x, k):
    one, two = Ordered(x[0]), Ordered(x[1] * k)
    y = x[2] if one >= two else x[3]
    return y + sum([two, two], one).v + functools.reduce(operator.add, [two, one]).v + operator.add(one, two).v


def got(x, k):
    one = Ordered(x[1] * k)
    return operator.methodcaller("named", 2.0)(one) + operator.methodcaller("named", factor=x[0])(one) + sum(operator.attrgetter("v", "v")(one)) \
        + operator.itemgetter(1)([x[0], x[1]])


def gone_through(x, k):
    items, s = Items(x * k), 0.0
    for v in items:
        s = s + v
    a, b, c = Items(x)
    for v in Steps(x * k):
        s = s + v
    steps = Steps(x)
    return s + a * b * c + sum(items) + sum(reversed(items)) + next(steps) * next(steps) + next(Steps(x), 1.0) + sum(dict(Table(x * k)).values())


@pytest.mark.parametrize("fn", [computed, described, settings, ordered, got, gone_through], ids=lambda fn: fn.__name__)
def test_conditions_on_array_values_in_special_methods(fn, monkeypatch):
    x, program, slope = np.array([0.3, 1.7, 0.9, 1.2]), jit(fn), grad(fn)
    for rate in (2.0, 3.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        for k in (0.7, -0.7):
            np.testing.assert_allclose(program(x, k), fn(x, k))
            np.testing.assert_allclose(slope(x, k), [(fn(x + d, k) - fn(x - d, k)) / 2e-6 for d in np.eye(4) * 1e-6], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(vmap(fn, in_axes=(None, 0))(x, np.array([0.7, -0.7])), [fn(x, 0.7), fn(x, -0.7)])


outside = [1.0]


class Held:
    v = 1.0


held = Held()


@pytest.mark.parametrize("change", [lambda k: list.append(outside, k), lambda k: object.__setattr__(held, "v", k), lambda k: delattr(held, "v"),
                                    lambda k: operator.setitem(outside, 0, k), lambda k: operator.iadd(outside, [k]), lambda k: outside.__iadd__([k]),
                                    lambda k: operator.delitem(outside, 0), lambda k: list.sort(outside)])
def test_what_outlives_the_call_is_not_changed_by_methods_of_classes(change):
    def f(k):
        change(k)
        return 2 * k
    for transform in (grad, jit):
        with pytest.raises(TransformError, match="outlives the call and is changed here"):
            transform(f)(2.0)
    assert outside == [1.0] and held.v == 1.0
