"""jvp and vjp as functions of all their inputs at once, so that they can be shown, batched and transformed again.

    Pushforward(f)(x, x_dot)    (f(x), tangent of the result)
    Pullback(f)(x, y_bar)       (f(x), cotangent of x)
"""

import dataclasses
import inspect

import numpy as np

from . import derivatives, tree
from .core import is_floating
from .errors import TypeMismatch
from .frontend.specialise import Input
from .pipeline import as_params, build, build_differentiable, dynamic_leaves, leaf_positions, positions_of
from .transformed import Transformed


class LinearMap(Transformed):
    """Base: a function that takes f's arguments, then vectors (tangents or cotangents)."""

    def positional(self):
        """The number of positional parameters of f."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return sum(p.kind in kinds for p in inspect.signature(self.innermost()).parameters.values())

    def check_keywords(self, kwargs):
        if kwargs:
            raise TypeMismatch(f"{self.kind} takes positional arguments only", "Give the arguments in order, then the vectors.")

    def check_count(self, args, wanted, what):
        if len(args) != wanted:
            raise TypeMismatch(f"{self.kind} of {self.__name__} takes {wanted} {what}, not {len(args)}",
                               f"Give the arguments of {self.__name__}, then its {what}.")


class Pushforward(LinearMap):
    """f(x, ...) and its directional derivative: takes f's arguments, then one tangent for each of `argnums`."""

    kind = "jvp"

    def build(self, args, kwargs):
        self.check_keywords(kwargs)
        argnums = self.settings["argnums"]
        args, dots = args[: self.positional()], args[self.positional():]
        self.check_count(dots, len(argnums), "tangents")
        pushed = derivatives.pushforward(self.fn, args, kwargs, argnums)
        start, places = len(dynamic_leaves(args, {})), iter(range(len(pushed.inputs)))
        inputs = [Input("leaf", start + next(places)) if is_tangent(s) else s for s in pushed.inputs]
        return dataclasses.replace(pushed, inputs=inputs)

    def complete(self, args):
        """Arguments for which to show the function: tangents like the primals where only f's own arguments are given."""
        return args if len(args) != self.positional() else (*args, *(args[k] for k in self.settings["argnums"]))


def is_tangent(source):
    return source.kind == "leaf" and isinstance(source.key, tuple)


class Pullback(LinearMap):
    """f(x, ...) and the cotangents of `argnums`: takes f's arguments, then one cotangent for each output of floats."""

    kind = "vjp"

    def build(self, args, kwargs):
        self.check_keywords(kwargs)
        args, bars = args[: self.positional()], args[self.positional():]
        wanted = leaf_positions(args, self.settings["argnums"])
        specialised = build_differentiable(self.fn, args, kwargs)
        wrt = positions_of(specialised, [p for positions, _ in wanted for p in positions])
        joint, seeds = derivatives.pullback_program(specialised, wrt)
        seeds = [s for s in seeds if s is not None]
        self.check_count(bars, len(seeds), "cotangents")
        start = len(dynamic_leaves(args, {}))
        inputs = [*specialised.inputs, *(Input("leaf", start + k) for k in range(len(seeds)))]
        out_tree = tree.Treedef(tuple, None, (specialised.out_tree, tree.Treedef(tuple, None, tuple(t for _, t in wanted))))
        return derivatives.finish(specialised, joint, out_tree, f"{specialised.program.name}_vjp", "vjp", inputs)

    def complete(self, args):
        """Arguments for which to show the function: cotangents like the outputs where only f's own arguments are given."""
        if len(args) != self.positional():
            return args
        program = build(self.fn, [as_params(a, f"x{k}") for k, a in enumerate(args)], {}).program
        avals = [program.aval(a) for a in program.outputs if is_floating(program.aval(a).dtype)]
        return (*args, *(np.zeros(a.shape, a.dtype) if a.shape else a.dtype.type(0).item() for a in avals))


__all__ = ["Pullback", "Pushforward"]
