"""Transforms that are called with the arguments: jvp, vjp, linearize."""

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from . import derivatives, pipeline, printing, tree
from .config import x64
from .core import is_floating
from .dispatch import single_precision
from .errors import ShapeError, TransformError, TypeMismatch
from .executable import wrap
from .frontend.builder import current
from .frontend.reference import is_reference
from .leaves import as_float
from .transforms.reverse import reverse, split
from .transforms.simplify import simplify
from .zero_tangents import float0, replaced


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> tuple[Any, ...]:
    """(f(*primals), directional derivative along `tangents`), by forward mode. Both arguments are tuples of equal structure.

    has_aux: f returns (result, aux), and jvp returns (result, derivative, aux). Integers are promoted to floats, unless their tangent is
    float0 or f uses them as an index, a bound or a size: such a tangent must be zero.
    Source: forward accumulation (Griewank and Walther 2008, chapter 3). Raises TypeMismatch and ShapeError where tangents do
    not fit.

    >>> jvp(lambda x: x ** 3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise TypeMismatch("jvp needs tuples of primals and of tangents", "Write jvp(f, (x,), (x_dot,)).")
    leaves, treedef, specialised = with_floats(
        primals, lambda primals: derivatives.pushforward(f, as_arguments(primals), {}, range(len(primals)), allow_int=True), tangents)
    dots = flatten_matching(treedef, tuple(tangents), leaves, "tangent", "primal")
    inputs = dict(enumerate(leaves)) | {("tangent", i): d for i, d in enumerate(dots)}
    if not has_aux:
        return run(specialised, inputs)
    derivatives.subtrees(specialised.out_tree.children[0], True)
    (result, aux), (dot, _) = run(specialised, inputs)
    return result, dot, aux


FEW = 8
"""Integers up to which it is tried one by one whether they may be floats."""


def with_floats(primals, make, tangents=None):
    """(leaves, treedef, make(primals)) with the integers among the primals as floats, unless a tangent is float0. Where the function
    needs them as integers (an index, a bound, a size) they stay integers, and constants; among a few, only those that it needs."""
    leaves, treedef = tree.flatten(tuple(primals))
    dots = tree.flatten_like(treedef, tuple(tangents)) if tangents is not None else [None] * len(leaves)
    floats = [leaf if getattr(dot, "dtype", None) == float0 else as_float(leaf) for leaf, dot in zip(leaves, dots)]

    def made(leaves):
        primals = tree.unflatten(treedef, leaves)
        return leaves, treedef, pipeline.by_type_or_value(lambda: make(primals), leaves)
    try:
        return made(floats)
    except (TransformError, TypeError) as error:
        if all(a is b for a, b in zip(floats, leaves)):
            raise
        first = error
    try:
        found = made(leaves)
    except (TransformError, TypeError):
        raise first from None
    turned = [k for k, (a, b) in enumerate(zip(floats, leaves)) if a is not b]
    for k in turned if 1 < len(turned) <= FEW else ():
        trial = [*found[0][:k], floats[k], *found[0][k + 1:]]
        with suppress(TransformError, TypeError):
            found = made(trial)
    return found


def is_moved(leaf):
    """Whether a primal has a tangent: not if it stayed an integer."""
    return not pipeline.is_dynamic(leaf) or is_floating(pipeline.aval_of(leaf).dtype)


def refuse_moving(dot, what):
    """An integer that stays one has no tangent other than zero."""
    if is_reference(dot) or not (np.result_type(dot) == float0 or not np.any(dot)):
        raise TypeMismatch(f"a {what} is given for an argument that is an integer to the function: an index, a bound or a size",
                           "Give 0 or np.zeros(shape, transformer.float0).")


def flatten_matching(treedef, value, leaves, what, of):
    """Leaves of tangents or cotangents, checked against the values they belong to and cast to their dtypes; None for an integer's tangent."""
    found = tree.flatten_like(treedef, value)
    result = []
    for leaf, like in zip(found, leaves):
        shape, wanted = np.shape(leaf), np.shape(like)
        if shape != wanted:
            raise ShapeError(f"a {what} of shape {shape} is given for a {of} of shape {wanted}", f"Give each {what} the shape of its {of}.")
        dtype = like.dtype if hasattr(like, "dtype") else np.result_type(like)
        if what == "cotangent" and getattr(leaf, "dtype", None) == float0:
            leaf = np.zeros(shape)
        if what == "tangent" and not is_floating(dtype):
            refuse_moving(leaf, what)
            result.append(None)
        elif is_reference(leaf):
            result.append(leaf if leaf.dtype == dtype else leaf.astype(dtype))
        else:
            result.append(float(leaf) if type(like) is float and type(leaf) is int else
                          np.asarray(leaf, dtype)[()] if np.result_type(leaf) != dtype or is_number_for_array(leaf, like) else leaf)
    return result


