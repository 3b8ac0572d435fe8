"""What the derivative transforms do to a built program: seeds, outputs, and the pytrees around them."""

import dataclasses

import numpy as np

from . import tree
from .core import Program, is_floating
from .errors import ShapeError, TypeMismatch
from .frontend.builder import Builder
from .frontend.specialise import Input
from .later import later
from .pipeline import build_differentiable, leaf_positions, positions_of, record, settled
from .transforms.reverse import reverse
from .transforms.simplify import simplify
from .zero_tangents import extended, is_left, replaced, without_integers

batching, forward = later(globals(), "transforms.batch"), later(globals(), "transforms.forward")


def finish(specialised, program, out_tree, name, stage, inputs=None):
    """The next Specialised: a new program under a new name, simplified."""
    program.name = name
    record(stage, program)
    program = simplify(settled(program))
    record("simplify", program)
    return dataclasses.replace(specialised, program=program, out_tree=out_tree,
                               inputs=specialised.inputs if inputs is None else inputs)


def subtrees(out_tree, has_aux):
    """(treedef of the differentiated result, treedef of aux or None)."""
    if not has_aux:
        return out_tree, None
    if out_tree.kind is not tuple or len(out_tree.children) != 2:
        raise TypeMismatch("has_aux=True needs a function that returns a pair (result, aux)", "Return (result, aux).")
    return out_tree.children


def check_scalar(program, treedef, holomorphic):
    """The result of a function under `grad` is one real scalar."""
    if treedef.kind is not None:
        kind = "None" if treedef.kind is type(None) else f"a {treedef.kind.__name__} of {treedef.num_leaves} arrays"
        raise TypeMismatch(f"grad needs a function with a scalar output; {program.name} returns {kind}",
                           "Return one number, or use has_aux=True for further outputs.")
    aval = program.aval(program.outputs[0])
    if aval.shape != ():
        raise ShapeError(f"grad needs a function with a scalar output; {program.name} returns an array of shape {aval.shape}",
                         "Sum it up (np.sum), or use jacrev for a Jacobian.")
    if aval.dtype.kind == "b":
        raise TypeMismatch(f"grad needs a number; {program.name} returns a bool", "Return the number whose derivative is meant.")
    if aval.dtype.kind == "c" and not holomorphic:
        raise TypeMismatch(f"grad needs a real output; {program.name} returns {aval.dtype}",
                           "Take the real part or the modulus, or use holomorphic=True.")


def gradient(fn, args, kwargs, argnums, has_aux, holomorphic, with_value, allow_int=False):
    """grad and value_and_grad: reverse mode seeded with 1.0."""
    single, wanted = differentiated(fn, args, argnums, allow_int)
    specialised = build_differentiable(fn, args, kwargs)
    program = specialised.program
    value_tree, aux_tree = subtrees(specialised.out_tree, has_aux)
    check_scalar(program, value_tree, holomorphic)
    refuse_discrete(program, specialised, wanted)
    if holomorphic:
        require_complex(specialised, wanted, 1, "grad")
    wrt = positions_of(specialised, [p for positions, _ in wanted for p in positions])
    aval = program.aval(program.outputs[0])
    seed = 1.0 if aval.dtype == np.float64 or aval.weak or aval.dtype.kind in "biu" else aval.dtype.type(1)
    joint = reverse(program, wrt, [seed] + [None] * (len(program.outputs) - 1), () if with_value else (0,))
    count = len(program.outputs)
    bars = joint.outputs[count:]
    if with_value:
        outputs, result = joint.outputs[:count] + bars, specialised.out_tree
        out_tree = tree.Treedef(tuple, None, (result, gradient_tree(wanted, single)))
    else:
        outputs, out_tree = bars + joint.outputs[1:count], gradient_tree(wanted, single)
        if has_aux:
            out_tree = tree.Treedef(tuple, None, (out_tree, aux_tree))
    joint = dataclasses.replace(joint, outputs=outputs)
    return finish(specialised, joint, out_tree, f"{program.name}_grad", "grad")


def gradient_tree(wanted, single):
    trees = tuple(t for _, t in wanted)
    return trees[0] if single else tree.Treedef(tuple, None, trees)


def normalise(argnums, args, fn):
    """(whether argnums is one int, the argument numbers, negative ones counted from the end)."""
    single = not isinstance(argnums, tuple | list)
    numbers = [argnums] if single else list(argnums)
    name = getattr(fn, "__name__", "the function")
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise TypeMismatch(f"argnums must be an int or a tuple of ints, not {number!r}", "Count positional arguments from 0.")
        if not -len(args) <= number < len(args):
            raise TypeMismatch(f"argnums {number} is out of range: {name} is called with {len(args)} positional argument(s)",
                               "Count positional arguments from 0; arguments given by keyword cannot be differentiated.")
    return single, [int(n) % len(args) for n in numbers]


