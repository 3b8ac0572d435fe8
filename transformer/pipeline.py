"""From a callable and the types of its arguments to a finished program: the pipeline, one line a pass.

    specialise      frontend.specialise      a user function becomes Core
    differentiate   transforms.reverse, transforms.forward
    batch           transforms.batch
    simplify        transforms.simplify
    for NumPy       transforms.vectorise, transforms.narrow

`build` does it for plain functions and, through `Transformed.build`, for any chain of transforms around one.
"""

import dataclasses
import threading
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import tree
from .abstract import ShapeDtypeStruct
from .config import config
from .core import WEAK_DTYPES, Aval, literal_aval
from .errors import NeedStatic, TransformError, TypeMismatch, ValueDependent
from .frontend.builder import Builder
from .frontend.promotion import STRONG, mark_of
from .frontend.reference import is_reference
from .frontend.specialise import specialise
from .later import later
from .leaves import dynamic_leaves, is_dynamic
from .specialised import Param, is_device_array
from .transforms.custom_calls import expand
from .transforms.root_squares import root_squares
from .transforms.simplify import simplify

narrow, vectorise = later(globals(), "transforms.narrow"), later(globals(), "transforms.vectorise")

_local = threading.local()


@dataclasses.dataclass
class Options:
    """How to build: refuse draws of random numbers (compiled), decide branches by values (value mode), record the stages.

    pending: how many derivatives will be taken of what is built; functions with rules of their own stay calls until they are taken.
    sized: arrays whose size depends on data are masked ones of a known size.
    keep_stores: the last versions of stored arguments are further outputs, for the caller's arrays.
    """

    refuse_volatile: bool = False
    values: bool = False
    stages: Any = None
    pending: int = 0
    keep_stores: bool = False
    sized: bool = False


@contextmanager
def options(**changes):
    """Options of all builds inside of the block."""
    saved = current_options()
    _local.options = dataclasses.replace(saved, **changes)
    try:
        yield _local.options
    finally:
        _local.options = saved


def current_options():
    return getattr(_local, "options", None) or Options()


@contextmanager
def fresh_stages():
    """Forget the stages recorded inside of the block if it ends in an error: they are of an attempt."""
    stages = current_options().stages
    count = len(stages or ())
    try:
        yield
    except TransformError:
        del (stages or [])[count:]
        raise


OBSERVERS = []
"""Called with every program that a pass has made; tests hang `check` in here."""


def record(stage, program):
    """Keep a stage for `show`; the program as it is now."""
    for observe in OBSERVERS:
        observe(program)
    stages = current_options().stages
    if stages is not None:
        stages.append((stage, program))


def aval_of(value):
    if is_reference(value):
        return value.aval
    if isinstance(value, np.ndarray) or is_device_array(value):
        return Aval(tuple(value.shape), np.dtype(value.dtype))
    if isinstance(value, ShapeDtypeStruct):
        return Aval(value.shape, value.dtype, value.weak_type and value.dtype in WEAK_DTYPES.values())
    return literal_aval(value)


def as_params(value, name):
    """The value with a `Param` for each dynamic leaf."""
    if is_dynamic(value):
        return as_param(value, name)
    if tree.children_of(value) is None:
        return value
    leaves, treedef = tree.flatten(value)
    names = tree.paths(value, name)
    return tree.unflatten(treedef, [as_param(v, n) if is_dynamic(v) else v for v, n in zip(leaves, names)])


def as_param(leaf, name):
    known = leaf.known if is_reference(leaf) else None if isinstance(leaf, ShapeDtypeStruct) else leaf
    return Param(aval_of(leaf), known, name, mark_of(leaf))


def leaf_positions(args, argnums):
    """For each argument in `argnums`: (positions of its dynamic leaves, its treedef). Static leaves are an error."""
    starts, count = [], 0
    for value in args:
        starts.append(count)
        count += len(dynamic_leaves([value], {}))
    found = []
    for argnum in argnums:
        leaves, treedef = tree.flatten(args[argnum])
        for leaf in leaves:
            if not (is_dynamic(leaf) or isinstance(leaf, Param)):
                kind = "a string" if isinstance(leaf, str) else f"a value of type {type(leaf).__name__}"
                raise TypeMismatch(f"argument {argnum} is {kind}: nothing can be differentiated or batched with respect to it",
                                   "Give arrays or numbers, or choose other argnums.")
        found.append((list(range(starts[argnum], starts[argnum] + len(leaves))), treedef))
    return found