def is_number_for_array(leaf, like):
    """Whether a Python number is given where the program has an array of no axes, which can be indexed."""
    return type(leaf) in (float, int, complex) and hasattr(like, "dtype") and not getattr(like, "weak", False)


def as_arguments(primals):
    return [pipeline.as_params(p, f"x{i}" if len(primals) > 1 else "x") for i, p in enumerate(primals)]


def run(specialised, leaves):
    """Run a program once: inlined where a function is being specialised, else executed on NumPy."""
    program = specialised.program
    values = [leaves[i.key] if i.kind == "leaf" else i.value.access() if i.kind == "hidden" else i.value for i in specialised.inputs]
    if any(map(is_reference, values)):
        outputs = inlined(program, values, specialised.jnp)
    else:
        outputs = executed(printing.load(pipeline.for_numpy(program)), program, values, specialised.jnp)
    return tree.unflatten(specialised.out_tree, outputs)


def inlined(program, values, jnp):
    """The outputs of a program appended to the one at hand; jnp: they are values of `transformer.numpy`."""
    outputs = current().inline(program, values)
    return pipeline.marked(current(), outputs) if jnp else outputs


def executed(function, program, values, jnp):
    """The outputs of a loaded program as a list; jnp: as device arrays."""
    outputs = function(*map(host, values))
    outputs = [outputs] if len(program.outputs) == 1 else list(outputs or ())
    return wrap(outputs) if jnp else outputs


def host(value):
    return np.asarray(value) if pipeline.is_device_array(value) else value


