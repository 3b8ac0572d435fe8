"""Looking into functions while they run: prints and callbacks that stay in their place in gradients, batches and compiled programs.

    debug.print("loss {}", loss)            prints when the program runs, once for each lane of a batch
    debug.callback(log, step, loss)         calls log(step, loss) with NumPy arrays
"""

import builtins
import copy
import itertools
import threading

import gast
import numpy as np

from . import tree
from .core import Effect
from .errors import TransformError, TypeMismatch
from .frontend import scopes
from .frontend.reference import is_device_array, is_reference
from .frontend.specialise.calls import Closure
from .frontend.specialise.templates import argument_source
from .ops import hosts

_functions, _numbers, _lock = {}, itertools.count(), threading.Lock()


def on_host(value):
    return np.asarray(value) if is_device_array(value) else value


class Printing:
    """`debug.print`."""

    __transformer_opaque__ = True
    __name__ = "print"

    def __call__(self, fmt, *args, ordered=False, partitioned=False, **kwargs):
        """Print `fmt.format(*args, **kwargs)` when the program runs, in order."""
        builtins.print(check(fmt).format(*map(on_host, args), **{k: on_host(v) for k, v in kwargs.items()}))

    def __transformer_call__(self, ev, args, kwargs):
        kwargs = {k: ev.open(v) for k, v in kwargs.items() if k not in ("ordered", "partitioned")}
        fmt, *args = map(ev.open, args)
        atoms = []
        parts = [repr(check(fmt)), *(argument_source(a, ev.builder, atoms) for a in args)]
        parts += [f"{k}={argument_source(v, ev.builder, atoms)}" for k, v in kwargs.items()]
        ev.builder.add(Effect("print", tuple(atoms), {"text": f"print({parts[0]}.format({', '.join(parts[1:])}))"}))


def check(fmt):
    if not isinstance(fmt, str):
        raise TypeMismatch(f"debug.print takes a format string first, not a value of type {type(fmt).__name__}", 'Write debug.print("{}", x).')
    return fmt


class Callback:
    """`debug.callback`."""

    __transformer_opaque__ = True
    __name__ = "callback"

    def __call__(self, callback, *args, ordered=False, partitioned=False, **kwargs):
        """Call `callback(*args, **kwargs)` on the host when the program runs; its result is dropped."""
        callback(*(tree.tree_map(on_host, a) for a in args), **{k: tree.tree_map(on_host, v) for k, v in kwargs.items()})

    def __transformer_call__(self, ev, args, kwargs):
        kwargs = {k: ev.open(v) for k, v in kwargs.items() if k not in ("ordered", "partitioned")}
        function, *args = map(ev.open, args)
        function = native(function) if isinstance(function, Closure) else function
        leaves, treedef = tree.flatten((args, kwargs))
        dynamic = [k for k, leaf in enumerate(leaves) if is_reference(leaf) or is_device_array(leaf) or isinstance(leaf, np.ndarray)]
        number = keep(function, treedef, leaves, dynamic)
        atoms = tuple(ev.builder.read(ev.builder.operand(leaves[k])) for k in dynamic)
        parts = [str(number), *(f"_{k}" for k in range(len(atoms)))]
        ev.builder.add(Effect("print", atoms, {"text": f"debug.call({', '.join(parts)})"}))


def native(closure):
    """A function defined inside of a transformed function as a plain Python function, which may read static values only."""
    node, frame = copy.deepcopy(closure.node), closure.frame
    scope = dict(frame.parsed.globals)
    for name in scopes.loaded(node.body if isinstance(node.body, list) else [node.body]):
        value = closure.ev.peek(frame, name)
        if value is None and name in frame.parsed.closure:
            value = frame.parsed.closure[name].cell_contents
        if is_reference(value):
            raise TransformError(f"a callback reads {name}, which is not known while transforming", "Pass it to the callback as an argument.")
        if value is not None:
            scope[name] = native(value) if isinstance(value, Closure) and value is not closure else value
    node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
    if isinstance(node, gast.Lambda):
        node = gast.Assign([gast.Name(closure.__name__, gast.Store(), None, None)], node, None)
    else:
        node.decorator_list = []
    module = gast.fix_missing_locations(gast.Module([node], []))
    exec(compile(gast.gast_to_ast(module), frame.parsed.filename, "exec"), scope)
    made = scope[closure.__name__]
    made.__defaults__, made.__kwdefaults__ = tuple(closure.defaults.values()), dict(closure.kwdefaults)
    return made


def keep(function, treedef, leaves, dynamic):
    """Remember a callback and the static part of its arguments; the number by which `call` finds it."""
    static = [None if k in dynamic else leaf for k, leaf in enumerate(leaves)]

    def run(values):
        whole = list(static)
        for k, value in zip(dynamic, values, strict=True):
            whole[k] = value
        args, kwargs = tree.unflatten(treedef, whole)
        function(*args, **kwargs)
    with _lock:
        number = next(_numbers)
        _functions[number] = run
    return number


def call(number, *values):
    """Run a callback that a program of this process refers to by number."""
    _functions[number](values)


def host(number, *values):
    """The results of a function of `pure_callback` that a program of this process refers to by number."""
    return hosts.call(number, *values)


print = Printing()
callback = Callback()

__all__ = ["call", "callback", "host", "print"]
