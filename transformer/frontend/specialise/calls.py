"""Calls: user functions are entered, library functions looked up in the op table, static calls run natively."""

import builtins
import dataclasses
import functools
import operator
import sys
import types

import gast
import numpy as np

from ...core import Effect
from ...errors import TransformError, ValueDependent
from ...ops import op as optable
from .. import desugar, parse, scopes
from ..reference import call_function, contains_reference, is_reference
from . import loops
from .evaluator import MAX_DEPTH, Frame
from .state import Control, Undefined
from .templates import Template, argument_source

LIBRARIES = {"numpy", "scipy", "gast", "astunparse", "jaxlib", *sys.stdlib_module_names} - {"__main__"}
RANDOM = (np.random.Generator, np.random.RandomState)
VOLATILE_MODULES = {"random", "time", "secrets"}


class Closure:
    """A function defined inside of the function at hand; callable from native code (map, reduce, sorted)."""

    __transformer_opaque__ = True

    def __init__(self, ev, frame, node):
        self.ev, self.frame, self.node = ev, frame, node
        self.__name__ = getattr(node, "name", "lambda_")
        positional = node.args.args
        self.defaults = {a.id: ev.eval(frame, d) for a, d in zip(positional[len(positional) - len(node.args.defaults):],
                                                                 node.args.defaults)}
        self.kwdefaults = {a.id: ev.eval(frame, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None}

    def __call__(self, *args, **kwargs):
        return self.enter(self.ev, args, kwargs)

    def enter(self, ev, args, kwargs):
        body = [gast.copy_location(gast.Return(self.node.body), self.node)] if isinstance(self.node, gast.Lambda) else self.node.body
        env = bind_arguments(self.__name__, self.node.args, args, kwargs, self.defaults, self.kwdefaults)
        frame = Frame(self.__name__, self.node, env, self.frame.parsed, self.frame, *local_names(self.node))
        return enter(ev, frame, body)

    def frame_values(self):
        """Values that the function reads from the frames around it."""
        names = scopes.loaded(self.node.body if isinstance(self.node.body, list) else [self.node.body])
        return [v for v in (self.ev.peek(self.frame, n) for n in names) if v is not None and v is not self]


def local_names(node):
    """(names bound in a function, names declared nonlocal)."""
    if not isinstance(node.body, list):
        return frozenset(), frozenset()
    outer = frozenset(scopes.declared_outside(node))
    return frozenset(scopes.assigned(node.body)) - outer, outer


def inner_frame(frame, node):
    """The scope of a comprehension."""
    inner = Frame(frame.name, frame.node, {}, frame.parsed, frame)
    inner.comprehension = True
    return inner


def bind_arguments(name, spec, args, kwargs, defaults, kwdefaults):
    """Python's binding of arguments to parameters."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    env, kwargs = dict(zip(positional, args)), dict(kwargs)
    extra = args[len(positional):]
    if spec.vararg is not None:
        env[spec.vararg.id] = tuple(extra)
    elif extra:
        raise TypeError(f"{name}() takes {len(positional)} positional arguments but {len(args)} were given")
    by_keyword = [a.id for a in spec.args] + [a.id for a in spec.kwonlyargs]
    for key in [k for k in kwargs if k in by_keyword]:
        if key in env:
            raise TypeError(f"{name}() got multiple values for argument {key!r}")
        env[key] = kwargs.pop(key)
    if spec.kwarg is not None:
        env[spec.kwarg.id] = kwargs
    elif kwargs:
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(kwargs))!r}")
    for key in (*positional, *(a.id for a in spec.kwonlyargs)):
        if key not in env:
            if key not in (table := kwdefaults if key in kwdefaults else defaults):
                raise TypeError(f"{name}() missing the argument {key!r}")
            env[key] = table[key]
    return env


def enter(ev, frame, body):
    """Run a function's body in its frame; its result."""
    if len(ev.frames) >= MAX_DEPTH:
        raise ValueDependent("the recursion does not end while transforming: its depth depends on array values",
                             "Write it as a loop, or call it un-jitted, where values decide each branch.", ev.origin())
    ev.frames.append(frame)
    saved = ev.builder.origin
    try:
        ev.run(frame, body)
    except Exception as error:
        if not isinstance(error, TransformError | Control) and not hasattr(error, "__notes__"):
            error.add_note(f"{frame.at or ev.origin()}: while transforming {frame.name}")
        raise
    finally:
        ev.frames.pop()
        ev.builder.origin = saved
    return frame.result


def enter_function(ev, fn, args, kwargs):
    """Enter a user's Python function."""
    parsed = desugar.desugar(parse.parse(fn))
    load = ev.externals.load
    defaults = {k: load(v, functools.partial(default_of, fn, k), f"default of {k}") if k else v for k, v in parsed.defaults.items()}
    kwdefaults = {k: load(v, functools.partial(operator.getitem, fn.__kwdefaults__, k), f"default of {k}")
                  for k, v in parsed.kwdefaults.items()}
    env = bind_arguments(parsed.name, parsed.node.args, args, kwargs, defaults, kwdefaults)
    return enter(ev, Frame(parsed.name, parsed.node, env, parsed, None, *local_names(parsed.node)), parsed.node.body)


def default_of(fn, name):
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount]
    return fn.__defaults__[names.index(name) - len(names) + len(fn.__defaults__)]


