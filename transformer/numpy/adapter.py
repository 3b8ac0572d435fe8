"""How a function of `transformer.numpy` is made from the op table's implementation of NumPy's function of that name."""

import inspect

import numpy as np

from .. import eager
from ..eager import Function
from ..errors import TransformError, UnknownFunction
from ..frontend.reference import is_reference
from ..ops import op as optable


def adapted(function, name, module="transformer.numpy"):
    """The function of `transformer.numpy` for a function of NumPy that the op table knows."""
    if isinstance(function, np.ufunc):
        return ufunc(function, name)
    made = Function(function)

    def call(*args, **kwargs):
        return made.call(args, kwargs)
    return described(call, function, name, module)


def described(call, function, name, module="transformer.numpy"):
    """Name, documentation and signature as users see them."""
    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = f"`numpy.{name}` with JAX's types."
    try:
        call.__signature__ = inspect.signature(function)
    except (TypeError, ValueError):
        pass
    return call


class ufunc:
    """An elementwise function, with the methods reduce, accumulate, outer and at."""

    def __init__(self, function, name):
        self.function, self.made = function, Function(function)
        self.nin, self.nout, self.nargs, self.identity = function.nin, function.nout, function.nin + 1, function.identity
        self.__name__ = self.__qualname__ = name
        self.__module__ = "transformer.numpy"
        self.__doc__ = f"`numpy.{name}` with JAX's types."

    def __call__(self, *args, **kwargs):
        return self.made.call(args, kwargs)

    def __repr__(self):
        return f"<ufunc {self.__name__}>"

    def method(self, name, args, kwargs):
        function = getattr(self.function, name)
        if function not in optable.FUNCTIONS and any(map(optable.holds_reference, args)):
            raise UnknownFunction(f"{self.__name__}.{name} is not known inside of transformed functions", "Write it with other functions.")
        return eager.call_numpy(function, args, {k: eager.array_dtype(v) if k == "dtype" else v for k, v in kwargs.items()})

    def reduce(self, a, axis=0, **kwargs):
        """The function between all elements along an axis."""
        return self.method("reduce", (a, axis), kwargs)

    def accumulate(self, a, axis=0, **kwargs):
        """The running result along an axis."""
        return self.method("accumulate", (a, axis), kwargs)

    def outer(self, a, b, **kwargs):
        """The function of all pairs of elements."""
        return self.method("outer", (a, b), kwargs)

    def reduceat(self, a, indices, axis=0, **kwargs):
        """The function between the elements of slices."""
        return self.method("reduceat", (a, indices, axis), kwargs)

    def at(self, a, indices, b=None, *, inplace=False):
        """A new array in which the function was applied at the indices, one after the other."""
        if inplace:
            raise TransformError("at() with inplace=True: arrays are immutable", "Pass inplace=False and use the result.")
        place = (a if is_reference(a) else eager.new_array(a)).at[indices]
        if b is None:
            return place.apply(self)
        names = {np.add: "add", np.subtract: "subtract", np.multiply: "multiply", np.divide: "divide", np.power: "power",
                 np.minimum: "min", np.maximum: "max"}
        if self.function not in names:
            raise UnknownFunction(f"{self.__name__}.at is not known", "Use `x.at[indices].set(...)`.")
        return getattr(place, names[self.function])(b)