def differentiated(fn, args, argnums, allow_int):
    """(whether argnums is one int, per argument the positions of the leaves that are differentiated and the structure of the result)."""
    single, numbers = normalise(argnums, args, fn)
    wanted = leaf_positions(args, numbers)
    return single, without_integers(args, numbers, wanted) if allow_int else wanted


def refuse_discrete(program, specialised, wanted):
    """Integers are promoted before; what is left of other kinds cannot be differentiated."""
    index = {p.key: i for i, p in enumerate(specialised.inputs) if p.kind == "leaf"}
    for positions, _ in wanted:
        for position in positions:
            if position in index:
                aval = program.avals[program.params[index[position]]]
                if not is_floating(aval.dtype):
                    raise TypeMismatch(f"an argument of type {aval} cannot be differentiated", "Pass floating-point numbers.")


def differentiated_avals(specialised, wanted):
    """Types of the leaves that are differentiated."""
    program = specialised.program
    return [program.avals[program.params[i]] for i in positions_of(specialised, [p for positions, _ in wanted for p in positions])]


def require_complex(specialised, wanted, count, name):
    """Holomorphic functions map complex numbers to complex numbers."""
    outs = map(specialised.program.aval, specialised.program.outputs[:count])
    for what, avals in (("argument", differentiated_avals(specialised, wanted)), ("result", outs)):
        for aval in avals:
            if aval.dtype.kind != "c":
                raise TypeMismatch(f"{name} with holomorphic=True needs complex arguments and results; {specialised.program.name} has "
                                   f"{'an' if what == 'argument' else 'a'} {what} of type {aval}", "Convert it to complex, or leave holomorphic out.")


def refuse_complex(specialised, wanted, count, mode):
    """One tangent or cotangent of 1 an element says only half of a derivative with respect to, or of, complex numbers."""
    name = specialised.program.name
    if mode == "forward" and any(a.dtype.kind == "c" for a in differentiated_avals(specialised, wanted)):
        raise TypeMismatch(f"jacfwd needs real arguments; {name} gets a complex one",
                           "Use holomorphic=True if the function is complex-differentiable, else take real and imaginary parts as arguments.")
    if mode == "reverse" and any(specialised.program.aval(a).dtype.kind == "c" for a in specialised.program.outputs[:count]):
        raise TypeMismatch(f"jacrev needs real results; {name} returns a complex one",
                           "Use holomorphic=True if the function is complex-differentiable, else return real and imaginary parts.")


def pullback_program(specialised, wrt):
    """(joint program with one cotangent parameter per output, number of primal outputs)."""
    program = specialised.program
    seeds = ["param" if is_floating(program.aval(a).dtype) else None for a in program.outputs]
    return reverse(program, wrt, seeds), seeds


def basis(builder, avals, total, offset):
    """Constants that are the unit vectors of arrays laid end to end: one (total, *shape) array per aval."""
    eye = np.eye(total)
    found = []
    for aval in avals:
        rows = eye[:, offset:offset + aval.size].reshape(total, *aval.shape).astype(aval.dtype)
        found.append(builder.constant(rows, "basis"))
        offset += aval.size
    return found


def jacobian(fn, args, kwargs, argnums, mode, has_aux=False, allow_int=False, holomorphic=False):
    """jacfwd and jacrev: the batch of tangents or cotangents over a basis, one program."""
    single, wanted = differentiated(fn, args, argnums, allow_int)
    specialised = build_differentiable(fn, args, kwargs)
    refuse_discrete(specialised.program, specialised, wanted)
    value_tree, aux_tree = subtrees(specialised.out_tree, has_aux)
    if holomorphic:
        require_complex(specialised, wanted, value_tree.num_leaves, "jacrev" if mode == "reverse" else "jacfwd")
    else:
        refuse_complex(specialised, wanted, value_tree.num_leaves, mode)
    wrt = positions_of(specialised, [p for positions, _ in wanted for p in positions])
    make = jacobian_rows if mode == "reverse" else jacobian_columns
    program = make(specialised, wrt, value_tree.num_leaves)
    inner = gradient_tree(wanted, single)
    out_tree = replace_leaves(value_tree, inner, iter(map(specialised.program.aval, specialised.program.outputs)))
    if has_aux:
        out_tree = tree.Treedef(tuple, None, (out_tree, aux_tree))
    stage = "jacrev" if mode == "reverse" else "jacfwd"
    return finish(specialised, program, out_tree, f"{specialised.program.name}_{stage}", stage)


