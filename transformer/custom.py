"""Functions that bring their own derivatives: `custom_vjp` and `custom_jvp`. The rules are functions of the user and print inline."""

import dataclasses
import functools
import inspect

import numpy as np

from . import pipeline, tree
from .call_sites import Part, Site
from .core import Aval, is_floating
from .errors import ShapeError, TransformError, TypeMismatch
from .frontend.specialise import Param, program_name
from .frontend.specialise.calls import Closure, bind_arguments, call
from .transforms.custom_calls import Pullable, Pushable, cotangent_aval


class Custom:
    """Base: a function with a derivative rule. Called like the function itself."""

    __transformer_opaque__ = True

    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        if not callable(fun):
            raise TypeMismatch(f"{type(self).__name__} needs a function, not a value of type {type(fun).__name__}", "Pass the function itself.")
        functools.update_wrapper(self, fun, updated=())
        self.__name__ = program_name(fun)
        self.fun = fun
        names = (nondiff_argnames,) if isinstance(nondiff_argnames, str) else tuple(nondiff_argnames)
        numbers = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        self.nondiff = (*numbers, *(position_of(fun, name) for name in names))

    def __call__(self, *args, **kwargs):
        return self.fun(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __transformer_call__(self, ev, args, kwargs):
        if not pipeline.current_options().pending:
            return call(ev, self.fun, args, kwargs, None)
        self.require_rules()
        args = positional(self.fun, tuple(map(ev.open, args)), {k: ev.open(v) for k, v in kwargs.items()})
        return Site(self, ev, args, self.nondiff_of(args)).bind()

    def nondiff_of(self, args):
        """The numbers of the arguments that are not differentiated, in order."""
        return sorted({n % len(args) for n in self.nondiff})

    def split(self, values):
        """(those of arguments that are not differentiated, the others)."""
        numbers = self.nondiff_of(values)
        return [v for i, v in enumerate(values) if i in numbers], [v for i, v in enumerate(values) if i not in numbers]

    def __repr__(self):
        return f"<{type(self).__name__} {self.__name__}>"


def position_of(fun, name):
    """The number of a parameter."""
    names = [a.arg if hasattr(a, "arg") else a.id for a in fun.node.args.args] if isinstance(fun, Closure) else [*inspect.signature(fun).parameters]
    if name not in names:
        raise TypeMismatch(f"{getattr(fun, '__name__', fun)} has no parameter {name!r}", f"Its parameters: {', '.join(names)}.")
    return names.index(name)


def positional(fun, args, kwargs):
    """All arguments by position, defaults filled in."""
    if isinstance(fun, Closure):
        spec = fun.node.args
        if not kwargs and len(args) >= len(spec.args):
            return args
        bound = bind_arguments(fun.__name__, spec, args, kwargs, fun.defaults, fun.kwdefaults)
        return tuple(bound[a.id] for a in spec.args)
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except ValueError:
        return args
    if bound.kwargs:
        raise TypeMismatch(f"{getattr(fun, '__name__', fun)} takes {', '.join(bound.kwargs)} by keyword only: a function with a derivative "
                           "rule takes its arguments by position", "Remove the * from its parameters.")
    bound.apply_defaults()
    return bound.args


class custom_vjp(Custom):
    """A function whose reverse-mode derivative is given by `defvjp(forward, backward)`.

    nondiff_argnums, nondiff_argnames: arguments that are not differentiated; `backward` gets them first.

    >>> import numpy as np
    >>> from transformer import grad
    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, x_bar: (np.clip(x_bar, -1.0, 1.0),))
    >>> print(grad(lambda x: 5.0 * clipped(x))(2.0))
    1.0
    """

    forward = backward = None

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        """fwd(*args) returns (result, residuals); bwd(*nondiff, residuals, cotangent) a tuple with a cotangent per argument, or None."""
        if symbolic_zeros:
            raise TransformError("defvjp(symbolic_zeros=True) is not known here", "Leave it out: cotangents are arrays.")
        self.forward, self.backward = fwd, bwd

    def require_rules(self):
        if self.forward is None:
            raise TypeMismatch(f"{self.__name__} is a custom_vjp without a rule: no vjp is defined", f"Call {self.__name__}.defvjp(forward, backward).")

    def node(self, count):
        return Pullable(self.__name__, count)

    def rules(self, site):
        """The programs of both rules, and what their parameters are."""
        first = site.build_backward(self.forward, site.params)
        if first.out_tree.kind is not tuple or len(first.out_tree.children) != 2:
            raise TypeMismatch(f"the forward rule of {self.__name__} must return a pair (result, residuals)", "Return (result, residuals).")
        out_tree, res_tree = first.out_tree.children
        site.check_result(out_tree, "the forward rule")
        avals = list(map(first.program.aval, first.program.outputs))
        residuals = [site.param(a, "residual") for a in avals[out_tree.num_leaves:]]
        bars = [site.param(cotangent_aval(a), "bar") for a in avals[:out_tree.num_leaves]]
        nondiff, _ = self.split(site.params)
        second = site.build_backward(self.backward, [*nondiff, tree.unflatten(res_tree, residuals), tree.unflatten(out_tree, bars)])
        second.program = self.with_cotangents(site, second)
        first_slots = [("residual", k, p.aval) for k, p in enumerate(residuals)]
        slots = [*first_slots, *(("bar", k, p.aval) for k, p in enumerate(bars))]
        return [Part(first, site.arg_slots(range(len(site.args)))), Part(second, [*site.arg_slots(self.nondiff_of(site.args)), *slots], before=slots)]

    def with_cotangents(self, site, second):
        """The program of the backward rule with one output for each differentiated leaf."""
        wanted = [i for i in range(len(site.args)) if i not in self.nondiff_of(site.args)]
        found = second.out_tree
        given = found.children if found.kind in (tuple, list) else ()
        if found.kind is None and len(wanted) == 1:
            given = (found,)
        if len(given) != len(wanted):
            count = f"{len(given)} values" if found.kind in (tuple, list) else "no tuple"
            raise TypeMismatch(f"the backward rule of {self.__name__} returns {count}, but {len(wanted)} are needed: a cotangent for each "
                               "differentiated argument", "Return a tuple, with None for an argument without a derivative.")
        outputs, taken = iter(second.program.outputs), []
        for i, tree_given in zip(wanted, given):
            leaves, treedef = tree.flatten(site.args[i])
            atoms = matched(treedef, tree_given, outputs, self.__name__)
            taken += [self.fitting(second.program, leaf, atom) for leaf, atom in zip(leaves, atoms) if pipeline.is_dynamic(leaf)]
        return dataclasses.replace(second.program, outputs=taken)

    def fitting(self, program, leaf, atom):
        """The atom of a cotangent, 0.0 for None; its shape must be that of the argument."""
        aval = pipeline.aval_of(leaf)
        if atom is None or not is_floating(aval.dtype):
            return 0.0
        found = program.aval(atom)
        if found.shape != aval.shape:
            raise ShapeError(f"the backward rule of {self.__name__} returns a cotangent of shape {found.shape} for an argument of shape {aval.shape}",
                             "Give each cotangent the shape of its argument.")
        return atom


def custom_gradient(fun):
    """A function that returns (result, pullback) as one with that derivative; the pullback maps a cotangent to those of the arguments.

    >>> from transformer import grad
    >>> @custom_gradient
    ... def doubled(x):
    ...     return x, lambda x_bar: (2.0 * x_bar,)
    >>> print(doubled(3.0), grad(doubled)(3.0))
    3.0 2.0
    """
    made = custom_vjp(FirstOf(fun))
    made.defvjp(lambda *args: (FirstOf(fun)(*args), args), Pulled(fun))
    return made


class FirstOf:
    """The first of the two results of a function."""

    __transformer_opaque__ = True

    def __init__(self, fun):
        self.fun = fun
        functools.update_wrapper(self, fun, updated=())
        self.__name__ = program_name(fun)

    def __call__(self, *args):
        return self.fun(*args)[0]

    def __transformer_call__(self, ev, args, kwargs):
        return call(ev, self.fun, args, kwargs, None)[0]


class Pulled(FirstOf):
    """The pullback that a function returns second, applied: (args, cotangent) -> a tuple of cotangents."""

    def __call__(self, args, bar):
        found = self.fun(*args)[1](bar)
        return found if isinstance(found, tuple) else (found,)

    def __transformer_call__(self, ev, args, kwargs):
        found = call(ev, call(ev, self.fun, tuple(args[0]), {}, None)[1], args[1:], {}, None)
        return found if isinstance(found, tuple) else (found,)


def matched(wanted, given, outputs, name):
    """For each leaf of a tree the atom of its cotangent; None where the rule returns None for it or for a tree around it."""
    if given.kind is type(None):
        return [None] * wanted.num_leaves
    if wanted.kind is None and given.kind is None:
        return [next(outputs)]
    if wanted.kind is not given.kind or len(wanted.children) != len(given.children):
        raise TypeMismatch(f"the backward rule of {name} returns a cotangent whose structure is not that of the argument",
                           "Return the containers of the argument, or None.")
    return [atom for w, g in zip(wanted.children, given.children) for atom in matched(w, g, outputs, name)]


class custom_jvp(Custom):
    """A function whose derivative is given by `defjvp`; the rule serves forward and reverse mode.

    >>> import numpy as np
    >>> from transformer import grad
    >>> @custom_jvp
    ... def softplus(x):
    ...     return np.log(1.0 + np.exp(x))
    >>> @softplus.defjvp
    ... def softplus_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return softplus(x), x_dot / (1.0 + np.exp(-x))
    >>> print(grad(softplus)(120.0))
    1.0
    """

    jvp = None

    def defjvp(self, jvp, symbolic_zeros=False):
        """jvp(*nondiff, primals, tangents) returns (result, tangent of the result), linear in the tangents."""
        if symbolic_zeros:
            raise TransformError("defjvp(symbolic_zeros=True) is not known here", "Leave it out: tangents are arrays.")
        self.jvp = jvp
        return jvp

    def defjvps(self, *jvps):
        """One rule per argument, jvp(tangent, result, *primals); None for an argument without a derivative."""
        if self.nondiff:
            raise TypeMismatch("defjvps does not go with nondiff_argnums", "Use defjvp.")
        self.jvp = SumOfRules(self, jvps)

    def require_rules(self):
        if self.jvp is None:
            raise TypeMismatch(f"{self.__name__} is a custom_jvp without a rule: no jvp is defined", f"Call {self.__name__}.defjvp(rule).")

    def node(self, count):
        return Pushable(self.__name__, count)

    def rules(self, site):
        nondiff, primals = self.split(site.params)
        dots = []
        tangents = tuple(tree.tree_map(lambda leaf: tangent_of(leaf, dots), p) for p in primals)
        found = site.build(self.jvp, [*nondiff, tuple(primals), tangents])
        if found.out_tree.kind not in (tuple, list) or len(found.out_tree.children) != 2:
            raise TypeMismatch(f"the rule of {self.__name__} must return a pair (result, tangent)", "Return (result, tangent).")
        for treedef, what in zip(found.out_tree.children, ("the rule", "the tangent of the rule")):
            site.check_result(treedef, what)
        slots = [("dot", k, p.aval) for k, p in enumerate(dots)]
        numbers = self.nondiff_of(site.args)
        order = [*site.arg_slots(numbers), *site.arg_slots(i for i in range(len(site.args)) if i not in numbers), *slots]
        return [Part(found, order, after=slots)]


def tangent_of(leaf, dots):
    """The tangent of a leaf, appended to `dots`; of integers it is zero."""
    if not isinstance(leaf, Param):
        return leaf
    if not is_floating(leaf.aval.dtype):
        return np.zeros(leaf.aval.shape) if leaf.aval.shape else 0.0
    dots.append(Param(Aval(leaf.aval.shape, leaf.aval.dtype), None, f"{leaf.name}_dot", leaf.jnp))
    return dots[-1]


class SumOfRules:
    """The jvp rule that `defjvps` makes of one rule per argument."""

    __transformer_opaque__ = True

    def __init__(self, fun, rules):
        self.fun, self.parts = fun, rules
        self.__name__ = f"{fun.__name__}_jvp"

    def __call__(self, primals, tangents):
        return self.sum(lambda f, args: f(*args), primals, tangents)

    def __transformer_call__(self, ev, args, kwargs):
        return self.sum(lambda f, values: call(ev, f, tuple(values), {}, None), *args)

    def sum(self, apply, primals, tangents):
        if len(self.parts) != len(primals):
            raise TypeMismatch(f"defjvps of {self.fun.__name__} got {len(self.parts)} rules for {len(primals)} arguments", "Give one per argument, or None.")
        out, total = apply(self.fun, primals), None
        for rule, dot in zip(self.parts, tangents):
            if rule is not None:
                term = apply(rule, (dot, out, *primals))
                total = term if total is None else tree.tree_map(np.add, total, term)
        return out, tree.tree_map(np.zeros_like, out) if total is None else total


__all__ = ["custom_gradient", "custom_jvp", "custom_vjp"]