# the call expression ---------------------------------------------------------------------

def call_node(ev, frame, node):
    fn = ev.eval(frame, node.func)
    args, kwargs = [], {}
    for arg in node.args:
        if isinstance(arg, gast.Starred):
            from .expressions import iterate
            args.extend(iterate(ev, ev.eval(frame, arg.value)))
        else:
            args.append(ev.eval(frame, arg))
    for keyword in node.keywords:
        value = ev.eval(frame, keyword.value)
        kwargs.update(ev.open(value) if keyword.arg is None else {keyword.arg: value})
    if fn is super and not args:
        args = [vars_class(frame), frame.env[frame.node.args.args[0].id]]
    ev.builder.origin = ev.origin(node)
    try:
        return call(ev, fn, tuple(args), kwargs, node)
    except TransformError as error:
        raise error.at(ev.origin(node))


def vars_class(frame):
    cell = frame.parsed.closure.get("__class__")
    if cell is None:
        raise TransformError("super() stands outside of a method", "Name the class.")
    return cell.cell_contents


def call(ev, fn, args, kwargs, node):
    """Call a value with evaluated arguments."""
    if isinstance(fn, Closure):
        return fn.enter(ev, args, kwargs)
    if hasattr(type(fn), "__transformer_call__"):
        return fn.__transformer_call__(ev, args, kwargs)
    if isinstance(fn, functools.partial):
        return call(ev, fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}, node)
    try:
        special = SPECIAL.get(fn)
    except TypeError:
        special = None
    if special is not None:
        return special(ev, *args, **kwargs)
    if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType) and is_user_code(fn.__func__):
        return enter_function(ev, fn.__func__, (fn.__self__, *args), kwargs)
    if isinstance(fn, types.FunctionType) and is_user_code(fn):
        return enter_function(ev, fn, args, kwargs)
    if isinstance(fn, type):
        return construct(ev, fn, args, kwargs, node)
    method = getattr(type(fn), "__call__", None)
    if isinstance(method, types.FunctionType) and is_user_code(method):
        return enter_function(ev, method, (fn, *args), kwargs)
    return call_native(ev, fn, args, kwargs, node)


def is_user_code(fn):
    """Functions that are entered: Python functions outside of the standard library and the array libraries."""
    module = fn.__module__ or ""
    own = module.startswith("transformer.") and not module.startswith("transformer.examples")
    generated = fn.__code__.co_filename == "<string>" and fn.__name__.startswith("__")
    return not own and not generated and module.split(".")[0] not in LIBRARIES


def construct(ev, cls, args, kwargs, node):
    """Make an object; its __init__ is entered if it is the user's Python code."""
    init = cls.__init__
    generated = dataclasses.is_dataclass(cls) and "__init__" in vars(cls) and init.__code__.co_filename.startswith("<")
    if not isinstance(init, types.FunctionType) or not is_user_code(init) or generated or cls.__new__ is not object.__new__:
        return call_native(ev, cls, args, kwargs, node)
    instance = cls.__new__(cls)
    enter_function(ev, init, (instance, *args), kwargs)
    return instance