def replace_leaves(treedef, inner, avals):
    """The structure of a result with the structure `inner` of the arguments at each of its leaves, whose types are `avals`."""
    if treedef.kind is None:
        return extended(inner, next(avals).shape)
    return treedef._replace(children=tuple(replace_leaves(c, inner, avals) for c in treedef.children))


def jacobian_rows(specialised, wrt, count):
    """One cotangent per element of the outputs; results ordered output by output, within it parameter by parameter."""
    program = specialised.program
    outs = [program.aval(a) for a in program.outputs[:count]]
    ins = [program.avals[program.params[i]] for i in wrt]
    seeds = ["param" if is_floating(a.dtype) else None for a in outs] + [None] * (len(program.outputs) - count)
    joint = reverse(program, wrt, seeds)
    active = [a for a, s in zip(outs, seeds) if s]
    total = sum(a.size for a in active)
    batched = batching.batch(simplify(joint), [None] * len(program.params) + [0] * len(active),
                             [None] * len(program.outputs) + [0] * len(wrt), total)
    with Builder(program.name) as builder:
        refs = copy_parameters(builder, program)
        results = builder.inline(batched, [*refs, *basis(builder, active, total, 0)])
        aux, bars = results[count:len(program.outputs)], results[len(program.outputs):]
        blocks, offset = [], 0
        for aval, seed in zip(outs, seeds):
            for bar, into in zip(bars, ins):
                if seed is None:
                    blocks.append(np.zeros(aval.shape + into.shape, into.dtype))
                    continue
                rows = bar if total == aval.size else bar[offset:offset + aval.size]
                blocks.append(rows.reshape(aval.shape + into.shape))
            offset += aval.size if seed else 0
        return keep_hints(builder.program([*blocks, *aux]), program)


def jacobian_columns(specialised, wrt, count):
    """One tangent per element of the parameters."""
    program = specialised.program
    ins = [program.avals[program.params[i]] for i in wrt]
    pushed = forward.forward(program, wrt)
    total = sum(a.size for a in ins)
    outputs = pushed.outputs[:len(program.outputs)] + pushed.outputs[len(program.outputs):][:count]
    pushed = simplify(dataclasses.replace(pushed, outputs=outputs))
    batched = batching.batch(pushed, [None] * len(program.params) + [0] * len(wrt), [None] * len(program.outputs) + [-1] * count, total)
    with Builder(program.name) as builder:
        refs = copy_parameters(builder, program)
        results = builder.inline(batched, [*refs, *basis(builder, ins, total, 0)])
        aux, dots = results[count:len(program.outputs)], results[len(program.outputs):]
        blocks = []
        for dot, atom in zip(dots, program.outputs):
            shape, offset = program.aval(atom).shape, 0
            for into in ins:
                columns = dot if total == into.size else dot[..., offset:offset + into.size]
                blocks.append(columns.reshape(shape + into.shape))
                offset += into.size
        return keep_hints(builder.program([*blocks, *aux]), program)


def copy_parameters(builder, program):
    """Parameters of a new program with the names and avals of another one's."""
    return [builder.parameter(program.hints.get(p, p), program.avals[p]) for p in program.params]


def keep_hints(program, original):
    program.counters |= {c for c in original.counters if c in program.avals}
    return program


def pushforward(fn, args, kwargs, wrt_args, allow_int=False):
    """jvp: the Specialised of outputs and tangents; integers among the outputs, and with allow_int among the arguments, have none."""
    _, wanted = differentiated(fn, args, tuple(wrt_args), allow_int)
    specialised = build_differentiable(fn, args, kwargs)
    positions = [p for found, _ in wanted for p in found]
    wrt = positions_of(specialised, positions)
    pushed = forward.forward(specialised.program, wrt)
    inputs = [*specialised.inputs, *(Input("leaf", ("tangent", p)) for p in positions)]
    avals = list(map(specialised.program.aval, specialised.program.outputs))
    dots = [dot for dot, aval in zip(pushed.outputs[len(avals):], avals) if is_left(aval)]
    pushed = dataclasses.replace(pushed, outputs=[*pushed.outputs[:len(avals)], *dots])
    out_tree = tree.Treedef(tuple, None, (specialised.out_tree, replaced(specialised.out_tree, iter(avals))))
    return finish(specialised, pushed, out_tree, f"{specialised.program.name}_jvp", "jvp", inputs)


__all__ = ["Program", "gradient", "jacobian", "pullback_program", "pushforward"]