class Linear:
    """A linear function with its residuals: a pullback (cotangents in, cotangents out) or a linearised function."""

    __transformer_opaque__ = True

    def __init__(self, program, residuals, into, likes, out_tree, what, of, star=False, jnp=False):
        self.program, self.residuals, self.into, self.likes = program, residuals, into, likes
        self.out_tree, self.what, self.of, self.star, self.jnp = out_tree, what, of, star, jnp
        self.loaded = None

    def __call__(self, *vectors):
        value = vectors if self.star else vectors[0] if len(vectors) == 1 else vectors
        dots = [d for d in flatten_matching(self.into, value, self.likes, self.what, self.of) if d is not None]
        values = [*self.residuals, *(self.strong(dots) if self.jnp else dots)]
        if any(map(is_reference, values)):
            outputs = inlined(self.program, values, self.jnp)
        else:
            self.loaded = self.loaded or printing.load(pipeline.for_numpy(self.program))
            outputs = executed(self.loaded, self.program, values, self.jnp)
        return tree.unflatten(self.out_tree, outputs)

    def strong(self, dots):
        """The vectors with numbers of NumPy for Python's: programs of `transformer.numpy` rely on their types."""
        avals = [self.program.avals[p] for p in self.program.params[len(self.residuals):]]
        return [a.dtype.type(d) if type(d) in (int, float, complex) else d for d, a in zip(dots, avals, strict=True)]

    @property
    def source(self):
        """Source of the function, its residuals as the first parameters."""
        return printing.source(pipeline.for_numpy(self.program))

    def __transformer_call__(self, ev, args, kwargs):
        return self(*args, **kwargs)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(f(*primals), pullback): the pullback maps a cotangent of the output to a tuple of cotangents, one per primal.

    The forward part runs once, now; the pullback keeps what it needs (residuals). has_aux: f returns (result, aux), and vjp
    returns (result, pullback, aux). Integers are promoted to floats, unless f uses them as an index, a bound or a size: their cotangents then
    are zeros of the type float0.

    >>> y, pullback = vjp(lambda x: x ** 2, 3.0)
    >>> y, pullback(1.0)
    (9.0, (6.0,))
    """
    outputs, specialised, pullback, residuals, (leaves, treedef) = forward_part(f, primals, has_aux)
    value_tree, aux_tree = derivatives.subtrees(specialised.out_tree, has_aux)
    into = replaced(treedef, map(pipeline.aval_of, leaves))
    likes = outputs[: value_tree.num_leaves]
    result = tree.unflatten(value_tree, likes)
    pull = Linear(pullback, residuals, value_tree, likes, into, "cotangent", "output", jnp=specialised.jnp)
    if not has_aux:
        return result, pull
    return result, pull, tree.unflatten(aux_tree, outputs[value_tree.num_leaves:])


def forward_part(f, primals, has_aux=False, times=1):
    """Run the forward part of the joint program; (outputs, Specialised, pullback program, residuals, (leaves of the primals, treedef)).

    times: how many derivatives are taken one of the other, from this one on.
    """
    leaves, treedef, specialised = with_floats(primals, lambda primals: pipeline.build_differentiable(f, as_arguments(primals), {}, times))
    program = specialised.program
    wrt = pipeline.positions_of(specialised, [i for i, leaf in enumerate(leaves) if is_moved(leaf)])
    seeded = derivatives.subtrees(specialised.out_tree, has_aux)[0].num_leaves
    joint = reverse(program, wrt, ["param"] * seeded + [None] * (len(program.outputs) - seeded))
    first, pullback = split(simplify(pipeline.settled(joint)), len(program.outputs), seeded)
    pullback = simplify(pullback)
    if specialised.jnp and not x64():
        pullback = single_precision(pullback, [program.avals[p] for p in program.params])
    whole = dataclasses.replace(specialised, program=first, out_tree=tree.Treedef(list, None, (tree.LEAF,) * len(first.outputs)))
    results = run(whole, dict(enumerate(leaves)))
    count = len(program.outputs)
    seen = {*first.params, *first.outputs[:count]}
    residuals = [apart(value) if atom in seen else value for value, atom in zip(results[count:], first.outputs[count:], strict=True)]
    return results[:count], specialised, pullback, residuals, (leaves, treedef)


def apart(residual):
    """A residual that is an argument or a result too, as a value of its own: the caller may store into that array. What a program that
    has run returns is so already."""
    return residual.storage.builder.alike(residual) if is_reference(residual) else residual


def linearize(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(f(*primals), linear function of tangents): the forward part runs once, now.

    has_aux: f returns (result, aux), and linearize returns (result, linear function, aux). The linear function is the transpose of
    the pullback, itself by reverse mode, so loops and branches keep their residuals.

    >>> y, push = linearize(lambda x: x ** 2, 3.0)
    >>> y, push(1.0)
    (9.0, 6.0)
    """
    outputs, specialised, pullback, residuals, (leaves, treedef) = forward_part(f, primals, has_aux, times=2)
    wrt = range(len(residuals), len(pullback.params))
    transposed = reverse(pullback, list(wrt), ["param"] * len(pullback.outputs))
    count = len(pullback.outputs)
    keep = [p for i, p in enumerate(transposed.params) if i not in wrt]
    program = simplify(zero_cotangents(transposed, list(wrt), count, keep))
    result = tree.unflatten(specialised.out_tree, outputs)
    value_tree, aux_tree = derivatives.subtrees(specialised.out_tree, has_aux)
    program.outputs = program.outputs[:value_tree.num_leaves]
    push = Linear(program, residuals, treedef, leaves, value_tree, "tangent", "primal", star=True, jnp=specialised.jnp)
    return (result, push) if aux_tree is None else (result[0], push, result[1])


def zero_cotangents(program, positions, count, keep):
    """The transposed pullback does not depend on the cotangents at which it is taken: they become zeros."""
    from .frontend.builder import Builder
    with Builder(f"{program.name}_linear") as builder:
        refs = {}
        for name in keep:
            refs[name] = builder.parameter(program.hints.get(name, name), program.avals[name])
        for position in positions:
            aval = program.avals[program.params[position]]
            refs[program.params[position]] = builder.constant(np.zeros(aval.shape, aval.dtype)) if aval.shape else aval.dtype.type(0)
        outputs = builder.inline(program, [refs[p] for p in program.params])
        return derivatives.keep_hints(builder.program(outputs[count:]), program)


__all__ = ["as_float", "jvp", "linearize", "vjp"]
