"""Calls: user functions are entered, library functions looked up in the op table, static calls run natively."""

import collections
import functools
import inspect
import types

import gast
import numpy as np

from ...access import Attribute, Default, Item, Kept
from ...errors import NeedStatic, TransformError, ValueDependent
from ...later import later
from ...ops import op as optable
from ...ops import polynomial_objects, vectorized
from .. import desugar, parse, promotion, ragged, scopes
from ..ragged import selections
from ..reference import call_function, contains_reference, is_reference
from . import choices, filtered, generators, native_objects, special_methods
from .binding import bind_arguments
from .evaluator import MAX_DEPTH, Frame
from .externals import MUTATORS
from .native import has_source, may_read_abstract, run_native
from .state import LIBRARIES, Control, Undefined, is_users

deciding, expressions, getters, intrinsics, iterators, messages, objects = (
    later(globals(), name) for name in ("frontend.specialise.deciding", "frontend.specialise.expressions", "frontend.specialise.getters",
                                        "frontend.specialise.intrinsics", "frontend.specialise.iterators", "frontend.specialise.messages",
                                        "frontend.specialise.objects"))

RECURSION = 12
"""Calls of a function inside of itself after which the tests around them are looked at."""

ENTERED = ("transformer.examples", "transformer.experimental.ode", "transformer.lax.control", "transformer.lax.linalg", "transformer.numpy.functional",
           "transformer.random.rejection", "transformer.ops.folds", "transformer.ops.polynomial_objects", "transformer.ops.scipy.integrate",
           "transformer.ops.scipy.entered", "transformer.scipy.roots", "transformer.scipy.krylov", "transformer.scipy.sparse.linalg",
           "transformer.scipy.optimize", "transformer.ops.vectorized", "transformer.frontend.lazy")
"""Modules of ours whose functions are entered as user code is; all others run natively."""


