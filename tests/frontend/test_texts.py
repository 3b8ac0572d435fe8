"""Texts with array values in them: printed as they are, and read character by character where the values are known."""

import collections
import dataclasses

import numpy as np
import pytest

from transformer import TransformError, grad, jit
from transformer.transformed import Transformed


def digits(x, n):
    return x * sum(int(c) for c in str(n))


def counted(x, n):
    text = f"{n}"
    return x * len(text) ** 2 + text.count("1") if "2" in text else x


def filled(x, n):
    return x * 2 if str(n).zfill(5) == "00123" else x * int(f"{n}0")


@pytest.mark.parametrize("f", [digits, counted, filled], ids=lambda f: f.__name__)
def test_characters_of_an_arguments_text(f):
    for transform in (Transformed, jit):
        for n in (123, 45, 2):
            np.testing.assert_allclose(transform(f)(1.5, n), f(1.5, n))
            np.testing.assert_allclose(transform(grad(f))(1.5, n), f(2.0, n) - f(1.0, n))


def test_characters_of_a_computed_number():
    def f(x):
        return x[1] * sum(int(c) for c in str(int(np.sum(x))))
    x = np.arange(50.0)
    np.testing.assert_allclose(Transformed(f)(x), f(x))
    with pytest.raises(TransformError, match="(?s)test_texts.py.*the characters of a text with an array value in it"):
        jit(f)(x)


def test_a_result_of_another_kind_on_each_path():
    def first(x, bound):
        for i in range(len(x)):
            if x[i] > bound:
                return x[i]
        return None
    x = np.arange(5.0)
    assert Transformed(first)(x, 2.5) == 3
    assert Transformed(first)(x, 7.0) is None
    with pytest.raises(TransformError, match="the function's result is None or a number depending on .*(?s:.*)Return the same kind of value on every path"):
        jit(first)(x, 2.5)


@pytest.mark.parametrize("fn", [lambda x: locals()["x"], lambda x: eval("x"), lambda x: x * len(dir()), lambda x: x * len(vars()),
                                lambda x: globals()["np"].sin(x), lambda x: exec("x") or x])
def test_variables_are_not_read_by_their_names(fn):
    with pytest.raises(TransformError, match="variables by their names"):
        jit(fn)(0.5)


def test_the_text_of_an_abstract_value_has_no_length():
    with pytest.raises(TransformError, match="characters of a text"):
        jit(lambda x: x * len(repr(x)))(np.array([0.5]))
    assert grad(lambda x: np.sum(x) * len(x.__class__.__name__))(np.array([0.5])) == 7.0


class Money:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Money({self.value:.2f})"

    def __str__(self):
        return "$" + str(self.value)

    def __format__(self, spec):
        return f"<{self.value:{spec or '.1f'}}>"


@dataclasses.dataclass
class Account:
    owner: str
    money: Money
    past: list


Pair = collections.namedtuple("Pair", "first second")


def test_objects_print_themselves(capsys):
    def f(a):
        account, pair = Account("me", Money(a), [a, 2]), Pair(a, 1)
        print(Money(a), repr(Money(a)), str(Money(a)) + "!", f"{Money(a)} {Money(a)!r} {Money(a)!s} {Money(a):.3f}")
        print(account, f"{account}", pair, f"{pair} {[a]} {(a,)}", str({"a": a}), [a, 1], f"{a:>8.3f}|{'t':>3}|{3:03d}|{'x'!a}", sep=";")
        return a * 2
    want = f(1.5)
    wanted = capsys.readouterr().out
    for transformed in (lambda a: Transformed(f)(a), jit(f)):
        assert transformed(1.5) == want
        assert capsys.readouterr().out == wanted


def test_texts_that_are_not_known_are_refused():
    with pytest.raises(TransformError, match="the text of a deque"):
        jit(lambda x: print(collections.deque([x])) or x)(0.5)


def test_objects_in_the_message_of_an_error():
    def f(a):
        if a < 0:
            raise ValueError("bad", Money(a))
        return a
    for transformed in (Transformed(f), jit(f)):
        with pytest.raises(ValueError, match=r"\$-1.5"):
            transformed(-1.5)
