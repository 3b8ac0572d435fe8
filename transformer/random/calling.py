"""How samplers are called: at the top level they run as compiled programs, inside of a function they become part of it.

A draw at the top level gives the numbers that a jitted function gets: XLA rounds logarithms, and contracts multiplications and
additions, in its own way. There is one program for each combination of types, shapes and settings. Arrays, and numbers that are
parameters of the distribution, are its inputs; other arguments are built into it.
"""

import functools
import inspect
import itertools

import numpy as np

from backend.array import frozen_array

from .. import eager
from ..config import x64
from ..executable import Array
from ..frontend import promotion
from ..ops.barriers import optimization_barrier
from ..ops.op import holds_reference
from .keys import key_data, words

PROGRAMS = 1024
"""How many programs are kept; the one that was not run for the longest time goes first."""

SETTINGS = {"shape", "dtype", "axis", "replace", "independent", "method", "unroll"}
"""Arguments that are no parameters of a distribution, whatever the sampler."""


def host_sampler(function):
    """A function of a key's words as a function of a key, by JAX's rules of types; at the top level it runs on NumPy.

    For draws that NumPy computes as XLA does, to the last bit.
    """
    name = f"random.{function.__name__}"

    @functools.wraps(function)
    def draw(key, *args, **kwargs):
        kwargs.pop("out_sharding", None)
        return drawn_inside(function, (words(key, name), *args), kwargs)

    draw.plain, draw.__signature__ = function, inspect.signature(function)
    return draw


def sampler(function=None, *, fixed=()):
    """The same for all other draws: at the top level they run compiled.

    fixed: names of parameters whose numbers are built into the program, as the settings are.
    """
    if function is None:
        return functools.partial(sampler, fixed=fixed)
    name, signature = f"random.{function.__name__}", Signature(function, fixed)

    @functools.wraps(function)
    def draw(key, *args, **kwargs):
        kwargs.pop("out_sharding", None)
        data = words(key, name)
        if is_at_top(data, args, kwargs):
            return run(draw, signature, data, args, kwargs)
        return drawn_inside(function, *signature.operands((data, *args), kwargs))

    draw.plain, draw.__signature__ = function, inspect.signature(function)
    return draw


def compiled(function, data, **settings):
    """A function of a key's words and of settings: at the top level by its program, inside of a function as part of that."""
    if is_at_top(data, (), settings):
        return run(function, Signature(function), data, (), settings)
    return drawn_inside(function, (data,), settings)


def drawn_inside(function, args, kwargs):
    """Run on arrays with NumPy, or on references of a function that is being transformed."""
    with np.errstate(all="ignore"):
        return eager.call(function, args, kwargs, typed=True, kept=True)


class Entered:
    """A sampler with loops: inside of a function it is entered like user code."""

    def __init__(self, function, fixed=()):
        functools.update_wrapper(self, function)
        self.function, self.signature = function, Signature(function, fixed)

    def __call__(self, key, *args, **kwargs):
        kwargs.pop("out_sharding", None)
        data = words(key, f"random.{self.__name__}")
        if is_at_top(data, args, kwargs):
            return run(self.function, self.signature, data, args, kwargs)
        args, kwargs = self.signature.operands((data, *args), kwargs)
        return self.function(*args, **kwargs)

    def __transformer_call__(self, ev, args, kwargs):
        from ..frontend.specialise import calls
        kwargs.pop("out_sharding", None)
        return calls.call(ev, self.function, *self.signature.operands(args, kwargs), None)

    def __repr__(self):
        return f"<sampler {self.__name__}>"


# programs ---------------------------------------------------------------------------------------------------------------
class Signature:
    """The parameters of a sampler: their names in order, and which of them take numbers that are inputs of its programs."""

    def __init__(self, function, fixed=()):
        self.names = tuple(inspect.signature(function).parameters)
        self.inputs = frozenset(self.names[1:]) - SETTINGS - set(fixed)

    def operands(self, args, kwargs):
        """The arguments of a draw inside of a function: parameters that are known there become operands, as they are at the top level.

        XLA contracts other products and sums where it knows a factor, so the numbers would not be the same.
        """
        if not any(holds_reference(key_data(value)) for value in (*args, *kwargs.values())):
            return args, kwargs
        return (tuple(self.operand(*both) for both in itertools.zip_longest(self.names[:len(args)], args)),
                {name: self.operand(name, value) for name, value in kwargs.items()})

    def operand(self, name, value):
        if name not in self.inputs:
            return value
        value = as_input(value, True)
        if not isinstance(value, Array | np.ndarray) or value.dtype.kind not in "biufV":
            return value
        value = value if isinstance(value, Array) else frozen_array(np.array(value, promotion.narrow(value.dtype)))
        return optimization_barrier.emit(value)


class Kept:
    """A value that is built into a program; in keys of the cache it is as good as any other, its frozen form stands beside it."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Kept

    def __hash__(self):
        return 0


def is_at_top(data, args, kwargs):
    """Whether a draw is none of a function that is being transformed."""
    from ..switches import is_on
    return not any(map(holds_reference, (data, *args, *kwargs.values()))) and not is_on("disable_jit")


def run(function, signature, data, args, kwargs):
    """The numbers of a call, computed by its program."""
    from ..dispatch import frozen
    arrays, described = [data], [type_of_array(data)]
    for name, value in (*zip(signature.names[1:], args), *kwargs.items()):
        value = as_input(value, name in signature.inputs)
        if isinstance(value, Array | np.ndarray):
            arrays.append(value)
            described.append((name, type_of_array(value)))
        else:
            described.append((name, frozen(value), Kept(value)))
    return program(function, tuple(described), x64())(arrays)


def type_of_array(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape
    return value.spec if type(value) is Array else value.signature


def as_input(value, number):
    """An argument as an array if it is an input of the program (number: numbers are), else as it is built in."""
    kind = type(value)
    if kind is list:
        return np.asarray(value) if number else tuple(value)
    if isinstance(value, Array | np.ndarray | np.generic):
        return np.asarray(value).item() if not number and not value.shape else value if isinstance(value, Array) else np.asarray(value)
    if number and (kind is float or kind is int):
        whole = kind is int and -1 << 31 <= value < 1 << 31
        return frozen_array(np.asarray(value, promotion.default("i" if whole else "f")), True)
    return value


@functools.lru_cache(PROGRAMS)
def program(function, described, wide):
    """What runs the program of a call on its arrays; the first run builds it."""
    from ..api import jit
    fixed = {d[0]: d[2].value for d in described[1:] if len(d) == 3}
    names = [d[0] for d in described[1:] if len(d) == 2]
    compiled, built = jit(functools.partial(function, **fixed)), []

    def numbers(arrays):
        if not built:
            entry, _ = compiled.find((arrays[0],), dict(zip(names, arrays[1:])))
            built.append(entry)
        return built[0].run(built[0].values(arrays))[0]
    return numbers


__all__ = ["Entered", "compiled", "host_sampler", "sampler"]