class Closure:
    """A function defined inside of the function at hand; callable from native code (map, reduce, sorted).

    As that of a function, its `__dict__` holds what the program sets on it, and nothing else: functools.wraps copies it.
    """

    __slots__ = ("__dict__", "__name__", "__weakref__", "defaults", "ev", "frame", "kwdefaults", "node")
    __transformer_opaque__ = True

    def __init__(self, ev, frame, node):
        self.ev, self.frame, self.node = ev, frame, node
        self.__name__ = getattr(node, "name", "lambda_")
        positional = node.args.args
        self.defaults = {a.id: ev.eval(frame, d) for a, d in zip(positional[len(positional) - len(node.args.defaults):],
                                                                 node.args.defaults)}
        self.kwdefaults = {a.id: ev.eval(frame, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None}

    @property
    def attributes(self):
        return self.__dict__

    def __getattr__(self, name):
        raise AttributeError(f"{self.__name__} has no attribute {name}")

    def __call__(self, *args, **kwargs):
        try:
            result = self.enter(self.ev, args, kwargs)
        except Exception as error:
            self.ev.escaped = error
            raise
        if abstract_inside([result]):
            self.ev.called_back = self
        return result

    def __copy__(self):
        """Functions are copied as they are."""
        return self

    def __deepcopy__(self, memo):
        return self

    def enter(self, ev, args, kwargs):
        body = [gast.copy_location(gast.Return(self.node.body), self.node)] if isinstance(self.node, gast.Lambda) else self.node.body
        env = bind_arguments(self.__name__, self.node.args, args, kwargs, self.defaults, self.kwdefaults)
        frame = Frame(self.__name__, self.node, env, self.frame.parsed, self.frame, *local_names(self.node))
        return begin(ev, frame, body)

    def environments(self):
        """The variables of the frames around the function: it may rebind them long after these have returned. Its defaults and attributes."""
        frame, found = self.frame, [self.defaults, self.kwdefaults, self.attributes]
        while frame is not None:
            found.append(frame.env)
            frame = frame.parent
        return found

    def frame_values(self):
        """Values that the function reads from the frames around it, its defaults and its attributes."""
        names = scopes.loaded(self.node.body if isinstance(self.node.body, list) else [self.node.body])
        outside = [v for v in (self.ev.peek(self.frame, n) for n in names) if v is not None and v is not self]
        return [*outside, *self.defaults.values(), *self.kwdefaults.values(), *self.attributes.values()]


_NAMES = {}


def local_names(node):
    """(names bound in a function, names declared nonlocal)."""
    if not isinstance(node.body, list):
        return frozenset(), frozenset()
    outer = frozenset(scopes.declared_outside(node))
    return frozenset(scopes.assigned(node.body)) - outer, outer


def inner_frame(frame):
    """The scope of a comprehension."""
    inner = Frame(frame.name, frame.node, {}, frame.parsed, frame)
    inner.comprehension = True
    return inner


def begin(ev, frame, body):
    """Enter a function in its frame; the body of a generator is run by what takes its values."""
    return generators.Generator(ev, frame, body) if scopes.is_generator(frame.node) else enter(ev, frame, body)


def need_depth(ev, frame):
    """A function that calls itself under abstract tests never ends here: integers that decide such a test are needed as numbers.

    The latest tests are looked at, at depths that double: what decides them takes a pass over the program to see.
    """
    turns, rest = divmod(sum(other.node is frame.node for other in ev.frames) + 1, RECURSION) if ev.tests else (0, 0)
    if turns and not rest and turns & (turns - 1) == 0:
        test = next(filter(ev.decided_by_integers, reversed(ev.tests[-2 * RECURSION:])), None)
        if test is not None:
            raise NeedStatic(test, "the depth of a recursion depends on a value that is not known before the function runs")


def enter(ev, frame, body):
    """Run a function's body in its frame; its result."""
    if len(ev.frames) >= MAX_DEPTH:
        raise ValueDependent("the recursion does not end while transforming: its depth depends on array values",
                             "Write it as a loop, or call it un-jitted, where values decide each branch.", ev.origin())
    need_depth(ev, frame)
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
    defaults = {k: load(v, Default(fn, k), f"default of {k}") for k, v in parsed.defaults.items()}
    kwdefaults = {k: load(v, Item(Attribute(Kept(fn), "__kwdefaults__"), k), f"default of {k}") for k, v in parsed.kwdefaults.items()}
    env = bind_arguments(parsed.name, parsed.node.args, args, kwargs, defaults, kwdefaults)
    names = parse.cached(_NAMES, parsed.code, lambda: local_names(parsed.node))
    return begin(ev, Frame(parsed.name, parsed.node, env, parsed, None, *names), parsed.node.body)


# the call expression ---------------------------------------------------------------------

def call_node(ev, frame, node, looped=False, at_once=False):
    """A call in the source. looped: its result is looped over, so that np.arange and others are ranges, on their own and in zip(...).
    at_once: its items are read before anything else happens."""
    fn = ev.eval(frame, node.func)
    evaluate = ev.eval_looped if looped and any(fn is f for f in intrinsics.PASSED_ON) else ev.eval
    args, kwargs = arguments(ev, frame, node, evaluate, at_once and generators.entered_for(fn) is not None,
                             True if fn is any else False if fn is all else None)
    if fn is super and not args:
        args = [vars_class(frame), frame.env[frame.node.args.args[0].id]]
    lazily = None if at_once else generators.lazily(fn, args)
    ev.builder.origin = ev.origin(node)
    try:
        special = next((items for function, items in intrinsics.LOOPED if fn is function and not generators.inside(args)), None) if looped else None
        if lazily is not None:
            return enter_function(ev, lazily, args, kwargs)
        return special(ev, *args, **kwargs) if special else call(ev, fn, tuple(args), kwargs, node)
    except TransformError as error:
        raise error.at(ev.origin(node))


def arguments(ev, frame, node, evaluate, at_once, decisive):
    """The values of a call's arguments. at_once: it passes the items of calls among them on to what reads them before anything else happens.
    decisive: the item at which it stops to read a generator expression."""
    args, kwargs, reads = [], {}, scopes.reads_at_once(node)
    for arg in node.args:
        if isinstance(arg, gast.Starred):
            args.extend(expressions.iterate(ev, ev.eval(frame, arg.value)))
        elif isinstance(arg, gast.GeneratorExp) and decisive is not None:
            args.append(ev.seen(deciding.read(ev, frame, arg, decisive)))
        elif isinstance(arg, gast.GeneratorExp) and reads:
            args.append(ev.seen(expressions.read_at_once(ev, frame, arg)))
        elif isinstance(arg, gast.Call) and (reads or at_once):
            args.append(ev.seen(call_node(ev, frame, arg, at_once=True)))
        else:
            args.append(evaluate(frame, arg))
    for keyword in node.keywords:
        value = ev.eval(frame, keyword.value)
        kwargs.update(ev.items(value) if keyword.arg is None else {keyword.arg: value})
    return args, kwargs


def vars_class(frame):
    cell = frame.parsed.closure.get("__class__")
    if cell is None:
        raise TransformError("super() stands outside of a method", "Name the class.")
    return cell.cell_contents


def call(ev, fn, args, kwargs, node=None):
    """Call a value with evaluated arguments."""
    if isinstance(fn, Closure):
        return fn.enter(ev, args, kwargs)
    chosen = choices.called(ev, fn, args, kwargs, node)
    if chosen is not NotImplemented:
        return chosen
    if hasattr(type(fn), "__transformer_call__"):
        return fn.__transformer_call__(ev, args, kwargs)
    if isinstance(fn, functools.partial):
        given, named = map(ev.items, (ev.externals.attribute(fn, "args"), ev.externals.attribute(fn, "keywords")) if ev.externals.is_external(fn)
                           else (fn.args, fn.keywords))
        return call(ev, fn.func, (*given, *args), {**named, **kwargs}, node)
    if generators.inside(args) and not enters_as_given(fn):
        args, found = generators.given_to(ev, fn, args, kwargs)
        if found is not NotImplemented:
            return found
    if args and isinstance(args[0], filtered.Filtered) and not is_entered(fn):
        return filtered.call(ev, fn, args[0], args[1:], kwargs)
    if type(getattr(fn, "__self__", None)) is list and fn.__name__ == "sort":
        return intrinsics.sort(ev, fn.__self__, **kwargs)
    try:
        special = intrinsics.INTRINSICS.get(fn)
    except TypeError:
        special = None
    if special is not None:
        return special(ev, *args, **kwargs)
    found = messages.of_method(ev, fn, args, kwargs)
    if found is not NotImplemented:
        return found
    for by_method in (special_methods.converted, special_methods.operated, getters.called):
        found = by_method(ev, fn, args)
        if found is not NotImplemented:
            return found
    args = listed(ev, fn, special_methods.iterated(ev, fn, args))
    if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType) and is_user_code(fn.__func__):
        return enter_function(ev, fn.__func__, (fn.__self__, *args), kwargs)
    if isinstance(fn, CACHED) and (isinstance(fn.__wrapped__, Closure) or is_user_code(fn.__wrapped__)):
        return remembered(ev, fn, args, kwargs, node)
    if isinstance(fn, types.FunctionType) and is_user_code(fn):
        return enter_function(ev, fn, args, kwargs)
    found = objects.made(ev, fn, args, kwargs, node)
    if found is not NotImplemented:
        return found
    if isinstance(fn, np.vectorize) and (isinstance(fn.pyfunc, Closure) or abstract_inside((*args, *kwargs.values()))):
        return enter_function(ev, vectorized.apply, (fn, *args), kwargs)
    if type(fn) in polynomial_objects.CALLS and abstract_inside(args):
        return enter_function(ev, polynomial_objects.CALLS[type(fn)], (fn, *args), kwargs)
    method = entered_method(fn)
    if method is not None:
        return enter_function(ev, method, (fn, *args), kwargs)
    return call_native(ev, fn, args, kwargs, node)