def call_native(ev, fn, args, kwargs, node):
    """A library function: from the op table if an argument is abstract, else by running it."""
    owner = getattr(fn, "__self__", None)
    check_random(ev, fn, owner, node)
    if owner is not None and not isinstance(owner, types.ModuleType):
        if getattr(fn, "__name__", "") in _mutators():
            ev.externals.refuse_mutation(owner, f".{fn.__name__}() is called", ev.origin(node))
        if type(owner) is np.ndarray and not isinstance(fn, np.ufunc) and any(map(ev.has_dynamic, (*args, *kwargs.values()))):
            return getattr(ev.operand(owner), fn.__name__)(*args, **kwargs)
    args = tuple(map(ev.open, args))
    kwargs = {k: ev.open(v) for k, v in kwargs.items()}
    if abstract_inside((*args, *kwargs.values())):
        if optable_has(fn):
            out = kwargs.pop("out", None)
            if type(out) is np.ndarray:
                out = ev.promote(out, node)
            args = promote_target(ev, fn, args, node)
            return call_function(fn, args, kwargs, out)
        if fn in CREATION:
            return ev.created(fn(*map(static_size, args), **{k: static_size(v) for k, v in kwargs.items()}))
        if isinstance(fn, np.ufunc) or (getattr(fn, "__module__", None) or "").split(".")[0] in ("numpy", "scipy", "math", "cmath"):
            optable.lookup(fn, ev.origin(node))
    return ev.created(fn(*args, **kwargs))


CREATION = {np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.linspace, np.arange, np.full, np.indices, np.logspace,
            np.geomspace, np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser, np.tril_indices, np.triu_indices}
"""Functions whose arguments are sizes: they are needed as Python numbers."""


def static_size(value):
    if is_reference(value):
        return value.static("the size of a new array").item()
    if isinstance(value, tuple | list):
        return type(value)(map(static_size, value))
    return value


def _mutators():
    from .externals import MUTATORS
    return MUTATORS


def abstract_inside(values):
    return any(contains_reference(v) or (isinstance(v, dict) and abstract_inside(v.values())) or
               (isinstance(v, slice) and abstract_inside((v.start, v.stop, v.step))) for v in values)


def optable_has(fn):
    try:
        return fn in optable.FUNCTIONS
    except TypeError:
        return False


STORING = {np.add.at, np.subtract.at, np.multiply.at, np.copyto, np.put, np.put_along_axis, np.place, np.putmask, np.fill_diagonal}
"""Functions that change their first argument."""


def promote_target(ev, fn, args, node):
    if args and type(args[0]) is np.ndarray and any(fn == s for s in STORING):
        return (ev.promote(args[0], node), *args[1:])
    return args


def check_random(ev, fn, owner, node):
    """Draws that differ from call to call must not be frozen into a program."""
    module = getattr(fn, "__module__", None) or ""
    random = isinstance(owner, RANDOM) or module.startswith("numpy.random") or type(owner).__name__ == "Random"
    if random or (module in VOLATILE_MODULES and isinstance(fn, types.BuiltinFunctionType)):
        name = f"{module or type(owner).__name__}.{getattr(fn, '__name__', fn)}".replace("numpy.random.mtrand", "np.random")
        ev.volatile = (name, ev.origin(node))
        if ev.refuse_volatile:
            raise ev.error(f"{name} is called in a compiled function: its value would be drawn once and never again",
                           "Draw outside and pass the numbers as an argument.", node)


# functions that the evaluator handles itself ------------------------------------------------------

def range_(ev, *args):
    lo, hi, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if any(map(is_reference, (lo, hi, step))):
        return loops.items_of_range(lo, hi, operator.index(step))
    return range(lo, hi, step)


def arange(ev, *args, **kwargs):
    """np.arange of abstract bounds is a range to loop over; with static bounds it is an array."""
    if not kwargs and any(map(is_reference, args)) and all(np.result_type(getattr(a, "dtype", a)).kind in "iu" for a in args):
        if all(not is_reference(a) or a.known is None for a in args if is_reference(a)):
            return range_(ev, *args)
    return call_native(ev, np.arange, args, kwargs, None)


def items_or_list(ev, value):
    items = loops.as_items(ev.open(value))
    return items if items is not None else list(ev.open(value))


def enumerate_(ev, iterable, start=0):
    items = items_or_list(ev, iterable)
    if isinstance(items, list):
        return list(enumerate(items, start))
    return loops.Items(items.length, lambda i: (i + start, items.item(i)))


