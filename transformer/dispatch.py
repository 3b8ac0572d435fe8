"""Calling a transformed function: signature, cache, guards, and the run of the built program.

A call flattens its arguments, looks its signature up and runs the cached program. The signature is the structure of the
arguments, the type of each dynamic leaf and the value of each static one; an entry holds as long as its guards do.
"""

import dataclasses
import functools
import itertools
import threading
import warnings

import numpy as np

from . import engines, stored, tree
from .abstract import ShapeDtypeStruct
from .config import config, x64
from .core import Apply, Aval, is_number, walk
from .depth import deep_recursion
from .errors import ShapeError, TransformError, TypeMismatch, ValueDependent
from .executable import Array, Compiled, surroundings, wrap
from .later import later
from .leaves import dynamic_leaves, plain
from .specialised import Static, is_device_array, unchanged

glue, optable, pipeline, printing, promotion = (
    later(globals(), name) for name in ("glue", "ops.op", "pipeline", "printing", "frontend.promotion"))

VALUE_WARNING = 64
WARM = 2
"""The call of an entry for which its glue is written: a function that is called once does not pay for it."""
GLUES = 4
"""How many glues a call tries before it goes the general way."""


def leaf_signature(value):
    """Type of a dynamic leaf, value of a static one."""
    kind = type(value)
    if kind is np.ndarray or kind is np.memmap:
        return (value.dtype, value.shape) if is_number(value.dtype) else (value.dtype, value.shape, frozen(value.tolist()))
    if is_device_array(value):
        return value.spec if kind is Array else value.signature
    if kind is float or kind is int or kind is complex:
        return kind
    if isinstance(value, np.generic):
        return value.dtype
    if kind is ShapeDtypeStruct:
        return (value.dtype, value.shape, value.weak_type, value.sharding)
    if hasattr(kind, "__array__"):
        raise TypeMismatch(f"an array of another library, {kind.__module__}.{kind.__qualname__}, is given as an argument",
                           "Pass np.asarray(x), or transformer.numpy.asarray(x).")
    return frozen(value)


def frozen(value):
    """A hashable stand-in for a static value: equal values give equal stand-ins."""
    if isinstance(value, np.ndarray) or is_device_array(value):
        raise TypeMismatch("an array is given for a static argument: arrays cannot be compared by value quickly",
                           "Pass it as an ordinary argument, or as a tuple of numbers.")
    if isinstance(value, list | tuple):
        return (type(value), *map(frozen, value))
    if isinstance(value, set):
        return (set, frozenset(map(frozen, value)))
    if isinstance(value, dict):
        return (dict, *((k, frozen(v)) for k, v in value.items()))
    if isinstance(value, float):
        return (type(value), value.hex())
    try:
        hash(value)
    except TypeError:
        raise TypeMismatch(f"a value of type {type(value).__name__} is given for a static argument, but it is unhashable",
                           "Give its class __eq__ and __hash__, or pass numbers, strings and tuples.") from None
    return (type(value), value)


def signature(args, kwargs):
    """Key of a call."""
    if not kwargs:
        return (*surroundings(), *map(argument_signature, args))
    return (*surroundings(), *map(argument_signature, args), *((k, argument_signature(v)) for k, v in kwargs.items()))


def leaves_of(args, kwargs):
    """Dynamic leaves of a call's arguments."""
    for value in args:
        kind = type(value)
        if not (kind is float or kind is np.ndarray and is_number(value.dtype) or kind is int or kind is Array):
            break
    else:
        if not kwargs:
            return args
    return dynamic_leaves(args, kwargs)


def argument_signature(value):
    kind = type(value)
    if kind is float or kind is int:
        return kind
    if kind is np.ndarray or kind is np.memmap:
        return (value.dtype, value.shape) if is_number(value.dtype) else (value.dtype, value.shape, frozen(value.tolist()))
    if kind is Static:
        return frozen(value.value)
    if tree.children_of(value) is None:
        return leaf_signature(value)
    leaves, treedef = tree.flatten(value)
    return (treedef, tree.key_orders(treedef), tuple(map(leaf_signature, leaves)))


