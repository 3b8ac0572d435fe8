"""Activity: which names carry derivatives.

A name is *varied* if one of its versions depends on a differentiated parameter, *useful* if a differentiated output depends on
it, through float values alone; it is *active* if both. Names are looked at without regard to the order of statements.
"""

from collections import defaultdict

from ..core import Apply, Move, Update, is_name, walk


def is_inexact(aval):
    """Whether values of this type have derivatives: floats and complex numbers, the small float types included."""
    return aval.dtype.kind in "fc" or (aval.dtype.kind == "V" and aval.dtype.isbuiltin != 1)


def differentiable_operands(stmt):
    """Positions of the operands of an Apply that its result depends on smoothly."""
    if not stmt.op.differentiable:
        return []
    through = stmt.op.partials if stmt.op.elementwise and stmt.op.vjp is None else [True] * len(stmt.args)
    return [k for k, a in enumerate(stmt.args) if is_name(a) and through[k] is not None]


def singularity(stmt):
    """Whether a partial of an Apply may be infinite: True, False, or "operands": only where an operand is."""
    kind = stmt.op.singular
    return kind(*stmt.args) if callable(kind) else kind


class Flow:
    """The graph of smooth dependence between the names of a program."""

    def __init__(self, program):
        self.program = program
        self.forwards, self.backwards = defaultdict(set), defaultdict(set)
        self.applies, self.overwritten = [], []
        for stmt in walk(program.body):
            if isinstance(stmt, Apply):
                self.applies.append(stmt)
                self.link((stmt.args[k] for k in differentiable_operands(stmt)), stmt.target)
            elif isinstance(stmt, Move):
                self.link([stmt.source], stmt.target)
            elif isinstance(stmt, Update):
                self.link([stmt.value], stmt.target)
                if any(program.aval(a).dtype == bool for a in stmt.args):
                    self.overwritten.append(stmt.target)

    def link(self, sources, target):
        if not is_inexact(self.program.avals[target]):
            return
        for source in sources:
            if is_name(source) and is_inexact(self.program.avals[source]):
                self.forwards[source].add(target)
                self.backwards[target].add(source)

    def varied(self, names):
        """The names that depend on one of `names`."""
        return reached(self.forwards, filter(self.is_inexact, names))

    def useful(self, names):
        """The names that one of `names` depends on."""
        return reached(self.backwards, filter(self.is_inexact, names))

    def is_inexact(self, name):
        return is_name(name) and is_inexact(self.program.avals[name])

    def masked(self):
        """The names whose cotangent may be zero because a mask made it so: they flow into an op that selects,

        or into an array that a store under a mask overwrites.
        """
        selected = [a for s in self.applies if s.op.masking for a in s.args]
        return self.useful([*selected, *self.picked_from(), *self.overwritten])

    def picked_from(self):
        """The arrays of which a mask picks elements."""
        strange = self.expects_nan()
        return [s.args[0] for s in self.applies if s.op.gather and (strange or any(map(self.is_mask, s.args[1:])))]

    def is_mask(self, atom):
        """Whether an index is a mask, or the positions where one is true."""
        aval = self.program.aval(atom)
        return aval.dtype == bool or None in aval.shape

    def unbounded(self):
        """The names that may be infinite or nan although the parameters are finite: they depend on an op that can be."""
        return self.varied(s.target for s in self.applies if singularity(s) is True)

    def strange(self):
        """The names that depend on parameters of a program which says that some of them may be infinite or nan."""
        return self.varied(self.program.params) if self.expects_nan() else set()

    def expects_nan(self):
        """Whether a program asks for nan, or takes a mask that says which elements to leave out."""
        masks = any(a.dtype == bool and a.shape for a in map(self.program.aval, self.program.params))
        return masks or any(s.op.nonfinite for s in self.applies)


def reached(graph, start):
    """The nodes that can be reached from `start`, which are among them."""
    found, todo = set(), list(start)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(graph.get(name, ()))
    return found