def zip_(ev, *iterables, strict=False):
    parts = [items_or_list(ev, it) for it in iterables]
    if all(isinstance(p, list) for p in parts):
        return list(zip(*parts, strict=strict))
    if strict and len({len(p) for p in parts}) > 1:
        raise ValueError("zip() has arguments of different length")
    lengths = [len(p) if isinstance(p, list) else p.length for p in parts]
    length = functools.reduce(lambda a, b: np.minimum(a, b) if is_reference(a) or is_reference(b) else min(a, b), lengths)
    return loops.Items(length, lambda i: tuple(p[i] if isinstance(p, list) else p.item(i) for p in parts))


def reversed_(ev, value):
    items = items_or_list(ev, value)
    return items[::-1] if isinstance(items, list) else items.reversed()


def print_(ev, *args, sep=" ", end="\n", file=None, flush=False):
    if file is not None:
        raise TransformError("print to a file inside of a transformed function", "Print to standard output, or return the value.")
    atoms = []
    text = [argument_source(a, ev.builder, atoms) for a in map(ev.open, args)]
    text += [f"sep={sep!r}"] * (sep != " ") + [f"end={end!r}"] * (end != "\n")
    ev.builder.add(Effect("print", tuple(atoms), {"text": f"print({', '.join(text)})"}))


def isinstance_(ev, value, kinds):
    """An abstract array is an ndarray; an abstract Python number is of its Python type."""
    if not is_reference(value):
        return isinstance(value, kinds)
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    own = type(value.dtype.type(0).item()) if value.weak else np.ndarray if value.shape else value.dtype.type
    return any(isinstance(k, type) and issubclass(own, k) for k in kinds)


def type_(ev, value, *rest):
    if rest or not is_reference(value):
        return type(value, *rest)
    return type(value.dtype.type(0).item()) if value.weak else np.ndarray if value.shape else value.dtype.type


def callable_(ev, value):
    return callable(value) and not is_reference(value)


def list_(ev, value=()):
    from .expressions import iterate
    return iterate(ev, value)


def tuple_(ev, value=()):
    return tuple(list_(ev, value))


def str_(ev, value="", *rest):
    return Template([(value, "", "")]) if is_reference(value) else str(value, *rest)


def getattr_(ev, owner, name, *default):
    from .expressions import load_attribute
    if default and not hasattr(owner, name):
        return default[0]
    return load_attribute(ev, owner, name, None)


def setattr_(ev, owner, name, value):
    ev.externals.refuse_mutation(owner, f"attribute {name} is set", ev.origin())
    setattr(owner, name, value)


def map_(ev, fn, *iterables):
    from .expressions import iterate
    return [call(ev, fn, tuple(items), {}, None) for items in zip(*(iterate(ev, it) for it in iterables))]


def filter_(ev, fn, iterable):
    from .branches import truth
    from .expressions import iterate
    kept = []
    for item in iterate(ev, iterable):
        test = truth(ev, item if fn is None else call(ev, fn, (item,), {}, None), None)
        if not isinstance(test, bool):
            raise ValueDependent("filter() depends on array values", "Use np.where or a boolean mask.", ev.origin())
        if test:
            kept.append(item)
    return kept


def reduce_(ev, fn, iterable, *initial):
    from .expressions import iterate
    items = [*initial, *iterate(ev, iterable)]
    if not items:
        raise TypeError("reduce() of empty iterable with no initial value")
    return functools.reduce(lambda a, b: call(ev, fn, (a, b), {}, None), items)


def sorted_(ev, iterable, key=None, reverse=False):
    from .expressions import iterate
    items = iterate(ev, iterable)
    if is_reference(iterable):
        ordered = list(np.sort(iterable))
        return ordered[::-1] if reverse else ordered
    keyed = (lambda item: call(ev, key, (item,), {}, None)) if key is not None else None
    if keyed is None and items and any(map(is_reference, items)):
        ordered = list(np.sort(np.stack(items)))
        return ordered[::-1] if reverse else ordered
    return sorted(items, key=keyed, reverse=reverse)


SPECIAL = {range: range_, np.arange: arange, enumerate: enumerate_, zip: zip_, reversed: reversed_, print: print_,
           isinstance: isinstance_, type: type_, callable: callable_, list: list_, tuple: tuple_, str: str_, getattr: getattr_,
           setattr: setattr_, map: map_, filter: filter_, functools.reduce: reduce_, sorted: sorted_}

__all__ = ["Closure", "Undefined", "builtins", "call", "call_native", "enter_function", "inner_frame"]
