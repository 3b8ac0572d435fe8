"""What a function reads from outside is read at each call: modules, classes, objects, and whatever native code looks at."""

import collections
import dataclasses
import enum
import functools
import importlib
import os
import sys
import types

import numpy as np
import pytest

import transformer as T


class Config:
    rate = 3.0
    table = [1.0, 2.0]
    options = {"a": 2.0}
    weights = np.ones(2)

    def __init__(self, k=2.0):
        self.k = k

    def __call__(self, x):
        return self.k * x

    @staticmethod
    def doubled(x):
        return 2 * x

    @classmethod
    def scaled(cls, x):
        return cls.rate * x

    @property
    def product(self):
        return self.k * self.rate

    def method(self, x):
        return self.k * x


class Inner(Config):
    def __call__(self, x):
        return self.k * x * x

    def method(self, x):
        return super().method(x) + 1.0


class Mode(enum.Enum):
    LINEAR = 1
    SQUARE = 2


@dataclasses.dataclass
class Settings:
    k: float = 2.0
    options: dict = dataclasses.field(default_factory=lambda: {"z": 1.0})


@functools.cache
def power_of_gain(n):
    return GAIN ** n


def thrice(x):
    return 3 * x


def five_times(self, x):
    return 5 * x


GAIN = 2.0
helpers = None  # a module, made anew for each test
OBJECT, SETTINGS, MODE, FIRST, SECOND = Config(), Settings(), Mode.LINEAR, Config(), Config()
PLACES, PART, KIND, PAIR = range(3), slice(0, 2), np.dtype(np.float64), collections.namedtuple("Pair", "a b")(1.0, 2.0)


def of_module(x):
    return helpers.f(x) * helpers.k + np.sum(helpers.w)


def imported_inside(x):
    import freshness_helpers
    from freshness_helpers import k
    return freshness_helpers.f(x) * k


CASES = {
    "the function of a module": (of_module, lambda p: p(helpers, "f", thrice)),
    "a number of a module": (of_module, lambda p: p(helpers, "k", 7.0)),
    "an array of a module": (of_module, lambda p: p(helpers, "w", np.ones(4))),
    "the elements of an array of a module": (of_module, lambda p: helpers.w.fill(9.0)),
    "another module": (of_module, lambda p: p(sys.modules[__name__], "helpers", module(5.0))),
    "a function of a module imported inside": (imported_inside, lambda p: p(helpers, "f", thrice)),
    "a number imported inside": (imported_inside, lambda p: p(helpers, "k", 7.0)),
    "an attribute of a class": (lambda x: Config.rate * x, lambda p: p(Config, "rate", 5.0)),
    "a list of a class": (lambda x: Config.table[0] * x, lambda p: p(Config, "table", [4.0, 2.0])),
    "a dict of a class": (lambda x: Config.options["a"] * x, lambda p: p(Config, "options", {"a": 9.0})),
    "an array of a class": (lambda x: np.sum(Config.weights) * x, lambda p: p(Config, "weights", np.ones(3))),
    "a static method": (lambda x: Config.doubled(x), lambda p: p(Config, "doubled", staticmethod(thrice))),
    "what a class method reads": (lambda x: Config.scaled(x), lambda p: p(Config, "rate", 5.0)),
    "a class method": (lambda x: Config.scaled(x), lambda p: p(Config, "scaled", classmethod(five_times))),
    "an inherited attribute": (lambda x: Inner.rate * x, lambda p: p(Config, "rate", 5.0)),
    "an attribute of the class of an object made inside": (lambda x: Config(x).rate * x, lambda p: p(Config, "rate", 5.0)),
    "what a property reads": (lambda x: Config(x).product, lambda p: p(Config, "rate", 5.0)),
    "a property": (lambda x: Config(x).product, lambda p: p(Config, "product", property(lambda self: self.k ** 3))),
    "a method behind super": (lambda x: Inner(x).method(x), lambda p: p(Config, "method", five_times)),
    "an object of another class": (lambda x: OBJECT(x), lambda p: p(sys.modules[__name__], "OBJECT", Inner(4.0))),
    "the class of an object": (lambda x: x * (2 if isinstance(OBJECT, Inner) else 3), lambda p: p(sys.modules[__name__], "OBJECT", Inner())),
    "which object it is": (lambda x: x * (2 if FIRST is SECOND else 3), lambda p: p(sys.modules[__name__], "SECOND", FIRST)),
    "a member of an enumeration": (lambda x: x if MODE is Mode.LINEAR else x * x, lambda p: p(sys.modules[__name__], "MODE", Mode.SQUARE)),
    "a range": (lambda x: sum([x * i for i in PLACES]), lambda p: p(sys.modules[__name__], "PLACES", range(5))),
    "a slice": (lambda x: np.sum((np.arange(5.0) * x)[PART]), lambda p: p(sys.modules[__name__], "PART", slice(1, 4))),
    "a dtype": (lambda x: x * float(np.array([2.7]).astype(KIND)[0]), lambda p: p(sys.modules[__name__], "KIND", np.dtype(np.int32))),
    "a tuple with names": (lambda x: x * PAIR.a, lambda p: p(sys.modules[__name__], "PAIR", PAIR._replace(a=6.0))),
    "what vars gives": (lambda x: x * vars(SETTINGS)["k"], lambda p: p(SETTINGS, "k", 7.0)),
    "what asdict gives": (lambda x: x * dataclasses.asdict(SETTINGS)["options"]["z"], lambda p: p(SETTINGS, "options", {"z": 7.0})),
    "whether an attribute is there": (lambda x: x * (2 if hasattr(SETTINGS, "extra") else 3), lambda p: p(SETTINGS, "extra", 1, raising=False)),
    "what a cached function reads": (lambda x: x * power_of_gain(2), lambda p: (p(sys.modules[__name__], "GAIN", 5.0), power_of_gain.cache_clear())),
}


