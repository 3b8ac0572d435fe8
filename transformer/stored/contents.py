"""What a value is, with everything that code can read through it: text that is equal in two processes only if nothing differs.

    survey = Survey()
    survey.value(fn)            functions: their code, defaults, closures and the globals they name, and so on inwards
    survey.finish()             attributes of the user's modules, by the names that the code met so far mentions
    survey.text()               the description
    survey.nodes                the objects met, in an order that equal descriptions share
    survey.arrays, is_native    the numbers of the arrays of numbers; whether code may run natively that reads them by value

An array of numbers is described by its type: programs take it as an input where they can. What code cannot be shown to read the same again (files,
clocks, objects with a hidden state) raises `Unsettled`: a program that may depend on it is built in each process.
"""

import collections
import copyreg
import dataclasses
import enum
import functools
import sys
import types

import numpy as np

from .. import tree
from ..core import is_number
from ..executable import Array

LIBRARIES = frozenset("abc backend builtins cmath collections contextlib copy copyreg dataclasses enum fractions functools itertools math ml_dtypes numbers numpy "
                      "operator re reprlib scipy string transformer types typing".split())
"""Packages whose functions mean the same as long as their versions do, and read nothing but their arguments."""

READERS = frozenset("load loadtxt genfromtxt fromfile fromregex memmap open_memmap DataSource".split())
"""What of NumPy reads files."""

REFUSED = frozenset("open input eval exec compile globals locals vars dir id hash __import__ breakpoint getattr".split())
"""Builtins that read what their arguments do not show; `getattr` only of names that are not written out."""

SKIPPED = frozenset("__dict__ __weakref__ __doc__ __module__ __annotations__ __annotate__ __annotate_func__ __annotations_cache__ __orig_bases__ "
                    "__parameters__ __firstlineno__ __static_attributes__ __slotnames__ _abc_impl __type_params__".split())
"""Attributes of a class that its behaviour does not depend on."""

OWN_STATE = frozenset("cache compiled static __signature__ __call__ call __doc__ __annotations__ __type_params__".split())
"""Attributes of our own objects that follow from the others."""

CALLERS = frozenset("map filter sorted min max reduce accumulate starmap groupby quad odeint solve_ivp fsolve root minimize vectorize frompyfunc "
                    "apply_along_axis apply_over_axes piecewise fromfunction fromiter lru_cache cache cached_property".split())
"""Functions that call others natively, where what these read is not seen one by one."""

ENTERED = frozenset("__init__ __call__ __repr__ __str__".split())
"""Special methods that are transformed, or that compute no numbers."""

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice)
MAX_NODES = 20_000


class Unsettled(Exception):
    """Something in the contents of a function may differ in another process without being seen."""


def is_library(module):
    """Whether a module is described by its name. Our examples are programs as the user's are."""
    return module.split(".")[0] in LIBRARIES and not module.startswith("transformer.examples")