def build(fn, args, kwargs):
    """The `Specialised` program of a callable; dynamic leaves of the arguments are `Param`."""
    builder = getattr(type(fn), "build", None)
    if builder is not None and hasattr(type(fn), "__transformer_call__"):
        return fn.build(args, kwargs)
    chosen = current_options()
    with options(keep_stores=False):
        result = specialise(fn, args, kwargs, chosen.refuse_volatile, chosen.values, parent=active_builder(), sized=chosen.sized)
    if chosen.keep_stores:
        result.keep_stores()
    record("core", result.program)
    result.program = simplify(result.program)
    record("simplify", result.program)
    return result


def build_differentiable(fn, args, kwargs, times=1):
    """`build` for a function of which a derivative is taken next, `times` times one of the other."""
    with options(pending=current_options().pending + times):
        result = build(fn, args, kwargs)
    result.program = root_squares(result.program)
    return result


def by_type_or_value(make, leaves):
    """make(), again in value mode if types alone do not decide the structure (unless these are leaves of a function being built)."""
    try:
        return make()
    except ValueDependent as error:
        if any(map(is_reference, leaves)):
            raise
        first = error
    try:
        with options(values=True):
            return make()
    except ValueDependent:
        raise first from None


def settled(program):
    """A program whose derivatives have been taken: unless more are to come, calls with rules of their own are what they call."""
    return program if current_options().pending else expand(program)


def for_numpy(program):
    """What NumPy runs of a program: array code where loops over elements allow it, slices where masks of ranges stand."""
    if config.read("vectorise"):
        program = vectorise.vectorise(program)
        record("vectorise", program)
    program = narrow.narrow(program)
    record("narrow", program)
    return program


def active_builder():
    from .frontend.builder import _active
    stack = getattr(_active, "stack", None)
    return stack[-1] if stack else None


def positions_of(specialised, wanted):
    """Indices into program.params of the leaves at `wanted` positions; those that became static are an error."""
    index = {p.key: i for i, p in enumerate(specialised.inputs) if p.kind == "leaf"}
    for position in wanted:
        if position not in index:
            raise TypeMismatch("an argument whose value is needed as a Python number (a size or a shape) cannot be differentiated or batched",
                               "Leave it out of argnums, or give it in_axes None.")
    return [index[p] for p in wanted]


def inline(ev, specialised, leaves):
    """Append a built program to the program at hand; the outputs as a pytree."""
    args = []
    for source in specialised.inputs:
        if source.kind == "leaf":
            args.append(leaves[source.key])
        elif source.kind == "hidden":
            args.append(ev.externals.load(source.value.access(), source.value.access, source.value.label))
        else:
            args.append(source.value)
    ev.externals.guards.extend(specialised.guards)
    ev.volatile = ev.volatile or specialised.volatile
    outputs = ev.builder.inline(specialised.program, args)
    return tree.unflatten(specialised.out_tree, marked(ev.builder, outputs) if specialised.jnp else outputs)


def marked(builder, outputs):
    """The results of a program that computes with `transformer.numpy`, as values of it."""
    builder.uses_jnp = True
    for output in filter(is_reference, outputs):
        output.storage.jnp = 0 if output.weak else STRONG
    return outputs


def call_inside(ev, transformed, args, kwargs):
    """A transformed function met inside of a function that is being specialised: built for the types at hand and inlined."""
    args = tuple(map(ev.open, args))
    kwargs = {k: ev.open(v) for k, v in kwargs.items()}
    args, kwargs = transformed.convert(args, kwargs)
    leaves = dynamic_leaves(args, kwargs)
    params = [as_params(a, f"x{i}") for i, a in enumerate(args)], {k: as_params(v, k) for k, v in kwargs.items()}
    try:
        specialised = transformed.build(*params)
    except NeedStatic as error:
        argument = getattr(error.ref, "storage", None) and error.ref.storage.argument
        if argument and argument[0] == "leaf" and is_reference(leaves[argument[1]]):
            raise NeedStatic(leaves[argument[1]], error.what) from error
        raise
    return inline(ev, specialised, leaves)


__all__ = ["Builder", "Options", "build", "call_inside", "inline", "options"]
