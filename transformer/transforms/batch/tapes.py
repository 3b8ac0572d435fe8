"""Where the batch axis of tapes stands: after the leading indices that are the same for all lanes.

    h_tape[i] = h        stays as it is; h_tape has shape (trips, lanes, ...)

A tape is an array that is only written and read at leading scalars. Its cotangent is made like it, so arrays that are linked by
Moves and elementwise ops have their batch axes at one place.
"""

from ...core import Apply, Hole, Move, Update, is_name, operands, walk
from ...errors import TransformError


def stacked_axes(program, analysis):
    """Name -> position of the batch axis, where that is not 0; and name -> number of leading scalars of all its indices."""
    groups, others = Groups(), set(program.params) | set(filter(is_name, program.outputs))
    made = {}
    for stmt in walk(program.body):
        linked = links(stmt, program, analysis)
        for name in linked:
            groups.join(linked[0], name)
        if isinstance(stmt, Apply) and is_tape_like(stmt):
            made[stmt.target] = dynamic_rank(stmt)
        elif isinstance(stmt, Apply) and not linked:
            others.add(stmt.target)
        others.update(n for n in _plain_operands(stmt) if n not in linked)
    axes, scalars = {}, {}
    for members in groups.of(made):
        if not members & others:
            shared = min((analysis.prefixes[n] for n in members if n in analysis.prefixes), default=0)
            leading = min((analysis.scalars[n] for n in members if n in analysis.scalars), default=0)
            unknown = max(made.get(n, 0) for n in members)
            axes.update(dict.fromkeys(members & analysis.batched, leading if shared < unknown else shared))
            scalars.update(dict.fromkeys(members, leading))
    axes = {n: axis for n, axis in axes.items() if axis}
    for name in analysis.tapes & analysis.batched:
        if axes.get(name) and analysis.prefixes.get(name, 1):
            continue
        raise TransformError(f"the tape {name} grows at a place that differs from lane to lane", "This is a fault of a pass of transformer.")
    return axes, scalars


def is_tape_like(stmt):
    """Whether an Apply makes an array that may be a tape: without values, or of a size known at run time."""
    shape = stmt.params.get("shape", ())
    return stmt.op.name in ("empty", "tape") or (any(isinstance(d, Hole) for d in shape) and len(stmt.args) <= len(shape))


def dynamic_rank(stmt):
    """The number of leading axes up to the last one of a size known at run time: XLA wants these in front."""
    return max((k + 1 for k, d in enumerate(stmt.params["shape"]) if isinstance(d, Hole)), default=0)


def links(stmt, program, analysis):
    """The names whose batch axes a statement puts at one place: its target and the operands of the same shape."""
    if isinstance(stmt, Move):
        return [stmt.target, stmt.source] if is_name(stmt.source) and program.avals[stmt.target].shape else []
    if not isinstance(stmt, Apply) or not (stmt.op.elementwise or stmt.op.name == "zeros_like"):
        return []
    shape = program.avals[stmt.target].shape
    arrays = [a for a in stmt.args if is_name(a) and program.avals[a].shape]
    alike = all(program.avals[a].shape == shape for a in arrays)
    scalars = [a for a in stmt.args if is_name(a) and not program.avals[a].shape]
    mixed = len({a in analysis.batched for a in arrays}) > 1 or any(a in analysis.batched for a in scalars)
    return [stmt.target, *arrays] if arrays and alike and not mixed else []


def pointers(program):
    """The counters of a program, and the names that hold a counter kept on a tape and restored: they too are the same in all lanes."""
    sources = {}
    for stmt in walk(program.body):
        if isinstance(stmt, Move | Update):
            sources.setdefault(stmt.target, []).append(stmt.source if isinstance(stmt, Move) else stmt.value)
        elif isinstance(stmt, Apply):
            sources.setdefault(stmt.target, []).extend(stmt.args[:1] if stmt.op.gather else stmt.args)
    found, before = set(program.counters), None
    while before != len(found):
        before = len(found)
        found |= {n for n, given in sources.items() if program.avals[n].dtype.kind == "i" and not found.isdisjoint(given)}
    while True:
        wrong = {n for n in found - program.counters if any(is_name(a) and a not in found for a in sources[n])}
        if not wrong:
            return found
        found -= wrong


def _plain_operands(stmt):
    """The names that a statement reads, but not the array that it indexes."""
    if isinstance(stmt, Apply) and stmt.op.gather:
        return filter(is_name, stmt.args[1:])
    if isinstance(stmt, Update):
        return filter(is_name, (*stmt.args, stmt.value))
    return operands(stmt)


class Groups:
    """Names that belong together."""

    def __init__(self):
        self.members = {}

    def get(self, name):
        return self.members.setdefault(name, {name})

    def join(self, a, b):
        first, second = self.get(a), self.get(b)
        if first is not second:
            first |= second
            for name in second:
                self.members[name] = first

    def of(self, names):
        """The groups that hold one of `names`, each once."""
        return {id(g): g for g in map(self.get, names)}.values()


__all__ = ["pointers", "stacked_axes"]