def found_by_name(value):
    """Whether a library's module has this very object under its name: then the name says everything."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    if not isinstance(module, str):
        module = "numpy" if isinstance(value, np.ufunc) else "builtins"
    if not is_library(module):
        return None
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is value else None


class Survey:
    """A description in the making. See the module's docstring."""

    def __init__(self):
        self.tokens, self.nodes, self.numbers = [], [], {}
        self.names, self.modules, self.libraries = set(), [], set()
        self.arrays, self.is_native = set(), False

    def say(self, *tokens):
        self.tokens.extend(map(str, tokens))

    def text(self):
        return "\0".join(self.tokens)

    def note(self, value):
        """Give an object a number; whether it is new. Of one met before that number is all there is to say."""
        if id(value) in self.numbers:
            self.say("same", self.numbers[id(value)])
            return False
        self.numbers[id(value)] = len(self.nodes)
        self.nodes.append(value)
        if len(self.nodes) > MAX_NODES:
            raise Unsettled("it reads too many objects")
        return True

    # values -------------------------------------------------------------------------------
    def value(self, value):
        """Describe a value."""
        kind = type(value)
        if kind in PLAIN:
            return self.say(kind.__name__, repr(value))
        if kind in (tuple, frozenset, set):
            self.numbers.setdefault(id(value), len(self.nodes))
            self.nodes.append(value)
            return self.tuple(value) if kind is tuple else self.set(value)
        if isinstance(value, np.generic):
            return self.say("scalar", value.dtype.name, value.tobytes())
        if isinstance(value, np.dtype):
            return self.say("dtype", value.name, value)
        if not self.note(value):
            return
        if getattr(kind, "__transformer_array__", False):
            return self.device_array(value)
        describe = DESCRIBE.get(kind)
        if describe is not None:
            return describe(self, value)
        if isinstance(value, type):
            return self.type(value)
        name = found_by_name(value)
        return self.object(value) if name is None else self.say("library", name)

    def tuple(self, value):
        self.say("tuple", len(value))
        for item in value:
            self.value(item)

    def list(self, value):
        self.say("list", len(value))
        for item in value:
            self.value(item)

    def set(self, value):
        if not all(type(item) in PLAIN for item in value):
            raise Unsettled("a set of objects has no order")
        self.say(type(value).__name__, *sorted(map(repr, value)))

    def dict(self, value):
        self.say("dict", len(value))
        for key, item in value.items():
            self.value(key)
            self.value(item)

    def array(self, value):
        self.arrays.add(self.numbers[id(value)])
        self.say("array", value.dtype.name, value.dtype.str, value.shape)
        if not is_number(value.dtype):
            if value.dtype.hasobject:
                raise Unsettled("an array of objects")
            self.say(value.tobytes())

    def device_array(self, value):
        if type(value) is not Array:
            raise Unsettled("an array with a sharding")
        self.arrays.add(self.numbers[id(value)])
        self.say("device array", value.dtype.name, value.shape, value.weak_type)

    # functions ----------------------------------------------------------------------------
    def function(self, fn):
        name = found_by_name(fn)
        if name is not None:
            return self.say("library", name)
        self.say("function", fn.__module__, fn.__qualname__)
        names = set()
        self.code(fn.__code__, names)
        self.names |= names
        self.note(fn.__globals__)
        for name in () if is_library(fn.__globals__.get("__name__") or "") else sorted(names):
            if name in fn.__globals__:
                self.say("global", name)
                self.value(fn.__globals__[name])
            elif name in REFUSED and fn.__name__ != "__hash__":
                raise Unsettled(f"{fn.__qualname__} calls {name}")
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
            self.note(cell)
            self.say("closure", name)
            self.cell(cell)
        if fn.__kwdefaults__:
            self.note(fn.__kwdefaults__)
        for part in (fn.__defaults__ or (), tuple((fn.__kwdefaults__ or {}).items()), tuple(vars(fn).items())):
            self.tuple(part)

    def cell(self, cell):
        try:
            contents = cell.cell_contents
        except ValueError:
            return self.say("empty")
        self.value(contents)

    def code(self, code, names):
        """A code object: also its lines, which messages quote. Adds the names that it and the code in it mention."""
        names.update(code.co_names)
        names.update(c for c in code.co_consts if isinstance(c, str) and c.isidentifier())
        self.say("code", code.co_name, code.co_filename, code.co_firstlineno, code.co_flags, code.co_argcount, code.co_posonlyargcount,
                 code.co_kwonlyargcount, code.co_varnames, code.co_names, code.co_freevars, code.co_cellvars, code.co_code, code.co_linetable,
                 code.co_exceptiontable, len(code.co_consts))
        for constant in code.co_consts:
            self.code(constant, names) if isinstance(constant, types.CodeType) else self.constant(constant)

    def constant(self, value):
        """A constant of code; which of them are one object differs between code from a file and code from a cache of it."""
        if type(value) is tuple:
            self.say("constants", len(value))
            for item in value:
                self.constant(item)
        else:
            self.set(value) if type(value) is frozenset else self.say(type(value).__name__, repr(value))

    def method(self, value):
        self.say("method")
        self.value(value.__func__)
        self.value(value.__self__)

    def builtin(self, value):
        name, owner = found_by_name(value), getattr(value, "__self__", None)
        if name is None and (owner is None or isinstance(owner, types.ModuleType)):
            raise Unsettled(f"{value.__qualname__} of {value.__module__}")
        self.say("builtin", name or value.__qualname__)
        if name is None:
            self.value(owner)

    def partial(self, value):
        self.say("partial")
        self.value(value.func)
        self.tuple(value.args)
        self.dict(value.keywords)
        self.dict(vars(value))

    def wrapper(self, value):
        """staticmethod, classmethod and the like: what they wrap."""
        self.is_native = self.is_native or not isinstance(value, staticmethod | classmethod)
        self.say(type(value).__name__)
        self.value(value.__wrapped__ if hasattr(value, "__wrapped__") else value.func)

    def property(self, value):
        self.is_native = True
        self.say("property")
        self.tuple((value.fget, value.fset, value.fdel))

    def descriptor(self, value):
        self.say(type(value).__name__, getattr(value, "__qualname__", ""))

    # modules, classes, objects -----------------------------------------------------------------
    def module(self, value):
        name = value.__name__
        if is_library(name):
            self.libraries.add(name.split(".")[0])
            self.modules.append(value)
        elif name.split(".")[0] in sys.stdlib_module_names and name != "__main__" or "__getattr__" in vars(value):
            raise Unsettled(f"the module {name}")
        else:
            self.modules.append(value)
        self.say("module", name)

    def attribute(self, module, name):
        """An attribute of a module; of a library's only what is not its own: somebody may have put it there."""
        value = vars(module)[name]
        if is_library(module.__name__):
            if isinstance(value, types.ModuleType) and is_library(value.__name__):
                self.modules.append(value)
                return
            if type(value) not in PLAIN and type(value) is not functools.partial and is_library(getattr(value, "__module__", None) or "builtins"):
                return
        self.say("attribute", module.__name__, name)
        self.value(value)

    def type(self, cls):
        name = found_by_name(cls)
        self.say("class", name or f"{cls.__module__}:{cls.__qualname__}")
        if name is not None:
            return
        for base in cls.__bases__:
            self.value(base)
        self.value(type(cls))
        for key, value in vars(cls).items():
            if key not in SKIPPED:
                self.say(key)
                self.value(value)
                special = key.startswith("__") and key not in ENTERED and isinstance(value, types.FunctionType)
                self.is_native = self.is_native or special and not value.__code__.co_filename.startswith("<")
        if cls in tree.REGISTRY:
            self.tuple(tuple(tree.REGISTRY[cls]))

    def object(self, value):
        """An instance: its class, and the state that pickling would keep."""
        cls = type(value)
        self.value(cls)
        if hasattr(cls, "__transformer_opaque__") and is_library(cls.__module__):
            return self.dict({k: v for k, v in vars(value).items() if k not in OWN_STATE})
        if isinstance(value, enum.Enum):
            return self.tuple((value._name_, value._value_))
        standard = all(getattr(cls, n) is getattr(object, n) for n in ("__reduce_ex__", "__reduce__", "__getstate__"))
        if not standard and not is_library(cls.__module__):
            raise Unsettled(f"a {cls.__qualname__} says itself what is kept of it")
        try:
            made = value.__reduce_ex__(4)
        except TypeError as error:
            raise Unsettled(str(error)) from None
        if isinstance(made, str):
            raise Unsettled(f"a {cls.__qualname__}")
        maker, arguments, state, items, pairs = (*made, None, None, None)[:5]
        self.say("made", *(["new"] if maker is copyreg.__newobj__ else []))
        if maker is not copyreg.__newobj__:
            self.value(maker)
        self.tuple(arguments)
        self.value(state)
        self.tuple(tuple(items or ()))
        self.tuple(tuple(pairs or ()))

    # the end ------------------------------------------------------------------------------------
    def finish(self):
        """Attributes of the user's modules: each one whose name is mentioned anywhere; their functions mention further names."""
        done = set()
        while True:
            todo = [(m, n) for m in self.modules for n in sorted(self.names & vars(m).keys()) if (id(m), n) not in done]
            if not todo:
                break
            for module, name in todo:
                done.add((id(module), name))
                self.attribute(module, name)
        self.is_native = self.is_native or bool(self.names & CALLERS)
        if self.libraries & {"numpy", "scipy"} and self.names & READERS:
            raise Unsettled("it reads files")


DESCRIBE = {
    list: Survey.list, dict: Survey.dict, np.ndarray: Survey.array, types.FunctionType: Survey.function, types.MethodType: Survey.method,
    types.BuiltinFunctionType: Survey.builtin, types.ModuleType: Survey.module, functools.partial: Survey.partial, property: Survey.property,
    staticmethod: Survey.wrapper, classmethod: Survey.wrapper, functools.cached_property: Survey.wrapper,
    type(functools.lru_cache(len)): Survey.wrapper, types.MappingProxyType: Survey.dict,
    types.SimpleNamespace: lambda survey, value: survey.dict(vars(value)), type(dataclasses.MISSING): Survey.descriptor,
    dataclasses.Field: lambda survey, value: survey.tuple((value.name, value.default, value.default_factory, value.init, value.kw_only)),
    **dict.fromkeys((types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType,
                     types.ClassMethodDescriptorType, type(collections.namedtuple("Pair", "a b").a)), Survey.descriptor),
}
"""How values of these very types are described."""
