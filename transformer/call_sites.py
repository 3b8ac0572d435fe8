"""A call of a function that brings its own derivatives, met while another function is specialised.

The programs of the function and of its rules are built for the types at hand; what they read from outside (arrays of the
module, values of the functions around them) becomes further operands of the call.
"""

import threading
from typing import Any, NamedTuple

from . import pipeline, tree
from .core import walk
from .errors import NeedStatic, TypeMismatch
from .frontend.builder import Builder
from .frontend.promotion import STRONG
from .frontend.reference import is_reference
from .frontend.specialise import Param
from .ops import barriers
from .transforms.custom_calls import is_call

_building = threading.local()


def under_construction():
    """Calls whose rules are being built in this thread, by function and types: a rule may call its own function."""
    if not hasattr(_building, "calls"):
        _building.calls = {}
    return _building.calls


class Part(NamedTuple):
    """The built program of a rule.

    order: the slot of each dynamic leaf of the rule's arguments. before, after: slots that stand before and after the operands
    of the call among the program's parameters. A slot is (kind, number, aval).
    """

    spec: Any
    order: list
    before: list = ()
    after: list = ()


class Site:
    """One call. `fun` has `fun` (the function), `node(count)`, and `rules(site)`: a list of `Part`."""

    def __init__(self, fun, ev, args, nondiff=()):
        self.fun, self.ev, self.args = fun, ev, args
        self.leaves = pipeline.dynamic_leaves(args, {})
        self.params = [pipeline.as_params(a, name) for a, name in zip(args, parameter_names(fun.fun, len(args)))]
        self.numbers, count = [], 0
        for value in args:
            size = len(pipeline.dynamic_leaves([value], {}))
            self.numbers.append(range(count, count + size))
            count += size
        others = [i for i in range(len(args)) if i not in nondiff]
        self.slots = [*self.arg_slots(others), *self.arg_slots(nondiff)]
        self.count = len(self.arg_slots(others))
        self.outside, self.jnp = {}, any(pipeline.mark_of(v) for v in self.leaves)

    def arg_slots(self, numbers):
        """The slots of the leaves of some arguments."""
        return [("arg", k, pipeline.aval_of(self.leaves[k])) for i in numbers for k in self.numbers[i]]

    def param(self, aval, name):
        """A parameter of a rule."""
        return Param(aval, None, name, STRONG if self.jnp and not aval.weak else 0)

    def check_result(self, treedef, what):
        if treedef != self.out_tree:
            raise TypeMismatch(f"{what} of {self.fun.__name__} returns another structure than {self.fun.__name__} itself", "Return the same containers.")

    # binding --------------------------------------------------------------------------------
    def bind(self):
        """Emit the call; its result."""
        key = self.key()
        node, out_tree = under_construction().get(key) or self.construct(key)
        operands = [*(self.leaves[k] for _, k, _ in self.slots), *(operand for operand, _ in self.outside.values())]
        return tree.unflatten(out_tree, [self.emit(node, operands, k) for k in range(len(node.avals))])

    def emit(self, node, operands, position):
        builder = self.ev.builder
        params, aval = {"call": node, "position": position}, node.avals[position]
        ref = builder.append(barriers.custom_call, list(map(builder.operand, operands)), params, node.name, weak=aval.weak)
        if self.jnp:
            builder.uses_jnp = True
            ref.storage.jnp = 0 if ref.weak else STRONG
        return ref

    def key(self):
        leaves = [v for a in self.args for v in tree.flatten(a)[0]]
        return (id(self.fun), *(tree.flatten(a)[1] for a in self.args),
                *(pipeline.aval_of(v) if pipeline.is_dynamic(v) else (type(v), id(v)) for v in leaves))

    # building ----------------------------------------------------------------------------------
    def build_backward(self, fn, params):
        """`build` for a rule that is part of the derivative: what it calls is differentiated once less often, which ends rules that call
        functions with rules of their own, each made by the one before.
        """
        with pipeline.options(pending=max(pipeline.current_options().pending - 1, 0)):
            return self.build(fn, params)

    def build(self, fn, params):
        """The Specialised program of the function or of a rule."""
        try:
            spec = pipeline.build(fn, params, {})
        except NeedStatic as error:
            argument = getattr(error.ref, "storage", None) and error.ref.storage.argument
            if params is self.params and argument and argument[0] == "leaf" and is_reference(self.leaves[argument[1]]):
                raise NeedStatic(self.leaves[argument[1]], error.what) from error
            raise
        self.jnp = self.jnp or spec.jnp
        self.ev.externals.guards.extend(spec.guards)
        self.ev.volatile = self.ev.volatile or spec.volatile
        return spec

    def construct(self, key):
        """(the call's node, structure of its result), with the programs of the function and its rules."""
        plain = self.build(self.fun.fun, self.params)
        self.out_tree = plain.out_tree
        node = self.fun.node(self.count)
        node.avals = list(map(plain.program.aval, plain.program.outputs))
        parts = [Part(plain, self.arg_slots(range(len(self.args))))]
        under_construction()[key] = node, plain.out_tree
        try:
            parts += self.fun.rules(self)
        finally:
            del under_construction()[key]
        places = [[self.slot(source, part) for source in part.spec.inputs] for part in parts]
        node.define(*(self.arranged(node, part, slots) for part, slots in zip(parts, places)))
        return node, plain.out_tree

    def slot(self, source, part):
        """What a parameter of a built program is; values from outside are noted."""
        if source.kind == "leaf":
            return part.order[source.key][:2]
        operand = source.value
        if source.kind == "hidden":
            operand = self.ev.externals.load(operand.access(), operand.access, operand.label)
        key = ("outside", (id(operand.storage), operand.path_key()) if is_reference(operand) else id(operand))
        self.outside.setdefault(key, (operand, pipeline.aval_of(operand)))
        return key

    def arranged(self, node, part, slots):
        """The program with its parameters in the order: `before`, the operands of the call, `after`."""
        signature = [*part.before, *self.slots, *((*key, aval) for key, (_, aval) in self.outside.items()), *part.after]
        program = part.spec.program
        names = {slot: program.hints.get(p, p) for slot, p in zip(slots, program.params)}
        with Builder(program.name) as builder:
            refs = {slot[:2]: builder.parameter(names.get(slot[:2], slot[0]), slot[2]) for slot in signature}
            outputs = builder.inline(program, [refs[slot] for slot in slots])
            found = builder.program(outputs)
        outside = [refs[key].storage.name for key in self.outside]
        for stmt in walk(found.body):
            if is_call(stmt) and stmt.params["call"] is node and len(stmt.args) < len(self.slots) + len(outside):
                stmt.args = (*stmt.args, *outside)
        return found


def parameter_names(fn, count):
    """Names for the arguments, from the function's code."""
    code, spec = getattr(fn, "__code__", None), getattr(getattr(fn, "node", None), "args", None)
    names = code.co_varnames[:code.co_argcount] if code is not None else [a.id for a in spec.args] if spec is not None else ()
    return [names[i] if i < len(names) else f"x{i}" for i in range(count)]


__all__ = ["Part", "Site"]
