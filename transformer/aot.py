"""Ahead of time: lowering and compiling for given types, before any call.

    lowered = jit(f).lower(x, y)        arrays, numbers, ShapeDtypeStructs
    lowered.as_text()                   StableHLO
    run = lowered.compile()
    run(x, y)                           for arguments of exactly these types; run.as_text() is XLA's program
"""

import copy

from . import pipeline, tree
from .abstract import ShapeDtypeStruct
from .errors import TransformError, TypeMismatch
from .frontend.reference import is_device_array
from .frontend.specialise import Static


def struct(aval):
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak)


class Stage:
    """What a lowered and a compiled program have in common: the structure and types of arguments and results."""

    def __init__(self, entry, args, kwargs):
        self.entry, self.args, self.kwargs = entry, args, kwargs

    @property
    def in_tree(self):
        return tree.flatten((self.args, self.kwargs))[1]

    @property
    def out_tree(self):
        return self.entry.out_tree

    @property
    def in_avals(self):
        return tree.unflatten(self.in_tree, tree.flatten((self.args, self.kwargs))[0])


    @property
    def out_info(self):
        """A ShapeDtypeStruct per result, in the structure of the results."""
        program = self.entry.program
        return tree.unflatten(self.entry.out_tree, [struct(program.aval(a)) for a in program.outputs])

    out_avals = out_info

    @property
    def compiled(self):
        return self.entry.run


class Lowered(Stage):
    """A program in StableHLO."""

    def as_text(self, dialect=None, *, debug_info=False):
        """StableHLO text."""
        if dialect not in (None, "stablehlo"):
            raise TransformError(f"a lowered program has no text in {dialect!r}", "Ask for 'stablehlo', or compile it: .compile().as_text().")
        return self.compiled.text()

    def compile(self, compiler_options=None):
        """The compiled program. compiler_options: XLA's flags by name."""
        entry = self.entry
        if compiler_options:
            entry = copy.copy(entry)
            entry.run = entry.prepare(tuple(compiler_options.items()))
        entry.run.build()
        return Compiled(entry, self.args, self.kwargs)

    def cost_analysis(self):
        """XLA's estimate of the work, by name ("flops"...)."""
        return self.compiled.cost_analysis()


class Compiled(Stage):
    """A compiled program: call it with arguments of the types that it was lowered for, without the static ones."""

    def __call__(self, *args, **kwargs):
        found, wanted = tree.flatten((args, kwargs)), tree.flatten((self.args, self.kwargs))
        if found[1] != wanted[1]:
            raise TypeMismatch(f"the compiled program takes {describe(wanted[0])}, it is called with {describe(found[0])} in another structure",
                               "Call it with the structure of arguments that it was lowered for, without the static ones.")
        for number, (leaf, like) in enumerate(zip(found[0], wanted[0])):
            check(leaf, like, number)
        return self.entry([leaf for leaf in found[0] if pipeline.is_dynamic(leaf)])

    def as_text(self):
        """XLA's optimised program."""
        return self.compiled.hlo_text()

    def cost_analysis(self):
        """XLA's estimate of the work, by name ("flops"...)."""
        return self.compiled.cost_analysis()

    def memory_analysis(self):
        """Bytes of arguments, results, temporaries and code: argument_size_in_bytes..."""
        return self.compiled.build().memory_analysis()


def describe(leaves):
    return "(" + ", ".join(map(str, map(type_of, leaves))) + ")"


def type_of(leaf):
    """The aval of a dynamic leaf, a static one itself."""
    return pipeline.aval_of(leaf) if pipeline.is_dynamic(leaf) else leaf


def check(leaf, like, number):
    """TypeMismatch unless a leaf has the type that the program was lowered for."""
    found, wanted = type_of(leaf), type_of(like)
    if found == wanted or not (pipeline.is_dynamic(leaf) and pipeline.is_dynamic(like)):
        if found != wanted:
            raise TypeMismatch(f"argument {number} is {found!r}, the program was built for {wanted!r}", "Lower it anew for this value.")
        return
    scalar = wanted.weak and found.shape == () and found.dtype.kind == wanted.dtype.kind
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype) and not scalar:
        raise TypeMismatch(f"argument {number} has the type {found}, the program was compiled for {wanted}: shape {found.shape} and dtype "
                           f"{found.dtype.name} instead of {wanted.shape} and {wanted.dtype.name}", "Lower it anew for this type, or convert the argument.")


def lower(transformed, args, kwargs):
    """The Lowered of a transformed function that runs compiled."""
    if transformed.static:
        marked, named = transformed.mark_static(args, kwargs)
    else:
        marked, named = args, kwargs
    entry, _ = transformed.find(args, kwargs)
    if entry.run is not entry.run.for_xla():
        entry = copy.copy(entry)
        entry.run = entry.run.for_xla()
    return Lowered(entry, tuple(as_struct(a) for a in marked if not isinstance(a, Static)),
                   {k: as_struct(v) for k, v in named.items() if not isinstance(v, Static)})


def as_struct(value):
    """Arrays are let go; numbers stay."""
    def one(leaf):
        return struct(pipeline.aval_of(leaf)) if pipeline.is_dynamic(leaf) and (hasattr(leaf, "shape") or is_device_array(leaf)) else leaf
    return tree.tree_map(one, value)


def eval_shape(f, *args, **kwargs):
    """Shapes and dtypes of f(*args, **kwargs), without computing: a ShapeDtypeStruct in place of each array of the result.

    Arguments may be ShapeDtypeStructs themselves, in containers too.

    >>> import numpy as np
    >>> eval_shape(np.dot, ShapeDtypeStruct((1000, 3), "float32"), np.ones(3, "float32"))
    ShapeDtypeStruct(shape=(1000,), dtype=float32)
    """
    if hasattr(type(f), "__transformer_call__") and hasattr(f, "convert"):
        args, kwargs = f.convert(args, kwargs)
        args, kwargs = f.mark_static(args, kwargs) if f.static else (args, kwargs)
    params = [pipeline.as_params(a, f"x{i}") for i, a in enumerate(args)]
    specialised = pipeline.build(f, params, {k: pipeline.as_params(v, k) for k, v in kwargs.items()})
    return tree.unflatten(specialised.out_tree, [struct(specialised.program.aval(a)) for a in specialised.program.outputs])


__all__ = ["Compiled", "Lowered", "eval_shape", "lower"]