def enters_as_given(fn):
    """Whether a call of this is given its arguments as they are: it runs code of the user."""
    return is_entered(fn) and not (isinstance(fn, type) and not is_users(fn.__module__))


def is_entered(fn):
    """Whether a call of this runs code of the user."""
    fn = getattr(fn, "__func__", fn)
    return isinstance(fn, types.FunctionType) and is_user_code(fn) or isinstance(fn, type)


def listed(ev, fn, args):
    """The arguments of a function that goes through them, with lists for iterators."""
    if not any([fn is known for known in special_methods.ITERATING]):
        return args
    return tuple(expressions.iterate(ev, a) if isinstance(a, iterators.Cursor) else a for a in args)


def entered_method(fn):
    """The __call__ of an object of a user's class."""
    method = inspect.getattr_static(type(fn), "__call__", None)
    return method if isinstance(method, types.FunctionType) and is_user_code(method) else None


def is_user_code(fn):
    """Functions that are entered: Python functions outside of the standard library and the array libraries."""
    module, file = fn.__module__ or "", fn.__code__.co_filename
    if file.startswith("<doctest"):
        return True
    own = module.startswith("transformer.") and not module.startswith(ENTERED)
    if module == "functools" and "_from_" in fn.__code__.co_name:  # what total_ordering adds
        return True
    generated = file == "<string>" and fn.__name__.startswith("__")
    return not own and not generated and module.split(".")[0] not in LIBRARIES