def module(k):
    made = types.ModuleType("freshness_helpers")
    made.f, made.k, made.w = (lambda x: 2 * x), k, np.ones(2)
    return made


@pytest.fixture(autouse=True)
def own_module(monkeypatch):
    monkeypatch.setitem(sys.modules, "freshness_helpers", module(3.0))
    monkeypatch.setitem(globals(), "helpers", sys.modules["freshness_helpers"])


@pytest.mark.parametrize("name", CASES)
def test_changes_are_noticed(name, monkeypatch):
    f, change = CASES[name]
    both, compiled = T.value_and_grad(f), T.jit(f)
    assert both(1.5)[0] == pytest.approx(before := f(1.5)) and compiled(1.5) == pytest.approx(before)
    change(monkeypatch.setattr)
    after, slope = f(1.5), (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
    assert after != before
    assert both(1.5) == (pytest.approx(after), pytest.approx(slope)) and compiled(1.5) == pytest.approx(after)
    power_of_gain.cache_clear()


def test_a_module_that_is_installed_later(monkeypatch, tmp_path):
    def f(x):
        try:
            import freshness_later as later
        except ImportError:
            return x * 2.0
        return x * later.k
    slope = T.grad(f)
    assert slope(1.0) == 2.0
    (tmp_path / "freshness_later.py").write_text("k = 6.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    assert slope(1.0) == 6.0
    monkeypatch.delitem(sys.modules, "freshness_later")


@pytest.mark.parametrize("f", [lambda x: x * float(os.environ.get("FRESHNESS", "2")), lambda x: x * float(os.getenv("FRESHNESS", "2")),
                               lambda x: x * (float(os.environ["FRESHNESS"]) if "FRESHNESS" in os.environ else 2.0)], ids=["get", "getenv", "item"])
def test_the_environment(f, monkeypatch):
    both, compiled = T.value_and_grad(f), T.jit(f)
    assert both(1.5) == (3.0, 2.0) and compiled(1.5) == 3.0
    for value in ("4", "6"):
        monkeypatch.setenv("FRESHNESS", value)
        assert both(1.5) == (1.5 * float(value), float(value)) and compiled(1.5) == 1.5 * float(value)


def test_attributes_of_classes_are_not_set():
    def f(x):
        Config.rate = 4.0
        return x
    with pytest.raises(T.TransformError, match="an attribute of the class Config is changed here"):
        T.grad(f)(1.0)


def test_names_that_a_module_does_not_have():
    def f(x):
        from freshness_helpers import absent
        return absent(x)
    with pytest.raises(ImportError, match="cannot import name 'absent' from 'freshness_helpers'"):
        T.grad(f)(1.0)