class Entry:
    """A built program, ready to run on the dynamic leaves of a call."""

    def __init__(self, specialised, compiled, donate=()):
        self.specialised, self.compiled = specialised, compiled
        self.guards, self.static = specialised.guards, specialised.static
        self.inputs = specialised.inputs
        self.stored, self.program = specialised.stored, specialised.program
        if specialised.jnp and not x64():
            self.program = single_precision(self.program)
        if not compiled:
            self.whole, self.program = self.program, pipeline.for_numpy(self.program)
        self.direct = [i.key for i in self.inputs] if all(i.kind == "leaf" for i in self.inputs) else None
        self.out_tree, self.jnp = specialised.out_tree, specialised.jnp and not compiled
        self.bare = self.out_tree.kind is None and not self.stored
        self.stages = []
        self.donate = donate
        self.run = self.prepare()
        self.count = self.run.lowered.count if specialised.program is None else len(self.program.outputs)
        self.calls, self.glue, self.made_for = 0, None, None
        self.engine = engines.Explanation(*(("xla", "it is compiled") if compiled else ("numpy", "no jit is asked for, and no argument is on a device")))

    @property
    def holds_by_type(self):
        """Whether the program answers for other values of these types too."""
        return not self.specialised.by_value and self.specialised.volatile is None

    @property
    def executable(self):
        return getattr(self.run, "run", None)

    @property
    def outgrown(self):
        """Whether the glue is one for an executable that is used no more."""
        return self.made_for is not self.executable

    def prepare(self, options=()):
        """What runs the program. options: of the compiler, (name, value) each."""
        if not self.compiled:
            run = printing.load(self.program)
            return explaining(run) if has_sized_tapes(self.program) else run
        placement = self.specialised.placement
        run = placement.executable(self.program, self.donate) if placement else Compiled(self.program, self.donate)
        run.options = options
        return run

    def holds(self, leaves):
        """Whether the program still answers for these arguments."""
        for guard in self.guards:
            if not unchanged(guard.access(), guard.expected):
                return False
        for position, value in self.static.items():
            if not unchanged(plain(leaves[position]), value):
                return False
        for source in self.inputs:
            if source.kind == "hidden":
                value, aval = source.value.access(), source.value.aval
                if getattr(value, "shape", None) != aval.shape or value.dtype != aval.dtype:
                    return False
        return True

    def values(self, leaves):
        if self.direct is not None:
            return [leaves[k] for k in self.direct]
        return [leaves[i.key] if i.kind == "leaf" else i.value.access() for i in self.inputs]

    def __call__(self, leaves):
        values = self.values(leaves)
        if self.compiled:
            outputs = self.run(values)
        else:
            outputs = self.run(*map(host, values))
            if self.jnp:
                outputs = wrap(outputs)
            if self.bare:
                return outputs
            outputs = [outputs] if self.count == 1 else list(outputs or ())
        if self.stored:
            outputs = self.write_back(outputs, leaves)
        return outputs[0] if self.bare else tree.unflatten(self.out_tree, outputs)

    def write_back(self, outputs, leaves):
        """Stores into arguments reach the caller's arrays, as they do in NumPy."""
        count = len(outputs) - len(self.stored)
        for key, value in zip(self.stored, outputs[count:]):
            leaves[key][...] = np.asarray(value)
        return outputs[:count]


def host(value):
    """A value as NumPy takes it."""
    return np.asarray(value) if is_device_array(value) else value


def has_sized_tapes(program):
    """Whether a program makes tapes of as many entries as a loop has rounds, a number that it is given or computes."""
    return any(isinstance(s, Apply) and s.op is optable.TABLE["empty"] and s.args for s in walk(program.body))


def explaining(run):
    """The NumPy function of a program with such tapes: a negative number of rounds is an error that says what to do."""
    @functools.wraps(run)
    def call(*values):
        try:
            return run(*values)
        except ValueError as error:
            if str(error) != "negative dimensions are not allowed":
                raise
            raise ShapeError(f"a loop that {run.__name__} runs backwards has a negative number of rounds, and its tape that size",
                             "Write range(max(n, 0)) for range(n).") from error
    return call


def single_precision(program, given=None):
    """A program of `transformer.numpy` that is given Python numbers and 32-bit arrays has 32-bit results. given: types of arguments."""
    body, avals, outputs = list(program.body), dict(program.avals), []
    given = [avals[name] for name in program.params] if given is None else given
    if any(not aval.weak and promotion.narrow(aval.dtype) != aval.dtype for aval in given):
        return program
    for atom in program.outputs:
        aval = program.aval(atom)
        dtype = promotion.narrow(aval.dtype)
        if isinstance(atom, str) and dtype != aval.dtype:
            name = next(n for k in itertools.count() if (n := f"{atom}_{dtype.name}" + "_" * k) not in avals)
            avals[name] = Aval(aval.shape, dtype)
            body.append(Apply(name, optable.TABLE["astype"], (atom,), {"dtype": dtype}))
            atom = name
        outputs.append(atom)
    return dataclasses.replace(program, body=body, avals=avals, outputs=outputs)


class Cache:
    """The entries of one transformed function, and the glue of those called last."""

    def __init__(self):
        self.entries, self.glues, self.lock = {}, [], threading.RLock()
        self.last = None
        self.warned = False

    def find(self, key, leaves):
        for entry in self.entries.get(key, ()):
            if entry.holds(leaves):
                self.last = entry
                return entry
        return None

    def connect(self, transformed, entry, args, kwargs):
        """Put the glue of an entry that has answered a call before all others, making it at the call number WARM and where its program
        was compiled anew, for larger tapes."""
        entry.calls += 1
        if entry.holds_by_type and (entry.calls == WARM or entry.calls > WARM and entry.outgrown):
            entry.made_for = entry.executable
            entry.glue = glue.make(transformed, entry, args, kwargs)
        if entry.glue is not None:
            with self.lock:
                self.glues = [entry.glue, *[g for g in self.glues if g is not entry.glue][:GLUES - 1]]
                glue.chain(self.glues, transformed.answer)
                transformed.__call__ = entry.glue

    def add(self, key, entry, label):
        found = self.entries.setdefault(key, [])
        if not entry.static:
            found.clear()
        found.append(entry)
        self.last = entry
        if len(found) > VALUE_WARNING and not self.warned:
            self.warned = True
            warnings.warn(f"{label} has been built for {len(found)} values of a scalar argument that sets a size or a shape; "
                          "each value is a program of its own", stacklevel=4)