def call_native(ev, fn, args, kwargs, node):
    """A library function: from the op table if an argument is abstract, else by running it."""
    owner = getattr(fn, "__self__", None)
    if ev.promoted:
        args, kwargs = ev.seen_inside(args), ev.seen_inside(kwargs)
        if type(owner) is np.ndarray and ev.seen(owner) is not owner:
            return getattr(ev.seen(owner), fn.__name__)(*args, **kwargs)
    if ragged.inside((*args, *kwargs.values())) and (optable_has(fn) or isinstance(fn, np.ufunc) or owner is not None and isinstance(owner, np.ufunc)):
        return ragged.call(fn, args, kwargs)
    if selections.selects(fn, args, kwargs):
        return selections.select(fn, args)
    native_objects.check_call(ev, fn, owner, args, kwargs, node)
    check_owner(ev, fn, owner, args, node)
    if owner is not None and not isinstance(owner, types.ModuleType):
        if isinstance(owner, CONTAINERS) and ev.externals.is_external(owner):
            return ev.externals.method(fn)(*args, **kwargs)
        if type(owner) is np.ndarray and fn.__name__ in STORING_METHODS and ev.must_promote(owner, args, list(kwargs.values())):
            return getattr(ev.promote(owner, node), fn.__name__)(*args, **kwargs)
        if type(owner) is np.ndarray and not isinstance(fn, np.ufunc) and any(map(ev.has_dynamic, (*args, *kwargs.values()))):
            return getattr(ev.operand(owner), fn.__name__)(*args, **kwargs)
    fn = uninitialised(fn, args, kwargs)
    given = (*args, *kwargs.values())
    if (abstract_inside(given) or any(map(may_read_abstract, given))) and optable_has(fn) and has_source(optable.FUNCTIONS[fn]):
        return call(ev, optable.FUNCTIONS[fn], args, kwargs, node)
    args, kwargs = promote_target(ev, fn, args, kwargs, node)
    if not isinstance(owner, CONTAINERS):
        args = tuple(map(ev.items if fn in CONTAINERS else ev.open, args))
        kwargs = {k: ev.open(v) for k, v in kwargs.items()}
    elif fn.__name__ in ADDING:
        args = tuple(map(ev.items, args))
    ev.check_usable((*args, *kwargs.values()), node)
    if abstract_inside((*args, *kwargs.values())):
        if optable_has(fn):
            out = kwargs.pop("out", None)
            if makes_ndarray(fn, args, kwargs):
                args, kwargs = promotion.on_numpy(ev.builder, args), promotion.on_numpy(ev.builder, kwargs)
            return call_function(fn, args, kwargs, out)
        if fn is np.arange and not kwargs and any(is_reference(a) and a.dtype.kind == "f" and a.known is not None for a in args):
            lo, hi, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
            return optable.TABLE["progression"].bind(lo, hi, step)
        if fn in CREATION:
            return ev.created(fn(*map(static_size, args), **{k: static_size(v) for k, v in kwargs.items()}))
        if isinstance(fn, np.ufunc) or (getattr(fn, "__module__", None) or "").split(".")[0] in ("numpy", "scipy", "math", "cmath"):
            optable.lookup(fn, ev.origin(node))
    for value in (*args, *kwargs.values()):
        ev.externals.read_whole(value)
    try:
        return iterators.kept(ev, run_native(ev, fn, args, kwargs))
    except TypeError as error:
        needed = next(filter(is_reference, (*args, *kwargs.values())), None)
        if needed is None or isinstance(error, TransformError):
            raise
        name = getattr(fn, "__qualname__", fn)
        raise NeedStatic(needed, f"{name} takes values that are known before the function runs ({error})") from None


def check_owner(ev, fn, owner, args, node):
    """Refuse a method that changes what outlives the call, or asks for keys that depend on array values."""
    name, bound = getattr(fn, "__name__", ""), owner is not None and not isinstance(owner, types.ModuleType)
    if bound and name in MUTATORS:
        ev.refuse_mutation(owner, f".{name}() is called", ev.origin(node))
    if args and (isinstance(fn, UNBOUND) and name in MUTATORS or name in IN_PLACE and isinstance(args[0], list | dict | collections.deque)):
        ev.refuse_mutation(args[0], f"{name}() is called", ev.origin(node))
    if isinstance(owner, CONTAINERS) and name in ("index", "count", "remove", "get", "pop", "setdefault") and args:
        ev.joined.check_among(args[0], owner, ev.origin(node))
    if isinstance(owner, dict) and not (name == "get" and args and is_held(owner, args[0])):
        ev.check_keys(owner)


def is_held(container, key):
    """Whether a dict has a key on both sides of all conditions."""
    try:
        return not isinstance(container.get(key, UNSET), Undefined)
    except (TypeError, NeedStatic):
        return True


UNSET = Undefined("no such key")
CACHED = type(functools.cache(len))
"""What functools.cache and lru_cache make of a function; it is entered, so that what it reads is never stale."""



def remembered(ev, fn, args, kwargs, node):
    """The result of a cached function: the one of an earlier call with the same numbers, if what computes it has run before this place."""
    key = (fn, args, tuple(kwargs.items()))
    if any(is_reference(v) and v.dtype.kind in "fc" for v in (*args, *kwargs.values())):
        return call(ev, fn.__wrapped__, args, kwargs, node)
    try:
        block, result = ev.remembered.get(key, (None, None))
    except (TypeError, NeedStatic):
        return call(ev, fn.__wrapped__, args, kwargs, node)
    if not any(block is b for b in ev.builder.stack):
        result = call(ev, fn.__wrapped__, args, kwargs, node)
        ev.remembered[key] = ev.builder.block, result
    return result


CONTAINERS = (list, tuple, dict, set, collections.deque)
"""Containers whose methods keep what they are given."""

ADDING = {"extend", "extendleft", "update"}
"""Methods of containers that keep the items of what they are given."""

CREATION = {np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.linspace, np.arange, np.full, np.indices, np.logspace,
            np.geomspace, np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser, np.tril_indices, np.triu_indices}
"""Functions whose arguments are sizes: they are needed as Python numbers."""


def uninitialised(fn, args, kwargs):
    """np.zeros for np.empty and np.ndarray: memory that holds anything would make programs differ from build to build."""
    plain = len(args) <= 2 and not set(kwargs) - {"shape", "dtype"}
    return np.zeros if plain and (fn is np.empty or fn is np.ndarray) else fn


def static_size(value):
    if is_reference(value):
        return value.frozen("the size of a new array").item()
    if isinstance(value, tuple | list):
        return type(value)(map(static_size, value))
    return value


def abstract_inside(values):
    return any(contains_reference(v) or (isinstance(v, dict) and abstract_inside(v.values())) or
               (isinstance(v, slice) and abstract_inside((v.start, v.stop, v.step))) for v in values)


def optable_has(fn):
    try:
        return fn in optable.FUNCTIONS
    except TypeError:
        return False


WRITEABLE = {np.array, np.copy, np.full, np.full_like}
"""Functions that make an ndarray of device arrays: it may be stored into, and follows NumPy's rules of types."""


def makes_ndarray(fn, args, kwargs):
    """Whether a call makes a writeable ndarray of its arguments, whatever they are."""
    if fn is np.asarray or fn is np.asanyarray:
        return bool(args) and type(args[0]) in (list, tuple)
    return any(fn is w for w in WRITEABLE) and bool(kwargs.get("copy", True))


UNBOUND = types.MethodDescriptorType | types.WrapperDescriptorType
"""Methods taken from a class: what they change is their first argument."""

STORING = {np.copyto, np.put, np.put_along_axis, np.place, np.putmask, np.fill_diagonal}
"""Functions that change their first argument, as the method `at` of ufuncs does."""

IN_PLACE = {"heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right", "shuffle", "setitem", "delitem",
            "iadd", "iconcat", "imul", "ior", "iand", "isub", "ixor"}
"""Functions of the standard library that change the container that is their first argument."""

STORING_METHODS = {"fill", "put", "sort", "partition", "resize"}
"""Methods that change their array."""


def promote_target(ev, fn, args, kwargs, node):
    """The arguments; a static array that the call stores into is replaced by its reference where the store is part of the program."""
    owner, kwargs = getattr(fn, "__self__", None), dict(kwargs)
    target = None
    if isinstance(owner, np.ufunc) and getattr(fn, "__name__", "") == "at" or any(fn is s for s in STORING):
        target = 0
    elif isinstance(fn, np.ufunc) and len(args) > fn.nin:
        target = fn.nin
    if target is not None and target < len(args) and type(args[target]) is np.ndarray and ev.must_promote(args[target], args, list(kwargs.values())):
        args = (*args[:target], ev.promote(args[target], node), *args[target + 1:])
    out = kwargs.get("out")
    if type(out) is np.ndarray and ev.must_promote(out, args, list(kwargs.values())):
        kwargs["out"] = ev.promote(out, node)
    return args, kwargs


__all__ = ["Closure", "call", "call_native", "enter_function", "inner_frame"]