class Restored(Entry):
    """The entry of an earlier process, from disk. What the program looks like is found by building it, where somebody asks."""

    def __init__(self, specialised, lowered, donate, build):
        self.lowered, self.build = lowered, build
        super().__init__(specialised, True, donate)
        self.engine = engines.choose("xla", specialised, None, donate)

    @functools.cached_property
    def built(self):
        return self.build()

    @property
    def program(self):
        return self.built.program

    @property
    def stages(self):
        return self.built.stages

    @program.setter
    def program(self, value):
        """Built when asked for."""

    @stages.setter
    def stages(self, value):
        """Those of the program."""

    def prepare(self, options=()):
        run = Compiled(lambda: self.program, self.donate, options)
        run.reload(self.lowered)
        return run


@deep_recursion()
def make_entry(transformed, args, kwargs):
    """The entry for one signature: from disk, where an earlier process has left it, else built."""
    draft = stored.draft_of(transformed, args, kwargs) if engines.wanted(transformed) == "xla" else None
    if draft is None:
        return build_entry(transformed, args, kwargs)
    found = draft.find(leaves_of(args, kwargs))
    if found is not None:
        args, kwargs = stand_ins((args, kwargs))
        return Restored(*found, lambda: build_entry(transformed, args, kwargs))
    entry = build_entry(transformed, args, kwargs)
    draft.watch(entry.specialised, entry.run)
    return entry


def stand_ins(arguments):
    """Arguments of the same types that take no memory: zeros for arrays."""
    return tree.tree_map(stand_in, arguments)


def stand_in(leaf):
    if type(leaf) is Array:
        return Array(None, leaf.spec, np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape))
    return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape) if type(leaf) is np.ndarray else leaf


def build_entry(transformed, args, kwargs):
    """Build the program for one signature."""
    stages, compiled = [], transformed.compiled
    params = [pipeline.as_params(a, n) for a, n in zip(args, transformed.parameter_names(len(args)))]
    named = {k: pipeline.as_params(v, k) for k, v in kwargs.items()}
    try:
        with pipeline.options(refuse_volatile=compiled, stages=stages, keep_stores=transformed.write_back):
            specialised = transformed.build_call(params, named, dynamic_leaves(args, kwargs))
    except ValueDependent as error:
        if compiled:
            raise refuse(error) from None
        del stages[:]
        specialised = build_by_value(transformed, params, named, stages, error)
    donate = donated(specialised, transformed, args, kwargs)
    entry = None if compiled else entry_on_device(specialised, args, kwargs)
    entry = entry or Entry(specialised, compiled, donate)
    entry.stages = stages
    if compiled:
        entry.engine = engines.choose(engines.wanted(transformed), specialised, entry.program, donate)
        if entry.engine.engine == "numpy":
            entry.run = engines.OnNumPy(entry.program, donate)
    return entry


def entry_on_device(specialised, args, kwargs):
    """An entry that runs compiled though no jit is asked for: some argument is a device array. None where that cannot be."""
    if specialised.by_value or specialised.volatile is not None or config.read("disable_jit"):
        return None
    if Array not in map(type, dynamic_leaves(args, kwargs)):
        return None
    entry = Entry(specialised, True)
    return entry if isinstance(entry.run, Compiled) and entry.run.compiles() else None


def donated(specialised, transformed, args, kwargs):
    """Parameter positions of the arguments whose memory the results may reuse; `transformed.donate` has their numbers and names."""
    if not transformed.donate:
        return ()
    names = [*transformed.parameter_names(len(args)), *kwargs]
    wanted, count = set(), 0
    for number, (name, value) in enumerate(zip(names, (*args, *kwargs.values()))):
        size = len(dynamic_leaves([value], {}))
        if name in transformed.donate or number < len(args) and {number, number - len(args)} & {*transformed.donate}:
            wanted |= {*range(count, count + size)}
        count += size
    return tuple(i for i, source in enumerate(specialised.inputs) if source.kind == "leaf" and source.key in wanted)


def refuse(error):
    error.advice = f"{error.advice} Compiled programs need a structure that types alone decide; the un-jitted call works.".strip()
    return error


def build_by_value(transformed, params, named, stages, error):
    """Value mode: the values at hand decide every branch. Holds for this call only."""
    try:
        with pipeline.options(values=True, stages=stages):
            return transformed.build(params, named)
    except ValueDependent:
        raise error from None


__all__ = ["Cache", "Entry", "TransformError", "make_entry", "signature"]
